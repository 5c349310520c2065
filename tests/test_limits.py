"""Limits and hostile input: big calls, many calls, deep nesting, long tags, bounded memory.

Nothing here is timed: what is not linear takes minutes on these inputs, and the benchmarks
measure it.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

import toolspeak
from support import (
    CALL_DIALECTS,
    DIALECTS,
    Event,
    aborts_of,
    calls_of,
    cuts,
    joined,
    pieces_of,
    run,
    scan,
    scanner_of,
    text_of,
)


def hermes_call(name: str, body: str) -> str:
    return f'<tool_call>{{"name": "{name}", "arguments": {{"a": {body}}}}}</tool_call>'


def xml_call(name: str, body: str) -> str:
    return f'<invoke name="{name}"><parameter name="a">{body}</parameter></invoke>'


MAKERS = {"hermes": hermes_call, "qwen3": hermes_call, "xml": xml_call, "minimax": xml_call}
each_maker = pytest.mark.parametrize("name", MAKERS)


def string_body(name: str, text: str) -> str:
    return f'"{text}"' if MAKERS[name] is hermes_call else text


# --- limits -------------------------------------------------------------------------------


@each_maker
def test_call_beyond_the_byte_limit_is_aborted_and_scanning_goes_on(name: str) -> None:
    make = MAKERS[name]
    big = make("big", string_body(name, "x" * 5000))
    small = make("small", "1")
    text = f"before {big} between {small} after"
    limits = toolspeak.Limits(max_call_bytes=1000)
    for cut, pieces in cuts(text):
        events = run(scanner_of(name, limits=limits), pieces)
        (abort,) = aborts_of(events)
        assert (abort.name, abort.reason) == ("big", "limit"), cut
        assert len(abort.raw.encode()) <= 1000 + 256
        assert big.startswith(abort.raw)
        assert [call["name"] for call in calls_of(events)] == ["small"]
        assert text_of(events) == "before  between  after"
    exact = toolspeak.Limits(max_call_bytes=len(small.encode()))
    assert [c["name"] for c in calls_of(scan(name, small, limits=exact))] == ["small"]


@each_maker
def test_byte_limit_does_not_depend_on_the_cuts(name: str) -> None:
    big = MAKERS[name]("big", string_body(name, "é😀" * 700))
    limits = toolspeak.Limits(max_call_bytes=1000)
    whole = joined(scan(name, f"a{big}b", limits=limits))
    for cut, pieces in cuts(f"a{big}b"):
        assert joined(run(scanner_of(name, limits=limits), pieces)) == whole, cut


@each_maker
def test_calls_beyond_the_count_are_reported_as_aborted(name: str) -> None:
    calls = [MAKERS[name](f"f{i}", str(i)) for i in range(5)]
    events = scan(name, f"a{'-'.join(calls)}z", limits=toolspeak.Limits(max_calls=2))
    assert [call["name"] for call in calls_of(events)] == ["f0", "f1"]
    assert {abort.reason for abort in aborts_of(events)} == {"limit"}
    assert "f4" not in text_of(events)
    assert text_of(events).endswith("z")
    three = scan(name, "".join(calls[:3]), limits=toolspeak.Limits(max_calls=3))
    assert len(calls_of(three)) == 3


@pytest.mark.parametrize("name", ["hermes", "qwen3"])
def test_nesting_beyond_the_depth_is_aborted(name: str) -> None:
    def nested(depth: int) -> str:
        return MAKERS[name]("f", "[" * depth + "]" * depth)

    limits = toolspeak.Limits(max_depth=20)
    (abort,) = aborts_of(scan(name, nested(30), limits=limits))
    assert (abort.name, abort.reason) == ("f", "limit")
    after = scan(name, nested(30) + MAKERS[name]("g", "1"), limits=limits)
    assert [call["name"] for call in calls_of(after)] == ["g"]
    assert len(calls_of(scan(name, nested(10), limits=limits))) == 1


# --- hostile input ------------------------------------------------------------------------

DEEP = 100_000
NESTED = {
    "hermes": ('<tool_call>{"name": "f", "arguments": {"a": ', "}}</tool_call>"),
    "qwen3": ('<tool_call>{"name": "f", "arguments": {"a": ', "}}</tool_call>"),
    "xml": ('<invoke name="f"><parameter name="a">', "</parameter></invoke>"),
    "anthropic": ('<invoke name="f"><parameter name="a">', "</parameter></invoke>"),
    "minimax": ('<invoke name="f"><parameter name="a">', "</parameter></invoke>"),
    "deepseek": (
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{"a": ',
        "}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    ),
    "kimi": (
        '<|tool_calls_section_begin|><|tool_call_begin|>f:0<|tool_call_argument_begin|>{"a": ',
        "}<|tool_call_end|><|tool_calls_section_end|>",
    ),
    "glm": ("<tool_call>f\n<arg_key>a</arg_key><arg_value>", "</arg_value></tool_call>"),
    "harmony": ('<|channel|>commentary to=functions.f<|message|>{"a": ', "}<|call|>"),
    "gemini": ("```tool_code\nf(a=", ")\n```"),
    "gemma": ("<|tool_call>call:f{a:", "}<tool_call|>"),
    "qwen3-coder": (
        "<tool_call>\n<function=f>\n<parameter=a>\n",
        "\n</parameter>\n</function>\n</tool_call>",
    ),
}


@pytest.mark.parametrize("name", [n for n in CALL_DIALECTS if n in NESTED])
@pytest.mark.parametrize("brackets", ["[]", "{}", "()", "[{"])
@pytest.mark.parametrize("closed", [True, False])
def test_deep_nesting_neither_overflows_nor_hangs(name: str, brackets: str, closed: bool) -> None:
    opener, closer = NESTED[name]
    body = brackets[0] * DEEP + "1" + brackets[1] * DEEP
    text = opener + body + (closer if closed else "")
    events = run(scanner_of(name), pieces_of(text, 4096))
    # The call is reported, one way or the other, and once.
    assert len(calls_of(events)) + len(aborts_of(events)) == 1
    assert joined(events) == joined(scan(name, text))


@pytest.mark.parametrize("name", [n for n in DIALECTS if n != "pi-native"])
def test_nested_elements_do_not_overflow(name: str) -> None:
    events = scan(name, "<call:f>" + "<a>" * DEEP + "</a>" * DEEP + "</call:f>")
    assert events


HOSTILE = {
    "spaces in a tag": "<" + " " * 80_000 + ">",
    "long tag": '<invoke name="' + "n" * 200_000,
    "long attribute list": "<invoke " + "a=b " * 50_000 + ">",
    "openers only": "<" * 200_000,
    "backticks only": "`" * 200_000,
    "half markers": "<tool_cal" * 30_000,
    "half closers in a call": "<tool_call>{" + "</tool_cal" * 30_000,
    "half closers in a value": '<invoke name="f"><parameter name="a">' + "</paramete" * 30_000,
    "openers in a value": "<tool_call>f\n<arg_key>a</arg_key><arg_value>" + "<arg_key>k" * 30_000,
    "closers in a value": "<tool_call>\n<function=f>\n<parameter=a>\n" + "</parameter>" * 30_000,
    "spaces after an opener": "<tool_call>\n" + " " * 200_000,
    "quotes": '<tool_call>{"name": "' + '\\"' * 100_000,
    "thinking closers": "<think>" + "</thin" * 50_000,
    "fences": "```thinking\n" + "```a\n" * 50_000,
    "python": "```tool_code\n" + "f(a=" * 50_000,
    "python strings": "```tool_code\nf(a=" + '"" ' * 50_000,
    "headers": "<|start|>assistant<|channel|>" * 10_000,
    "junk in a JSON list": '<tool_call>{"name": "f", "arguments": {"a": ['
    + 'x y" ' * 10_000
    + "]}}</tool_call>",
    "junk in a value": '<invoke name="f"><parameter name="a">{"a": ['
    + 'x y" ' * 10_000
    + "]}</parameter></invoke>",
    "unclosed objects": '<invoke name="f"><parameter name="a">'
    + "{" * 50_000
    + "</parameter></invoke>",
    "a long Python string": '<invoke name="f"><parameter name="a">{\'a\': \''
    + "x" * 600_000
    + "'}</parameter></invoke>",
    "commas": "[f(" + ", ".join(f"a{i}=1" for i in range(30_000)),
}


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_input_is_read_to_its_end_however_it_is_cut(name: str, kind: str) -> None:
    whole = joined(scan(name, HOSTILE[kind]))
    assert joined(run(scanner_of(name), pieces_of(HOSTILE[kind], 64))) == whole
    started = {step[1] for step in whole if step[0] == "ToolStart"}
    ended = [step[1] for step in whole if step[0] in ("ToolEnd", "ToolAbort")]
    assert len(ended) == len(set(ended))
    assert started <= set(ended)


@pytest.mark.parametrize("name", ["xml", "anthropic", "minimax", "hermes"])
def test_text_that_only_looks_like_a_tag_comes_out_whole(name: str) -> None:
    for kind in ("spaces in a tag", "openers only", "half markers", "backticks only", "headers"):
        assert text_of(scan(name, HOSTILE[kind])) == HOSTILE[kind], kind


@pytest.mark.parametrize(
    ("name", "opener"),
    [
        ("hermes", ""),
        ("hermes", '<tool_call>{"name": "f", "arguments": {"a": "'),
        ("hermes", '<tool_call>{"arguments": {"a": "'),
        ("hermes", "<think>"),
        ("xml", '<invoke name="f"><parameter name="a">'),
        ("xml", '<invoke name="f">'),
        ("xml", "<function_calls>"),
    ],
)
def test_a_late_feed_answers_as_an_early_one(name: str, opener: str) -> None:
    """What is held back and what leaves does not change while a stream goes on."""
    limits = toolspeak.Limits(max_call_bytes=10**9)
    scanner = scanner_of(name, limits=limits)
    scanner.feed(opener)
    scanner.feed("a<b ")
    early = [_told(event) for event in scanner.feed("a<b ")]
    assert all([_told(event) for event in scanner.feed("a<b ")] == early for _ in range(200_000))


def _told(event: Event) -> tuple[type[Event], str]:
    """What kind of event it is, and its last field: the text."""
    return type(event), getattr(event, type(event).__match_args__[-1])


MEMORY = """
import resource, sys, toolspeak
scanner = toolspeak.get_dialect({name!r}).scanner(limits=toolspeak.Limits(max_call_bytes=100_000))
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
scanner.feed({opener!r})
chunk = {chunk!r} * 2000
for _ in range(50):
    scanner.feed(chunk)
before = peak()
for _ in range(2000):
    scanner.feed(chunk)
print(peak() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in KB on Linux only")
@pytest.mark.parametrize(
    ("name", "opener", "chunk"),
    [
        ("hermes", "", "a < b\n"),
        ("xml", "", "a <b> \n"),
        ("xml", "<function_calls>", "noise "),
        ("hermes", '<tool_call>{"name": "f", "arguments": {"a": "', "content "),
        ("xml", '<invoke name="f"><parameter name="a">', "content "),
    ],
)
def test_memory_does_not_grow_with_the_stream(name: str, opener: str, chunk: str) -> None:
    """24 MB and more go through; what stays is the call up to its limit and the hold-back."""
    code = MEMORY.format(name=name, opener=opener, chunk=chunk)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 12, f"grew by {done.stdout.strip()} MB"


@pytest.mark.parametrize(
    ("name", "opener", "prose"),
    [
        ("xml", "<function_calls>", "Grüße "),
        ("kimi", "<|tool_calls_section_begin|>", "Grüße "),
        ("gemini", "```tool_code\n", "x = grüße\n"),
    ],
)
def test_a_section_that_goes_on_without_a_call_was_text(name: str, opener: str, prose: str) -> None:
    """A section is kept until its first call, but no longer than a call may be."""
    limits = toolspeak.Limits(max_call_bytes=100)
    text = opener + 40 * prose
    for cut, pieces in cuts(text):
        scanner = scanner_of(name, limits=limits)
        fed = [event for piece in pieces for event in scanner.feed(piece)]
        assert len(text_of(fed)) > len(text) - 20, cut
        assert text_of([*fed, *scanner.flush()]) == text, cut


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize(
    "unit", ["<", "<invoke ", '<invoke a="', "<invoke a='\"", "<x:", "<function=a", "<call:", "\"'"]
)
def test_markers_of_hostile_text_are_found(name: str, unit: str) -> None:
    dialect = toolspeak.get_dialect(name)
    text = unit * (60_000 // len(unit))
    assert len(dialect.find_markers(text)) <= len(text)
    one = "<invoke" + " " * len(text)
    assert len(dialect.find_markers(one)) <= 1

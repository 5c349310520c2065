"""Scanner options: both sides of each, where it matters, however the input is cut."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolspeak
from markers import COMMON, MARKUP
from support import (
    ALL_TOOLS,
    CALL_DIALECTS,
    aborts_of,
    calls_of,
    cuts,
    joined,
    outcome,
    random_cuts,
    run,
    scan,
    scanner_of,
    text_of,
)

HERMES = '<tool_call>\n{"name": "ping", "arguments": {}}\n</tool_call>'
XML = '<invoke name="ping"></invoke>'
CALLS = {"hermes": HERMES, "qwen3": HERMES, "xml": XML, "anthropic": XML}
THINK = {"hermes": "think", "qwen3": "think", "xml": "thinking", "anthropic": "thinking"}
RESULTS = {
    "hermes": ("<tool_response>", "</tool_response>"),
    "qwen3": ("<tool_response>", "</tool_response>"),
    "xml": ("<tool_response>", "</tool_response>"),
    "anthropic": ("<function_results>", "</function_results>"),
    "minimax": ("<function_results>", "</function_results>"),
}

each_dialect = pytest.mark.parametrize("name", CALLS)


def results(name: str, text: str, **options: Any) -> dict[str, Any]:
    """The outcome, after checking that every cut gives the same."""
    whole = scan(name, text, **options)
    for cut, pieces in cuts(text):
        assert joined(run(scanner_of(name, **options), pieces)) == joined(whole), cut
    return outcome(whole)


# --- start --------------------------------------------------------------------------------


@each_dialect
def test_start_in_thinking(name: str) -> None:
    found = results(name, f"plan</{THINK[name]}>answer{CALLS[name]}", start="thinking")
    assert found["thinking"] == ["plan"]
    assert found["text"] == "answer"
    assert [call["name"] for call in found["calls"]] == ["ping"]


@each_dialect
def test_start_in_thinking_that_never_ends(name: str) -> None:
    found = results(name, f"plan {CALLS[name]} a < b </thin", start="thinking")
    assert found["thinking"] == [f"plan {CALLS[name]} a < b </thin"]
    assert found["text"] == ""
    assert found["calls"] == []


@each_dialect
def test_start_in_thinking_then_another_block(name: str) -> None:
    tag = THINK[name]
    found = results(name, f"one</{tag}>x<{tag}>two</{tag}>y", start="thinking")
    assert found["thinking"] == ["one", "two"]
    assert found["text"] == "xy"


@each_dialect
def test_thinking_flows_from_the_first_character(name: str) -> None:
    scanner = scanner_of(name, start="thinking")
    assert [type(e).__name__ for e in scanner.feed("plan")] == ["ThinkingStart", "ThinkingDelta"]


@each_dialect
def test_reset_goes_back_to_the_start(name: str) -> None:
    scanner = scanner_of(name, start="thinking")
    text = f"plan</{THINK[name]}>answer"
    first = run(scanner, [text])
    scanner.reset()
    assert run(scanner, [text]) == first


# --- parse_thinking -----------------------------------------------------------------------


@each_dialect
def test_thinking_markers_are_text_when_not_parsed(name: str) -> None:
    tag = THINK[name]
    text = f"<{tag}>hm</{tag}>OK."
    found = results(name, text + CALLS[name], parse_thinking=False)
    assert found["text"] == text
    assert found["thinking"] == []
    assert [call["name"] for call in found["calls"]] == ["ping"]


@each_dialect
def test_calls_in_thinking_are_calls_when_thinking_is_not_parsed(name: str) -> None:
    tag = THINK[name]
    found = results(name, f"<{tag}>{CALLS[name]}</{tag}>", parse_thinking=False)
    assert [call["name"] for call in found["calls"]] == ["ping"]


# --- whitespace ---------------------------------------------------------------------------


@each_dialect
def test_white_space_is_kept_by_default(name: str) -> None:
    tag = THINK[name]
    text = f" \n<{tag}>\nhm\n</{tag}>\n\nA\n\n{CALLS[name]}\n\nB\n {CALLS[name]}\n"
    found = results(name, text)
    assert found["text"] == " \n\n\nA\n\n\n\nB\n \n"
    assert found["thinking"] == ["\nhm\n"]


@each_dialect
def test_trim_drops_white_space_beside_calls_and_thinking(name: str) -> None:
    tag = THINK[name]
    text = f"<{tag}>hm</{tag}>\n\nA  a\n\n{CALLS[name]}\n{CALLS[name]}\n\nB"
    found = results(name, text, whitespace="trim")
    assert found["text"] == "A  aB"
    assert found["thinking"] == ["hm"]
    assert len(found["calls"]) == 2


@each_dialect
@pytest.mark.parametrize("text", [" a \n\n b\t \n", "\n", "  x", "x \r\n "])
def test_trim_leaves_text_without_calls_alone(name: str, text: str) -> None:
    assert results(name, text, whitespace="trim")["text"] == text


@each_dialect
def test_trim_gives_no_text_event_between_calls(name: str) -> None:
    events = scan(name, f"{CALLS[name]}\n{CALLS[name]}\n", whitespace="trim")
    assert not [e for e in events if isinstance(e, toolspeak.Text)]


# --- repair -------------------------------------------------------------------------------

BROKEN = '{"query": "x", "limit": 2,}'


@pytest.mark.parametrize("name", ["hermes", "qwen3"])
def test_repair_is_marked(name: str) -> None:
    text = f'<tool_call>{{"name": "lookup", "arguments": {BROKEN}}}</tool_call>'
    end = scan(name, text)[-1]
    assert end.arguments == {"query": "x", "limit": 2}
    assert end.repaired is True
    good = text.replace("2,", "2")
    assert scan(name, good)[-1].repaired is False


@pytest.mark.parametrize("name", ["hermes", "qwen3"])
def test_without_repair_broken_json_is_malformed(name: str) -> None:
    text = f'<tool_call>{{"name": "lookup", "arguments": {BROKEN}}}</tool_call>'
    events = scan(name, f"a{text}b{HERMES}", repair=False)
    (abort,) = aborts_of(events)
    assert (abort.name, abort.reason, abort.raw) == ("lookup", "malformed", text)
    assert [call["name"] for call in calls_of(events)] == ["ping"]
    assert text_of(events) == "ab"


def test_without_repair_a_tagged_value_is_not_repaired() -> None:
    text = f'<invoke name="f"><parameter name="o">{BROKEN}</parameter></invoke>'
    last = scan("xml", text, repair=False)[-1]
    if isinstance(last, toolspeak.ToolEnd):
        assert last.arguments == {"o": BROKEN}
        assert last.repaired is False
    else:
        assert last.reason == "malformed"
    repaired = scan("xml", text)[-1]
    assert (repaired.arguments, repaired.repaired) == ({"o": {"query": "x", "limit": 2}}, True)


@pytest.mark.parametrize("repair", [True, False])
def test_repair_never_completes_a_truncated_call(repair: bool) -> None:
    text = '<tool_call>{"name": "lookup", "arguments": {"query": "old har'
    for end in range(len("<tool_call>"), len(text) + 1):
        events = scan("hermes", text[:end], repair=repair)
        assert not calls_of(events)
        assert [abort.reason for abort in aborts_of(events)] == ["truncated"]


# --- on_result ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", RESULTS)
def test_results_are_text_by_default(name: str) -> None:
    opener, closer = RESULTS[name]
    text = f"a{opener}x{closer}b"
    assert results(name, text)["text"] == text


@pytest.mark.parametrize("name", RESULTS)
def test_a_fabricated_result_stops_the_stream(name: str) -> None:
    opener, closer = RESULTS[name]
    call = CALLS.get(name, XML)
    text = f"a{call}\n{opener}\nfake\n{closer}\nmore{call}"
    results(name, text, on_result="stop")
    scanner = scanner_of(name, on_result="stop")
    events = scanner.feed(text)
    assert events[-1] == events[-1]
    assert isinstance(events[-1], toolspeak.Stopped)
    assert events[-1].marker == opener
    assert text_of(events) == "a\n"
    assert len(calls_of(events)) == 1
    assert scanner.feed(f"b{call}") == []
    assert scanner.flush() == []


@pytest.mark.parametrize("name", RESULTS)
def test_the_stop_comes_with_the_whole_marker_only(name: str) -> None:
    opener, _ = RESULTS[name]
    scanner = scanner_of(name, on_result="stop")
    for character in opener[:-1]:
        assert not [e for e in scanner.feed(character) if isinstance(e, toolspeak.Stopped)]
    assert [type(e).__name__ for e in scanner.feed(opener[-1])] == ["Stopped"]
    half = scanner_of(name, on_result="stop")
    assert text_of(run(half, [opener[:-1]])) == opener[:-1]


@pytest.mark.parametrize("name", RESULTS)
def test_reset_after_a_stop(name: str) -> None:
    scanner = scanner_of(name, on_result="stop")
    scanner.feed(RESULTS[name][0])
    scanner.reset()
    assert text_of(run(scanner, ["hi"])) == "hi"


@pytest.mark.parametrize("name", RESULTS)
def test_no_stop_inside_thinking(name: str) -> None:
    opener, _ = RESULTS[name]
    tag = THINK.get(name, "think")
    found = results(name, f"<{tag}>a{opener}b</{tag}>c", on_result="stop")
    assert found["thinking"] == [f"a{opener}b"]
    assert found["text"] == "c"


def test_no_stop_inside_arguments() -> None:
    for name, (opener, _) in RESULTS.items():
        if CALLS.get(name) is HERMES:
            call = f'<tool_call>{{"name": "f", "arguments": {{"s": "{opener}"}}}}</tool_call>'
        else:
            call = f'<invoke name="f"><parameter name="s">{opener}</parameter></invoke>'
        found = results(name, f"{call}after", on_result="stop")
        assert found["calls"] == [{"name": "f", "arguments": {"s": opener}}]
        assert found["text"] == "after"


# --- dialect options ----------------------------------------------------------------------


def test_dsml_tags_for_xml() -> None:
    call = '<｜DSML｜invoke name="f"><|DSML|parameter name="a">1</｜DSML｜parameter></|DSML|invoke>'
    call = f"<｜DSML｜tool_calls>{call}</|DSML|tool_calls>"
    assert results("xml-dsml", call)["calls"] == [{"name": "f", "arguments": {"a": "1"}}]
    assert results("xml", call)["text"] == call


DSML_CALL = '<｜DSML｜invoke name="ping"></｜DSML｜invoke>'
DSML = f"<｜DSML｜tool_calls>{DSML_CALL}</｜DSML｜tool_calls>"


def test_bare_dsml_calls() -> None:
    found = results("deepseek", f"a{DSML_CALL}b", dsml="bare")
    assert (found["text"], found["calls"]) == ("ab", [PING])
    assert results("deepseek", f"a{DSML_CALL}b")["text"] == f"a{DSML_CALL}b"
    for options in ({}, {"dsml": "bare"}, {"dsml": "default"}):
        found = results("deepseek", f"a{DSML}b", **options)
        assert (found["text"], found["calls"]) == ("ab", [PING])


def test_unknown_options_are_told_with_what_there_is() -> None:
    with pytest.raises(TypeError, match=r"no option 'dsml'.*fenced_calls"):
        scanner_of("hermes", dsml="bare")
    with pytest.raises(ValueError, match="'deepseek', 'bare'"):
        scanner_of("deepseek", dsml="naked")
    for option in ("fenced_calls", "truncated_calls", "unknown_tools", "entities", "on_result"):
        with pytest.raises(ValueError, match=f"{option}='maybe': use '"):
            scanner_of("hermes", **{option: "maybe"})


# --- calls in every dialect ---------------------------------------------------------------

PING = {"name": "ping", "arguments": {}}


def ping_in(name: str) -> str:
    """A call of `ping` in this dialect."""
    call = toolspeak.ToolCall("call_0", "ping", {})
    return toolspeak.get_dialect(name).render_calls([call], tools=ALL_TOOLS)


# --- call_in_thinking ---------------------------------------------------------------------

OWN_POLICY = {
    "hermes": "quoted",
    "xml": "quoted",
    "qwen3-coder": "ends_prompted",
    "kimi": "ends_prompted",
    "glm": "ends_prompted",
    "deepseek": "ends_prompted",
    "deepseek-dsml": "ends_prompted",
}


def call_and_dialect(name: str) -> tuple[str, str]:
    return (DSML, "deepseek") if name == "deepseek-dsml" else (ping_in(name), name)


@pytest.mark.parametrize("policy", [None, "quoted", "ends_prompted", "ends"])
@pytest.mark.parametrize("name", OWN_POLICY)
def test_a_call_inside_the_models_own_thinking(name: str, policy: str | None) -> None:
    call, dialect = call_and_dialect(name)
    found = results(dialect, f"<think>a{call}b</think>c", call_in_thinking=policy)
    if policy == "ends":
        assert found["thinking"] == ["a"]
        assert found["calls"] == [PING]
        assert found["text"].startswith("b")
    else:
        assert found["thinking"] == [f"a{call}b"]
        assert found["calls"] == []
        assert found["text"] == "c"


@pytest.mark.parametrize("policy", [None, "quoted", "ends_prompted", "ends"])
@pytest.mark.parametrize("name", OWN_POLICY)
def test_a_call_inside_thinking_that_the_prompt_opened(name: str, policy: str | None) -> None:
    call, dialect = call_and_dialect(name)
    options = {"call_in_thinking": policy, "start": "thinking"}
    found = results(dialect, f"a{call}b</think>c", **options)
    if (policy or OWN_POLICY[name]) == "quoted":
        assert found["thinking"] == [f"a{call}b"]
        assert found["calls"] == []
        assert found["text"] == "c"
    else:
        assert found["thinking"] == ["a"]
        assert found["calls"] == [PING]
        assert found["text"].startswith("b")


@pytest.mark.parametrize("policy", ["quoted", "ends_prompted", "ends"])
def test_what_only_resembles_a_call_stays_thinking(policy: str) -> None:
    inside = "a <tool_cal <tool_callx> a < b"
    for options in ({}, {"start": "thinking"}):
        text = f"{'' if options else '<think>'}{inside}</think>c"
        found = results("hermes", text, call_in_thinking=policy, **options)
        assert (found["thinking"], found["text"]) == ([inside], "c")


def test_an_unknown_thinking_policy_is_refused() -> None:
    with pytest.raises(ValueError, match="call_in_thinking"):
        scanner_of("hermes", call_in_thinking="maybe")


# --- fenced -------------------------------------------------------------------------------

# Fences, with what stands in them; behind each the text goes on.
FENCES = {
    "backticks": "```\n{}\n```\n",
    "tildes": "~~~\n{}\n~~~\n",
    "longer": "`````\n```\n{}\n```\n`````\n",
    "the other kind inside": "~~~\n```\n{}\n~~~\n",
    "an info string": "```xml title=1\n{}\n```\n",
    "indented": "  ```py\n{}\n  ```\n",
    "a longer closer": "```\n{}\n``````\n",
    "text before": "Look:\n```\nx\n{}y\n```\n",
    "not a closer": "```\n``` no\n{}\n```\n",
}
# Calls behind these are calls: they open no fence.
NO_FENCES = {
    "inline code": "`x` ``y`` ",
    "backticks in a line": "a ```\n",
    "two backticks": "``\n",
    "tildes in a line": "a ~~~ b\n",
    "a closed fence": "```\nx\n```\n",
    "an empty fence": "```\n```\n",
}

# The call's opener and what stands in the fence as text.
FENCED = ("hermes", "xml", "qwen3-coder", "kimi", "glm", "gemma", "pi-native")
# Dialects that drop stray closers from text, in a fence too.
DROPS_STRAYS = ("hermes", "qwen3-coder", "glm")


@pytest.mark.parametrize("fence", FENCES)
@pytest.mark.parametrize("name", FENCED)
def test_calls_in_a_fence_are_text(name: str, fence: str) -> None:
    call = ping_in(name)
    text = FENCES[fence].format(call)
    found = results(name, f"{text}{call}.", fenced_calls="text")
    assert found["calls"] == [PING]
    assert found["text"].endswith(f"{FENCES[fence].partition('{}')[2]}.")
    if name not in DROPS_STRAYS:
        assert found["text"] == f"{text}."


@pytest.mark.parametrize("name", DROPS_STRAYS)
def test_a_call_in_a_fence_is_whole(name: str) -> None:
    text = f"```\n{ping_in(name)}\n```\n"
    assert results(name, text, fenced_calls="text")["text"] == text


@pytest.mark.parametrize("fence", ["```\n{}\n```  \n", "```\r\n{}\r\n```\r\n"])
def test_a_closing_fence_may_have_blanks_behind_it(fence: str) -> None:
    text = fence.format(XML)
    found = results("xml", text + XML, fenced_calls="text")
    assert (found["text"], found["calls"]) == (text, [PING])


@pytest.mark.parametrize("fence", FENCES)
@pytest.mark.parametrize("name", FENCED)
def test_calls_in_a_fence_are_calls_by_default(name: str, fence: str) -> None:
    call = ping_in(name)
    before, _, after = FENCES[fence].partition("{}")
    for options in ({}, {"fenced_calls": "calls"}):
        found = results(name, f"{before}{call}{after}", **options)
        assert found["calls"] == [PING]
        assert found["text"] == before + after


@pytest.mark.parametrize("start", NO_FENCES)
@pytest.mark.parametrize("name", FENCED)
def test_what_is_no_fence_hides_no_call(name: str, start: str) -> None:
    before = NO_FENCES[start]
    found = results(name, f"{before}{ping_in(name)}", fenced_calls="text")
    assert (found["calls"], found["text"]) == ([PING], before)


def test_three_backticks_may_be_inline_code() -> None:
    assert results("hermes", f"```x```\n{HERMES}", fenced_calls="text")["calls"] == [PING]


@pytest.mark.parametrize("fence", ["```\n", "~~~~ x\n"])
def test_a_fence_that_is_never_closed_goes_on(fence: str) -> None:
    found = results("xml", f"{fence}a\n{XML}\n``\n{XML}", fenced_calls="text")
    assert found["calls"] == []
    assert found["text"] == f"{fence}a\n{XML}\n``\n{XML}"


def test_thinking_has_no_part_in_fences() -> None:
    found = results("hermes", f"<think>```\n</think>{HERMES}", fenced_calls="text")
    assert found["calls"] == [PING]
    found = results("xml", f"```\n<think>a</think>{XML}\n```\n", fenced_calls="text")
    assert (found["calls"], found["thinking"]) == ([], ["a"])


def test_a_dialects_own_fence_is_a_call() -> None:
    own = "```tool_code\nping()\n```"
    found = results("gemini", f"```\nx\n```\n{own}\n", fenced_calls="text")
    assert found["calls"] == [PING]
    assert found["text"] == "```\nx\n```\n\n"
    quoted = f"````\n{own}\n````\n"
    found = results("gemini", f"{quoted}{own}", fenced_calls="text")
    assert (found["calls"], found["text"]) == ([PING], quoted)


def test_a_channel_in_a_fence() -> None:
    text = "```\n<|channel|>final<|message|>a<|end|>\n```\n"
    assert results("harmony", text, fenced_calls="text")["calls"] == []


# --- unknown_tools ------------------------------------------------------------------------


@pytest.mark.parametrize("name", CALL_DIALECTS)
def test_a_call_of_an_unknown_tool(name: str) -> None:
    ping = next(tool for tool in ALL_TOOLS if tool["name"] == "ping")
    others = [tool for tool in ALL_TOOLS if tool["name"] != "ping"]
    text = ping_in(name)
    assert results(name, text, tools=[ping], unknown_tools="abort")["calls"] == [PING]
    events = scan(name, text, tools=others, unknown_tools="abort")
    results(name, text, tools=others, unknown_tools="abort")
    assert not calls_of(events)
    if name == "gemini":  # a function that is no tool is code
        assert text_of(events) == text
        return
    (abort,) = aborts_of(events)
    assert (abort.name, abort.reason) == ("ping", "malformed")
    assert results(name, text, tools=others)["calls"] == [PING]


@pytest.mark.parametrize("name", CALL_DIALECTS)
def test_without_tools_all_are_unknown(name: str) -> None:
    assert results(name, ping_in(name), unknown_tools="abort")["calls"] == []


# --- entities -----------------------------------------------------------------------------

ENTITIES = "a &lt; b &amp;amp; &quot;c&quot; &#65; &bogus; &"
DECODED = 'a < b &amp; "c" A &bogus; &'
WITH_ENTITIES = {
    "xml": '<invoke name="f"><parameter name="a">{}</parameter></invoke>',
    "qwen3-coder": "<function=f>\n<parameter=a>\n{}\n</parameter>\n</function>",
    "glm": "<tool_call>f\n<arg_key>a</arg_key><arg_value>{}</arg_value></tool_call>",
}


@pytest.mark.parametrize("name", WITH_ENTITIES)
def test_entities_in_tagged_values(name: str) -> None:
    text = WITH_ENTITIES[name].format(ENTITIES)
    for options in ({}, {"entities": "keep"}):
        assert results(name, text, **options)["calls"][0]["arguments"] == {"a": ENTITIES}
    assert results(name, text, entities="decode")["calls"][0]["arguments"] == {"a": DECODED}
    assert scan(name, text, entities="decode")[-1].raw == text


def test_entities_of_a_value_that_is_json() -> None:
    text = WITH_ENTITIES["xml"].format("{&quot;k&quot;: 1}")
    assert results("xml", text, entities="decode")["calls"][0]["arguments"] == {"a": {"k": 1}}


def test_entities_in_json_are_never_decoded() -> None:
    text = '<tool_call>{"name": "f", "arguments": {"a": "&lt;"}}</tool_call>'
    assert results("hermes", text, entities="decode")["calls"][0]["arguments"] == {"a": "&lt;"}


# --- truncated ----------------------------------------------------------------------------

KIMI = "<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>"
HARMONY = "<|channel|>commentary to=functions.f<|message|>"
DEEPSEEK = "<｜tool▁call▁begin｜>f<｜tool▁sep｜>"
INVOKE = '<invoke name="f"><parameter name="a">1</parameter>'
PAIR = "<tool_call>f\n<arg_key>a</arg_key><arg_value>1</arg_value>"
FUNCTION = "<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n"

# Cut behind a whole argument.
RECOVERED: list[tuple[str, str, dict[str, Any]]] = [
    ("xml", INVOKE, {"a": 1}),
    ("xml", f"<function_calls>{INVOKE}", {"a": 1}),
    ("xml", f"{INVOKE}\n</inv", {"a": 1}),
    ("anthropic", f"<function_calls>{INVOKE}", {"a": 1}),
    ("glm", PAIR, {"a": 1}),
    ("glm", f"{PAIR}\n", {"a": 1}),
    ("qwen3-coder", FUNCTION, {"a": 1}),
    ("kimi", KIMI + '{"a": "x"', {"a": "x"}),
    ("kimi", KIMI + '{"a": "x"\n', {"a": "x"}),
    ("kimi", KIMI + '{"a": 1 ', {"a": 1}),
    ("kimi", KIMI + '{"a": {"b": [1, "x"', {"a": {"b": [1, "x"]}}),
    ("kimi", KIMI + '{"a": {"b": 1}', {"a": {"b": 1}}),
    ("kimi", KIMI + '{"a": []', {"a": []}),
    ("harmony", HARMONY + '{"a": "x"', {"a": "x"}),
    ("deepseek", DEEPSEEK + '{"a": "x"', {"a": "x"}),
    (
        "deepseek",
        (
            '<｜DSML｜tool_calls><｜DSML｜invoke name="f">'
            '<｜DSML｜parameter name="a" string="true">x</｜DSML｜parameter>'
        ),
        {"a": "x"},
    ),
]
# Cut inside an argument, or where an argument may go on: never a call.
CUT: list[tuple[str, str]] = [
    ("xml", '<invoke name="f">'),
    ("xml", '<invoke name="f"><parameter name="a">1'),
    ("xml", INVOKE + '<parameter name="b">2'),
    ("glm", "<tool_call>f"),
    ("glm", "<tool_call>f\n"),
    ("glm", PAIR + "<arg_key>b"),
    ("glm", PAIR + "<arg_key>b</arg_key>"),
    ("glm", PAIR + "<arg_key>b</arg_key><arg_value>2"),
    ("qwen3-coder", "<tool_call>\n<function=f>\n"),
    ("qwen3-coder", FUNCTION + "<parameter=b>\n2"),
    ("kimi", KIMI),
    ("kimi", KIMI + "{"),
    ("kimi", KIMI + '{"a'),
    ("kimi", KIMI + '{"a":'),
    ("kimi", KIMI + '{"a": "x'),
    ("kimi", KIMI + '{"a": "x\\"'),
    ("kimi", KIMI + '{"a": 1'),
    ("kimi", KIMI + '{"a": 1.'),
    ("kimi", KIMI + '{"a": tru'),
    ("kimi", KIMI + '{"a": true'),
    ("kimi", KIMI + '{"a": [1'),
    ("kimi", KIMI + '{"a": 1,'),
    ("kimi", KIMI + '{"a": {"b": "x'),
    ("harmony", HARMONY + '{"a": "x'),
    ("hermes", '<tool_call>{"name": "f", "arguments": {"a": "x'),
    ("hermes", '<tool_call>{"name": "f'),
]
# A key is no argument, and a tag that is begun says that there is another one.
CUT_AND_TAKEN = [
    ("kimi", KIMI + '{"a"'),
    ("kimi", KIMI + '{"a": 1, "b"'),
    ("kimi", KIMI + '{"a": "x", "b": {"c"'),
    ("xml", INVOKE + '<parameter name="b"'),
    ("xml", INVOKE + "<para"),
]


@pytest.mark.parametrize(("name", "text", "arguments"), RECOVERED)
def test_a_call_cut_behind_an_argument(name: str, text: str, arguments: dict[str, Any]) -> None:
    found = results(name, text, truncated_calls="recover")
    assert found["calls"] == [{"name": "f", "arguments": arguments}]
    (end,) = [e for e in scan(name, text, truncated_calls="recover") if hasattr(e, "repaired")]
    assert end.repaired is True
    for options in ({}, {"truncated_calls": "abort"}):
        assert results(name, text, **options)["calls"] == []
        assert [abort.reason for abort in aborts_of(scan(name, text, **options))] == ["truncated"]


@pytest.mark.parametrize("policy", ["abort", "recover"])
@pytest.mark.parametrize(("name", "text"), CUT)
def test_a_call_cut_inside_an_argument_never_counts(name: str, text: str, policy: str) -> None:
    assert results(name, text, truncated_calls=policy)["calls"] == []
    assert [a.reason for a in aborts_of(scan(name, text, truncated_calls=policy))] == ["truncated"]


@pytest.mark.parametrize(("name", "text"), CUT_AND_TAKEN)
def test_a_call_cut_behind_a_key_never_counts(name: str, text: str) -> None:
    assert results(name, text, truncated_calls="recover")["calls"] == []
    assert [a.reason for a in aborts_of(scan(name, text, truncated_calls="recover"))] == [
        "truncated"
    ]


@pytest.mark.parametrize("end", ['"', '"}'])
def test_an_envelope_with_only_closers_missing(end: str) -> None:
    text = '<tool_call>{"name": "f", "arguments": {"a": "x' + end
    found = results("hermes", text, truncated_calls="recover")
    assert found["calls"] == [{"name": "f", "arguments": {"a": "x"}}]


@pytest.mark.parametrize("name", CALL_DIALECTS)
def test_a_whole_call_is_not_recovered(name: str) -> None:
    ends = [
        e for e in scan(name, ping_in(name), truncated_calls="recover") if hasattr(e, "repaired")
    ]
    assert [end.repaired for end in ends] == [False]


# --- white space and results in every dialect ---------------------------------------------


@pytest.mark.parametrize("name", CALL_DIALECTS)
def test_trim_in_every_dialect(name: str) -> None:
    call, think = ping_in(name), toolspeak.get_dialect(name).render_thinking("hm")
    text = f"{think}\n\nA  a\n\n{call}\n\n{call}\n "
    found = results(name, text, whitespace="trim")
    assert found["text"] == "A  a"
    assert found["calls"] == [PING, PING]
    kept = results(name, text)["text"]
    assert kept.split() == ["A", "a"]
    assert "A  a\n\n" in kept


# What opens a result in each dialect.
RESULT_MARKERS = {
    "xml": "<tool_response>",
    "anthropic": "<function_results>",
    "minimax": "<function_results>",
    "hermes": "<tool_response>",
    "qwen3": "<tool_response>",
    "qwen3-coder": "<tool_response>",
    "glm": "<|observation|>",
    "kimi": "<|im_system|>",
    "deepseek": "<｜tool▁outputs▁begin｜>",
    "harmony": "<|start|>functions.",
    "gemini": "```tool_outputs",
    "gemma": "<|tool_response>",
    "pi-native": "<tool_response>",
}


def test_every_dialect_with_results_is_tested() -> None:
    for name in CALL_DIALECTS:
        has_results = bool(toolspeak.get_dialect(name).grammar.results)
        assert has_results == (name in RESULT_MARKERS), name


@pytest.mark.parametrize("name", RESULT_MARKERS)
def test_a_result_ends_the_stream_in_every_dialect(name: str) -> None:
    marker, call = RESULT_MARKERS[name], ping_in(name)
    text = f"a{call}\n{marker}x{call}more"
    results(name, text, on_result="stop")
    events = scan(name, text, on_result="stop")
    assert events[-1] == toolspeak.Stopped(marker)
    assert calls_of(events) == [PING]
    assert text_of(events).strip() == "a"
    assert not [e for e in scan(name, text) if isinstance(e, toolspeak.Stopped)]


# What is left of harmony's marker is the beginning of a message.
@pytest.mark.parametrize("name", sorted(RESULT_MARKERS.keys() - {"harmony"}))
def test_a_result_marker_that_is_cut_is_text(name: str) -> None:
    marker = RESULT_MARKERS[name]
    found = results(name, f"a{marker[:-1]}", on_result="stop")
    assert found["text"] == f"a{marker[:-1]}"


# --- every option, cut anywhere -----------------------------------------------------------

OPTIONS: dict[str, tuple[Any, ...]] = {
    "call_in_thinking": ("quoted", "ends_prompted", "ends"),
    "fenced_calls": ("calls", "text"),
    "unknown_tools": ("call", "abort"),
    "entities": ("keep", "decode"),
    "truncated_calls": ("abort", "recover"),
    "whitespace": ("keep", "trim"),
    "on_result": ("text", "stop"),
    "start": ("text", "thinking"),
    "repair": (True, False),
    "parse_thinking": (True, False),
}


@pytest.mark.parametrize("name", CALL_DIALECTS)
@given(data=st.data())
def test_cuts_make_no_difference_with_any_options(name: str, data: st.DataObject) -> None:
    pieces = st.sampled_from([
        *MARKUP[name].pieces, *COMMON, ping_in(name), "\n```\n", "\n~~~\n", "&lt;",
        RESULT_MARKERS.get(name, ""),
    ])  # fmt: skip
    text = "".join(data.draw(st.lists(pieces, max_size=14)))
    options = {option: data.draw(st.sampled_from(values)) for option, values in OPTIONS.items()}
    if name == "deepseek":
        options["dsml"] = data.draw(st.sampled_from(["default", "bare"]))
    whole = joined(scan(name, text, tools=ALL_TOOLS, **options))
    rng = random.Random(data.draw(st.integers(0, 2**32)))
    for longest in (1, 4, 12):
        for source in (text, text.encode()):
            cut = random_cuts(source, rng, longest)
            assert joined(run(scanner_of(name, tools=ALL_TOOLS, **options), cut)) == whole, cut

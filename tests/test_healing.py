"""What models really write: calls whose markers are missing, doubled or swapped, openers in prose.

Everything is made of what the dialects of the registry write themselves. Whatever is done to a
call, it is read with what the model gave, or it aborts, or it is text. It never runs without its
content.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import toolspeak
from markers import call_parts
from support import (
    ALL_TOOLS,
    CALL_DIALECTS,
    cuts,
    joined,
    outcome,
    pieces_of,
    ping_in,
    run,
    scan,
    scanner_of,
    spelled,
)
from toolspeak.grammar import Followed, Pairs, Values

CONTENT = "old harbour"
CALLS = [
    {"name": "lookup", "arguments": {"query": CONTENT, "limit": 3}},
    {"name": "note", "arguments": {"title": CONTENT, "body": "two"}},
]


def openers(name: str) -> list[str]:
    """What opens a section or a call, in one spelling each; not what takes no bytes itself."""
    grammar = toolspeak.get_dialect(name).grammar
    markers = [it.open for it in grammar.sections] + [it.open for it in grammar.calls]
    taking = [it for it in markers if it is not None and not isinstance(it, Followed)]
    return [next(iter(spelled(marker))) for marker in taking]


QUOTED = [
    (name, opener) for name in CALL_DIALECTS for opener in openers(name) if "\n" not in opener
]


@pytest.mark.parametrize(("name", "opener"), QUOTED)
def test_an_opener_between_backticks_is_text(name: str, opener: str) -> None:
    text = f"Wrap it in a `{opener}` element, then wait. "
    for cut, pieces in cuts(text + ping_in(name)):
        found = outcome(run(scanner_of(name, tools=ALL_TOOLS), pieces))
        assert found["text"].startswith(text), cut
        assert [call["name"] for call in found["calls"]] == ["ping"], cut


@pytest.mark.parametrize(("name", "opener"), QUOTED)
def test_prose_shows_at_once_that_an_opener_was_text(name: str, opener: str) -> None:
    """In the same feed, where the opener does not name its tool."""
    scanner = scanner_of(name, tools=ALL_TOOLS)
    events = scanner.feed(f"A {opener} element, then")
    if any(isinstance(event, toolspeak.ToolStart) for event in events) or "message" in opener:
        pytest.skip("this opener names the tool")
    if not events or "element" not in outcome(events)["text"]:
        pytest.skip(f"{opener} may hold anything: code, or a message")
    assert outcome(events)["text"] == f"A {opener} element, then"


def mutated(parts: list[str]) -> Iterator[tuple[str, str]]:
    """What is done to one of the parts, and the text: it is cut or dropped, doubled, or swapped."""
    for at, part in enumerate(parts):
        before, after = "".join(parts[:at]), parts[at + 1 :]
        rest = "".join(after)
        yield "double", before + part + part + rest
        yield "swap", before + "".join([*after[:1], part, *after[1:]])
        yield from (("cut", before + part[:end] + rest) for end in range(len(part)))
        yield from (("end", before + part[:end]) for end in range(len(part)))


@pytest.mark.parametrize("name", CALL_DIALECTS)
def test_no_mutated_call_runs_without_its_content(name: str) -> None:
    for what, text in mutated(call_parts(name, CALLS)):
        events = scan(name, text, tools=ALL_TOOLS)
        for event in events:
            if isinstance(event, toolspeak.ToolEnd) and CONTENT in event.raw:
                assert event.arguments, text
                # Swapped with its opener a value stands where prose may, which says nothing.
                assert what == "swap" or CONTENT in str(event.arguments), text
        piecewise = run(scanner_of(name, tools=ALL_TOOLS), pieces_of(text, 1))
        assert joined(piecewise) == joined(events), text


# --- tagged values --------------------------------------------------------------------------------


def tagged_body(name: str) -> Values | Pairs | None:
    bodies = [form.body for form in toolspeak.get_dialect(name).grammar.calls]
    return next((body for body in bodies if isinstance(body, Values | Pairs)), None)


TAGGED = [name for name in CALL_DIALECTS if tagged_body(name)]


@pytest.mark.parametrize("name", TAGGED)
def test_no_markup_lands_in_a_value(name: str) -> None:
    """Where a marker is missing or stands twice; what is healed so is marked."""
    parts, body = call_parts(name, CALLS), tagged_body(name)
    # A value's closer is text where it is not followed by what its family's models write behind it.
    confirmed = isinstance(body, Values) and "sequence" in {it.kind for it in body.close.patterns}
    for at, part in enumerate(parts):
        before, after = "".join(parts[:at]), "".join(parts[at + 1 :])
        opens_value = part.startswith("<parameter") and confirmed
        dropped = [] if opens_value else [before + after]
        for text in [*dropped, before + part + part + after] if "<" in part else []:
            for event in scan(name, text, tools=ALL_TOOLS):
                if isinstance(event, toolspeak.ToolEnd):
                    assert "<" not in str(event.arguments), text
                    assert event.repaired or len(event.arguments) == 2, text
                    strict = scan(name, text, tools=ALL_TOOLS, repair=False)
                    ends = [it for it in strict if isinstance(it, toolspeak.ToolEnd)]
                    assert not any(it.repaired for it in ends), text


def qwen(*parameters: str) -> str:
    return f"<tool_call>\n<function=note>\n{''.join(parameters)}</function>\n</tool_call>"


def glm(inner: str) -> str:
    return f"<tool_call>note\n{inner}</tool_call>"


def pair(value: str, key: str = "<arg_key>title</arg_key>") -> str:
    return glm(f"{key}{value}<arg_key>body</arg_key><arg_value>two</arg_value>")


BODY = "<parameter=body>\ntwo\n</parameter>\n"
TITLE = "<parameter=title>\none\n</parameter>\n"
NAMED = qwen('<parameter name="title" >\none\n</parameter>\n', BODY)
OTHER = "use <parameter=foo> here"
BALANCED = "a <parameter=body>x</parameter> b"
MENTIONED = "in <tool_call> and </tool_call>: <arg_key>."
BOTH = {"title": "one", "body": "two"}
# What the model wrote, its arguments (None: the call aborts), and whether that is a repair.
SLIPS: list[tuple[str, str, dict[str, str] | None, bool]] = [
    ("qwen3-coder", qwen("<parameter=title>\none\n", BODY), BOTH, True),
    ("qwen3-coder", qwen("<parameter=title>one", BODY), BOTH, True),
    ("qwen3-coder", qwen("<parameter=title>\n", TITLE, BODY), BOTH, True),
    ("qwen3-coder", qwen(TITLE, "</parameter>\n", BODY), BOTH, True),
    ("qwen3-coder", qwen(TITLE, BODY[:-14]), BOTH, True),
    ("qwen3-coder", qwen("<parameter=title>\none\n</title>\n", BODY), None, False),
    ("qwen3-coder", qwen(TITLE, BODY[:20], "</body>\n"), None, False),
    ("qwen3-coder", qwen(TITLE.replace(">\no", "</parameter>\no"), BODY), None, False),
    ("qwen3-coder", NAMED.replace("=note", ' name="note"'), BOTH, False),
    ("qwen3-coder", qwen(TITLE.replace("title", '"title"'), BODY), BOTH, False),
    ("qwen3-coder", qwen(TITLE.replace("one", BALANCED), BODY), {**BOTH, "title": BALANCED}, False),
    ("qwen3-coder", qwen(TITLE.replace("one", OTHER), BODY), {**BOTH, "title": OTHER}, False),
    ("glm", pair("<arg_value>one"), BOTH, True),
    ("glm", pair("<arg_value>one</arg_key>"), BOTH, True),
    ("glm", pair("one</arg_value>"), BOTH, True),
    ("glm", pair("<arg_value>" * 3 + "one</arg_value>"), BOTH, True),
    ("glm", pair("<arg_value>one" + "</arg_value>" * 3), BOTH, True),
    ("glm", pair("<arg_value>one</arg_value>", "<arg_key>" * 2 + "title</arg_key>"), BOTH, True),
    ("glm", pair("one</arg_value>", ""), None, False),
    ("glm", pair(f"<arg_value>{MENTIONED}</arg_value>"), {**BOTH, "title": MENTIONED}, False),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "arguments", "repaired"), SLIPS)
def test_slips_in_tagged_values(
    name: str, text: str, arguments: dict[str, str] | None, repaired: bool
) -> None:
    whole = scan(name, text, tools=ALL_TOOLS)
    for cut, pieces in cuts(text):
        assert joined(run(scanner_of(name, tools=ALL_TOOLS), pieces)) == joined(whole), cut
    ends = [it for it in whole if isinstance(it, toolspeak.ToolEnd)]
    assert [(it.arguments, it.repaired) for it in ends] == (
        [] if arguments is None else [(arguments, repaired)]
    )
    if arguments is None:
        assert [it.reason for it in whole if isinstance(it, toolspeak.ToolAbort)] == ["malformed"]
    if repaired:
        strict = scan(name, text, tools=ALL_TOOLS, repair=False)
        assert not any(isinstance(it, toolspeak.ToolEnd) for it in strict)


INVOKED = (
    '<tool_calls>\n<invoke name="note">\n<parameter name="title">one</parameter>\n'
    '<parameter name="body">two</parameter>\n</invoke>\n</tool_calls>'
)
DOUBLED = [
    ("qwen3-coder", "<function=note>\n", qwen(TITLE, BODY)),
    ("glm", "<tool_call>note\n", pair("<arg_value>one</arg_value>")),
    ("xml", '<invoke name="note">\n', INVOKED),
]


@pytest.mark.parametrize(("name", "opener", "text"), DOUBLED)
def test_a_call_whose_opener_stands_twice_runs_once(name: str, opener: str, text: str) -> None:
    assert opener in text
    text = text.replace(opener, opener * 2)
    for cut, pieces in cuts(text):
        found = outcome(run(scanner_of(name, tools=ALL_TOOLS), pieces))
        assert [call["arguments"] for call in found["calls"]] == [BOTH], cut

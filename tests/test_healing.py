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
from toolspeak.grammar import Followed

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

"""What becomes of calls where none is wanted: `calls="text"` and `calls="drop"`."""

from __future__ import annotations

import pytest

import toolspeak
from support import ALL_TOOLS, CALL_DIALECTS, joined, ping_in, same_outcome, scan
from toolspeak.grammar import Header, MessageHeader


def is_of_messages(name: str) -> bool:
    """Whether calls are messages, whose headers are not text."""
    forms = toolspeak.get_dialect(name).grammar.forms()
    return any(
        isinstance(it.name, Header) and isinstance(it.name.read, MessageHeader) for it in forms
    )


@pytest.mark.parametrize("name", CALL_DIALECTS)
def test_calls_as_text(name: str) -> None:
    text = f"Before.\n{ping_in(name)}\nAfter."
    found = same_outcome(name, text, tools=ALL_TOOLS, calls="text")
    assert found["calls"] == []
    if is_of_messages(name):
        assert found["text"].startswith("Before.")
        assert found["text"].endswith("After.")
    else:
        assert found["text"] == text


@pytest.mark.parametrize("name", CALL_DIALECTS)
def test_thinking_is_read_beside_calls_as_text(name: str) -> None:
    dialect = toolspeak.get_dialect(name)
    text = dialect.render_thinking("hm") + "Done."
    plain = joined(scan(name, text))
    assert joined(scan(name, text, calls="text")) == plain


@pytest.mark.parametrize("name", CALL_DIALECTS)
def test_calls_are_dropped(name: str) -> None:
    text = f"Before.\n{ping_in(name)}\nAfter."
    read = same_outcome(name, text, tools=ALL_TOOLS)
    found = same_outcome(name, text, tools=ALL_TOOLS, calls="drop")
    assert read["calls"]
    assert found == {**read, "calls": [], "aborted": []}
    events = scan(name, text, tools=ALL_TOOLS, calls="drop")
    assert {type(event).__name__ for event in events} <= {"Text", "ThinkingStart", "ThinkingEnd"}
    assert not toolspeak.parse(text, name, tools=ALL_TOOLS, calls="drop").tool_calls


@pytest.mark.parametrize("name", CALL_DIALECTS)
def test_cut_calls_are_dropped_too(name: str) -> None:
    whole = ping_in(name)
    for end in range(1, len(whole)):
        found = same_outcome(name, f"a {whole[:end]}", tools=ALL_TOOLS, calls="drop")
        assert (found["calls"], found["aborted"]) == ([], [])

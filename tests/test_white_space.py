"""White space beside calls and thinking: kept, or trimmed."""

from __future__ import annotations

import pytest

import toolspeak
from support import (
    CALL_DIALECTS,
    PING,
    THINKING_DIALECTS,
    ping_in,
    same_outcome,
    scan,
    thinking_marks,
)

each_dialect = pytest.mark.parametrize("name", THINKING_DIALECTS)


@each_dialect
def test_white_space_is_kept_by_default(name: str) -> None:
    opener, closer = thinking_marks(name)
    text = f" \n{opener}\nhm\n{closer}\n\nA\n\n{ping_in(name)}\n\nB\n {ping_in(name)}\n"
    found = same_outcome(name, text)
    assert found["text"] == " \n\n\nA\n\n\n\nB\n \n"
    assert found["thinking"] == ["\nhm\n"]


@each_dialect
def test_trim_drops_white_space_beside_calls_and_thinking(name: str) -> None:
    opener, closer = thinking_marks(name)
    text = f"{opener}hm{closer}\n\nA  a\n\n{ping_in(name)}\n{ping_in(name)}\n\nB"
    found = same_outcome(name, text, whitespace="trim")
    assert found["text"] == "A  aB"
    assert found["thinking"] == ["hm"]
    assert len(found["calls"]) == 2


@each_dialect
@pytest.mark.parametrize("text", [" a \n\n b\t \n", "\n", "  x", "x \r\n "])
def test_trim_leaves_text_without_calls_alone(name: str, text: str) -> None:
    assert same_outcome(name, text, whitespace="trim")["text"] == text


@each_dialect
def test_trim_gives_no_text_event_between_calls(name: str) -> None:
    events = scan(name, f"{ping_in(name)}\n{ping_in(name)}\n", whitespace="trim")
    assert not [e for e in events if isinstance(e, toolspeak.Text)]


@pytest.mark.parametrize("name", CALL_DIALECTS)
def test_trim_in_every_dialect(name: str) -> None:
    call, think = ping_in(name), toolspeak.get_dialect(name).render_thinking("hm")
    text = f"{think}\n\nA  a\n\n{call}\n\n{call}\n "
    found = same_outcome(name, text, whitespace="trim")
    assert found["text"] == "A  a"
    assert found["calls"] == [PING, PING]
    kept = same_outcome(name, text)["text"]
    assert kept.split() == ["A", "a"]
    assert "A  a\n\n" in kept

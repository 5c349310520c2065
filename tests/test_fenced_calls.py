"""Calls inside a Markdown code fence: calls, or text."""

from __future__ import annotations

import pytest

import toolspeak
from support import (
    CALL_DIALECTS,
    PING,
    noise_of,
    ping_in,
    same_outcome,
)

HERMES, XML = ping_in("hermes"), '<invoke name="ping"></invoke>'

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

# Gemini's calls stand in a fence of their own, and harmony's end a message: see the end.
FENCED = [name for name in CALL_DIALECTS if name not in {"gemini", "harmony"}]


def drops_noise(name: str) -> bool:
    """Whether the dialect drops markers from text, in a fence too."""
    return any(noise_of(toolspeak.get_dialect(name).grammar))


@pytest.mark.parametrize("fence", FENCES)
@pytest.mark.parametrize("name", FENCED)
def test_calls_in_a_fence_are_text(name: str, fence: str) -> None:
    call = ping_in(name)
    text = FENCES[fence].format(call)
    found = same_outcome(name, f"{text}{call}.", fenced_calls="text")
    assert found["calls"] == [PING]
    assert found["text"].endswith(f"{FENCES[fence].partition('{}')[2]}.")
    if not drops_noise(name):
        assert found["text"] == f"{text}."


@pytest.mark.parametrize("name", [*filter(drops_noise, FENCED)])
def test_a_call_in_a_fence_is_whole(name: str) -> None:
    text = f"```\n{ping_in(name)}\n```\n"
    assert same_outcome(name, text, fenced_calls="text")["text"] == text


@pytest.mark.parametrize("fence", ["```\n{}\n```  \n", "```\r\n{}\r\n```\r\n"])
def test_a_closing_fence_may_have_blanks_behind_it(fence: str) -> None:
    text = fence.format(XML)
    found = same_outcome("xml", text + XML, fenced_calls="text")
    assert (found["text"], found["calls"]) == (text, [PING])


@pytest.mark.parametrize("fence", FENCES)
@pytest.mark.parametrize("name", FENCED)
def test_calls_in_a_fence_are_calls_by_default(name: str, fence: str) -> None:
    call = ping_in(name)
    before, _, after = FENCES[fence].partition("{}")
    for options in ({}, {"fenced_calls": "calls"}):
        found = same_outcome(name, f"{before}{call}{after}", **options)
        assert found["calls"] == [PING]
        assert found["text"] == before + after


@pytest.mark.parametrize("start", NO_FENCES)
@pytest.mark.parametrize("name", FENCED)
def test_what_is_no_fence_hides_no_call(name: str, start: str) -> None:
    before = NO_FENCES[start]
    found = same_outcome(name, f"{before}{ping_in(name)}", fenced_calls="text")
    assert (found["calls"], found["text"]) == ([PING], before)


def test_three_backticks_may_be_inline_code() -> None:
    assert same_outcome("hermes", f"```x```\n{HERMES}", fenced_calls="text")["calls"] == [PING]


@pytest.mark.parametrize("fence", ["```\n", "~~~~ x\n"])
def test_a_fence_that_is_never_closed_goes_on(fence: str) -> None:
    found = same_outcome("xml", f"{fence}a\n{XML}\n``\n{XML}", fenced_calls="text")
    assert found["calls"] == []
    assert found["text"] == f"{fence}a\n{XML}\n``\n{XML}"


def test_thinking_has_no_part_in_fences() -> None:
    found = same_outcome("hermes", f"<think>```\n</think>{HERMES}", fenced_calls="text")
    assert found["calls"] == [PING]
    found = same_outcome("xml", f"```\n<think>a</think>{XML}\n```\n", fenced_calls="text")
    assert (found["calls"], found["thinking"]) == ([], ["a"])


def test_a_dialects_own_fence_is_a_call() -> None:
    own = "```tool_code\nping()\n```"
    found = same_outcome("gemini", f"```\nx\n```\n{own}\n", fenced_calls="text")
    assert found["calls"] == [PING]
    assert found["text"] == "```\nx\n```\n\n"
    quoted = f"````\n{own}\n````\n"
    found = same_outcome("gemini", f"{quoted}{own}", fenced_calls="text")
    assert (found["calls"], found["text"]) == ([PING], quoted)


def test_a_channel_in_a_fence() -> None:
    text = "```\n<|channel|>final<|message|>a<|end|>\n```\n"
    assert same_outcome("harmony", text, fenced_calls="text")["calls"] == []

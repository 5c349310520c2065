"""Replies that begin in the prompt: `scanner(prompt=…)` goes on where the prompt left off."""

from __future__ import annotations

from typing import Any

import pytest

import toolspeak
from support import ALL_TOOLS, CALL_DIALECTS, DIALECTS, joined, outcome, pieces_of, run

CALLS = [
    toolspeak.ToolCall("", "lookup", {"query": "a < b", "limit": 3}),
    toolspeak.ToolCall("", "ping", {}),
]


def reply_of(name: str) -> str:
    """Thinking, text and calls as the dialect writes them."""
    dialect = toolspeak.get_dialect(name)
    if name == "harmony":
        return (
            f"<|channel|>analysis<|message|>Let me see.<|end|>{dialect.turns.reply}"
            f"<|channel|>final<|message|>Well, <b>I</b> look.<|end|>"
            f"{dialect.render_calls(CALLS, ALL_TOOLS)}"
        )
    thinking = dialect.render_thinking("Let me see.") if dialect.grammar.thinking else ""
    calls = dialect.render_calls(CALLS, ALL_TOOLS) if name in CALL_DIALECTS else ""
    return f"{thinking}\nWell, <b>I</b> look. {calls}"


def told_by(events: list[toolspeak.Event]) -> dict[str, Any]:
    """Text, joined deltas of thinking, and calls."""
    deltas = [it.delta for it in events if isinstance(it, toolspeak.ThinkingDelta)]
    return {**outcome(events), "thinking": "".join(deltas)}


@pytest.mark.parametrize("whitespace", ["keep", "trim"])
@pytest.mark.parametrize("name", DIALECTS)
def test_wherever_the_prompt_ends(name: str, whitespace: str) -> None:
    """What is told before the prompt's end and what is told behind it are the whole."""
    dialect = toolspeak.get_dialect(name)
    reply, mark = reply_of(name), f"<think><tool_call>[x] {dialect.turns.reply}"

    def scanner(prompt: str = "") -> toolspeak.Scanner:
        return dialect.scanner(tools=ALL_TOOLS, prompt=prompt, whitespace=whitespace)  # type: ignore[arg-type]

    begun = dialect.turns.reply if name == "harmony" else ""
    whole = told_by(run(scanner(), [begun + reply]))
    assert whole["text"].strip() == "Well, <b>I</b> look."
    for at in range(len(reply)):
        before, after = reply[:at], reply[at:]
        told = told_by(scanner().feed(begun + before))
        events = run(scanner(mark + before), [after])
        piecewise = run(scanner(mark + before), pieces_of(after, 1))
        assert joined(events) == joined(piecewise), before
        found = told_by(events)
        for kind in ("text", "thinking"):
            assert whole[kind].startswith(told[kind]), before
            assert whole[kind].endswith(found[kind]), before
            # What may have begun a marker was told by neither.
            rest = len(whole[kind]) - len(found[kind])
            assert before.endswith(whole[kind][len(told[kind]) : rest]), before
        assert [it["arguments"] for it in told["calls"] + found["calls"]] == [
            call.arguments for call in (CALLS if whole["calls"] else [])
        ], before
        starts = [event for event in events if isinstance(event, toolspeak.ToolStart)]
        assert len(starts) == len(found["calls"]), before


@pytest.mark.parametrize("name", [it for it in DIALECTS if it != "harmony"])
def test_thinking_that_the_prompt_opens(name: str) -> None:
    dialect = toolspeak.get_dialect(name)
    pair = dialect.grammar.written_thinking()
    if pair is None or pair.written is None or not pair.close:
        pytest.skip("no markers of thinking")
    opener, closer = pair.written
    prompt = f"{dialect.turns.reply}{opener}"
    text = f"Let me see.{closer}Well."
    short = dialect.scanner(start="thinking")
    assert joined(run(dialect.scanner(prompt=prompt), [text])) == joined(run(short, [text]))
    again = outcome(run(dialect.scanner(prompt=prompt), [opener + text]))
    assert [it.strip() for it in again["thinking"]] == ["Let me see."]
    closed = outcome(run(dialect.scanner(prompt=f"{prompt}{closer}"), ["Well."]))
    assert (closed["text"], closed["thinking"]) == ("Well.", [])


def test_a_harmony_reply_behind_its_role() -> None:
    prompt = "<|start|>user<|message|>Go.<|end|><|start|>assistant"
    text = ' to=functions.lookup<|channel|>commentary json<|message|>{"query": "x"}<|call|>'
    message = toolspeak.parse(text, "harmony", tools=ALL_TOOLS, prompt=prompt)
    assert [(call.name, call.arguments) for call in message.tool_calls] == [
        ("lookup", {"query": "x"})
    ]
    assert not message.text
    thinking = toolspeak.parse(
        "So.<|end|><|start|>assistant<|channel|>final<|message|>Yes.",
        "harmony",
        prompt=f"{prompt}<|channel|>analysis<|message|>",
    )
    assert (thinking.thinking, thinking.text) == (("So.",), "Yes.")


def test_a_reply_that_goes_on_behind_results() -> None:
    dialect = toolspeak.get_dialect("deepseek")
    call = dialect.render_calls(CALLS, ALL_TOOLS)
    result = dialect.render_results([toolspeak.ToolResult("1", "lookup", "found")])
    prompt = f"<｜User｜>Go.<｜Assistant｜>{call}{result}"
    events = run(dialect.scanner(tools=ALL_TOOLS, prompt=prompt, on_result="stop"), ["Found."])
    assert outcome(events)["text"] == "Found."


def test_a_reset_scanner_is_behind_the_same_prompt() -> None:
    scanner = toolspeak.get_dialect("hermes").scanner(prompt='<tool_call>{"name": "ping", "arg')
    for _ in range(2):
        found = outcome(run(scanner, ['uments": {}}</tool_call>']))
        assert [call["name"] for call in found["calls"]] == ["ping"]
        scanner.reset()


def test_start_and_prompt_say_the_same() -> None:
    with pytest.raises(ValueError, match="leave one out"):
        toolspeak.get_dialect("hermes").scanner(prompt="<think>", start="thinking")

"""Faults that were found by reading: each in every cut, and what is right."""

from __future__ import annotations

from typing import Any

import pytest

import toolspeak
from support import joined, run, scanner_of

ONE_CALL = toolspeak.Limits(max_calls=1)
TWO_MESSAGES = (
    "<|start|>assistant<|channel|>commentary to=functions.f<|message|>{}<|call|>"
    "<|start|>assistant<|channel|>final<|message|>done<|return|>"
)
CASES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "a definition is no call": ("gemini", "```tool_code\ndef f (a=1): pass\n```", {}),
    "a number is no name": ("gemini", "```tool_code\n1f(a=1)\n```", {}),
    "a message is no call over the limit": ("harmony", TWO_MESSAGES, {"limits": ONE_CALL}),
    "an empty tag ends prompted thinking": ("xml", "<think/>text", {"start": "thinking"}),
    "much white space before an element": (
        "pi-native",
        f"<call:f>{' ' * 300}<x>1</x></call:f>",
        {},
    ),
    "an angle bracket in an element": ("pi-native", f"<call:f><x>if a <b {'w ' * 300}", {}),
}


@pytest.mark.parametrize("case", CASES)
def test_every_cut_tells_the_same(case: str) -> None:
    name, text, options = CASES[case]
    whole = joined(run(scanner_of(name, **options), [text]))
    for cut in range(1, len(text)):
        assert joined(run(scanner_of(name, **options), [text[:cut], text[cut:]])) == whole, cut


@pytest.mark.parametrize("case", ["a definition is no call", "a number is no name"])
def test_code_that_is_no_call_is_text(case: str) -> None:
    name, text, options = CASES[case]
    message = toolspeak.parse(text, name, **options)
    assert (message.text, message.tool_calls) == (text, ())


def test_an_answer_behind_the_last_call_is_told() -> None:
    message = toolspeak.parse(TWO_MESSAGES, "harmony", limits=ONE_CALL)
    assert [call.name for call in message.tool_calls] == ["f"]
    assert (message.text, message.aborted) == ("done", ())


def test_text_in_an_element_leaves_at_once() -> None:
    scanner = scanner_of("pi-native")
    scanner.feed("<call:f><x>if a <b ")
    events = [event for _ in range(300) for event in scanner.feed("w ")]
    assert len("".join(e.delta for e in events if isinstance(e, toolspeak.ToolArgDelta))) > 300


def test_many_strings_that_are_never_closed_are_read_to_the_end() -> None:
    text = "```tool_code\n" + 'f("```\n' * 3000
    events = run(scanner_of("gemini"), [text])
    assert {event.reason for event in events if isinstance(event, toolspeak.ToolAbort)} <= {
        "malformed",
        "truncated",
    }


def test_what_is_read_back_is_written_alike() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}
    tools = [{"name": "f", "parameters": schema}]
    dialect = toolspeak.get_dialect("pi-native")
    text = dialect.render_calls([{"name": "f", "arguments": {"a": "0", "b": "0"}}], tools)
    (call,) = toolspeak.parse(text, dialect, tools=tools).tool_calls
    assert call.arguments == {"a": "0", "b": "0"}
    assert dialect.render_calls([call], tools) == text


def test_a_dropped_marker_takes_its_bytes() -> None:
    nothing = toolspeak.grammar.Followed(toolspeak.grammar.Exact("%%"), consumed=0)
    grammar = toolspeak.grammar.Grammar(noise=(toolspeak.grammar.Noise(nothing),))
    with pytest.raises(toolspeak.GrammarError, match=r"noise\[0\]\.open: "):
        grammar.compile()


@pytest.mark.parametrize("value", ["</function><function=note>", "a</function>\n</tool_call>"])
def test_a_value_may_hold_what_ends_a_function(value: str) -> None:
    dialect = toolspeak.get_dialect("qwen3-coder")
    call = {"name": "f", "arguments": {"a": value}}
    (read,) = toolspeak.parse(dialect.render_calls([call]), dialect).tool_calls
    assert read.arguments == {"a": value}
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    with pytest.raises(toolspeak.RenderError, match="ends a value"):
        dialect.render_calls([call], [{"name": "f", "parameters": schema}])

"""What a dialect renders, its scanner reads back equal: generated tools and values, random cuts.

A renderer may refuse a value (`RenderError`) only for the reasons listed in `may_refuse`.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolspeak
from generated import STRING_ONLY, TEXTS, name_of, strings_in, tool_and_arguments
from markers import MARKUP
from support import (
    CALL_DIALECTS,
    DIALECTS,
    Event,
    Row,
    aborts_of,
    calls_of,
    canonical,
    outcome,
    random_cuts,
    run,
    scanner_of,
    text_of,
)

# A string that holds this cannot be written in the dialect: it would end the value early, and
# the dialect has no second form for it. Dialects that are not listed can write every string.
RESERVED: dict[str, str] = {
    "glm": r"</arg_value>|<arg_key>|</arg_key>|</tool_call>",
    "gemma": r'<\|"\|>',
    "pi-native": r"<|^\s|\s$|[\"']",
    "qwen3-coder": r"</?parameter|</?function|</?tool_call",
}

# Names of tools that the dialect can write.
WRITABLE_NAME: dict[str, str] = {"gemini": r"[^\W\d][\w.]*", "kimi": r"[\w-]+"}


def may_refuse(name: str, tool: Row, arguments: Row) -> bool:
    """Whether the dialect is allowed not to write this call."""
    function = tool["function"]
    if not re.fullmatch(WRITABLE_NAME.get(name, ".*"), function["name"]):
        return True
    reserved = RESERVED.get(name)
    if reserved is None:
        return False
    return any(re.search(reserved, text) for text in strings_in(arguments))


def rendered(dialect: Any, calls: Sequence[tuple[Row, Row]]) -> str | None:
    """The turn that makes these calls, or None where the dialect rightly refuses one."""
    tools = [tool for tool, _ in calls]
    turn = [
        toolspeak.ToolCall(f"call_{i}", tool["function"]["name"], arguments)
        for i, (tool, arguments) in enumerate(calls)
    ]
    try:
        return str(dialect.render_calls(turn, tools=tools))
    except toolspeak.RenderError:
        if not any(may_refuse(dialect.name, tool, arguments) for tool, arguments in calls):
            raise
        return None


def check_read_back(events: Sequence[Event], calls: Sequence[tuple[Row, Row]]) -> None:
    """The events are these calls and nothing else but white space."""
    expected = [{"name": t["function"]["name"], "arguments": a} for t, a in calls]
    assert canonical(calls_of(events)) == canonical(expected)
    assert not aborts_of(events)
    assert not text_of(events).strip()
    for event in events:
        assert not getattr(event, "repaired", False), "a rendered call needed repair"


@pytest.mark.parametrize("name", CALL_DIALECTS)
@given(call=tool_and_arguments(), seed=st.integers(0, 2**32), as_bytes=st.booleans())
def test_one_call(name: str, call: tuple[Row, Row], seed: int, as_bytes: bool) -> None:
    dialect = toolspeak.get_dialect(name)
    text = rendered(dialect, [call])
    if text is None:
        return
    pieces = random_cuts(text.encode() if as_bytes else text, random.Random(seed))
    events = run(dialect.scanner(tools=[call[0]]), pieces)
    check_read_back(events, [call])
    check_deltas(name, events, call)


@pytest.mark.parametrize("name", CALL_DIALECTS)
@given(call=tool_and_arguments(), seed=st.integers(0, 2**32))
def test_render_call_without_the_section(name: str, call: tuple[Row, Row], seed: int) -> None:
    """Where a section is required a lone call is text or a call; elsewhere it reads back equal."""
    dialect = toolspeak.get_dialect(name)
    tool, arguments = call
    try:
        text = dialect.render_call(
            toolspeak.ToolCall("call_0", tool["function"]["name"], arguments), tools=[tool]
        )
    except toolspeak.RenderError:
        assert may_refuse(name, tool, arguments)
        return
    turn = rendered(dialect, [call])
    assert turn is not None
    assert text.strip() in turn


@pytest.mark.parametrize("name", CALL_DIALECTS)
@given(
    calls=st.lists(tool_and_arguments(), min_size=2, max_size=4, unique_by=name_of),
    seed=st.integers(0, 2**32),
)
def test_parallel_calls(name: str, calls: list[tuple[Row, Row]], seed: int) -> None:
    dialect = toolspeak.get_dialect(name)
    text = rendered(dialect, calls)
    if text is None:
        return
    events = run(
        dialect.scanner(tools=[tool for tool, _ in calls]), random_cuts(text, random.Random(seed))
    )
    check_read_back(events, calls)
    ids = [event.id for event in events if isinstance(event, toolspeak.ToolEnd)]
    assert len(set(ids)) == len(ids)


def check_deltas(name: str, events: Sequence[Event], call: tuple[Row, Row]) -> None:
    """Joined deltas per key are the raw value: the text of a string, JSON of anything else."""
    if MARKUP[name].arguments != "keyed":
        return
    tool, arguments = call
    deltas: dict[str, str] = {}
    for event in events:
        if isinstance(event, toolspeak.ToolArgDelta):
            assert event.key is not None
            deltas[event.key] = deltas.get(event.key, "") + event.delta
    assert {key for key, text in deltas.items() if text} <= set(arguments)
    properties = tool["function"]["parameters"]["properties"]
    for key, value in arguments.items():
        raw = deltas.get(key, "")
        if properties[key] in STRING_ONLY and raw == value:
            continue
        assert canonical(json_or_text(raw)) == canonical(value), (key, raw)


def json_or_text(raw: str) -> Any:
    """A raw value as JSON, or itself where it is none (a string written raw)."""
    try:
        return json.loads(raw)
    except ValueError:
        return raw


# --- whole messages -----------------------------------------------------------------------


def prose(name: str) -> st.SearchStrategy[str]:
    """Text that neither holds a marker's first character nor begins or ends with white space."""
    starts = MARKUP[name].starts
    letters = st.characters(exclude_characters=starts + "{[(`", codec="utf-8")
    return st.text(letters, min_size=1, max_size=20).map(lambda text: f"a{text}b")


def squeezed(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("name", CALL_DIALECTS)
@given(data=st.data())
def test_whole_message_leaks_no_marker(name: str, data: st.DataObject) -> None:
    """Prose, thinking and calls, rendered one after the other: each part comes out in its place."""
    dialect = toolspeak.get_dialect(name)
    before, thought, middle, after = (data.draw(prose(name)) for _ in range(4))
    calls = data.draw(st.lists(tool_and_arguments(), min_size=1, max_size=3, unique_by=name_of))
    turn = rendered(dialect, calls)
    if turn is None:
        return
    text = "\n".join([before, dialect.render_thinking(thought), middle, turn, after])
    tools = [tool for tool, _ in calls]
    pieces = random_cuts(text, random.Random(data.draw(st.integers(0, 2**32))))
    found = outcome(run(scanner_of(name, tools=tools), pieces))
    expected = [{"name": t["function"]["name"], "arguments": a} for t, a in calls]
    assert canonical(found["calls"]) == canonical(expected)
    assert [squeezed(block) for block in found["thinking"]] == [squeezed(thought)]
    assert squeezed(found["text"]) == squeezed(before + middle + after)
    assert found["aborted"] == []


@pytest.mark.parametrize("name", DIALECTS)
@given(thought=TEXTS, seed=st.integers(0, 2**32))
def test_thinking_is_read_back(name: str, thought: str, seed: int) -> None:
    """A thinking block without markup of its own comes back, but for layout at its ends."""
    starts = MARKUP[name].starts
    thought = "".join(c for c in thought if c not in starts)
    dialect = toolspeak.get_dialect(name)
    text = dialect.render_thinking(thought)
    found = outcome(run(dialect.scanner(), random_cuts(text, random.Random(seed))))
    if not thought:
        assert text == ""
        return
    assert [block.strip("\n") for block in found["thinking"]] == [thought.strip("\n")]
    assert not found["text"].strip()

"""Events: their fields, when they come, and that they are values."""

from __future__ import annotations

import gc
import json
from typing import Any

import pytest

import toolspeak
from support import (
    ALL_TOOLS,
    CALL_DIALECTS,
    DIALECTS,
    Event,
    run,
    scan,
    scanner_of,
    text_of,
)

FIELDS: dict[str, tuple[str, ...]] = {
    "Text": ("text",),
    "ThinkingStart": (),
    "ThinkingDelta": ("delta",),
    "ThinkingEnd": ("thinking",),
    "ToolStart": ("id", "name", "encoding"),
    "ToolArgDelta": ("id", "name", "key", "delta"),
    "ToolEnd": ("id", "name", "arguments", "raw", "repaired"),
    "ToolAbort": ("id", "name", "arguments", "raw", "reason"),
    "Stopped": ("marker",),
}

HERMES = '<tool_call>\n{"name": "lookup", "arguments": {"query": "x", "limit": 3}}\n</tool_call>'
XML = '<invoke name="lookup"><parameter name="query">x</parameter></invoke>'


def every_event() -> dict[str, Event]:
    """One event of each class, out of scanners."""
    events = scan("hermes", f"hi <think>hm</think>{HERMES}<tool_call>{{", on_result="stop")
    events += scan("hermes", "<tool_response>", on_result="stop")
    return {type(event).__name__: event for event in events}


# --- values -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FIELDS)
def test_match_args_are_the_fields_in_order(name: str) -> None:
    assert getattr(toolspeak, name).__match_args__ == FIELDS[name]


@pytest.mark.parametrize("name", FIELDS)
def test_events_are_immutable(name: str) -> None:
    event = every_event()[name]
    for field in (*FIELDS[name], "other"):
        with pytest.raises(AttributeError):
            setattr(event, field, "x")
    for field in FIELDS[name]:
        with pytest.raises(AttributeError):
            delattr(event, field)


@pytest.mark.parametrize("name", FIELDS)
def test_repr_names_the_class_and_the_fields(name: str) -> None:
    event = every_event()[name]
    assert repr(event).startswith(f"{name}(")
    for field in FIELDS[name]:
        assert repr(getattr(event, field)) in repr(event)


@pytest.mark.parametrize("name", FIELDS)
def test_events_are_equal_only_to_the_same_event(name: str) -> None:
    events = every_event()
    event = events[name]
    # The same input again gives equal events, except that a call has another id.
    assert (event == every_event()[name]) is ("id" not in FIELDS[name])
    assert event != object()
    assert not any(event == other for kind, other in events.items() if kind != name)


def test_equal_content_is_equal() -> None:
    left = scan("hermes", "a<think>b</think>")
    right = scan("hermes", "a<think>b</think>")
    assert left == right
    assert left != scan("hermes", "a<think>c</think>")


def test_calls_with_other_ids_differ() -> None:
    assert scan("hermes", HERMES) != scan("hermes", HERMES)


def test_pattern_matching() -> None:
    seen: list[Any] = []
    for event in scan("xml", f"A{XML}"):
        match event:
            case toolspeak.Text(text):
                seen.append(text)
            case toolspeak.ToolStart(_, name):
                seen.append(name)
            case toolspeak.ToolArgDelta(_, name, key, delta):
                seen.append((name, key, delta))
            case toolspeak.ToolEnd(_, name, arguments):
                seen.append(arguments)
    assert seen == ["A", "lookup", ("lookup", "query", "x"), {"query": "x"}]


# --- when they come -----------------------------------------------------------------------


def arrivals(name: str, text: str, **options: Any) -> list[tuple[int, Event]]:
    """Each event with how many characters had been fed when it came."""
    scanner = scanner_of(name, **options)
    found = [(i, e) for i, c in enumerate(text, 1) for e in scanner.feed(c)]
    return found + [(len(text) + 1, event) for event in scanner.flush()]


def arrival_of(name: str, text: str, kind: type) -> int:
    return next(at for at, event in arrivals(name, text) if isinstance(event, kind))


def test_start_comes_with_the_last_character_of_the_name() -> None:
    assert arrival_of("hermes", HERMES, toolspeak.ToolStart) == HERMES.index('lookup"') + 7
    assert arrival_of("xml", XML, toolspeak.ToolStart) == XML.index(">") + 1


@pytest.mark.parametrize("name", ["hermes", "qwen3"])
def test_json_arguments_flow_character_by_character(name: str) -> None:
    start = HERMES.index('{"query"')
    end = HERMES.index("}}") + 1
    deltas = [
        (at, e.delta) for at, e in arrivals(name, HERMES) if isinstance(e, toolspeak.ToolArgDelta)
    ]
    assert deltas == [(i + 1, HERMES[i]) for i in range(start, end)]


@pytest.mark.parametrize("name", ["xml", "anthropic", "minimax"])
def test_tagged_values_flow_character_by_character(name: str) -> None:
    value = "some longer value"
    text = f'<invoke name="note"><parameter name="title">{value}</parameter></invoke>'
    start = text.index(value)
    deltas = [
        (at, e.delta) for at, e in arrivals(name, text) if isinstance(e, toolspeak.ToolArgDelta)
    ]
    assert deltas == [(start + i + 1, c) for i, c in enumerate(value)]


def call_of_note(name: str, value: str) -> str:
    """A call in this dialect whose only argument is `value`."""
    call = toolspeak.ToolCall("call_0", "note", {"title": value})
    return toolspeak.get_dialect(name).render_calls([call], tools=ALL_TOOLS)


@pytest.mark.parametrize("name", CALL_DIALECTS)
def test_a_value_flows_character_by_character_in_every_dialect(name: str) -> None:
    value = "some longer value"
    text = call_of_note(name, value)
    start = text.index(value)
    deltas = {
        at: e.delta
        for at, e in arrivals(name, text, tools=ALL_TOOLS)
        if isinstance(e, toolspeak.ToolArgDelta)
    }
    # A quote before the value may come with its first character.
    assert [deltas.get(start + i + 1, "")[-1:] for i in range(len(value))] == list(value)


@pytest.mark.parametrize("name", CALL_DIALECTS)
def test_a_call_starts_before_its_arguments_in_every_dialect(name: str) -> None:
    text = call_of_note(name, "value")
    (start,) = [
        (at, e.name)
        for at, e in arrivals(name, text, tools=ALL_TOOLS)
        if isinstance(e, toolspeak.ToolStart)
    ]
    assert start[1] == "note"
    assert text.index("note") + len("note") <= start[0] <= text.index("value")


@pytest.mark.parametrize("name", CALL_DIALECTS)
def test_the_deltas_of_one_text_are_what_the_model_wrote(name: str) -> None:
    text = call_of_note(name, "some longer value")
    events = scan(name, text, tools=ALL_TOOLS)
    deltas = [e for e in events if isinstance(e, toolspeak.ToolArgDelta)]
    (end,) = [e for e in events if isinstance(e, toolspeak.ToolEnd)]
    assert "".join(e.delta for e in deltas) in end.raw
    assert {e.id for e in events if hasattr(e, "id")} == {end.id}


@pytest.mark.parametrize("closer", ["</title >", "</title\n>"])
def test_a_closer_with_blanks_in_it_closes_or_aborts(closer: str) -> None:
    text = f"<call:note>\n<title>a{closer}\n</call:note>"
    events = scan("pi-native", text, tools=ALL_TOOLS)
    assert isinstance(events[-1], toolspeak.ToolEnd | toolspeak.ToolAbort)


def test_deltas_wait_for_a_name_that_comes_last() -> None:
    text = '<tool_call>{"arguments": {"query": "x"}, "name": "lookup"}</tool_call>'
    events = scan("hermes", text)
    kinds = [type(event).__name__ for event in events]
    assert kinds == ["ToolStart", "ToolArgDelta", "ToolEnd"]
    assert events[1].delta == '{"query": "x"}'
    assert arrival_of("hermes", text, toolspeak.ToolStart) == text.index('lookup"') + 7


def test_arguments_that_hold_a_name_are_not_the_name() -> None:
    text = '<tool_call>{"arguments": {"name": "wrong"}, "name": "right"}</tool_call>'
    (start,) = [e for e in scan("hermes", text) if isinstance(e, toolspeak.ToolStart)]
    assert start.name == "right"


def test_end_comes_with_the_last_character_of_the_closer() -> None:
    assert arrival_of("hermes", HERMES + "x", toolspeak.ToolEnd) <= len(HERMES)
    assert arrival_of("xml", XML + "x", toolspeak.ToolEnd) == len(XML)


def test_unkeyed_deltas_are_what_the_model_wrote() -> None:
    own = '{ "query" :\t"\\u00e9 \\"q\\"",\n "limit": 1.50 }'
    text = f'<tool_call>{{"name": "lookup", "arguments": {own}}}</tool_call>'
    events = scan("hermes", text)
    assert "".join(e.delta for e in events if isinstance(e, toolspeak.ToolArgDelta)) == own
    assert events[-1].arguments == json.loads(own)


def test_a_repeated_parameter_has_one_delta_in_a_feed_and_its_last_value_counts() -> None:
    values = '<parameter name="a">1</parameter><parameter name="a">2</parameter>'
    kinds = [type(e).__name__ for e in scan("xml", f'<invoke name="f">{values}</invoke>')]
    assert kinds == ["ToolStart", "ToolArgDelta", "ToolEnd"]
    assert scan("xml", f'<invoke name="f">{values}</invoke>')[-1].arguments == {"a": 2}


def test_raw_is_the_call_as_written() -> None:
    for name, call in (("hermes", HERMES), ("xml", XML)):
        (end,) = [e for e in scan(name, f"a{call}b") if isinstance(e, toolspeak.ToolEnd)]
        assert end.raw == call
        assert end.repaired is False


def test_raw_is_made_once() -> None:
    (end,) = [e for e in scan("hermes", HERMES) if isinstance(e, toolspeak.ToolEnd)]
    assert end.raw is end.raw
    assert toolspeak.ToolEnd("a", "f", {}, end.raw, False).raw is end.raw


def test_events_cost_the_garbage_collector_nothing() -> None:
    events = scan("xml", f"<think>hm</think>text {XML}<invoke name='f'>")
    kinds = {type(event).__name__ for event in events}
    assert kinds >= {"Text", "ThinkingEnd", "ToolArgDelta", "ToolEnd", "ToolAbort"}
    assert not any(map(gc.is_tracked, events))


def test_raw_keeps_noise_inside_the_call() -> None:
    call = '<invoke name="note"> hello <parameter name="title">a</parameter> bye </invoke>'
    (end,) = [e for e in scan("xml", call) if isinstance(e, toolspeak.ToolEnd)]
    assert end.raw == call


def test_abort_holds_what_was_complete() -> None:
    text = (
        '<invoke name="note"><parameter name="title">first</parameter><parameter name="body">half'
    )
    abort = scan("xml", text)[-1]
    assert isinstance(abort, toolspeak.ToolAbort)
    assert (abort.name, abort.reason, abort.raw) == ("note", "truncated", text)
    assert abort.arguments == {"title": "first"}


def test_call_without_a_name_is_a_lone_abort() -> None:
    text = '<invoke><parameter name="query">x</parameter></invoke>'
    events = scan("xml", f"a{text}b")
    (abort,) = [e for e in events if isinstance(e, toolspeak.ToolAbort)]
    assert (abort.name, abort.reason, abort.raw) == (None, "malformed", text)
    assert not [e for e in events if isinstance(e, (toolspeak.ToolStart, toolspeak.ToolEnd))]
    assert text_of(events) == "ab"


def test_name_cut_by_the_end_never_starts_a_call_with_a_part_of_it() -> None:
    events = scan("hermes", '<tool_call>{"name": "look')
    assert not [e for e in events if isinstance(e, toolspeak.ToolEnd)]
    (abort,) = [e for e in events if isinstance(e, toolspeak.ToolAbort)]
    assert abort.reason == "truncated"
    assert not [e for e in events if isinstance(e, toolspeak.ToolStart)]


def test_ids_are_unique_over_scanners() -> None:
    ids = [
        event.id
        for _ in range(50)
        for event in scan("hermes", HERMES * 4)
        if isinstance(event, toolspeak.ToolStart)
    ]
    assert len(set(ids)) == 200
    assert all(wire_id.startswith("call_") for wire_id in ids)


def test_one_id_for_all_events_of_a_call() -> None:
    ids = {event.id for event in scan("hermes", HERMES)}
    assert len(ids) == 1


def test_keys_such_as_dunder_class_are_plain_keys() -> None:
    text = (
        '<tool_call>{"name": "f", "arguments": {"__class__": 1, "__proto__": {"a": 2}}}</tool_call>'
    )
    end = scan("hermes", text)[-1]
    assert end.arguments == {"__class__": 1, "__proto__": {"a": 2}}
    assert type(end.arguments) is dict


def test_every_digit_of_an_integer_is_kept() -> None:
    number = int("9" * 60)
    text = f'<tool_call>{{"name": "f", "arguments": {{"n": {number}}}}}</tool_call>'
    assert scan("hermes", text)[-1].arguments == {"n": number}


@pytest.mark.parametrize("name", DIALECTS)
def test_thinking_end_holds_the_whole_block(name: str) -> None:
    text = toolspeak.get_dialect(name).render_thinking("step one")
    pieces: list[str | bytes] = list(text)
    events = run(scanner_of(name), pieces)
    ends = [e.thinking for e in events if isinstance(e, toolspeak.ThinkingEnd)]
    deltas = "".join(e.delta for e in events if isinstance(e, toolspeak.ThinkingDelta))
    assert ends == [deltas]
    assert ends[0].strip() == "step one"

"""The Assembler: the growing message, why it ended, whose calls count, fabricated results."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolspeak
import toolspeak.outputs.assembler
from generated import tool_and_arguments
from markers import COMMON, MARKUP, examples
from support import (
    ALL_TOOLS,
    CALL_DIALECTS,
    DIALECTS,
    Event,
    canonical,
    cut_at,
    random_cuts,
    run,
    same,
    scanner_of,
    text_of,
)
from toolspeak.messages.values import TextBlock, ThinkingBlock
from toolspeak.outputs.assembler import GrowingCall, GrowingText, GrowingThinking
from toolspeak.outputs.growing_json import GrowingJson

HERMES_CALL = '<tool_call>{"name": "lookup", "arguments": {"query": "a b", "tags": ["x", "y"]}}'
HERMES = f"<think>so</think>Well. {HERMES_CALL}</tool_call> Done."


def soup(name: str) -> st.SearchStrategy[str]:
    """Text of the dialect's markers, of stretches of real outputs and of anything else."""
    pieces = st.sampled_from([*MARKUP[name].pieces, *MARKUP[name].pieces, *COMMON])
    parts = [pieces, pieces, st.text(max_size=5)]
    if examples(name):
        parts.append(st.sampled_from(examples(name)))
    return st.lists(st.one_of(parts), max_size=10).map("".join)


def without_ids(message: toolspeak.Message) -> tuple[Any, ...]:
    """A message in which all that a dialect makes up is left out."""
    return (
        message.text,
        message.thinking,
        [
            (call.name, canonical(call.arguments), call.raw, call.repaired)
            for call in message.tool_calls
        ],
        [(it.name, canonical(it.arguments), it.raw, it.reason) for it in message.aborted],
    )


def assembled(events: Sequence[Event], reason: str = "stop", **options: Any) -> toolspeak.Assembler:
    """All events, one by one, and the end."""
    assembler = toolspeak.Assembler(**options)
    for event in events:
        assembler.add(event)
    assembler.finish(reason)
    return assembler


def hermes_events(text: str, **options: Any) -> list[Event]:
    return run(scanner_of("hermes", **options), [text])


# --- the message --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DIALECTS)
@given(data=st.data())
def test_the_message_equals_parse(name: str, data: st.DataObject) -> None:
    text = data.draw(soup(name))
    whole = text.encode() if data.draw(st.booleans()) else text
    options: dict[str, Any] = {
        "tools": ALL_TOOLS,
        "on_result": data.draw(st.sampled_from(["text", "stop"])),
    }
    places = data.draw(st.lists(st.integers(0, len(whole)), max_size=12))
    scanner = scanner_of(name, **options)
    assembler = toolspeak.Assembler(name, tools=ALL_TOOLS)
    for piece in cut_at(whole, places):
        assembler.add(scanner.feed(piece))
        check_growing(assembler)
    assembler.add(scanner.flush())
    message = assembler.finish()
    assert without_ids(message) == without_ids(toolspeak.parse(text, name, **options))
    assert assembler.message == message
    check_order(assembler, message)


def check_growing(assembler: toolspeak.Assembler) -> None:
    """What is not complete says so, and is in no message yet."""
    message = assembler.message
    assert assembler.stop_reason is None
    assert assembler.calls_to_run == ()
    for block in assembler.blocks:
        if isinstance(block, GrowingCall):
            assert isinstance(dict(block.arguments), dict)
            assert block.partial == (block.call not in message.tool_calls)


def check_order(assembler: toolspeak.Assembler, message: toolspeak.Message) -> None:
    """Blocks, in their order, are the message; no two blocks of text or nothing in a row."""
    blocks = assembler.blocks
    assert "".join(b.text for b in blocks if isinstance(b, GrowingText)) == message.text
    assert tuple(b.thinking for b in blocks if isinstance(b, GrowingThinking)) == message.thinking
    calls = [b for b in blocks if isinstance(b, GrowingCall)]
    assert tuple(b.call for b in calls if b.call) == message.tool_calls
    assert all(b.call or b.abort for b in calls)
    kinds = [type(block) for block in blocks]
    assert not any(a is b is GrowingText for a, b in pairwise(kinds))
    assert [contents(block) for block in blocks] == [contents(block) for block in message.blocks]


def contents(block: Any) -> Any:
    """What a block holds, whether it grew or not."""
    if isinstance(block, GrowingCall):
        return block.call or block.abort
    if isinstance(block, toolspeak.ToolCall | toolspeak.ToolAbort):
        return block
    return getattr(block, "text", None), getattr(block, "thinking", None)


def test_blocks_stand_in_the_order_of_the_stream() -> None:
    assembler = assembled(hermes_events(HERMES))
    thinking, before, call, after = assembler.blocks
    assert isinstance(thinking, GrowingThinking)
    assert isinstance(before, GrowingText)
    assert isinstance(call, GrowingCall)
    assert isinstance(after, GrowingText)
    assert (thinking.thinking, before.text, after.text) == ("so", "Well. ", " Done.")
    assert (call.name, call.partial) == ("lookup", False)
    assert dict(call.arguments) == {"query": "a b", "tags": ["x", "y"]}


def test_events_come_one_by_one_or_in_lists() -> None:
    events = hermes_events(HERMES)
    in_lists = toolspeak.Assembler()
    in_lists.add(events[:3])
    in_lists.add(iter(events[3:]))
    assert in_lists.finish() == assembled(events).message


def test_a_message_keeps_the_order_of_the_stream() -> None:
    message = assembled(hermes_events(HERMES)).message
    (call,) = message.tool_calls
    assert message.blocks == (
        ThinkingBlock("so"), TextBlock("Well. "), call, TextBlock(" Done."),
    )  # fmt: skip


def test_texts_around_a_call_that_does_not_count_are_one() -> None:
    assembler = toolspeak.Assembler()
    assembler.add(toolspeak.Text("a "))
    assembler.native_call({"index": 0, "function": {"name": "f", "arguments": "{"}})
    assembler.add([toolspeak.Text("b "), toolspeak.ToolStart("1", "g", "json")])
    assembler.add([toolspeak.ToolEnd("1", "g", {}, "", False), toolspeak.Text("c")])
    message = assembler.finish("length")
    call = toolspeak.ToolCall("1", "g", {}, "")
    assert message.blocks == (TextBlock("a b "), call, TextBlock("c"))
    assert [it.name for it in assembler.dropped] == ["f"]


def test_to_openai() -> None:
    message = assembled(hermes_events(HERMES)).to_openai()
    (call,) = message.pop("tool_calls")
    assert message == {"role": "assistant", "content": "Well.  Done.", "reasoning_content": "so"}
    assert call["type"] == "function"
    assert call["function"]["name"] == "lookup"
    assert json.loads(call["function"]["arguments"]) == {"query": "a b", "tags": ["x", "y"]}
    assert assembled(hermes_events("hi")).to_openai() == {"role": "assistant", "content": "hi"}
    alone = assembled(hermes_events(f"{HERMES_CALL}</tool_call>")).to_openai()
    assert alone["content"] is None


@pytest.mark.parametrize("name", CALL_DIALECTS)
@given(call=tool_and_arguments())
def test_a_message_can_be_rendered_again(name: str, call: tuple[Any, Any]) -> None:
    """The OpenAI-style message holds the calls so that the dialect writes the same turn."""
    tool, arguments = call
    dialect = toolspeak.get_dialect(name)
    made = toolspeak.ToolCall("call_0", tool["function"]["name"], arguments)
    try:
        text = dialect.render_calls([made], tools=[tool])
    except toolspeak.RenderError:
        return
    assembler = assembled(run(dialect.scanner(tools=[tool]), [text]))
    assert dialect.render_calls(assembler.to_openai()["tool_calls"], tools=[tool]) == text


def test_bad_use_is_refused() -> None:
    assembler = toolspeak.Assembler()
    with pytest.raises(TypeError):
        assembler.add("text")  # type: ignore[arg-type]
    with pytest.raises(toolspeak.UnknownDialectError):
        toolspeak.Assembler("hermez")
    first = assembler.finish("length")
    assert assembler.finish("stop") == first
    assert assembler.stop_reason == "length"
    with pytest.raises(RuntimeError):
        assembler.add(toolspeak.Text("x"))
    with pytest.raises(RuntimeError):
        assembler.native_call({"function": {"name": "f"}})


# --- partial arguments --------------------------------------------------------------------------


def growing(name: str, text: str, **options: Any) -> list[dict[str, Any]]:
    """The arguments of the last call after each character."""
    scanner = scanner_of(name, **options)
    assembler = toolspeak.Assembler(name, **options)
    seen: list[dict[str, Any]] = []
    for piece in text:
        assembler.add(scanner.feed(piece))
        if assembler.blocks and isinstance(assembler.blocks[-1], GrowingCall):
            seen.append(dict(assembler.blocks[-1].arguments))
    return seen


def test_partial_json_shows_open_strings_and_lists() -> None:
    seen = growing("hermes", HERMES_CALL)
    assert seen[0] == {}
    assert {"query": "a"} in seen
    assert {"query": "a b", "tags": []} in seen
    assert seen[-1] == {"query": "a b", "tags": ["x", "y"]}


def test_partial_json_shows_no_half_of_an_escape_or_a_number() -> None:
    text = '<tool_call>{"name": "f", "arguments": {"a\\"": "x\\u00e9\\\\", "n": 12, "b": tr'
    seen = growing("hermes", text)
    shown = {step['a"'] for step in seen if 'a"' in step}
    assert shown == {"", "x", "xé", "xé\\"}
    assert all(step.get("n", 12) == 12 for step in seen)
    assert "b" not in seen[-1]


def test_partial_json_encoded_twice() -> None:
    inner = json.dumps(json.dumps({"q": "a b"}))
    seen = growing("hermes", f'<tool_call>{{"name": "f", "arguments": {inner}')
    assert {"q": "a"} in seen


LOOKUP = [{"name": "f", "parameters": {"type": "object", "properties": {
    "text": {"type": "string"}, "n": {"type": "integer"}, "tags": {"type": "array"},
}}}]  # fmt: skip


@pytest.mark.parametrize("name", CALL_DIALECTS)
def test_partial_arguments_of_every_dialect(name: str) -> None:
    """They only grow, are typed as in the end, and come before the end."""
    dialect = toolspeak.get_dialect(name)
    final = {"text": "a long text", "n": 12, "tags": ["x", "y"]}
    turn = dialect.render_calls([toolspeak.ToolCall("call_0", "f", final)], tools=LOOKUP)
    seen = growing(name, turn, tools=LOOKUP)
    for step in seen:
        for key, value in step.items():
            if isinstance(value, str):
                assert str(final[key]).startswith(value)
            elif isinstance(value, list):
                whole = ["x", "y"][: len(value)]
                assert all(a.startswith(b) for a, b in zip(whole, value, strict=True))
            else:
                assert same(value, final[key])
    assert seen[-1] == final
    keys = [sorted(step) for step in seen]
    assert ["text"] in keys or name == "pi-native"


@pytest.mark.parametrize("name", CALL_DIALECTS)
@given(call=tool_and_arguments(), seed=st.integers(0, 2**32))
def test_partial_arguments_never_raise(name: str, call: tuple[Any, Any], seed: int) -> None:
    tool, arguments = call
    dialect = toolspeak.get_dialect(name)
    made = toolspeak.ToolCall("call_0", tool["function"]["name"], arguments)
    try:
        text = dialect.render_calls([made], tools=[tool])
    except toolspeak.RenderError:
        return
    scanner = dialect.scanner(tools=[tool])
    assembler = toolspeak.Assembler(dialect, tools=[tool])
    for piece in random_cuts(text, random.Random(seed)):
        assembler.add(scanner.feed(piece))
        for block in assembler.blocks:
            if isinstance(block, GrowingCall):
                assert set(block.arguments) <= set(arguments)


def test_a_delta_reads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arguments are read when they are looked at, and each delta once."""
    fed: list[str] = []
    feed = GrowingJson.feed

    def counted(self: GrowingJson, text: str) -> bool:
        fed.append(text)
        return feed(self, text)

    monkeypatch.setattr(GrowingJson, "feed", counted)
    assembler = toolspeak.Assembler()
    assembler.add(toolspeak.ToolStart("1", "f", "json"))
    for _ in range(100):
        assembler.add(toolspeak.ToolArgDelta("1", "f", None, '{"a": "'))
    assert fed == []
    (block,) = assembler.blocks
    assert isinstance(block, GrowingCall)
    assert block.arguments is block.arguments
    assert len(fed) == 100


# --- why it ended -------------------------------------------------------------------------------


@pytest.mark.parametrize("reason", ["length", "error", "aborted", "content_filter", "other"])
def test_other_reasons_stay_and_dispatch_nothing(reason: str) -> None:
    assembler = assembled(hermes_events(HERMES), reason)
    assert assembler.stop_reason == reason
    assert assembler.calls_to_run == ()
    assert len(assembler.message.tool_calls) == 1


@pytest.mark.parametrize("reason", ["stop", "tool_calls", "function_call"])
def test_a_complete_call_gives_tool_calls(reason: str) -> None:
    assembler = assembled(hermes_events(HERMES), reason)
    assert assembler.stop_reason == "tool_calls"
    assert [call.name for call in assembler.calls_to_run] == ["lookup"]
    # An engine that counts a call which was none is not believed.
    assert assembled(hermes_events("plain"), reason).stop_reason == "stop"


@pytest.mark.parametrize("name", CALL_DIALECTS)
@given(data=st.data())
def test_a_truncated_call_is_never_run(name: str, data: st.DataObject) -> None:
    dialect = toolspeak.get_dialect(name)
    call = toolspeak.ToolCall("call_0", "f", {"text": "some text", "n": 3, "tags": ["x"]})
    turn = dialect.render_calls([call], tools=LOOKUP)
    cut = data.draw(st.integers(0, len(turn)))
    flushed = data.draw(st.booleans())
    scanner = dialect.scanner(tools=LOOKUP)
    assembler = toolspeak.Assembler(dialect, tools=LOOKUP)
    assembler.add(scanner.feed(turn[:cut]))
    if flushed:
        assembler.add(scanner.flush())
    assembler.finish()
    assert all(same(it.arguments, call.arguments) for it in assembler.calls_to_run)
    assert (assembler.stop_reason == "tool_calls") == bool(assembler.calls_to_run)
    for block in assembler.blocks:
        if isinstance(block, GrowingCall) and block.call is None:
            assert block.partial
            assert block.abort is not None


def test_a_truncated_call_behind_a_complete_one() -> None:
    assembler = assembled(hermes_events(f"{HERMES_CALL}</tool_call>{HERMES_CALL[:-9]}"))
    assert assembler.stop_reason == "tool_calls"
    assert len(assembler.calls_to_run) == 1
    assert [abort.reason for abort in assembler.message.aborted] == ["truncated"]


# --- fabricated results -------------------------------------------------------------------------


@pytest.mark.parametrize("name", CALL_DIALECTS)
def test_a_fabricated_result_stops_the_stream(name: str) -> None:
    """The model writes a call, and then the result that its dialect has for it."""
    dialect = toolspeak.get_dialect(name)
    turn = dialect.render_calls([toolspeak.ToolCall("call_0", "f", {"n": 1})], tools=LOOKUP)
    result = dialect.render_results([toolspeak.ToolResult("call_0", "f", "made up")])
    text = f"Well.{turn}\nNow:{result}\n{turn}"
    for size in (1, 2, 3, 7, len(text)):
        stops: list[toolspeak.Stopped] = []
        scanner = dialect.scanner(tools=LOOKUP, on_result="stop")
        assembler = toolspeak.Assembler(dialect, on_stop=stops.append)
        fed = 0
        while fed < len(text) and not stops:
            assembler.add(scanner.feed(text[fed : fed + size]))
            fed += size
        assembler.add(scanner.flush())
        message = assembler.finish("aborted")
        (stopped,) = stops
        assert assembler.stopped == stopped
        assert stopped.marker in result
        # What stands around all results is text in one dialect.
        assert message.text.removesuffix("<observation>\n").split() == ["Well.", "Now:"]
        # The abort was asked for: the call before the marker is the model's own.
        assert assembler.stop_reason == "tool_calls"
        assert len(assembler.calls_to_run) == 1


@pytest.mark.parametrize("name", CALL_DIALECTS)
@given(data=st.data())
def test_text_before_a_fabricated_result_is_never_lost(name: str, data: st.DataObject) -> None:
    text = data.draw(soup(name))
    scanner = scanner_of(name, on_result="stop")
    events = run(scanner, random_cuts(text, random.Random(len(text))))
    stops = [at for at, event in enumerate(events) if isinstance(event, toolspeak.Stopped)]
    if not stops:
        return
    assert len(stops) == 1
    # A call's markers may be read differently behind the marker, so only one place can be it.
    marker = events[stops[0]].marker
    before = [
        run(scanner_of(name, on_result="stop"), [text[:at]])
        for at in range(len(text))
        if text.startswith(marker, at)
    ]
    assert text_of(events) in map(text_of, before)


def test_nothing_comes_behind_stopped() -> None:
    text = "<｜tool▁calls▁begin｜>x<｜tool▁outputs▁begin｜>"
    events = run(scanner_of("deepseek", on_result="stop"), [text])
    assert isinstance(events[-1], toolspeak.Stopped)


@pytest.mark.parametrize("name", CALL_DIALECTS)
@given(data=st.data())
def test_the_guard_delays_no_other_text(name: str, data: st.DataObject) -> None:
    """Each chunk without a marker's first character leaves in its own feed, as itself."""
    letters = st.characters(exclude_characters=MARKUP[name].starts, codec="utf-8")
    scanner = scanner_of(name, on_result="stop")
    for chunk in data.draw(st.lists(st.text(letters, min_size=1, max_size=8), max_size=6)):
        assert text_of(scanner.feed(chunk)) == chunk


@pytest.mark.parametrize("name", CALL_DIALECTS)
def test_the_guard_holds_a_look_alike_no_longer_than_needed(name: str) -> None:
    scanner = scanner_of(name, on_result="stop")
    told = ""
    for character in "if a < b <toolbox> <b>bold</b>, `x` and ``y`` ":
        told += text_of(scanner.feed(character))
    assert told == "if a < b <toolbox> <b>bold</b>, `x` and ``y`` "


def test_an_abort_that_nobody_asked_for_stays_one() -> None:
    events = hermes_events(f"{HERMES}<tool_response>x", on_result="stop")
    assembler = assembled(events, "aborted")
    assert assembler.stop_reason == "aborted"
    assert assembler.calls_to_run == ()
    assert assembled(events, "length", on_stop=lambda _: None).stop_reason == "length"
    assert assembled(events, "stop").stop_reason == "tool_calls"


# --- native calls beside text calls -------------------------------------------------------------


def delta(
    index: int | None = 0, id: str | None = None, name: str | None = None, arguments: Any = None
) -> dict[str, Any]:
    """A native delta with the fields that are given."""
    function = {"name": name, "arguments": arguments}
    fields = {"index": index, "id": id, "type": "function"}
    found = {key: value for key, value in fields.items() if value is not None}
    return {**found, "function": {key: v for key, v in function.items() if v is not None}}


def test_native_calls_alone() -> None:
    assembler = toolspeak.Assembler()
    assembler.add(toolspeak.Text("Well. "))
    assembler.native_call(delta(0, "call_a", "f", ""))
    assembler.native_call(delta(0, arguments='{"text": "x'))
    block = assembler.blocks[-1]
    assert isinstance(block, GrowingCall)
    assert (block.partial, dict(block.arguments)) == (True, {"text": "x"})
    assembler.native_call(delta(1, "call_b", "g", "{}"))
    assembler.native_call(delta(0, arguments='y", "n": 1}'))
    assembler.add(toolspeak.Text("So."))
    message = assembler.finish("tool_calls")
    assert [(it.id, it.name, dict(it.arguments)) for it in message.tool_calls] == [
        ("call_a", "f", {"text": "xy", "n": 1}),
        ("call_b", "g", {}),
    ]
    assert assembler.stop_reason == "tool_calls"
    assert [type(b) for b in assembler.blocks] == [
        GrowingText,
        GrowingCall,
        GrowingCall,
        GrowingText,
    ]


def both(order: str, text: str = f"{HERMES_CALL}</tool_call>", **native: Any) -> Any:
    """A text call and a native one, in this order."""
    assembler = toolspeak.Assembler()
    for channel in order:
        if channel == "t":
            assembler.add(hermes_events(text))
        else:
            assembler.native_call(delta(**{"id": "call_n", "name": "native", **native}))
    return assembler


@pytest.mark.parametrize(("order", "name"), [("tn", "lookup"), ("nt", "native"), ("tnt", "lookup")])
def test_the_first_call_decides(order: str, name: str) -> None:
    assembler = both(order, arguments='{"a": 1}')
    assembler.finish()
    assert {call.name for call in assembler.calls_to_run} == {name}
    assert len(assembler.calls_to_run) == order.count("t" if name == "lookup" else "n")
    assert {block.name for block in assembler.dropped} == {"lookup", "native"} - {name}
    assert [block.name for block in assembler.blocks] == [it.name for it in assembler.calls_to_run]


@pytest.mark.parametrize("order", ["tn", "nt"])
def test_a_call_that_never_completes_does_not_decide(order: str) -> None:
    broken = both(order, text="<tool_call>{}</tool_call>", arguments="{}")
    broken.finish()
    assert [call.name for call in broken.calls_to_run] == ["native"]
    cut = both(order, arguments='{"a": ')
    cut.finish("stop")
    assert [call.name for call in cut.calls_to_run] == ["lookup"]
    assert [block.abort.reason for block in cut.dropped] == ["malformed"]


def test_the_text_is_kept_whoever_counts() -> None:
    assembler = both("nt", text=HERMES, arguments="{}")
    message = assembler.finish()
    assert (message.text, message.thinking) == ("Well.  Done.", ("so",))


@pytest.mark.parametrize("reason", ["length", "error", "aborted"])
def test_a_native_call_that_was_cut_is_none(reason: str) -> None:
    for arguments in ('{"text": "a", "n": 1', "", '"x"'):
        assembler = both("n", arguments=arguments)
        message = assembler.finish(reason)
        assert (message.tool_calls, assembler.calls_to_run) == ((), ())
        assert [abort.reason for abort in message.aborted] == ["truncated"]
    whole = both("n", arguments="{}")
    assert len(whole.finish(reason).tool_calls) == 1
    assert whole.calls_to_run == ()


def test_forms_of_native_deltas() -> None:
    assembler = toolspeak.Assembler()
    # One index for all, arguments as a dict, no index, a repeated name.
    assembler.native_call(delta(0, "a", "f", {"é": 1}))
    assembler.native_call(delta(0, "b", "f", "{}"))
    assembler.native_call(delta(None, "c", "g", '{"x":'))
    assembler.native_call(delta(None, "c", "g", "1"))
    assembler.native_call(delta(None, None, None, "}"))
    assembler.native_call(delta(7, None, "h"))
    calls = assembler.finish().tool_calls
    assert [(it.name, dict(it.arguments)) for it in calls] == [
        ("f", {"é": 1}),
        ("f", {}),
        ("g", {"x": 1}),
        ("h", {}),
    ]
    assert len({it.id for it in calls}) == 4


@pytest.mark.parametrize(
    ("names", "listed", "expected"),
    [
        (["edit_file", "edit_file"], ["edit_file"], "edit_file"),
        (["edit_file", "edit_file"], [], "edit_file"),
        (["edit_ex", "isting", "_file"], ["edit_existing_file"], "edit_existing_file"),
        (["edit", "edit_file"], ["edit_file"], "edit_file"),
        # Without tools, or with a whole name that is listed, the first one stays.
        (["edit_ex", "isting_file"], [], "edit_ex"),
        (["edit", "_file"], ["edit", "edit_file"], "edit"),
        (["made", "up"], ["edit"], "made"),
    ],
)
def test_a_native_name_comes_once_unless_the_tools_say_otherwise(
    names: list[str], listed: list[str], expected: str
) -> None:
    assembler = toolspeak.Assembler(tools=[{"name": name, "parameters": {}} for name in listed])
    for name in names:
        assembler.native_call(delta(0, "a", None, "") | {"function": {"name": name}})
    (call,) = assembler.finish("tool_calls").tool_calls
    assert call.name == expected


def test_a_native_call_inside_thinking_splits_no_block() -> None:
    assembler = toolspeak.Assembler()
    events = hermes_events("<think>ab</think>c")
    assembler.add(events[:2])
    assembler.native_call(delta(0, "a", "f", "{}"))
    assembler.add(events[2:])
    message = assembler.finish()
    assert (message.thinking, message.text, len(message.tool_calls)) == (("ab",), "c", 1)


def test_no_native_call_begins_after_the_model_was_stopped() -> None:
    assembler = toolspeak.Assembler()
    assembler.native_call(delta(0, "a", "f", '{"x"'))
    assembler.add(hermes_events("hi <tool_response>", on_result="stop"))
    assembler.native_call(delta(0, None, None, ":1}"))
    assembler.native_call(delta(1, "b", "g", "{}"))
    assert [(it.name, dict(it.arguments)) for it in assembler.finish().tool_calls] == [
        ("f", {"x": 1})
    ]


@pytest.mark.parametrize("name", CALL_DIALECTS)
@given(data=st.data())
def test_nothing_is_run_twice(name: str, data: st.DataObject) -> None:
    """However the two are interleaved, one channel's calls are run, each once."""
    scanner = scanner_of(name)
    assembler = toolspeak.Assembler(name)
    pieces = [data.draw(soup(name)) for _ in range(data.draw(st.integers(0, 4)))]
    for number, piece in enumerate(pieces):
        assembler.add(scanner.feed(piece))
        if data.draw(st.booleans()):
            assembler.native_call(delta(number, f"native_{number}", "f", '{"a": 1}'))
    assembler.add(scanner.flush())
    assembler.finish()
    ids = [call.id for call in assembler.calls_to_run]
    assert len(ids) == len(set(ids))
    assert len({call_id.startswith("native_") for call_id in ids}) <= 1
    dropped = {block.id for block in assembler.dropped}
    assert not dropped & set(ids)

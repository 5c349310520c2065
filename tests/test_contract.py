"""The scanner's promises as properties, for every dialect, over soup made of its own markers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toolspeak
from generated import soup
from markers import MARKUP, Markup, accounted_for
from support import (
    ALL_TOOLS,
    DIALECTS,
    Event,
    Piece,
    canonical,
    cut_at,
    joined,
    run,
    scanner_of,
    text_of,
)

HOLD_BACK = 256


# --- soup ---------------------------------------------------------------------------------


@st.composite
def cut_soup(draw: st.DrawFn, name: str) -> tuple[str, list[Piece]]:
    """Soup, and the same cut at random places as str or as bytes, inside characters too."""
    text = draw(soup(name))
    whole: Piece = text.encode() if draw(st.booleans()) else text
    places = draw(st.lists(st.integers(0, len(whole)), max_size=20))
    return text, cut_at(whole, places)


def over_dialects(function: Any) -> Any:
    return pytest.mark.parametrize("name", DIALECTS)(function)


# --- 1. split invariance ------------------------------------------------------------------


@over_dialects
@given(data=st.data())
def test_result_does_not_depend_on_the_cuts(name: str, data: st.DataObject) -> None:
    text, pieces = data.draw(cut_soup(name))
    whole = joined(run(scanner_of(name, tools=ALL_TOOLS), [text]))
    assert joined(run(scanner_of(name, tools=ALL_TOOLS), pieces)) == whole
    singles: list[Piece] = [text[i : i + 1] for i in range(len(text))]
    assert joined(run(scanner_of(name, tools=ALL_TOOLS), singles)) == whole


@over_dialects
@given(data=st.data())
def test_cuts_do_not_matter_under_other_policies(name: str, data: st.DataObject) -> None:
    text, pieces = data.draw(cut_soup(name))
    options = data.draw(
        st.fixed_dictionaries(
            {},
            optional={
                "parse_thinking": st.booleans(),
                "start": st.sampled_from(["text", "thinking"]),
                "whitespace": st.sampled_from(["keep", "trim"]),
                "repair": st.booleans(),
                "on_result": st.sampled_from(["text", "stop"]),
            },
        )
    )
    whole = joined(run(scanner_of(name, **options), [text]))
    assert joined(run(scanner_of(name, **options), pieces)) == whole


@over_dialects
@given(data=st.data())
def test_bytes_that_are_no_utf8_do_not_depend_on_the_cuts(name: str, data: st.DataObject) -> None:
    noise = st.lists(st.one_of(st.binary(max_size=5), soup(name).map(str.encode)), max_size=5)
    whole = data.draw(noise.map(b"".join))
    places = data.draw(st.lists(st.integers(0, len(whole)), max_size=20))
    expected = joined(run(scanner_of(name), [whole]))
    assert joined(run(scanner_of(name), cut_at(whole, places))) == expected
    # Bad bytes become U+FFFD, the way Python decodes them.
    decoded = whole.decode(errors="replace")
    assert joined(run(scanner_of(name), [decoded])) == expected


# --- 2. nothing lost, 3. no leak ----------------------------------------------------------


def kept_text(events: Sequence[Event]) -> str:
    """All that the events hold of the input, in its order."""
    parts = []
    for event in events:
        match event:
            case toolspeak.Text(text):
                parts.append(text)
            case toolspeak.ThinkingDelta(delta):
                parts.append(delta)
            case toolspeak.ToolEnd() | toolspeak.ToolAbort():
                parts.append(event.raw)
    return "".join(parts)


@over_dialects
@given(data=st.data())
def test_nothing_is_lost(name: str, data: st.DataObject) -> None:
    text, pieces = data.draw(cut_soup(name))
    events = run(scanner_of(name, tools=ALL_TOOLS), pieces)
    kept = kept_text(events)
    assert accounted_for(text, kept, MARKUP[name]), f"kept {kept!r}"
    for event in events:
        if isinstance(event, (toolspeak.ToolEnd, toolspeak.ToolAbort)):
            assert event.raw in text


def plain_text(markup: Markup) -> st.SearchStrategy[str]:
    """Text that holds no character that can begin a marker."""
    return st.text(st.characters(exclude_characters=markup.starts, codec="utf-8"))


@over_dialects
@given(data=st.data())
def test_text_without_markers_passes_unchanged(name: str, data: st.DataObject) -> None:
    text = data.draw(plain_text(MARKUP[name]))
    events = run(scanner_of(name), [text])
    assert text_of(events) == text
    assert all(isinstance(event, toolspeak.Text) for event in events)


# --- balance ------------------------------------------------------------------------------


def check_thinking_balance(events: Sequence[Event]) -> None:
    """`ThinkingStart`, `ThinkingDelta`*, `ThinkingEnd` with the joined deltas; nothing between."""
    block: list[str] | None = None
    for event in events:
        match event:
            case toolspeak.ThinkingStart():
                assert block is None, "nested ThinkingStart"
                block = []
            case toolspeak.ThinkingDelta(delta):
                assert block is not None, "ThinkingDelta outside a block"
                assert delta, "empty ThinkingDelta"
                block.append(delta)
            case toolspeak.ThinkingEnd(thinking):
                assert block is not None, "ThinkingEnd outside a block"
                assert thinking == "".join(block)
                block = None
            case _:
                assert block is None, f"{event!r} inside a thinking block"
    assert block is None, "thinking block left open"


def check_call_balance(events: Sequence[Event]) -> None:
    """Each id starts once, has its deltas inside, and ends once; a lone abort has no name."""
    open_id: str | None = None
    open_name = None
    ended: set[str] = set()
    for event in events:
        match event:
            case toolspeak.ToolStart(id, name):
                assert open_id is None, "ToolStart inside a call"
                assert id not in ended, "an id came twice"
                assert isinstance(name, str)
                open_id, open_name = id, name
            case toolspeak.ToolArgDelta(id, name):
                assert (id, name) == (open_id, open_name), "delta of no open call"
            case toolspeak.ToolEnd(id, name, arguments):
                assert (id, name) == (open_id, open_name), "ToolEnd of no open call"
                assert isinstance(arguments, dict)
                ended.add(id)
                open_id = None
            case toolspeak.ToolAbort(id, name, arguments, _, reason):
                assert reason in ("truncated", "malformed", "limit")
                assert isinstance(arguments, dict)
                if open_id is None:
                    # The end of the stream may cut a name: it is told, but never started.
                    cut = reason == "truncated"
                    assert name is None or cut, "an abort with a name needs its ToolStart"
                    assert id not in ended, "an id came twice"
                else:
                    assert (id, name) == (open_id, open_name)
                ended.add(id)
                open_id = None
            case _:
                assert open_id is None, f"{event!r} inside a call"
    assert open_id is None, "call left open"


def check_no_adjacent_deltas(feed: Sequence[Event]) -> None:
    """Inside one feed, deltas of one kind come joined, and none is empty text."""
    for event in feed:
        if isinstance(event, toolspeak.Text):
            assert event.text, "empty Text"
    for left, right in pairwise(feed):
        if isinstance(left, toolspeak.ToolArgDelta) and isinstance(right, toolspeak.ToolArgDelta):
            assert (left.id, left.key) != (right.id, right.key), "two deltas of one argument"
        elif isinstance(left, (toolspeak.Text, toolspeak.ThinkingDelta)):
            assert type(left) is not type(right), f"two {type(left).__name__} in a row"


@over_dialects
@given(data=st.data())
def test_events_balance(name: str, data: st.DataObject) -> None:
    _, pieces = data.draw(cut_soup(name))
    scanner = scanner_of(name, tools=ALL_TOOLS)
    feeds = [scanner.feed(piece) for piece in pieces] + [scanner.flush()]
    for feed in feeds:
        check_no_adjacent_deltas(feed)
    events = [event for feed in feeds for event in feed]
    check_thinking_balance(events)
    check_call_balance(events)


# --- deltas -------------------------------------------------------------------------------


def argument_deltas(events: Sequence[Event], id: str) -> list[tuple[str | None, str]]:
    return [
        (e.key, e.delta) for e in events if isinstance(e, toolspeak.ToolArgDelta) and e.id == id
    ]


def loaded(text: str) -> Any:
    """JSON text as a value; doubly encoded JSON is read twice, lone surrogates are replaced."""
    value = json.loads(text, strict=False)
    return json.loads(value, strict=False) if isinstance(value, str) else value


def without_surrogates(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@over_dialects
@given(data=st.data())
def test_unkeyed_deltas_are_the_arguments_own_text(name: str, data: st.DataObject) -> None:
    _, pieces = data.draw(cut_soup(name))
    events = run(scanner_of(name, tools=ALL_TOOLS), pieces)
    for event in events:
        if not isinstance(event, (toolspeak.ToolEnd, toolspeak.ToolAbort)):
            continue
        deltas = argument_deltas(events, event.id)
        keys = {key for key, _ in deltas}
        assert None not in keys or keys == {None}, "keyed and unkeyed deltas in one call"
        for key in keys - {None}:
            assert isinstance(key, str)
        own = "".join(delta for _, delta in deltas)
        if MARKUP[name].arguments == "json":
            assert keys <= {None}
            if isinstance(event, toolspeak.ToolEnd) and own and not event.repaired:
                assert without_surrogates(canonical(loaded(own))) == canonical(event.arguments)
        if MARKUP[name].arguments == "keyed":
            assert None not in keys


# --- 4. prompt ----------------------------------------------------------------------------


@over_dialects
@given(data=st.data())
def test_text_without_markers_leaves_in_the_same_feed(name: str, data: st.DataObject) -> None:
    scanner = scanner_of(name)
    for chunk in data.draw(st.lists(plain_text(MARKUP[name]), max_size=5)):
        assert text_of(scanner.feed(chunk)) == chunk
    assert scanner.flush() == []


@over_dialects
def test_a_chunk_that_is_all_text_is_handed_on_itself(name: str) -> None:
    chunk = f"plain text for {name}"
    (event,) = scanner_of(name).feed(chunk)
    assert event.text is chunk


@over_dialects
@given(data=st.data())
def test_hold_back_is_bounded(name: str, data: st.DataObject) -> None:
    text, pieces = data.draw(cut_soup(name))
    scanner = scanner_of(name, tools=ALL_TOOLS)
    told = [event for piece in pieces for event in scanner.feed(piece)]
    held = kept_plain(scanner.flush())
    # A section is kept until its first call: it may turn out to have been text. Thinking in it is
    # told, and the opener before that is not text then.
    thought = any(isinstance(event, toolspeak.ThinkingEnd) for event in told)
    in_section = MARKUP[name].opens_a_section(held) or (
        thought and any(opener.search(text) for opener in MARKUP[name].opens)
    )
    assert in_section or len(held.encode()) <= HOLD_BACK, f"held {held!r}"


def kept_plain(events: Sequence[Event]) -> str:
    """Text and thinking of the events."""
    return "".join(
        event.text if isinstance(event, toolspeak.Text) else event.delta
        for event in events
        if isinstance(event, (toolspeak.Text, toolspeak.ThinkingDelta))
    )


# --- 6. total -----------------------------------------------------------------------------


@over_dialects
@given(pieces=st.lists(st.one_of(st.text(), st.binary()), max_size=8))
def test_no_input_raises(name: str, pieces: list[Piece]) -> None:
    events = run(scanner_of(name), pieces)
    check_thinking_balance(events)
    check_call_balance(events)


@over_dialects
def test_a_lone_surrogate_does_not_raise(name: str) -> None:
    assert text_of(run(scanner_of(name), ["a\ud83db"])).startswith("a")


@over_dialects
def test_a_character_cut_by_the_end_becomes_the_replacement_character(name: str) -> None:
    assert text_of(run(scanner_of(name), ["é😀".encode()[:-1]])) == "é\ufffd"
    assert text_of(run(scanner_of(name), [b"\xf0\x9f", "x"])) == "\ufffdx"


@over_dialects
@given(data=st.data())
def test_closed_scanner_refuses_input_and_flushes_nothing(name: str, data: st.DataObject) -> None:
    _, pieces = data.draw(cut_soup(name))
    scanner = scanner_of(name)
    run(scanner, pieces)
    assert scanner.flush() == []
    with pytest.raises(toolspeak.ScannerClosedError):
        scanner.feed("x")
    with pytest.raises(toolspeak.ScannerClosedError):
        scanner.feed("")


@over_dialects
@given(data=st.data())
def test_reset_gives_a_new_scanner(name: str, data: st.DataObject) -> None:
    _, before = data.draw(cut_soup(name))
    text, pieces = data.draw(cut_soup(name))
    expected = joined(run(scanner_of(name, tools=ALL_TOOLS), [text]))
    scanner = scanner_of(name, tools=ALL_TOOLS)
    for piece in before:
        scanner.feed(piece)
    scanner.reset()
    assert joined(run(scanner, pieces)) == expected
    scanner.reset()
    assert joined(run(scanner, pieces)) == expected


@over_dialects
@given(data=st.data())
def test_empty_pieces_give_nothing(name: str, data: st.DataObject) -> None:
    _, pieces = data.draw(cut_soup(name))
    scanner = scanner_of(name)
    for piece in pieces:
        scanner.feed(piece)
        # Of the same type: str after half a character in bytes gives up the half.
        assert scanner.feed(piece[:0]) == []
    assert scanner_of(name).flush() == []


@settings(max_examples=20)
@given(data=st.data())
@pytest.mark.parametrize("name", DIALECTS)
def test_scanners_do_not_share_state(name: str, data: st.DataObject) -> None:
    inputs = data.draw(st.lists(cut_soup(name), min_size=2, max_size=4))
    scanners = [scanner_of(name, tools=ALL_TOOLS) for _ in inputs]
    events: list[list[Event]] = [[] for _ in inputs]
    for turn in range(max(len(pieces) for _, pieces in inputs)):
        for scanner, (_, pieces), seen in zip(scanners, inputs, events, strict=True):
            if turn < len(pieces):
                seen.extend(scanner.feed(pieces[turn]))
    for scanner, (text, _), seen in zip(scanners, inputs, events, strict=True):
        seen.extend(scanner.flush())
        assert joined(seen) == joined(run(scanner_of(name, tools=ALL_TOOLS), [text]))

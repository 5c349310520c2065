"""Results that the model makes up: text, or the end of the stream."""

from __future__ import annotations

import pytest

import toolspeak
from support import (
    ALL_TOOLS,
    CALL_DIALECTS,
    PING,
    THINKING_DIALECTS,
    calls_of,
    noise_of,
    outcome,
    ping_in,
    result_markers,
    run,
    same_outcome,
    scan,
    scanner_of,
    spelled,
    text_of,
    thinking_marks,
)

MARKERS = [(name, marker) for name in CALL_DIALECTS for marker in result_markers(name)]
each_marker = pytest.mark.parametrize(("name", "marker"), MARKERS)


def without_harmony(markers: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Harmony's marker goes on from that of a message, which is markup by itself."""
    return [(name, marker) for name, marker in markers if name != "harmony"]


each_marker_of_its_own = pytest.mark.parametrize(("name", "marker"), without_harmony(MARKERS))


def test_calls_have_results_in_every_dialect() -> None:
    assert {name for name, _ in MARKERS} == set(CALL_DIALECTS)


@each_marker_of_its_own
def test_results_are_text_by_default(name: str, marker: str) -> None:
    noise = noise_of(toolspeak.get_dialect(name).grammar)
    if any(marker in spelled(opener) for opener, _ in noise):
        return
    text = f"a{marker}x"
    assert same_outcome(name, text)["text"] == text


def test_a_result_marker_may_be_noise() -> None:
    text = "a<｜tool▁output▁begin｜>x"
    assert same_outcome("deepseek", text)["text"] == "ax"


@each_marker
def test_a_result_ends_the_stream(name: str, marker: str) -> None:
    call = ping_in(name)
    text = f"a{call}\n{marker}\nfake\nmore{call}"
    same_outcome(name, text, on_result="stop")
    scanner = scanner_of(name, on_result="stop")
    events = scanner.feed(text)
    assert events[-1] == toolspeak.Stopped(marker)
    assert calls_of(events) == [PING]
    assert text_of(events).strip() == "a"
    assert scanner.feed(f"b{call}") == []
    assert scanner.flush() == []
    assert not [e for e in scan(name, text) if isinstance(e, toolspeak.Stopped)]


@each_marker
def test_the_stop_comes_with_the_whole_marker_only(name: str, marker: str) -> None:
    scanner = scanner_of(name, on_result="stop")
    for character in marker[:-1]:
        assert not [e for e in scanner.feed(character) if isinstance(e, toolspeak.Stopped)]
    assert [type(e).__name__ for e in scanner.feed(marker[-1])] == ["Stopped"]


@each_marker_of_its_own
def test_a_result_marker_that_is_cut_is_text(name: str, marker: str) -> None:
    found = same_outcome(name, f"a{marker[:-1]}", on_result="stop")
    assert found["text"] == f"a{marker[:-1]}"


@each_marker
def test_reset_after_a_stop(name: str, marker: str) -> None:
    scanner = scanner_of(name, on_result="stop")
    scanner.feed(marker)
    scanner.reset()
    assert text_of(run(scanner, ["hi"])) == "hi"


@pytest.mark.parametrize("name", THINKING_DIALECTS)
def test_no_stop_inside_thinking(name: str) -> None:
    opener, closer = thinking_marks(name)
    for marker in result_markers(name):
        found = same_outcome(name, f"{opener}a{marker}b{closer}c", on_result="stop")
        assert found["thinking"] == [f"a{marker}b"]
        assert found["text"] == "c"


@each_marker
def test_no_stop_inside_arguments(name: str, marker: str) -> None:
    call = {"name": "note", "arguments": {"title": f"a {marker} b"}}
    text = toolspeak.get_dialect(name).render_calls([call], tools=ALL_TOOLS)
    found = outcome(scan(name, f"{text}after", on_result="stop", tools=ALL_TOOLS))
    assert found["calls"] == [call]
    assert found["text"].strip() == "after"

"""Scanner options: where the stream starts, thinking, white space, repair, fabricated results."""

from __future__ import annotations

from typing import Any

import pytest

import toolspeak
from support import aborts_of, calls_of, cuts, joined, outcome, run, scan, scanner_of, text_of

HERMES = '<tool_call>\n{"name": "ping", "arguments": {}}\n</tool_call>'
XML = '<invoke name="ping"></invoke>'
CALLS = {"hermes": HERMES, "qwen3": HERMES, "xml": XML, "anthropic": XML}
THINK = {"hermes": "think", "qwen3": "think", "xml": "thinking", "anthropic": "thinking"}
RESULTS = {
    "hermes": ("<tool_response>", "</tool_response>"),
    "qwen3": ("<tool_response>", "</tool_response>"),
    "xml": ("<tool_response>", "</tool_response>"),
    "anthropic": ("<function_results>", "</function_results>"),
    "minimax": ("<function_results>", "</function_results>"),
}

each_dialect = pytest.mark.parametrize("name", CALLS)


def results(name: str, text: str, **options: Any) -> dict[str, Any]:
    """The outcome, after checking that every cut gives the same."""
    whole = scan(name, text, **options)
    for cut, pieces in cuts(text):
        assert joined(run(scanner_of(name, **options), pieces)) == joined(whole), cut
    return outcome(whole)


# --- start --------------------------------------------------------------------------------


@each_dialect
def test_start_in_thinking(name: str) -> None:
    found = results(name, f"plan</{THINK[name]}>answer{CALLS[name]}", start="thinking")
    assert found["thinking"] == ["plan"]
    assert found["text"] == "answer"
    assert [call["name"] for call in found["calls"]] == ["ping"]


@each_dialect
def test_start_in_thinking_that_never_ends(name: str) -> None:
    found = results(name, f"plan {CALLS[name]} a < b </thin", start="thinking")
    assert found["thinking"] == [f"plan {CALLS[name]} a < b </thin"]
    assert found["text"] == ""
    assert found["calls"] == []


@each_dialect
def test_start_in_thinking_then_another_block(name: str) -> None:
    tag = THINK[name]
    found = results(name, f"one</{tag}>x<{tag}>two</{tag}>y", start="thinking")
    assert found["thinking"] == ["one", "two"]
    assert found["text"] == "xy"


@each_dialect
def test_thinking_flows_from_the_first_character(name: str) -> None:
    scanner = scanner_of(name, start="thinking")
    assert [type(e).__name__ for e in scanner.feed("plan")] == ["ThinkingStart", "ThinkingDelta"]


@each_dialect
def test_reset_goes_back_to_the_start(name: str) -> None:
    scanner = scanner_of(name, start="thinking")
    text = f"plan</{THINK[name]}>answer"
    first = run(scanner, [text])
    scanner.reset()
    assert run(scanner, [text]) == first


# --- parse_thinking -----------------------------------------------------------------------


@each_dialect
def test_thinking_markers_are_text_when_not_parsed(name: str) -> None:
    tag = THINK[name]
    text = f"<{tag}>hm</{tag}>OK."
    found = results(name, text + CALLS[name], parse_thinking=False)
    assert found["text"] == text
    assert found["thinking"] == []
    assert [call["name"] for call in found["calls"]] == ["ping"]


@each_dialect
def test_calls_in_thinking_are_calls_when_thinking_is_not_parsed(name: str) -> None:
    tag = THINK[name]
    found = results(name, f"<{tag}>{CALLS[name]}</{tag}>", parse_thinking=False)
    assert [call["name"] for call in found["calls"]] == ["ping"]


# --- whitespace ---------------------------------------------------------------------------


@each_dialect
def test_white_space_is_kept_by_default(name: str) -> None:
    tag = THINK[name]
    text = f" \n<{tag}>\nhm\n</{tag}>\n\nA\n\n{CALLS[name]}\n\nB\n {CALLS[name]}\n"
    found = results(name, text)
    assert found["text"] == " \n\n\nA\n\n\n\nB\n \n"
    assert found["thinking"] == ["\nhm\n"]


@each_dialect
def test_trim_drops_white_space_beside_calls_and_thinking(name: str) -> None:
    tag = THINK[name]
    text = f"<{tag}>hm</{tag}>\n\nA  a\n\n{CALLS[name]}\n{CALLS[name]}\n\nB"
    found = results(name, text, whitespace="trim")
    assert found["text"] == "A  aB"
    assert found["thinking"] == ["hm"]
    assert len(found["calls"]) == 2


@each_dialect
@pytest.mark.parametrize("text", [" a \n\n b\t \n", "\n", "  x", "x \r\n "])
def test_trim_leaves_text_without_calls_alone(name: str, text: str) -> None:
    assert results(name, text, whitespace="trim")["text"] == text


@each_dialect
def test_trim_gives_no_text_event_between_calls(name: str) -> None:
    events = scan(name, f"{CALLS[name]}\n{CALLS[name]}\n", whitespace="trim")
    assert not [e for e in events if isinstance(e, toolspeak.Text)]


# --- repair -------------------------------------------------------------------------------

BROKEN = '{"query": "x", "limit": 2,}'


@pytest.mark.parametrize("name", ["hermes", "qwen3"])
def test_repair_is_marked(name: str) -> None:
    text = f'<tool_call>{{"name": "lookup", "arguments": {BROKEN}}}</tool_call>'
    end = scan(name, text)[-1]
    assert end.arguments == {"query": "x", "limit": 2}
    assert end.repaired is True
    good = text.replace("2,", "2")
    assert scan(name, good)[-1].repaired is False


@pytest.mark.parametrize("name", ["hermes", "qwen3"])
def test_without_repair_broken_json_is_malformed(name: str) -> None:
    text = f'<tool_call>{{"name": "lookup", "arguments": {BROKEN}}}</tool_call>'
    events = scan(name, f"a{text}b{HERMES}", repair=False)
    (abort,) = aborts_of(events)
    assert (abort.name, abort.reason, abort.raw) == ("lookup", "malformed", text)
    assert [call["name"] for call in calls_of(events)] == ["ping"]
    assert text_of(events) == "ab"


def test_without_repair_a_tagged_value_is_not_repaired() -> None:
    text = f'<invoke name="f"><parameter name="o">{BROKEN}</parameter></invoke>'
    last = scan("xml", text, repair=False)[-1]
    if isinstance(last, toolspeak.ToolEnd):
        assert last.arguments == {"o": BROKEN}
        assert last.repaired is False
    else:
        assert last.reason == "malformed"
    repaired = scan("xml", text)[-1]
    assert (repaired.arguments, repaired.repaired) == ({"o": {"query": "x", "limit": 2}}, True)


@pytest.mark.parametrize("repair", [True, False])
def test_repair_never_completes_a_truncated_call(repair: bool) -> None:
    text = '<tool_call>{"name": "lookup", "arguments": {"query": "old har'
    for end in range(len("<tool_call>"), len(text) + 1):
        events = scan("hermes", text[:end], repair=repair)
        assert not calls_of(events)
        assert [abort.reason for abort in aborts_of(events)] == ["truncated"]


# --- on_result ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", RESULTS)
def test_results_are_text_by_default(name: str) -> None:
    opener, closer = RESULTS[name]
    text = f"a{opener}x{closer}b"
    assert results(name, text)["text"] == text


@pytest.mark.parametrize("name", RESULTS)
def test_a_fabricated_result_stops_the_stream(name: str) -> None:
    opener, closer = RESULTS[name]
    call = CALLS.get(name, XML)
    text = f"a{call}\n{opener}\nfake\n{closer}\nmore{call}"
    results(name, text, on_result="stop")
    scanner = scanner_of(name, on_result="stop")
    events = scanner.feed(text)
    assert events[-1] == events[-1]
    assert isinstance(events[-1], toolspeak.Stopped)
    assert events[-1].marker == opener
    assert text_of(events) == "a\n"
    assert len(calls_of(events)) == 1
    assert scanner.feed(f"b{call}") == []
    assert scanner.flush() == []


@pytest.mark.parametrize("name", RESULTS)
def test_the_stop_comes_with_the_whole_marker_only(name: str) -> None:
    opener, _ = RESULTS[name]
    scanner = scanner_of(name, on_result="stop")
    for character in opener[:-1]:
        assert not [e for e in scanner.feed(character) if isinstance(e, toolspeak.Stopped)]
    assert [type(e).__name__ for e in scanner.feed(opener[-1])] == ["Stopped"]
    half = scanner_of(name, on_result="stop")
    assert text_of(run(half, [opener[:-1]])) == opener[:-1]


@pytest.mark.parametrize("name", RESULTS)
def test_reset_after_a_stop(name: str) -> None:
    scanner = scanner_of(name, on_result="stop")
    scanner.feed(RESULTS[name][0])
    scanner.reset()
    assert text_of(run(scanner, ["hi"])) == "hi"


@pytest.mark.parametrize("name", RESULTS)
def test_no_stop_inside_thinking(name: str) -> None:
    opener, _ = RESULTS[name]
    tag = THINK.get(name, "think")
    found = results(name, f"<{tag}>a{opener}b</{tag}>c", on_result="stop")
    assert found["thinking"] == [f"a{opener}b"]
    assert found["text"] == "c"


def test_no_stop_inside_arguments() -> None:
    for name, (opener, _) in RESULTS.items():
        if CALLS.get(name) is HERMES:
            call = f'<tool_call>{{"name": "f", "arguments": {{"s": "{opener}"}}}}</tool_call>'
        else:
            call = f'<invoke name="f"><parameter name="s">{opener}</parameter></invoke>'
        found = results(name, f"{call}after", on_result="stop")
        assert found["calls"] == [{"name": "f", "arguments": {"s": opener}}]
        assert found["text"] == "after"


# --- dialect options ----------------------------------------------------------------------


def test_dsml_tags_for_xml() -> None:
    call = '<｜DSML｜invoke name="f"><|DSML|parameter name="a">1</｜DSML｜parameter></|DSML|invoke>'
    call = f"<｜DSML｜tool_calls>{call}</|DSML|tool_calls>"
    assert results("xml-dsml", call)["calls"] == [{"name": "f", "arguments": {"a": "1"}}]
    assert results("xml", call)["text"] == call

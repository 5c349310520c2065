"""Faults that users of such parsers reported publicly, rebuilt as small inputs.

They stand in `reports.jsonl` and `reports2.jsonl`.

Each case must come out as reported right, cut as reported and in every standard way. What differs
on purpose is in `reports_results.json`, by case: other scanner `options` or another `dialect`, the
`expected` fields that differ, always with a `reason`. A case whose dialect is not registered is
skipped as pending, under the name of its family.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

import toolspeak
from support import (
    ALIASES,
    DIALECTS,
    VECTORS,
    Event,
    Piece,
    Row,
    aborts_of,
    cuts,
    outcome,
    pieces_of,
    read_jsonl,
    run,
    same,
    scanner_of,
)

CASES = read_jsonl(VECTORS / "reports.jsonl") + read_jsonl(VECTORS / "reports2.jsonl")
RESULTS: dict[str, Row] = json.loads((VECTORS / "reports_results.json").read_text(encoding="utf-8"))

# Family of the report → the dialects it runs in.
FAMILIES: Mapping[str, tuple[str, ...]] = {
    "hermes": ("hermes",),
    "qwen3_coder": ("qwen3-coder",),
    "qwen_xml_drift": ("qwen3-coder",),
    "glm": ("glm",),
    "harmony": ("harmony",),
    "kimi_k2": ("kimi",),
    "kimi_k3": ("kimi-k3",),
    "anthropic": ("anthropic", "xml"),
    "function_attr": ("minicpm5",),
    "dsml": ("deepseek",),
    "deepseek_legacy": ("deepseek",),
    "gemma4": ("gemma",),
    "gemma3": ("pythonic",),
    "gemini_tool_code": ("gemini",),
    "minimax": ("minimax",),
    "minimax_m3": ("minimax-m3",),
    "thinking": ("thinking",),
    "bytes": ("thinking",),
    "json_repair": ("xml",),
    "render": ("qwen3-coder",),
}


# In the second file a family is named after its dialect.
FAMILY_OF: Mapping[str, tuple[str, ...]] = {name: (name,) for name in DIALECTS} | dict(FAMILIES)


def dialects_of(case: Row) -> tuple[str, ...]:
    """The dialects that a case runs in; its own hint and the results table win."""
    chosen = RESULTS.get(case["id"], {}).get("dialect")
    if chosen:
        return (chosen,)
    hint = case.get("dialect_hint")
    return FAMILIES[hint] if hint else FAMILY_OF[case["family"]]


def parameters(*modes: str) -> list[Any]:
    """One test parameter for each case of these modes and each of its dialects."""
    return [
        pytest.param(case, name, id=f"{case['id']}-{name}")
        for case in CASES
        if case["mode"] in modes
        for name in dialects_of(case)
    ]


def require(case: Row, name: str) -> None:
    """Skips a case that is not run, for a reason that is told."""
    reason = RESULTS.get(case["id"], {}).get("not_run")
    if reason:
        pytest.skip(reason)
    if ALIASES.get(name, (name,))[0] not in DIALECTS:
        pytest.skip(f"pending: family {case['family']}, no dialect {name}")


def expected_of(case: Row) -> Row:
    """What is right here: as reported, or the other result that the table tells; then no notes."""
    differs = RESULTS.get(case["id"], {}).get("expected")
    return {**case["expected"], "notes": "", **differs} if differs else dict(case["expected"])


def scanner_for(case: Row, name: str, **more: Any) -> Any:
    told = {key: value for key, value in case.get("options", {}).items() if key != "needed"}
    options = {**told, **RESULTS.get(case["id"], {}).get("options", {})}
    start = case["start_state"]
    return scanner_of(name, **{"tools": case["tools"], "start": start, **options, **more})


# --- cutting ------------------------------------------------------------------------------


def reported_pieces(case: Row) -> list[Piece]:
    """The input cut as in the report; in mode `bytes` the pieces are hex."""
    chunking = case["chunking"]
    if isinstance(chunking, list):
        return [bytes.fromhex(p) for p in chunking] if case["mode"] == "bytes" else list(chunking)
    return [case["raw"]] if chunking == "whole" else pieces_of(case["raw"], int(chunking))


def all_pieces(case: Row) -> Iterator[tuple[str, list[Piece]]]:
    reported = reported_pieces(case)
    yield "as reported", reported
    if case["mode"] == "bytes":
        data = b"".join(piece for piece in reported if isinstance(piece, bytes))
        for size in (1, 2, 3, 5, 7, len(data)):
            yield f"{size} bytes", pieces_of(data, size)
    else:
        yield from cuts(case["raw"])


# --- comparing ----------------------------------------------------------------------------


def matches(found: str, expected: str | None, comparison: str) -> bool:
    """Whether text is as expected, under the case's rule for white space."""
    if expected is None:
        return True
    if comparison == "exact":
        return found == expected
    if comparison == "collapse-ws":
        return found.split() == expected.split()
    return found.strip() == expected.strip()


def check(case: Row, events: list[Event], cut: str) -> None:
    found = outcome(events)
    expected = expected_of(case)
    told = f"cut: {cut}\nfound:    {found}\nexpected: {expected}"
    assert matches(found["text"], expected["text"], case["text_cmp"]), told
    thinking = "".join(found["thinking"])
    assert matches(thinking, expected["thinking"], case.get("thinking_cmp", "strip")), told
    assert same(found["calls"], expected["calls"]), told


@pytest.mark.parametrize(("case", "name"), parameters("scan", "bytes"))
def test_case(case: Row, name: str) -> None:
    require(case, name)
    for cut, pieces in all_pieces(case):
        check(case, run(scanner_for(case, name), pieces), cut)


@pytest.mark.parametrize(("case", "name"), parameters("scan", "bytes"))
def test_no_call_vanishes(case: Row, name: str) -> None:
    """A broken or cut call is reported: repaired or aborted, never dropped without a sign."""
    require(case, name)
    events = run(scanner_for(case, name), [case["raw"]])
    notes = expected_of(case)["notes"]
    if "repaired=true" in notes or "mark as repaired" in notes:
        ends = [event for event in events if isinstance(event, toolspeak.ToolEnd)]
        assert all(event.repaired for event in ends)
        assert ends or aborts_of(events)
    starts = sum(isinstance(event, toolspeak.ToolStart) for event in events)
    assert starts <= sum(isinstance(e, (toolspeak.ToolEnd, toolspeak.ToolAbort)) for e in events)
    assert events or not case["raw"] or RESULTS.get(case["id"], {}).get("nothing")


# --- large forms --------------------------------------------------------------------------


def large_form(case: Row) -> str:
    repeat = case["raw_repeat"]
    text = repeat["prefix"] + repeat["unit"] * repeat["times"] + repeat.get("middle", "")
    return str(text + repeat.get("unit_close", "") * repeat["times"] + repeat["suffix"])


LARGE = [p for p in parameters("scan") if "raw_repeat" in p.values[0]]


@pytest.mark.parametrize(("case", "name"), LARGE)
def test_large_form(case: Row, name: str) -> None:
    require(case, name)
    text = large_form(case)
    limits = toolspeak.Limits(max_call_bytes=2 * len(text))
    events = run(scanner_for(case, name, limits=limits), pieces_of(text, 4096))
    if RESULTS.get(case["id"], {}).get("large") == "limit":
        assert [event.reason for event in aborts_of(events)] == ["limit"]
    elif case["expected"]["calls"]:
        (end,) = [event for event in events if isinstance(event, toolspeak.ToolEnd)]
        assert len(end.raw) > len(text) // 2
    else:
        assert not outcome(events)["calls"]


# --- repair of JSON -----------------------------------------------------------------------


def repaired_value(text: str) -> tuple[Any, Any]:
    """What broken JSON becomes as an untyped argument, and the event that told so."""
    call = f'<invoke name="f"><parameter name="a">{text}</parameter></invoke>'
    last = run(scanner_of("xml"), [call])[-1]
    return last.arguments.get("a"), last


@pytest.mark.parametrize(("case", "name"), parameters("repair"))
def test_repair(case: Row, name: str) -> None:
    require(case, name)
    found, event = repaired_value(case["raw"])
    expected = expected_of(case)
    assert isinstance(event, toolspeak.ToolEnd)
    if "suggestion" in expected["notes"]:
        return
    (call,) = expected["calls"]
    assert same(found, call["arguments"]), found
    if "flagged" in case["why"]:
        assert event.repaired


@pytest.mark.parametrize(
    ("case", "name"), [p for p in parameters("repair") if "raw_repeat" in p.values[0]]
)
def test_repair_of_a_large_form(case: Row, name: str) -> None:
    require(case, name)
    assert isinstance(repaired_value(large_form(case))[1], toolspeak.ToolEnd)


# --- rendering ----------------------------------------------------------------------------


@pytest.mark.parametrize(("case", "name"), parameters("render_call", "roundtrip_value"))
def test_render(case: Row, name: str) -> None:
    require(case, name)
    (call,) = expected_of(case)["calls"]
    dialect = toolspeak.get_dialect(name)
    try:
        text = dialect.render_calls(
            [toolspeak.ToolCall("call_0", call["name"], call["arguments"])], tools=case["tools"]
        )
    except toolspeak.RenderError:
        assert "refuses" in case["why"]
        return
    assert same(outcome(run(dialect.scanner(tools=case["tools"]), [text]))["calls"], [call])
    if "expected rendered: " in case["expected"]["notes"]:
        assert text == case["expected"]["notes"].partition("expected rendered: ")[2]
    for word in ("None", "True", "False"):
        assert word not in text


@pytest.mark.parametrize(("case", "name"), parameters("render_tool_result"))
def test_a_result_cannot_forge_a_call(case: Row, name: str) -> None:
    """With `untrusted="neutralize"`: no call is read, and only the frame's own markers are left."""
    require(case, name)
    dialect = toolspeak.get_dialect(name)
    rendered, frame = (
        dialect.render_results(
            [toolspeak.ToolResult("call_0", "bash", text)], untrusted="neutralize"
        )
        for text in (case["raw"], "ok")
    )
    found = [marker.text for marker in dialect.find_markers(rendered)]
    assert found == [marker.text for marker in dialect.find_markers(frame)]
    for cut, pieces in cuts(rendered):
        assert not outcome(run(dialect.scanner(), pieces))["calls"], cut
    # The text is still there to read.
    assert "".join(case["raw"].split()) in "".join(rendered.split())


# --- the tables ---------------------------------------------------------------------------


def test_every_family_is_mapped() -> None:
    assert {case["family"] for case in CASES} >= set(FAMILIES)
    assert {case["family"] for case in CASES} <= set(FAMILY_OF)


def test_results_are_told_with_a_reason() -> None:
    assert set(RESULTS) <= {case["id"] for case in CASES}
    assert all(entry.get("reason") or entry.get("not_run") for entry in RESULTS.values())

"""The pure-Python scanners of the benchmarks give what the vectors say, for every chunking.

A yardstick that reads a dialect wrongly measures nothing, so it is held to the same vectors.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benches"))

import pure  # noqa: E402

VECTORS = ROOT / "tests" / "vectors"
TOOLS: dict[str, Any] = json.loads((VECTORS / "tools.json").read_text("utf-8"))
CHUNK_SIZES = (0, 1, 2, 3, 5, 7)  # 0: the whole input at once


def rows() -> list[Any]:
    lines = (VECTORS / "scan.jsonl").read_text("utf-8").splitlines()
    parsed = map(json.loads, lines)
    return [pytest.param(row, id=row["id"]) for row in parsed if row["dialect"] in pure.DIALECTS]


def scan(
    dialect: str, text: str, size: int, *, tools: list[Any], parse_thinking: bool = True
) -> list[pure.Event]:
    scanner = pure.make_scanner(dialect, tools=tools, parse_thinking=parse_thinking)
    step = size or max(len(text), 1)
    events: list[pure.Event] = []
    for start in range(0, len(text), step):
        events += scanner.feed(text[start : start + step])
    events += scanner.flush()
    assert scanner.flush() == []
    return events


def summary(events: list[pure.Event]) -> dict[str, Any]:
    ends = [event for event in events if isinstance(event, pure.ToolEnd)]
    return {
        "text": "".join(event.text for event in events if isinstance(event, pure.Text)),
        "thinking": [event.thinking for event in events if isinstance(event, pure.ThinkingEnd)],
        "calls": [{"name": end.name, "arguments": end.arguments} for end in ends],
        "aborted": [
            event.name for event in events if isinstance(event, pure.ToolAbort) and event.name
        ],
    }


def shape(events: list[pure.Event]) -> list[str]:
    """The joined events without their ids, which differ from run to run."""
    return [
        repr(event).replace(getattr(event, "id", ""), "") if hasattr(event, "id") else repr(event)
        for event in pure.join_events(events)
    ]


@pytest.mark.parametrize("size", CHUNK_SIZES)
@pytest.mark.parametrize("row", rows())
def test_vectors(row: dict[str, Any], size: int) -> None:
    tools = [TOOLS[name] for name in row["tools"]]
    options: dict[str, Any] = {"tools": tools, "parse_thinking": row["parse_thinking"]}
    events = scan(row["dialect"], row["input"], size, **options)
    assert summary(events) == row["expected"]
    assert shape(events) == shape(scan(row["dialect"], row["input"], 0, **options))


@pytest.mark.parametrize("row", rows())
def test_starts_and_ends_balance(row: dict[str, Any]) -> None:
    events = scan(row["dialect"], row["input"], 3, tools=[])
    open_id = None
    for event in events:
        if isinstance(event, pure.ToolStart):
            assert open_id is None
            open_id = event.id
        elif isinstance(event, pure.ToolArgDelta):
            assert event.id == open_id
        elif isinstance(event, pure.ToolEnd) or (
            isinstance(event, pure.ToolAbort) and event.name is not None
        ):
            assert event.id == open_id
            open_id = None
    assert open_id is None


@pytest.mark.parametrize("dialect", pure.DIALECTS)
def test_feed_after_flush_is_an_error(dialect: str) -> None:
    scanner = pure.make_scanner(dialect)
    scanner.flush()
    with pytest.raises(RuntimeError):
        scanner.feed("x")

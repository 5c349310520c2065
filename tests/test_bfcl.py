"""Real tools and real calls: rendered in every dialect and read back equal.

The data are the function-calling sets of the Berkeley Function Calling Leaderboard.
"""

from __future__ import annotations

import random

import pytest

import toolspeak
from support import (
    CALL_DIALECTS,
    Row,
    aborts_of,
    calls_of,
    canonical,
    large_rows,
    random_cuts,
    run,
    text_of,
)


def check(name: str, row: Row) -> None:
    """One set of calls through the dialect and back, cut by a seed made of the row's id."""
    dialect = toolspeak.get_dialect(name)
    calls = [
        toolspeak.ToolCall(f"call_{i}", call["name"], call["arguments"])
        for i, call in enumerate(row["calls"])
    ]
    text = dialect.render_calls(calls, tools=row["tools"])
    rng = random.Random(f"{name} {row['id']}")
    pieces = random_cuts(text.encode() if rng.random() < 0.5 else text, rng)
    events = run(dialect.scanner(tools=row["tools"]), pieces)
    assert canonical(calls_of(events)) == canonical(row["calls"]), row["id"]
    assert not aborts_of(events), row["id"]
    assert not text_of(events).strip(), row["id"]
    assert not any(getattr(event, "repaired", False) for event in events), row["id"]


@pytest.mark.parametrize("name", CALL_DIALECTS)
def test_calls_come_back(name: str) -> None:
    rows = large_rows("bfcl_calls.jsonl")
    assert sum(len(row["calls"]) for row in rows) > 3000
    for row in rows:
        check(name, row)

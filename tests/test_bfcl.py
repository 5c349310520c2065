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
from toolspeak.tools.tool_set import ToolSet

# Nothing on the wire of these says what a value is, so that a string parameter holds strings only.
UNTYPED = {"glm", "qwen3-coder", "pi-native"}
ASCII_NAMES = {"pi-native"}


def may_be_refused(name: str, row: Row) -> bool:
    """Whether the dialect cannot carry these calls, by what it says of itself."""
    tools = ToolSet(row["tools"])
    arguments = [(c["name"], k, v) for c in row["calls"] for k, v in c["arguments"].items()]
    mistyped = any(
        tools.is_string_only(tool, key) and not isinstance(value, str)
        for tool, key, value in arguments
    )
    odd_name = any(not key.isascii() for _, key, _ in arguments)
    return (name in UNTYPED and mistyped) or (name in ASCII_NAMES and odd_name)


def check(name: str, row: Row) -> bool:
    """One set of calls through the dialect and back, cut by a seed made of the row's id.

    Answers whether the dialect could write it.
    """
    dialect = toolspeak.get_dialect(name)
    calls = [
        toolspeak.ToolCall(f"call_{i}", call["name"], call["arguments"])
        for i, call in enumerate(row["calls"])
    ]
    try:
        text = dialect.render_calls(calls, tools=row["tools"])
    except toolspeak.RenderError:
        assert may_be_refused(name, row), row["id"]
        return False
    rng = random.Random(f"{name} {row['id']}")
    pieces = random_cuts(text.encode() if rng.random() < 0.5 else text, rng)
    events = run(dialect.scanner(tools=row["tools"]), pieces)
    assert canonical(calls_of(events)) == canonical(row["calls"]), row["id"]
    assert not aborts_of(events), row["id"]
    assert not text_of(events).strip(), row["id"]
    assert not any(getattr(event, "repaired", False) for event in events), row["id"]
    return True


@pytest.mark.parametrize("name", CALL_DIALECTS)
def test_calls_come_back(name: str) -> None:
    rows = large_rows("bfcl_calls.jsonl")
    assert sum(len(row["calls"]) for row in rows) > 3000
    refused = sum(not check(name, row) for row in rows)
    assert refused < 120 if name in UNTYPED else refused == 0

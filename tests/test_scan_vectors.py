"""Recorded behaviour of each dialect: every row of `scan.jsonl`, cut in every standard way.

`deviations.json` holds the rows whose recorded result breaks a promise of the scanner, with the
right result and the reason (told in `DEVIATIONS.md`).
"""

from __future__ import annotations

import pytest

from support import (
    ALIASES,
    DIALECTS,
    VECTORS,
    Row,
    cuts,
    outcome,
    read_jsonl,
    run,
    same,
    scanner_of,
    tools_named,
)
from vector_rows import DEVIATIONS, expected_of

ROWS = read_jsonl(VECTORS / "scan.jsonl")
NAMES = sorted({row["dialect"] for row in ROWS})
REQUIRED = ("xml", "anthropic", "minimax", "hermes", "qwen3", "thinking")


def exists(name: str) -> bool:
    return ALIASES.get(name, (name,))[0] in DIALECTS


@pytest.mark.parametrize("name", REQUIRED)
def test_required_dialects_exist(name: str) -> None:
    assert name in DIALECTS


@pytest.mark.parametrize("name", NAMES)
def test_dialects_of_the_vectors_exist(name: str) -> None:
    if not exists(name):
        pytest.skip(f"dialect {name} is not registered; its vectors did not run")


@pytest.mark.parametrize(
    "row", [pytest.param(row, id=row["id"]) for row in ROWS if exists(row["dialect"])]
)
def test_vector(row: Row) -> None:
    expected = expected_of(row)
    tools = tools_named(row["tools"])
    for cut, pieces in cuts(row["input"]):
        scanner = scanner_of(row["dialect"], tools=tools, parse_thinking=row["parse_thinking"])
        found = outcome(run(scanner, pieces))
        assert same(found, expected), f"cut: {cut}\nfound:    {found}\nexpected: {expected}"


def test_deviations_name_vectors_that_exist() -> None:
    known = {row["id"] for row in ROWS + read_jsonl(VECTORS / "thinking.jsonl")}
    assert set(DEVIATIONS) <= known
    assert all(entry["reason"] for entry in DEVIATIONS.values())

"""The `thinking` dialect, which knows every thinking idiom and no calls: `thinking.jsonl`."""

from __future__ import annotations

import pytest

from support import VECTORS, Row, cuts, outcome, read_jsonl, run, same, scanner_of
from vector_rows import expected_of

ROWS = read_jsonl(VECTORS / "thinking.jsonl")


@pytest.mark.parametrize("row", [pytest.param(row, id=row["id"]) for row in ROWS])
def test_vector(row: Row) -> None:
    expected = expected_of(row)
    for cut, pieces in cuts(row["input"]):
        found = outcome(run(scanner_of(row["dialect"]), pieces))
        assert same(found, expected), f"cut: {cut}\nfound:    {found}\nexpected: {expected}"

"""The expected result of a vector, after the deviations that are written down."""

from __future__ import annotations

import json
from typing import Any

from support import VECTORS, Row

DEVIATIONS: dict[str, Row] = json.loads((VECTORS / "deviations.json").read_text(encoding="utf-8"))


def expected_of(row: Row) -> dict[str, Any]:
    """What the row's input must give; a deviation replaces the fields that it names."""
    deviation = DEVIATIONS.get(row["id"], {})
    return {**row["expected"], **deviation.get("expected", {})}

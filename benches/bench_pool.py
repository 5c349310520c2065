"""One step for many streams: a pool's one call beside one call for each stream."""

from __future__ import annotations

from typing import Any

import pytest

from questions.pool import STEPS, STREAMS, pool_contenders
from workloads import SHAPES

pytest.importorskip("toolspeak")


@pytest.mark.parametrize("how", ["pool", "calls", "bare calls"])
@pytest.mark.parametrize("state", ["prose", "argument"])
@pytest.mark.parametrize("count", STREAMS)
@pytest.mark.parametrize("dialect", SHAPES)
def bench_pool(benchmark: Any, dialect: str, count: int, state: str, how: str) -> None:
    benchmark.group = f"{STEPS} steps of {count} streams, {dialect}, {state}"
    start = SHAPES[dialect].opening if state == "argument" else ""
    benchmark.pedantic(pool_contenders(dialect, start, count)[how], rounds=20, warmup_rounds=2)

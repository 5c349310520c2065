"""The cost of one argument from 10 KB to 10 MB: it should grow with its size and no faster."""

from __future__ import annotations

from itertools import chain, repeat
from typing import Any

import pytest

from workloads import ENGINES, KB, MB, chunks_of, growth_document, scan_document

SIZES = {"10KB": 10 * KB, "100KB": 100 * KB, "1MB": MB, "10MB": 10 * MB}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("dialect", ["xml", "hermes"])
@pytest.mark.parametrize("feeding", ["chunks", "whole"])
def bench_growth(benchmark: Any, dialect: str, engine: str, size: str, feeding: str) -> None:
    benchmark.group = f"one call, {dialect}, {engine}, {feeding}"
    benchmark.extra_info["bytes"] = SIZES[size]
    opening, block, count, closing = growth_document(dialect, SIZES[size])
    document = opening + block * count + closing
    pieces = chunks_of(block)

    def run() -> None:
        if feeding == "whole":
            scan_document(engine, dialect, [document])
        else:
            stream = chain([opening], chain.from_iterable(repeat(pieces, count)), [closing])
            scan_document(engine, dialect, stream)

    benchmark.pedantic(run, rounds=3 if SIZES[size] > MB else 10, warmup_rounds=1)

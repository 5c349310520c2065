"""The cost of one argument from 10 KB to 10 MB: it should grow with its size and no faster.

And the cost of a chunk late in a stream, in every state: it should be that of an early one.
"""

from __future__ import annotations

from itertools import chain, repeat
from typing import Any

import pytest

from workloads import (
    ENGINES,
    KB,
    MB,
    Stream,
    chunks_of,
    drive,
    growth_document,
    open_streams,
    scan_document,
)

EARLIER = {"early": 0, "late": 50}  # runs of the same chunks before the one that is measured
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


@pytest.mark.parametrize("when", EARLIER)
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("stream", open_streams(4000), ids=lambda s: f"{s.dialect}-{s.name}")
def bench_late_chunks(benchmark: Any, stream: Stream, engine: str, when: str) -> None:
    benchmark.group = f"4000 chunks, {stream.dialect}, {stream.name}, {engine}"

    def started() -> tuple[tuple[object, ...], dict[str, object]]:
        feed = stream.scanner(engine).feed
        for _ in range(EARLIER[when]):
            drive(feed, stream.chunks)
        return (feed, stream.chunks), {}

    benchmark.pedantic(drive, setup=started, rounds=5, warmup_rounds=1)

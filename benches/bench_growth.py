"""The cost of one argument from 10 KB to 10 MB: it should grow with its size and no faster.

The same for the arguments of an open call that are looked at after each chunk, and for inputs that
users reported as growing faster. And the cost of a chunk late in a stream, in every state: it
should be that of an early one.
"""

from __future__ import annotations

from itertools import chain, repeat
from typing import Any

import pytest

from workloads import (
    KB,
    MB,
    SHAPES,
    Stream,
    chunks_of,
    drive,
    engines_for,
    growth_document,
    look_at_arguments,
    open_streams,
    reported,
    scan_document,
)

EARLIER = {"early": 0, "late": 50}  # runs of the same chunks before the one that is measured
SIZES = {"10KB": 10 * KB, "100KB": 100 * KB, "1MB": MB, "10MB": 10 * MB}
LOOKED_AT = {"20KB": 20 * KB, "40KB": 40 * KB, "80KB": 80 * KB, "160KB": 160 * KB}


CALLS = [(dialect, engine) for dialect in SHAPES for engine in engines_for(dialect)]
STREAMS = [
    pytest.param(stream, engine, id=f"{stream.dialect}-{stream.name}-{engine}")
    for stream in open_streams(4000)
    for engine in engines_for(stream.dialect)
]
REPORTED = {case.name: case for case in reported()}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("dialect", "engine"), CALLS)
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


@pytest.mark.parametrize("size", LOOKED_AT)
@pytest.mark.parametrize("dialect", SHAPES)
def bench_partial_arguments(benchmark: Any, dialect: str, size: str) -> None:
    """Each chunk is followed by a look at the arguments so far."""
    benchmark.group = f"partial arguments, {dialect}"
    opening, block, count, closing = growth_document(dialect, LOOKED_AT[size])
    stream = [opening, *chunks_of(block) * count, closing]
    benchmark.pedantic(look_at_arguments, (dialect, stream), rounds=3, warmup_rounds=1)


@pytest.mark.parametrize("times", [1, 2, 4])
@pytest.mark.parametrize("name", REPORTED)
def bench_reported(benchmark: Any, name: str, times: int) -> None:
    pytest.importorskip("toolspeak")
    case = REPORTED[name]
    benchmark.group = f"reported: {name}"
    pieces = case.pieces(times * min(case.times, 100 * KB))
    benchmark.pedantic(
        scan_document, ("toolspeak", case.dialect, pieces), rounds=5, warmup_rounds=1
    )


@pytest.mark.parametrize("when", EARLIER)
@pytest.mark.parametrize(("stream", "engine"), STREAMS)
def bench_late_chunks(benchmark: Any, stream: Stream, engine: str, when: str) -> None:
    benchmark.group = f"4000 chunks, {stream.dialect}, {stream.name}, {engine}"

    def started() -> tuple[tuple[object, ...], dict[str, object]]:
        feed = stream.scanner(engine).feed
        for _ in range(EARLIER[when]):
            drive(feed, stream.chunks)
        return (feed, stream.chunks), {}

    benchmark.pedantic(drive, setup=started, rounds=5, warmup_rounds=1)

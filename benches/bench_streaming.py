"""The cost of one small chunk: in prose, in a string argument, in thinking."""

from __future__ import annotations

from typing import Any

import pytest

import workloads
from workloads import Stream, conversations, drive, drive_floor, engines_for, plain_streams

STREAMS = [
    pytest.param(stream, engine, id=f"{stream.dialect}-{stream.name}-{engine}")
    for stream in (*plain_streams(), *conversations())
    for engine in engines_for(stream.dialect)
]


@pytest.mark.parametrize(("stream", "engine"), STREAMS)
def bench_chunks(benchmark: Any, stream: Stream, engine: str) -> None:
    benchmark.group = f"4-character chunks, {stream.dialect}, {stream.name}"

    def fresh() -> tuple[tuple[object, ...], dict[str, object]]:
        return (stream.scanner(engine).feed, stream.chunks), {}

    benchmark.pedantic(drive, setup=fresh, rounds=30, warmup_rounds=2)


def bench_floor(benchmark: Any) -> None:
    pytest.importorskip("toolspeak")
    benchmark.group = "4-character chunks, floor"
    chunks = plain_streams()[0].chunks
    benchmark(drive_floor, workloads.toolspeak.Text, chunks)

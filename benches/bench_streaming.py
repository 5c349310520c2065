"""The cost of one small chunk: in prose, in a string argument, in thinking."""

from __future__ import annotations

from typing import Any

import pytest

import workloads
from workloads import ENGINES, Stream, conversations, drive, drive_floor, plain_streams

STREAMS = [
    pytest.param(stream, id=f"{stream.dialect}-{stream.name}")
    for stream in (*plain_streams(), *conversations())
]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("stream", STREAMS)
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

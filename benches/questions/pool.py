"""The cost of one step for many streams: a pool's one call beside one call for each stream."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reporting import Report, number, times
from shapes import SHAPES, TOOLS
from timing import best_of
from workloads import CHUNK, chunks_of, plain_argument, toolspeak

POOL_MARK = 1.2  # a step costs at least this many times less than the calls it takes the place of
STREAMS = (64, 1024)
STEPS = 64

Batch = list[tuple[int, str]]


def pool(report: Report) -> None:
    report.heading(
        "Many streams at once",
        f"Nanoseconds per stream and step, each step a chunk of {CHUNK} characters for every "
        "stream. `pool` is one `ScannerPool.feed`; `calls` looks up each stream's scanner by its "
        "key and collects the events by key, as the pool does; `bare calls` only calls.",
    )
    rows = []
    for count in STREAMS:
        for dialect, shape in SHAPES.items():
            for state, start in {"prose": "", "argument": shape.opening}.items():
                seconds = best_of(
                    pool_contenders(dialect, start, count), rounds=report.rounds, budget=5
                )
                ratio = seconds["calls"] / seconds["pool"]
                where = f"{dialect}, {state}, {count} streams"
                report.at_least("calls ÷ pool, per step", where, ratio, POOL_MARK)
                cost = {name: 1e9 * value / count / STEPS for name, value in seconds.items()}
                ratios = [times(ratio), times(seconds["bare calls"] / seconds["pool"])]
                rows.append([where, *ratios, *(number(cost[name]) for name in cost)])
    head = ["where", "calls ÷ pool", "bare calls ÷ pool", "ns: pool", "calls", "bare calls"]
    report.table(head, rows)


def steps(count: int) -> list[Batch]:
    """What a server feeds in some steps: for each stream its next chunk, an object of its own."""
    chunks = chunks_of(plain_argument(CHUNK * count * STEPS))
    return [list(enumerate(chunks[step * count : (step + 1) * count])) for step in range(STEPS)]


def pool_contenders(dialect: str, start: str, count: int) -> dict[str, Callable[[], object]]:
    """Runs of all steps by name; the streams go on from run to run."""
    batches = steps(count)
    pooled = toolspeak.ScannerPool()
    for key, scanner in _scanners(dialect, start, count).items():
        pooled.add(key, scanner)
    apart = _scanners(dialect, start, count)
    return {
        "pool": lambda: _with_pool(pooled.feed, batches),
        "calls": lambda: _with_calls(apart, batches),
        "bare calls": lambda: _with_bare_calls(apart, batches),
    }


def _scanners(dialect: str, start: str, count: int) -> dict[int, Any]:
    scanner_of = toolspeak.get_dialect(dialect).scanner
    scanners = {key: scanner_of(tools=TOOLS) for key in range(count)}
    for scanner in scanners.values():
        scanner.feed(start)
    return scanners


def _with_pool(feed: Callable[[Batch], object], batches: list[Batch]) -> None:
    for batch in batches:
        events = feed(batch)  # noqa: F841


def _with_calls(scanners: dict[int, Any], batches: list[Batch]) -> None:
    for batch in batches:
        events = {}
        for key, chunk in batch:
            if found := scanners[key].feed(chunk):
                events[key] = found


def _with_bare_calls(scanners: dict[int, Any], batches: list[Batch]) -> None:
    for batch in batches:
        for key, chunk in batch:
            events = scanners[key].feed(chunk)  # noqa: F841

"""The cost per byte of large arguments, of reported inputs, and of chunks late in a stream."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, repeat

from reporting import Report, times
from timing import best_of
from workloads import (
    CHUNK,
    KB,
    MB,
    SHAPES,
    Reported,
    Stream,
    chunks_of,
    drive,
    engines_for,
    growth_document,
    open_streams,
    reported,
    scan_document,
)

GROWTH_MARK = 1.1  # a large input costs per byte at most this many times what a small one does
SIZES = {"10 KB": 10 * KB, "100 KB": 100 * KB, "1 MB": MB, "10 MB": 10 * MB}


def growth(report: Report) -> None:
    report.heading(
        "One long argument",
        "Cost per byte, relative to the argument of 10 KB. The whole call is read, from its "
        f"opening to `ToolEnd` with the value, in chunks of {CHUNK} or at once.",
    )
    rows = []
    for feeding in ("chunks", "whole"):
        for dialect, shape in SHAPES.items():
            for engine in engines_for(dialect):
                where = f"{shape.name} ({dialect}), {feeding}, {engine}"
                costs = _growth_costs(report, dialect, feeding, engine)
                first = costs["10 KB"]
                if engine == "toolspeak":
                    last = costs["10 MB"] / first
                    what = f"10 MB ÷ 10 KB per byte, {feeding}"
                    report.at_most(what, dialect, last, GROWTH_MARK)
                ratios = [times(cost / first) for cost in costs.values()]
                rows.append([where, *ratios, f"{1e9 * first:.3g}", f"{1e9 * costs['10 MB']:.3g}"])
    report.table(["call", *SIZES, "ns/byte: 10 KB", "10 MB"], rows)


def _growth_costs(report: Report, dialect: str, feeding: str, engine: str) -> dict[str, float]:
    """Seconds per byte for each size."""
    runs: dict[str, Callable[[], object]] = {}
    # Small arguments are read many times in a run: runs last equally long, and meet with as many
    # disturbances.
    total = max(SIZES.values())
    for name, size in SIZES.items():
        runs[name] = _growth_run(dialect, feeding, engine, size, total // size)
    seconds = best_of(runs, rounds=report.rounds, budget=8)
    return {name: seconds[name] / total for name in SIZES}


def _growth_run(
    dialect: str, feeding: str, engine: str, size: int, times: int
) -> Callable[[], object]:
    opening, block, count, closing = growth_document(dialect, size)
    document = [opening + block * count + closing] if feeding == "whole" else []
    pieces = chunks_of(block)

    def run() -> None:
        for _ in range(times):
            body = chain.from_iterable(repeat(pieces, count))
            scan_document(engine, dialect, document or chain([opening], body, [closing]))

    return run


def growth_of_reports(report: Report) -> None:
    report.heading(
        "What users have reported",
        "Inputs that were reported to cost more than they should, with a part that is repeated, "
        "cut as reported. Cost per byte with n, 2n and 4n repetitions, relative to n.",
    )
    rows = []
    for case in reported():
        base = min(case.times, 200 * KB)
        runs: dict[str, Callable[[], object]] = {}
        sizes = {}
        for factor in (1, 2, 4):
            pieces = case.pieces(factor * base)
            sizes[str(factor)] = sum(len(piece.encode()) for piece in pieces)
            runs[str(factor)] = document_run("toolspeak", case.dialect, pieces)
        seconds = best_of(runs, rounds=report.rounds, budget=10)
        costs = {factor: seconds[factor] / size for factor, size in sizes.items()}
        ratios = [cost / costs["1"] for cost in costs.values()]
        report.at_most("4n ÷ n per byte, as reported", case.name, ratios[-1], GROWTH_MARK)
        rows.append([_case(case), f"{base:,}", *map(times, ratios), f"{1e9 * costs['1']:.3g}"])
    report.table(["case", "n", "n", "2n", "4n", "ns/byte: n"], rows)


def _case(case: Reported) -> str:
    return f"{case.name} ({case.dialect}, {f'chunks of {case.chunk}' if case.chunk else 'whole'})"


def late(report: Report) -> None:
    count, before = 4000, 50
    report.heading(
        "Late in a stream",
        f"Cost of {count:,} chunks after {before * count:,} others in the same state, relative to "
        "the first ones. Each chunk holds a character that could begin a marker and does not.",
    )
    rows = []
    for stream in open_streams(count):
        runs: dict[str, Callable[[], object]] = {}
        engines = engines_for(stream.dialect)
        for engine in engines:
            runs |= _late_contenders(stream, engine, before)
        seconds = best_of(runs, rounds=report.rounds)
        ratios = [seconds[f"{engine} late"] / seconds[f"{engine} early"] for engine in engines]
        where = f"{stream.dialect}, {stream.name}"
        report.at_most("late ÷ early chunk", where, ratios[0], GROWTH_MARK)
        rows.append([where, *map(times, ratios), *[""] * (2 - len(ratios))])
    report.table(["where", "toolspeak", "pure"], rows)


def _late_contenders(stream: Stream, engine: str, before: int) -> dict[str, Callable[[], object]]:
    used = stream.scanner(engine).feed
    for _ in range(before):
        drive(used, stream.chunks)
    return {
        f"{engine} early": lambda: drive(stream.scanner(engine).feed, stream.chunks),
        f"{engine} late": lambda: drive(used, stream.chunks),
    }


def document_run(engine: str, dialect: str, pieces: list[str]) -> Callable[[], object]:
    return lambda: scan_document(engine, dialect, pieces)

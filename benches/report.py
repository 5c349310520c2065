"""Runs all questions of the benchmarks once and writes the answers into README.md.

    python benches/report.py [--quick] [--print-only]

Figures of one run are compared with each other only: every answer is first of all a ratio.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from importlib import metadata
from itertools import chain, repeat
from pathlib import Path
from time import perf_counter

from timing import best_of
from workloads import (
    CHUNK,
    KB,
    MB,
    SHAPES,
    TOOLS,
    Reported,
    Stream,
    adversarial,
    bulk_texts,
    chunks_of,
    conversations,
    drive,
    drive_floor,
    engines_for,
    growth_document,
    open_streams,
    plain_streams,
    prose,
    reported,
    scan_document,
    toolspeak,
)

README = Path(__file__).parent / "README.md"
BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"

# A chunk costs at most this many times `[Text(chunk)]`.
FLOOR_MARKS = {"prose": 1.5, "thinking": 2.0, "argument": 2.0}
GROWTH_MARK = 1.2  # 10 MB cost per byte at most this many times what 10 KB do
PURE_MARK = 5.0  # a chunk is read at least this many times faster than by the pure scanner
SIZES = {"10 KB": 10 * KB, "100 KB": 100 * KB, "1 MB": MB, "10 MB": 10 * MB}


@dataclass(frozen=True)
class Mark:
    """What is asked of a figure, and what was measured in each place."""

    what: str
    bound: float
    at_most: bool
    measured: dict[str, float] = field(default_factory=dict)

    def missed(self) -> list[str]:
        """Where it was missed."""
        return [
            where
            for where, value in self.measured.items()
            if (value > self.bound if self.at_most else value < self.bound)
        ]

    def worst(self) -> str:
        """The place that is furthest on the wrong side."""
        return (max if self.at_most else min)(self.measured, key=self.measured.__getitem__)


@dataclass
class Report:
    """Lines of Markdown, and the marks with what was measured for each."""

    rounds: int
    lines: list[str] = field(default_factory=list)
    marks: dict[str, Mark] = field(default_factory=dict)

    def heading(self, text: str, note: str) -> None:
        self.lines += ["", f"### {text}", "", note, ""]

    def table(self, head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        self.lines.append(_row(head))
        self.lines.append(_row(["---", *["--:"] * (len(head) - 1)]))
        self.lines += map(_row, rows)

    def at_most(self, what: str, where: str, value: float, bound: float) -> None:
        self.marks.setdefault(what, Mark(what, bound, at_most=True)).measured[where] = value

    def at_least(self, what: str, where: str, value: float, bound: float) -> None:
        self.marks.setdefault(what, Mark(what, bound, at_most=False)).measured[where] = value


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _times(value: float) -> str:
    return (
        f"{value:.2g} ×" if value < 0.1 else f"{value:.2f} ×" if value < 100 else f"{value:.0f} ×"
    )


# --- the questions ------------------------------------------------------------------------


def streaming(report: Report) -> None:
    report.heading(
        f"One chunk of {CHUNK} characters",
        "`floor` is `[Text(chunk)]` made in Python: a list with one event, without any scanning. "
        "`beyond the floor` compares what the two scanners cost above it, in the dialects that "
        "the pure scanners read.",
    )
    rows = []
    for stream in (*plain_streams(), *conversations()):
        seconds = best_of(_chunk_contenders(stream), rounds=report.rounds)
        ours, floor = seconds["toolspeak"], seconds["floor"]
        where = f"{stream.dialect}, {stream.name}"
        if stream.name in FLOOR_MARKS:
            bound = FLOOR_MARKS[stream.name]
            report.at_most(f"chunk ÷ floor, {stream.name}", stream.dialect, ours / floor, bound)
        nanoseconds = [f"{1e9 * s / len(stream.chunks):.0f}" for s in (ours, floor)]
        rows.append([where, _times(ours / floor), *_beside_pure(report, where, seconds)])
        rows[-1] += nanoseconds
    head = ["where", "toolspeak ÷ floor", "pure ÷ floor", "pure ÷ toolspeak", "beyond the floor"]
    report.table([*head, "ns: toolspeak", "floor"], rows)


def _beside_pure(report: Report, where: str, seconds: dict[str, float]) -> list[str]:
    if "pure" not in seconds:
        return ["", "", ""]
    ours, pure, floor = seconds["toolspeak"], seconds["pure"], seconds["floor"]
    report.at_least("pure ÷ toolspeak, per chunk", where, pure / ours, PURE_MARK)
    beyond = (pure - floor) / max(ours - floor, floor / 100)
    return [_times(pure / floor), _times(pure / ours), _times(beyond)]


def _chunk_contenders(stream: Stream) -> dict[str, Callable[[], object]]:
    # A scanner per run is made inside the run: its cost is shared by thousands of chunks.
    def run(engine: str) -> Callable[[], object]:
        return lambda: drive(stream.scanner(engine).feed, stream.chunks)

    runs = {engine: run(engine) for engine in engines_for(stream.dialect)}
    return runs | {"floor": lambda: drive_floor(toolspeak.Text, stream.chunks)}


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
                ratios = [_times(cost / first) for cost in costs.values()]
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
            runs[str(factor)] = _document_run("toolspeak", case.dialect, pieces)
        seconds = best_of(runs, rounds=report.rounds, budget=10)
        costs = {factor: seconds[factor] / size for factor, size in sizes.items()}
        ratios = [cost / costs["1"] for cost in costs.values()]
        report.at_most("4n ÷ n per byte, as reported", case.name, ratios[-1], GROWTH_MARK)
        rows.append([_case(case), f"{base:,}", *map(_times, ratios), f"{1e9 * costs['1']:.3g}"])
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
        rows.append([where, *map(_times, ratios), *[""] * (2 - len(ratios))])
    report.table(["where", "toolspeak", "pure"], rows)


def _late_contenders(stream: Stream, engine: str, before: int) -> dict[str, Callable[[], object]]:
    used = stream.scanner(engine).feed
    for _ in range(before):
        drive(used, stream.chunks)
    return {
        f"{engine} early": lambda: drive(stream.scanner(engine).feed, stream.chunks),
        f"{engine} late": lambda: drive(used, stream.chunks),
    }


def bulk(report: Report) -> None:
    report.heading(
        "Whole texts",
        "Rates over 1 MB. `json.loads` reads the same text as one JSON string; `bytes.find` "
        "looks for an absent byte in the same bytes; `parse_many` reads 8 such texts on "
        f"{os.cpu_count()} cores.",
    )
    rows = []
    for name, (dialect, text) in bulk_texts().items():
        size = len(text.encode())
        runs = _bulk_contenders(dialect, text)
        seconds = best_of(runs, rounds=report.rounds, clock=perf_counter)
        rate = {key: size / value for key, value in seconds.items()}
        rate["parse_many"] *= 8
        ratios = [
            _times(rate["parse"] / rate["json.loads"]),
            _times(rate["parse"] / rate["bytes.find"]),
            _times(rate["parse_many"] / rate["parse"]),
            _times(rate["parse"] / rate["pure"]),
        ]
        rates = [f"{rate[key] / MB:,.0f}" for key in ("parse", "parse_many", "pure", "json.loads")]
        rows.append([name, *ratios, *rates])
    head = ["text", "parse ÷ json.loads", "parse ÷ bytes.find", "parse_many ÷ parse"]
    report.table([*head, "parse ÷ pure", "MB/s: parse", "parse_many", "pure", "json.loads"], rows)


def _bulk_contenders(dialect: str, text: str) -> dict[str, Callable[[], object]]:
    data, as_json = text.encode(), json.dumps(text, ensure_ascii=False)
    return {
        "parse": lambda: toolspeak.parse(text, dialect, tools=TOOLS),
        "parse_many": lambda: toolspeak.parse_many([text] * 8, dialect, tools=TOOLS),
        "pure": lambda: scan_document("pure", dialect, [text]),
        "json.loads": lambda: json.loads(as_json),
        "bytes.find": lambda: data.find(b"\x00"),
    }


def hostile(report: Report) -> None:
    size, growth = 100 * KB, 4
    report.heading(
        "Hostile text",
        f"Cost of {size // KB} KB that are built against scanners, relative to prose of the same "
        f"size fed in the same way (whole, or in chunks of {CHUNK}). What matters is that no "
        "figure grows with the size of the text: the last columns are the cost per byte relative "
        f"to a text of a quarter of the size. Plain prose fed whole costs next to nothing, so "
        "figures beside it are large.",
    )
    rows = []
    for dialect in SHAPES:
        small = adversarial(dialect, size // growth)
        for name, text in adversarial(dialect, size).items():
            runs = _hostile_contenders(dialect, {"prose": prose(size), "hostile": text})
            for feeding in _FEEDINGS:
                pieces = _cut(small[name], feeding)
                runs[f"small {feeding}"] = _document_run("toolspeak", dialect, pieces)
            seconds = best_of(runs, rounds=max(3, report.rounds // 3), budget=3)
            ratios = [
                _times(
                    seconds[f"{engine} {feeding} hostile"] / seconds[f"{engine} {feeding} prose"]
                )
                for engine in engines_for(dialect)
                for feeding in _FEEDINGS
            ]
            ratios += [""] * (4 - len(ratios))
            for feeding in _FEEDINGS:
                grown = seconds[f"toolspeak {feeding} hostile"] / seconds[f"small {feeding}"]
                where = f"{dialect}: {name}"
                what = f"{growth} × the hostile text, per byte, {feeding}"
                report.at_most(what, where, grown / growth, GROWTH_MARK)
                ratios.append(_times(grown / growth))
            rows.append([f"{dialect}: {name}", *ratios])
    columns = [f"{engine}, {feeding}" for engine in ("toolspeak", "pure") for feeding in _FEEDINGS]
    report.table(["text", *columns, "growth, whole", "growth, chunks"], rows)


_FEEDINGS = ("whole", "chunks")


def _cut(text: str, feeding: str) -> list[str]:
    return [text] if feeding == "whole" else chunks_of(text)


def _hostile_contenders(dialect: str, texts: dict[str, str]) -> dict[str, Callable[[], object]]:
    return {
        f"{engine} {feeding} {name}": _document_run(engine, dialect, _cut(text, feeding))
        for engine in engines_for(dialect)
        for feeding in _FEEDINGS
        for name, text in texts.items()
    }


def _document_run(engine: str, dialect: str, pieces: list[str]) -> Callable[[], object]:
    return lambda: scan_document(engine, dialect, pieces)


# --- the report ---------------------------------------------------------------------------


def _conditions(report: Report) -> list[str]:
    today = f"{datetime.now(timezone.utc):%Y-%m-%d}"
    python = f"{platform.python_implementation()} {platform.python_version()}"
    system = f"{platform.system()} {platform.machine()}"
    return [
        f"- {today}, toolspeak {metadata.version('toolspeak')}, {python}",
        f"- {system}, {_cpu()}, {os.cpu_count()} cores",
        f"- load before the run {os.getloadavg()[0]:.1f}",
        f"- at most {report.rounds} rounds per question",
    ]


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown CPU"


def _marks(report: Report) -> list[str]:
    lines = [
        "### Marks",
        "",
        _row(["what", "mark", "met", "worst", "missed in"]),
        _row(["---", "--:", "--:", "---", "---"]),
    ]
    for mark in report.marks.values():
        missed, worst = mark.missed(), mark.worst()
        bound = f"{'≤' if mark.at_most else '≥'} {mark.bound}"
        met = f"{len(mark.measured) - len(missed)} of {len(mark.measured)}"
        told = f"{mark.measured[worst]:.2f} ({worst})"
        names = "; ".join(f"{where} ({mark.measured[where]:.2f})" for where in missed)
        lines.append(_row([mark.what, bound, met, told, names]))
    return [*lines, ""]


def write(text: str) -> None:
    """Put the results between the markers of README.md."""
    page = README.read_text("utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    README.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", "utf-8")


QUESTIONS = (streaming, growth, growth_of_reports, late, bulk, hostile)


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--quick", action="store_true", help="few rounds, for a first look")
    arguments.add_argument("--print-only", action="store_true", help="leave README.md alone")
    options = arguments.parse_args()
    if toolspeak is None:
        print("toolspeak is not installed: build it first (maturin develop --release)")
        return 1
    report = Report(rounds=5 if options.quick else 25)
    conditions = _conditions(report)
    for question in QUESTIONS:
        print(f"{question.__name__} …", file=sys.stderr, flush=True)
        question(report)
    text = "\n".join([*conditions, "", *_marks(report), *report.lines[1:]])
    print(text)
    if not options.print_only:
        write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

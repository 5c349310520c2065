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
    ENGINES,
    KB,
    MB,
    TOOLS,
    Stream,
    adversarial,
    bulk_texts,
    chunks_of,
    conversations,
    drive,
    drive_floor,
    growth_document,
    open_streams,
    plain_streams,
    scan_document,
    toolspeak,
)

README = Path(__file__).parent / "README.md"
BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"

FLOOR_MARK = 2.0  # a plain chunk costs at most this many times `[Text(chunk)]`
GROWTH_MARK = 1.2  # 10 MB cost per byte at most this many times what 10 KB do
PURE_MARK = 5.0  # a chunk is read at least this many times faster than by the pure scanner
SIZES = {"10 KB": 10 * KB, "100 KB": 100 * KB, "1 MB": MB, "10 MB": 10 * MB}


@dataclass
class Report:
    """Lines of Markdown, and the marks with what was measured for each."""

    rounds: int
    lines: list[str] = field(default_factory=list)
    marks: list[tuple[str, float, str, bool]] = field(default_factory=list)

    def heading(self, text: str, note: str) -> None:
        self.lines += ["", f"### {text}", "", note, ""]

    def table(self, head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        self.lines.append(_row(head))
        self.lines.append(_row(["---", *["--:"] * (len(head) - 1)]))
        self.lines += map(_row, rows)

    def at_most(self, what: str, value: float, mark: float) -> None:
        self.marks.append((what, value, f"≤ {mark}", value <= mark))

    def at_least(self, what: str, value: float, mark: float) -> None:
        self.marks.append((what, value, f"≥ {mark}", value >= mark))


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
        "`beyond the floor` compares what the two scanners cost above it.",
    )
    rows = []
    for stream in (*plain_streams(), *conversations()):
        seconds = best_of(_chunk_contenders(stream), rounds=report.rounds)
        ours, pure, floor = seconds["toolspeak"], seconds["pure"], seconds["floor"]
        where = f"{stream.dialect}, {stream.name}"
        if stream.name != "conversation":
            report.at_most(f"chunk ÷ floor: {where}", ours / floor, FLOOR_MARK)
        report.at_least(f"pure ÷ toolspeak: {where}", pure / ours, PURE_MARK)
        per_chunk = [f"{1e9 * s / len(stream.chunks):.0f}" for s in (ours, pure, floor)]
        beyond = (pure - floor) / max(ours - floor, floor / 100)
        ratios = [ours / floor, pure / floor, pure / ours, beyond]
        rows.append([where, *map(_times, ratios), *per_chunk])
    head = ["where", "toolspeak ÷ floor", "pure ÷ floor", "pure ÷ toolspeak", "beyond the floor"]
    report.table([*head, "ns: toolspeak", "pure", "floor"], rows)


def _chunk_contenders(stream: Stream) -> dict[str, Callable[[], object]]:
    # A scanner per run is made inside the run: its cost is shared by thousands of chunks.
    def run(engine: str) -> Callable[[], object]:
        return lambda: drive(stream.scanner(engine).feed, stream.chunks)

    runs = {engine: run(engine) for engine in ENGINES}
    return runs | {"floor": lambda: drive_floor(toolspeak.Text, stream.chunks)}


def growth(report: Report) -> None:
    report.heading(
        "One long argument",
        "Cost per byte, relative to the argument of 10 KB. The whole call is read, from its "
        f"opening to `ToolEnd` with the value, in chunks of {CHUNK} or at once.",
    )
    rows = []
    for dialect in ("xml", "hermes"):
        for feeding in ("chunks", "whole"):
            for engine in ENGINES:
                where = f"{dialect}, {feeding}, {engine}"
                costs = _growth_costs(report, dialect, feeding, engine)
                first = costs["10 KB"]
                if engine == "toolspeak":
                    last = costs["10 MB"] / first
                    report.at_most(
                        f"10 MB ÷ 10 KB per byte: {dialect}, {feeding}", last, GROWTH_MARK
                    )
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
    seconds = best_of(runs, rounds=report.rounds, budget=20)
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


def late(report: Report) -> None:
    count, before = 4000, 50
    report.heading(
        "Late in a stream",
        f"Cost of {count:,} chunks after {before * count:,} others in the same state, relative to "
        'the first ones. Each chunk holds a "<" that begins no marker.',
    )
    rows = []
    for stream in open_streams(count):
        runs: dict[str, Callable[[], object]] = {}
        for engine in ENGINES:
            runs |= _late_contenders(stream, engine, before)
        seconds = best_of(runs, rounds=report.rounds)
        ratios = [seconds[f"{engine} late"] / seconds[f"{engine} early"] for engine in ENGINES]
        where = f"{stream.dialect}, {stream.name}"
        report.at_most(f"late ÷ early: {where}", ratios[0], GROWTH_MARK)
        rows.append([where, *map(_times, ratios)])
    report.table(["where", *ENGINES], rows)


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
    size = 100 * KB
    report.heading(
        "Hostile text",
        f"Cost of {size // KB} KB that are built against scanners, relative to prose of the same "
        f"size fed in the same way (whole, or in chunks of {CHUNK}). What matters is that no "
        "figure grows with the size of the text: the last column is the cost per byte of ten "
        "times as much text relative to this one, fed whole to toolspeak.",
    )
    rows = []
    for dialect in ("xml", "hermes"):
        prose = bulk_texts(size)[f"{dialect}: prose"][1]
        tenfold = adversarial(dialect, 10 * size)
        for name, text in adversarial(dialect, size).items():
            runs = _hostile_contenders(dialect, {"prose": prose, "hostile": text})
            runs["tenfold"] = _document_run("toolspeak", dialect, [tenfold[name]])
            seconds = best_of(runs, rounds=max(3, report.rounds // 3), budget=6)
            ratios = [
                _times(
                    seconds[f"{engine} {feeding} hostile"] / seconds[f"{engine} {feeding} prose"]
                )
                for engine in ENGINES
                for feeding in ("whole", "chunks")
            ]
            grown = seconds["tenfold"] / seconds["toolspeak whole hostile"] / 10
            rows.append([f"{dialect}: {name}", *ratios, _times(grown)])
    columns = [f"{engine}, {feeding}" for engine in ENGINES for feeding in ("whole", "chunks")]
    report.table(["text", *columns, "tenfold, per byte"], rows)


def _hostile_contenders(dialect: str, texts: dict[str, str]) -> dict[str, Callable[[], object]]:
    return {
        f"{engine} {feeding} {name}": _document_run(
            engine, dialect, [text] if feeding == "whole" else chunks_of(text)
        )
        for engine in ENGINES
        for feeding in ("whole", "chunks")
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
        _row(["what", "measured", "mark", ""]),
        _row(["---", "--:", "--:", "---"]),
    ]
    for what, value, mark, met in report.marks:
        lines.append(_row([what, f"{value:.2f}", mark, "met" if met else "**missed**"]))
    return [*lines, ""]


def write(text: str) -> None:
    """Put the results between the markers of README.md."""
    page = README.read_text("utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    README.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", "utf-8")


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
    for question in (streaming, growth, late, bulk, hostile):
        print(f"{question.__name__} …", file=sys.stderr, flush=True)
        question(report)
    text = "\n".join([*conditions, "", *_marks(report), *report.lines[1:]])
    print(text)
    if not options.print_only:
        write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

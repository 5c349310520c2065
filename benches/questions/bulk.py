"""The rate of reading whole texts, and of a large call beside `json.loads`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from time import perf_counter

from reporting import Report, number, times
from timing import best_of
from workloads import (
    MB,
    TOOLS,
    bulk_texts,
    dialect_of,
    engines_for,
    json_calls,
    literal_calls,
    scan_document,
    toolspeak,
)

RATE_MARKS = {"prose": 5.0, 'code full of "<"': 1.0}  # GB/s at least
CORES_MARK = 1.7  # `parse_many` on two cores is at least this many times faster than `parse`
JSON_MARK = 1.5  # a call costs at most this many times `json.loads` of its arguments
LITERAL_MARK = 2.0  # the same where its arguments are no JSON
TEXTS = 8  # for `parse_many`


def bulk(report: Report) -> None:
    report.heading(
        "Whole texts",
        "Rates over 1 MB. `json.loads` reads the same text as one JSON string; `bytes.find` "
        f"looks for an absent byte in the same bytes; `parse_many` reads {TEXTS} such texts on "
        f"{os.cpu_count()} cores, and stands beside as many calls of `parse`.",
    )
    rows = []
    for (what, dialect), text in bulk_texts().items():
        size = len(text.encode())
        runs = _contenders(dialect, text)
        seconds = best_of(runs, rounds=report.rounds, clock=perf_counter)
        rate = {key: size / value for key, value in seconds.items()}
        rate["parse_many"] *= TEXTS
        cores = seconds["parse in turn"] / seconds["parse_many"]
        report.at_least(f"parse_many ÷ parse, {what}", dialect, cores, CORES_MARK)
        if what in RATE_MARKS:
            gigabytes = rate["parse"] / 1e9
            report.at_least(f"parse, {what}", dialect, gigabytes, RATE_MARKS[what], " GB/s")
        ratios = [
            times(rate["parse"] / rate["json.loads"]),
            times(rate["parse"] / rate["bytes.find"]),
            times(cores),
            times(rate["parse"] / rate["pure"]) if "pure" in rate else "",
        ]
        shown = ("parse", "parse_many", "pure", "json.loads", "bytes.find")
        rates = [f"{rate[key] / MB:,.0f}" if key in rate else "" for key in shown]
        rows.append([f"{dialect}: {what}", *ratios, *rates])
    head = ["text", "parse ÷ json.loads", "parse ÷ bytes.find", "parse_many ÷ parse"]
    rates_head = ["MB/s: parse", "parse_many", "pure", "json.loads", "bytes.find"]
    report.table([*head, "parse ÷ pure", *rates_head], rows)


def _contenders(dialect: str, text: str) -> dict[str, Callable[[], object]]:
    data, as_json = text.encode(), json.dumps(text, ensure_ascii=False)
    texts = [text] * TEXTS
    runs: dict[str, Callable[[], object]] = {
        "parse": lambda: toolspeak.parse(text, dialect, tools=TOOLS),
        "parse in turn": lambda: [toolspeak.parse(one, dialect, tools=TOOLS) for one in texts],
        "parse_many": lambda: toolspeak.parse_many(texts, dialect, tools=TOOLS),
        "json.loads": lambda: json.loads(as_json),
        "bytes.find": lambda: data.find(b"\x00"),
    }
    if "pure" in engines_for(dialect):
        runs["pure"] = lambda: scan_document("pure", dialect, [text])
    return runs


def json_arguments(report: Report) -> None:
    report.heading(
        "A call of 1 MB whose arguments are JSON",
        "`parse` of the whole call beside `json.loads` of its arguments alone: one long string, "
        "of prose (few escapes), of code (many) or of Japanese (wide characters), or a nested "
        "object of many small values.",
    )
    _beside_json(report, "JSON", json_calls(), JSON_MARK)


def literal_arguments(report: Report) -> None:
    report.heading(
        "A call of 1 MB whose arguments are no JSON",
        "The same arguments as Python keywords, literals with quote tokens, and elements, beside "
        "`json.loads` of them as JSON.",
    )
    _beside_json(report, "literals", literal_calls(), LITERAL_MARK)


def _beside_json(
    report: Report, kind: str, calls: dict[tuple[str, str], tuple[str, str]], mark: float
) -> None:
    rows = []
    for (what, key), (text, arguments) in calls.items():
        seconds = best_of(_json_contenders(key, text, arguments), rounds=report.rounds)
        ratio = seconds["parse"] / seconds["json.loads"]
        report.at_most(f"parse ÷ json.loads, 1 MB call in {kind}, {what}", key, ratio, mark)
        milliseconds = [number(1e3 * seconds[name]) for name in ("parse", "json.loads")]
        rows.append([f"{key}: {what}", times(ratio), *milliseconds])
    report.table(["call", "parse ÷ json.loads", "ms: parse", "json.loads"], rows)


def _json_contenders(key: str, text: str, arguments: str) -> dict[str, Callable[[], object]]:
    dialect = dialect_of(key)
    return {
        "parse": lambda: toolspeak.parse(text, dialect, tools=TOOLS),
        "json.loads": lambda: json.loads(arguments),
    }

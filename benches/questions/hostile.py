"""The cost of text that is built against scanners, beside prose."""

from __future__ import annotations

from collections.abc import Callable

from reporting import Report, times
from timing import best_of
from workloads import CHUNK, KB, SHAPES, adversarial, chunks_of, engines_for, prose

from .growth import GROWTH_MARK, document_run

HOSTILE_MARK = 3.0  # in chunks, hostile text costs at most this many times what prose does

FEEDINGS = ("whole", "chunks")
TIMES = 4  # how much larger the hostile text is than the one whose growth it shows


def hostile(report: Report) -> None:
    size = 100 * KB
    report.heading(
        "Hostile text",
        f"Cost of {size // KB} KB that are built against scanners, relative to prose of the same "
        f"size fed in the same way (whole, or in chunks of {CHUNK}). The last columns are the "
        f"cost per byte relative to a text of 1/{TIMES} of the size: no figure may grow with it. "
        "Plain prose fed whole costs next to nothing, so figures beside it are large.",
    )
    rows = []
    for dialect in SHAPES:
        small = adversarial(dialect, size // TIMES)
        for name, text in adversarial(dialect, size).items():
            texts = {"prose": prose(size), "hostile": text, "small": small[name]}
            runs = _contenders(dialect, texts)
            seconds = best_of(runs, rounds=max(3, report.rounds // 3), budget=3)
            rows.append(_row(report, dialect, name, seconds))
    columns = [f"{engine}, {feeding}" for engine in ("toolspeak", "pure") for feeding in FEEDINGS]
    report.table(["text", *columns, "growth, whole", "growth, chunks"], rows)


def _row(report: Report, dialect: str, name: str, seconds: dict[str, float]) -> list[str]:
    where = f"{dialect}: {name}"
    beside_prose, grown = [], []
    for engine in engines_for(dialect):
        for feeding in FEEDINGS:
            cost = seconds[f"{engine} {feeding} hostile"]
            beside_prose.append(cost / seconds[f"{engine} {feeding} prose"])
            if engine == "toolspeak":
                grown.append(cost / seconds[f"{engine} {feeding} small"] / TIMES)
    report.at_most("hostile text ÷ prose, chunks", where, beside_prose[1], HOSTILE_MARK)
    for feeding, growth in zip(FEEDINGS, grown, strict=True):
        what = f"{TIMES} × the hostile text, per byte, {feeding}"
        report.at_most(what, where, growth, GROWTH_MARK)
    blanks = [""] * (4 - len(beside_prose))
    return [where, *map(times, beside_prose), *blanks, *map(times, grown)]


def _contenders(dialect: str, texts: dict[str, str]) -> dict[str, Callable[[], object]]:
    return {
        f"{engine} {feeding} {name}": document_run(
            engine, dialect, [text] if feeding == "whole" else chunks_of(text)
        )
        for engine in engines_for(dialect)
        for feeding in FEEDINGS
        for name, text in texts.items()
        if engine == "toolspeak" or name != "small"
    }

"""The cost of one small chunk."""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import partial

from reporting import Report, times
from timing import best_of
from workloads import (
    CHUNK,
    COMPARED,
    Stream,
    conversations,
    drive,
    drive_floor,
    engines_for,
    plain_streams,
    toolspeak,
)

# A chunk costs at most this many times `[Text(chunk)]`.
FLOOR_MARKS = {"prose": 1.5, "thinking": 1.5, "argument": 2.0}
# Where arguments are values that the core reads itself.
LITERALS = {"gemini", "gemma", "pi-native"}
LITERAL_ARGUMENT_MARK = 1.6
# A chunk is read at least this many times faster than by the pure scanner.
PURE_MARKS = {"prose": 6.0, "argument": 10.0}


# So many scanners' events are kept together.
KEEPERS = 10


def streaming(report: Report) -> None:
    report.heading(
        f"One chunk of {CHUNK} characters",
        "`floor` is `[Text(chunk)]` made in Python: a list with one event, without any scanning. "
        "`beyond the floor` compares what the two scanners cost above it, in the dialects that "
        "the pure scanners read. `many small calls` is thinking, text and calls in turn, "
        "each of them short.",
    )
    rows = []
    for stream in (*plain_streams(), *conversations()):
        seconds = best_of(_contenders(stream), rounds=report.rounds)
        ours, floor = seconds["toolspeak"], seconds["floor"]
        where = f"{stream.dialect}, {stream.name}"
        if stream.name in FLOOR_MARKS:
            what, bound = stream.name, FLOOR_MARKS[stream.name]
            if stream.name == "argument" and stream.dialect in LITERALS:
                what, bound = "argument of literals", LITERAL_ARGUMENT_MARK
            report.at_most(f"chunk ÷ floor, {what}", stream.dialect, ours / floor, bound)
        nanoseconds = [f"{1e9 * s / len(stream.chunks):.0f}" for s in (ours, floor)]
        rows.append([where, times(ours / floor), *_beside_pure(report, stream, seconds)])
        rows[-1] += nanoseconds
    head = ["where", "toolspeak ÷ floor", "pure ÷ floor", "pure ÷ toolspeak", "beyond the floor"]
    report.table([*head, "ns: toolspeak", "floor"], rows)


def kept(report: Report) -> None:
    report.heading(
        "Kept events",
        f"Nanoseconds per chunk of {CHUNK} characters where all events are kept in a list, with "
        "the garbage collector on and off. The events have no header for the collector, which "
        "therefore looks at none of them. A build with PyO3 0.30, whose classes all have one, "
        "took 352 ns with the collector on where one with PyO3 0.29 took 118.",
    )
    rows = []
    for stream in plain_streams():
        if stream.name != "prose" or stream.dialect not in COMPARED:
            continue
        runs = {"on": partial(_keep, stream, True), "off": partial(_keep, stream, False)}
        seconds = best_of(runs, rounds=report.rounds, budget=10)
        ratio = seconds["on"] / seconds["off"]
        report.at_most("kept events, collector on ÷ off", stream.dialect, ratio, 1.5)
        cost = [1e9 * seconds[name] / len(stream.chunks) / KEEPERS for name in runs]
        rows.append([stream.dialect, times(ratio), *(f"{each:.0f}" for each in cost)])
    report.table(["dialect", "on ÷ off", "ns: collector on", "off"], rows)


def _keep(stream: Stream, collector: bool) -> list[object]:
    if collector:  # it is off in a timed run
        gc.enable()
    events: list[object] = []
    for _ in range(KEEPERS):
        feed = stream.scanner("toolspeak").feed
        for chunk in stream.chunks:
            events += feed(chunk)
    return events


def _beside_pure(report: Report, stream: Stream, seconds: dict[str, float]) -> list[str]:
    if "pure" not in seconds:
        return ["", "", ""]
    ours, pure, floor = seconds["toolspeak"], seconds["pure"], seconds["floor"]
    if stream.name in PURE_MARKS:
        what = f"pure ÷ toolspeak per chunk, {stream.name}"
        report.at_least(what, stream.dialect, pure / ours, PURE_MARKS[stream.name])
    beyond = (pure - floor) / max(ours - floor, floor / 100)
    return [times(pure / floor), times(pure / ours), times(beyond)]


def _contenders(stream: Stream) -> dict[str, Callable[[], object]]:
    # A scanner per run is made inside the run: its cost is shared by thousands of chunks.
    def run(engine: str) -> Callable[[], object]:
        return lambda: drive(stream.scanner(engine).feed, stream.chunks)

    runs = {engine: run(engine) for engine in engines_for(stream.dialect)}
    return runs | {"floor": lambda: drive_floor(toolspeak.Text, stream.chunks)}

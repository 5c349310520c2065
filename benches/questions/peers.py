"""The cost of the same work in other libraries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from peers import (
    DETECTORS,
    Detector,
    Tokens,
    harmony_tokens,
    pieces_of,
    toolspeak_calls,
    versions,
    why_no_detectors,
    why_no_harmony,
)
from reporting import Report, number, times
from shapes import TOOLS
from timing import best_of
from workloads import CHUNK, KB, chunks_of, dialect_of, drive, plain_argument, prose, toolspeak

HARMONY_MARK = 5.0  # times faster per token than openai-harmony
SGLANG_MARK = 50.0  # times faster than SGLang's detectors, per chunk of a 10 KB argument
LINEAR_MARK = 1.1  # per byte, the argument of 40 KB beside that of 10 KB
SIZES = {"10 KB": 10 * KB, "20 KB": 20 * KB, "40 KB": 40 * KB}


def harmony(report: Report) -> None:
    report.heading(
        "Beside openai-harmony",
        f"Nanoseconds per token of its own dialect ({versions()}). It takes the ids of tokens and "
        "toolspeak their text; `with the delta` is what it takes to also read "
        "`last_content_delta`, which toolspeak's events hold.",
    )
    if reason := why_no_harmony():
        report.unmeasured("openai-harmony ÷ toolspeak, per token", reason)
        return
    rows = []
    for where, text in harmony_texts().items():
        tokens = harmony_tokens(text)
        if tokens.calls() != toolspeak_calls("harmony", tokens.texts):
            report.skip(f"openai-harmony, {where}", "the two do not read the same call")
            continue
        seconds = best_of(_harmony_contenders(tokens), rounds=report.rounds)
        cost = {name: 1e9 * value / len(tokens.ids) for name, value in seconds.items()}
        for name in ("process", "with the delta"):
            ratio = cost[name] / cost["toolspeak"]
            what = "openai-harmony ÷ toolspeak, per token"
            report.at_least(what, f"{where}, {name}", ratio, HARMONY_MARK)
        ratios = [times(cost[name] / cost["toolspeak"]) for name in ("process", "with the delta")]
        shown = [number(cost[name]) for name in ("process", "with the delta", "toolspeak")]
        rows.append([f"{where}, {len(tokens.ids):,} tokens", *ratios, *shown])
    head = ["text", "process ÷ toolspeak", "with the delta ÷ toolspeak"]
    report.table([*head, "ns: process", "with the delta", "toolspeak"], rows)


def harmony_texts(size: int = 40 * KB) -> dict[str, str]:
    """A long answer, long thinking, and a call with a long argument; all of it ASCII."""
    body = prose(size).encode("ascii", "ignore").decode()
    argument = plain_argument(size).encode("ascii", "ignore").decode()
    call = '<|channel|>commentary to=functions.note<|constrain|>json<|message|>{"body": "'
    return {
        "prose": f"<|channel|>final<|message|>{body}<|return|>",
        "thinking": f"<|channel|>analysis<|message|>{body}<|end|>",
        "argument": f'{call}{argument}"}}<|call|>',
    }


def _harmony_contenders(tokens: Tokens) -> dict[str, Callable[[], object]]:
    def process() -> None:
        parser = tokens.parser()
        for token in tokens.ids:
            parser.process(token)

    def with_the_delta() -> None:
        parser = tokens.parser()
        for token in tokens.ids:
            delta = parser.process(token).last_content_delta  # noqa: F841

    return {
        "process": process,
        "with the delta": with_the_delta,
        "toolspeak": lambda: drive(scanner_of("harmony").feed, tokens.texts),
    }


def sglang(report: Report) -> None:
    report.heading(
        "Beside SGLang's detectors",
        f"Microseconds per chunk of {CHUNK} characters, in prose and over a whole call with one "
        f"argument, whose markers come in one piece each ({versions()}). `growth` is the cost per "
        "byte of the argument of 40 KB relative to that of 10 KB: 1 is linear, 4 is quadratic.",
    )
    if reason := why_no_detectors():
        report.unmeasured("SGLang's detectors ÷ toolspeak, 10 KB argument", reason)
        return
    rows = []
    for name, detector in DETECTORS.items():
        if not reads_the_same(detector):
            report.skip(f"SGLang's {name}", "the two do not read the same call")
            continue
        rows.append(_sglang_row(report, name, detector))
    columns = [f"{engine}, {what}" for engine in ("SGLang", "toolspeak") for what in COSTS]
    head = ["detector", "÷ toolspeak, prose", "÷ toolspeak, 10 KB", "growth", "toolspeak's"]
    report.table([*head, *columns], rows)


COSTS = ("prose", *SIZES)


def reads_the_same(detector: Detector) -> bool:
    """Whether detector and toolspeak make the same call of the same pieces."""
    pieces = detector_pieces(detector, KB)
    expected = [("note", {"body": plain_argument(KB)})]
    found = toolspeak_calls(detector.key, pieces)
    return detector.calls(pieces) == found == expected


def detector_pieces(detector: Detector, size: int) -> list[str]:
    """A call with an argument of this size, as a server feeds it."""
    return pieces_of(detector.shape.call(plain_argument(size)))


def _sglang_row(report: Report, name: str, detector: Detector) -> list[str]:
    inputs = {what: detector_pieces(detector, size) for what, size in SIZES.items()}
    inputs["prose"] = chunks_of(prose(10 * KB))
    runs: dict[str, Callable[[], object]] = {}
    for what, pieces in inputs.items():
        runs |= _detector_contenders(detector, what, pieces)
    seconds = best_of(runs, rounds=max(3, report.rounds // 3), budget=10)
    cost = {key: 1e6 * value / len(inputs[key.split(", ")[1]]) for key, value in seconds.items()}
    ratios = {what: cost[f"SGLang, {what}"] / cost[f"toolspeak, {what}"] for what in COSTS}
    growth = {
        engine: cost[f"{engine}, 40 KB"] / cost[f"{engine}, 10 KB"]
        for engine in ("SGLang", "toolspeak")
    }
    what = "SGLang's detectors ÷ toolspeak, 10 KB argument"
    report.at_least(what, name, ratios["10 KB"], SGLANG_MARK)
    what = "toolspeak, 40 KB ÷ 10 KB argument, per chunk"
    report.at_most(what, name, growth["toolspeak"], LINEAR_MARK)
    shown = [number(cost[f"{engine}, {what}"]) for engine in growth for what in COSTS]
    figures = (ratios["prose"], ratios["10 KB"], *growth.values())
    return [f"{name} ({dialect_of(detector.key)})", *map(times, figures), *shown]


def _detector_contenders(
    detector: Detector, what: str, pieces: Sequence[str]
) -> dict[str, Callable[[], object]]:
    return {
        f"SGLang, {what}": lambda: drive(detector.feed(), pieces),
        f"toolspeak, {what}": lambda: drive(scanner_of(detector.key).feed, pieces),
    }


def scanner_of(key: str) -> Any:
    return toolspeak.get_dialect(dialect_of(key)).scanner(tools=TOOLS)

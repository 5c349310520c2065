"""The same work in other libraries: openai-harmony per token, SGLang's detectors per chunk."""

from __future__ import annotations

from typing import Any

import pytest

from peers import DETECTORS, Detector, harmony_tokens, versions, why_no_detectors, why_no_harmony
from questions.peers import SIZES, detector_pieces, harmony_texts, reads_the_same, scanner_of
from workloads import drive

pytest.importorskip("toolspeak")

needs_harmony = pytest.mark.skipif(bool(why_no_harmony()), reason=why_no_harmony())
needs_detectors = pytest.mark.skipif(bool(why_no_detectors()), reason=why_no_detectors())
TEXTS = harmony_texts()


@needs_harmony
@pytest.mark.parametrize("engine", ["openai-harmony", "toolspeak"])
@pytest.mark.parametrize("what", TEXTS)
def bench_harmony(benchmark: Any, what: str, engine: str) -> None:
    tokens = harmony_tokens(TEXTS[what])
    benchmark.group = f"harmony, {what}, {len(tokens.ids):,} tokens"
    benchmark.extra_info["versions"] = versions()
    if engine == "toolspeak":
        benchmark(lambda: drive(scanner_of("harmony").feed, tokens.texts))
    else:
        benchmark(lambda: drive(tokens.parser().process, tokens.ids))


@needs_detectors
@pytest.mark.parametrize("engine", ["SGLang", "toolspeak"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("detector", DETECTORS.values(), ids=lambda detector: detector.name)
def bench_detector(benchmark: Any, detector: Detector, size: str, engine: str) -> None:
    if not reads_the_same(detector):
        pytest.skip("the two do not read the same call")
    pieces = detector_pieces(detector, SIZES[size])
    benchmark.group = f"{detector.name}, an argument of {size}"
    benchmark.extra_info["versions"] = versions()

    def run() -> None:
        drive(detector.feed() if engine == "SGLang" else scanner_of(detector.key).feed, pieces)

    # A detector that is quadratic takes half a minute for the largest.
    benchmark.pedantic(run, rounds=3 if size == "10 KB" else 1)

"""Text that is built against scanners, and prose of the same size."""

from __future__ import annotations

from typing import Any

import pytest

from workloads import KB, SHAPES, adversarial, chunks_of, engines_for, prose, scan_document

SIZE = 100 * KB
TEXTS = {
    (dialect, name): text
    for dialect in SHAPES
    for name, text in {"plain": prose(SIZE), **adversarial(dialect, SIZE)}.items()
}
CASES = [
    pytest.param(dialect, name, engine, id=f"{dialect}-{name}-{engine}")
    for dialect, name in TEXTS
    for engine in engines_for(dialect)
]


@pytest.mark.parametrize("feeding", ["chunks", "whole"])
@pytest.mark.parametrize(("dialect", "name", "engine"), CASES)
def bench_adversarial(benchmark: Any, dialect: str, name: str, engine: str, feeding: str) -> None:
    benchmark.group = f"{dialect}, {engine}, {feeding}"
    text = TEXTS[dialect, name]
    pieces = [text] if feeding == "whole" else chunks_of(text)
    benchmark.pedantic(scan_document, (engine, dialect, pieces), rounds=5, warmup_rounds=1)

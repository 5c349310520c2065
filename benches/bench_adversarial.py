"""Text that is built against scanners, and prose of the same size."""

from __future__ import annotations

from typing import Any

import pytest

from workloads import ENGINES, KB, adversarial, bulk_texts, chunks_of, scan_document

SIZE = 100 * KB
CASES = {
    (dialect, name): text
    for dialect in ("xml", "hermes")
    for name, text in {
        "plain": bulk_texts(SIZE)[f"{dialect}: prose"][1],
        **adversarial(dialect, SIZE),
    }.items()
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("feeding", ["chunks", "whole"])
@pytest.mark.parametrize("case", CASES, ids="-".join)
def bench_adversarial(benchmark: Any, case: tuple[str, str], engine: str, feeding: str) -> None:
    text = CASES[case]
    benchmark.group = f"{case[0]}, {engine}, {feeding}"
    pieces = [text] if feeding == "whole" else chunks_of(text)
    benchmark.pedantic(scan_document, (engine, case[0], pieces), rounds=5, warmup_rounds=1)

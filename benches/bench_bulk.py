"""The rate of reading whole texts, beside `json.loads` and `bytes.find` on the same bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from workloads import TOOLS, bulk_texts, scan_document, toolspeak

TEXTS = bulk_texts()
NAMES = list(TEXTS)


@pytest.mark.parametrize("name", NAMES)
def bench_parse(benchmark: Any, name: str) -> None:
    pytest.importorskip("toolspeak")
    dialect, text = TEXTS[name]
    benchmark.group = name
    benchmark(toolspeak.parse, text, dialect, tools=TOOLS)


@pytest.mark.parametrize("name", NAMES)
def bench_parse_many(benchmark: Any, name: str) -> None:
    pytest.importorskip("toolspeak")
    dialect, text = TEXTS[name]
    benchmark.group = name
    benchmark(toolspeak.parse_many, [text] * 8, dialect, tools=TOOLS)


@pytest.mark.parametrize("name", NAMES)
def bench_pure(benchmark: Any, name: str) -> None:
    dialect, text = TEXTS[name]
    benchmark.group = name
    benchmark(scan_document, "pure", dialect, [text])


@pytest.mark.parametrize("name", NAMES)
def bench_json_loads(benchmark: Any, name: str) -> None:
    benchmark.group = name
    benchmark(json.loads, json.dumps(TEXTS[name][1], ensure_ascii=False))


@pytest.mark.parametrize("name", NAMES)
def bench_find_absent_byte(benchmark: Any, name: str) -> None:
    benchmark.group = name
    benchmark(TEXTS[name][1].encode().find, b"\x00")

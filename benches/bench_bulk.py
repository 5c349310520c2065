"""The rate of reading whole texts, beside `json.loads` and `bytes.find` on the same bytes.

And the cost of a large call whose arguments are JSON, beside `json.loads` of them.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from workloads import (
    TOOLS,
    bulk_texts,
    dialect_of,
    engines_for,
    json_calls,
    scan_document,
    toolspeak,
)

TEXTS = bulk_texts()
JSON_CALLS = json_calls()
Case = tuple[str, str]

over_texts = pytest.mark.parametrize("case", TEXTS, ids=str)
over_calls = pytest.mark.parametrize("case", JSON_CALLS, ids=str)


@over_texts
def bench_parse(benchmark: Any, case: Case) -> None:
    pytest.importorskip("toolspeak")
    benchmark.group = str(case)
    benchmark(toolspeak.parse, TEXTS[case], case[1], tools=TOOLS)


@over_texts
def bench_parse_many(benchmark: Any, case: Case) -> None:
    pytest.importorskip("toolspeak")
    benchmark.group = str(case)
    benchmark(toolspeak.parse_many, [TEXTS[case]] * 8, case[1], tools=TOOLS)


@pytest.mark.parametrize(
    "case", [case for case in TEXTS if "pure" in engines_for(case[1])], ids=str
)
def bench_pure(benchmark: Any, case: Case) -> None:
    benchmark.group = str(case)
    benchmark(scan_document, "pure", case[1], [TEXTS[case]])


@over_texts
def bench_json_loads(benchmark: Any, case: Case) -> None:
    benchmark.group = str(case)
    benchmark(json.loads, json.dumps(TEXTS[case], ensure_ascii=False))


@over_texts
def bench_find_absent_byte(benchmark: Any, case: Case) -> None:
    benchmark.group = str(case)
    benchmark(TEXTS[case].encode().find, b"\x00")


@over_calls
def bench_json_call(benchmark: Any, case: Case) -> None:
    pytest.importorskip("toolspeak")
    benchmark.group = f"1 MB call, {case}"
    benchmark(toolspeak.parse, JSON_CALLS[case][0], dialect_of(case[1]), tools=TOOLS)


@over_calls
def bench_json_arguments_alone(benchmark: Any, case: Case) -> None:
    benchmark.group = f"1 MB call, {case}"
    benchmark(json.loads, JSON_CALLS[case][1])

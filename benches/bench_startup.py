"""What comes before the first chunk: the import, the first scanner, each further one, its memory.

Imports run in fresh interpreters, whose own start is in the time that pytest-benchmark shows; the
time of the import alone is in the extra info, as is memory. `report.py` compares them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from probes import IDLE, first_scanner_time, import_time, memory_of_idle, why_no_memory
from questions.startup import SCANNERS, tool_list
from workloads import SHAPES, toolspeak


def fresh(benchmark: Any, measure: Callable[[], float], what: str, rounds: int) -> None:
    """Benchmarks a whole process, and keeps the fastest of the times that it tells of `what`."""
    seconds: list[float] = []
    benchmark.pedantic(lambda: seconds.append(measure()), rounds=rounds, warmup_rounds=1)
    benchmark.extra_info[f"seconds of the {what} alone"] = min(seconds)


@pytest.mark.parametrize("module", ["json", "toolspeak"])
def bench_import(benchmark: Any, module: str) -> None:
    benchmark.group = "import in a fresh interpreter"
    fresh(benchmark, partial(import_time, module), "import", rounds=10)


@pytest.mark.parametrize("dialect", toolspeak.list_dialects())
def bench_first_scanner(benchmark: Any, dialect: str) -> None:
    benchmark.group = "import and first scanner in a fresh interpreter"
    fresh(benchmark, partial(first_scanner_time, dialect), "scanner", rounds=3)


@pytest.mark.parametrize("count", [1, 100])
@pytest.mark.parametrize("dialect", SHAPES)
def bench_known_tools(benchmark: Any, dialect: str, count: int) -> None:
    benchmark.group = f"a scanner with {count} known tools"
    known = toolspeak.ToolSet(tool_list(count))
    benchmark(toolspeak.get_dialect(dialect).scanner, tools=known)


@pytest.mark.parametrize("count", [1, 100])
@pytest.mark.parametrize("dialect", SHAPES)
def bench_new_tools(benchmark: Any, dialect: str, count: int) -> None:
    benchmark.group = f"a scanner with {count} tools never seen before"
    made = iter(range(1_000_000))

    def unseen() -> tuple[tuple[object, ...], dict[str, object]]:
        return (), {"tools": tool_list(count, f"bench {dialect} {count} {next(made)}")}

    benchmark.pedantic(toolspeak.get_dialect(dialect).scanner, setup=unseen, rounds=50)


@pytest.mark.parametrize("dialect", SHAPES)
def bench_reset(benchmark: Any, dialect: str) -> None:
    benchmark.group = "reset"
    benchmark(toolspeak.get_dialect(dialect).scanner().reset)


@pytest.mark.skipif(bool(why_no_memory()), reason=why_no_memory())
@pytest.mark.parametrize("how", IDLE)
def bench_idle_scanners(benchmark: Any, how: str) -> None:
    benchmark.group = f"{SCANNERS:,} idle scanners in a fresh interpreter"
    found = benchmark.pedantic(memory_of_idle, (how, SCANNERS), rounds=1, warmup_rounds=0)
    benchmark.extra_info["bytes per scanner"] = found

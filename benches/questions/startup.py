"""The cost of the import, of a new scanner and of an idle scanner."""

from __future__ import annotations

import copy
from collections.abc import Callable
from statistics import median
from typing import Any

from probes import IDLE, first_scanner_time, import_time, memory_of_idle, why_no_memory
from reporting import Report, number
from shapes import SHAPES, TOOLS
from timing import best_of
from workloads import toolspeak

IMPORT_MARK = 25.0  # ms more than `import json`
FIRST_MARK = 15.0  # ms for the first scanner after the import
KNOWN_MARK = 3.0  # µs for a scanner with a known list of tools
MEMORY_MARK = 1.0  # KB for an idle scanner
SCANNERS = 50_000


def first_use(report: Report) -> None:
    report.heading(
        "Start-up",
        "Milliseconds inside fresh interpreters, which take turns: the import statement, and, "
        "where toolspeak has been imported, the first scanner of a dialect.",
    )
    runs: dict[str, list[float]] = {}
    for _ in range(2 * report.rounds):
        for module in ("json", "toolspeak"):
            runs.setdefault(f"import {module}", []).append(1e3 * import_time(module))
    ours, json_ = runs["import toolspeak"], runs["import json"]
    for where, more in {
        "fastest": min(ours) - min(json_),
        "median": median(ours) - median(json_),
    }.items():
        report.at_most("import toolspeak − import json", where, more, IMPORT_MARK, " ms")
    for _ in range(max(3, report.rounds // 3)):
        for dialect in toolspeak.list_dialects():
            what = f'get_dialect("{dialect}").scanner()'
            runs.setdefault(what, []).append(1e3 * first_scanner_time(dialect))
    for dialect in toolspeak.list_dialects():
        fastest = min(runs[f'get_dialect("{dialect}").scanner()'])
        report.at_most("the first scanner", dialect, fastest, FIRST_MARK, " ms")
    rows = [[what, number(min(all_)), number(median(all_))] for what, all_ in runs.items()]
    report.table(["what", "ms: fastest", "median"], rows)


def construction(report: Report) -> None:
    each = 500
    report.heading(
        "A new scanner",
        "Microseconds for `dialect.scanner(tools=…)` with a `ToolSet` made before, which is how "
        "tools are kept from request to request; with a plain list of tools, which is looked "
        "through each time, because it may have changed; with a list never seen before; and for "
        "`reset`.",
    )
    rows = []
    for dialect in SHAPES:
        for count in (1, 100):
            seconds = best_of(
                _construction_contenders(dialect, count, each), rounds=report.rounds, budget=5
            )
            cost = {what: 1e6 * value / each for what, value in seconds.items()}
            where = f"{dialect}, {count} tool{'s' if count > 1 else ''}"
            report.at_most("a scanner for known tools", where, cost["known"], KNOWN_MARK, " µs")
            unseen = 1e6 * _unseen(dialect, count)
            shown = (cost["known"], cost["list"], unseen, cost["reset"])
            rows.append([where, *map(number, shown)])
    report.table(["scanner", "µs: ToolSet", "list", "never seen", "reset"], rows)


def tool_list(count: int, mark: str = "") -> list[dict[str, Any]]:
    """A list of so many tools, which no other mark has."""
    listed = []
    for index in range(count):
        tool = copy.deepcopy(TOOLS[0])
        tool["function"]["name"] = f"note{index}"
        tool["function"]["description"] = f"Notes something down. {mark}"
        listed.append(tool)
    return listed


def _construction_contenders(
    dialect: str, count: int, each: int
) -> dict[str, Callable[[], object]]:
    listed = tool_list(count)
    known = toolspeak.ToolSet(listed)
    scanner_of = toolspeak.get_dialect(dialect).scanner
    used = scanner_of(tools=known)

    def repeated(function: Callable[..., object], **options: Any) -> Callable[[], object]:
        def run() -> None:
            for _ in range(each):
                function(**options)

        return run

    return {
        "known": repeated(scanner_of, tools=known),
        "list": repeated(scanner_of, tools=listed),
        "reset": repeated(used.reset),
    }


def _unseen(dialect: str, count: int) -> float:
    """Seconds for a list of tools never seen before."""
    scanner_of = toolspeak.get_dialect(dialect).scanner
    lists = [tool_list(count, f"{dialect} {count} {index}") for index in range(20)]

    def run() -> None:
        for one in lists:
            scanner_of(tools=one)

    # Once only: after that the lists have been seen.
    return best_of({"unseen": run}, rounds=1)["unseen"] / len(lists)


def memory(report: Report) -> None:
    report.heading(
        "An idle scanner",
        f"Bytes by which a fresh process grows for each of {SCANNERS:,} scanners of hermes that "
        "are kept, all with one `ToolSet`.",
    )
    if reason := why_no_memory():
        report.unmeasured("an idle scanner", reason)
        return
    rows = []
    for how in IDLE:
        resident = memory_of_idle(how, SCANNERS)
        report.at_most("an idle scanner", how, resident / 1000, MEMORY_MARK, " KB")
        rows.append([how, f"{resident:,.0f}"])
    report.table(["scanner", "bytes"], rows)

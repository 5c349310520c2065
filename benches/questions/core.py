"""The instructions that the core needs, without Python and without a clock."""

from __future__ import annotations

from instructions import FEEDINGS, build, per_byte, why_not, workloads
from reporting import Report, number


def instructions(report: Report) -> None:
    report.heading(
        "Instructions",
        "Instructions per byte of the core alone, counted by callgrind: each shape in a grammar "
        "of its own (`rust/core/benches/inputs/`), into a sink that takes no notice.",
    )
    if reason := why_not():
        report.note(f"Not counted: {reason}.")
        return
    hot = build()
    rows = [
        [name, *(number(per_byte(hot, name, feeding)) for feeding in FEEDINGS)]
        for name in workloads(hot)
    ]
    report.table(["workload", "chunks of 4", "whole"], rows)

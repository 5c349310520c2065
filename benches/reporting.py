"""What a report is made of: lines of Markdown, and marks with what was measured for each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

__all__ = ["Mark", "Report", "marks_table", "number", "row", "times"]


@dataclass(frozen=True)
class Mark:
    """What is asked of a figure, and what was measured in each place."""

    what: str
    bound: float
    at_most: bool
    unit: str = ""
    measured: dict[str, float] = field(default_factory=dict)

    def missed(self) -> list[str]:
        """Where it was missed."""
        return [
            where
            for where, value in self.measured.items()
            if (value > self.bound if self.at_most else value < self.bound)
        ]

    def worst(self) -> str:
        """The place that is furthest on the wrong side."""
        return (max if self.at_most else min)(self.measured, key=self.measured.__getitem__)


@dataclass
class Report:
    """Lines of Markdown, the marks, and what could not be measured."""

    rounds: int
    lines: list[str] = field(default_factory=list)
    marks: dict[str, Mark] = field(default_factory=dict)
    skipped: list[tuple[str, str]] = field(default_factory=list)

    def heading(self, text: str, note: str) -> None:
        """A section, and what its table holds."""
        self.lines += ["", f"### {text}", "", note, ""]

    def note(self, text: str) -> None:
        """A paragraph."""
        self.lines += ["", text, ""]

    def table(self, head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """A table; all columns but the first hold figures."""
        self.lines.append(row(head))
        self.lines.append(row(["---", *["--:"] * (len(head) - 1)]))
        self.lines += map(row, rows)

    def at_most(self, what: str, where: str, value: float, bound: float, unit: str = "") -> None:
        """A figure that should not be larger than the bound."""
        self._mark(Mark(what, bound, at_most=True, unit=unit), where, value)

    def at_least(self, what: str, where: str, value: float, bound: float, unit: str = "") -> None:
        """A figure that should not be smaller than the bound."""
        self._mark(Mark(what, bound, at_most=False, unit=unit), where, value)

    def skip(self, what: str, reason: str) -> None:
        """Something that has a mark and was not measured."""
        self.skipped.append((what, reason))

    def unmeasured(self, what: str, reason: str) -> None:
        """A section whose question, which has a mark, cannot be asked here."""
        self.skip(what, reason)
        self.note(f"Not measured: {reason}.")

    def _mark(self, mark: Mark, where: str, value: float) -> None:
        self.marks.setdefault(mark.what, mark).measured[where] = value


def row(cells: Sequence[str]) -> str:
    """A line of a table."""
    return f"| {' | '.join(cells)} |"


def number(value: float) -> str:
    """Three figures that count, or all before the point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def times(value: float) -> str:
    """A ratio."""
    return (
        f"{value:.2g} ×" if value < 0.1 else f"{value:.2f} ×" if value < 100 else f"{value:.0f} ×"
    )


def marks_table(report: Report) -> list[str]:
    """Every mark as met or missed, with the figures."""
    lines = [
        "### Marks",
        "",
        row(["what", "mark", "", "met", "worst", "missed in"]),
        row(["---", "--:", "---", "--:", "---", "---"]),
    ]
    for mark in report.marks.values():
        missed, worst = mark.missed(), mark.worst()
        bound = f"{'≤' if mark.at_most else '≥'} {mark.bound:g}{mark.unit}"
        met = f"{len(mark.measured) - len(missed)} of {len(mark.measured)}"
        told = f"{number(mark.measured[worst])} ({worst})"
        names = "; ".join(f"{where} ({number(mark.measured[where])})" for where in missed)
        verdict = "**missed**" if missed else "met"
        lines.append(row([mark.what, bound, verdict, met, told, names]))
    lines += [row([what, "", "not measured", "", reason, ""]) for what, reason in report.skipped]
    return [*lines, ""]

"""What writing costs: calls with and without their reading back, and grammars for engines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reporting import Report, number, times
from shapes import SHAPES
from timing import best_of
from workloads import toolspeak

from .startup import tool_list

EACH = 50
CHECK_MARK = 3.0  # × the cost without reading back
TEXT = 'Some text with "quotes", <tags> and\nlines. ' * 240  # 10 KB
TOOL = {
    "name": "note",
    "parameters": {"properties": {"text": {"type": "string"}, "number": {"type": "integer"}}},
}


def rendering(report: Report) -> None:
    """Rendering a call, whose text is read back before it is returned."""
    report.heading(
        "Rendering a call",
        "Microseconds for `render_call`; what is written is read back. Beside it the same without "
        "reading back. A call of 10 KB holds one text with quotes, tags and lines.",
    )
    rows = []
    tools = toolspeak.ToolSet([TOOL])
    for dialect in SHAPES:
        for size, text in (("small", "some text"), ("10 KB", TEXT)):
            call = toolspeak.ToolCall("call_0", "note", {"text": text, "number": 5})
            seconds = best_of(_renderers(dialect, call, tools), rounds=report.rounds)
            read, blind = (1e6 * seconds[what] / EACH for what in ("read back", "blind"))
            where = f"{dialect}, {size}"
            if size == "10 KB":
                report.at_most(
                    "read back ÷ blind, a call of 10 KB", dialect, read / blind, CHECK_MARK
                )
            rows.append([where, number(read), number(blind), times(read / blind)])
    report.table(["call", "µs: read back", "blind", "read back ÷ blind"], rows)


def _renderers(name: str, call: Any, tools: Any) -> dict[str, Callable[[], object]]:
    dialect = toolspeak.get_dialect(name)
    blind = toolspeak.Dialect(
        dialect.name, dialect.grammar, dialect.results, dialect.turns, renderer=dialect.renderer
    )
    setattr(blind.writer, "reads_as", lambda *_: True)  # noqa: B010 - a method, for this object

    def repeated(render: Callable[..., str]) -> Callable[[], object]:
        def run() -> None:
            for _ in range(EACH):
                render(call, tools)

        return run

    return {"read back": repeated(dialect.render_call), "blind": repeated(blind.render_call)}


def constraints(report: Report) -> None:
    """Making grammars for constrained decoding."""
    report.heading(
        "Grammars for constrained decoding",
        "Milliseconds to make each grammar of `constrain(tools)`, with tools never seen before; a "
        "`ToolSet` that was seen gets the grammars that were made for it.",
    )
    rows = []
    for dialect in SHAPES:
        for count in (1, 20, 100):
            try:
                seconds = best_of(_makers(dialect, count), rounds=min(5, report.rounds))
            except toolspeak.ConstraintError as error:
                report.skip(f"grammars of {dialect}", str(error))
                break
            cost = [number(1e3 * seconds[what]) for what in ("structural_tag", "lark", "gbnf")]
            seen = number(1e6 * seconds["seen"] / EACH)
            rows.append([f"{dialect}, {count} tools", *cost, seen])
    report.table(["grammar", "ms: structural tag", "Lark", "GBNF", "µs: seen"], rows)


def _makers(name: str, count: int) -> dict[str, Callable[[], object]]:
    dialect = toolspeak.get_dialect(name)
    listed = tool_list(count)
    known = toolspeak.ToolSet(listed)

    def seen() -> None:
        for _ in range(EACH):
            dialect.constrain(known, strict=False).gbnf()

    return {
        "structural_tag": lambda: dialect.constrain(listed, strict=False).structural_tag(),
        "lark": lambda: dialect.constrain(listed, strict=False).lark(),
        "gbnf": lambda: dialect.constrain(listed, strict=False).gbnf(),
        "seen": seen,
    }

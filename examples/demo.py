"""A live demo: sample model outputs arrive in token-like pieces, and each shows what it became.

    python examples/demo.py [--fast]

Each row is a run of pieces (`·` between two) beside the events that they gave. Pieces that may
begin a marker are held back, so their row fills on the left first.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text as Styled

import toolspeak as ts

HERE = Path(__file__).parent
SECONDS = 12.0  # all samples together
PIECE = re.compile(r" ?\w{1,5}| ?[^\w\s]{1,3}|\s+")


@dataclass(frozen=True)
class Sample:
    """A file of model output, its dialect, and what is worth seeing in it."""

    file: str
    dialect: str
    note: str
    start: Literal["text", "thinking"] = "text"

    def pieces(self) -> list[str]:
        """The output, cut as a tokenizer might cut it."""
        return PIECE.findall((HERE / "samples" / self.file).read_text(encoding="utf-8"))


SAMPLES = (
    Sample("xml.txt", "xml", "thinking, look-alikes in prose, markup inside a value"),
    Sample("hermes.txt", "hermes", "a real output: text, then a call"),
    Sample("hermes-parallel.txt", "hermes", "a real output: three calls in a row"),
    Sample("hermes-repaired.txt", "hermes", "a real output: Python quotes where JSON belongs"),
    Sample("minimax.txt", "minimax", "two calls in a section, typed by their schema"),
    Sample("qwen3.txt", "qwen3", "a closer inside a string, arguments encoded twice"),
    Sample("qwen3-thinking.txt", "qwen3", "the prompt had opened the thinking", start="thinking"),
    Sample("qwen3-truncated.txt", "qwen3", "the output ends inside the second call"),
)


@dataclass
class Row:
    """Neighbouring pieces that became events of one kind."""

    pieces: list[str] = field(default_factory=list)
    events: list[Any] = field(default_factory=list)
    without: str = "…"  # shown while there are no events

    def takes(self, events: list[Any]) -> bool:
        """Whether a piece that gave `events` belongs to this row."""
        return not self.events or {map_key(e) for e in events} == {map_key(e) for e in self.events}

    def __rich__(self) -> Table:
        """The pieces on the left, the events on the right."""
        table = Table.grid(padding=(0, 2), expand=True)
        table.add_column(ratio=1, overflow="fold")
        table.add_column(ratio=1, overflow="fold")
        table.add_row(self._left(), self._right())
        return table

    def _left(self) -> Styled:
        return Styled("·", "dim").join(Styled(visible(piece), "yellow") for piece in self.pieces)

    def _right(self) -> Styled:
        shown = [describe(run) for run in runs(self.events)]
        return Styled("\n").join(shown) if shown else Styled(self.without, "dim")


def map_key(event: Any) -> tuple[type, str | None]:
    """What events of one row have in common."""
    return type(event), getattr(event, "key", None)


def runs(events: list[Any]) -> Iterator[list[Any]]:
    """Neighbouring events of one kind, together."""
    run: list[Any] = []
    for event in events:
        if run and map_key(run[0]) != map_key(event):
            yield run
            run = []
        run.append(event)
    if run:
        yield run


def describe(run: list[Any]) -> Styled:
    """A line or more about events of one kind; deltas are joined."""
    first = run[0]
    match first:
        case ts.Text():
            return labelled("text", "".join(e.text for e in run), "")
        case ts.ThinkingDelta():
            return labelled("thinking", "".join(e.delta for e in run), "italic")
        case ts.ToolArgDelta():
            return labelled(first.key or "arguments", "".join(e.delta for e in run), "cyan")
        case ts.ToolStart():
            return Styled("\n").join(Styled(f"▶ {e.name}", "bold cyan") for e in run)
        case ts.ToolEnd():
            return Styled("\n").join(Styled(called(e), "bold green") for e in run)
        case ts.ToolAbort():
            return Styled("\n").join(Styled(f"✗ {e.name} {e.reason}", "bold red") for e in run)
        case _:
            return Styled(type(first).__name__, "magenta")


def called(event: ts.ToolEnd) -> str:
    """A finished call with its arguments as Python values."""
    arguments = ", ".join(f"{key}={value!r}" for key, value in event.arguments.items())
    return f"✓ {event.name}({arguments}){' repaired' if event.repaired else ''}"


def labelled(label: str, text: str, style: str) -> Styled:
    """`text` behind a dim label."""
    return Styled.assemble((f"{label} ", "dim"), (visible(text), style))


def visible(text: str) -> str:
    """`text` on one line."""
    return text.replace("\n", "↵")


class Player:
    """Plays samples on a console and counts."""

    def __init__(self, console: Console, pause: float) -> None:
        self._console = console
        self._pause = pause
        self._tools = json.loads((HERE / "tools.json").read_text(encoding="utf-8"))
        self.pieces = 0
        self.events = 0
        self.seconds = 0.0  # inside the scanner

    def play(self, sample: Sample) -> None:
        """Feed one sample, piece by piece."""
        self._console.rule(f"[bold]{sample.dialect}[/] {sample.note}", align="left")
        dialect = ts.get_dialect(sample.dialect)
        scanner = dialect.scanner(tools=self._tools, start=sample.start, whitespace="trim")
        row = Row()
        with Live(row, console=self._console, refresh_per_second=20, transient=True) as live:
            for piece in sample.pieces():
                row = self._show(live, row, piece, self._timed(scanner.feed, piece))
                time.sleep(self._pause)
            row.events.extend(self._timed(scanner.flush))
        row.without = "layout"
        self._console.print(row)

    def _show(self, live: Live, row: Row, piece: str, events: list[Any]) -> Row:
        if not row.takes(events):
            self._console.print(row)
            row = Row()
            live.update(row)
        row.pieces.append(piece)
        row.events.extend(events)
        self.pieces += 1
        return row

    def _timed(self, step: Any, *arguments: str) -> list[Any]:
        start = time.perf_counter()
        events: list[Any] = step(*arguments)
        self.seconds += time.perf_counter() - start
        self.events += len(events)
        return events


def main() -> None:
    """Play all samples; `--fast` without pauses."""
    console = Console(highlight=False)
    total = sum(len(sample.pieces()) for sample in SAMPLES)
    player = Player(console, 0.0 if "--fast" in sys.argv[1:] else SECONDS / total)
    for sample in SAMPLES:
        player.play(sample)
    console.rule()
    console.print(
        f"{player.pieces:,} pieces gave {player.events:,} events; "
        f"the scanners took {player.seconds * 1000:.1f} ms."
    )


if __name__ == "__main__":
    main()

"""Files of recorded outputs: read in batches, parsed on all cores, counted for the summary."""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

import toolspeak
from toolspeak._cli.inputs import InputError, Recorded, read_recorded
from toolspeak._cli.show import View

__all__ = ["Source", "Summary", "batches", "show_recorded"]

_BATCH = 256  # outputs; enough to keep all cores busy, few enough to show results soon


@dataclass(frozen=True)
class Source:
    """A file of JSON lines, its name for messages, and the field that holds the output."""

    file: BinaryIO
    path: str
    field: str


@dataclass
class Summary:
    """Counts over all messages; `str()` of it is the line for the user."""

    messages: int = 0
    calls: int = 0
    aborted: int = 0
    repaired: int = 0
    bytes: int = 0
    started: float = field(default_factory=time.perf_counter)

    def add(self, recorded: Recorded, message: toolspeak.Message) -> None:
        """Count one message; its bytes are those of the model output as UTF-8."""
        self.messages += 1
        self.calls += len(message.tool_calls)
        self.aborted += len(message.aborted)
        self.repaired += sum(call.repaired for call in message.tool_calls)
        self.bytes += len(recorded.text.encode("utf-8", "surrogatepass"))

    def __str__(self) -> str:
        """The counts and the seconds since the start, on one line."""
        seconds = time.perf_counter() - self.started
        return (
            f"{_count(self.messages, 'message')}, {_count(self.calls, 'call')}, "
            f"{self.aborted:,} aborted, "
            f"{self.repaired:,} repaired, {self.bytes:,} bytes, {seconds:.2f} s"
        )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def show_recorded(
    source: Source,
    dialect: toolspeak.Dialect,
    options: dict[str, Any],
    view: View,
    console: Console,
) -> Summary:
    """Parse and show every output of `source`; a progress bar runs on `console` meanwhile."""
    summary = Summary()
    with _progress(source.file, console) as tick:
        for batch in batches(read_recorded(source.file, source.path, source.field)):
            messages = toolspeak.parse_many([output.text for output in batch], dialect, **options)
            for recorded, message in zip(batch, messages, strict=True):
                view.message(recorded, message)
                summary.add(recorded, message)
            tick(summary.messages)
    return summary


def batches(recorded: Iterable[Recorded], size: int = _BATCH) -> Iterator[list[Recorded]]:
    """Lists of up to `size`; what came before a bad line is still given before its error."""
    batch: list[Recorded] = []
    try:
        for output in recorded:
            batch.append(output)
            if len(batch) == size:
                yield batch
                batch = []
    except InputError:
        yield batch
        raise
    yield batch


@contextmanager
def _progress(file: BinaryIO, console: Console) -> Iterator[Callable[[int], None]]:
    """A progress bar, while standard error is a terminal; call the result with the count."""
    columns = (
        TextColumn("{task.fields[messages]:,} messages"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
    )
    progress = Progress(
        *columns,
        console=console,
        transient=True,
        # Standard output may be a pipe that the bar must stay out of.
        redirect_stdout=False,
        redirect_stderr=False,
        disable=not sys.stderr.isatty(),
    )
    size = _size(file)
    task = progress.add_task("", total=size, messages=0)

    def tick(messages: int) -> None:
        done = file.tell() if size is not None else None
        progress.update(task, completed=done, messages=messages)

    with progress:
        yield tick


def _size(file: BinaryIO) -> int | None:
    """The bytes of a regular file; None for a pipe or a terminal."""
    try:
        status = os.fstat(file.fileno())
    except OSError:  # not backed by a file of the system
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None

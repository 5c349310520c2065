"""What all scanners here share: the feed loop, what is held back, the end of the stream.

A scanner is a set of modes. A mode is a method that reads a buffer from a position, appends
events and returns the position up to which it read; it holds back the rest of the buffer by
storing it in `_held`. The next chunk is then read with what was held in front of it, so a mode
never sees a marker in two pieces.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NoReturn, TypeAlias

from .events import Event, Text, ThinkingDelta, ThinkingEnd, ThinkingStart, join_events

__all__ = ["Mode", "StreamScanner", "first_match", "partial"]

Mode: TypeAlias = Callable[[str, int, list[Event]], int]


def first_match(marker: re.Pattern[str], buffer: str, start: int) -> re.Match[str] | None:
    """The first place at or after `start` where a marker, which begins with "<", matches."""
    # Faster than `marker.search`: the jump from one "<" to the next is a memory search.
    start = buffer.find("<", start)
    while start >= 0:
        match = marker.match(buffer, start)
        if match is not None:
            return match
        start = buffer.find("<", start + 1)
    return None


def partial(words: Iterable[str]) -> str:
    """A regular expression for every proper or whole beginning of any of the words."""
    return "|".join(_partial(word) for word in words)


def _partial(word: str) -> str:
    letters = [re.escape(letter) for letter in word]
    return "(?:".join(letters) + ")?" * (len(letters) - 1)


class StreamScanner:
    """One stream's state: `feed` chunks, then `flush` once."""

    def __init__(self) -> None:
        self._mode: Mode = self._outside
        self._plain: Callable[[str], list[Event]] = self._plain_text
        self._held = ""
        self._closed = False
        self._thinking: list[str] = []

    def feed(self, chunk: str) -> list[Event]:
        """The events that the next piece of the stream completes."""
        if "<" in chunk or self._held or not chunk:
            return self._scan(chunk)
        return self._plain(chunk)

    def flush(self) -> list[Event]:
        """The events of the end of the stream; a second flush has none."""
        if self._closed:
            return []
        self._closed = True
        out: list[Event] = []
        held, self._held = self._held, ""
        self._finish(held, out)
        self._mode = self._plain = self._refuse
        return join_events(out)

    def _scan(self, chunk: str) -> list[Event]:
        buffer = self._held + chunk
        self._held = ""
        out: list[Event] = []
        position, end = 0, len(buffer)
        while position < end:
            position = self._mode(buffer, position, out)
        return join_events(out) if len(out) > 1 else out

    def _refuse(self, *_: object) -> NoReturn:
        raise RuntimeError("feed after flush")

    def _hold(self, buffer: str, position: int) -> int:
        """Keep the buffer from `position` on for the next feed; the end of this one."""
        self._held = buffer[position:]
        return len(buffer)

    # The modes that every dialect has.

    def _outside(self, buffer: str, position: int, out: list[Event]) -> int:
        """Visible text and what is between calls."""
        raise NotImplementedError

    def _finish(self, held: str, out: list[Event]) -> None:
        """The stream ended while `held` was kept back."""
        raise NotImplementedError

    def _plain_text(self, chunk: str) -> list[Event]:
        return [Text(chunk)]

    def _plain_thinking(self, chunk: str) -> list[Event]:
        self._thinking.append(chunk)
        return [ThinkingDelta(chunk)]

    def _open_thinking(self, mode: Mode, out: list[Event]) -> None:
        self._mode, self._plain = mode, self._plain_thinking
        out.append(ThinkingStart())

    def _think(self, text: str, out: list[Event]) -> None:
        if text:
            self._thinking.append(text)
            out.append(ThinkingDelta(text))

    def _close_thinking(self, out: list[Event]) -> None:
        out.append(ThinkingEnd("".join(self._thinking)))
        self._thinking.clear()
        self._mode, self._plain = self._outside, self._plain_text

"""The events, with the names and fields of toolspeak's own.

Plain slotted dataclasses: unlike frozen ones they are built by direct attribute stores, the
fastest way that a class with named fields has in Python.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeAlias

__all__ = [
    "Event",
    "Text",
    "ThinkingDelta",
    "ThinkingEnd",
    "ThinkingStart",
    "ToolAbort",
    "ToolArgDelta",
    "ToolEnd",
    "ToolStart",
    "join_events",
]


@dataclass(slots=True)
class Text:
    """Visible text."""

    text: str


@dataclass(slots=True)
class ThinkingStart:
    """A thinking block opens."""


@dataclass(slots=True)
class ThinkingDelta:
    """A piece of the open thinking block."""

    delta: str


@dataclass(slots=True)
class ThinkingEnd:
    """The thinking block closed; `thinking` is all of it."""

    thinking: str


@dataclass(slots=True)
class ToolStart:
    """A call whose whole name is known; `encoding` says how its deltas are encoded."""

    id: str
    name: str
    encoding: str


@dataclass(slots=True)
class ToolArgDelta:
    """Raw argument text; `key` is None where one JSON text carries all arguments."""

    id: str
    name: str
    key: str | None
    delta: str


@dataclass(slots=True)
class ToolEnd:
    """A complete call."""

    id: str
    name: str
    arguments: dict[str, Any]
    raw: str
    repaired: bool


@dataclass(slots=True)
class ToolAbort:
    """A call that will not complete: `reason` is "truncated" or "malformed"."""

    id: str
    name: str | None
    arguments: dict[str, Any]
    raw: str
    reason: str


Event: TypeAlias = (
    Text
    | ThinkingStart
    | ThinkingDelta
    | ThinkingEnd
    | ToolStart
    | ToolArgDelta
    | ToolEnd
    | ToolAbort
)


def join_events(events: Iterable[Event]) -> list[Event]:
    """The same events with adjacent pieces of one kind (and one key) joined."""
    joined: list[Event] = []
    for kind, run in groupby(events, _kind):
        if kind is Text:
            joined.append(Text("".join(e.text for e in run if isinstance(e, Text))))
        elif kind is ThinkingDelta:
            joined.append(
                ThinkingDelta("".join(e.delta for e in run if isinstance(e, ThinkingDelta)))
            )
        elif isinstance(kind, tuple):
            pieces = [e for e in run if isinstance(e, ToolArgDelta)]
            first = pieces[0]
            whole = "".join(e.delta for e in pieces)
            joined.append(ToolArgDelta(first.id, first.name, first.key, whole))
        else:
            joined.extend(run)
    return joined


def _kind(event: Event) -> object:
    if isinstance(event, ToolArgDelta):
        return ToolArgDelta, event.id, event.key
    return type(event)

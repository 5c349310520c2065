"""What a scanner tells: the event classes, which the core makes, and the types of their fields."""

from __future__ import annotations

from typing import Literal, TypeAlias

from toolspeak._core import (
    Stopped,
    Text,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    ToolAbort,
    ToolArgDelta,
    ToolEnd,
    ToolStart,
)

__all__ = ["Encoding", "Event", "Reason"]

Event: TypeAlias = (
    Text
    | ThinkingStart
    | ThinkingDelta
    | ThinkingEnd
    | ToolStart
    | ToolArgDelta
    | ToolEnd
    | ToolAbort
    | Stopped
)
"""Any event of a scanner."""

Reason: TypeAlias = Literal["truncated", "malformed", "limit"]
"""Why a call will not complete: the input ended inside it; it was closed, but has no readable name
or arguments; it went over a limit."""

Encoding: TypeAlias = Literal["json", "text", "python", "literals"]
"""How the deltas of a call's arguments are encoded: one JSON text; raw text for each key; the
arguments of a Python call; an object of literals with quote tokens."""

"""Pure-Python streaming scanners: the yardstick of the benchmarks and a second opinion in tests.

They read some of the dialects that toolspeak reads and return the same events, by the same
rules, with the means of the standard library: `str.find` and compiled regular expressions for
bulk, lists that are joined once, no second look at text that has been read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from .events import (
    Event,
    Text,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    ToolAbort,
    ToolArgDelta,
    ToolEnd,
    ToolStart,
    join_events,
)
from .json_tag import JsonTagScanner
from .stream import StreamScanner
from .tagged import TaggedScanner

__all__ = [
    "DIALECTS",
    "Event",
    "JsonTagScanner",
    "StreamScanner",
    "TaggedScanner",
    "Text",
    "ThinkingDelta",
    "ThinkingEnd",
    "ThinkingStart",
    "ToolAbort",
    "ToolArgDelta",
    "ToolEnd",
    "ToolStart",
    "join_events",
    "make_scanner",
]

_MAKERS: dict[str, Callable[[Iterable[Mapping[str, Any]], bool], StreamScanner]] = {
    "xml": TaggedScanner,
    "anthropic": TaggedScanner,
    "minimax": partial(TaggedScanner, sections=("tool_call",)),
    "hermes": JsonTagScanner,
    "qwen3": JsonTagScanner,
}

DIALECTS = tuple(_MAKERS)


def make_scanner(
    dialect: str, *, tools: Iterable[Mapping[str, Any]] = (), parse_thinking: bool = True
) -> StreamScanner:
    """A scanner for one of `DIALECTS`; any other name is a KeyError."""
    return _MAKERS[dialect](tools, parse_thinking)

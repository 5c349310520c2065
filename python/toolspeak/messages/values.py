"""The values that leave a scanner and enter a renderer: calls, results, whole messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolspeak._core import ToolAbort

__all__ = ["Message", "ToolCall", "ToolResult"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One complete call.

    `arguments` maps parameter names to JSON-like values; `raw` is the exact text of the
    call as the model wrote it (empty for a call that did not come from a scanner), and `repaired`
    tells that its arguments had to be mended to be read.
    """

    id: str
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    raw: str = ""
    repaired: bool = False


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool answered to the call `id`; `is_error` marks a failure."""

    id: str
    name: str
    text: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """A whole model output, read.

    `text` is all visible text joined, `thinking` one entry per thinking block, `tool_calls`
    the complete calls in order, `aborted` the `ToolAbort` events of calls that never completed.
    """

    text: str
    thinking: tuple[str, ...]
    tool_calls: tuple[ToolCall, ...]
    aborted: tuple[ToolAbort, ...]

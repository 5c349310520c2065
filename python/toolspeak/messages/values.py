"""The values that leave a scanner and enter a renderer: calls, results, whole messages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from toolspeak._core import ToolAbort

__all__ = [
    "Block",
    "Message",
    "TextBlock",
    "ThinkingBlock",
    "ToolCall",
    "ToolResult",
]


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
class TextBlock:
    """Visible text between thinking and calls."""

    text: str


@dataclass(frozen=True, slots=True)
class ThinkingBlock:
    """One block of thinking."""

    thinking: str


Block: TypeAlias = TextBlock | ThinkingBlock | ToolCall | ToolAbort
"""A part of a message."""


@dataclass(frozen=True, slots=True)
class Message:
    """A whole model output, read: `blocks` are its parts in the order in which they were written.

    `text`, `thinking`, `tool_calls` and `aborted` are the same parts by their kinds.
    """

    blocks: tuple[Block, ...] = ()

    @property
    def text(self) -> str:
        """All visible text, joined."""
        texts = [block.text for block in self.blocks if isinstance(block, TextBlock)]
        return texts[0] if len(texts) == 1 else "".join(texts)

    @property
    def thinking(self) -> tuple[str, ...]:
        """The blocks of thinking."""
        return tuple([block.thinking for block in self.blocks if isinstance(block, ThinkingBlock)])

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The complete calls."""
        return tuple([block for block in self.blocks if isinstance(block, ToolCall)])

    @property
    def aborted(self) -> tuple[ToolAbort, ...]:
        """What became of the calls that never completed."""
        return tuple([block for block in self.blocks if isinstance(block, ToolAbort)])

    def to_openai(self) -> dict[str, Any]:
        """The message as an OpenAI-style dict: `reasoning_content` and `tool_calls` only if any.

        `content` is None beside calls where there is no text. Aborted calls are left out; blocks of
        thinking are joined by newlines. The arguments of a call are JSON text.
        """
        text, thinking, calls = self.text, self.thinking, self.tool_calls
        message: dict[str, Any] = {"role": "assistant", "content": text}
        if thinking:
            message["reasoning_content"] = "\n".join(thinking)
        if calls:
            message["content"] = text or None
            message["tool_calls"] = [_openai_call(call) for call in calls]
        return message


def _openai_call(call: ToolCall) -> dict[str, Any]:
    arguments = json.dumps(dict(call.arguments), ensure_ascii=False, separators=(",", ":"))
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": arguments},
    }

"""Habits that most families share: `<think>` blocks, `<tool_response>` results, a call per line.

Turns are ChatML; `RESULTS_FROM_USER` is the kind whose results go to a user turn.

A dialect's renderer inherits from `CommonRenderer` and overrides what its family does otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from toolspeak.tools.tool_set import ToolSet
from toolspeak.writing.renderer import CHATML, Renderer
from toolspeak.writing.text import render_delimited_thinking, render_tool_responses

if TYPE_CHECKING:
    from toolspeak.messages.values import ToolCall, ToolResult

__all__ = ["RESULTS_FROM_USER", "CommonRenderer"]

RESULTS_FROM_USER = CHATML.replace(tool=CHATML.user)


class CommonRenderer(Renderer):
    """A renderer whose subclass has to write one call only."""

    thinking_tags: tuple[str, str] = ("<think>", "</think>")

    def render_calls(
        self, calls: Sequence[ToolCall], tools: ToolSet, *, example: bool = False
    ) -> str:
        """The calls, each on its own line, with no section around them."""
        return "\n".join(self.render_call(call, tools, example=example) for call in calls)

    def render_results(self, results: Iterable[ToolResult]) -> str:
        """One `<tool_response>` per result."""
        return render_tool_responses(results)

    def render_thinking(self, text: str) -> str:
        """The text between the thinking tags, own tags around it unwrapped."""
        return render_delimited_thinking(*self.thinking_tags, text)

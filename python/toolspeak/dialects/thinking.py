"""thinking: every thinking idiom and no calls; thinking is written as `<think>`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from toolspeak.dialect import Dialect
from toolspeak.dialects._common import CommonRenderer
from toolspeak.errors import RenderError
from toolspeak.grammar import Exact, Grammar, Thinking
from toolspeak.tools.tool_set import ToolSet
from toolspeak.writing.text import load_guide

if TYPE_CHECKING:
    from toolspeak.messages.values import ToolCall, ToolResult

__all__ = ["DIALECT", "ThinkingRenderer"]


class ThinkingRenderer(CommonRenderer):
    """Renders thinking; a call or a result is a `RenderError`, as the dialect has neither."""

    def render_call(self, call: ToolCall, tools: ToolSet, *, example: bool = False) -> str:
        """Always a `RenderError`."""
        raise RenderError("the thinking dialect has no calls: use the model's own dialect")

    def render_results(self, results: Iterable[ToolResult]) -> str:
        """The empty string for no results, else a `RenderError`."""
        if any(True for _ in results):
            raise RenderError("the thinking dialect has no results: use the model's own dialect")
        return ""


DIALECT = Dialect(
    name="thinking",
    grammar=Grammar(
        thinking=(
            Thinking(Exact("<think>"), Exact("</think>")),
            Thinking(Exact("<thinking>"), Exact("</thinking>")),
            Thinking(Exact("<scratchpad>"), Exact("</scratchpad>")),
            Thinking(Exact("<|channel>thought\n"), Exact("<channel|>")),
            Thinking(
                Exact(
                    "<|start|>assistant<|channel|>analysis<|message|>",
                    "<|channel|>analysis<|message|>",
                ),
                Exact("<|end|>"),
            ),
            Thinking(Exact("```thinking\n"), None),
        )
    ),
    renderer=ThinkingRenderer(),
    guide=load_guide("thinking"),
    summary="every thinking idiom and no calls: heals reasoning that leaked into text",
)

"""thinking: every thinking idiom and no calls; thinking is written as `<think>`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from toolspeak.dialect import Dialect
from toolspeak.dialects._common import CommonRenderer
from toolspeak.errors import RenderError
from toolspeak.grammar import Grammar, Literal, Thinking
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
            Thinking(Literal("<think>"), Literal("</think>")),
            Thinking(Literal("<thinking>"), Literal("</thinking>")),
            Thinking(Literal("<scratchpad>"), Literal("</scratchpad>")),
            Thinking(Literal("<|channel>thought\n"), Literal("<channel|>")),
            Thinking(
                Literal(
                    "<|start|>assistant<|channel|>analysis<|message|>",
                    "<|channel|>analysis<|message|>",
                ),
                Literal("<|end|>"),
            ),
            Thinking(Literal("```thinking\n"), None),
        )
    ),
    renderer=ThinkingRenderer(),
    guide=load_guide("thinking"),
    summary="every thinking idiom and no calls: heals reasoning that leaked into text",
)

"""longcat: JSON in `<longcat_tool_call>` tags, one call per line; thinking in `<longcat_think>`.

The format is that of LongCat-Flash (https://huggingface.co/meituan-longcat/LongCat-Flash-Chat).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolspeak.dialect import Dialect
from toolspeak.dialects._common import CommonRenderer
from toolspeak.errors import RenderError
from toolspeak.grammar import CallForm, Envelope, Exact, Grammar, Noise, Thinking
from toolspeak.writing.text import compact_json, load_guide

if TYPE_CHECKING:
    from toolspeak.messages.values import ToolCall
    from toolspeak.tools.tool_set import ToolSet

__all__ = ["DIALECT", "LongcatRenderer"]


class LongcatRenderer(CommonRenderer):
    """Renders longcat."""

    thinking_tags = ("<longcat_think>", "</longcat_think>")

    def render_call(self, call: ToolCall, tools: ToolSet, *, example: bool = False) -> str:
        """The JSON envelope with `name` and `arguments`, in its tag."""
        if not call.name:
            raise RenderError("a call needs a tool name")
        envelope = compact_json({"name": call.name, "arguments": dict(call.arguments)})
        return f"<longcat_tool_call>\n{envelope}\n</longcat_tool_call>"


_CLOSE = Exact("</longcat_tool_call>")

DIALECT = Dialect(
    name="longcat",
    grammar=Grammar(
        calls=(CallForm(Exact("<longcat_tool_call>"), _CLOSE, Envelope()),),
        thinking=(Thinking(Exact("<longcat_think>"), Exact("</longcat_think>")),),
        results=(Exact("<tool_response>"),),
        noise=(Noise(_CLOSE),),
    ),
    renderer=LongcatRenderer(),
    guide=load_guide("longcat"),
    summary="JSON with name and arguments in longcat_tool_call tags",
)

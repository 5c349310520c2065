"""Calls as JSON in a tag: `<tool_call>` `{"name":…,"arguments":{…}}` `</tool_call>`.

The JSON ends by its own structure, so a marker inside one of its strings needs no escape.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolspeak.dialects._common import CommonRenderer
from toolspeak.errors import RenderError
from toolspeak.grammar import CallForm, Envelope, Exact, Grammar, Noise, Thinking
from toolspeak.tools.tool_set import ToolSet
from toolspeak.writing.text import compact_json

if TYPE_CHECKING:
    from toolspeak.messages.values import ToolCall

__all__ = ["JsonTagRenderer", "json_tag_grammar"]


def json_tag_grammar(open: Exact, close: Exact) -> Grammar:
    """JSON envelopes between `open` and `close`, and `<think>` blocks."""
    return Grammar(
        calls=(CallForm(open, close, Envelope(arguments=("arguments", "parameters", "args"))),),
        thinking=(Thinking(Exact("<think>"), Exact("</think>")),),
        results=(Exact("<tool_response>"),),
        noise=(Noise(close),),
    )


class JsonTagRenderer(CommonRenderer):
    """Renders a call as one JSON object on a line of its own between `<tool_call>` tags."""

    def render_call(self, call: ToolCall, tools: ToolSet, *, example: bool = False) -> str:
        """The JSON envelope with `name` and `arguments`, in its tag."""
        if not call.name:
            raise RenderError("a call needs a tool name")
        envelope = compact_json({"name": call.name, "arguments": dict(call.arguments)})
        return f"<tool_call>\n{envelope}\n</tool_call>"

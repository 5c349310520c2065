"""deepseek: `NAME<｜tool▁sep｜>JSON` between call tokens, calls abutting inside a section.

The header `function` announces the older form (the name in the next line, then fenced JSON), so
a tool of that very name is written in the older form.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from toolspeak.dialects._common import CommonRenderer
from toolspeak.errors import RenderError
from toolspeak.messages import ToolCall, ToolResult
from toolspeak.rendering import compact_json, require_name
from toolspeak.schema import ToolSet

__all__ = ["DeepseekRenderer"]


class DeepseekRenderer(CommonRenderer):
    """Renders deepseek."""

    def render_call(self, call: ToolCall, tools: ToolSet, *, example: bool = False) -> str:
        """One call between its tokens."""
        require_name(call.name, "the tool name")
        if "<｜" in call.name or "\n" in call.name:
            raise RenderError(f"the tool name {call.name!r} holds what ends a name in deepseek")
        body = compact_json(dict(call.arguments))
        if call.name == "function":
            body = f"{call.name}\n```json\n{body}\n```"
        return f"<｜tool▁call▁begin｜>{call.name}<｜tool▁sep｜>{body}<｜tool▁call▁end｜>"

    def render_calls(
        self, calls: Sequence[ToolCall], tools: ToolSet, *, example: bool = False
    ) -> str:
        """The calls, abutting, in their section."""
        body = "".join(self.render_call(call, tools, example=example) for call in calls)
        return f"<｜tool▁calls▁begin｜>{body}<｜tool▁calls▁end｜>" if body else ""

    def render_results(self, results: Iterable[ToolResult]) -> str:
        """Each result between output tokens, joined by newlines."""
        outputs = [
            f"<｜tool▁output▁begin｜>{result.text}<｜tool▁output▁end｜>" for result in results
        ]
        return "\n".join(outputs)


# --- grammar and dialect ------------------------------------------------------------------------

"""harmony: every call, result and thought is a channel message with a recipient in its header."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from toolspeak.errors import RenderError
from toolspeak.messages import ToolCall, ToolResult
from toolspeak.rendering import Renderer, compact_json, require_name
from toolspeak.schema import ToolSet

__all__ = ["HarmonyRenderer"]


class HarmonyRenderer(Renderer):
    """Renders harmony; an example shows the arguments only, the header belongs to the server."""

    def render_call(self, call: ToolCall, tools: ToolSet, *, example: bool = False) -> str:
        """One message to `functions.NAME` whose body is the JSON arguments."""
        arguments = compact_json(dict(call.arguments))
        if example:
            return arguments
        require_name(call.name, "the tool name")
        if re.search(r"\s|<\|", call.name):
            raise RenderError(f"the tool name {call.name!r} holds what ends a recipient in harmony")
        header = f"<|start|>assistant<|channel|>commentary to=functions.{call.name}"
        return f"{header}<|message|>{arguments}<|call|>"

    def render_calls(
        self, calls: Sequence[ToolCall], tools: ToolSet, *, example: bool = False
    ) -> str:
        """The messages, one after the other."""
        return "".join(self.render_call(call, tools, example=example) for call in calls)

    def render_results(self, results: Iterable[ToolResult]) -> str:
        """One message from `functions.NAME` to the assistant per result."""
        return "".join(
            f"<|start|>functions.{result.name} to=assistant<|channel|>commentary"
            f"<|message|>{result.text}<|end|>"
            for result in results
        )

    def render_thinking(self, text: str) -> str:
        """A message on the analysis channel, the text as it is."""
        return f"<|start|>assistant<|channel|>analysis<|message|>{text}<|end|>" if text else ""


# --- grammar and dialect ------------------------------------------------------------------------

"""glm: `<tool_call>NAME` and `<arg_key>`/`<arg_value>` pairs.

A value is verbatim text or JSON by the schema, and nothing on the wire says which. Scanners heal
wrong and missing closers, so more than `</arg_value>` ends a value: JSON escapes `<` where one of
those endings occurs, a string that the schema calls string cannot and is a `RenderError`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from toolspeak.dialects._common import CommonRenderer
from toolspeak.dialects._keyed import keyed_value
from toolspeak.errors import RenderError
from toolspeak.messages import ToolCall, ToolResult
from toolspeak.rendering import render_tool_responses, require_name
from toolspeak.schema import ToolSet

__all__ = ["GlmRenderer"]

_VALUE_END = re.compile(
    r"</arg_value>|</tool_call>"
    r"|</arg_key>\s{0,32}<arg_key>"
    r"|<arg_key>[^<\n]{0,128}</arg_key>\s{0,32}<arg_value>"
)
_NAME_END = re.compile(r"\n|<arg_key>|</tool_call>")
_KEY_END = re.compile(r"</?arg_key>|</?arg_value>|</tool_call>")


class GlmRenderer(CommonRenderer):
    """Renders glm."""

    def render_call(self, call: ToolCall, tools: ToolSet, *, example: bool = False) -> str:
        """The name on the opener's line, then a key and a value line per argument."""
        _require_readable(call.name, "the tool name", _NAME_END)
        lines = [f"<tool_call>{call.name}"]
        for key, value in call.arguments.items():
            _require_readable(key, "the parameter name", _KEY_END)
            text = keyed_value(key, value, tools.is_string_only(call.name, key), _VALUE_END)
            lines += [f"<arg_key>{key}</arg_key>", f"<arg_value>{text}</arg_value>"]
        return "\n".join([*lines, "</tool_call>"])

    def render_results(self, results: Iterable[ToolResult]) -> str:
        """One `<tool_response>` per result, all in one `<observation>`."""
        return f"<observation>\n{render_tool_responses(results)}\n</observation>"


def _require_readable(name: str, what: str, end: re.Pattern[str]) -> None:
    require_name(name, what)
    if end.search(name):
        raise RenderError(f"{what} {name!r} holds what ends a name in glm")


# --- grammar and dialect ------------------------------------------------------------------------

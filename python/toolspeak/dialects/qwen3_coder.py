"""qwen3-coder: `<function=NAME>` with `<parameter=KEY>` elements, in `<tool_call>`.

One newline on each side of a value is layout. A value ends at a closer that something legal
follows, so `</parameter>` elsewhere in a text is text. Strings are raw and the rest is JSON, by
the schema alone.
"""

from __future__ import annotations

import re

from toolspeak.dialects._common import CommonRenderer
from toolspeak.dialects._keyed import keyed_value
from toolspeak.errors import RenderError
from toolspeak.messages import ToolCall
from toolspeak.rendering import checked_tag, require_name
from toolspeak.schema import ToolSet

__all__ = ["Qwen3CoderRenderer"]

# The text's own end may be followed by anything legal, so a closer there counts too.
_VALUE_END = re.compile(r"</parameter>\s*(?:<parameter=|</function>|</tool_call>|\Z)")


class Qwen3CoderRenderer(CommonRenderer):
    """Renders qwen3-coder."""

    def render_call(self, call: ToolCall, tools: ToolSet, *, example: bool = False) -> str:
        """One `<tool_call>` with a `<function=NAME>` element."""
        lines = ["<tool_call>", _tag("function", call.name)]
        for key, value in call.arguments.items():
            text = keyed_value(key, value, tools.is_string_only(call.name, key), _VALUE_END)
            lines += [_tag("parameter", key), text, "</parameter>"]
        return "\n".join([*lines, "</function>", "</tool_call>"])


def _tag(kind: str, name: str) -> str:
    require_name(name, f"the {kind} name")
    if re.search(r"[<>\r\n\"']", name):
        raise RenderError(f"the {kind} name {name!r} holds what ends a name in a tag")
    return checked_tag(f"<{kind}={name}>")


# --- grammar and dialect ------------------------------------------------------------------------

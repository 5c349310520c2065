"""kimi: `functions.NAME:INDEX` as id and name, JSON arguments, special tokens around both.

The name is what an id holds before its first `:` and after its last `.`; the name of a listed
tool wins over that, so a name with dots can only be read with the tool list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from toolspeak.dialects._common import CommonRenderer
from toolspeak.errors import RenderError
from toolspeak.messages import ToolCall, ToolResult
from toolspeak.rendering import compact_json, require_name
from toolspeak.schema import ToolSet

__all__ = ["KimiRenderer"]

_OWN_ID = re.compile(r"functions\.(.+):\d+")


class KimiRenderer(CommonRenderer):
    """Renders kimi."""

    def render_call(self, call: ToolCall, tools: ToolSet, *, example: bool = False) -> str:
        """One call; its index is 0 unless the call's own id gives one."""
        return _call(call, 0, tools)

    def render_calls(
        self, calls: Sequence[ToolCall], tools: ToolSet, *, example: bool = False
    ) -> str:
        """The calls, numbered from 0, in their section."""
        body = "".join(_call(call, index, tools) for index, call in enumerate(calls))
        return f"<|tool_calls_section_begin|>{body}<|tool_calls_section_end|>" if body else ""

    def render_results(self, results: Iterable[ToolResult]) -> str:
        """One system turn per result, named after the call it answers."""
        return "".join(
            f"<|im_system|>{result.name}<|im_middle|>## Return of "
            f"{_call_id(result.id, result.name, index)}\n{result.text}<|im_end|>"
            for index, result in enumerate(results)
        )


def _call(call: ToolCall, index: int, tools: ToolSet) -> str:
    require_name(call.name, "the tool name")
    header = _call_id(call.id, call.name, index)
    if "<|" in header or _name_in(header, tools) != call.name:
        hint = "; pass the tool list that names it" if "." in call.name else ""
        raise RenderError(f"the tool name {call.name!r} cannot be read from a kimi id{hint}")
    arguments = compact_json(dict(call.arguments))
    return f"<|tool_call_begin|>{header}<|tool_call_argument_begin|>{arguments}<|tool_call_end|>"


def _call_id(own: str, name: str, index: int) -> str:
    """The call's own id where it has kimi's form and names the same tool, else a new one."""
    found = _OWN_ID.fullmatch(own.strip())
    return found[0] if found and found[1] == name else f"functions.{name}:{index}"


def _name_in(header: str, tools: ToolSet) -> str:
    head = header.partition(":")[0]
    listed = [name for name in tools.names if "." in name and f".{head}".endswith(f".{name}")]
    return max(listed, key=len) if listed else head.rpartition(".")[2]


# --- grammar and dialect ------------------------------------------------------------------------

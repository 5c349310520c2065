"""kimi: `functions.NAME:INDEX` as id and name, JSON arguments, special tokens around both.

The name is what an id holds before its first `:` and after its last `.`; the name of a listed
tool wins over that, so a name with dots can only be read with the tool list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from toolspeak._core import read_header
from toolspeak.dialect import Dialect
from toolspeak.dialects._common import CommonRenderer
from toolspeak.errors import RenderError
from toolspeak.grammar import (
    AnyOf,
    CallForm,
    Exact,
    Followed,
    Grammar,
    Header,
    Json,
    NameTemplate,
    Section,
    Thinking,
)
from toolspeak.tools.tool_set import ToolSet
from toolspeak.writing.renderer import TurnMarks
from toolspeak.writing.text import compact_json, load_guide, require_name

if TYPE_CHECKING:
    from toolspeak.messages.values import ToolCall, ToolResult

__all__ = ["DIALECT", "KimiRenderer"]

_ID = NameTemplate("functions.{name}:{index}", prefix="any", tools="first", is_id=True)
_OWN_ID = re.compile(re.escape(_ID.before) + "(.+)" + re.escape(_ID.after) + r"\d+")


class KimiRenderer(CommonRenderer):
    """Renders kimi."""

    marks = TurnMarks(
        system=("<|im_system|>system<|im_middle|>", "<|im_end|>"),
        developer=("<|im_system|>system<|im_middle|>", "<|im_end|>"),
        user=("<|im_user|>user<|im_middle|>", "<|im_end|>"),
        assistant=("<|im_assistant|>assistant<|im_middle|>", "<|im_end|>"),
        tool=("", ""),  # each result is a turn of its own
        reply="<|im_assistant|>assistant<|im_middle|>",
    )

    def call_ids(self, calls: Sequence[ToolCall]) -> list[str]:
        """The ids of a turn's calls in kimi's form, numbered from 0."""
        return [_call_id(call.id, call.name, index) for index, call in enumerate(calls)]

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
    if "<|" in header or read_header(DIALECT._compiled(), header, tools) != (call.name, header):
        hint = "; pass the tool list that names it" if "." in call.name else ""
        raise RenderError(f"the tool name {call.name!r} cannot be read from a kimi id{hint}")
    arguments = compact_json(dict(call.arguments))
    return f"<|tool_call_begin|>{header}<|tool_call_argument_begin|>{arguments}<|tool_call_end|>"


def _call_id(own: str, name: str, index: int) -> str:
    """The call's own id where it has kimi's form and names the same tool, else a new one."""
    found = _OWN_ID.fullmatch(own.strip())
    return found[0] if found and found[1] == name else _ID.write(name, index)


_CALL = CallForm(
    open=Exact("<|tool_call_begin|>"),
    close=Exact("<|tool_call_end|>"),
    name=Header(
        ends=AnyOf(Exact("<|tool_call_argument_begin|>"), Followed(Exact("{"), consumed=0)),
        bare=True,
        read=_ID,
    ),
    body=Json(),
)

DIALECT = Dialect(
    name="kimi",
    grammar=Grammar(
        calls=(_CALL,),
        sections=(
            Section(
                Exact("<|tool_calls_section_begin|>", "<|tool_call_section_begin|>"),
                Exact("<|tool_calls_section_end|>", "<|tool_call_section_end|>"),
                (_CALL,),
            ),
        ),
        thinking=(Thinking(Exact("<think>"), Exact("</think>")),),
        call_in_thinking="ends_prompted",
        results=(Exact("<|im_system|>"),),
    ),
    renderer=KimiRenderer(),
    guide=load_guide("kimi"),
    summary="JSON between section tokens; the tool's name stands in the call's id",
)

"""glm: `<tool_call>NAME` and `<arg_key>`/`<arg_value>` pairs.

A value is verbatim text or JSON by the schema, and nothing on the wire says which. Scanners heal
wrong and missing closers, so more than `</arg_value>` ends a value: JSON escapes `<` where one of
those endings occurs, a string that the schema calls string cannot and is a `RenderError`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from toolspeak.dialect import Dialect
from toolspeak.dialects._common import CommonRenderer
from toolspeak.dialects._keyed import keyed_value
from toolspeak.errors import RenderError
from toolspeak.grammar import (
    AnyOf,
    Blanks,
    CallForm,
    Exact,
    Followed,
    Grammar,
    Header,
    NameTemplate,
    Noise,
    Pairs,
    Thinking,
    Word,
)
from toolspeak.tools.tool_set import ToolSet
from toolspeak.writing.renderer import Turn, TurnMarks
from toolspeak.writing.text import load_guide, render_tool_responses, require_name

if TYPE_CHECKING:
    from toolspeak.messages.values import ToolCall, ToolResult

__all__ = ["DIALECT", "GlmRenderer"]

_VALUE_END = re.compile(
    r"</arg_value>|</tool_call>"
    r"|</arg_key>\s{0,32}<arg_key>"
    r"|<arg_key>[^<\n]{0,128}</arg_key>\s{0,32}<arg_value>"
)
_NAME_END = re.compile(r"\n|<arg_key>|</tool_call>")
_KEY_END = re.compile(r"</?arg_key>|</?arg_value>|</tool_call>")


class GlmRenderer(CommonRenderer):
    """Renders glm."""

    marks = TurnMarks(
        begin="[gMASK]<sop>",
        system=("<|system|>\n", ""),
        developer=("<|system|>\n", ""),
        user=("<|user|>\n", ""),
        assistant=("<|assistant|>\n", ""),
        tool=("<|observation|>\n", ""),
        reply="<|assistant|>\n",
    )

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

    def render_result_turn(self, results: Sequence[ToolResult]) -> str:
        """The results alone: the turn's own token says what they are."""
        return render_tool_responses(results)

    def render_reply(self, turn: Turn, tools: ToolSet) -> str:
        """As others do, thinking on a line of its own."""
        reply = super().render_reply(turn, tools)
        return f"\n{reply}" if turn.thinking else reply


def _require_readable(name: str, what: str, end: re.Pattern[str]) -> None:
    require_name(name, what)
    if end.search(name):
        raise RenderError(f"{what} {name!r} holds what ends a name in glm")


_ARG_KEY, _ARG_KEY_CLOSE = Exact("<arg_key>"), Exact("</arg_key>")
_ARG_VALUE, _ARG_VALUE_CLOSE = Exact("<arg_value>"), Exact("</arg_value>")
_CALL_CLOSE = Exact("</tool_call>")
_NO_NAME = ("<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", "</tool_call>")

# A value ends at its closer; where that is wrong or missing, at what shows that the next key
# begins, or at the end of the call.
_VALUE_ENDS = AnyOf(
    _ARG_VALUE_CLOSE,
    Followed(_CALL_CLOSE, consumed=0),
    Followed(_ARG_KEY_CLOSE, Blanks(32), _ARG_KEY),
    Followed(_ARG_KEY, Word(128), _ARG_KEY_CLOSE, Blanks(32), _ARG_VALUE, consumed=0, trim=True),
)

DIALECT = Dialect(
    name="glm",
    grammar=Grammar(
        calls=(
            CallForm(
                open=Exact("<tool_call>"),
                close=_CALL_CLOSE,
                name=Header(
                    ends=AnyOf(Exact("\n"), Followed(_ARG_KEY, consumed=0)),
                    bare=True,
                    read=NameTemplate(without=_NO_NAME),
                ),
                body=Pairs(
                    key_open=_ARG_KEY,
                    key_close=_ARG_KEY_CLOSE,
                    value_open=_ARG_VALUE,
                    value_close=_VALUE_ENDS,
                    strict=True,
                ),
            ),
        ),
        thinking=(Thinking(Exact("<think>"), Exact("</think>")),),
        call_in_thinking="ends_prompted",
        results=(Exact("<observation>", "<tool_response>", "<|observation|>"),),
        noise=(
            Noise(AnyOf(_CALL_CLOSE, _ARG_KEY, _ARG_KEY_CLOSE, _ARG_VALUE, _ARG_VALUE_CLOSE)),
            Noise(Exact("<tool_response>"), close=Exact("</tool_response>")),
        ),
    ),
    renderer=GlmRenderer(),
    guide=load_guide("glm"),
    summary="the tool's name, then arg_key and arg_value pairs",
)

"""qwen3-coder: `<function=NAME>` with `<parameter=KEY>` elements, in `<tool_call>`.

One newline on each side of a value is layout. A value ends at a closer that something legal
follows, so `</parameter>` elsewhere in a text is text. Strings are raw and the rest is JSON, by
the schema alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolspeak.dialect import Dialect
from toolspeak.dialects._common import RESULTS_FROM_USER, CommonRenderer
from toolspeak.dialects._keyed import keyed_value
from toolspeak.errors import RenderError
from toolspeak.grammar import (
    AnyOf,
    Blanks,
    CallForm,
    Envelope,
    Exact,
    Followed,
    Grammar,
    NameIn,
    Noise,
    OpenTag,
    Section,
    TagSyntax,
    Thinking,
    Values,
)
from toolspeak.tools.tool_set import ToolSet
from toolspeak.writing.text import checked_tag, load_guide, require_name

if TYPE_CHECKING:
    from toolspeak.messages.values import ToolCall

__all__ = ["DIALECT", "Qwen3CoderRenderer"]

# The text's own end may be followed by anything legal, so a closer there counts too.
_VALUE_END = re.compile(
    r"</parameter>\s*(?:<parameter=|</function>|</tool_call>|\Z)"
    r"|</function>\s*(?:</tool_call>|<tool_call>|<function=)"
)


class Qwen3CoderRenderer(CommonRenderer):
    """Renders qwen3-coder."""

    marks = RESULTS_FROM_USER

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


_FUNCTION = OpenTag(syntax=TagSyntax(open=("<function=",)), free="line")
_PARAMETER = OpenTag(syntax=TagSyntax(open=("<parameter=",)), free="line")
_SECTION_CLOSE = Exact("</tool_call>")
_AFTER_FUNCTION = AnyOf(_SECTION_CLOSE, Exact("<tool_call>"), _FUNCTION)

# A closer counts only with what can follow it; the newline before it is layout. A value whose
# closer is missing ends at the function's.
_VALUE_CLOSE = AnyOf(
    Followed(
        Exact("\n</parameter>", "</parameter>"),
        Blanks(),
        AnyOf(_PARAMETER, Exact("</function>"), _SECTION_CLOSE),
        at_end=True,
    ),
    Followed(Exact("\n"), Exact("</function>"), Blanks(), _AFTER_FUNCTION, at_end=True),
    Followed(Exact("</function>"), Blanks(), _AFTER_FUNCTION, consumed=0, at_end=True),
)

_CALL = CallForm(
    open=_FUNCTION,
    close=Exact("</function>"),
    name=NameIn(),
    body=Values(open=_PARAMETER, close=_VALUE_CLOSE, key=NameIn(), newline=True),
)

# Models that fall back to the older JSON form write it inside the same tags.
_JSON_CALL = CallForm(
    open=Followed(Exact("{"), consumed=0),
    close=None,
    body=Envelope(arguments=("arguments", "parameters")),
)

DIALECT = Dialect(
    name="qwen3-coder",
    grammar=Grammar(
        calls=(_CALL,),
        sections=(
            Section(Exact("<tool_call>"), _SECTION_CLOSE, (_CALL, _JSON_CALL), content="blanks"),
        ),
        thinking=(Thinking(Exact("<think>"), Exact("</think>")),),
        call_in_thinking="ends_prompted",
        results=(Exact("<tool_response>"),),
        noise=(Noise(Exact("</tool_call>", "</function>", "</parameter>")),),
    ),
    renderer=Qwen3CoderRenderer(),
    guide=load_guide("qwen3-coder"),
    summary="function= and parameter= tags inside tool_call tags",
)

"""qwen3-coder: `<function=NAME>` with `<parameter=KEY>` elements, in `<tool_call>`.

One newline on each side of a value is layout. A value ends at a closer that something legal
follows, so `</parameter>` elsewhere in a text is text. Strings are raw and the rest is JSON, by
the schema alone.
"""

from __future__ import annotations

from toolspeak.dialect import Dialect
from toolspeak.dialects._common import QWEN, RESULTS_FROM_USER, THINK
from toolspeak.dialects._guides import load_guide
from toolspeak.grammar import (
    AnyOf,
    Blanks,
    CallForm,
    CloseTag,
    Envelope,
    Exact,
    Followed,
    Grammar,
    NameIn,
    Noise,
    OpenTag,
    Section,
    TagSyntax,
    Values,
)
from toolspeak.written import Written

__all__ = ["DIALECT"]

# Some models write the name as an attribute.
_FUNCTION = AnyOf(
    OpenTag(syntax=TagSyntax(open=("<function=",)), free="line"), OpenTag(("function",))
)
_PARAMETER = AnyOf(
    OpenTag(syntax=TagSyntax(open=("<parameter=",)), free="line"), OpenTag(("parameter",))
)
_SECTION_CLOSE = Exact("</tool_call>")
_AFTER_FUNCTION = AnyOf(_SECTION_CLOSE, Exact("<tool_call>"), _FUNCTION)

# A closer counts only with what can follow it; the newline before it is layout.
_VALUE_CLOSE = Followed(
    Exact("\n</parameter>", "</parameter>"),
    Blanks(),
    AnyOf(_PARAMETER, Exact("</function>"), _SECTION_CLOSE),
    at_end=True,
)
# It may stand there twice. A value whose closer is missing ends at the function's.
_HEALED_CLOSE = AnyOf(
    Followed(
        Exact("\n</parameter>", "</parameter>"),
        Blanks(),
        Exact("</parameter>"),
        Blanks(),
        AnyOf(_PARAMETER, Exact("</function>"), _SECTION_CLOSE),
    ),
    Followed(Exact("\n"), Exact("</function>"), Blanks(), _AFTER_FUNCTION, at_end=True),
    Followed(Exact("</function>"), Blanks(), _AFTER_FUNCTION, consumed=0, at_end=True),
)

_CALL = CallForm(
    open=_FUNCTION,
    close=Exact("</function>"),
    name=NameIn(),
    body=Values(
        open=_PARAMETER,
        close=_VALUE_CLOSE,
        healed_close=_HEALED_CLOSE,
        key=NameIn(),
        newline=True,
        null=("null",),
    ),
    # Its `<tool_call>` stands around each call, not around all.
    written=Written(
        open="<tool_call>\n<function={name}>\n",
        close="</function>\n</tool_call>",
        value=("<parameter={key}>\n", "\n</parameter>\n"),
    ),
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
            Section(
                Exact("<tool_call>"),
                _SECTION_CLOSE,
                (_CALL, _JSON_CALL),
                noise=CloseTag(free="identifier"),
            ),
        ),
        thinking=(THINK,),
        call_in_thinking="ends_prompted",
        results=(Exact("<tool_response>"),),
        noise=(Noise(Exact("</tool_call>", "</function>", "</parameter>")),),
    ),
    turns=RESULTS_FROM_USER,
    family=QWEN.replace(
        sources=(
            "https://github.com/vllm-project/vllm/blob/main/examples/tool_chat_template_qwen3coder.jinja",
            "https://huggingface.co/Qwen/Qwen3.5-4B",
        ),
    ),
    guide=load_guide("qwen3-coder"),
    summary="function= and parameter= tags inside tool_call tags",
)

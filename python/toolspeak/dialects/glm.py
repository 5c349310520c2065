"""glm: `<tool_call>NAME` and `<arg_key>`/`<arg_value>` pairs.

A value is verbatim text or JSON by the schema, and nothing on the wire says which. Wrong and
missing closers are healed, so more than `</arg_value>` ends a value.
"""

from __future__ import annotations

from toolspeak.dialect import Dialect
from toolspeak.dialects._common import THINK
from toolspeak.dialects._guides import load_guide
from toolspeak.family import Family
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
    Word,
)
from toolspeak.written import TOOL_RESPONSES, Turns, Written

__all__ = ["DIALECT"]

_ARG_KEY, _ARG_KEY_CLOSE = Exact("<arg_key>"), Exact("</arg_key>")
_ARG_VALUE, _ARG_VALUE_CLOSE = Exact("<arg_value>"), Exact("</arg_value>")
_CALL_CLOSE = Exact("</tool_call>")
_NO_NAME = ("<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", "</tool_call>")

# What stands behind a call's closer that is no data.
_AFTER_CALL = Exact("<tool_call>", "<|observation|>", "<|user|>", "<|endoftext|>")

# Where a value's closer is wrong or missing, it ends at what shows that the next key begins, or at
# the end of the call, which the next call or the end of the turn confirms.
_HEALED_CLOSE = AnyOf(
    Followed(_CALL_CLOSE, Blanks(32), _AFTER_CALL, consumed=0, at_end=True),
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
                    ends=AnyOf(
                        Exact("\n"),
                        Followed(_ARG_KEY, consumed=0),
                        # JSON behind the name, as models write it that know other formats better.
                        Followed(Exact("{"), consumed=0),
                    ),
                    bare=True,
                    read=NameTemplate(without=_NO_NAME),
                ),
                body=Pairs(
                    key_open=_ARG_KEY,
                    key_close=_ARG_KEY_CLOSE,
                    value_open=_ARG_VALUE,
                    value_close=_ARG_VALUE_CLOSE,
                    healed_close=_HEALED_CLOSE,
                    strict=True,
                    null=("null",),
                ),
                written=Written(
                    open="<tool_call>{name}\n",
                    close="</tool_call>",
                    value=("<arg_key>{key}</arg_key>\n<arg_value>", "</arg_value>\n"),
                ),
            ),
        ),
        thinking=(THINK,),
        call_in_thinking="ends_prompted",
        results=(Exact("<observation>", "<tool_response>", "<|observation|>"),),
        noise=(
            Noise(AnyOf(_CALL_CLOSE, _ARG_KEY, _ARG_KEY_CLOSE, _ARG_VALUE, _ARG_VALUE_CLOSE)),
            Noise(Exact("<tool_response>"), close=Exact("</tool_response>")),
        ),
    ),
    # In a turn of their own, the turn's token says what results are.
    results=TOOL_RESPONSES.replace(
        around=("<observation>\n", "\n</observation>"), in_turn=("", "")
    ),
    turns=Turns(
        begin="[gMASK]<sop>",
        system=("<|system|>\n", ""),
        developer=("<|system|>\n", ""),
        user=("<|user|>\n", ""),
        assistant=("<|assistant|>\n", ""),
        tool=("<|observation|>\n", ""),
        reply="<|assistant|>\n",
        thinking=("\n", ""),
    ),
    family=Family(
        stop=("<|endoftext|>", "<|user|>", "<|observation|>"),
        tokens=(
            "<think>",
            "</think>",
            "<tool_call>",
            "</tool_call>",
            "<tool_response>",
            "</tool_response>",
            "<arg_key>",
            "</arg_key>",
            "<arg_value>",
            "</arg_value>",
            "<|observation|>",
        ),
        prompt_thinking="varies",
        sources=(
            "https://huggingface.co/zai-org/GLM-4.5",
            "https://huggingface.co/zai-org/GLM-4.6",
            "https://github.com/ggml-org/llama.cpp/blob/master/models/templates/GLM-4.6.jinja",
        ),
    ),
    guide=load_guide("glm"),
    summary="the tool's name, then arg_key and arg_value pairs",
)

"""kimi: `functions.NAME:INDEX` as id and name, JSON arguments, special tokens around both.

The name is what an id holds before its first `:` and after its last `.`; the name of a listed
tool wins over that, so a name with dots can only be read with the tool list. Each result is a turn
of its own, named after the call that it answers.
"""

from __future__ import annotations

from toolspeak.dialect import Dialect
from toolspeak.dialects._common import THINK
from toolspeak.dialects._guides import load_guide
from toolspeak.family import Family
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
)
from toolspeak.written import Results, Turns, Written

__all__ = ["DIALECT"]

_ID = NameTemplate("functions.{name}:{index}", prefix="any", tools="first", is_id=True)
_CALL = CallForm(
    open=Exact("<|tool_call_begin|>"),
    close=Exact("<|tool_call_end|>"),
    name=Header(
        ends=AnyOf(Exact("<|tool_call_argument_begin|>"), Followed(Exact("{"), consumed=0)),
        bare=True,
        read=_ID,
    ),
    body=Json(),
    written=Written(
        open="<|tool_call_begin|>{header}<|tool_call_argument_begin|>",
        close="<|tool_call_end|>",
        between="",
    ),
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
                written=("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
            ),
        ),
        thinking=(THINK,),
        call_in_thinking="ends_prompted",
        results=(Exact("<|im_system|>"),),
    ),
    results=Results(
        each="<|im_system|>{name}<|im_middle|>## Return of {id}\n{text}<|im_end|>", between=""
    ),
    turns=Turns(
        system=("<|im_system|>system<|im_middle|>", "<|im_end|>"),
        developer=("<|im_system|>system<|im_middle|>", "<|im_end|>"),
        user=("<|im_user|>user<|im_middle|>", "<|im_end|>"),
        assistant=("<|im_assistant|>assistant<|im_middle|>", "<|im_end|>"),
        tool=("", ""),
        reply="<|im_assistant|>assistant<|im_middle|>",
    ),
    family=Family(
        stop=("<|im_end|>",),
        tokens=(
            "<|tool_calls_section_begin|>",
            "<|tool_calls_section_end|>",
            "<|tool_call_begin|>",
            "<|tool_call_argument_begin|>",
            "<|tool_call_end|>",
        ),
        prompt_thinking="varies",
        sources=(
            "https://github.com/MoonshotAI/Kimi-K2/blob/main/docs/tool_call_guidance.md",
            "https://github.com/ggml-org/llama.cpp/blob/master/models/templates/moonshotai-Kimi-K2-Thinking.jinja",
        ),
    ),
    guide=load_guide("kimi"),
    summary="JSON between section tokens; the tool's name stands in the call's id",
)

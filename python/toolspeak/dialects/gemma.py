"""gemma: `call:NAME{key:value,…}` between tokens, strings between `<|"|>` tokens.

Strings are raw, so a string that holds the quote token, like a name that is not a bare word,
has no readable form. A model's turn goes on with the results of its calls.
"""

from __future__ import annotations

from toolspeak.dialect import Dialect
from toolspeak.dialects._guides import load_guide
from toolspeak.family import Family
from toolspeak.grammar import (
    CallForm,
    Exact,
    Followed,
    Grammar,
    Header,
    NameTemplate,
    Quoted,
    Thinking,
)
from toolspeak.written import Results, Turns, Written

__all__ = ["DIALECT"]

_NAME = NameTemplate("call:{name}", names="word")

DIALECT = Dialect(
    name="gemma",
    grammar=Grammar(
        calls=(
            CallForm(
                open=Exact("<|tool_call>"),
                close=Exact("<tool_call|>"),
                name=Header(
                    ends=Followed(Exact("{"), consumed=0),
                    read=_NAME,
                ),
                body=Quoted('<|"|>'),
                written=Written(open="<|tool_call>{header}", close="<tool_call|>", between=""),
            ),
        ),
        thinking=(
            Thinking(
                Exact("<|channel>thought\n"),
                Exact("<channel|>"),
                ("<|channel>thought\n", "<channel|>"),
            ),
        ),
        results=(Exact("<|tool_response>"),),
    ),
    results=Results(
        each="<|tool_response>response:{name}{output:{value}}<tool_response|>", between=""
    ),
    turns=Turns(
        begin="<bos>",
        system=("<|turn>system\n", "<turn|>"),
        developer=("<|turn>system\n", "<turn|>"),
        user=("<|turn>user\n", "<turn|>"),
        assistant=("<|turn>model\n", "<turn|>"),
        tool=("<|turn>model\n", "<turn|>"),
        reply="<|turn>model\n",
        results="reply",
    ),
    family=Family(
        stop=("<turn|>", "<|tool_response>", "<eos>"),
        tokens=(
            "<|tool_call>",
            "<tool_call|>",
            "<|tool_response>",
            "<tool_response|>",
            '<|"|>',
            "<channel|>",
        ),
        sources=(
            "https://ai.google.dev/gemma/docs/core/prompt-formatting-gemma4",
            "https://huggingface.co/google/gemma-4-31B-it",
            "https://github.com/vllm-project/vllm/blob/main/examples/tool_chat_template_gemma4.jinja",
        ),
    ),
    guide=load_guide("gemma"),
    summary="call:NAME{…} with token-quoted strings",
)

"""longcat: JSON in `<longcat_tool_call>` tags, one call per line; thinking in `<longcat_think>`.

The format is that of LongCat-Flash; later models of the family write `<longcat_arg_key>` pairs.
"""

from __future__ import annotations

from toolspeak.dialect import Dialect
from toolspeak.dialects._guides import load_guide
from toolspeak.dialects._json_tag import json_tag_grammar
from toolspeak.family import Family
from toolspeak.grammar import Exact, Thinking

__all__ = ["DIALECT"]

DIALECT = Dialect(
    name="longcat",
    grammar=json_tag_grammar(
        "<longcat_tool_call>",
        "</longcat_tool_call>",
        thinking=Thinking(
            Exact("<longcat_think>"),
            Exact("</longcat_think>"),
            ("<longcat_think>\n", "\n</longcat_think>"),
        ),
        arguments=("arguments",),
    ),
    family=Family(
        stop=("</longcat_s>",),
        sources=("https://huggingface.co/meituan-longcat/LongCat-Flash-Chat",),
    ),
    guide=load_guide("longcat"),
    summary="JSON with name and arguments in longcat_tool_call tags",
)

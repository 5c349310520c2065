"""xml: bare `<invoke>` tags, one call per line, no section around them.

`tagset="dsml"` writes the tags in DeepSeek's DSML spelling instead, which needs its section.
"""

from __future__ import annotations

from toolspeak.dialect import Dialect
from toolspeak.dialects._guides import load_guide
from toolspeak.dialects._tagged import TAGGED_TURNS, dsml_grammar, tagged_grammar
from toolspeak.family import Family

__all__ = ["DIALECT"]

_DSML = Dialect(
    name="xml-dsml",
    grammar=dsml_grammar(),
    turns=TAGGED_TURNS,
    family=Family(
        stop=("<｜end▁of▁sentence｜>",),
        tokens=("<think>", "</think>"),
        prompt_thinking="varies",
        sources=("https://huggingface.co/deepseek-ai/DeepSeek-V3.2",),
    ),
    guide=load_guide("xml-dsml"),
    summary="invoke tags in DSML spelling",
)

DIALECT = Dialect(
    name="xml",
    grammar=tagged_grammar(
        ("function_calls", "tool_calls"), thinking=("thinking", "think", "scratchpad")
    ),
    turns=TAGGED_TURNS,
    guide=load_guide("xml"),
    summary="bare invoke tags with parameter tags",
    variants={"tagset": {"dsml": _DSML}},
)

"""hermes: JSON in `<tool_call>` tags, one call per line; results go to a `tool` turn."""

from __future__ import annotations

from toolspeak.dialect import Dialect
from toolspeak.dialects._guides import load_guide
from toolspeak.dialects._json_tag import json_tag_grammar
from toolspeak.family import Family

__all__ = ["DIALECT"]

DIALECT = Dialect(
    name="hermes",
    grammar=json_tag_grammar("<tool_call>", "</tool_call>"),
    family=Family(
        stop=("<|im_end|>",),
        tokens=("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"),
        sources=(
            "https://huggingface.co/NousResearch/Hermes-2-Pro-Llama-3-8B",
            "https://huggingface.co/NousResearch/Hermes-3-Llama-3.1-8B",
        ),
    ),
    guide=load_guide("hermes"),
    summary="JSON with name and arguments in tool_call tags; results in a tool turn",
)

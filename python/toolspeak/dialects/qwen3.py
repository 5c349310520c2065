"""qwen3: JSON in `<tool_call>` tags, one call per line; results go to a `user` turn."""

from __future__ import annotations

from toolspeak.dialect import Dialect
from toolspeak.dialects._common import QWEN, RESULTS_FROM_USER
from toolspeak.dialects._guides import load_guide
from toolspeak.dialects._json_tag import json_tag_grammar

__all__ = ["DIALECT"]

DIALECT = Dialect(
    name="qwen3",
    grammar=json_tag_grammar("<tool_call>", "</tool_call>"),
    turns=RESULTS_FROM_USER,
    family=QWEN.replace(
        sources=("https://huggingface.co/Qwen/Qwen3-8B", "https://huggingface.co/Qwen/Qwen3-0.6B"),
    ),
    guide=load_guide("qwen3"),
    summary="JSON with name and arguments in tool_call tags; results in a user turn",
)

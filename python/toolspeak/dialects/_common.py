"""What many families share: turns, `<think>` blocks, the tokens of Qwen models."""

from __future__ import annotations

from toolspeak.family import Family
from toolspeak.grammar import Exact, Thinking
from toolspeak.written import CHATML

__all__ = ["QWEN", "RESULTS_FROM_USER", "THINK"]

RESULTS_FROM_USER = CHATML.replace(tool=CHATML.user)
"""ChatML turns, results in a turn of the user."""

THINK = Thinking(Exact("<think>"), Exact("</think>"), ("<think>\n", "\n</think>"))
"""Thinking between `<think>` tags on their own lines."""

QWEN = Family(
    stop=("<|im_end|>", "<|endoftext|>"),
    tokens=(
        "<tool_call>",
        "</tool_call>",
        "<tool_response>",
        "</tool_response>",
        "<think>",
        "</think>",
    ),
    prompt_thinking="varies",
)
"""The Qwen models, whose tokenizers share these tokens; a dialect adds its sources."""

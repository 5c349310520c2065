"""thinking: every thinking idiom and no calls; thinking is written as `<think>`."""

from __future__ import annotations

from toolspeak.dialect import Dialect
from toolspeak.dialects._common import THINK
from toolspeak.dialects._guides import load_guide
from toolspeak.grammar import Exact, Grammar, Thinking

__all__ = ["DIALECT"]

DIALECT = Dialect(
    name="thinking",
    grammar=Grammar(
        thinking=(
            THINK,
            Thinking(Exact("<thinking>"), Exact("</thinking>")),
            Thinking(Exact("<scratchpad>"), Exact("</scratchpad>")),
            Thinking(Exact("<|channel>thought\n"), Exact("<channel|>")),
            Thinking(
                Exact(
                    "<|start|>assistant<|channel|>analysis<|message|>",
                    "<|channel|>analysis<|message|>",
                ),
                Exact("<|end|>"),
            ),
            Thinking(Exact("```thinking\n"), None),
        )
    ),
    results=None,
    guide=load_guide("thinking"),
    summary="every thinking idiom and no calls: heals reasoning that leaked into text",
)

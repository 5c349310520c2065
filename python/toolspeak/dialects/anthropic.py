"""anthropic: `<invoke>` tags inside `<function_calls>`, results inside `<function_results>`."""

from __future__ import annotations

from toolspeak.dialect import Dialect
from toolspeak.dialects._guides import load_guide
from toolspeak.dialects._tagged import FUNCTION_RESULTS, TAGGED_TURNS, tagged_grammar

__all__ = ["DIALECT"]

DIALECT = Dialect(
    name="anthropic",
    grammar=tagged_grammar(
        ("function_calls", "tool_calls"),
        thinking=("thinking", "think", "scratchpad"),
        written_section="function_calls",
    ),
    results=FUNCTION_RESULTS,
    turns=TAGGED_TURNS,
    guide=load_guide("anthropic"),
    summary="invoke tags inside function_calls",
)

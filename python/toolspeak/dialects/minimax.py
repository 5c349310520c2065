"""minimax: `<invoke>` tags inside `<minimax:tool_call>`, results inside `<function_results>`."""

from __future__ import annotations

from toolspeak.dialect import Dialect
from toolspeak.dialects._guides import load_guide
from toolspeak.dialects._tagged import FUNCTION_RESULTS, TAGGED_TURNS, tagged_grammar

__all__ = ["DIALECT"]

DIALECT = Dialect(
    name="minimax",
    grammar=tagged_grammar(
        ("tool_call",),
        thinking=("think", "thinking", "scratchpad"),
        written_section="minimax:tool_call",
    ),
    results=FUNCTION_RESULTS,
    turns=TAGGED_TURNS,
    guide=load_guide("minimax"),
    summary="invoke tags inside minimax:tool_call",
)

"""minimax: `<invoke>` tags inside `<minimax:tool_call>`, results inside `<function_results>`."""

from __future__ import annotations

from toolspeak.dialect import Dialect
from toolspeak.dialects._guides import load_guide
from toolspeak.dialects._tagged import FUNCTION_RESULTS, TAGGED_TURNS, tagged_grammar
from toolspeak.family import Family

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
    family=Family(
        stop=("[e~[",),
        tokens=("<think>", "</think>", "<minimax:tool_call>", "</minimax:tool_call>"),
        prompt_thinking="open",
        sources=("https://github.com/MiniMax-AI/MiniMax-M2/blob/main/docs/tool_calling_guide.md",),
    ),
    guide=load_guide("minimax"),
    summary="invoke tags inside minimax:tool_call",
)

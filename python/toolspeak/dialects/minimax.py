"""minimax: `<invoke>` tags inside `<minimax:tool_call>`, results inside `<function_results>`."""

from __future__ import annotations

from toolspeak.dialect import Dialect
from toolspeak.dialects._tagged import FunctionResultsRenderer, tagged_grammar
from toolspeak.writing.text import load_guide

__all__ = ["DIALECT", "MinimaxRenderer"]


class MinimaxRenderer(FunctionResultsRenderer):
    """Renders minimax."""

    def __init__(self) -> None:
        super().__init__(section="minimax:tool_call")


DIALECT = Dialect(
    name="minimax",
    grammar=tagged_grammar(("tool_call",), thinking=("think", "thinking", "scratchpad")),
    renderer=MinimaxRenderer(),
    guide=load_guide("minimax"),
    summary="invoke tags inside minimax:tool_call",
)

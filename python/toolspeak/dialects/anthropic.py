"""anthropic: `<invoke>` tags inside `<function_calls>`, results inside `<function_results>`."""

from __future__ import annotations

from toolspeak.dialect import Dialect
from toolspeak.dialects._tagged import FunctionResultsRenderer, tagged_grammar
from toolspeak.writing.text import load_guide

__all__ = ["DIALECT", "AnthropicRenderer"]


class AnthropicRenderer(FunctionResultsRenderer):
    """Renders anthropic."""

    def __init__(self) -> None:
        super().__init__(section="function_calls")


DIALECT = Dialect(
    name="anthropic",
    grammar=tagged_grammar(
        ("function_calls", "tool_calls"), thinking=("thinking", "think", "scratchpad")
    ),
    renderer=AnthropicRenderer(),
    guide=load_guide("anthropic"),
    summary="invoke tags inside function_calls",
)

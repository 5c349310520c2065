"""hermes: JSON in `<tool_call>` tags, one call per line; results go to a `tool` turn."""

from __future__ import annotations

from toolspeak.dialect import Dialect
from toolspeak.dialects._json_tag import JsonTagRenderer, json_tag_grammar
from toolspeak.grammar import Exact
from toolspeak.writing.text import load_guide

__all__ = ["DIALECT", "HermesRenderer"]


class HermesRenderer(JsonTagRenderer):
    """Renders hermes."""


DIALECT = Dialect(
    name="hermes",
    grammar=json_tag_grammar(Exact("<tool_call>"), Exact("</tool_call>")),
    renderer=HermesRenderer(),
    guide=load_guide("hermes"),
    summary="JSON with name and arguments in tool_call tags; results in a tool turn",
)

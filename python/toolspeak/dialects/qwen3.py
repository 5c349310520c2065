"""qwen3: JSON in `<tool_call>` tags, one call per line; results go to a `user` turn."""

from __future__ import annotations

from toolspeak.dialect import Dialect
from toolspeak.dialects._common import RESULTS_FROM_USER
from toolspeak.dialects._json_tag import JsonTagRenderer, json_tag_grammar
from toolspeak.grammar import Exact
from toolspeak.writing.text import load_guide

__all__ = ["DIALECT", "Qwen3Renderer"]


class Qwen3Renderer(JsonTagRenderer):
    """Renders qwen3."""

    marks = RESULTS_FROM_USER


DIALECT = Dialect(
    name="qwen3",
    grammar=json_tag_grammar(Exact("<tool_call>"), Exact("</tool_call>")),
    renderer=Qwen3Renderer(),
    guide=load_guide("qwen3"),
    summary="JSON with name and arguments in tool_call tags; results in a user turn",
)

"""gemma: `call:NAME{key:value,…}` between tokens, strings between `<|"|>` tokens.

Strings are raw, so a string that holds the quote token, like a name that is not a bare word,
has no readable form: a `RenderError`. Results are never read back and are written regardless.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from toolspeak.dialect import Dialect
from toolspeak.errors import RenderError
from toolspeak.grammar import Call, CallHeading, Grammar, Header, Heading, Literal, Quoted, Thinking
from toolspeak.messages import ToolCall, ToolResult
from toolspeak.quoted_literals import read_object
from toolspeak.rendering import Renderer, bounded_nesting, compact_json, has_surrogate, load_guide
from toolspeak.schema import ToolSet

__all__ = ["DIALECT", "GemmaRenderer"]

_QUOTE = '<|"|>'
_WORD = re.compile(r"[\w.-]+")


class GemmaRenderer(Renderer):
    """Renders gemma."""

    def render_call(self, call: ToolCall, tools: ToolSet, *, example: bool = False) -> str:
        """One call between its tokens."""
        arguments = dict(call.arguments)
        _require_readable(call.name, arguments)
        with bounded_nesting():
            return f"<|tool_call>call:{call.name}{_literal(arguments)}<tool_call|>"

    def render_calls(
        self, calls: Sequence[ToolCall], tools: ToolSet, *, example: bool = False
    ) -> str:
        """The calls, one after the other."""
        return "".join(self.render_call(call, tools, example=example) for call in calls)

    def render_results(self, results: Iterable[ToolResult]) -> str:
        """One response per result; a result that is JSON is written as a value, not as text."""
        return "".join(
            f"<|tool_response>response:{result.name}{{output:{_literal(_result_value(result.text))}}}"
            "<tool_response|>"
            for result in results
        )

    def render_thinking(self, text: str) -> str:
        """A block on the thought channel, the text as it is."""
        return f"<|channel>thought\n{text}<channel|>" if text else ""


def _result_value(text: str) -> object:
    try:
        value: object = json.loads(text)
        compact_json(value)
    except (ValueError, RecursionError):  # RenderError is a ValueError
        return text
    return value


def _require_readable(name: str, arguments: dict[str, object]) -> None:
    compact_json(arguments)  # JSON types only, no cycles, of bounded depth
    pending: list[object] = [arguments]
    words = [name]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            words += value
            pending.extend(value.values())
        elif isinstance(value, list | tuple):
            pending.extend(value)
        elif isinstance(value, str) and (_QUOTE in value or has_surrogate(value)):
            raise RenderError(f"the text {value[:40]!r} holds {_QUOTE} or is not UTF-8")
    for word in words:
        if not _WORD.fullmatch(word):
            raise RenderError(f"the name {word!r} is not a bare word")


def _literal(value: object) -> str:
    if isinstance(value, str):
        return f"{_QUOTE}{value}{_QUOTE}"
    if isinstance(value, list | tuple):
        return f"[{','.join(map(_literal, value))}]"
    if isinstance(value, dict):
        return f"{{{','.join(f'{key}:{_literal(item)}' for key, item in value.items())}}}"
    return compact_json(value)


_NAME = re.compile(r"\s*call:\s*([\w.:-]+)\s*")


def read_call_word(header: str, _tools: ToolSet) -> Heading:
    """The tool's name behind the word `call:`."""
    found = _NAME.fullmatch(header)
    return CallHeading(found[1]) if found else None


DIALECT = Dialect(
    name="gemma",
    grammar=Grammar(
        calls=(
            Call(
                open=Literal("<|tool_call>"),
                close=Literal("<tool_call|>"),
                name=Header(body_start="{", read=read_call_word),
                body=Quoted('<|"|>', read_object),
            ),
        ),
        thinking=(Thinking(Literal("<|channel>thought\n"), Literal("<channel|>")),),
        results=(Literal("<|tool_response>"),),
    ),
    renderer=GemmaRenderer(),
    guide=load_guide("gemma"),
    summary="call:NAME{…} with token-quoted strings",
)

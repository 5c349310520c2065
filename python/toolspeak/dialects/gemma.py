"""gemma: `call:NAME{key:value,…}` between tokens, strings between `<|"|>` tokens.

Strings are raw, so a string that holds the quote token, like a name that is not a bare word,
has no readable form: a `RenderError`. Results are never read back and are written regardless.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from toolspeak.dialect import Dialect
from toolspeak.errors import RenderError
from toolspeak.grammar import (
    CallForm,
    Exact,
    Followed,
    Grammar,
    Header,
    NameTemplate,
    Quoted,
    Thinking,
)
from toolspeak.tools.tool_set import ToolSet
from toolspeak.writing.renderer import Renderer, Turn, TurnMarks
from toolspeak.writing.text import bounded_nesting, compact_json, has_surrogate, load_guide

if TYPE_CHECKING:
    from toolspeak.messages.values import ToolCall, ToolResult

__all__ = ["DIALECT", "GemmaRenderer"]

_QUOTE = '<|"|>'
_NAME = NameTemplate("call:{name}", names="word")
_WORD = re.compile(r"[\w.-]+")


class GemmaRenderer(Renderer):
    """Renders gemma; a model's turn goes on with the results of its calls."""

    marks = TurnMarks(
        begin="<bos>",
        system=("<|turn>system\n", "<turn|>"),
        developer=("<|turn>system\n", "<turn|>"),
        user=("<|turn>user\n", "<turn|>"),
        assistant=("<|turn>model\n", "<turn|>"),
        tool=("<|turn>model\n", "<turn|>"),
        reply="<|turn>model\n",
    )

    def render_call(self, call: ToolCall, tools: ToolSet, *, example: bool = False) -> str:
        """One call between its tokens."""
        arguments = dict(call.arguments)
        _require_readable(call.name, arguments)
        with bounded_nesting():
            return f"<|tool_call>{_NAME.write(call.name)}{_literal(arguments)}<tool_call|>"

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

    def render_transcript(self, turns: Sequence[Turn], tools: ToolSet, *, reply: bool) -> str:
        """The turns, results inside the turn of the calls that they answer."""
        return super().render_transcript(list(_answered(turns)), tools, reply=reply)

    def render_reply(self, turn: Turn, tools: ToolSet) -> str:
        """As others do, then the results."""
        return super().render_reply(turn, tools) + self.render_results(turn.results)

    def clean_result(self, text: str, clean: Callable[[str], str]) -> str:
        """The text, or the strings and keys of the value that it is written as."""
        value = _result_value(text)
        if isinstance(value, str):
            return compact_json(clean(value)) if value != text else clean(text)
        cleaned = _map_strings(value, clean)
        if any("<" in key for key in _keys(cleaned)):
            # Keys are bare: one could run into what stands behind it. As text, none can.
            return compact_json(clean(compact_json(cleaned)))
        return text if cleaned == value else compact_json(cleaned)


def _answered(turns: Sequence[Turn]) -> Iterator[Turn]:
    """The turns, each run of results moved into the assistant's turn before it."""
    for index, turn in enumerate(turns):
        after = turns[index + 1] if index + 1 < len(turns) else None
        if turn.role == "assistant" and after is not None and after.role == "tool":
            yield turn.replace(results=after.results)
        elif turn.role != "tool" or not index or turns[index - 1].role != "assistant":
            yield turn


# A result that nests deeper is written as the text that it is.
_MAX_RESULT_DEPTH = 100


def _result_value(text: str) -> object:
    import json  # noqa: PLC0415 - not for what only reads

    try:
        value: object = json.loads(text)
        compact_json(value)
    except (ValueError, RecursionError):  # RenderError is a ValueError
        return text
    return text if _is_deep(value) else value


def _is_deep(value: object) -> bool:
    level = [value]
    for _ in range(_MAX_RESULT_DEPTH):
        level = [child for node in level for child in _children(node)]
        if not level:
            return False
    return True


def _children(node: object) -> Iterable[object]:
    if isinstance(node, dict):
        return node.values()
    return node if isinstance(node, list) else ()


def _keys(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
    for child in _children(value):
        yield from _keys(child)


def _map_strings(value: object, change: Callable[[str], str]) -> object:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_map_strings(item, change) for item in value]
    if isinstance(value, dict):
        return {change(key): _map_strings(item, change) for key, item in value.items()}
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


DIALECT = Dialect(
    name="gemma",
    grammar=Grammar(
        calls=(
            CallForm(
                open=Exact("<|tool_call>"),
                close=Exact("<tool_call|>"),
                name=Header(
                    ends=Followed(Exact("{"), consumed=0),
                    read=_NAME,
                ),
                body=Quoted(_QUOTE),
            ),
        ),
        thinking=(Thinking(Exact("<|channel>thought\n"), Exact("<channel|>")),),
        results=(Exact("<|tool_response>"),),
    ),
    renderer=GemmaRenderer(),
    guide=load_guide("gemma"),
    summary="call:NAME{…} with token-quoted strings",
)

"""Conversations as OpenAI-style message dicts: read into turns, or rewritten as plain text.

A tool message seldom names its tool, so results are matched with the calls before them: by id, or
by position where there is none. Images have no text; a placeholder stands in their place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Protocol, TypeAlias, cast

from toolspeak._core import Scanner, Text, ToolAbort, ToolEnd
from toolspeak.errors import RenderError
from toolspeak.messages.values import ToolCall, ToolResult
from toolspeak.tools.tool_set import ToolSet
from toolspeak.writing.renderer import Renderer, Turn
from toolspeak.writing.untrusted import MarkedDialect, Untrusted, clean, clean_parts, clean_results
from toolspeak.written import Role

__all__ = ["MessageDict", "as_call", "encode_history", "read_turns"]

MessageDict: TypeAlias = Mapping[str, Any]
"""An OpenAI-style message: `role`, `content`, `reasoning`, `tool_calls`, `tool_call_id`, `name`."""


class ReadableDialect(MarkedDialect, Protocol):
    """What a conversation is written in, and read back with."""

    def scanner(self, *, tools: ToolSet, parse_thinking: bool) -> Scanner:
        """A scanner at the beginning of a stream."""


_ROLES = ("system", "developer", "user", "assistant", "tool")


def read_turns(messages: Sequence[MessageDict], renderer: Renderer) -> list[Turn]:
    """The turns of a conversation, each run of tool messages as one.

    Raises `TypeError` or `RenderError` naming the message and what is wrong with it, such as an
    unknown role or a result that no call explains.
    """
    waiting = _WaitingCalls(renderer)
    turns: list[Turn] = []
    for role, run in _runs(messages):
        if role == "tool":
            turns.append(Turn("tool", results=tuple(waiting.answer(run))))
        else:
            turns += [_read_turn(role, message, place, waiting) for place, message in run]
    return turns


def clean_turns(turns: Iterable[Turn], dialect: MarkedDialect, untrusted: Untrusted) -> list[Turn]:
    """The turns with what users and tools wrote cleaned; see `untrusted.clean`."""
    if untrusted == "verbatim":
        return list(turns)
    return [
        turn.replace(
            text=clean(turn.text, dialect, untrusted) if turn.role == "user" else turn.text,
            results=tuple(clean_results(turn.results, dialect, untrusted)),
        )
        for turn in turns
    ]


def encode_history(
    messages: Sequence[MessageDict],
    dialect: ReadableDialect,
    tools: ToolSet,
    *,
    untrusted: Untrusted = "verbatim",
    verify: bool = False,
) -> list[dict[str, Any]]:
    """The conversation without structured calls and results; see `Dialect.encode_history`."""
    waiting = _WaitingCalls(dialect.writer)
    history: list[dict[str, Any]] = []
    for role, run in _runs(messages):
        if role == "tool":
            results = clean_results(waiting.answer(run), dialect, untrusted)
            history.append(_results_message(dialect.writer.render_results(results), run))
            continue
        for place, message in run:
            calls = waiting.ask(message, place) if role == "assistant" else []
            encoded = _calls_message(message, dialect.writer.render_calls(calls, tools), calls)
            if role == "user":
                encoded = _cleaned_message(encoded, dialect, untrusted, place)
            if verify and role == "assistant":
                _require_readable(encoded, message, calls, dialect, tools, place)
            history.append(encoded)
    return history


def _runs(
    messages: Sequence[MessageDict],
) -> Iterator[tuple[Role, list[tuple[str, MessageDict]]]]:
    """The messages with the place that errors call them, tool messages in a row together."""
    if isinstance(messages, str | bytes | Mapping):
        raise TypeError(f"messages must be a sequence of dicts, not {type(messages).__name__}")
    placed = [(f"messages[{index}]", message) for index, message in enumerate(messages)]
    for place, message in placed:
        if not isinstance(message, Mapping):
            raise TypeError(f"{place} must be a dict, not {type(message).__name__}")
        if message.get("role") not in _ROLES:
            known = ", ".join(_ROLES)
            raise RenderError(f"{place} has the role {message.get('role')!r}; roles are: {known}")
    for role, run in groupby(placed, key=lambda it: it[1]["role"]):
        yield cast("Role", role), list(run)


def _read_turn(role: Role, message: MessageDict, place: str, waiting: _WaitingCalls) -> Turn:
    text = read_text(message.get("content"), place)
    if role != "assistant":
        return Turn(role, text)
    return Turn(role, text, _read_reasoning(message, place), tuple(waiting.ask(message, place)))


def _read_reasoning(message: MessageDict, place: str) -> str:
    for key in ("reasoning", "reasoning_content"):
        text = message.get(key)
        if isinstance(text, str):
            return text
        if text is not None:
            raise TypeError(f"{place}.{key} must be a string, not {type(text).__name__}")
    return ""


# --- calls and results --------------------------------------------------------------------------


def as_call(call: object) -> ToolCall:
    """A `ToolCall` from itself or from an OpenAI tool-call dict (arguments as dict or JSON)."""
    if isinstance(call, ToolCall):
        return call
    outer: Any = call if isinstance(call, Mapping) else {}
    inner = outer.get("function", outer)
    function: Mapping[str, Any] = inner if isinstance(inner, Mapping) else {}
    name = function.get("name")
    if not isinstance(name, str):
        raise TypeError('a call is a ToolCall or a dict with "name" and "arguments"')
    arguments = function.get("arguments")
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments or "{}")
        except (ValueError, RecursionError) as error:
            raise RenderError(f"the arguments of {name} are no JSON: {error}") from error
    if arguments is not None and not isinstance(arguments, Mapping):
        raise RenderError(f"the arguments of {name} must be an object, not {arguments!r}")
    return ToolCall(str(outer.get("id") or ""), name, arguments or {})


class _WaitingCalls:
    """The calls that no result has answered yet, those of the last turn first.

    Each is kept with the id that the dialect writes for it.
    """

    def __init__(self, renderer: Renderer) -> None:
        self._renderer = renderer
        self._calls: list[tuple[ToolCall, str]] = []

    def ask(self, message: MessageDict, place: str) -> list[ToolCall]:
        """The calls of an assistant's message, which now wait for results."""
        given = message.get("tool_calls")
        given = () if given is None else given
        if not isinstance(given, list | tuple):
            raise TypeError(f"{place}.tool_calls must be a list, not {type(given).__name__}")
        calls = [
            _placed_call(call, f"{place}.tool_calls[{index}]") for index, call in enumerate(given)
        ]
        self._calls = [*zip(calls, self._renderer.call_ids(calls), strict=True), *self._calls]
        return calls

    def answer(self, run: Iterable[tuple[str, MessageDict]]) -> list[ToolResult]:
        """The results of a run of tool messages, with the names and ids of their calls."""
        return [self._result(message, place) for place, message in run]

    def _result(self, message: MessageDict, place: str) -> ToolResult:
        call_id, name = message.get("tool_call_id") or "", message.get("name") or ""
        if not isinstance(call_id, str) or not isinstance(name, str):
            raise TypeError(f"{place}: tool_call_id and name must be strings")
        text = read_text(message.get("content"), place)
        answered = self._take(call_id, name)
        if answered is not None:
            call, call_id = answered
            name = name or call.name
        if not name:
            raise RenderError(f"{place} has no name, and no call before it has the id {call_id!r}")
        return ToolResult(call_id, name, text, bool(message.get("is_error")))

    def _take(self, call_id: str, name: str) -> tuple[ToolCall, str] | None:
        """The next call that fits; a result without an id answers the next one of its name."""
        for index, (call, _) in enumerate(self._calls):
            if (not call_id or call.id == call_id) and (not name or call.name == name):
                return self._calls.pop(index)
        return None


def _placed_call(call: object, place: str) -> ToolCall:
    try:
        return as_call(call)
    except (TypeError, RenderError) as error:
        raise type(error)(f"{place}: {error}") from error


# --- contents -----------------------------------------------------------------------------------

_MEDIA = {
    "image": "Image",
    "image_url": "Image",
    "input_image": "Image",
    "audio": "Audio",
    "audio_url": "Audio",
    "input_audio": "Audio",
    "video": "Video",
    "video_url": "Video",
    "file": "File",
    "input_file": "File",
}
_DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+)[;,]")


def read_text(content: object, place: str) -> str:
    """A message's content as text; what is no text is a placeholder, such as `[Image: image/png]`.

    The media type is told once: a part like the one before it is only `[Image]`.
    """
    if content is None or isinstance(content, str):
        return content or ""
    pieces: list[str] = []
    last = ""
    for part in _parts(content, place):
        if isinstance(part, str):
            pieces.append(part)
            continue
        kind, media_type = _media(part)
        placeholder = f"[{kind}: {media_type}]" if media_type else f"[{kind}]"
        pieces.append(f"[{kind}]" if placeholder == last else placeholder)
        last = placeholder
    return "".join(pieces)


def _parts(content: object, place: str) -> Iterator[str | Mapping[str, Any]]:
    """The parts of a content list: the text of one, or the part itself where it is no text."""
    if not isinstance(content, list | tuple):
        kind = type(content).__name__
        raise TypeError(f"{place}.content must be a string or a list of parts, not {kind}")
    for index, part in enumerate(content):
        text = part.get("text", part.get("refusal")) if isinstance(part, Mapping) else part
        if isinstance(text, str):
            yield text
        elif isinstance(part, Mapping) and part.get("type") in _MEDIA:
            yield part
        else:
            unknown = part.get("type") if isinstance(part, Mapping) else type(part).__name__
            raise RenderError(f"{place}.content[{index}] is a part of the unknown kind {unknown!r}")


def _media(part: Mapping[str, Any]) -> tuple[str, str]:
    """What a part is, and its media type where a data URL tells it."""
    source = part.get(part["type"], part)
    url = source.get("url") if isinstance(source, Mapping) else source
    found = _DATA_URL.match(url) if isinstance(url, str) else None
    return _MEDIA[part["type"]], found[1] if found else ""


def _calls_message(message: MessageDict, written: str, calls: Sequence[ToolCall]) -> dict[str, Any]:
    """The message with its calls as text behind its content; without calls, as it is."""
    if not calls:
        return dict(message)
    rest = {key: value for key, value in message.items() if key != "tool_calls"}
    content = message.get("content") or ""
    if isinstance(content, str):
        return {**rest, "content": content + written}
    if not isinstance(content, list | tuple):
        raise TypeError(f'an assistant message\'s "content" is text or parts, not {content!r}')
    return {**rest, "content": [*content, {"type": "text", "text": written}]}


def _results_message(written: str, run: Iterable[tuple[str, MessageDict]]) -> dict[str, Any]:
    """A user's message with the results, images and other media behind the text."""
    media: list[Mapping[str, Any]] = []
    for place, message in run:
        content = message.get("content")
        if content is not None and not isinstance(content, str):
            media += [part for part in _parts(content, place) if not isinstance(part, str)]
    if not media:
        return {"role": "user", "content": written}
    return {"role": "user", "content": [{"type": "text", "text": written}, *media]}


def _cleaned_message(
    message: dict[str, Any], dialect: MarkedDialect, untrusted: Untrusted, place: str
) -> dict[str, Any]:
    content = message.get("content")
    if untrusted == "verbatim" or not content:
        return message
    if isinstance(content, str):
        return {**message, "content": clean(content, dialect, untrusted)}
    parts = list(_parts(content, place))
    texts = iter(clean_parts([it for it in parts if isinstance(it, str)], dialect, untrusted))
    cleaned = [
        {"type": "text", "text": next(texts)} if isinstance(part, str) else part for part in parts
    ]
    return {**message, "content": cleaned}


# --- reading back -------------------------------------------------------------------------------


def _require_readable(
    encoded: MessageDict,
    message: MessageDict,
    calls: Sequence[ToolCall],
    dialect: ReadableDialect,
    tools: ToolSet,
    place: str,
) -> None:
    """`RenderError` unless a scanner finds the calls, and before them the content, in a message."""
    written = read_text(encoded.get("content"), place)
    content = read_text(message.get("content"), place)
    found, _ = _scan(dialect, written, tools, parse_thinking=True)
    wanted = [(call.name, dict(call.arguments)) for call in calls]
    if found != wanted:
        raise RenderError(f"{place}: its content holds markup that hides or adds calls")
    # Reasoning that stands in the content stays there, so thinking is text here.
    found, text = _scan(dialect, written, tools, parse_thinking=False)
    if found != wanted or text != content:
        raise RenderError(f"{place}: its content holds markup that would not be read as text")


def _scan(
    dialect: ReadableDialect, written: str, tools: ToolSet, *, parse_thinking: bool
) -> tuple[list[tuple[str, dict[str, Any]] | None], str]:
    """The calls in a text (None for an aborted one) and the text before the first of them."""
    scanner = dialect.scanner(tools=tools, parse_thinking=parse_thinking)
    calls: list[tuple[str, dict[str, Any]] | None] = []
    text = ""
    for event in [*scanner.feed(written), *scanner.flush()]:
        match event:
            case ToolEnd():
                calls.append((event.name, dict(event.arguments)))
            case ToolAbort():
                calls.append(None)
            case Text():
                text += event.text if not calls else ""
    return calls, text

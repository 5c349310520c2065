"""What renderers write with: JSON, names, tags, names, tags and thinking as text.

Each function writes text that is read back equal, or raises `RenderError`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

from toolspeak.errors import RenderError

if TYPE_CHECKING:
    import json


__all__ = [
    "MAX_TAG_BYTES",
    "bounded_nesting",
    "compact_json",
    "escape_text",
    "fill",
    "has_surrogate",
    "hide_less_than",
    "unwrap_thinking",
]

MAX_TAG_BYTES = 256
"""A scanner gives up on a tag that is not closed within so many bytes."""


# --- values -------------------------------------------------------------------------------------

_SURROGATE = re.compile("[\ud800-\udfff]")
_SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def compact_json(value: object) -> str:
    r"""`value` as JSON without spaces, non-ASCII characters as they are.

    A lone surrogate has no UTF-8 form, so it is written as its `\uXXXX` escape. `RenderError` for
    what JSON cannot carry: inf and nan, other types, keys that are not strings, cycles, and a high
    surrogate before a low one (their escapes would be read as one character).
    """
    try:
        text = _encoder().encode(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise RenderError(f"a value cannot be written as JSON: {error}") from error
    _require_string_keys(value)
    if not has_surrogate(text):
        return text
    if _SURROGATE_PAIR.search(text):
        raise RenderError("a string holds two surrogates that JSON would join into one character")
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


@cache
def _encoder() -> json.JSONEncoder:
    import json  # noqa: PLC0415 - not for what only reads

    return json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _require_string_keys(value: object) -> None:
    pending = [value]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            for key in node:
                if not isinstance(key, str):
                    raise RenderError(f"an object key must be a string, not {key!r}")
            pending.extend(node.values())
        elif isinstance(node, list | tuple):
            pending.extend(node)


@contextmanager
def bounded_nesting() -> Iterator[None]:
    """Turns the recursion error of a writer that descends into values into a `RenderError`."""
    try:
        yield
    except RecursionError as error:
        raise RenderError("a value is nested too deeply to be written") from error


def has_surrogate(text: str) -> bool:
    """Whether `text` holds a lone surrogate, which no raw (UTF-8) text can carry."""
    if text.isascii():
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def hide_less_than(json_text: str, marker: re.Pattern[str]) -> str:
    """JSON text in which nothing looks like `marker`: where something does, `<` is escaped.

    In JSON, `<` stands only inside strings, so the escaped text has the same value.
    """
    return json_text.replace("<", "\\u003c") if marker.search(json_text) else json_text


# --- texts with holes ---------------------------------------------------------------------------


def fill(text: str, holes: Mapping[str, str]) -> str:
    """`text` with its holes filled; a hole in double quotes gets single ones if it has to.

    `RenderError` for what no quotes carry.
    """
    if "{" not in text:
        return text
    pieces = _HOLE.split(text)  # text, quote, hole, text, …
    filled = [pieces[0]]
    for quote, hole, after in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
        filled += [_quoted(holes[hole], hole) if quote else holes[hole], after]
    return "".join(filled)


_HOLE = re.compile(r'(")?\{(name|header|key|hint|id|text|value|escaped_name)\}(?(1)")')


def _quoted(value: str, what: str) -> str:
    """Readers take what stands between the quotes as it is, so nothing is escaped."""
    for quote in ('"', "'"):
        if quote not in value:
            return f"{quote}{value}{quote}"
    raise RenderError(f"the {what} {value!r} holds both kinds of quotes")


def escape_text(text: str) -> str:
    """`text` for an element that is read as XML text: `&`, `<` and `>` escaped."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


# --- thinking -----------------------------------------------------------------------

_ASCII_SPACE = " \t\n\r\v\f"
_MAX_UNWRAP = 64


def unwrap_thinking(open: str, close: str, text: str) -> str:
    """The text inside complete blocks, joined by newlines; other text as it is.

    Blocks directly inside blocks are unwrapped too, white space around them is dropped.
    """
    return _unwrap(text, _matching_tags(open, close, text), len(open), len(close), 0, len(text), 0)


def _matching_tags(open: str, close: str, text: str) -> dict[int, int]:
    """Where each opening tag that is closed stands → where its closing tag stands."""
    pairs: dict[int, int] = {}
    unclosed: list[int] = []
    for tag in re.finditer(f"({re.escape(open)})|{re.escape(close)}", text):
        if tag[1]:
            unclosed.append(tag.start())
        elif unclosed:
            pairs[unclosed.pop()] = tag.start()
    return pairs


def _unwrap(
    text: str, pairs: dict[int, int], opened: int, closed: int, start: int, end: int, depth: int
) -> str:
    inner: list[str] = []
    cursor = _skip_space(text, start, end)
    while cursor < end:
        stop = pairs.get(cursor, end)
        if stop >= end or depth == _MAX_UNWRAP:
            return text[start:end]
        first = _skip_space(text, cursor + opened, stop)
        last = first + len(text[first:stop].rstrip(_ASCII_SPACE))
        inner.append(_unwrap(text, pairs, opened, closed, first, last, depth + 1))
        cursor = _skip_space(text, stop + closed, end)
    return "\n".join(inner) if inner else text[start:end]


def _skip_space(text: str, start: int, end: int) -> int:
    while start < end and text[start] in _ASCII_SPACE:
        start += 1
    return start

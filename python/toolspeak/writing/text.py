"""What renderers write with: JSON, names, tags, thinking, results and guides as text.

Each function writes text that is read back equal, or raises `RenderError`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from toolspeak.errors import RenderError

if TYPE_CHECKING:
    import json

    from toolspeak.messages.values import ToolResult

__all__ = [
    "MAX_TAG_BYTES",
    "bounded_nesting",
    "checked_tag",
    "compact_json",
    "escape_text",
    "has_surrogate",
    "hide_less_than",
    "load_guide",
    "quote_attribute",
    "render_delimited_thinking",
    "render_tool_responses",
    "require_name",
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
    return _SURROGATE.search(text) is not None


def hide_less_than(json_text: str, marker: re.Pattern[str]) -> str:
    """JSON text in which nothing looks like `marker`: where something does, `<` is escaped.

    In JSON, `<` stands only inside strings, so the escaped text has the same value.
    """
    return json_text.replace("<", "\\u003c") if marker.search(json_text) else json_text


# --- tags ---------------------------------------------------------------------------------------


def escape_text(text: str) -> str:
    """`text` for an element that is read as XML text: `&`, `<` and `>` escaped."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def quote_attribute(value: str, what: str) -> str:
    """A tool's or parameter's name as a quoted attribute value.

    Scanners take the text between the quotes as it is and trim it, so nothing is escaped:
    `RenderError`, naming `what`, for a name that no pair of quotes carries.
    """
    require_name(value, what)
    for quote in ('"', "'"):
        if quote not in value:
            return f"{quote}{value}{quote}"
    raise RenderError(f"{what} {value!r} holds both kinds of quotes")


def require_name(value: str, what: str) -> None:
    """`RenderError` for a name that any scanner would read otherwise: empty, padded, not UTF-8."""
    if not value or value != value.strip() or has_surrogate(value):
        raise RenderError(f"{what} {value!r} is empty, has white space around it or is not UTF-8")


def checked_tag(tag: str) -> str:
    """`tag` itself; `RenderError` if it is too long to be recognised as one."""
    if len(tag.encode()) > MAX_TAG_BYTES:
        raise RenderError(f"the tag {tag[:40]!r}… is longer than {MAX_TAG_BYTES} bytes")
    return tag


# --- thinking and results -----------------------------------------------------------------------

_ASCII_SPACE = " \t\n\r\v\f"
_MAX_UNWRAP = 64


def render_delimited_thinking(open: str, close: str, text: str) -> str:
    """`text` between `open` and `close` on their own lines; empty text: the empty string.

    Text that is itself one or several complete blocks is unwrapped first. Anything else is
    written as it is: a closer in the midst of thinking ends the block for a reader.
    """
    return f"{open}\n{_unwrap_thinking(open, close, text)}\n{close}" if text else ""


def _unwrap_thinking(open: str, close: str, text: str) -> str:
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


def render_tool_responses(results: Iterable[ToolResult]) -> str:
    """Each result between `<tool_response>` tags on their own lines, joined by newlines."""
    return "\n".join(f"<tool_response>\n{result.text}\n</tool_response>" for result in results)


# --- guides -------------------------------------------------------------------------------------


def load_guide(name: str) -> str:
    """The prompt guide `name` (Markdown) that tells a model how to write a dialect.

    Raises `FileNotFoundError` if toolspeak has no such guide.
    """
    # As `pkgutil.get_data` does, which takes longer to import than a guide takes to read.
    package: Any = import_module("toolspeak.dialects")
    guide: bytes = package.__loader__.get_data(f"{package.__path__[0]}/guides/{name}.md")
    return guide.decode().strip()

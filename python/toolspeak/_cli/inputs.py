"""Reading what a user hands in: model output, tool lists, files of recorded outputs.

Everything wrong with an input is an `InputError` whose message is one line that names the place.
"""

from __future__ import annotations

import codecs
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import toolspeak
from toolspeak.tools.tool_dict import named_function

__all__ = [
    "InputError",
    "Recorded",
    "load_chat_template",
    "load_prompt",
    "load_tools",
    "open_input",
    "read_live",
    "read_recorded",
    "read_whole",
]

_LIVE_READ = 1 << 16  # bytes; a live read returns what is there, at most this much


class InputError(Exception):
    """An input that cannot be used; the message is one line for the user."""


class Recorded(NamedTuple):
    """One recorded model output: its line number (from 1) and its text."""

    line: int
    text: str


@contextmanager
def open_input(path: str) -> Iterator[BinaryIO]:
    """The file at `path`, or standard input for `-`, as bytes."""
    if path != "-":
        with _opened(path) as file:
            yield file
    elif sys.stdin is None:
        raise InputError("standard input is closed")
    else:
        yield sys.stdin.buffer


def _opened(path: str) -> BinaryIO:
    try:
        return Path(path).open("rb")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error


def read_whole(file: BinaryIO, characters: int | None) -> Iterator[bytes]:
    """All of `file` in one piece, or in pieces of so many characters."""
    return _cut(iter([file.read()]), characters)


def read_live(file: BinaryIO, characters: int | None) -> Iterator[bytes]:
    """`file` as it arrives; never waits for more than the next bytes."""
    # read1 asks the system once, where read would wait until its buffer is full.
    reads = iter(lambda: file.read1(_LIVE_READ), b"")  # type: ignore[attr-defined]
    return _cut(reads, characters)


def _cut(pieces: Iterator[bytes], characters: int | None) -> Iterator[bytes]:
    if characters is None:
        yield from pieces
        return
    # surrogateescape carries bytes that are not UTF-8 through unchanged.
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    for piece in pieces:
        yield from _slices(decoder.decode(piece), characters)
    yield from _slices(decoder.decode(b"", final=True), characters)


def _slices(text: str, size: int) -> Iterator[bytes]:
    for start in range(0, len(text), size):
        yield text[start : start + size].encode("utf-8", "surrogateescape")


def read_recorded(file: BinaryIO, path: str, field: str) -> Iterator[Recorded]:
    """The string `field` of each JSON line of `file`; empty lines are skipped."""
    for number, line in enumerate(file, 1):
        if line.strip():
            yield Recorded(number, _field_of(line, field, f"{path}:{number}"))


def _field_of(line: bytes, field: str, place: str) -> str:
    row = _json(_utf8(line, place), place)
    if not isinstance(row, dict):
        raise InputError(f"{place}: not a JSON object")
    if field not in row:
        raise InputError(f"{place}: no field {field!r} (it has {_listed(row)})")
    value = row[field]
    if not isinstance(value, str):
        raise InputError(f"{place}: field {field!r} is not a string")
    return value


def load_tools(path: str | None) -> list[dict[str, Any]]:
    """The tools in a JSON file: a list, a `{name: tool}` mapping, one tool, or JSON lines."""
    if path is None:
        return []
    with open_input(path) as file:
        text = _utf8(file.read(), path)
    return [_checked(tool, number, path) for number, tool in enumerate(_tools_in(text, path), 1)]


def load_chat_template(path: str) -> str:
    """The chat template in a Jinja file, or in a model's `tokenizer_config.json`.

    Of several named templates it is the one for tools, else the one called default.
    """
    with open_input(path) as file:
        text = _utf8(file.read(), path)
    if not path.endswith(".json"):
        return text
    config = _json(text, path)
    template = config.get("chat_template") if isinstance(config, dict) else None
    if isinstance(template, list):
        named = {it.get("name"): it.get("template") for it in template if isinstance(it, dict)}
        template = named.get("tool_use", named.get("default"))
    if not isinstance(template, str):
        raise InputError(f"{path}: no chat_template in it")
    return template


def load_prompt(path: str | None) -> str:
    """The prompt in a file; none without a path."""
    if path is None:
        return ""
    with open_input(path) as file:
        return _utf8(file.read(), path)


def _tools_in(text: str, path: str) -> list[Any]:
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > 1 and _is_json(lines[0]):
        # Only JSON lines have a complete value on the first of several lines.
        return [_json(line, path) for line in lines]
    value = _json(text, path)
    if isinstance(value, list):
        return value
    if isinstance(value, dict) and all(isinstance(tool, dict) for tool in value.values()):
        return [_named(tool, name) for name, tool in value.items()]
    return [value]


def _named(tool: dict[str, Any], name: str) -> dict[str, Any]:
    return tool if "function" in tool else {"name": name, **tool}


def _checked(tool: Any, number: int, path: str) -> dict[str, Any]:
    try:
        _check(tool, f"{path}: tool {number}")
    except (TypeError, ValueError) as error:
        raise InputError(str(error)) from error
    return tool  # type: ignore[no-any-return]


def _check(tool: Any, place: str) -> None:
    """Raises `TypeError` or `ValueError` for what is no tool; built-in tools are left out later."""
    if not isinstance(tool, dict) or named_function(tool, place) is not None:
        toolspeak.Tool.of(tool, place)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _json(text: str, place: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{place}: not JSON: {error}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{place}: unreadable JSON: {error}") from error


def _utf8(data: bytes, place: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{place}: not UTF-8 at byte {error.start}") from error


def _listed(row: dict[str, Any]) -> str:
    return ", ".join(repr(key) for key in list(row)[:8]) or "no fields"

"""The plain twin of growing arguments: everything that has come is read anew at each look.

Slow, and short enough to be seen to be right; `test_growing` holds the readers of
`toolspeak.outputs.growing_arguments` against it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, TypeAlias

from toolspeak._core import read_text
from toolspeak.dialect import Dialect
from toolspeak.reading.json_values import coerce_value, parse_json
from toolspeak.tools.tool_set import ToolSet

Items: TypeAlias = "Sequence[tuple[str | None, str]]"


class PlainReader:
    """Reads as much as can be told of arguments that are still being written."""

    def __init__(self, dialect: Dialect | None, tools: ToolSet) -> None:
        self._grammar = dialect._compiled() if dialect else None
        self._tools = tools

    def read(self, name: str, pieces: Items) -> dict[str, Any]:
        if any(key is None for key, _ in pieces):
            return self._read_text(name, "".join(text for _, text in pieces))
        arguments: dict[str, Any] = {}
        for place, (key, text) in enumerate(pieces, start=1):
            value = self._value(name, str(key), text, is_open=place == len(pieces))
            if value is not _UNKNOWN:
                arguments[str(key)] = value
        return arguments

    def _read_text(self, name: str, text: str) -> dict[str, Any]:
        try:
            read = self._grammar and read_text(self._grammar, name, text, self._tools, cut=True)
        except ValueError:
            return {}
        return _read_json(name, [(None, text)]) if read is None else read[0]

    def _value(self, name: str, key: str, text: str, *, is_open: bool) -> Any:
        """A value; text while it grows, unless the schema says that it is something else."""
        if self._tools.is_string_only(name, key):
            return text
        if not is_open:
            return coerce_value(text)[0]
        try:
            return parse_json(_closed(text))[0]
        except ValueError:
            return _UNKNOWN if key in self._tools.properties(name) else text


_UNKNOWN = object()


def _read_json(_name: str, pieces: Items) -> dict[str, Any]:
    """The members of a JSON object that is still being written, open strings included."""
    value: Any = "".join(text for _, text in pieces)
    # Some models encode the object once more, as a JSON string.
    for _ in range(2):
        if isinstance(value, str):
            try:
                value, _ = parse_json(_closed(value))
            except ValueError:
                return {}
    return value if isinstance(value, dict) else {}


_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:"]|[^\s{}\[\],:"]+', re.DOTALL)
_OPEN_STRING = re.compile(r'"(?:[^"\\]|\\u[0-9a-fA-F]{4}|\\[^u])*', re.DOTALL)


def _closed(text: str) -> str:
    """JSON that was cut, closed behind its last complete value or inside an open string value."""
    closers: list[str] = []
    end = 0
    at_key = False
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark in ("{", "["):
            closers.append("}" if mark == "{" else "]")
            at_key = mark == "{"
            end = token.end()
        elif mark in ("}", "]"):
            if closers:
                closers.pop()
            at_key = False
            end = token.end()
        elif mark == ",":
            at_key = closers[-1:] == ["}"]
            end = token.start()
        elif mark == ":":
            at_key = False
        elif at_key:
            continue
        elif mark == '"':
            string = _OPEN_STRING.match(text, token.start())
            end = string.end() if string else end
            closers.append('"')
            break
        elif mark[0] == '"':
            end = token.end()
    return text[:end] + "".join(reversed(closers))

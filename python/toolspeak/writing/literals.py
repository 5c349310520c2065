"""Values as literals: Python's, or JSON with bare keys and strings between tokens."""

from __future__ import annotations

from typing import NamedTuple

from toolspeak.errors import RenderError
from toolspeak.writing.text import compact_json, has_surrogate

__all__ = ["Literals", "write_literal"]

# The backslash first, so that no other escape is escaped; one by one is faster than by a table.
_ESCAPES = (("\\", r"\\"), ('"', r"\""), ("\n", r"\n"), ("\r", r"\r"), ("\t", r"\t"))
_PYTHON_WORDS: dict[object, str] = {True: "True", False: "False", None: "None"}


class Literals(NamedTuple):
    """A style of literals; Python's where there is no `quote` token.

    `comma` separates items, `colon` keys from values.
    """

    quote: str | None
    comma: str
    colon: str


def write_literal(value: object, style: Literals) -> str:
    """A JSON value as a literal. Raises `RenderError` for text that is not UTF-8."""
    if isinstance(value, str):
        return _write_string(value, style)
    if isinstance(value, list | tuple):
        return f"[{style.comma.join(write_literal(item, style) for item in value)}]"
    if isinstance(value, dict):
        members = (
            f"{key if style.quote else _write_string(key, style)}{style.colon}"
            f"{write_literal(item, style)}"
            for key, item in value.items()
        )
        return f"{{{style.comma.join(members)}}}"
    if style.quote is None and (value is None or isinstance(value, bool)):
        return _PYTHON_WORDS[value]
    return compact_json(value)  # numbers are written alike in all


def _write_string(text: str, style: Literals) -> str:
    if has_surrogate(text):
        raise RenderError(f"the text {text[:40]!r} is not UTF-8")
    if style.quote is None:
        for character, escape in _ESCAPES:
            text = text.replace(character, escape)
        return f'"{text}"'
    return f"{style.quote}{text}{style.quote}"

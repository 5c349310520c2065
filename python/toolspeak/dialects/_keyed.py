"""Values that only the schema types: a string is raw text or JSON, and no mark says which."""

from __future__ import annotations

import re

from toolspeak.errors import RenderError
from toolspeak.writing.text import compact_json, has_surrogate, hide_less_than

__all__ = ["keyed_value"]


def keyed_value(key: str, value: object, string_only: bool, end: re.Pattern[str]) -> str:
    """The text of an argument that reads back equal: raw for a string-only parameter, else JSON.

    `end` matches what ends a value for a scanner. JSON escapes it; raw text has no escape, so a
    string-only parameter with such a string, or with a value that is no string, is a `RenderError`.
    """
    if not string_only:
        return hide_less_than(compact_json(value), end)
    if not isinstance(value, str):
        raise RenderError(
            f"parameter {key!r} is a string by its schema, and this dialect would read "
            f"{compact_json(value)} as text"
        )
    found = end.search(value)
    if found or has_surrogate(value):
        reason = f"holds {found[0]!r}, which ends a value" if found else "is not UTF-8"
        raise RenderError(f"the text of parameter {key!r} {reason} in this dialect")
    return value

"""Giving argument text its meaning: raw text + JSON Schema → Python values.

Called once per finished call, never per chunk. Text is read as what it says it is; where it
cannot be read, it is mended (json-repair) and the mending is told, or it stays text. Nothing is
evaluated, and keys such as `__class__` are plain keys.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from toolspeak._core import mend_json, parse_strict_json

__all__ = ["coerce_value", "completed_members", "parse_json", "repair_json"]

REPAIR_LIMIT = 1 << 18
"""Text longer than this, in characters, is not repaired."""
REPAIR_DEPTH = 200
"""Text with more brackets open at one place than this is not repaired: repair backtracks there."""
REPAIR_EFFORT = 20_000_000
"""The most that marks of structure × characters may be: a mark can cost a look at all behind."""

_BRACKET = re.compile(r"[()\[\]{}]")
_MARKS = "\"'`“”‘’:,[]{}()/*#\\"
_OPENER = {")": "(", "]": "[", "}": "{"}
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_WORDS: dict[str, Any] = {"True": True, "False": False, "None": None}


class _UnreadableError(ValueError):
    """Not JSON."""


def _no_constant(word: str) -> Any:
    raise _UnreadableError(f"{word} is not JSON")


def _digits(text: str) -> int | str:
    try:
        return int(text)
    except ValueError:  # more digits than Python converts
        return text


_DECODER = json.JSONDecoder(strict=False, parse_constant=_no_constant, parse_int=_digits)


def parse_json(text: str) -> tuple[Any, bool]:
    r"""The value of JSON text, and whether something in it had to be replaced.

    Raw control characters in strings are read as they are. Half of a surrogate pair (`\ud83d`
    alone) is no character and becomes U+FFFD. Raises `ValueError` for anything that is not one
    JSON value, and for what is nested deeper than Python reads.
    """
    try:
        return parse_strict_json(text), False
    except ValueError:  # for Python's more lenient reader
        pass
    try:
        value = _DECODER.decode(text)
        return _without_surrogates(value) if _SURROGATE_ESCAPE.search(text) else (value, False)
    except RecursionError as error:
        raise _UnreadableError("nested too deeply") from error


def _without_surrogates(value: Any) -> tuple[Any, bool]:
    if isinstance(value, str):
        clean = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return clean, clean != value
    if isinstance(value, list):
        items = [_without_surrogates(item) for item in value]
        return [item for item, _ in items], any(changed for _, changed in items)
    if isinstance(value, dict):
        members = [
            (_without_surrogates(key), _without_surrogates(item)) for key, item in value.items()
        ]
        changed = any(key[1] or item[1] for key, item in members)
        return {key[0]: item[0] for key, item in members}, changed
    return value, False


def repair_json(text: str) -> Any:
    """The value that broken JSON text most likely means; all its content is in it.

    Raises `ValueError` if it means none, or if finding out could take too long: see `REPAIR_LIMIT`,
    `REPAIR_DEPTH` and `REPAIR_EFFORT`.
    """
    text = _once(text)
    mended = mend_json(text)
    if mended is not None:
        return parse_json(mended)[0]
    marks = sum(map(text.count, _MARKS))
    if len(text) > REPAIR_LIMIT or marks * len(text) > REPAIR_EFFORT:
        raise _UnreadableError("too long to be repaired")
    if _nests_deeper(text, REPAIR_DEPTH):
        raise _UnreadableError("nested too deeply to be repaired")
    try:
        import json_repair  # noqa: PLC0415 - it takes as long as all else, and is seldom needed

        value = json_repair.loads(text)
    except (RecursionError, ValueError) as error:
        raise _UnreadableError("beyond repair") from error
    if not _holds(value, _content(text)):
        raise _UnreadableError("repair would leave something out")
    return value


def _once(text: str) -> str:
    """The text, or its half if it is one object twice: servers have sent arguments doubled."""
    bare = text.strip()
    half = len(bare) // 2
    first, second = bare[:half].rstrip(), bare[half:].lstrip()
    return first if first == second and first.startswith("{") and first.endswith("}") else text


_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
# What is structure where it stands outside of strings.
_STRUCTURE = re.compile(r"[\s{}\[\](),:;\"'`“”‘’]+")


def _content(text: str) -> str:
    """What broken JSON says, without all that may be its structure; escapes are what they mean."""
    parts: list[str] = []
    at = 0
    for escape in _ESCAPE.finditer(text):
        parts.append(_STRUCTURE.sub("", text[at : escape.start()]))
        parts.append(_unescaped(escape[1]))
        at = escape.end()
    parts.append(_STRUCTURE.sub("", text[at:]))
    return "".join(parts)


def _unescaped(escape: str) -> str:
    if len(escape) > 1:
        return chr(int(escape[1:], 16))
    return _ESCAPES.get(escape, escape)


def _holds(value: Any, content: str) -> bool:
    """Whether all characters of `content` are in the value, in their order."""
    held = iter("".join(_spoken(value)))
    return all(char in held for char in content)


def _spoken(value: Any) -> Iterator[str]:
    """Keys and values in their order; words and numbers in all their spellings."""
    pending: list[Any] = [value]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            for key, item in reversed(node.items()):
                pending += (item, str(key))
        elif isinstance(node, list):
            pending += reversed(node)
        elif isinstance(node, str):
            yield node
        elif node is None:
            yield "nullNone"
        elif isinstance(node, bool):
            yield f"{str(node).lower()}{node}"
        else:
            yield f"{node}{node:e}"


def _nests_deeper(text: str, depth: int) -> bool:
    """Whether more than `depth` brackets are open somewhere, those in strings counted as well.

    A closer closes only brackets of its own kind: repair keeps others open.
    """
    opened = dict.fromkeys("([{", 0)
    total = 0
    for found in _BRACKET.finditer(text):
        bracket = found[0]
        if bracket in opened:
            opened[bracket] += 1
            total += 1
            if total > depth:
                return True
        elif opened[_OPENER[bracket]]:
            opened[_OPENER[bracket]] -= 1
            total -= 1
    return False


def coerce_value(text: str, words: bool = True, mend: bool = True) -> tuple[Any, bool]:
    """The value of text that no schema or hint calls a string, and whether it was repaired.

    JSON; else, with `words`, Python's `True`, `False`, `None`; else, with `mend`, what repair makes
    of an object or a list, if it makes one of it; else the text itself.
    """
    try:
        return parse_json(text)
    except ValueError:
        pass
    bare = text.strip()
    if words and bare in _WORDS:
        return _WORDS[bare], False
    if mend and bare.startswith(("{", "[")):
        try:
            value = repair_json(bare)
        except ValueError:
            return text, False
        if isinstance(value, dict if bare.startswith("{") else list):
            return value, True
    return text, False


_BLANK = re.compile(r"[ \t\r\n]*")
_AFTER_KEY = re.compile(r"[ \t\r\n]*:[ \t\r\n]*")
_AFTER_VALUE = re.compile(r"[ \t\r\n]*([,}])[ \t\r\n]*")


def completed_members(text: str, start: int) -> tuple[dict[str, Any], str | None, int]:
    """The members of the JSON object at `start` that are complete in text that was cut.

    Answers the members, and the key and position of the value that was cut (None, and the length
    of the text, if the cut is elsewhere). A member counts once something follows its value.
    """
    members: dict[str, Any] = {}
    at = _end(_BLANK, text, start)
    if not text.startswith("{", at):
        return members, None, len(text)
    at = _end(_BLANK, text, at + 1)
    while True:
        try:
            key, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            return members, None, len(text)
        colon = _AFTER_KEY.match(text, at)
        if not isinstance(key, str) or colon is None:
            return members, None, len(text)
        at = colon.end()
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            return members, key, at
        after = _AFTER_VALUE.match(text, end)
        if after is None:
            return members, key, at
        try:
            members[key], _ = _without_surrogates(value)
        except RecursionError:
            return members, None, len(text)
        if after[1] == "}":
            return members, None, len(text)
        at = after.end()


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at

"""Giving argument text its meaning: raw text + JSON Schema → Python values.

Called once per finished call, never per chunk. Text is read as what it says it is; where it
cannot be read, it is mended (json-repair) and the mending is told, or it stays text. Nothing is
evaluated, and keys such as `__class__` are plain keys.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import json_repair

from toolspeak.schema import ToolSet

__all__ = ["Decoder", "coerce_value", "parse_json", "repair_json"]

Items: TypeAlias = "Sequence[tuple[str, str, str | None]]"
"""Arguments one by one: name, raw text, and what the wire says of the type (None: nothing)."""

Decoded: TypeAlias = "tuple[str, dict[str, Any], bool, str | None] | None"
"""Name, arguments, whether they were repaired, and their JSON text if it was not told yet."""

REPAIR_LIMIT = 1 << 18
"""Text longer than this, in characters, is not repaired."""
REPAIR_DEPTH = 200
"""Text with more brackets open at one place than this is not repaired: repair backtracks there."""
REPAIR_EFFORT = 40_000_000
"""The most that quotes × characters may be: each stray quote can cost a look at all the rest."""

_BRACKET = re.compile(r"[()\[\]{}]")
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_WORDS: dict[str, Any] = {"True": True, "False": False, "None": None}
_FALSE = frozenset({"false", "0", "no"})
# What stands beside the name in an envelope without being an argument.
_ENVELOPE_KEYS = frozenset({"id", "type", "tool_call_id", "index", "call_id"})


class _Unreadable(ValueError):
    """Not JSON."""


def _no_constant(word: str) -> Any:
    raise _Unreadable(f"{word} is not JSON")


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
        value = _DECODER.decode(text)
    except RecursionError as error:
        raise _Unreadable("nested too deeply") from error
    if _SURROGATE_ESCAPE.search(text):
        return _without_surrogates(value)
    return value, False


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
    """The value that broken JSON text most likely means.

    Raises `ValueError` if it means none, or if finding out could take too long: see `REPAIR_LIMIT`,
    `REPAIR_DEPTH` and `REPAIR_EFFORT`.
    """
    quotes = text.count('"') + text.count("'")
    if len(text) > REPAIR_LIMIT or quotes * len(text) > REPAIR_EFFORT:
        raise _Unreadable("too long to be repaired")
    if _nests_deeper(text, REPAIR_DEPTH):
        raise _Unreadable("nested too deeply to be repaired")
    try:
        return json_repair.loads(text)
    except (RecursionError, ValueError) as error:
        raise _Unreadable("beyond repair") from error


def _nests_deeper(text: str, depth: int) -> bool:
    """Whether more than `depth` brackets are open somewhere, those in strings counted as well."""
    opened = 0
    for bracket in _BRACKET.finditer(text):
        opened += 1 if bracket[0] in "([{" else -1
        if opened > depth:
            return True
    return False


def coerce_value(text: str, *, repair: bool = True) -> tuple[Any, bool]:
    """The value of text that no schema or hint calls a string, and whether it was repaired.

    JSON; else Python's `True`, `False`, `None`; else, if it looks like an object or a list, what
    repair makes of it; else the text itself.
    """
    try:
        return parse_json(text)
    except ValueError:
        pass
    bare = text.strip()
    if bare in _WORDS:
        return _WORDS[bare], False
    if repair and bare.startswith(("{", "[")):
        try:
            value = repair_json(bare)
        except ValueError:
            return text, False
        if isinstance(value, dict | list):
            return value, True
    return text, False


class Decoder:
    """Reads the arguments of one scanner's calls, by its tools' schemas."""

    __slots__ = ("_argument_keys", "_name_keys", "_repair", "_tools")

    def __init__(
        self,
        tools: ToolSet,
        *,
        repair: bool,
        name_keys: Sequence[str] = ("name",),
        argument_keys: Sequence[str] = ("arguments",),
    ) -> None:
        self._tools = tools
        self._repair = repair
        self._name_keys = name_keys
        self._argument_keys = argument_keys

    # The core calls these: they answer None, or a partial dict, and never raise on model output.

    def values(self, name: str, items: Items) -> Decoded:
        """Arguments one by one; a repeated one counts as the last."""
        arguments: dict[str, Any] = {}
        repaired = False
        for key, text, hint in items:
            value, changed = self._value(name, key, text, hint)
            arguments[key] = value
            repaired = repaired or changed
        return name, arguments, repaired, None

    def arguments(self, name: str, text: str) -> Decoded:
        """All arguments in one JSON text, perhaps encoded twice."""
        try:
            value, changed = parse_json(text)
        except ValueError:
            return self._repaired_arguments(name, text)
        arguments, unwrapped = self._object(value)
        return None if arguments is None else (name, arguments, changed or unwrapped, None)

    def body(self, name: str | None, text: str) -> Decoded:
        """A whole JSON envelope whose parts the core could not tell apart."""
        repaired = False
        try:
            envelope, repaired = parse_json(text)
        except ValueError:
            envelope = None
        if envelope is None:
            if not self._repair or not text.strip():
                return None
            try:
                envelope = repair_json(text)
            except ValueError:
                return None
            repaired = True
        return self._envelope(name, envelope, repaired)

    def partial_values(self, name: str | None, items: Items) -> dict[str, Any]:
        """The completed arguments of a call that was cut."""
        decoded = self.values(name or "", items)
        return decoded[1] if decoded else {}

    def partial_body(self, name: str | None, text: str) -> dict[str, Any]:
        """The completed arguments of a JSON call that was cut."""
        members, open_key, open_at = completed_members(text, 0)
        if open_key in self._argument_keys:
            return completed_members(text, open_at)[0]
        for key in self._argument_keys:
            if isinstance(members.get(key), dict):
                return dict(members[key])
        return {}

    def _value(self, name: str, key: str, text: str, hint: str | None) -> tuple[Any, bool]:
        if hint is not None:
            is_text = hint.strip().lower() not in _FALSE
        else:
            is_text = self._tools.is_string_only(name, key)
        return (text, False) if is_text else coerce_value(text, repair=self._repair)

    def _repaired_arguments(self, name: str, text: str) -> Decoded:
        if not text.strip():
            return name, {}, False, None
        if not self._repair:
            return None
        try:
            value = repair_json(text)
        except ValueError:
            return None
        return (name, value, True, None) if isinstance(value, dict) else None

    def _object(self, value: Any) -> tuple[dict[str, Any] | None, bool]:
        """Arguments as an object: as they are, or the text of one; None if they are neither."""
        if isinstance(value, dict):
            return value, False
        if value is None:
            return {}, False
        if not isinstance(value, str):
            return None, False
        if not value.strip():
            return {}, False
        try:
            inner, changed = parse_json(value)
        except ValueError:
            if not self._repair:
                return None, False
            try:
                inner, changed = repair_json(value), True
            except ValueError:
                return None, False
        return (inner, changed) if isinstance(inner, dict) else (None, False)

    def _envelope(self, name: str | None, envelope: Any, repaired: bool) -> Decoded:
        if isinstance(envelope, list) and len(envelope) == 1 and self._repair:
            envelope, repaired = envelope[0], True
        if not isinstance(envelope, dict):
            return None
        inner = envelope.get("function")
        if not any(key in envelope for key in self._name_keys) and isinstance(inner, dict):
            envelope, repaired = inner, True
        found = _first(envelope, self._name_keys)
        told = name is not None
        name = name if told else found
        if not isinstance(name, str) or not name:
            return None
        arguments, changed = self._envelope_arguments(envelope, repaired)
        if arguments is None:
            return None
        text = None if told else json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))
        return name, arguments, repaired or changed, text

    def _envelope_arguments(
        self, envelope: dict[str, Any], repaired: bool
    ) -> tuple[dict[str, Any] | None, bool]:
        keys = [key for key in self._argument_keys if key in envelope]
        if keys:
            value = envelope[keys[0]]
            # Repair writes "" where a value is missing: that is no argument list.
            return (None, False) if repaired and value == "" else self._object(value)
        rest = {
            key: value
            for key, value in envelope.items()
            if key not in self._name_keys and key not in _ENVELOPE_KEYS
        }
        if not rest:
            return {}, False
        return (rest, True) if self._repair else (None, False)


def _first(mapping: dict[str, Any], keys: Iterable[str]) -> Any:
    return next((mapping[key] for key in keys if key in mapping), None)


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
        members[key], _ = _without_surrogates(value)
        if after[1] == "}":
            return members, None, len(text)
        at = after.end()


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at

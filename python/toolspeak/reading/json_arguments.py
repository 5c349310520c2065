"""Arguments in JSON that the core cannot read by itself: broken, encoded twice, or in an envelope.

The core calls these functions (`rust/python/src/decode.rs`) once for a call that has been closed,
or cut. With `repair=False`, what would have to be mended cannot be read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from toolspeak.reading.json_values import coerce_value, completed_members, parse_json, repair_json
from toolspeak.reading.other_carriers import named_json, read_carried

__all__ = [
    "coerce_value",
    "completed_arguments",
    "completed_envelope",
    "read_arguments",
    "read_carried",
    "read_envelope",
]

Read: TypeAlias = "tuple[dict[str, Any], bool] | None"
"""Arguments, and whether something was mended; None if they cannot be read."""

Envelope: TypeAlias = "tuple[str, dict[str, Any], bool, str | None] | None"
"""Name, arguments, whether something was mended, and the arguments as JSON if the name had not been
told before; None if there is no such call in the text."""

# What a JSON envelope holds beside name and arguments.
_ENVELOPE_KEYS = frozenset({"id", "type", "index", "tool_call_id", "call_id"})


def read_arguments(text: str, repair: bool) -> Read:
    """The arguments in one JSON text, which may be that of a string that holds them."""
    try:
        value, changed = parse_json(text)
    except ValueError:
        if not text.strip():
            return {}, False
        mended = _mended(text, repair)
        return (mended, True) if isinstance(mended, dict) else None
    arguments, unwrapped = _object(value, repair)
    return None if arguments is None else (arguments, changed or unwrapped)


def read_envelope(
    text: str, names: Sequence[str], arguments: Sequence[str], name: str | None, repair: bool
) -> Envelope:
    """The call in a JSON object that has its name and its arguments under one of these keys each.

    `name` is the tool's if the core has found and told it.
    """
    if ":" not in text:
        return None  # no member, so no name
    try:
        envelope, repaired = parse_json(text)
    except ValueError:
        if repair and (found := named_json(text)):
            return *found, True, None if name is not None else _told(found[1])
        envelope, repaired = _mended(text, repair) if text.strip() else None, True
    if isinstance(envelope, list) and len(envelope) == 1 and repair:
        envelope, repaired = envelope[0], True
    if not isinstance(envelope, dict):
        return None
    inner = envelope.get("function")
    if not any(key in envelope for key in names) and isinstance(inner, dict):
        envelope, repaired = inner, True
    called = name if name is not None else _first(envelope, names)
    if not isinstance(called, str) or not called:
        return None
    given, changed = _given(envelope, names, arguments, repaired=repaired, repair=repair)
    if given is None:
        return None
    told = None if name is not None else _told(given)
    return called, given, repaired or changed, told


def _told(given: dict[str, Any]) -> str:
    """Arguments as they are told where no delta has been."""
    return json.dumps(given, ensure_ascii=False, separators=(",", ":"))


def completed_arguments(text: str) -> dict[str, Any]:
    """The arguments that are complete in JSON text that was cut."""
    return completed_members(text, 0)[0]


def completed_envelope(text: str, arguments: Sequence[str]) -> dict[str, Any]:
    """The arguments that are complete in an envelope that was cut."""
    members, open_key, open_at = completed_members(text, 0)
    if open_key in arguments:
        return completed_members(text, open_at)[0]
    found = (members[key] for key in arguments if isinstance(members.get(key), dict))
    return dict(next(found, {}))


def _mended(text: str, repair: bool) -> Any:
    """What broken JSON most likely means, None if that cannot or must not be told."""
    if not repair:
        return None
    try:
        return repair_json(text)
    except ValueError:
        return None


def _object(value: Any, repair: bool) -> tuple[dict[str, Any] | None, bool]:
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
        inner, changed = _mended(value, repair), True
    return (inner, changed) if isinstance(inner, dict) else (None, False)


def _given(
    envelope: dict[str, Any],
    names: Sequence[str],
    arguments: Sequence[str],
    *,
    repaired: bool,
    repair: bool,
) -> tuple[dict[str, Any] | None, bool]:
    """The arguments of an envelope: under their key, or else everything but the name."""
    found = next((key for key in arguments if key in envelope), None)
    if found is not None:
        value = envelope[found]
        # Repair writes "" where a value is missing: that is no argument list.
        return (None, False) if repaired and value == "" else _object(value, repair)
    rest = {
        key: value
        for key, value in envelope.items()
        if key not in names and key not in _ENVELOPE_KEYS
    }
    if not rest:
        return {}, False
    return (rest, True) if repair else (None, False)


def _first(mapping: dict[str, Any], keys: Iterable[str]) -> Any:
    return next((mapping[key] for key in keys if key in mapping), None)

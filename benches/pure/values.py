"""Raw argument text to Python values: schema lookup, JSON, then repair, then the text itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

import json_repair

__all__ = ["coerce", "completed_members", "is_string_only", "parameters_of", "read_object"]

_MAX_SCHEMA_DEPTH = 8
_PYTHON_WORDS = {"True": True, "False": False, "None": None}
_UNREADABLE = (ValueError, RecursionError)

_OBJECT_START = re.compile(r"\s*\{\s*")
_COLON = re.compile(r"\s*:\s*")
_COMMA = re.compile(r"\s*,\s*")
_MEMBER_END = re.compile(r"\s*[,}]")


def _reject(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


_DECODER = json.JSONDecoder(strict=False, parse_constant=_reject)


def parameters_of(tools: Iterable[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """The parameter schema of each tool by name; tools in OpenAI form or bare."""
    functions = (tool.get("function", tool) for tool in tools)
    return {function["name"]: function.get("parameters") or {} for function in functions}


def is_string_only(schema: Any, root: Any = None) -> bool:
    """Whether the schema's types, without null, are exactly string."""
    return _types_of(schema, root) - {"null"} == {"string"}


def _types_of(schema: Any, root: Any) -> set[str]:
    return set(_types(schema, schema if root is None else root, 0))


def _types(schema: Any, root: Any, depth: int) -> Iterable[str]:
    if not isinstance(schema, Mapping) or depth > _MAX_SCHEMA_DEPTH:
        return
    declared = schema.get("type")
    if isinstance(declared, str):
        yield declared
    elif isinstance(declared, list):
        yield from (name for name in declared if isinstance(name, str))
    else:
        if isinstance(schema.get("enum"), list):
            yield from map(_type_of, schema["enum"])
        if "const" in schema:
            yield _type_of(schema["const"])
    for word in ("anyOf", "oneOf", "allOf"):
        members = schema.get(word)
        for member in members if isinstance(members, list) else ():
            yield from _types(member, root, depth + 1)
    if isinstance(schema.get("$ref"), str):
        yield from _types(_resolve(schema["$ref"], root), root, depth + 1)


def _type_of(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if value is None:
        return "null"
    for kind, name in ((str, "string"), (int, "integer"), (float, "number"), (list, "array")):
        if isinstance(value, kind):
            return name
    return "object"


def _resolve(reference: str, root: Any) -> Any:
    """The schema that a local JSON pointer names; None where there is none."""
    if not reference.startswith("#"):
        return None
    for part in reference[1:].split("/")[1:]:
        step = part.replace("~1", "/").replace("~0", "~")
        root = root.get(step) if isinstance(root, Mapping) else None
    return root


def coerce(raw: str, schema: Mapping[str, Any], key: str, string: bool | None) -> tuple[Any, bool]:
    """The value of one tagged parameter and whether repair changed something.

    `string` is the wire's own word on whether the value is text; it beats the schema.
    """
    may_be_text = False
    if string is None:
        properties = schema.get("properties")
        of_key = properties.get(key) if isinstance(properties, Mapping) else None
        string = is_string_only(of_key, schema)
        may_be_text = "string" in _types_of(of_key, schema)
    if string:
        return raw, False
    try:
        return _loads(raw), False
    except _UNREADABLE:
        if may_be_text:  # what is not JSON for certain
            return raw, False
    text = raw.strip()
    if text in _PYTHON_WORDS:
        return _PYTHON_WORDS[text], False
    if text[:1] in ("{", "["):
        repaired = _repair(text)
        if isinstance(repaired, dict | list):
            return repaired, True
    return raw, False


def read_object(text: str, *, repair: bool = True) -> tuple[dict[str, Any], bool] | None:
    """A JSON object, perhaps written as a JSON string, and whether it took repair; else None.

    `null` and an empty string stand for the empty object.
    """
    try:
        value = _loads(text)
        if isinstance(value, str):
            text = value
            value = _loads(text) if text.strip() else None
        value = {} if value is None else value
        return (value, False) if isinstance(value, dict) else None
    except _UNREADABLE:
        value = _repair(text) if repair and text else None
    return (value, True) if isinstance(value, dict) else None


def completed_members(text: str) -> dict[str, Any]:
    """The members of a JSON object that was cut somewhere, as far as something follows them."""
    members: dict[str, Any] = {}
    at = _after(_OBJECT_START, text, 0)
    while at is not None:
        try:
            key, at = _DECODER.raw_decode(text, at)
            at = _after(_COLON, text, at)
            if at is None or not isinstance(key, str):
                break
            value, at = _DECODER.raw_decode(text, at)
        except _UNREADABLE:
            break
        if _after(_MEMBER_END, text, at) is None:
            break
        members[key] = value
        at = _after(_COMMA, text, at)
    return members


def _after(pattern: re.Pattern[str], text: str, at: int) -> int | None:
    match = pattern.match(text, at)
    return match.end() if match else None


def _loads(text: str) -> Any:
    return _DECODER.decode(text)


def _repair(text: str) -> Any:
    try:
        return json_repair.loads(text)
    except _UNREADABLE:
        return None

"""Schemas for engines that read schemas themselves: only what an engine is known to enforce.

Engines say nothing of keywords that they pass over, so what each enforces stands in a table here,
which tests hold against the engines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from toolspeak.constrain.json_rules import ANNOTATIONS, ENFORCED, Tell, escaped, of_types

__all__ = ["KEYWORDS", "known_schema"]

KEYWORDS = ENFORCED | {
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    *("pattern", "prefixItems", "minProperties", "maxProperties"),
}
"""The keywords that engines enforce which read schemas; but see `_lost_in_xgrammar`."""

_MAPS = frozenset({"properties", "$defs", "definitions"})
_LISTS = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})


def known_schema(schema: Any, backend: str, tell: Tell, pointer: str = "") -> Any:
    """The schema with what the engine enforces: declared properties only, wide where it must be.

    `tell` is told what is left out.
    """
    if not isinstance(schema, Mapping):
        if schema is False:
            tell(pointer, "false")
        return True
    kept: dict[str, Any] = {}
    for keyword in schema:
        kept |= _kept(schema, keyword, backend, tell, pointer)
    for keyword in _lost_in_xgrammar(kept) if backend == "xgrammar" else ():
        tell(pointer, keyword)
        del kept[keyword]
    return _settled(schema, kept, lambda word: tell(pointer, word))


def _kept(
    schema: Mapping[str, Any], keyword: str, backend: str, tell: Tell, pointer: str
) -> dict[str, Any]:
    """What a schema says by one of its keywords."""
    value = schema[keyword]

    def inner(part: Any, *steps: object) -> Any:
        place = "/".join(escaped(str(step)) for step in (keyword, *steps))
        return known_schema(part, backend, tell, f"{pointer}/{place}")

    if keyword in _MAPS and isinstance(value, Mapping):
        return {keyword: {key: inner(part, key) for key, part in value.items()}}
    if keyword in ("items", "additionalProperties") and isinstance(value, Mapping):
        return {keyword: inner(value)}
    if keyword in _LISTS and isinstance(value, list) and value:
        parts = [inner(part, index) for index, part in enumerate(value)]
        return _composed(schema, keyword, parts, lambda word: tell(pointer, word))
    if keyword in KEYWORDS:
        return {keyword: value}
    if keyword not in ANNOTATIONS:
        tell(pointer, keyword)
    return {}


def _lost_in_xgrammar(schema: Mapping[str, Any]) -> list[str]:
    """What xgrammar passes over beside other keywords, or for other types."""
    lost = ["minLength", "maxLength"] if "pattern" in schema else []
    lost += ["multipleOf"] if schema.get("type") != "integer" else []
    return [keyword for keyword in lost if keyword in schema]


def _composed(
    schema: Mapping[str, Any], keyword: str, parts: list[Any], tell: Callable[[str], None]
) -> dict[str, Any]:
    """What a composed schema is without siblings, which no engine takes together with it."""
    if keyword == "prefixItems":
        return {keyword: parts}
    is_alone = not set(schema) - ANNOTATIONS - {keyword}
    if not is_alone or (keyword == "allOf" and len(parts) > 1):
        tell(keyword)
        return {}
    if keyword == "allOf":
        return parts[0] if isinstance(parts[0], dict) else {}
    if keyword == "oneOf":
        tell(keyword)
    return {"anyOf": parts}


def _settled(
    schema: Mapping[str, Any], kept: dict[str, Any], tell: Callable[[str], None]
) -> dict[str, Any]:
    definitions: dict[str, Any] = {
        key: kept[key] for key in ("$defs", "definitions") if key in kept
    }
    if "$ref" in kept:
        if set(schema) - ANNOTATIONS - {"$ref"}:
            tell("$ref")
        return {"$ref": kept["$ref"], **definitions}
    if "const" in kept:
        return {"const": kept["const"], **definitions}
    if isinstance(kept.get("enum"), list):
        return {"enum": of_types(kept["enum"], schema), **definitions}
    if schema.get("nullable") is True and isinstance(kept.get("type"), str):
        kept["type"] = [kept["type"], "null"]
    required = kept.pop("required", None) or []
    declared = kept.get("properties") or {}
    if set(required) - set(declared):
        tell("required")
    if declared:
        kept["required"] = [key for key in required if key in declared]
        kept["additionalProperties"] = False
    return kept

"""Schemas for engines that read schemas themselves: only what an engine is known to enforce.

Engines say nothing of keywords that they pass over, so what each enforces stands in a table here,
which tests hold against the engines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from toolspeak.constrain.json_rules import ANNOTATIONS, ENFORCED, Tell, escaped, of_types

__all__ = ["KEYWORDS", "known_schema"]

_NUMBERS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})

KEYWORDS: Mapping[str, frozenset[str]] = {
    "xgrammar": ENFORCED | {"pattern"},
    "llguidance": ENFORCED | {"pattern"} | _NUMBERS,
}
"""The keywords that each engine enforces which reads schemas."""

_MAPS = frozenset({"properties", "$defs", "definitions"})
_COMBINERS = frozenset({"anyOf", "oneOf", "allOf"})


def known_schema(schema: Any, keywords: frozenset[str], tell: Tell, pointer: str = "") -> Any:
    """The schema with these keywords alone: declared properties only, wide where it must be.

    `tell` is told what is left out.
    """
    if not isinstance(schema, Mapping):
        if schema is False:
            tell(pointer, "false")
        return True
    kept: dict[str, Any] = {}
    for keyword, value in schema.items():
        step = f"{pointer}/{keyword}"
        if keyword in _MAPS and isinstance(value, Mapping):
            kept[keyword] = {
                key: known_schema(part, keywords, tell, f"{step}/{escaped(key)}")
                for key, part in value.items()
            }
        elif keyword in ("items", "additionalProperties") and isinstance(value, Mapping):
            kept[keyword] = known_schema(value, keywords, tell, step)
        elif keyword in _COMBINERS and isinstance(value, list) and value:
            parts = [
                known_schema(part, keywords, tell, f"{step}/{index}")
                for index, part in enumerate(value)
            ]
            kept |= _composed(schema, keyword, parts, lambda word: tell(pointer, word))
        elif keyword in keywords:
            kept[keyword] = value
        elif keyword not in ANNOTATIONS:
            tell(pointer, keyword)
    return _settled(schema, kept, lambda word: tell(pointer, word))


def _composed(
    schema: Mapping[str, Any], keyword: str, parts: list[Any], tell: Callable[[str], None]
) -> dict[str, Any]:
    """What a composed schema is without siblings, which no engine takes together with it."""
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

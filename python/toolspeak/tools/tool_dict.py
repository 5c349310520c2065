"""Tool dicts: the forms that APIs have for them, and where the function stands in each.

Whatever the form, what comes out is a function dict with `name` and `parameters`. Only names and
kinds are looked at, as this is done for every tool of every request; what a prompt shows of a tool
is checked by `Tool`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolspeak.tools.json_schema import is_mapping

__all__ = ["EXPECTED", "named_function"]

_FORMS: Mapping[str, str] = {
    "parameters": "OpenAI",  # bare, {"type": "function", …}, or in {"function": {…}}
    "input_schema": "Anthropic",
    "inputSchema": "MCP",
}
"""Where a form keeps the schema of the arguments, and whose form it is."""

_WRAPPERS: Mapping[str, str] = {
    "functionDeclarations": "give each of its items as a tool of its own",
    "function_declarations": "give each of its items as a tool of its own",
    "toolSpec": 'give {"name": …, "parameters": …} with what stands in its "inputSchema"."json"',
    "tools": "give each of its items as a tool of its own",
}
"""Objects of other APIs that are no tool, and what to do with them."""

# A `type` that says that the dict is one of the forms; any other names a built-in tool.
_FUNCTION_TYPES = (None, "function")
_SCHEMA_TYPES = ("object", "array", "string", "number", "integer", "boolean", "null")

EXPECTED = (
    'expected {"type": "function", "function": {"name": …, "parameters": {…}}}, '
    'a bare {"name": …, "parameters": {…}}, the same with "input_schema" (Anthropic) or '
    '"inputSchema" (MCP), a pydantic model or a typed function'
)
"""What errors say that a tool can be."""


def named_function(
    tool: Mapping[str, Any], place: str | int
) -> tuple[str, Mapping[str, Any]] | None:
    """The name and the function dict of a tool dict; None for a built-in tool.

    A built-in tool is one that the provider knows: `{"type": "web_search"}`, or any other that has
    a `type` of its own and no schema. `place` is what errors call the tool, or its index among
    `tools`. Raises `TypeError` or `ValueError` if it has no name, or parameters that are no schema.
    """
    function = tool.get("function", tool)
    if is_mapping(function):
        name = function.get("name")
        if type(function.get("parameters")) is dict and type(name) is str and name:
            return name, function  # the usual case
    return _read(tool, function, place)


def _read(
    tool: Mapping[str, Any], function: object, place: str | int
) -> tuple[str, Mapping[str, Any]] | None:
    """`named_function` for all forms, and for what is none."""
    if not is_mapping(function):
        raise TypeError(f"{_told(place)}: {EXPECTED}; got {type(function).__name__}")
    if function is tool and _is_built_in(tool, place):
        return None
    name = _name(function, place)
    for key in _FORMS:
        schema = function.get(key)
        if schema is not None:
            break
    else:
        return name, function
    if not (is_mapping(schema) or isinstance(schema, bool)):
        kind = type(schema).__name__
        raise TypeError(f'{_told(place)} ({name}): "{key}" must be a schema dict, not {kind}')
    if key == "parameters":
        return name, function
    renamed = dict(function)
    renamed["parameters"] = renamed.pop(key)
    return name, renamed


def _is_built_in(tool: Mapping[str, Any], place: str | int) -> bool:
    kind = tool.get("type")
    if kind in _FUNCTION_TYPES or kind in _SCHEMA_TYPES:
        return False
    if not isinstance(kind, str):
        raise TypeError(f'{_told(place)}: {EXPECTED}; its "type" is {type(kind).__name__}')
    return not any(key in tool for key in _FORMS)


def _name(function: Mapping[str, Any], place: str | int) -> str:
    name = function.get("name")
    if isinstance(name, str):
        if name:
            return name
        raise ValueError(f'{_told(place)}: {EXPECTED}; its "name" is empty')
    for wrapper, instead in _WRAPPERS.items():
        if wrapper in function:
            raise TypeError(f'{_told(place)}: {EXPECTED}; it has "{wrapper}": {instead}')
    found = f'"name" is {type(name).__name__}' if "name" in function else 'it has no "name"'
    raise TypeError(f"{_told(place)}: {EXPECTED}; {found}")


def _told(place: str | int) -> str:
    # Written for errors only: that takes as long as the check of a tool.
    return place if isinstance(place, str) else f"tools[{place}]"

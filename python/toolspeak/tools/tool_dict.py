"""Tool dicts: where the function stands in one, and what it must have for calls to be read.

Only names and kinds are looked at, as this is done for every tool of every request; what a prompt
shows of a tool is checked by `Tool`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolspeak.tools.json_schema import is_mapping

__all__ = ["EXPECTED", "named_function"]

EXPECTED = (
    'expected {"type": "function", "function": {"name": …, "parameters": {…}}}, '
    'a bare {"name": …, "parameters": {…}}, a pydantic model or a typed function'
)
"""What errors say that a tool can be."""


def named_function(tool: Mapping[str, Any], place: str | int) -> tuple[str, Mapping[str, Any]]:
    """The name and the function dict of a tool dict.

    `place` is what errors call the tool, or its index among `tools`. Raises `TypeError` or
    `ValueError` if it has no name, or parameters that are no schema.
    """
    function = tool.get("function", tool)
    if not is_mapping(function):
        raise TypeError(f"{_told(place)}: {EXPECTED}; got {type(function).__name__}")
    name = function.get("name")
    if not isinstance(name, str):
        found = f'"name" is {type(name).__name__}' if "name" in function else 'it has no "name"'
        raise TypeError(f"{_told(place)}: {EXPECTED}; {found}")
    if not name:
        raise ValueError(f'{_told(place)}: {EXPECTED}; its "name" is empty')
    parameters = function.get("parameters")
    if not (parameters is None or is_mapping(parameters) or isinstance(parameters, bool)):
        kind = type(parameters).__name__
        raise TypeError(f'{_told(place)} ({name}): "parameters" must be a schema dict, not {kind}')
    return name, function


def _told(place: str | int) -> str:
    # Written for errors only: that takes as long as the check of a tool.
    return place if isinstance(place, str) else f"tools[{place}]"

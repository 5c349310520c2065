"""Arguments that came in another carrier than their dialect's: JSON or child elements in a call.

Models fall back on what they know from elsewhere: a JSON object where tags were asked for, perhaps
in an element of its own or behind the name; children named after the parameters; children that hold
a name and a value. All of it is read as a whole or not at all, in linear time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from toolspeak.reading.json_values import parse_json, repair_json

__all__ = ["Carried", "named_json", "read_carried"]


class Carried(NamedTuple):
    """A call's content: the tool's name if it is there, arguments as values or as texts by name."""

    name: str | None = None
    values: dict[str, Any] | None = None
    texts: Sequence[tuple[str, str]] = ()


# Keys and elements that hold all arguments.
_ARGUMENTS = frozenset({"arguments", "parameters", "args", "input"})
# Elements that hold one argument, whose name they do not have.
_NAMELESS = frozenset({"parameter", "param", "argument", "arg"})
_KEYS, _VALUES = frozenset({"name", "key"}), frozenset({"value"})

_NAME = re.compile(r"[\w.:/-]+")
# The longest text before the arguments that is looked into for a name, in characters.
_HEAD = 256
_ELEMENT = re.compile(r"\s*<([A-Za-z_][\w.-]*)>")
# What data begins with: in prose a `<` stands between blanks, and a closer alone holds nothing.
_DATA = re.compile(r"[{\[]|<[A-Za-z_]")
_FENCE = re.compile(r"\s*```\w*\n")
# A line that gives something a value.
_ASSIGNS = re.compile(r"^[ \t]*[\w.-]+[ \t]*=", re.MULTILINE)
_DEPTH = 4


def read_carried(text: str, repair: bool) -> Carried | None:
    """What the content of a call says, where the dialect's own reading found no arguments in it.

    Prose says nothing. None: there is more than prose, and it cannot be read, or (with
    `repair=False`) must not be.
    """
    if not _DATA.search(text) and not _ASSIGNS.search(text):
        return Carried(values={})
    return _read(text, _DEPTH) if repair else None


def named_json(text: str) -> tuple[str, dict[str, Any]] | None:
    """The tool's name and the arguments where the name stands before a JSON object."""
    at = text.find("{", 0, _HEAD)
    head = text[: max(at, 0)].strip().removesuffix("(").rstrip(" :").strip("\"'`")
    if not _NAME.fullmatch(head):
        return None
    arguments = _json(text[at:])
    return None if arguments is None else (head, arguments)


def _read(text: str, depth: int) -> Carried | None:
    found = _json(text)
    if found is not None:
        return _of_object(found)
    children = _children(text) if depth else None
    if not children:
        return None
    match children:
        case [(tag, inner)] if tag in _ARGUMENTS:
            return _read(inner, depth - 1)
    pairs = _pairs(children)
    if pairs is None:
        nested = [_children(inner) for _, inner in children]
        each = [_pairs(inner) if inner else None for inner in nested]
        pairs = [pair for found in each for pair in found or ()] if all(each) else children
    keys = {key for key, _ in pairs}
    names_all = len(keys) == len(pairs) and not keys & _NAMELESS
    return Carried(texts=pairs) if names_all else None


def _json(text: str) -> dict[str, Any] | None:
    """The object that is all of the text, perhaps in a fence or in parentheses."""
    bare = _without_fence(text).strip().removeprefix("(").lstrip()
    if not bare.startswith("{"):
        return None
    bare = bare.removesuffix(";").removesuffix(")").rstrip()
    try:
        value, _ = parse_json(bare)
    except ValueError:
        if ":" not in bare:
            return None  # there is no member to be mended
        try:
            value = repair_json(bare)
        except ValueError:
            return None
    return value if isinstance(value, dict) else None


def _without_fence(text: str) -> str:
    fence = _FENCE.match(text)
    bare = text.rstrip()
    return bare[fence.end() : -3] if fence and bare.endswith("```") else text


def _of_object(found: dict[str, Any]) -> Carried:
    """An object that names the tool and has its arguments in a member, or that is the arguments."""
    name = found.get("name")
    inner = [found[key] for key in found if key in _ARGUMENTS]
    match inner:
        case [dict(arguments)] if set(found) <= {"name", *_ARGUMENTS}:
            return Carried(name if isinstance(name, str) else None, arguments)
    return Carried(values=found)


def _children(text: str) -> list[tuple[str, str]] | None:
    """The elements that the text consists of, as names and contents; None if it has more."""
    found: list[tuple[str, str]] = []
    at = 0
    while opener := _ELEMENT.match(text, at):
        closer = f"</{opener[1]}>"
        end = text.find(closer, opener.end())
        if end < 0:
            return None
        found.append((opener[1], text[opener.end() : end]))
        at = end + len(closer)
    return found if not text[at:].strip() else None


def _pairs(children: Sequence[tuple[str, str]]) -> list[tuple[str, str]] | None:
    """Keys and values, each in an element of its own; None if the children are others."""
    keys, values = children[::2], children[1::2]
    fits = (
        len(keys) == len(values)
        and all(tag in _KEYS for tag, _ in keys)
        and all(tag in _VALUES for tag, _ in values)
    )
    if not fits:
        return None
    return [(key.strip(), value) for (_, key), (_, value) in zip(keys, values, strict=True)]

"""The small tree that grammars are made of before they are printed for an engine."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, TypeAlias

__all__ = [
    "EMPTY",
    "Chars",
    "Choice",
    "Json",
    "Literal",
    "Node",
    "Ref",
    "Repeat",
    "Rules",
    "Sequence",
    "choice",
    "optional",
    "sequence",
]


class Literal(NamedTuple):
    """Exactly this text."""

    text: str


class Chars(NamedTuple):
    """One character of these ranges, or of all others."""

    ranges: tuple[tuple[str, str], ...]
    negated: bool = False


class Sequence(NamedTuple):
    """One after the other."""

    parts: tuple[Node, ...]


class Choice(NamedTuple):
    """One of these; at least one is there."""

    options: tuple[Node, ...]


class Repeat(NamedTuple):
    """At least so many times, at most so many (None: without end)."""

    node: Node
    least: int = 0
    most: int | None = None


class Ref(NamedTuple):
    """What a rule of this name says."""

    name: str


class Json(NamedTuple):
    """The arguments of a tool as JSON by their schema, which engines that know schemas read."""

    schema: Any
    tool: str


Node: TypeAlias = "Literal | Chars | Sequence | Choice | Repeat | Ref | Json"
Rules: TypeAlias = dict[str, Node]
"""What rules say, by name; names are lower-case words joined by `-`."""

EMPTY = Literal("")


def sequence(parts: Iterable[Node]) -> Node:
    """Parts one after the other, neighbouring literals joined, empty ones left out."""
    joined: list[Node] = []
    for part in parts:
        for inner in part.parts if isinstance(part, Sequence) else (part,):
            last = joined[-1] if joined else None
            if isinstance(inner, Literal) and isinstance(last, Literal):
                joined[-1] = Literal(last.text + inner.text)
            elif inner != EMPTY:
                joined.append(inner)
    if len(joined) == 1:
        return joined[0]
    return Sequence(tuple(joined)) if joined else EMPTY


def choice(options: Iterable[Node]) -> Node:
    """One of these, of which there is at least one."""
    nodes = tuple(options)
    return nodes[0] if len(nodes) == 1 else Choice(nodes)


def optional(node: Node) -> Node:
    """The node, or nothing."""
    return Repeat(node, 0, 1)

"""How what a tree allows begins: the text that all of it begins with, and the rest behind that."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile

from toolspeak.constrain.tree import (
    Choice,
    Literal,
    Node,
    Ref,
    Repeat,
    Rules,
    Sequence,
    sequence,
)

__all__ = ["beginning", "without_beginning"]


def beginning(node: Node, rules: Rules) -> str:
    """The longest text that everything begins with which a node allows."""
    if isinstance(node, Literal):
        return node.text
    if isinstance(node, Ref):
        return beginning(rules[node.name], rules)
    if isinstance(node, Choice):
        return _common(beginning(option, rules) for option in node.options)
    if isinstance(node, Sequence):
        first, rest = node.parts[0], sequence(node.parts[1:])
        if isinstance(first, Repeat) and not first.least:
            return _common([beginning(first.node, rules), beginning(rest, rules)])
        return beginning(first, rules)
    return ""


def without_beginning(node: Node, text: str, rules: Rules) -> Node:
    """What follows `text`, which everything that a node allows begins with."""
    if not text:
        return node
    if isinstance(node, Literal) and node.text.startswith(text):
        return Literal(node.text[len(text) :])
    if isinstance(node, Ref):
        return without_beginning(rules[node.name], text, rules)
    if isinstance(node, Choice):
        return Choice(tuple(without_beginning(option, text, rules) for option in node.options))
    if isinstance(node, Sequence):
        first, rest = node.parts[0], node.parts[1:]
        if isinstance(first, Repeat) and (first.least, first.most) == (0, 1):
            with_first = sequence([without_beginning(first.node, text, rules), *rest])
            return Choice((with_first, without_beginning(sequence(rest), text, rules)))
        return sequence([without_beginning(first, text, rules), *rest])
    raise ValueError(f"not everything begins with {text!r}")


def _common(texts: Iterable[str]) -> str:
    """The longest text that all of these begin with."""
    # What the first and the last in order share, all between them do.
    ordered = sorted(texts)
    pairs = zip(ordered[0], ordered[-1], strict=False)
    return "".join(one for one, other in takewhile(lambda pair: pair[0] == pair[1], pairs))

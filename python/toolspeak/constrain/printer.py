"""What the printers of grammars share: how a tree is walked, and where brackets stand."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

from toolspeak.constrain.tree import (
    Chars,
    Choice,
    Json,
    Literal,
    Node,
    Ref,
    Repeat,
    Rules,
    Sequence,
)

__all__ = ["Printer"]


class Printer(ABC):
    """Prints trees in one language: `root` names its first rule, `defines` stands behind names."""

    root: str
    defines: str

    def print(self, root: Node, rules: Rules) -> str:
        """The grammar, with the rules that it refers to."""
        lines = [f"{self.root}{self.defines} {self._choice(root)}"]
        lines += [f"{it}{self.defines} {self._choice(rules[it])}" for it in _referred(root, rules)]
        return "\n".join(lines) + "\n"

    @abstractmethod
    def literal(self, text: str) -> str:
        """Exactly this text."""

    @abstractmethod
    def chars(self, ranges: str) -> str:
        """One character of a class, of which this is the inside."""

    @abstractmethod
    def code(self, char: str) -> str:
        """A character in a class."""

    @abstractmethod
    def json(self, node: Json) -> str:
        """A value by a schema."""

    def _choice(self, node: Node) -> str:
        if isinstance(node, Choice):
            return " | ".join(map(self._sequence, node.options))
        return self._sequence(node)

    def _sequence(self, node: Node) -> str:
        if isinstance(node, Sequence):
            return " ".join(map(self._single, node.parts))
        return self._single(node)

    def _single(self, node: Node) -> str:
        if isinstance(node, Literal):
            return self.literal(node.text)
        if isinstance(node, Chars):
            ranges = "".join(self._range(first, last) for first, last in node.ranges)
            return self.chars(f"{'^' if node.negated else ''}{ranges}")
        if isinstance(node, Ref):
            return node.name
        if isinstance(node, Repeat):
            return f"{self._repeated(node.node)}{_times(node)}"
        if isinstance(node, Json):
            return self.json(node)
        return f"({self._choice(node)})"

    def _repeated(self, node: Node) -> str:
        # Of a literal, only the last character would be repeated; a repetition takes one suffix.
        inner = self._single(node)
        return inner if isinstance(node, Chars | Ref | Choice | Sequence) else f"({inner})"

    def _range(self, first: str, last: str) -> str:
        return self.code(first) if first == last else f"{self.code(first)}-{self.code(last)}"


def _referred(root: Node, rules: Rules) -> list[str]:
    """The names of the rules that a node refers to, those first that are met first."""
    found: dict[str, None] = {}
    pending = [root]
    while pending:
        node = pending.pop()
        if not isinstance(node, Ref):
            pending.extend(reversed(list(_inside(node))))
        elif node.name not in found:
            found[node.name] = None
            pending.append(rules[node.name])
    return list(found)


def _inside(node: Node) -> Iterator[Node]:
    if isinstance(node, Sequence):
        yield from node.parts
    elif isinstance(node, Choice):
        yield from node.options
    elif isinstance(node, Repeat):
        yield node.node


def _times(node: Repeat) -> str:
    """How often something is repeated, as a suffix."""
    short = {(0, 1): "?", (0, None): "*", (1, None): "+"}.get((node.least, node.most))
    if short is not None:
        return short
    if node.least == node.most:
        return f"{{{node.least}}}"
    return f"{{{node.least},{'' if node.most is None else node.most}}}"

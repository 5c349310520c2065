"""A tree as a structural tag of xgrammar: what holds schemas as formats, the rest as grammars."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from toolspeak.constrain.gbnf import print_gbnf
from toolspeak.constrain.tree import Choice, Json, Literal, Node, Ref, Repeat, Rules, Sequence

__all__ = ["print_structural_tag"]

Format: TypeAlias = dict[str, Any]


def print_structural_tag(root: Node, rules: Rules, schema: Callable[[Json], Any]) -> Format:
    """The structural tag. `schema` makes of a node the schema that xgrammar reads."""
    return {"type": "structural_tag", "format": _Printer(rules, schema).format(root)}


class _Printer:
    def __init__(self, rules: Rules, schema: Callable[[Json], Any]) -> None:
        self._rules = rules
        self._schema = schema

    def format(self, node: Node) -> Format:
        if isinstance(node, Literal):
            return {"type": "const_string", "value": node.text}
        if isinstance(node, Json):
            schema = self._schema(node)
            return {"type": "json_schema", "json_schema": schema, "max_whitespace_cnt": 1}
        if not self._holds_json(node):
            return {"type": "grammar", "grammar": print_gbnf(node, self._rules)}
        if isinstance(node, Ref):
            return self.format(self._rules[node.name])
        if isinstance(node, Sequence):
            return {"type": "sequence", "elements": [self.format(part) for part in node.parts]}
        if isinstance(node, Choice):
            return {"type": "or", "elements": [self.format(option) for option in node.options]}
        if isinstance(node, Repeat):
            return self._repeat(node)
        raise TypeError(f"{node} holds no schema")

    def _repeat(self, node: Repeat) -> Format:
        content = self.format(node.node)
        names = {(0, 1): "optional", (0, None): "star", (1, None): "plus"}
        name = names.get((node.least, node.most))
        if name is not None:
            return {"type": name, "content": content}
        most = -1 if node.most is None else node.most
        return {"type": "repeat", "min": node.least, "max": most, "content": content}

    def _holds_json(self, node: Node) -> bool:
        """Whether there is a schema in a node; of the rules only that of calls holds any."""
        if isinstance(node, Ref):
            return node.name == "call" and self._holds_json(self._rules[node.name])
        if isinstance(node, Sequence):
            return any(map(self._holds_json, node.parts))
        if isinstance(node, Choice):
            return any(map(self._holds_json, node.options))
        if isinstance(node, Repeat):
            return self._holds_json(node.node)
        return isinstance(node, Json)

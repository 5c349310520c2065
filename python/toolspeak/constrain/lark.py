"""A tree in llguidance's Lark.

Its lexer is greedy and never goes back, so that a literal may swallow the beginning of what
follows: every terminal here is one character, and the parser alone decides. What is a special token
of the tokenizer is written as that token: as text it would not be allowed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from toolspeak.constrain.gbnf import referred, times
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

__all__ = ["print_lark"]

# The JSON that models have learnt, with a blank behind separators, and that without.
_BLANKS = {"whitespace_flexible": False, "item_separator": ", ?", "key_separator": ": ?"}


def print_lark(
    root: Node, rules: Rules, tokens: Mapping[str, int | None], schema: Callable[[Json], Any]
) -> str:
    """The grammar. `tokens` maps what special tokens spell to their ids, where those are known.

    `schema` makes of a node the schema that llguidance reads.
    """
    printer = _Printer(tokens, schema)
    lines = [f"start: {printer.choice(root)}"]
    lines += [f"{name}: {printer.choice(rules[name])}" for name in referred(root, rules)]
    return "\n".join(lines) + "\n"


class _Printer:
    def __init__(self, tokens: Mapping[str, int | None], schema: Callable[[Json], Any]) -> None:
        self._tokens = tokens
        self._schema = schema
        spelled = map(re.escape, sorted(tokens, key=len, reverse=True))
        self._special = re.compile("|".join(spelled)) if tokens else None

    def choice(self, node: Node) -> str:
        if isinstance(node, Choice):
            return " | ".join(map(self._sequence, node.options))
        return self._sequence(node)

    def _sequence(self, node: Node) -> str:
        if isinstance(node, Sequence):
            return " ".join(map(self._single, node.parts))
        return self._single(node)

    def _single(self, node: Node) -> str:
        if isinstance(node, Literal):
            return " ".join(self._literal(node.text)) or '""'
        if isinstance(node, Chars):
            ranges = "".join(_range(first, last) for first, last in node.ranges)
            return f"/[{'^' if node.negated else ''}{ranges}]/"
        if isinstance(node, Ref):
            return node.name
        if isinstance(node, Repeat):
            return f"({self.choice(node.node)}){times(node)}"
        if isinstance(node, Json):
            return f"%json {json.dumps({'x-guidance': _BLANKS, **self._schema(node)})}"
        return f"({self.choice(node)})"

    def _literal(self, text: str) -> Iterator[str]:
        at = 0
        for found in self._special.finditer(text) if self._special else ():
            yield from map(_quoted, text[at : found.start()])
            number = self._tokens[found[0]]
            yield found[0] if number is None else f"<[{number}]>"
            at = found.end()
        yield from map(_quoted, text[at:])


def _quoted(char: str) -> str:
    return json.dumps(char, ensure_ascii=False)


def _range(first: str, last: str) -> str:
    return _code(first) if first == last else f"{_code(first)}-{_code(last)}"


def _code(char: str) -> str:
    return f"\\u{{{ord(char):X}}}"

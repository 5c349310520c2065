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

from toolspeak.constrain.printer import Printer
from toolspeak.constrain.tree import Json, Node, Rules

__all__ = ["print_lark"]

# The JSON that models have learnt, with a blank behind separators, and that without.
_BLANKS = {"whitespace_flexible": False, "item_separator": ", ?", "key_separator": ": ?"}


def print_lark(
    root: Node, rules: Rules, tokens: Mapping[str, int | None], schema: Callable[[Json], Any]
) -> str:
    """The grammar. `tokens` maps what special tokens spell to their ids, where those are known.

    `schema` makes of a node the schema that llguidance reads.
    """
    return _Lark(tokens, schema).print(root, rules)


class _Lark(Printer):
    root = "start"
    defines = ":"

    def __init__(self, tokens: Mapping[str, int | None], schema: Callable[[Json], Any]) -> None:
        self._tokens = tokens
        self._schema = schema
        spelled = map(re.escape, sorted(tokens, key=len, reverse=True))
        self._special = re.compile("|".join(spelled)) if tokens else None

    def literal(self, text: str) -> str:
        return " ".join(self._terminals(text)) or '""'

    def chars(self, ranges: str) -> str:
        return f"/[{ranges}]/"

    def code(self, char: str) -> str:
        return f"\\u{{{ord(char):X}}}"

    def json(self, node: Json) -> str:
        return f"%json {json.dumps({'x-guidance': _BLANKS, **self._schema(node)})}"

    def _terminals(self, text: str) -> Iterator[str]:
        at = 0
        for found in self._special.finditer(text) if self._special else ():
            yield from map(_quoted, text[at : found.start()])
            number = self._tokens[found[0]]
            yield found[0] if number is None else f"<[{number}]>"
            at = found.end()
        yield from map(_quoted, text[at:])


def _quoted(char: str) -> str:
    return json.dumps(char, ensure_ascii=False)

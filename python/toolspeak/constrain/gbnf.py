"""A tree as GBNF, the grammars of llama.cpp, in the subset that xgrammar's EBNF shares."""

from __future__ import annotations

from toolspeak.constrain.printer import Printer
from toolspeak.constrain.tree import Json, Node, Rules

__all__ = ["print_gbnf"]


def print_gbnf(root: Node, rules: Rules) -> str:
    """The grammar; `root` and the rules that it refers to must hold no `Json`."""
    return _Gbnf().print(root, rules)


class _Gbnf(Printer):
    root = "root"
    defines = " ::="

    def literal(self, text: str) -> str:
        return f'"{"".join(map(self._escaped, text))}"'

    def chars(self, ranges: str) -> str:
        return f"[{ranges}]"

    def code(self, char: str) -> str:
        code = ord(char)
        if code < 0x100:
            return f"\\x{code:02X}"
        return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"

    def json(self, node: Json) -> str:
        raise TypeError("a schema has to be made rules before it is printed")

    def _escaped(self, char: str) -> str:
        if char in '"\\':
            return f"\\{char}"
        return char if " " <= char <= "~" else self.code(char)

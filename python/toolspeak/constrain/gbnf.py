"""A tree as GBNF, the grammars of llama.cpp, in the subset that xgrammar's EBNF shares."""

from __future__ import annotations

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

__all__ = ["print_gbnf", "referred", "times"]


def print_gbnf(root: Node, rules: Rules) -> str:
    """The grammar; `root` and the rules that it refers to must hold no `Json`."""
    lines = [f"root ::= {_choice(root)}"]
    lines += [f"{name} ::= {_choice(rules[name])}" for name in referred(root, rules)]
    return "\n".join(lines) + "\n"


def referred(root: Node, rules: Rules) -> list[str]:
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


def times(node: Repeat) -> str:
    """How often something is repeated, as a suffix."""
    short = {(0, 1): "?", (0, None): "*", (1, None): "+"}.get((node.least, node.most))
    if short is not None:
        return short
    if node.least == node.most:
        return f"{{{node.least}}}"
    return f"{{{node.least},{'' if node.most is None else node.most}}}"


def _inside(node: Node) -> Iterator[Node]:
    if isinstance(node, Sequence):
        yield from node.parts
    elif isinstance(node, Choice):
        yield from node.options
    elif isinstance(node, Repeat):
        yield node.node


def _choice(node: Node) -> str:
    if isinstance(node, Choice):
        return " | ".join(map(_sequence, node.options))
    return _sequence(node)


def _sequence(node: Node) -> str:
    if isinstance(node, Sequence):
        return " ".join(map(_single, node.parts))
    return _single(node)


def _single(node: Node) -> str:
    if isinstance(node, Literal):
        return f'"{"".join(map(_escaped, node.text))}"'
    if isinstance(node, Chars):
        ranges = "".join(_range(first, last) for first, last in node.ranges)
        return f"[{'^' if node.negated else ''}{ranges}]"
    if isinstance(node, Ref):
        return node.name
    if isinstance(node, Repeat):
        inner = _single(node.node)
        # Of a literal, only the last character would be repeated; a repetition takes one suffix.
        is_plain = isinstance(node.node, Chars | Ref) or inner.startswith("(")
        return f"{inner if is_plain else f'({inner})'}{times(node)}"
    if isinstance(node, Json):
        raise TypeError("a schema has to be made rules before it is printed")
    return f"({_choice(node)})"


def _escaped(char: str) -> str:
    if char in '"\\':
        return f"\\{char}"
    return char if " " <= char <= "~" else _code(char)


def _range(first: str, last: str) -> str:
    return _code(first) if first == last else f"{_code(first)}-{_code(last)}"


def _code(char: str) -> str:
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"

"""The text that a chat template writes, as far as that is the same for all conversations.

Templates name their markers (`{% set begin = '<call>' %}`) and put them together
(`'<' ~ token ~ 'invoke'`). Here, strings and the names of strings are replaced by what they hold,
and comments are gone; all else stays as it is. Nothing is evaluated, and the time is linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

__all__ = ["written_text"]

_BEGIN = re.compile(r"\{[{%#]")
_TOKEN = re.compile(
    r"""
      (?P<string> ' (?:[^'\\]|\\.)* ' | " (?:[^"\\]|\\.)* " )
    | (?P<end> [}%]\} )
    | (?P<name> (?:[.]\s*)? [^\W\d]\w* )
    | (?P<join> \s* [~+] \s* )
    | (?P<key> \s* : )
    | (?P<other> \s+ | \\. | . )
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}

# Stands between what is not known to be put together.
_GAP = "\n"

# Strings that are made of strings could grow without end.
_MAX_CHARACTERS = 100


class _Block(NamedTuple):
    """A part of a template; a statement is no output."""

    tokens: list[_Token]
    is_statement: bool = False


class _Token(NamedTuple):
    """A stretch of a template: of an expression, or (`"text"`) outside of any."""

    kind: str | None
    text: str


def written_text(template: str) -> str:
    """The template with its strings in the place of their literals and names."""
    blocks = list(_blocks(template))
    constants = _constants(blocks)
    return "".join(text for block in blocks for text in _written(block, constants))


def _blocks(template: str) -> Iterator[_Block]:
    """The template in pieces: what stands outside of expressions, and the tokens in them."""
    at = 0
    while begin := _BEGIN.search(template, at):
        yield _Block([_Token("text", template[at : begin.start()])])
        if begin[0] == "{#":
            end = template.find("#}", begin.end())
            at = end + 2 if end >= 0 else len(template)
            continue
        tokens, at = _expression(template, begin.end())
        yield _Block(tokens, is_statement=begin[0] == "{%")
    yield _Block([_Token("text", template[at:])])


def _expression(template: str, at: int) -> tuple[list[_Token], int]:
    """The tokens of an expression or statement, and where it ends."""
    tokens: list[_Token] = []
    for found in _TOKEN.finditer(template, at):
        at = found.end()
        if found.lastgroup == "end":
            break
        is_string = found.lastgroup == "string"
        text = _ESCAPE.sub(_unescape, found[0][1:-1]) if is_string else found[0]
        tokens.append(_Token(found.lastgroup, text))
    return _inner(tokens), at


def _inner(tokens: Sequence[_Token]) -> list[_Token]:
    """The tokens without the blanks at both ends, and without what trims the text around."""
    written = [at for at, token in enumerate(tokens) if not _is_blank(token)]
    return list(tokens[written[0] : written[-1] + 1]) if written else []


def _is_blank(token: _Token) -> bool:
    return token.kind == "other" and not token.text.strip(" \t\r\n-+")


def _unescape(escape: re.Match[str]) -> str:
    return _ESCAPES.get(escape[1], escape[1])


def _constants(blocks: Sequence[_Block]) -> dict[str, str]:
    """The names that stand for one string throughout the template."""
    constants: dict[str, str] = {}
    others: set[str] = set()
    for tokens in (block.tokens for block in blocks if block.is_statement):
        match [token for token in tokens if not _is_blank(token)]:
            case [_Token("name", "set"), _Token("name", name), _Token("other", "="), *expression]:
                value = _constant(expression, constants)
                if value is None or constants.setdefault(name, value) != value:
                    others.add(name)
            case [_Token("name", word), *rest] if word in _BINDING:
                others |= {token.text for token in rest if token.kind == "name"}
    return {name: value for name, value in constants.items() if name not in others}


# Statements that give names another meaning somewhere.
_BINDING = frozenset({"set", "for", "macro", "call", "with", "import", "from", "block"})


def _constant(expression: Sequence[_Token], constants: Mapping[str, str]) -> str | None:
    """The string that an expression of strings and their names makes; None: it makes none."""
    texts: list[str] = []
    for token in expression:
        if token.kind != "join":
            text = _text_of(token, constants)
            if text is None:
                return None
            texts.append(text)
    joined = "".join(texts)
    return joined if len(joined) <= _MAX_CHARACTERS else None


def _text_of(token: _Token, constants: Mapping[str, str]) -> str | None:
    """The string that a token stands for."""
    return token.text if token.kind == "string" else constants.get(token.text)


def _written(block: _Block, constants: Mapping[str, str]) -> Iterator[str]:
    """Strings that are put together become one, also with what stands before and behind.

    Not so in statements, which write nothing. A string that is a key keeps its quotes.
    """
    tokens = block.tokens
    may_join = not block.is_statement
    for at, token in enumerate(tokens):
        if token.kind == "join":
            continue
        is_first = at == 0 or tokens[at - 1].kind == "join"
        text = token.text if token.kind == "text" else _text_of(token, constants)
        if is_first and not (may_join and text is not None):
            yield _GAP
        yield f'"{text}"' if _is_key(tokens[at : at + 2]) else token.text if text is None else text
        may_join = text is not None
    if block.is_statement or not may_join:
        yield _GAP


def _is_key(tokens: Sequence[_Token]) -> bool:
    """Whether these are the string of a key and what stands behind keys."""
    return [token.kind for token in tokens] == ["string", "key"]

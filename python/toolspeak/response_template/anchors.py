"""The regular expressions of templates, read as what they are mostly: texts around names.

`read_pattern` takes a pattern apart into texts, blanks, runs of characters, groups, choices, and
what must follow. What is none of these (counted repetitions, back references, …) is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import NamedTuple, TypeAlias

from toolspeak.errors import ResponseTemplateError
from toolspeak.grammar import Blanks, Exact, Followed, Marker

__all__ = [
    "Ahead",
    "Choice",
    "Group",
    "Layout",
    "Optional",
    "Piece",
    "Run",
    "Start",
    "Text",
    "marker",
    "read_pattern",
    "source",
    "trimmed",
]


class Text(NamedTuple):
    """Exactly this text."""

    text: str


class Layout(NamedTuple):
    """Blanks that may be there or not."""


class Run(NamedTuple):
    """Characters of a class, one or more, or none; `pattern` is what stands in the template."""

    pattern: str


class Start(NamedTuple):
    """Where the input begins."""


class Group(NamedTuple):
    """What a named group captures."""

    name: str
    pieces: tuple[Piece, ...]


class Choice(NamedTuple):
    """Any of several patterns."""

    choices: tuple[tuple[Piece, ...], ...]


class Optional(NamedTuple):
    """A pattern that may be left out."""

    pieces: tuple[Piece, ...]


class Ahead(NamedTuple):
    """A pattern that must follow, but is not taken."""

    pieces: tuple[Piece, ...]


Piece: TypeAlias = "Text | Layout | Run | Start | Group | Choice | Optional | Ahead"
"""A part of a pattern."""

_CLASSES = frozenset("wWdDsS")
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r"}
_UNREAD = "$*+?{}"
# Not what looks behind.
_NAMED = re.compile(r"\?P<|\?<(?=[^=!])")
_NAME = re.compile(r"([^\W\d]\w*)>")
_MAX_DEPTH = 20
_MAX_TEXTS = 100


def read_pattern(pattern: str, place: str) -> tuple[Piece, ...]:
    """The pieces of a pattern, texts side by side joined.

    Raises `ResponseTemplateError` that names the place and what is not understood.
    """
    reader = _Reader(pattern, place)
    pieces = reader.choice(0)
    if reader.at < len(pattern):
        raise reader.refused("a bracket that closes nothing")
    return pieces


class _Reader:
    """Reads one pattern from left to right."""

    def __init__(self, pattern: str, place: str) -> None:
        self.pattern = pattern
        self.place = place
        self.at = 0

    def refused(self, what: str) -> ResponseTemplateError:
        """The error that says what is not understood, and where."""
        return ResponseTemplateError(
            f"{self.place}: {self.pattern!r} has {what}; only texts around names, with blanks "
            "between them, can be read"
        )

    def choice(self, depth: int) -> tuple[Piece, ...]:
        """Up to the bracket that closes: one pattern, or several between bars."""
        if depth > _MAX_DEPTH:
            raise self.refused("groups nested too deeply")
        choices = [self._sequence(depth)]
        while self._takes("|"):
            choices.append(self._sequence(depth))
        return choices[0] if len(choices) == 1 else (Choice(tuple(choices)),)

    def _takes(self, text: str) -> bool:
        if not self.pattern.startswith(text, self.at):
            return False
        self.at += len(text)
        return True

    def _sequence(self, depth: int) -> tuple[Piece, ...]:
        pieces: list[Piece] = []
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            pieces += self._group(depth) if self._takes("(") else (self._piece(),)
        return tuple(_joined(pieces))

    def _piece(self) -> Piece:
        if self._takes("^"):
            return Start()
        start = self.at
        if self._takes("["):
            self._to_end_of_class()
        elif self._takes("\\"):
            return self._escaped(start)
        elif self.pattern[self.at] in _UNREAD:
            raise self.refused(f"{self.pattern[self.at]!r} with nothing to repeat")
        else:
            self.at += 1
            if self.pattern[start] != ".":
                return self._literal(self.pattern[start])
        return self._run(start)

    def _group(self, depth: int) -> tuple[Piece, ...]:
        name = ""
        if self._takes("?="):
            return (Ahead(self._inner(depth)),)
        if named := _NAMED.match(self.pattern, self.at):
            self.at = named.end()
            name = self._name()
        elif not self._takes("?:"):
            raise self.refused("a group that is neither named nor marked `?:` or `?=`")
        pieces = self._inner(depth)
        repeated = self.pattern[self.at : self.at + 1]
        if not name and self._takes("?"):
            return (Optional(pieces),)
        if repeated in tuple("*+?{"):
            raise self.refused("a repeated group")
        return (Group(name, pieces),) if name else pieces

    def _inner(self, depth: int) -> tuple[Piece, ...]:
        pieces = self.choice(depth + 1)
        if not self._takes(")"):
            raise self.refused("a group that is not closed")
        return pieces

    def _name(self) -> str:
        found = _NAME.match(self.pattern, self.at)
        if found is None:
            raise self.refused("a group without a name")
        self.at = found.end()
        return found[1]

    def _escaped(self, start: int) -> Piece:
        escaped = self.pattern[self.at : self.at + 1]
        self.at += 1
        if escaped in _CLASSES:
            return self._run(start)
        if not escaped or (escaped.isalnum() and escaped not in _CONTROLS):
            raise self.refused(f"the escape \\{escaped}")
        return self._literal(_CONTROLS.get(escaped, escaped))

    def _literal(self, character: str) -> Piece:
        """A character; blanks that may be missing or repeated are layout."""
        if self.pattern[self.at : self.at + 1] not in tuple("*+?{"):
            return Text(character)
        if not character.isspace():
            raise self.refused(f"{character!r} that is optional or repeated")
        self._quantifier()
        return Layout()

    def _to_end_of_class(self) -> None:
        self._takes("^")
        self._takes("]")
        while not self._takes("]"):
            if self.at >= len(self.pattern):
                raise self.refused("a class that is not closed")
            self.at += 2 if self.pattern[self.at] == "\\" else 1

    def _run(self, start: int) -> Piece:
        """A class of characters, repeated."""
        one = self.pattern[start : self.at]
        if not self._quantifier():
            raise self.refused(f"{one!r} that is not repeated")
        return Layout() if one == r"\s" else Run(self.pattern[start : self.at])

    def _quantifier(self) -> bool:
        if not (self._takes("*") or self._takes("+") or self._takes("?")):
            return False
        if not self._takes("?") and self.pattern[self.at : self.at + 1] == "+":
            raise self.refused("a possessive repetition")
        return True


def _joined(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """The pieces, texts side by side as one."""
    text = ""
    for piece in pieces:
        if isinstance(piece, Text):
            text += piece.text
            continue
        if text:
            yield Text(text)
            text = ""
        yield piece
    if text:
        yield Text(text)


def marker(pieces: Sequence[Piece], place: str) -> Marker:
    """The marker that texts make, with choices of texts and layout between them.

    Layout around them is not its part. Raises `ResponseTemplateError` for other pieces, and for
    none.
    """
    inner = trimmed(pieces)
    if inner and all(isinstance(piece, Text | Choice) for piece in inner):
        choices = [_texts(piece) for piece in inner]
        if prod(map(len, choices)) > _MAX_TEXTS:
            raise ResponseTemplateError(f"{place}: there are more than {_MAX_TEXTS} texts")
        if all(choices):
            return Exact(*("".join(parts) for parts in product(*choices)))
    if inner and all(isinstance(piece, Text | Layout) for piece in inner):
        parts = [Exact(one.text) if isinstance(one, Text) else Blanks() for one in inner]
        return Followed(*parts, consumed=len(parts))
    raise ResponseTemplateError(f"{place}: only text, and blanks between texts, can be read here")


def _texts(piece: Piece) -> list[str]:
    """The text of a piece, or the texts of a choice of texts; of others none."""
    match piece:
        case Text(text=text):
            return [text]
        case Choice(choices=choices):
            texts = [_texts(one[0]) if len(one) == 1 else [] for one in choices]
            return [text for some in texts for text in some] if all(texts) else []
    return []


def source(piece: Piece) -> str:
    """The piece as a regular expression again."""
    match piece:
        case Text(text=text):
            return re.escape(text)
        case Layout():
            return r"\s*"
        case Run(pattern=pattern):
            return pattern
        case Start():
            return ""
        case Group(name=name, pieces=pieces):
            return f"(?P<{name}>{_sources(pieces)})"
        case Choice(choices=choices):
            return f"(?:{'|'.join(map(_sources, choices))})"
        case Optional(pieces=pieces):
            return f"(?:{_sources(pieces)})?"
        case Ahead(pieces=pieces):
            return f"(?={_sources(pieces)})"


def _sources(pieces: Sequence[Piece]) -> str:
    return "".join(map(source, pieces))


def trimmed(pieces: Sequence[Piece]) -> Sequence[Piece]:
    """The pieces without the layout around them."""
    first, last = 0, len(pieces)
    while first < last and isinstance(pieces[first], Layout):
        first += 1
    while first < last and isinstance(pieces[last - 1], Layout):
        last -= 1
    return pieces[first:last]

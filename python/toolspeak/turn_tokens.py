"""The tokens of turns: a model's text never holds them, so scanners drop them from it.

Which they are follows from what the dialect already says: the tokens that end a turn, and those in
what stands around turns. A token that opens a call, thinking or a result keeps its meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolspeak.family import Family
from toolspeak.grammar import AnyOf, Exact, Followed, Grammar, Marker, Noise
from toolspeak.written import Turns

__all__ = ["first_token", "turn_tokens", "without_turn_tokens"]

# What begins a turn, or ends one; other tokens of a turn's header mean nothing alone.
_TOKEN = re.compile(r"^\s*(<[^<>\s]+>)")


def first_token(mark: str) -> str | None:
    """The token that a turn's mark begins with, if it does."""
    token = _TOKEN.match(mark)
    return token[1] if token else None


def turn_tokens(grammar: Grammar, turns: Turns, family: Family) -> tuple[str, ...]:
    """The tokens of turns that mean nothing in this grammar."""
    marks = (token for mark in turns.marks() if (token := first_token(mark)))
    meant = {text for marker in _openers(grammar) for text in _first_texts(marker)}
    return tuple(token for token in dict.fromkeys((*family.stop, *marks)) if token not in meant)


def without_turn_tokens(grammar: Grammar, turns: Turns, family: Family) -> Grammar:
    """The grammar with the tokens of turns as noise."""
    tokens = turn_tokens(grammar, turns, family)
    return grammar.replace(noise=(*grammar.noise, Noise(Exact(*tokens)))) if tokens else grammar


def _openers(grammar: Grammar) -> Iterator[Marker]:
    """Everything that opens something."""
    yield from (form.open for form in grammar.forms() if form.open is not None)
    yield from (section.open for section in grammar.sections)
    yield from (pair.open for pair in grammar.thinking)
    yield from grammar.results
    yield from (noise.open for noise in grammar.noise)


def _first_texts(marker: Marker) -> Iterator[str]:
    """The spellings of a marker that are plain text; of one with followers, its own."""
    match marker:
        case Exact():
            yield from marker.spellings
        case AnyOf():
            for one in marker.markers:
                yield from _first_texts(one)
        case Followed(parts=[Exact() | AnyOf() as first, *_]):
            yield from _first_texts(first)

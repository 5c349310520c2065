"""Text that holds none of a grammar's markers, as rules: an automaton over characters.

A marker's spellings become sequences of sets of characters. A state is how far each of them has
come; a rule says which characters may follow, and what would complete a marker is in none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from toolspeak.constrain.tree import EMPTY, Chars, Choice, Literal, Node, Ref, Rules, sequence
from toolspeak.grammar import Marker

__all__ = ["Excluding", "spelled"]


class _Set(NamedTuple):
    """A set of characters: these, or all but these. `loops`: any number of them, perhaps none."""

    chars: frozenset[str]
    negated: bool = False
    loops: bool = False

    def holds(self, char: str | None) -> bool:
        """Whether it holds a character; None stands for those that no set names."""
        return (char in self.chars) != self.negated


_Spelling = tuple[_Set, ...]
# What a namespace before a tag's name may be: anything that does not end one.
_NAMESPACE = _Set(frozenset("<>:/ \t\r\n\"'="), negated=True, loops=True)
_BEHIND_NAME = frozenset(" \t\r\n\f/>")


def spelled(markers: Iterable[Marker | None]) -> list[_Spelling]:
    """All spellings of markers; of one that counts with what follows, its first part."""
    found = [
        spelling
        for marker in markers
        if marker is not None
        for pattern in marker.patterns
        for spelling in _spellings(pattern)
    ]
    return list(dict.fromkeys(found))


def _spellings(pattern: Any) -> Iterator[_Spelling]:
    if pattern.kind == "literal":
        if pattern.text.strip():
            yield _literal(pattern.text.strip())
    elif pattern.kind == "tag":
        yield from _tag(pattern)
    else:
        for part in pattern.parts:
            inner = [it for found in getattr(part, "patterns", ()) for it in _spellings(found)]
            yield from inner
            if inner:
                return


def _literal(text: str, *, ignore_case: bool = False) -> _Spelling:
    cased = [{char.lower(), char.upper()} if ignore_case else {char} for char in text]
    return tuple(_Set(frozenset(chars)) for chars in cased)


def _tag(pattern: Any) -> Iterator[_Spelling]:
    for head in pattern.heads:
        if pattern.free:
            yield _literal(head)
        for name in pattern.names:
            behind = (_Set(_BEHIND_NAME | {pattern.end[0]}),)
            named = (*_literal(name, ignore_case=pattern.ignore_case), *behind)
            yield (*_literal(head), *named)
            if pattern.any_namespace:
                yield (*_literal(head), _NAMESPACE, *_literal(":"), *named)


_State = frozenset[tuple[int, int]]
_START: _State = frozenset()


class Excluding:
    """Text without any of some spellings."""

    def __init__(self, spellings: Sequence[_Spelling]) -> None:
        self._spellings = spellings
        named = frozenset(char for spelling in spellings for it in spelling for char in it.chars)
        self._alphabet: list[str | None] = [*sorted(named), None]

    def allows(self, text: str, close: str) -> bool:
        """Whether `text` before `close` is one of such texts."""
        ends_at = self._completed(_START, close)
        found = self._completed(_START, text + close)
        return found == (None if ends_at is None else len(text) + ends_at)

    def rules(self, name: str, rules: Rules, *, after: str = "", close: str = "") -> Node:
        """Adds rules for such text behind `after`, up to and with `close`, under `name`.

        The text may hold nothing that together with its neighbours would be one of the spellings
        before `close` is.
        """
        start = _START
        for before in after:
            start = self._step(start, before) or _START
        numbers: dict[_State, int] = {start: 0}
        pending = [start]
        ends_at = self._completed(_START, close)
        for state in pending:  # which grows meanwhile
            targets: dict[_State, list[str | None]] = {}
            for char in self._alphabet:
                target = self._step(state, char)
                if target is not None:
                    targets.setdefault(target, []).append(char)
            options: list[Node] = []
            if self._completed(state, close) == ends_at:
                options.append(Literal(close) if close else EMPTY)
            for target, chars in targets.items():
                if target not in numbers:
                    numbers[target] = len(numbers)
                    pending.append(target)
                options.append(sequence([self._chars(chars), Ref(f"{name}-{numbers[target]}")]))
            rules[f"{name}-{numbers[state]}"] = Choice(tuple(options))
        return Ref(f"{name}-0")

    def _chars(self, chars: list[str | None]) -> Chars:
        if None in chars:
            others = [char for char in self._alphabet if char is not None and char not in chars]
            return Chars(tuple((char, char) for char in (*others, "\0")), negated=True)
        return Chars(tuple((char, char) for char in chars if char is not None))

    def _completed(self, state: _State, text: str) -> int | None:
        """How much of `text` completes a spelling; None: nothing does."""
        for index, char in enumerate(text):
            target = self._step(state, char)
            if target is None:
                return index
            state = target
        return None

    def _step(self, state: _State, char: str | None) -> _State | None:
        """The state behind one more character; None if that completes a spelling."""
        reached: set[tuple[int, int]] = set()
        starts = ((index, 0) for index in range(len(self._spellings)))
        for index, at in (*state, *starts):
            for place in self._open(index, at):
                it = self._spellings[index][place]
                if it.holds(char):
                    behind = place if it.loops else place + 1
                    if behind == len(self._spellings[index]):
                        return None
                    reached.add((index, behind))
        return frozenset(reached)

    def _open(self, index: int, at: int) -> Iterator[int]:
        """The places of a spelling that a character may be read at: loops can be passed."""
        spelling = self._spellings[index]
        while at < len(spelling):
            yield at
            if not spelling[at].loops:
                return
            at += 1

"""Text that holds none of a grammar's markers, as rules: an automaton over characters.

The spellings of markers become one net of places, with sets of characters between them. A state is
the places that the text so far may be at; a rule says which characters may follow, and a character
that would complete a marker is in none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from toolspeak.constrain.tree import EMPTY, Chars, Choice, Literal, Node, Ref, Rules, sequence
from toolspeak.grammar import Marker

__all__ = ["Excluding"]


class _Set(NamedTuple):
    """A set of characters: these, or all but these."""

    chars: frozenset[str]
    negated: bool = False

    def holds(self, char: str | None) -> bool:
        """Whether it holds a character; None stands for those that no set names."""
        return (char in self.chars) != self.negated


# What a namespace before a tag's name may be: anything that does not end one.
_NAMESPACE = _Set(frozenset("<>:/ \t\r\n\"'="), negated=True)
_BEHIND_NAME = frozenset(" \t\r\n\f/>")
_START, _COMPLETE = 0, -1


class _Net:
    """Places, and which sets of characters lead from one to another."""

    def __init__(self) -> None:
        self.ways: list[dict[_Set, list[int]]] = [{}]
        # Places within a text, which texts that begin alike share.
        self._inner: set[int] = set()

    def place(self) -> int:
        """A new place, from which no way leads yet."""
        self.ways.append({})
        return len(self.ways) - 1

    def lead(self, place: int, through: _Set, to: int) -> None:
        """Leads from one place to another."""
        targets = self.ways[place].setdefault(through, [])
        if to not in targets:
            targets.append(to)

    def spell(self, place: int, text: str, to: int, *, ignore_case: bool = False) -> None:
        """Leads from a place to another through the characters of a text.

        Texts that begin alike go the same way, so that a text is at few places at once.
        """
        for index, char in enumerate(text):
            through = _Set(frozenset({char.lower(), char.upper()} if ignore_case else {char}))
            if index == len(text) - 1:
                self.lead(place, through, to)
                return
            place = self._behind(place, through)

    def _behind(self, place: int, through: _Set) -> int:
        for known in self.ways[place].get(through, ()):
            if known in self._inner:
                return known
        behind = self.place()
        self._inner.add(behind)
        self.lead(place, through, behind)
        return behind


def _add(net: _Net, pattern: Any) -> bool:
    """Adds a marker's spelling; of one that counts with what follows, its first part.

    Answers whether there is anything to it but blanks.
    """
    if pattern.kind == "literal":
        text = pattern.text.strip()
        net.spell(_START, text, _COMPLETE)
        return bool(text)
    if pattern.kind == "tag":
        _add_tag(net, pattern)
        return True
    for part in pattern.parts:
        added = [_add(net, inner) for inner in getattr(part, "patterns", ())]
        if any(added):
            return True
    return False


def _add_tag(net: _Net, pattern: Any) -> None:
    """Adds a tag: any of its heads, perhaps a namespace, then any of its names."""
    if pattern.free:
        for head in pattern.heads:
            net.spell(_START, head, _COMPLETE)
        return
    name, behind_name = net.place(), net.place()
    for text in pattern.names:
        net.spell(name, text, behind_name, ignore_case=pattern.ignore_case)
    net.lead(behind_name, _Set(_BEHIND_NAME | {pattern.end[0]}), _COMPLETE)
    before_name = name
    if pattern.any_namespace:
        before_name, namespace = net.place(), net.place()
        for through, targets in list(net.ways[name].items()):
            for target in targets:
                net.lead(before_name, through, target)
        net.lead(before_name, _NAMESPACE, namespace)
        net.lead(namespace, _NAMESPACE, namespace)
        net.lead(namespace, _Set(frozenset(":")), name)
    for head in pattern.heads:
        net.spell(_START, head, before_name)


_State = frozenset[int]
_NOWHERE: _State = frozenset()


class Excluding:
    """Text without any of some markers."""

    def __init__(self, markers: Iterable[Marker | None]) -> None:
        net = _Net()
        for marker in markers:
            for pattern in marker.patterns if marker is not None else ():
                _add(net, pattern)
        self._ways = net.ways
        named = {char for ways in net.ways for through in ways for char in through.chars}
        self._alphabet: list[str | None] = [*sorted(named), None]
        self._known: dict[tuple[_State, str | None], _State | None] = {}

    def allows(self, text: str, close: str) -> bool:
        """Whether `text` before `close` is one of such texts."""
        ends_at = self._completed(_NOWHERE, close)
        found = self._completed(_NOWHERE, text + close)
        return found == (None if ends_at is None else len(text) + ends_at)

    def rules(self, name: str, rules: Rules, *, close: str = "") -> Node:
        """Adds rules for such text up to and with `close`, under names that begin with `name`.

        The text may hold nothing that together with `close` would be a marker before that one
        which `close` is.
        """
        numbers: dict[_State, int] = {_NOWHERE: 0}
        pending = [_NOWHERE]
        ends_at = self._completed(_NOWHERE, close)
        for state in pending:  # which grows meanwhile
            options: list[Node] = []
            if self._completed(state, close) == ends_at:
                options.append(Literal(close) if close else EMPTY)
            for target, chars in self._targets(state):
                if target not in numbers:
                    numbers[target] = len(numbers)
                    pending.append(target)
                options.append(sequence([self._chars(chars), Ref(f"{name}-{numbers[target]}")]))
            rules[f"{name}-{numbers[state]}"] = Choice(tuple(options))
        return Ref(f"{name}-0")

    def _targets(self, state: _State) -> Iterator[tuple[_State, list[str | None]]]:
        """The states that may follow, each with the characters that lead there."""
        targets: dict[_State, list[str | None]] = {}
        for char in self._alphabet:
            target = self._step(state, char)
            if target is not None:
                targets.setdefault(target, []).append(char)
        yield from targets.items()

    def _chars(self, chars: list[str | None]) -> Chars:
        if None in chars:
            others = [char for char in self._alphabet if char is not None and char not in chars]
            return Chars(tuple((char, char) for char in (*others, "\0")), negated=True)
        return Chars(tuple((char, char) for char in chars if char is not None))

    def _completed(self, state: _State, text: str) -> int | None:
        """How much of `text` completes a marker; None: nothing does."""
        for index, char in enumerate(text):
            target = self._step(state, char)
            if target is None:
                return index
            state = target
        return None

    def _step(self, state: _State, char: str | None) -> _State | None:
        """The state behind one more character; None if that completes a marker."""
        key = (state, char)
        if key not in self._known:
            reached = {
                target
                for place in (_START, *state)
                for through, targets in self._ways[place].items()
                if through.holds(char)
                for target in targets
            }
            self._known[key] = None if _COMPLETE in reached else frozenset(reached)
        return self._known[key]

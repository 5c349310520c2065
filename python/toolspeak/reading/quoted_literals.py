"""Reading an object of literals whose strings stand between quote tokens: `{k:<|"|>v<|"|>,n:3}`.

The object is read from left to right with a stack of open containers. What makes it forgiving is
a look at all quote tokens beforehand: each is told apart by what stands beside it, so that a
string finds its closing token, and a missing one is noticed, without searching again and again.

- A token with structure behind it (a comma and the next member, or closing brackets) closes.
- A token behind `,key:` opens: a string that is still open there lost its closing token.
- Any other token inside a string stands for a quote, if a closing one follows.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from toolspeak.reading.json_values import coerce_value, parse_json
from toolspeak.reading.python_literals import MAX_DEPTH, unescape

__all__ = ["read_object"]

_SPACE = re.compile(r"\s*")
_STRAY = re.compile(r"[\s,]*")
_BARE_KEY = re.compile(r"([^,:={}\[\]]+)[:=]")
_NEXT_KEY = re.compile(r"""[,{]\s*["']?([\w.-]+)["']?\s*:""")
_VALUE_END = re.compile(r"[,}\]]")
# What stands behind the closing ASCII quote of a key, and of a value.
_KEY_CLOSER = {mark: re.compile(rf"{mark}(?=\s*[:=])") for mark in ('"', "'")}
_VALUE_CLOSER = {mark: re.compile(rf"{mark}(?=\s*(?:[,}}\]]|\Z))") for mark in ('"', "'")}
_PAIRS = {"{": "}", "[": "]"}


def read_object(
    text: str,
    *,
    quote: str = '<|"|>',
    properties: Mapping[str, Any] | None = None,
    cut: bool = False,
) -> tuple[dict[str, Any], bool]:
    """The object of literals that `text` begins with, and whether something was mended.

    `quote` is the token around strings, `properties` the declared parameters (name → schema),
    which tell where a string that lost a token ends. Text behind the object counts for nothing.
    Missing closing brackets are mended; with `cut`, `text` ends anywhere, and only the members
    that something follows are answered.

    Raises `ValueError` if `text` begins with no object, if a string is never closed (unless
    `cut`), and for more than `MAX_DEPTH` brackets open at one place.
    """
    return _Reader(text, quote, frozenset(properties or ()), cut=cut).object()


@dataclass(slots=True)
class _Frame:
    """An open container; `key` is where its next value goes, in an object."""

    values: dict[str, Any] | list[Any]
    key: str = ""


@dataclass(frozen=True, slots=True)
class _Tokens:
    """The quote tokens of a text: where they stand, and the next of each kind from each on.

    The lists of nexts hold indices of tokens, `len(starts)` where there is none.
    """

    starts: list[int]
    closes_in_object: list[int]
    """The next behind which stands what may follow a string of an object."""
    closes_in_list: list[int]
    """The next behind which stands what may follow a string of a list."""
    closes: list[int]
    """The next with a comma or a bracket behind it."""
    opens_member: list[int]
    """The next that opens the string of a member: `,key:` stands before it."""
    opens_declared: list[int]
    """The same, with a declared key."""
    commas: dict[int, int]
    """Index of a token that opens a member's string → where the comma before its key stands."""
    openers: frozenset[int]
    """Positions of tokens that stand where a string can begin."""


def _next_true(flags: Iterable[object]) -> list[int]:
    """For each index, and the one behind the last, the next index at which a flag is set."""
    given = [bool(flag) for flag in flags]
    following = len(given)
    nexts = [following] * (len(given) + 1)
    for index in range(len(given) - 1, -1, -1):
        if given[index]:
            following = index
        nexts[index] = following
    return nexts


def _find_tokens(text: str, quote: str, declared: frozenset[str]) -> _Tokens:
    token = re.escape(quote)
    key = rf"""(?:["']?[\w.-]+["']?|{token}(?:(?!{token})[^,:{{}}\[\]]){{1,256}}{token})\s*[:=]"""
    brackets = r"[}\]]\s*(?:[,}\]]|\Z)"
    in_object = re.compile(rf"\s*(?:{brackets}|\Z|,\s*(?:[,}}\]]|\Z|{key}|[\w.-]+\Z))")
    in_list = re.compile(rf"\s*(?:{brackets}|\Z|,)")
    plain = re.compile(r"\s*(?:[,}\]]|\Z)")
    starts = [found.start() for found in re.finditer(token, text)]
    behind = [start + len(quote) for start in starts]
    member = re.compile(rf"""(,)\s*["']?([\w.-]+)["']?\s*:\s*(?={token})""")
    members = {bisect_left(starts, found.end()): found for found in member.finditer(text)}
    declares = {index for index, found in members.items() if not declared or found[2] in declared}
    return _Tokens(
        starts=starts,
        closes_in_object=_next_true(in_object.match(text, at) for at in behind),
        closes_in_list=_next_true(in_list.match(text, at) for at in behind),
        closes=_next_true(plain.match(text, at) for at in behind),
        opens_member=_next_true(index in members for index in range(len(starts))),
        opens_declared=_next_true(index in declares for index in range(len(starts))),
        commas={index: found.start(1) for index, found in members.items()},
        openers=frozenset(found.end() for found in re.finditer(rf"[:=\[{{,]\s*(?={token})", text)),
    )


class _EndOfText(Exception):  # noqa: N818
    """The text ends before what is read does."""


class _Reader:
    """One text on its way to an object. Positions are those of the text."""

    def __init__(self, text: str, quote: str, declared: frozenset[str], *, cut: bool) -> None:
        self.text = text
        self.quote = quote
        self.declared = declared
        self.cut = cut
        self.repaired = False
        self.tokens = _find_tokens(text, quote, declared)
        self.frames: list[_Frame] = []
        # ASCII quotes that nothing closes any more, and the next known member's position.
        self.unclosed: set[re.Pattern[str]] = set()
        self.next_key = -1

    def _token_from(self, at: int) -> int:
        return bisect_left(self.tokens.starts, at)

    # --- containers ---

    def object(self) -> tuple[dict[str, Any], bool]:
        """What `read_object` answers."""
        at = self._space(0)
        if not self.text.startswith("{", at):
            raise ValueError("an object begins with {")
        root: dict[str, Any] = {}
        self.frames.append(_Frame(root))
        at += 1
        try:
            while self.frames:
                at = self._step(at)
        except _EndOfText:
            self._finish()
        if self.text[at:].strip():
            self.repaired = True
        return root, self.repaired

    def _finish(self) -> None:
        """Leaves the containers that the text's end left open."""
        self.repaired = True
        if self.cut:
            self.frames[1:] = []  # a nested one is in the root only when it has been closed
            return
        while len(self.frames) > 1:
            self._close_last()

    def _close_last(self) -> None:
        values = self.frames.pop().values
        if self.frames:
            self._add(values)

    def _add(self, value: Any) -> None:
        frame = self.frames[-1]
        if isinstance(frame.values, dict):
            frame.values[frame.key] = value
        else:
            frame.values.append(value)

    def _step(self, at: int) -> int:
        """Reads a member, an item or a bracket; the position behind it."""
        at = self._end(_STRAY, at)
        if at >= len(self.text):
            raise _EndOfText
        if self.text[at] in "}]":
            return self._close(at)
        if isinstance(self.frames[-1].values, dict):
            return self._member(at)
        return self._value(at)

    def _close(self, at: int) -> int:
        """Closes the innermost container of the bracket's kind, and what is open inside it.

        Where that would be the root with text behind it, the bracket is the wrong one for the
        innermost container.
        """
        kind = dict if self.text[at] == "}" else list
        depth = len(self.frames)
        while depth and not isinstance(self.frames[depth - 1].values, kind):
            depth -= 1
        if depth < len(self.frames):
            self.repaired = True
            if depth <= 1 and self._space(at + 1) < len(self.text):
                depth = len(self.frames) if len(self.frames) > 1 else 0
        while depth and len(self.frames) >= depth:
            self._close_last()
        return at + 1

    def _member(self, at: int) -> int:
        key, end = self._key(at)
        if key is None:
            self.repaired = True
            return self._after_value(max(end, at + 1))
        self.frames[-1].key = key
        return self._value(self._space(end))

    def _key(self, at: int) -> tuple[str | None, int]:
        """The key at `at`, and the position behind its `:`; None if there is none."""
        text = self.text
        if text.startswith(self.quote, at):
            start = at + len(self.quote)
            index = self._token_from(start)
            if index < len(self.tokens.starts):
                end = self.tokens.starts[index]
                return self._separated(text[start:end], end + len(self.quote))
            return None, at
        if text[at] in "\"'":
            key, end = self._ascii_string(at, _KEY_CLOSER[text[at]])
            if key is not None:
                return self._separated(key, end)
        found = _BARE_KEY.match(text, at)
        return self._separated(found[1].strip(), found.end() - 1) if found else (None, at)

    def _separated(self, key: str, at: int) -> tuple[str | None, int]:
        at = self._space(at)
        separator = self.text[at : at + 1]
        if separator == "=":
            self.repaired = True
        return (key, at + 1) if separator in (":", "=") else (None, at)

    # --- values ---

    def _value(self, at: int) -> int:
        """Reads the value at `at` into the innermost container; the position behind it."""
        text = self.text
        if text.startswith(tuple(_PAIRS), at):
            if len(self.frames) >= MAX_DEPTH:
                raise ValueError(f"more than {MAX_DEPTH} brackets are open at one place")
            self.frames.append(_Frame({} if text[at] == "{" else []))
            return at + 1
        if text.startswith(self.quote, at):
            value, end = self._token_string(at + len(self.quote))
            return self._put(value, self._after_value(end))
        if text.startswith(('"', "'"), at):
            string, end = self._ascii_string(at, _VALUE_CLOSER[text[at]])
            if string is not None:
                return self._put(string, self._after_value(end))
        return self._bare(at)

    def _put(self, value: Any, end: int) -> int:
        if end >= len(self.text) and self.cut:
            raise _EndOfText
        self._add(value)
        return end

    def _after_value(self, at: int) -> int:
        """Where the `,` or bracket behind a value stands; what is before it is dropped."""
        found = _VALUE_END.search(self.text, at)
        end = found.start() if found else len(self.text)
        if self._space(at) < end:
            self.repaired = True
        return end

    def _token_string(self, start: int) -> tuple[str, int]:
        """The string whose characters begin at `start`, and the position behind it."""
        tokens, count = self.tokens, len(self.tokens.starts)
        first = self._token_from(start)
        if first == count:
            if self.cut:
                raise _EndOfText
            raise ValueError("a string is never closed")
        in_object = isinstance(self.frames[-1].values, dict)
        closer = (tokens.closes_in_object if in_object else tokens.closes_in_list)[first]
        # Members of nested objects are declared nowhere.
        member = (tokens.opens_declared if len(self.frames) == 1 else tokens.opens_member)[first]
        if closer < count and closer <= member:
            return self._closed_by(closer, start, first)
        if member == count and self.cut:
            raise _EndOfText
        self.repaired = True
        if member == first:
            return self._unclosed_string(start, tokens.commas[member])
        if member == count and tokens.closes[first] < count:
            return self._closed_by(tokens.closes[first], start, first)
        return self._closed_by(first, start, first)

    def _closed_by(self, closer: int, start: int, first: int) -> tuple[str, int]:
        """The string at `start` up to a token; those from `first` on before it are quotes."""
        end = self.tokens.starts[closer]
        string = self.text[start:end]
        if closer > first:
            self.repaired = True
            string = string.replace(self.quote, '"')
        return string, end + len(self.quote)

    def _unclosed_string(self, start: int, comma: int) -> tuple[str, int]:
        """The string before a member, without the brackets that close what it stands in."""
        end = comma
        for frame in reversed(self.frames[1:]):
            stripped = len(self.text[start:end].rstrip())
            bracket = "}" if isinstance(frame.values, dict) else "]"
            if not self.text.startswith(bracket, start + stripped - 1):
                break
            end = start + stripped - 1
        return self.text[start:end], end

    def _ascii_string(self, start: int, closer: re.Pattern[str]) -> tuple[str | None, int]:
        """The string in ASCII quotes at `start`, and the position behind it; None if it is none."""
        if closer not in self.unclosed:
            for found in closer.finditer(self.text, start + 1):
                if not self._is_escaped(found.start()):
                    return self._unquoted(start, found.end()), found.end()
            self.unclosed.add(closer)  # nor does it close what begins later
        return None, start

    def _is_escaped(self, at: int) -> bool:
        backslashes = 0
        while self.text[at - backslashes - 1] == "\\":
            backslashes += 1
        return backslashes % 2 == 1

    def _unquoted(self, start: int, end: int) -> str:
        quoted = self.text[start:end]
        if quoted.startswith('"'):
            try:
                value, mended = parse_json(quoted)
            except ValueError:
                pass
            else:
                self.repaired = self.repaired or mended
                return str(value)
        mark, inner = quoted[0], quoted[1:-1]
        string, mended = unescape(inner)
        if mended or mark in inner.replace(f"\\{mark}", ""):
            self.repaired = True
        return string

    def _bare(self, at: int) -> int:
        text = self.text
        if (token := self._lone_closer(at)) is not None:
            self.repaired = True
            end = self._after_value(token + len(self.quote))
            return self._put(text[at:token], end)
        found = _VALUE_END.search(text, at)
        end = found.start() if found else len(text)
        bare = text[at:end].strip()
        if bare.endswith(self.quote):
            self.repaired = True
            return self._put(bare[: -len(self.quote)], end)
        return self._put(coerce_value(bare)[0], end)

    def _lone_closer(self, at: int) -> int | None:
        """The token that closes a string which lost its opening one and begins at `at`.

        It has structure behind it, and before it neither what can open a string nor another
        member.
        """
        index = self._token_from(at)
        in_object = isinstance(self.frames[-1].values, dict)
        if not in_object or index == len(self.tokens.starts) or self.text[at] in ",}]":
            return None
        token = self.tokens.starts[index]
        closes = self.tokens.closes_in_object[index] == index and token not in self.tokens.openers
        return token if closes and self._next_key(at) > token else None

    def _next_key(self, at: int) -> int:
        """Where the next member begins from `at` on, a declared one if any is declared."""
        if self.next_key < at:
            self.next_key = next(
                (
                    found.start()
                    for found in _NEXT_KEY.finditer(self.text, at)
                    if not self.declared or found[1] in self.declared
                ),
                len(self.text),
            )
        return self.next_key

    def _space(self, at: int) -> int:
        return self._end(_SPACE, at)

    def _end(self, pattern: re.Pattern[str], at: int) -> int:
        found = pattern.match(self.text, at)
        return found.end() if found else at

"""JSON that is still being written, read piece by piece into a tree.

An open string shows as far as it has come, but never half an escape or half a character; a number
or word shows once a comma or a bracket follows. What cannot be JSON ends the reading, and what was
read before stays. Every character is looked at once.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

from toolspeak.outputs.growing_values import Tree
from toolspeak.reading.json_values import coerce_value

__all__ = ["GrowingJson"]

_DEPTH = 200
"""What nests more brackets than this is not read on; scanners do the same."""


class _At(Enum):
    """What can come next."""

    VALUE = auto()
    KEY = auto()
    COLON = auto()
    SEPARATOR = auto()
    WORD = auto()
    STRING = auto()
    NAME = auto()  # inside the string of a key
    END = auto()
    BROKEN = auto()


_BLANK = re.compile(r"[ \t\r\n]*")
_WORD = re.compile(r"[A-Za-z0-9+\-.]+")
_OF_NUMBER = re.compile(r"[-+0-9.eE]*")
_WORDS = ("true", "false", "null", "True", "False", "None")

# In a string: what means itself, or is an escape that is whole and no part of a pair.
_PLAIN = re.compile(r'(?:[^"\\]+|\\(?:["\\/bfnrt]|u(?![dD][89a-fA-F])[0-9a-fA-F]{4}))*', re.DOTALL)
_PAIR = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_HALF = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_UNFINISHED = re.compile(
    r"\\(?:u(?:[0-9a-fA-F]{0,3}|[dD][89abAB][0-9a-fA-F]{2}(?:\\(?:u[0-9a-fA-F]{0,3})?)?))?\Z"
)

_NOTHING = object()


class GrowingJson:
    """One JSON value, fed in pieces; it goes into the innermost place of `tree`.

    With `whole`, the value is an object that stands for the tree's own dict; models also encode
    that once more, as a JSON string.
    """

    __slots__ = ("_at", "_encoded", "_kinds", "_name", "_rest", "_tree", "_whole", "_word")

    def __init__(self, tree: Tree, *, whole: bool = False) -> None:
        self._tree = tree
        self._whole = whole
        self._encoded: GrowingJson | None = None
        self._at = _At.VALUE
        self._kinds: list[str] = []  # the brackets that are open
        self._rest = ""  # an escape that is not complete
        self._name: list[str] = []
        self._word: Any = _NOTHING  # read, but perhaps not complete

    def feed(self, text: str) -> bool:
        """Reads the next piece; answers whether all that has come can be JSON."""
        if self._rest:
            text, self._rest = self._rest + text, ""
        at = 0
        while at < len(text) and self._at is not _At.BROKEN:
            if self._at in (_At.STRING, _At.NAME):
                at = self._string(text, at)
            elif self._at is _At.WORD:
                at = self._more_word(text, at)
            else:
                at = self._structure(text, _end(_BLANK, text, at))
        return self._at is not _At.BROKEN

    # --- between strings ---

    def _structure(self, text: str, at: int) -> int:
        mark = text[at : at + 1]
        match mark, self._at:
            case "", _:
                return at
            case '"', _At.VALUE:
                self._begin_string()
            case '"', _At.KEY:
                self._at = _At.NAME
            case "{" | "[", _At.VALUE if len(self._kinds) < _DEPTH:
                self._open(mark)
            case "}" | "]", _:
                self._close(mark)
            case ",", _At.SEPARATOR:
                self._put_word()
                self._at = _At.KEY if self._kinds[-1] == "{" else _At.VALUE
            case ":", _At.COLON:
                self._at = _At.VALUE
            case _, _At.VALUE if _WORD.match(mark):
                self._word = ""
                self._at = _At.WORD
                return at
            case _:
                self._at = _At.BROKEN
        return at + 1

    def _begin_string(self) -> None:
        self._at = _At.STRING
        if self._is_whole:
            self._encoded = GrowingJson(self._tree, whole=True)
            self._whole = False
        else:
            self._tree.begin_string()

    @property
    def _is_whole(self) -> bool:
        """Whether what begins is the dict itself."""
        return self._whole and not self._kinds

    def _open(self, mark: str) -> None:
        if self._is_whole and mark == "[":
            self._at = _At.BROKEN
            return
        if not self._is_whole:
            self._tree.enter({} if mark == "{" else [])
        self._kinds.append(mark)
        self._at = _At.KEY if mark == "{" else _At.VALUE

    def _close(self, mark: str) -> None:
        opener = "{" if mark == "}" else "["
        is_open = self._kinds[-1:] == [opener]
        # Only what a bracket or a comma is right before may lack its value.
        ends = (_At.SEPARATOR, _At.KEY if mark == "}" else _At.VALUE)
        if not is_open or self._at not in ends:
            self._at = _At.BROKEN
            return
        self._put_word()
        self._kinds.pop()
        if not self._is_whole:
            self._tree.leave()
        self._end_value()

    def _end_value(self) -> None:
        self._at = _At.SEPARATOR if self._kinds else _At.END

    # --- words ---

    def _more_word(self, text: str, at: int) -> int:
        end = _end(_WORD, text, at)
        piece = text[at:end]
        self._word += piece
        word = self._word
        is_number = _OF_NUMBER.fullmatch(piece) if word[0] in "-0123456789" else None
        if not is_number and not any(known.startswith(word) for known in _WORDS):
            self._at = _At.BROKEN
        elif end < len(text):
            self._end_word(word)
        return end

    def _end_word(self, word: str) -> None:
        value, _ = coerce_value(word)
        # What is neither a number nor a known word is still text.
        is_text = isinstance(value, str) and not word.lstrip("-").isdigit()
        if is_text or self._is_whole:
            self._at = _At.BROKEN
            return
        self._word = value
        self._end_value()

    def _put_word(self) -> None:
        if self._word is not _NOTHING:
            self._tree.put(self._word)
            self._word = _NOTHING

    # --- strings ---

    def _string(self, text: str, at: int) -> int:
        plain = _PLAIN.match(text, at)
        end = plain.end() if plain else at
        if end > at:
            run = text[at:end]
            self._text(scanstring(run + '"', 0, False)[0] if "\\" in run else run)
        if text[end : end + 1] == '"':
            self._end_string()
            return end + 1
        return self._escape(text, end) if end < len(text) else end

    def _escape(self, text: str, at: int) -> int:
        """An escape that is unfinished, unknown, or part of a pair."""
        if _UNFINISHED.match(text, at):
            self._rest = text[at:]
            return len(text)
        if pair := _PAIR.match(text, at):
            self._text(scanstring(pair[0] + '"', 0, False)[0])
            return pair.end()
        if half := _HALF.match(text, at):
            self._text("\ufffd")
            return half.end()
        self._text("\\")  # no escape: the backslash is meant, as in what is mended
        return at + 1

    def _text(self, text: str) -> None:
        if self._at is _At.NAME:
            self._name.append(text)
        elif self._encoded is not None:
            self._encoded.feed(text)
        else:
            self._tree.more(text)

    def _end_string(self) -> None:
        if self._at is _At.NAME:
            self._tree.key("".join(self._name))
            self._name.clear()
            self._at = _At.COLON
        else:
            self._end_value()


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at

"""Reading the arguments of a Python call: keyword arguments with literals, as JSON-like data.

Nothing is evaluated. A first pass over the text finds where each string and bracket ends; the
reader then goes through one bracket at a time and hops over what is nested in it, which it reads
later, so that depth costs no stack and each character is read a bounded number of times. What is
no literal is kept as its source text.
"""

from __future__ import annotations

import builtins
import keyword
import re
import unicodedata
from dataclasses import dataclass
from typing import Any

__all__ = ["KEYWORDS_AND_BUILTINS", "MAX_DEPTH", "read_keywords", "unescape"]

KEYWORDS_AND_BUILTINS: frozenset[str] = frozenset([*keyword.kwlist, *dir(builtins)])
"""Names whose calls are Python's own, and no tool calls where no tool list says otherwise."""

MAX_DEPTH = 200
"""The most brackets that may be open at one place."""

# Python does not convert longer integers to text and back; they stay text.
_MAX_DIGITS = 4_300
_MAX_BITS = 14_284
_PARTNERS = {"(": ")", "[": "]", "{": "}"}
_WORDS: dict[str, Any] = {
    "True": True, "False": False, "None": None, "true": True, "false": False, "null": None,
}  # fmt: skip

# The repetition of groups is bounded because each repetition takes memory; callers loop.
_SPACE = re.compile(r"\s*(?:(?:\#[^\n]*|\\\r?\n)\s*){0,200}")
_STRUCTURE = re.compile(r"""\#|'''|\"""|['"()\[\]{}]""")
_STRING_PARTS = {
    "'": re.compile(r"[^'\\\n]*(?:\\.[^'\\\n]*){0,200}", re.DOTALL),
    '"': re.compile(r'[^"\\\n]*(?:\\.[^"\\\n]*){0,200}', re.DOTALL),
    "'''": re.compile(r"[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*){0,200}", re.DOTALL),
    '"""': re.compile(r'[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*){0,200}', re.DOTALL),
}
_STRING = re.compile(r"""((?:[bf]?r|r[bf]|[ubf])?)('''|\"""|['"])""", re.IGNORECASE)
# Wider than Python's identifiers by the `-` and `.` that parameter names may have.
_KEYWORD = re.compile(r"[^\W\d][\w.-]*")
_NAME = re.compile(r"[^\W\d]\w*")
_NUMBER = re.compile(r"([+\-\s]*)([0-9.][0-9a-zA-Z_.]*(?:(?<=[eE])[+-][0-9_]+)?)")
# What counts inside an expression: what to hop over, and what may end it.
_EXPRESSION = re.compile(
    r"""\#[^\n]*(?:\s+\#[^\n]*)*|'''|\"""|['"()\[\]{},]|:=?|(?<![\w.])(?:lambda|for)\b"""
)
_OPERATORS = frozenset({"and", "else", "for", "if", "in", "is", "not", "or"})

_ESCAPE = re.compile(
    r"\\(?:\r?\n|[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^{}]{1,128}\}|.)",
    re.DOTALL,
)
_BYTES_ESCAPE = re.compile(r"\\(?:\r?\n|[0-7]{1,3}|x[0-9a-fA-F]{2}|.)", re.DOTALL)
_SIMPLE_ESCAPES = {
    "\n": "", "\r\n": "", "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f",
    "n": "\n", "r": "\r", "t": "\t", "v": "\v",
}  # fmt: skip
_SURROGATE = re.compile("[\ud800-\udfff]")


def read_keywords(text: str, *, cut: bool = False) -> tuple[dict[str, Any], bool]:
    """The keyword arguments in `text`, what stands between a call's parentheses, as Python has it.

    Tuples and sets become lists, dict keys the text of their value; what is no literal is the
    source text. The second result tells that something was mended: positional arguments skipped,
    or a broken literal read as what it most likely means. With `cut`, `text` ends anywhere, and
    only the arguments that something follows are answered.

    Raises `ValueError` for a string or bracket that is never closed (unless `cut`), and for more
    than `MAX_DEPTH` brackets open at one place.
    """
    return _Reader(text, cut=cut).keywords()


def unescape(text: str, *, is_bytes: bool = False) -> tuple[str, bool]:
    """The text that a string literal with these characters stands for, and whether it was mended.

    Unknown escapes keep their backslash, as in Python. Mended are escapes that Python refuses,
    which stay as they are, and halves of surrogate pairs: a pair is one character, a lone half
    U+FFFD.
    """
    if "\\" not in text:
        return text, False
    refused = False

    def replace(found: re.Match[str]) -> str:
        nonlocal refused
        character = _escaped(found[0][1:], is_bytes=is_bytes)
        if character is None:
            refused = True
            return found[0]
        return character

    result = (_BYTES_ESCAPE if is_bytes else _ESCAPE).sub(replace, text)
    if _SURROGATE.search(result):
        return result.encode("utf-16", "surrogatepass").decode("utf-16", "replace"), True
    return result, refused


def _escaped(code: str, *, is_bytes: bool) -> str | None:
    """What a backslash with `code` behind it stands for; None for what Python refuses."""
    simple = _SIMPLE_ESCAPES.get(code)
    if simple is not None:
        return simple
    kind = code[0]
    if kind in "01234567":
        return chr(int(code, 8) & 0xFF if is_bytes else int(code, 8))
    if kind not in ("x" if is_bytes else "xuUN"):
        return f"\\{code}"
    if len(code) == 1:
        return None
    return _named(code[2:-1]) if kind == "N" else _numbered(code[1:])


def _named(name: str) -> str | None:
    try:
        character = unicodedata.lookup(name)
    except KeyError:
        return None
    return character if len(character) == 1 else None  # the others are names of sequences


def _numbered(digits: str) -> str | None:
    number = int(digits, 16)
    return chr(number) if number <= 0x10FFFF else None


@dataclass(frozen=True, slots=True)
class _Bracket:
    """A list, tuple, set, dict or group that is still to be read."""

    start: int


_NOTHING = object()  # no literal


class _Reader:
    """One text on its way to values. Positions are those of the text."""

    def __init__(self, text: str, *, cut: bool) -> None:
        self.text = text
        self.cut = cut
        self.repaired = False
        self.limit = len(text)
        # Where each string and bracket begins (a string at its quotes) → where it has ended.
        self.ends: dict[int, int] = {}
        self._find_ends()

    # --- the first pass ---

    def _find_ends(self) -> None:
        text, at, opened = self.text, 0, []
        while found := _STRUCTURE.search(text, at):
            start, at, what = found.start(), found.end(), found[0]
            if what == "#":
                at = self._line_end(at)
            elif what in _PARTNERS:
                opened.append(start)
                if len(opened) > MAX_DEPTH:
                    raise ValueError(f"more than {MAX_DEPTH} brackets are open at one place")
            elif what not in _STRING_PARTS:
                if opened:
                    self.ends[opened.pop()] = at
            else:
                end = self._string_end(what, at)
                if end is None:
                    self._unclosed(what)
                    self.limit = start
                    return
                self.ends[start] = at = end
        if opened:
            self._unclosed(text[opened[-1]])

    def _line_end(self, at: int) -> int:
        end = self.text.find("\n", at)
        return len(self.text) if end < 0 else end

    def _string_end(self, quotes: str, at: int) -> int | None:
        """Where the string whose characters begin at `at` has ended, its quotes included."""
        text, parts = self.text, _STRING_PARTS[quotes]
        while True:
            found = parts.match(text, at)
            at = found.end() if found else at
            if text.startswith(quotes, at):
                return at + len(quotes)
            if text.startswith("\n", at):
                self.repaired = True  # in quotes for one line, Python has no line break
                at += 1
            elif at >= len(text) - 1:  # a backslash may be the last character
                return None

    def _unclosed(self, what: str) -> None:
        if not self.cut:
            raise ValueError(f"{what} is never closed")

    # --- arguments ---

    def keywords(self) -> tuple[dict[str, Any], bool]:
        """What `read_keywords` answers."""
        arguments: dict[str, Any] = {}
        at = self._space(0, self.limit)
        while at < self.limit:
            key, value_at = self._keyword(at)
            item, end = self._item(value_at, self.limit, ",")
            if end >= self.limit and self.cut:
                break
            if key is None:
                self.repaired = True
            else:
                arguments[key] = item
            at = self._space(end + 1, self.limit)
        self._read_brackets(arguments)
        return arguments, self.repaired

    def _keyword(self, at: int) -> tuple[str | None, int]:
        """The keyword at `at`, and where its value begins; None, and `at`, if there is none."""
        found = _KEYWORD.match(self.text, at, self.limit)
        if found is None:
            return None, at
        equals = self._space(found.end(), self.limit)
        if not self.text.startswith("=", equals) or self.text.startswith("==", equals):
            return None, at
        return found[0], self._space(equals + 1, self.limit)

    def _read_brackets(self, arguments: dict[str, Any]) -> None:
        """Puts the values of the brackets where they stand; each container is looked at once."""
        pending: list[dict[str, Any] | list[Any]] = [arguments]
        while pending:
            container: Any = pending.pop()
            places = container.items() if isinstance(container, dict) else enumerate(container)
            for place, item in places:
                value = item
                while isinstance(value, _Bracket):  # a group may hold just another bracket
                    value = container[place] = self._bracket(value.start)
                if isinstance(value, dict | list):
                    pending.append(value)

    # --- one bracket, without what is nested in it ---

    def _bracket(self, start: int) -> Any:
        """The value of the bracket at `start`; its source text if it is no literal."""
        text, end = self.text, self.ends[start]
        items: list[Any] = []
        keys: list[str] = []
        commas = 0
        at = self._space(start + 1, end - 1)
        while at < end - 1:
            item, stop = self._bracket_item(at, end - 1, keys)
            if item is _NOTHING:  # something like a comprehension
                return text[start:end]
            if stop > at:
                items.append(item)
            else:
                self.repaired = True  # a comma with nothing before it
            commas += stop < end - 1
            at = self._space(stop + 1, end - 1)
        if text[start] == "{":
            return self._braces(start, keys, items)
        is_group = text[start] == "(" and len(items) == 1 and not commas
        return items[0] if is_group else items

    def _bracket_item(self, at: int, limit: int, keys: list[str]) -> tuple[Any, int]:
        """The item at `at` and where it ends; `_NOTHING` if the bracket is no literal."""
        text = self.text
        braces = text.startswith("}", limit)
        item, stop = self._item(at, limit, (",", ":", "for") if braces else (",", "for"))
        if text.startswith(":", stop) and stop < limit:
            keys.append(self._key(item, at, stop))
            at = self._space(stop + 1, limit)
            item, stop = self._item(at, limit, (",", "for"))
        unpacked = text.startswith("*", at)
        is_whole = unpacked or (stop < limit and not text.startswith(",", stop))
        return (_NOTHING, stop) if is_whole else (item, stop)

    def _key(self, item: Any, start: int, end: int) -> str:
        """The text of a dict key's value."""
        if isinstance(item, str):
            return item
        if isinstance(item, int | float) and not isinstance(item, bool):
            return str(item)
        return self.text[start:end].strip()

    def _braces(self, start: int, keys: list[str], items: list[Any]) -> Any:
        if not items:
            return {}
        if not keys:
            return items
        if len(keys) < len(items):
            self.repaired = True  # neither a dict nor a set
            return self.text[start : self.ends[start]]
        return dict(zip(keys, items, strict=True))

    # --- one value ---

    def _item(self, at: int, limit: int, stops: str | tuple[str, ...]) -> tuple[Any, int]:
        """What begins at `at`, and where the stop behind it is, or `limit`."""
        item, end = self._literal(at, limit)
        if item is not _NOTHING:
            end = self._space(end, limit)
            if end >= limit or self.text[end] in stops:
                return item, end
        literal_end = end if isinstance(item, str) else at
        end, comment = self._expression_end(at, limit, stops)
        source = self.text[at:comment].rstrip()
        if not source:
            self.repaired = True
        return self._mended(source, at, literal_end), end

    def _literal(self, at: int, limit: int) -> tuple[Any, int]:
        """The literal at `at`, and where it has ended; `_NOTHING` if there is none."""
        text = self.text
        if text.startswith(tuple(_PARTNERS), at):
            end = self.ends.get(at)
            if end is None or text[end - 1] != _PARTNERS[text[at]]:
                return _NOTHING, at
            return _Bracket(at), end
        if _STRING.match(text, at, limit):
            return self._strings(at, limit)
        word = _NAME.match(text, at, limit)
        if word:
            return _WORDS.get(word[0], _NOTHING), word.end()
        number = _NUMBER.match(text, at, limit)
        if number:
            return _number(number[1], number[2]), number.end()
        return _NOTHING, at

    def _strings(self, at: int, limit: int) -> tuple[str, int]:
        """The adjacent strings at `at` as one."""
        parts: list[str] = []
        end = at
        while found := _STRING.match(self.text, at, limit):
            end = self.ends[found.start(2)]
            inner = self.text[found.end() : end - len(found[2])]
            parts.append(self._decoded(found[1].lower(), inner))
            at = self._space(end, limit)
        return "".join(parts), end

    def _decoded(self, prefix: str, inner: str) -> str:
        if "r" in prefix:
            return inner
        text, mended = unescape(inner, is_bytes="b" in prefix)
        self.repaired = self.repaired or mended
        return text

    def _mended(self, source: str, start: int, literal_end: int) -> str:
        """Source text as a value: without its quotes if it is a string with quotes inside."""
        follower = _NAME.match(self.text, literal_end) if literal_end > start else None
        if follower is None or follower[0] in _OPERATORS:
            return source
        self.repaired = True
        opened = _STRING.match(source)
        if opened is None or len(source) < opened.end() + len(opened[2]):
            return source
        if not source.endswith(opened[2]):
            return source
        return self._decoded(opened[1].lower(), source[opened.end() : -len(opened[2])])

    def _expression_end(self, at: int, limit: int, stops: str | tuple[str, ...]) -> tuple[int, int]:
        """Where the expression at `at` is followed by a stop, and where its text ends.

        The two differ by a comment between them.
        """
        text, lambdas = self.text, 0
        comment = (-1, -1)
        while found := _EXPRESSION.search(text, at, limit):
            start, at, what = found.start(), found.end(), found[0]
            if what.startswith("#"):
                comment = (start, at)
            elif what == "lambda":
                lambdas += 1
            elif what in ",:" and lambdas:  # of its parameters
                lambdas -= what == ":"
            elif what in stops:
                return self._before(comment, start)
            elif start in self.ends:
                at = self.ends[start]
                if what in _PARTNERS and text[at - 1] != _PARTNERS[what]:
                    self.repaired = True
            elif what in _PARTNERS:  # never closed in what was cut
                return limit, limit
            elif what in ")]}":
                self.repaired = True
        return self._before(comment, limit)

    def _before(self, comment: tuple[int, int], stop: int) -> tuple[int, int]:
        start, end = comment
        is_last = start >= 0 and self._space(end, stop) >= stop
        return stop, start if is_last else stop

    def _space(self, at: int, limit: int) -> int:
        """Where white space, comments and line continuations from `at` on end."""
        while True:
            found = _SPACE.match(self.text, at, limit)
            if found is None or found.end() == at:
                return at
            at = found.end()


def _number(signs: str, digits: str) -> Any:
    """The number that Python reads; `_NOTHING` if it reads none, or one that is too long."""
    has_base = digits[:2].lower() in ("0x", "0o", "0b")
    is_float = not has_base and any(mark in digits for mark in ".eE")
    if len(digits) > _MAX_DIGITS:
        return _NOTHING
    try:
        value = float(digits) if is_float else int(digits, 0)
    except ValueError:
        return _NOTHING
    if has_base and int(value).bit_length() > _MAX_BITS:
        return _NOTHING
    return -value if signs.count("-") % 2 else value

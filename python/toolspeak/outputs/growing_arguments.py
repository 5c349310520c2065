"""Arguments that are still being written, by how their text is encoded.

`growing_arguments` makes the reader of a call; it takes deltas and answers what can be told so far.
Every delta is read once: JSON goes into a tree as it comes, values that stand one by one are read
when they end, and so are the arguments of a Python call and of an object of literals.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

from toolspeak._core import CompiledGrammar, read_text
from toolspeak.dialect import Dialect
from toolspeak.events import Encoding
from toolspeak.grammar import Quoted
from toolspeak.outputs.growing_json import GrowingJson
from toolspeak.outputs.growing_values import Tree
from toolspeak.reading.json_values import coerce_value
from toolspeak.tools.tool_set import ToolSet

__all__ = ["Growing", "growing_arguments"]


class Growing(Protocol):
    """Reads the arguments of one call while they come."""

    def add(self, key: str | None, delta: str) -> None:
        """The next delta, of the argument `key` where they stand one by one."""

    def look(self) -> dict[str, Any]:
        """What can be told so far; the caller's to keep, not to change."""


def growing_arguments(
    encoding: Encoding, name: str, dialect: Dialect | None, tools: ToolSet
) -> Growing:
    """A reader for a call of the tool `name`, whose deltas are encoded so."""
    if encoding == "json":
        return _Json()
    if encoding == "text":
        return _Texts(name, tools)
    return _Members(_syntax(encoding, dialect), _reader(name, dialect, tools))


class _Json:
    """Arguments in one JSON text."""

    def __init__(self) -> None:
        self._tree = Tree()
        self._json = GrowingJson(self._tree, whole=True)

    def add(self, key: str | None, delta: str) -> None:
        self._json.feed(delta)

    def look(self) -> dict[str, Any]:
        return self._tree.look()


class _Texts:
    """Arguments one by one: text where the schema says so, else data, which may prove to be text.

    A value that is no text is typed in full once the next one begins. Until then it is read as
    JSON; where that fails, what no schema knows is text.
    """

    def __init__(self, tool: str, tools: ToolSet) -> None:
        self._texts = tools.text_keys(tool)
        self._declared = tools.properties(tool)
        self._tree = Tree()
        self._key: str | None = None
        self._pieces: list[str] = []  # of a value that is not known to be text
        self._json: GrowingJson | None = None  # None: the value is text

    def add(self, key: str | None, delta: str) -> None:
        key = key or ""
        if key != self._key:
            self._end()
            self._begin(key)
        if self._json is None:
            self._tree.more(delta)
        if key not in self._texts:
            self._pieces.append(delta)
        is_json = self._json is None or self._json.feed(delta)
        if not is_json and key not in self._declared:
            self._turn_to_text()

    def look(self) -> dict[str, Any]:
        return self._tree.look()

    def _begin(self, key: str) -> None:
        self._key = key
        self._tree.key(key)
        if key in self._texts:
            self._tree.begin_string()
        else:
            self._json = GrowingJson(self._tree)

    def _turn_to_text(self) -> None:
        self._json = None
        self._tree.leave_all()
        self._tree.begin_string()
        self._tree.more("".join(self._pieces))

    def _end(self) -> None:
        if self._key is None or self._key in self._texts:
            return
        self._tree.leave_all()
        self._tree.put(coerce_value("".join(self._pieces))[0])
        self._pieces.clear()
        self._json = None


# --- arguments that are read one by one out of one text -------------------------------------------


class _Syntax(NamedTuple):
    """What tells where the arguments in one text end.

    `outside` finds what counts outside of strings, in the groups `unfinished` (more text must
    tell), `string` (an opener), `mark` and `other`; `closers` finds what counts in the string with
    an opener: `end`, or an escape. `prefix` is what the text of one argument needs before it,
    `ends` are the marks that end one, and `quotes` open a string only where a value or a key can
    begin.
    """

    outside: re.Pattern[str]
    closers: dict[str, re.Pattern[str]]
    prefix: str
    ends: str
    quotes: frozenset[str]


def _closer(end: str, *, escapes: bool = True) -> re.Pattern[str]:
    escape = r"\\.|" if escapes else ""
    return re.compile(f"{escape}(?P<end>{re.escape(end)})", re.DOTALL)


_PYTHON = _Syntax(
    outside=re.compile(
        r"""(?P<unfinished>["]{1,2}\Z|[']{1,2}\Z)|(?P<string>\"""|'''|["'#])"""
        r"""|(?P<mark>[()\[\]{},])|(?P<other>[^\s"'#()\[\]{},]+)"""
    ),
    closers={
        **{quote: _closer(quote) for quote in ('"""', "'''", '"', "'")},
        "#": _closer("\n", escapes=False),
    },
    prefix="",
    ends=",",
    quotes=frozenset(),
)


def _literals(quote: str) -> _Syntax:
    parts = [re.escape(quote[:length]) + r"\Z" for length in range(len(quote) - 1, 0, -1)]
    return _Syntax(
        outside=re.compile(
            rf"(?P<unfinished>{'|'.join(parts) or '(?!)'})|(?P<string>{re.escape(quote)}|[\"'])"
            r"|(?P<mark>[\[\]{},:=])|(?P<other>[^\s])"
        ),
        closers={quote: _closer(quote, escapes=False), '"': _closer('"'), "'": _closer("'")},
        prefix="{",
        ends=",]}",
        quotes=frozenset("\"'") - {quote},
    )


def _syntax(encoding: Encoding, dialect: Dialect | None) -> _Syntax | None:
    """How such arguments are spelled in the dialect; None if that is not known."""
    if encoding == "python":
        return _PYTHON
    bodies = [form.body for form in dialect.grammar.forms()] if dialect else []
    return next((_literals(body.quote) for body in bodies if isinstance(body, Quoted)), None)


_ReadMembers = Callable[[str], dict[str, Any]]


def _reader(name: str, dialect: Dialect | None, tools: ToolSet) -> _ReadMembers:
    grammar: CompiledGrammar | None = dialect._compiled() if dialect else None

    def read(text: str) -> dict[str, Any]:
        try:
            found = grammar and read_text(grammar, name, text, tools, cut=True)
        except ValueError:
            return {}
        return found[0] if found else {}

    return read


class _Members:
    """Arguments in one text, each of which shows once it is complete."""

    def __init__(self, syntax: _Syntax | None, read: _ReadMembers) -> None:
        self._syntax = syntax
        self._read = read
        self._tree = Tree()
        self._pieces: list[str] = []  # of the argument that is open
        self._rest = ""  # its end, which more text must tell about
        self._depth = 0
        self._begins = False  # whether a value or a key can begin
        self._closer: re.Pattern[str] | None = None  # of the string that is open
        self._hold = 0  # so many characters may be the beginning of that

    def add(self, key: str | None, delta: str) -> None:
        if self._syntax is None:
            return
        text, start = self._rest + delta, 0
        self._rest = ""
        for end in self._ends(text, self._syntax):
            argument = "".join([*self._pieces, text[start:end]])
            self._tree.update(self._read(argument))
            self._pieces = [self._syntax.prefix]
            start = end
        self._pieces.append(text[start : len(text) - len(self._rest)])

    def look(self) -> dict[str, Any]:
        return self._tree.look()

    def _ends(self, text: str, syntax: _Syntax) -> Iterator[int]:
        """Where arguments end in the text: behind the mark that ends them."""
        at = 0
        while at < len(text):
            if self._closer is not None:
                at = self._in_string(text, at)
                continue
            found = syntax.outside.search(text, at)
            if found is None:
                return
            if found["unfinished"]:
                self._rest = text[found.start() :]
                return
            at = found.end()
            if opener := found["string"]:
                if self._begins or opener not in syntax.quotes:
                    self._closer = syntax.closers[opener]
                    self._hold = max(1, len(opener) - 1)
                self._begins = False
            elif mark := found["mark"]:
                self._depth += (mark in "([{") - (mark in ")]}")
                self._begins = mark not in ")]}"
                if mark in syntax.ends and self._depth <= len(syntax.prefix):
                    yield at
            else:
                self._begins = False

    def _in_string(self, text: str, at: int) -> int:
        found = self._closer.search(text, at) if self._closer else None
        if found is None:
            # Neither an escape nor a closer is whole here.
            self._rest = text[max(at, len(text) - self._hold) :]
            return len(text)
        if found["end"]:
            self._closer = None
        return found.end()

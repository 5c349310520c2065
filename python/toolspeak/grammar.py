"""The grammar of a dialect as plain data.

A grammar says which shapes a dialect is made of (sections, calls, values, thinking pairs) and how
their markers are spelled. It is compiled once and then shared by all scanners of the dialect:

    Grammar(
        calls=(
            Call(
                open=Literal("<longcat_tool_call>"),
                close=Literal("</longcat_tool_call>"),
                body=Envelope(),
            ),
        ),
        thinking=(Thinking(Literal("<think>"), Literal("</think>")),),
    )
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias
from typing import Literal as OneOf

from toolspeak._core import CompiledGrammar
from toolspeak.errors import GrammarError

__all__ = [
    "AnyOf",
    "Body",
    "Call",
    "CloseTag",
    "Envelope",
    "Grammar",
    "Literal",
    "Marker",
    "NameIn",
    "OpenTag",
    "Section",
    "TagSyntax",
    "Thinking",
    "Values",
]


@dataclass(frozen=True, slots=True)
class _LiteralPattern:
    """One exact spelling, as the core reads it."""

    text: str


@dataclass(frozen=True, slots=True)
class _TagPattern:
    """One tag spelling, as the core reads it."""

    heads: tuple[str, ...]
    names: tuple[str, ...]
    free: str | None
    end: str
    closing: bool
    any_namespace: bool
    ignore_case: bool
    quotes: str
    quotes_protect: bool


_Pattern: TypeAlias = "_LiteralPattern | _TagPattern"


class Literal:
    """A marker that is exactly one of `spellings`."""

    __slots__ = ("spellings",)

    def __init__(self, *spellings: str) -> None:
        self.spellings = spellings

    def __repr__(self) -> str:
        return f"Literal({', '.join(map(repr, self.spellings))})"

    @property
    def patterns(self) -> list[_Pattern]:
        """The marker's spellings in the core's form."""
        return [_LiteralPattern(text) for text in self.spellings]


@dataclass(frozen=True, slots=True)
class TagSyntax:
    """How a family of tags is spelled.

    `open` stands before the name of an opening tag, `close` before that of a closing one, each in
    all its spellings; `end` ends both. With `any_namespace`, `x:` may stand before the name; with
    `ignore_case`, names and attribute names count in any case. Attribute values are quoted in
    `"any"` way (double, single, not at all) or only `"double"`; with `quotes_protect`, an `end`
    inside quotes does not end the tag.
    """

    open: tuple[str, ...] = ("<",)
    close: tuple[str, ...] = ("</",)
    end: str = ">"
    any_namespace: bool = False
    ignore_case: bool = False
    quotes: OneOf["any", "double"] = "any"
    quotes_protect: bool = True

    def _pattern(self, names: tuple[str, ...], free: str | None, closing: bool) -> _TagPattern:
        return _TagPattern(
            heads=self.close if closing else self.open,
            names=names,
            free=free,
            end=self.end,
            closing=closing,
            any_namespace=self.any_namespace,
            ignore_case=self.ignore_case,
            quotes=self.quotes,
            quotes_protect=self.quotes_protect,
        )


@dataclass(frozen=True, slots=True)
class OpenTag:
    """An opening tag with one of `names`; with `free`, with any name.

    A free name is an `"identifier"` (letters, digits, `_`, `-`, `.`), after which attributes may
    follow, or all of a `"line"` up to the tag's end.
    """

    names: tuple[str, ...] = ()
    syntax: TagSyntax = TagSyntax()
    free: OneOf["identifier", "line"] | None = None

    @property
    def patterns(self) -> list[_Pattern]:
        """The marker's spellings in the core's form."""
        return [self.syntax._pattern(self.names, self.free, closing=False)]


@dataclass(frozen=True, slots=True)
class CloseTag:
    """A closing tag with one of `names`, or a free name as in `OpenTag`."""

    names: tuple[str, ...] = ()
    syntax: TagSyntax = TagSyntax()
    free: OneOf["identifier", "line"] | None = None

    @property
    def patterns(self) -> list[_Pattern]:
        """The marker's spellings in the core's form."""
        return [self.syntax._pattern(self.names, self.free, closing=True)]


class AnyOf:
    """A marker that is spelled like any of several markers."""

    __slots__ = ("markers",)

    def __init__(self, *markers: Marker) -> None:
        self.markers = markers

    @property
    def patterns(self) -> list[_Pattern]:
        """The markers' spellings in the core's form."""
        return [pattern for marker in self.markers for pattern in marker.patterns]


Marker: TypeAlias = "Literal | OpenTag | CloseTag | AnyOf"
"""What delimits the parts of a dialect."""


@dataclass(frozen=True, slots=True)
class NameIn:
    """Where a tag carries a name: in this attribute, or (None) as its own name."""

    attribute: str | None = None


@dataclass(frozen=True, slots=True)
class Envelope:
    """A JSON object that holds the tool's name and its arguments, in any order."""

    shape: ClassVar[str] = "envelope"
    names: tuple[str, ...] = ("name",)
    arguments: tuple[str, ...] = ("arguments",)


@dataclass(frozen=True, slots=True)
class Values:
    """One tagged value per argument.

    `name` says where the call's opener carries the tool's name, `key` where a value's opener
    carries the parameter's. `hint` names the attribute that says whether a value is text
    (`string="true"`) or JSON (`string="false"`), and `hint_default` what is meant where it is
    missing (None: the schema decides).
    """

    shape: ClassVar[str] = "values"
    name: NameIn
    open: Marker
    close: Marker
    key: NameIn
    hint: str | None = None
    hint_default: str | None = None


Body: TypeAlias = "Envelope | Values"
"""How a call's arguments are written."""


@dataclass(frozen=True, slots=True)
class Call:
    """One way to write a call."""

    open: Marker
    close: Marker
    body: Body


@dataclass(frozen=True, slots=True)
class Section:
    """Markers around several calls; what else stands in a section is noise."""

    open: Marker
    close: Marker
    calls: tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class Thinking:
    """A pair of markers around thinking.

    `close=None` is a fence: a line of three or more backticks closes the block, unless it opens or
    closes a fence nested in it.
    """

    open: Marker
    close: Marker | None


@dataclass(frozen=True, slots=True)
class Grammar:
    """The wire syntax of a dialect.

    `calls` need no section; calls that count only inside a section stand in that section alone.
    The first thinking pair is the one a prompt may have opened. `results` open what only the
    server may write. `stray` markers are dropped from text, `control` markers together with the
    white space behind them.
    """

    calls: tuple[Call, ...] = ()
    sections: tuple[Section, ...] = ()
    thinking: tuple[Thinking, ...] = ()
    results: tuple[Marker, ...] = ()
    stray: tuple[Marker, ...] = ()
    control: tuple[Marker, ...] = ()

    def compile(self, *, thinking: bool = True, results: bool = False) -> CompiledGrammar:
        """The grammar ready for scanners.

        With `thinking`, thinking markers count; with `results`, a result marker ends the stream.
        Raises `GrammarError` that names the place in the grammar and what would be right there.
        """
        try:
            return CompiledGrammar(self, thinking, results)
        except (AttributeError, TypeError, ValueError) as error:
            raise GrammarError(f"the grammar cannot be compiled: {error}") from error

    def envelopes(self) -> list[Envelope]:
        """The JSON envelopes of all forms of call."""
        calls = [*self.calls, *(call for section in self.sections for call in section.calls)]
        bodies: list[Any] = [call.body for call in calls]
        return [body for body in bodies if isinstance(body, Envelope)]

"""The marks of a dialect: what chat templates hold that write its calls, read off its record.

A mark is what opens something: a section, a call, an argument. A signature is the marks of one way
to write a call. What the dialect itself writes gives one signature, and each form that it only
reads gives another.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from toolspeak import grammar
from toolspeak.dialect import Dialect
from toolspeak.errors import ToolspeakError
from toolspeak.grammar import CallForm, Envelope, Header, MessageHeader, NameTemplate
from toolspeak.record import Record

__all__ = ["Mark", "Signature", "opening_marks", "other_family", "signatures", "thinking_marks"]

# Shorter ones (`{`, `(`, a line break) stand in every template.
_SHORTEST_MARK = 3

_SAMPLE_TOOL = {
    "name": "a_tool",
    "parameters": {"properties": {"text": {"type": "string"}, "count": {"type": "integer"}}},
}
_SAMPLE_CALL = {"name": "a_tool", "arguments": {"text": "some words", "count": 1}}


class Mark(Record):
    """A marker's opening: `spellings` are the sources of regular expressions."""

    spellings: tuple[str, ...]

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What finds any of the spellings."""
        return re.compile("|".join(self.spellings))

    def as_written(self, text: str) -> Mark:
        """The spelling that wrote `text`; a namespace that is written has to be there."""
        if ":" in text and any(_ANY_NAMESPACE in spelling for spelling in self.spellings):
            return Mark((re.escape(text),))
        return Mark(tuple(one for one in self.spellings if re.fullmatch(one, text)))


class Signature(Record, kw_only=True):
    """The marks of one way to write a call, all of which a template holds that writes it so.

    `dialect` is None for the spelling of a family that no dialect reads. `words` have to be there
    as well, but are no sign of anything where they are alone. `written` says that calls are written
    so, and not only read.
    """

    family: str
    dialect: Dialect | None
    marks: tuple[Mark, ...]
    words: tuple[str, ...] = ()
    written: bool = True


def other_family(family: str, texts: Iterable[str]) -> Signature:
    """The signature of a family that no dialect reads."""
    marks = tuple(Mark((re.escape(text),)) for text in texts)
    return Signature(family=family, dialect=None, marks=marks)


def signatures(dialect: Dialect) -> Iterator[Signature]:
    """The ways to write a call of the dialect; what it writes itself comes first."""
    written = _written(dialect)
    if written is not None:
        yield written
    syntax = dialect.grammar
    places = [(call, None) for call in syntax.calls]
    inner = [(call, section) for section in syntax.sections for call in section.calls]
    for form, section in (*places, *inner):
        openers = [section.open] if section else []
        marks = tuple(_marks((*openers, *_openers(form))))
        if form.written is not None and written is not None:
            # Other spellings of what the dialect writes are signs of nothing.
            marks = tuple(_narrowed(marks, written.marks))
        if marks:
            yield Signature(
                family=dialect.name,
                dialect=dialect,
                marks=marks,
                words=tuple(_words(form)),
                # What it reads is all that is known of a dialect that does not write.
                written=written is None,
            )


def opening_marks(dialect: Dialect) -> tuple[Mark, ...]:
    """All marks of sections, calls and arguments."""
    syntax = dialect.grammar
    openers = [section.open for section in syntax.sections]
    openers += [opener for form in syntax.forms() for opener in _openers(form)]
    return tuple(dict.fromkeys(_marks(openers)))


def thinking_marks(dialect: Dialect) -> tuple[Mark, ...]:
    """The marks of thinking that is written."""
    pair = dialect.grammar.written_thinking()
    return tuple(_marks([pair.open])) if pair else ()


def _written(dialect: Dialect) -> Signature | None:
    """The marks in a call that the dialect has written; None if it cannot write any."""
    try:
        text = dialect.render_calls([_SAMPLE_CALL], tools=[_SAMPLE_TOOL])
    except ToolspeakError:
        return None
    found = dict.fromkeys(
        mark.as_written(hit[0])
        for mark in opening_marks(dialect)
        for hit in mark.pattern.finditer(text)
    )
    words = [word for form in dialect.grammar.forms() for word in _words(form) if word in text]
    return (
        Signature(
            family=dialect.name,
            dialect=dialect,
            marks=tuple(found),
            words=tuple(dict.fromkeys(words)),
        )
        if found
        else None
    )


def _narrowed(marks: Iterable[Mark], written: Sequence[Mark]) -> Iterator[Mark]:
    """The marks, with no spellings but the written ones where there are any."""
    for mark in marks:
        narrower = [one for one in written if set(one.spellings) <= set(mark.spellings)]
        yield narrower[0] if narrower else mark


def _openers(form: CallForm) -> Iterator[grammar.Marker]:
    """What opens the call, ends its header, and opens its arguments."""
    if form.open is not None:
        yield form.open
    if isinstance(form.name, Header):
        yield form.name.ends
    match form.body:
        case grammar.Values(open=opener):
            yield opener
        case grammar.Pairs(key_open=key, value_open=value):
            yield from (key, value)
        case grammar.Quoted(quote=quote):
            yield grammar.Exact(quote)
        case grammar.Nested(token=token):
            yield grammar.Exact(token)


def _words(form: CallForm) -> Iterator[str]:
    """What stands in the call beside its marks: the key of JSON arguments, a name's namespace."""
    if isinstance(form.body, Envelope):
        yield f'"{form.body.arguments[0]}"'
    match form.name:
        case Header(read=MessageHeader(namespace=namespace)):
            yield namespace
        case Header(read=NameTemplate(prefix="required") as template) if template.before:
            yield template.before


def _marks(markers: Iterable[grammar.Marker]) -> Iterator[Mark]:
    for marker in markers:
        if spellings := tuple(_spellings(marker)):
            yield Mark(spellings)


_ANY_NAMESPACE = r"(?:[\w.-]+:)?"


def _spellings(marker: grammar.Marker | grammar.Part) -> Iterator[str]:
    """The marker's openings, as sources of regular expressions."""
    match marker:
        case grammar.Exact(spellings=texts):
            yield from map(re.escape, filter(_is_long, map(str.strip, texts)))
        case grammar.OpenTag(names=names, syntax=syntax, free=None):
            namespace = _ANY_NAMESPACE if syntax.any_namespace else ""
            heads = "|".join(map(re.escape, syntax.open))
            end = rf"(?:{re.escape(syntax.end)}|(?![\w-]))"
            yield from (f"(?:{heads}){namespace}{re.escape(name)}{end}" for name in names)
        case grammar.OpenTag(syntax=syntax):
            yield from map(re.escape, filter(_is_long, syntax.open))
        case grammar.AnyOf(markers=markers):
            for one in markers:
                yield from _spellings(one)
        case grammar.Followed(parts=parts):
            yield from _spellings(parts[0])


def _is_long(text: str) -> bool:
    return len(text) >= _SHORTEST_MARK

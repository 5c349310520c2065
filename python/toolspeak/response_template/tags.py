"""The tags of an `xml-inline` field as a body of tagged values, or of keys and values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from toolspeak.errors import ResponseTemplateError
from toolspeak.grammar import Exact, Marker, NameIn, OpenTag, Pairs, TagSyntax, Values
from toolspeak.response_template.anchors import (
    Group,
    Layout,
    Optional,
    Piece,
    Run,
    Text,
    marker,
    read_pattern,
)

__all__ = ["tagged_body"]

_ATTRIBUTE = re.compile(r'(?P<head>\W+)(?P<tag>[\w.-]+) (?P<attribute>[\w.-]+)="')
_HINT = re.compile(r'" (?P<attribute>[\w.-]+)="')
_HINTS = {"true": "text", "false": "json"}


def tagged_body(args: Mapping[str, Any], place: str) -> Values | Pairs:
    """The body that an `xml-inline` field's options describe.

    Values are typed by the tools' schemas, whatever `value_parser` says; one line break on each
    side of a value is layout where the pattern has blanks there. Raises `ResponseTemplateError` for
    tags of another shape.
    """
    if args.get("merge_duplicates"):
        raise ResponseTemplateError(f"{place}: a key that is there twice makes no list")
    pattern = args.get("tag_pattern")
    if not isinstance(pattern, str):
        raise ResponseTemplateError(f"{place}: xml-inline has a `tag_pattern`, which is a str")
    tag = _Tag(read_pattern(pattern, f"{place}, tag_pattern"), f"{place}, tag_pattern")
    by = args.get("value_parser_by")
    body = tag.hinted(by) if by is not None else tag.values(tag.between) or tag.pairs()
    if body is None:
        raise ResponseTemplateError(f"{tag.place}: {pattern!r} is no tag around a value")
    return body


class _Tag:
    """A tag's pattern: what stands before the key, between key and value, and behind the value."""

    def __init__(self, pieces: Sequence[Piece], place: str) -> None:
        self.place = place
        names = [piece.name if isinstance(piece, Group) else "" for piece in pieces]
        if "key" not in names or "value" not in names or names.index("key") != 1:
            raise ResponseTemplateError(f"{place}: a text, then the groups `key` and `value`")
        value = names.index("value")
        self.before = pieces[0].text if isinstance(pieces[0], Text) else ""
        # Attributes that may be missing are no matter to a tag whose key is an attribute, too.
        self.between = [one for one in pieces[2:value] if not isinstance(one, Optional)]
        ends, *layout = pieces[2:value] or (Layout(),)
        self.is_bare = isinstance(ends, Text) and all(isinstance(one, Layout) for one in layout)
        self.layout = any(isinstance(piece, Layout) for piece in pieces[2:])
        self.close = marker(pieces[value + 1 :], place)

    def values(self, between: Sequence[Piece], hint: str | None = None) -> Values | None:
        """Tags whose opener names the parameter, in an attribute or behind `=`."""
        end = "".join(piece.text for piece in between if isinstance(piece, Text)).strip()
        attribute = _ATTRIBUTE.fullmatch(self.before)
        if any(not isinstance(piece, Text | Layout | Run) for piece in between):
            return None
        if attribute and end == '">':
            syntax = TagSyntax(open=(attribute["head"],))
            return self._values(
                OpenTag((attribute["tag"],), syntax), NameIn(attribute["attribute"]), hint
            )
        if self.before.endswith("=") and self.is_bare and end == ">" and hint is None:
            syntax = TagSyntax(open=(self.before,))
            return self._values(OpenTag(syntax=syntax, free="line"), NameIn(), None)
        return None

    def _values(self, opener: OpenTag, key: NameIn, hint: str | None) -> Values:
        close: Marker = self.close
        if self.layout and isinstance(close, Exact):
            close = Exact(*(f"\n{text}" for text in close.spellings), *close.spellings)
        return Values(opener, close, key, hint=hint, newline=self.layout)

    def hinted(self, by: object) -> Values | None:
        """Tags with an attribute that says whether the value is text or JSON."""
        match [piece for piece in self.between if not isinstance(piece, Layout)], by:
            case [Text(text=text), Group(name=name), end], {"group": group, "parsers": parsers} if (
                (found := _HINT.fullmatch(text)) and group == name and _are_hints(parsers)
            ):
                return self.values([end], found["attribute"])
        return None

    def pairs(self) -> Pairs | None:
        """Key and value, each between its own markers."""
        match self.between:
            case [Text(text=close), Layout(), Text(text=opener)]:
                return self._pairs(close, opener)
            case [Text(text=text)] if "><" in text:
                close, _, opener = text.partition("><")
                return self._pairs(f"{close}>", f"<{opener}")
        return None

    def _pairs(self, key_close: str, value_open: str) -> Pairs:
        markers = (Exact(text.strip()) for text in (self.before, key_close, value_open))
        key_open, key_end, opener = markers
        return Pairs(key_open, key_end, opener, self.close)


def _are_hints(parsers: object) -> bool:
    """Whether `"true"` says text and `"false"` JSON."""
    if not isinstance(parsers, Mapping):
        return False
    named = {key: one.get("name") for key, one in parsers.items() if isinstance(one, Mapping)}
    return named == _HINTS

"""Markers and written texts as regular expressions, of the plain kind that all engines read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from toolspeak.grammar import AnyOf, Blanks, CloseTag, Exact, Followed, Marker, OpenTag, Part, Word

__all__ = ["fill_pattern", "marker_pattern", "one_of", "text_pattern"]

_SPECIAL = re.compile(r"[\\^$.|?*+()\[\]{}]")
_LAYOUT = re.compile(r"\s*\n\s*")


def text_pattern(text: str) -> str:
    """A pattern for the text, in which blanks with a line break may be any blanks, or none."""
    return r"\s*".join(map(_escaped, _LAYOUT.split(text)))


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)


def fill_pattern(text: str, holes: Mapping[str, str]) -> str:
    """A pattern for a text with holes, each of which is what stands beside its name.

    Any other brace is a brace.
    """
    parts = re.split(rf"\{{({'|'.join(holes)})\}}", text)
    return "".join(holes[part] if at % 2 else text_pattern(part) for at, part in enumerate(parts))


def one_of(patterns: Iterable[str]) -> str:
    """A pattern for any of these; the first one that fits counts."""
    known = list(dict.fromkeys(patterns))
    return known[0] if len(known) == 1 else f"(?:{'|'.join(known)})"


def marker_pattern(marker: Marker | Part) -> str:
    """What a marker matches; what must only follow it is looked ahead for."""
    match marker:
        case Exact(spellings=spellings):
            return one_of(map(_escaped, spellings))
        case AnyOf(markers=markers):
            return one_of(map(marker_pattern, markers))
        case OpenTag(syntax=syntax):
            return _tag(marker, syntax.open)
        case CloseTag(syntax=syntax):
            return _tag(marker, syntax.close)
        case Followed(parts=parts, consumed=consumed, at_end=at_end):
            taken = "".join(map(marker_pattern, parts[:consumed]))
            ahead = "".join(map(marker_pattern, parts[consumed:]))
            end = r"|\s*$" if at_end else ""
            return f"{taken}(?={ahead}{end})" if ahead else taken
        case Blanks(blanks=most):
            return rf"\s{{0,{most}}}"
        case Word(characters=most):
            return rf"[^<\n]{{0,{most}}}"


def _tag(tag: OpenTag | CloseTag, heads: Iterable[str]) -> str:
    syntax = tag.syntax
    head = one_of(map(text_pattern, heads))
    end = text_pattern(syntax.end)
    rest = f"[^{syntax.end[0]}]*"
    if tag.free is not None:
        return f"{head}{rest}{end}"
    namespace = r"(?:[\w.\-]+:)?" if syntax.any_namespace else ""
    attributes = rf"(?:\s{rest})?" if isinstance(tag, OpenTag) else r"\s*"
    return f"{head}{namespace}{one_of(map(text_pattern, tag.names))}{attributes}{end}"

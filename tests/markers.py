"""The markup of each dialect as the contract tests need it, read off the dialect's record.

For every dialect: strings to build soup from (markers, near-markers, calls and their parts), the
characters that can begin a marker, and which stretches of input may be in no event: markers, the
layout that the grammar names, and noise inside an open region (a section, a header, a fence).

Markers are spelled out from `dialect.grammar`, calls and thinking are what the renderer writes.
What a grammar reads beyond that, the soup has from the vectors (`examples`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import toolspeak
from support import (
    ALL_TOOLS,
    DIALECTS,
    VECTORS,
    has_calls,
    noise_of,
    read_jsonl,
    shapes_of,
    spelled,
)
from toolspeak.grammar import (
    AnyOf,
    Blanks,
    CloseTag,
    Exact,
    Followed,
    Grammar,
    Header,
    OpenTag,
)

# Text that is no markup in any dialect but lies near to it.
COMMON = (
    "a", " ", "\n", "\r\n", "\n\n", "x < y", "<", ">", "/", "/>", "</", "<>", "=", ":", '"', "'",
    "\\", "`", "```", "{", "}", "[", "]", "(", ")", ",", "|", "<|", "|>", "｜", "&lt;", "é",
    "漢字", "😀", "\u2028", "\x00", "null", "True", "1.5", '{"a": 1}', '{"a": "b<c"', '"}', "}}",
    "\ufeff", "lookup", "note", "query", "title", "unknown-tool", "<b>", "</b>", "<!--", "]]>",
    "<![CDATA[",
)  # fmt: skip


@dataclass(frozen=True)
class Markup:
    """What one dialect's markup looks like.

    `pieces` feed the soup; `starts` are the characters that can begin a marker; `dropped` are
    patterns for markup that may be in no event; between `opens` and `closes` anything may be, and
    behind `sections` white space, up to one of `closes`. `arguments` tells how deltas carry
    arguments: `json` (one JSON text), `keyed` (each under its name) or `other`.
    """

    pieces: Sequence[str]
    starts: str
    dropped: Sequence[re.Pattern[str]]
    opens: Sequence[re.Pattern[str]]
    closes: Sequence[re.Pattern[str]]
    sections: Sequence[re.Pattern[str]]
    arguments: str

    def opens_a_section(self, text: str) -> bool:
        """Whether `text` begins with what opens a region."""
        return any(pattern.match(text) for pattern in (*self.opens, *self.sections))


# --- markers ------------------------------------------------------------------------------


def _regions(grammar: Grammar) -> Iterator[tuple[Any, Any]]:
    """What opens and closes regions of which not all is told."""
    code = (section for section in grammar.sections if section.content != "text")
    yield from ((section.open, section.close) for section in code)
    yield from (pair for pair in noise_of(grammar) if pair[1] is not None)
    for call in grammar.forms():
        # A header may say that what follows is no call: then the header itself is dropped.
        if isinstance(call.name, Header) and call.name.ends is not None:
            yield from ((call.open, end) for end in (call.name.ends, call.close))


# A line of three or more backticks closes a fence.
_FENCE = Exact(*("`" * count for count in range(3, 20)))


def _untold(grammar: Grammar) -> Iterator[Any]:
    """The markers that may be in no event. A call's own are in its `raw`."""
    for section in grammar.sections:
        yield from filter(None, (section.open, section.close, section.noise))
    for thinking in grammar.thinking:
        yield from (thinking.open, thinking.close or _FENCE)
    for pair in noise_of(grammar):
        yield from filter(None, pair)


def _in_text(grammar: Grammar) -> Iterator[Any]:
    """The markers that count in text or thinking; the others only behind one of them."""
    yield from (call.open for call in grammar.calls)
    yield from (section.open for section in grammar.sections)
    for pair in grammar.thinking:
        yield from filter(None, (pair.open, pair.close))
    yield from grammar.results
    yield from (opener for opener, _ in noise_of(grammar))


def _markers_in(part: Any) -> Iterator[Any]:
    """Every marker of a grammar, or of a part of it."""
    if isinstance(part, Exact | OpenTag | CloseTag | AnyOf | Followed):
        yield part
    elif isinstance(part, tuple):
        for item in part:
            yield from _markers_in(item)
    else:
        for name in getattr(part, "__dataclass_fields__", ()):
            yield from _markers_in(getattr(part, name))


def _pattern(marker: Any) -> str:
    """A pattern for the marker in all its spellings, with any attributes."""
    match marker:
        case Exact():
            longest_first = sorted(marker.spellings, key=len, reverse=True)
            return "|".join(map(_line_ends, longest_first))
        case OpenTag(syntax=syntax) | CloseTag(syntax=syntax):
            heads = syntax.open if isinstance(marker, OpenTag) else syntax.close
            names = "|".join(map(re.escape, marker.names)) if marker.names else "[^<>]+?"
            space = r"(?:[\w.-]+:)?" if syntax.any_namespace else ""
            case = "i" if syntax.ignore_case else ""
            head = "|".join(map(re.escape, heads))
            return f"(?{case}:(?:{head}){space}(?:{names}){_ATTRIBUTES}{re.escape(syntax.end)})"
        case AnyOf():
            return "|".join(f"(?:{_pattern(one)})" for one in marker.markers)
        case Followed():
            # What takes no bytes is told by what must follow it.
            parts = marker.parts[: marker.consumed or 1]
            return "".join(f"(?:{_pattern(part)})" for part in parts)
        case Blanks():
            return r"\s*"
    return r"[^<\n]*"


def _line_ends(text: str) -> str:
    """A pattern for `text`, whose lines may end in CRLF."""
    return re.escape(text).replace("\\\n", "\\r?\\n").replace("\n", "\\n")


# Attributes of a tag, in which quotes protect `>`.
_ATTRIBUTES = r"""(?:[\s/](?:"[^"]*"|'[^']*'|[^<>"'])*)?"""


def _patterns(markers: Iterable[Any]) -> list[re.Pattern[str]]:
    sources = dict.fromkeys(_pattern(marker) for marker in markers if marker is not None)
    return [re.compile(source) for source in sources]


# --- pieces -------------------------------------------------------------------------------

_CALLS: Sequence[Mapping[str, Any]] = (
    {"name": "ping", "arguments": {}},
    {"name": "lookup", "arguments": {"query": "x", "limit": 3}},
    {"name": "note", "arguments": {"title": "a>b", "body": "it's \n two"}},
)


def _written(dialect: toolspeak.Dialect) -> Iterator[str]:
    """Calls and thinking as the dialect writes them, with each value of its own options."""
    yield dialect.render_thinking("hm")
    if has_calls(dialect):
        yield from (dialect.render_calls([call], ALL_TOOLS) for call in _CALLS)
        yield dialect.render_calls(_CALLS[:2], ALL_TOOLS)
    for variants in dialect.variants.values():
        for variant in variants.values():
            yield from _written(variant)


def _parts(dialect: toolspeak.Dialect, text: str) -> Iterator[str]:
    """The markers in a text, and the stretches between them."""
    bounds = {0, len(text)}
    for marker in dialect.find_markers(text):
        bounds |= {marker.start, marker.end}
    yield from (text[start:end] for start, end in pairwise(sorted(bounds)))


def call_parts(name: str, calls: Sequence[Mapping[str, Any]]) -> list[str]:
    """The markers of these calls as the dialect writes them, and the stretches between them."""
    dialect = toolspeak.get_dialect(name)
    return list(_parts(dialect, dialect.render_calls(calls, ALL_TOOLS)))


def _respelled(part: str) -> Iterator[str]:
    """The attributes of a tag quoted in other ways, and the tag closed in itself."""
    if part.startswith("<") and '="' in part:
        yield part.replace('"', "'")
        yield part.replace('"', "")
        yield f"{part[:-1]}/{part[-1]}"


def _near_misses(marker: str) -> Iterator[str]:
    """What begins like the marker or looks like it."""
    yield from (marker[:-1], marker[: len(marker) // 2 + 1])
    yield f"{marker[:-1]}x{marker[-1]}"
    yield f"{marker[0]} {marker[1:]}"
    yield marker.swapcase()


def _pieces(dialect: toolspeak.Dialect) -> tuple[str, ...]:
    markers = list(dict.fromkeys(
        text for marker in _markers_in(dialect.grammar) for text in spelled(marker)
    ))  # fmt: skip
    written = list(dict.fromkeys(_written(dialect)))
    parts = [part for text in written for part in _parts(dialect, text)]
    again = [other for part in parts for other in _respelled(part)]
    near = [miss for marker in markers for miss in _near_misses(marker)]
    return tuple(dict.fromkeys(filter(None, [*markers, *written, *parts, *again, *near])))


# --- the markup ---------------------------------------------------------------------------

_TOLD = {"envelope": "json", "json": "json", "values": "keyed", "pairs": "keyed"}


def _markup(name: str) -> Markup:
    dialect = toolspeak.get_dialect(name)
    grammar = dialect.scanned
    told = {_TOLD.get(shape, "other") for shape in shapes_of(dialect)}
    markers = [text.lstrip() for it in _in_text(grammar) for text in spelled(it)]
    regions = list(_regions(grammar))
    return Markup(
        pieces=_pieces(dialect),
        starts="".join(sorted({text[0] for text in markers if text})),
        dropped=_patterns(_untold(grammar)),
        opens=_patterns(opener for opener, _ in regions),
        closes=_patterns(
            [*(closer for _, closer in regions), *(section.close for section in grammar.sections)]
        ),
        sections=_patterns(section.open for section in grammar.sections),
        arguments=told.pop() if len(told) == 1 else "other",
    )


MARKUP: dict[str, Markup] = {name: _markup(name) for name in DIALECTS}


@cache
def examples(name: str) -> tuple[str, ...]:
    """Real inputs of the dialect, to cut soup pieces from."""
    rows = read_jsonl(VECTORS / "scan.jsonl") + read_jsonl(VECTORS / "thinking.jsonl")
    return tuple(row["input"] for row in rows if row["dialect"] == name and row["input"])


def accounted_for(text: str, kept: str, markup: Markup) -> bool:
    """Whether `text` is `kept`, in order, plus only markup and noise that may be in no event.

    Walks over `text` with the set of all states (characters of `kept` seen, where: in text, in a
    section, or in a region of which not all is told).
    """
    states: list[set[tuple[int, str]]] = [set() for _ in range(len(text) + 1)]
    states[0].add((0, "text"))
    for at, here in enumerate(states[:-1]):
        if not here:
            continue
        ends = _ends(markup.dropped, text, at)
        turns = [(end, "region") for end in _ends(markup.opens, text, at)]
        turns += [(end, "section") for end in _ends(markup.sections, text, at)]
        turns += [(end, "text") for end in _ends(markup.closes, text, at)]
        for seen, where in here:
            if seen < len(kept) and kept[seen] == text[at]:
                states[at + 1].add((seen + 1, where))
            if where == "region" or (where == "section" and text[at].isspace()):
                states[at + 1].add((seen, where))
            for end in ends:
                states[end].add((seen, where))
            for end, then in turns:
                states[end].add((seen, then))
    # At the end of a section that is cut, the beginning of its closer is markup too.
    cut = _CUT_MARKER.search(text)
    in_section = [seen for seen, where in states[cut.start()] if where == "section"] if cut else []
    return len(kept) in (*in_section, *(seen for seen, _ in states[-1]))


_CUT_MARKER = re.compile(r"<[^<>]*$")


def _ends(patterns: Sequence[re.Pattern[str]], text: str, at: int) -> set[int]:
    """Where a match at `at` can end."""
    return {match.end() for pattern in patterns if (match := pattern.match(text, at))}

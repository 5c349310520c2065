"""Markers in text that others wrote: finding them, and making them harmless.

A tool result or a user's text may hold what the dialect, or the model's chat template, takes for
markup. What counts is read off the dialect: its grammar, whose markers the core finds with the
matchers that scanners use; the frame that its renderer puts around a result, and what opens its
turns; and in every dialect the control tokens of chat templates, since a dialect says nothing about
the template of the model that reads it.

`neutralize` writes one space behind the first character of each marker: `< tool_call>`,
`< |im_end|>`, "` ``". That breaks every marker, as all are matched by exact characters, makes no
new one, and leaves JSON, code and prose readable as what they were: a backslash would break JSON
strings or become an escape in them, and a look-alike character cannot be seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Literal as OneOf
from typing import NamedTuple, Protocol, TypeAlias

from toolspeak.errors import RenderError, UntrustedMarkerError
from toolspeak.grammar import Grammar, GrammarMarkerKind, guard
from toolspeak.messages.values import ToolResult
from toolspeak.writing.renderer import Renderer
from toolspeak.writing.text import MAX_TAG_BYTES
from toolspeak.written import Turns

__all__ = [
    "FoundMarker",
    "MarkedDialect",
    "MarkerKind",
    "Untrusted",
    "clean",
    "clean_parts",
    "clean_results",
    "find_markers",
    "neutralize",
]

Untrusted: TypeAlias = OneOf["verbatim", "neutralize", "raise"]
"""What to do with markers in text that others wrote: leave them, break them, or refuse them."""

MarkerKind: TypeAlias = GrammarMarkerKind | OneOf["turn"]
"""What a marker is for; "turn" are the control tokens of chat templates and what opens a turn."""


class FoundMarker(NamedTuple):
    """A marker in text: `text[start:end]`, in characters, and what it is for."""

    start: int
    end: int
    text: str
    kind: MarkerKind


class MarkedDialect(Protocol):
    """What markers are read off: of a `Dialect`, its grammar, its renderer and its variants."""

    @property
    def name(self) -> str:
        """What errors call it."""

    @property
    def grammar(self) -> Grammar:
        """Its markers."""

    @property
    def writer(self) -> Renderer:
        """What frames results."""

    @property
    def turns(self) -> Turns:
        """What opens and closes turns."""

    @property
    def variants(self) -> Mapping[str, Mapping[str, MarkedDialect]]:
        """What it is under each value of its own options."""

    def __hash__(self) -> int:
        """By identity: its markers are kept."""


def find_markers(text: str, dialect: MarkedDialect) -> list[FoundMarker]:
    """Every place in `text` where a marker of the dialect begins, in order.

    Markers may overlap, such as one in the attribute of another: which of them counts depends on
    where a reader stands. A tag counts from its name on, closed or not, if later text can close it.
    """
    return _marker_set(dialect).find(text)


def neutralize(text: str, dialect: MarkedDialect) -> str:
    """`text` with a space behind the first character of each marker; without markers, itself.

    Raises `UntrustedMarkerError` if a registered dialect has a marker that a space does not break,
    such as one of a single character.
    """
    markers = find_markers(text, dialect)
    if not markers:
        return text
    broken = _spaced(text, [marker.start + 1 for marker in markers])
    left = find_markers(broken, dialect)
    if left:
        raise UntrustedMarkerError(f"a space does not break the marker {left[0].text!r}")
    return broken


def _spaced(text: str, places: Iterable[int]) -> str:
    """`text` with a space at each of the places, which are sorted."""
    return " ".join(text[start:end] for start, end in pairwise([0, *places, len(text)]))


def clean(text: str, dialect: MarkedDialect, untrusted: Untrusted) -> str:
    """`text` as it may stand in a prompt of the dialect, by the policy `untrusted`.

    Clean a text as a whole: pieces that are joined later can form a marker. Raises
    `UntrustedMarkerError` for a marker under `"raise"`, `ValueError` for an unknown policy.
    """
    if untrusted == "verbatim":
        return text
    if untrusted == "neutralize":
        return neutralize(text, dialect)
    if untrusted != "raise":
        raise ValueError(f"untrusted={untrusted!r}: use 'verbatim', 'neutralize' or 'raise'")
    for marker in find_markers(text, dialect):
        raise UntrustedMarkerError(
            f"the text holds {marker.text!r} at character {marker.start}, which {dialect.name} "
            f"reads as markup ({marker.kind})"
        )
    return text


def clean_parts(parts: Sequence[str], dialect: MarkedDialect, untrusted: Untrusted) -> list[str]:
    """Texts that a server may join, each cleaned, and no marker where they meet; see `clean`."""
    cleaned = [clean(part, dialect, untrusted) for part in parts]
    if untrusted == "verbatim" or len(parts) < 2:
        return cleaned
    joined = "".join(cleaned)
    if untrusted == "raise":
        clean(joined, dialect, untrusted)
        return cleaned
    places = [marker.start + 1 for marker in find_markers(joined, dialect)]
    start = 0
    for index, part in enumerate(cleaned):
        inside = [place - start for place in places if start < place <= start + len(part)]
        cleaned[index] = _spaced(part, inside)
        start += len(part)
    return cleaned


def clean_results(
    results: Iterable[ToolResult], dialect: MarkedDialect, untrusted: Untrusted
) -> list[ToolResult]:
    """Tool results whose texts, names and ids are cleaned; see `clean`."""
    if untrusted == "verbatim":
        return list(results)

    def cleaned(text: str) -> str:
        return clean(text, dialect, untrusted)

    return [
        replace(
            result,
            id=cleaned(result.id),
            name=cleaned(result.name),
            text=dialect.writer.clean_result(result.text, cleaned),
        )
        for result in results
    ]


# --- what counts as a marker --------------------------------------------------------------------

# Every family's tokens have one of few shapes. `<|` needs a name, as `<|>` is an operator.
_CHAT_TOKENS = (
    r"<\|[^\s<>|]{1,64}\|>",
    r"<\|\w{1,64}>",
    r"<[A-Za-z_]\w{0,63}\|>",
    r"<｜[^\s<>]{1,64}｜>",
    r"<(?:start_of_turn|end_of_turn|bos|eos|sop|eop)>",
    r"\[(?:gMASK|/?INST|/?SYSTEM_PROMPT|/?AVAILABLE_TOOLS|/?TOOL_RESULTS|TOOL_CALLS)\]",
    r"\[e~\[",
    r"\]~!?b[\[\]]",
    r"<</?SYS>>",
)
_CHAT_STARTS = frozenset("<[]")


class _MarkerSet:
    """The markers of one dialect: of its grammar, which the core finds, and tokens beside it."""

    def __init__(self, dialect: MarkedDialect) -> None:
        self._guard = guard(_grammars(dialect))
        self._tokens = _Tokens(dialect)

    def find(self, text: str) -> list[FoundMarker]:
        """The longest marker at each place, in order; of two that are as long, the grammar's."""
        longest = {
            start: FoundMarker(start, end, text[start:end], kind)
            for start, end, kind in self._guard.find(text)
        }
        for token in self._tokens.find(text):
            marker = longest.get(token.start)
            if marker is None or token.end > marker.end:
                longest[token.start] = token
        return [longest[start] for start in sorted(longest)]


@lru_cache(maxsize=256)
def _marker_set(dialect: MarkedDialect) -> _MarkerSet:
    return _MarkerSet(dialect)


def _grammars(dialect: MarkedDialect) -> Iterator[Grammar]:
    """The dialect's grammars, whatever its own options: a scanner with any of them may read."""
    yield dialect.grammar
    for variants in dialect.variants.values():
        for variant in variants.values():
            yield from _grammars(variant)


class _Tokens:
    """What is no grammar's: the renderer's frame, turns, and the tokens of chat templates."""

    def __init__(self, dialect: MarkedDialect) -> None:
        starts = set(_CHAT_STARTS)
        sources: dict[str, MarkerKind] = {}
        for token in sorted(_frame(dialect.writer)):
            starts.add(token[0])
            sources.setdefault(_token_source(token), "results")
        tokens, words = _turn_marks(dialect.turns)
        starts.update(token[0] for token in tokens)
        for source in (*_CHAT_TOKENS, *map(re.escape, tokens), *map(_at_line_start, words)):
            sources.setdefault(source, "turn")
        self._patterns = [(re.compile(source), kind) for source, kind in sources.items()]
        self._any = re.compile("|".join(f"(?:{source})" for source in sources))
        # A tag can be no longer, and no token is longer than its pattern.
        # A tag that long in bytes is at most that long in characters.
        self._window = max(MAX_TAG_BYTES, *map(len, sources))
        lines = "".join("|" + _at_line_start(first) for first in sorted({it[0] for it in words}))
        self._starts = re.compile(f"[{''.join(map(re.escape, sorted(starts)))}]{lines}")

    def find(self, text: str) -> Iterator[FoundMarker]:
        """The longest token at each place, in order."""
        for start in self._starts.finditer(text):
            at = start.start()
            window = at + self._window  # bounds the work at one place
            if self._any.match(text, at, window):
                end, kind = self._longest(text, at, window)
                yield FoundMarker(at, end, text[at:end], kind)

    def _longest(self, text: str, at: int, window: int) -> tuple[int, MarkerKind]:
        matches = ((pattern.match(text, at, window), kind) for pattern, kind in self._patterns)
        ends = [(match.end(), kind) for match, kind in matches if match]
        return max(ends, key=lambda it: it[0])


_PLAIN_TAG = re.compile(r"<(/?)([A-Za-z][\w.-]*)>")
_FRAME_TOKEN = re.compile(r"<[^<>\s]+>|`{3,}\w*")


def _frame(renderer: Renderer) -> set[str]:
    """The tokens that the renderer writes around a result; it is asked to write two."""
    probes = [ToolResult("probe", "probe", "probe", is_error) for is_error in (False, True)]
    try:
        return set(_FRAME_TOKEN.findall(renderer.render_results(probes)))
    except RenderError:
        return set()  # the dialect has no results


def _turn_marks(turns: Turns) -> tuple[list[str], list[str]]:
    """What opens and closes turns: tokens, and words that do so at the beginning of a line."""
    tokens: dict[str, None] = {}
    words: dict[str, None] = {}
    for text in turns.marks():
        found = _FRAME_TOKEN.findall(text)
        tokens.update(dict.fromkeys(found))
        if not found and text.strip():
            words[text.strip()] = None
    return list(tokens), list(words)


def _token_source(token: str) -> str:
    """A pattern for a token of the frame; a plain tag counts in any case and with attributes."""
    tag = _PLAIN_TAG.fullmatch(token)
    if tag is None:
        return re.escape(token)
    return rf"(?i:<{tag[1]}(?:[a-z_][\w.-]{{0,31}}:)?{re.escape(tag[2])})(?=[\s/>]|\Z)(?:[^<>]*>)?"


def _at_line_start(text: str) -> str:
    return rf"(?<![^\r\n]){re.escape(text)}"

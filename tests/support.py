"""What the scanner tests share: vectors, ways to cut an input, and views of an event list.

`run` feeds pieces and flushes; `joined` puts adjacent deltas together and numbers the ids, so
that two runs over differently cut input compare equal; `outcome` is the form of the vectors.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import pytest

import toolspeak
from toolspeak.grammar import AnyOf, Blanks, CloseTag, Exact, Followed, Grammar, OpenTag, Word
from toolspeak.registry import find_dialect

Piece: TypeAlias = "str | bytes"
Event: TypeAlias = Any
Row: TypeAlias = "dict[str, Any]"

TESTS = Path(__file__).parent
VECTORS = TESTS / "vectors"
# Larger data sets that a checkout does not carry; the tests over them skip without it.
LARGE_DATA = TESTS.parent.parent / "shared" / "data"

SIZES = (1, 2, 3, 5, 7)

# Names under which vectors use a dialect with options.
ALIASES: Mapping[str, tuple[str, Mapping[str, Any]]] = {"xml-dsml": ("xml", {"tagset": "dsml"})}

DIALECTS: tuple[str, ...] = tuple(toolspeak.list_dialects())


# --- data ---------------------------------------------------------------------------------


def read_jsonl(path: Path) -> list[Row]:
    """The rows of a JSON-lines file."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def large_rows(name: str) -> list[Row]:
    """The rows of a large data file; skips the calling test when the file is not there."""
    path = LARGE_DATA / name
    if not path.exists():
        pytest.skip(f"large data set {name} is not in {LARGE_DATA}")
    return read_jsonl(path)


TOOLS: dict[str, Row] = json.loads((VECTORS / "tools.json").read_text(encoding="utf-8"))


def tools_named(names: Iterable[str]) -> list[Row]:
    """The vectors' tools by name."""
    return [TOOLS[name] for name in names]


ALL_TOOLS = tools_named(TOOLS)


# --- what a dialect is, by its record -----------------------------------------------------


def shapes_of(dialect: str | toolspeak.Dialect) -> set[str]:
    """The shapes of body that the dialect's calls have."""
    return {call.body.shape for call in find_dialect(dialect).grammar.forms()}


def has_calls(dialect: str | toolspeak.Dialect) -> bool:
    """Whether the dialect has calls; one that knows thinking only has none."""
    return bool(shapes_of(dialect))


CALL_DIALECTS: tuple[str, ...] = tuple(filter(has_calls, DIALECTS))


# Names to give tags whose names are free.
_FREE = ("lookup", "query", "zzz")


def spelled(marker: Any) -> Iterator[str]:
    """The marker in its spellings, for tags without attributes and as the syntax allows."""
    match marker:
        case Exact():
            yield from marker.spellings
        case OpenTag(syntax=syntax) | CloseTag(syntax=syntax):
            heads = syntax.open if isinstance(marker, OpenTag) else syntax.close
            for head in heads[:3]:
                for name in marker.names or _FREE:
                    yield f"{head}{name}{syntax.end}"
                    if syntax.any_namespace:
                        yield f"{head}x:{name}{syntax.end}"
                    if syntax.ignore_case:
                        yield f"{head}{name}{syntax.end}".upper()
        case AnyOf():
            for one in marker.markers:
                yield from spelled(one)
        case Followed():
            parts = [[""] if isinstance(it, Blanks) else ["w"] if isinstance(it, Word)
                     else list(spelled(it)) for it in marker.parts]  # fmt: skip
            yield "".join(spellings[0] for spellings in parts)
            yield "\n".join(spellings[-1] for spellings in parts)


def noise_of(grammar: Grammar) -> Iterator[tuple[Any, Any]]:
    """What is dropped from text: a marker alone (None), or with the closer of what it drops."""
    yield from ((noise.open, noise.close) for noise in grammar.noise)


def _thinking_in_a_line(name: str) -> list[tuple[str, str]]:
    pairs = toolspeak.get_dialect(name).grammar.thinking
    return [(next(spelled(it.open)), next(spelled(it.close))) for it in pairs if it.close]


THINKING_DIALECTS: tuple[str, ...] = tuple(filter(_thinking_in_a_line, CALL_DIALECTS))
"""Dialects with calls and with thinking that may stand in a line."""


def thinking_marks(name: str) -> tuple[str, str]:
    """What opens and closes thinking, in a line, in one of `THINKING_DIALECTS`."""
    return _thinking_in_a_line(name)[0]


def result_markers(name: str) -> tuple[str, ...]:
    """What opens a tool's result in this dialect, in its spellings."""
    markers = toolspeak.get_dialect(name).grammar.results
    return tuple(text for marker in markers for text in spelled(marker))


PING: Row = {"name": "ping", "arguments": {}}


def ping_in(name: str) -> str:
    """A call of `ping` in this dialect."""
    return toolspeak.get_dialect(name).render_calls([PING], tools=ALL_TOOLS)


# --- cutting ------------------------------------------------------------------------------


def pieces_of(text: Piece, size: int) -> list[Piece]:
    """`text` in pieces of `size` characters or bytes."""
    return [text[i : i + size] for i in range(0, len(text), size)]


def cuts(text: str) -> Iterator[tuple[str, list[Piece]]]:
    """Every standard way to cut `text`, with its name."""
    data = text.encode()
    yield "whole", [text]
    yield "whole bytes", [data]
    for size in SIZES:
        yield f"{size} chars", pieces_of(text, size)
        yield f"{size} bytes", pieces_of(data, size)


def cut_at(text: Piece, places: Iterable[int]) -> list[Piece]:
    """`text` cut at the given offsets; equal or outer offsets give empty pieces."""
    bounds = [0, *sorted(min(max(p, 0), len(text)) for p in places), len(text)]
    return [text[a:b] for a, b in pairwise(bounds)]


def random_cuts(text: Piece, rng: random.Random, longest: int = 12) -> list[Piece]:
    """`text` in pieces of random length up to `longest`."""
    pieces: list[Piece] = []
    start = 0
    while start < len(text):
        end = start + rng.randint(1, longest)
        pieces.append(text[start:end])
        start = end
    return pieces


# --- scanning -----------------------------------------------------------------------------


def scanner_of(name: str, **options: Any) -> Any:
    """A scanner of the dialect `name`, which may be an alias that carries options."""
    name, preset = ALIASES.get(name, (name, {}))
    own = toolspeak.get_dialect(name).variants
    preset = {**preset, **{key: options.pop(key) for key in own.keys() & options.keys()}}
    dialect = toolspeak.get_dialect(name, **preset)
    return dialect.scanner(**options)


def run(scanner: Any, pieces: Iterable[Piece]) -> list[Event]:
    """All events of a stream: `feed` each piece, then `flush`."""
    events: list[Event] = []
    for piece in pieces:
        events.extend(scanner.feed(piece))
    events.extend(scanner.flush())
    return events


def scan(name: str, text: Piece, **options: Any) -> list[Event]:
    """All events of a whole text."""
    return run(scanner_of(name, **options), [text])


# --- views of events ----------------------------------------------------------------------

Step: TypeAlias = "tuple[Any, ...]"


def _as_step(event: Event, numbers: Mapping[str, str]) -> Step:
    """An event as a tuple: class name, then its fields; a delta's text is the last one."""
    fields = {name: getattr(event, name) for name in type(event).__match_args__}
    if "id" in fields:
        fields["id"] = numbers[fields["id"]]
    if "arguments" in fields:
        fields["arguments"] = canonical(fields["arguments"])
    return (type(event).__name__, *fields.values())


_DELTAS = frozenset({"Text", "ThinkingDelta", "ToolArgDelta"})


def numbered_ids(events: Iterable[Event]) -> dict[str, str]:
    """`call#0`, `call#1`, … for the ids in order of appearance."""
    numbers: dict[str, str] = {}
    for event in events:
        if hasattr(event, "id"):
            numbers.setdefault(event.id, f"call#{len(numbers)}")
    return numbers


def joined(events: Sequence[Event]) -> list[Step]:
    """The events as tuples, adjacent deltas of one kind joined and ids numbered."""
    numbers = numbered_ids(events)
    steps: list[Step] = []
    for event in events:
        step = _as_step(event, numbers)
        if steps and step[0] in _DELTAS and steps[-1][:-1] == step[:-1]:
            step = (*step[:-1], steps.pop()[-1] + step[-1])
        steps.append(step)
    return steps


def outcome(events: Sequence[Event]) -> Row:
    """The result in the form of the vectors: text, thinking, calls, names of truncated calls."""
    return {
        "text": "".join(e.text for e in events if isinstance(e, toolspeak.Text)),
        "thinking": [e.thinking for e in events if isinstance(e, toolspeak.ThinkingEnd)],
        "calls": calls_of(events),
        "aborted": [a.name for a in aborts_of(events) if a.reason == "truncated" and a.name],
    }


def same_outcome(name: str, text: str, **options: Any) -> Row:
    """The outcome of a text, after checking that every cut of it gives the same events."""
    whole = scan(name, text, **options)
    for cut, pieces in cuts(text):
        assert joined(run(scanner_of(name, **options), pieces)) == joined(whole), cut
    return outcome(whole)


def calls_of(events: Iterable[Event]) -> list[Row]:
    """The complete calls as `{"name", "arguments"}`."""
    ends = (e for e in events if isinstance(e, toolspeak.ToolEnd))
    return [{"name": e.name, "arguments": dict(e.arguments)} for e in ends]


def aborts_of(events: Iterable[Event]) -> list[Event]:
    """The `ToolAbort` events."""
    return [e for e in events if isinstance(e, toolspeak.ToolAbort)]


def text_of(events: Iterable[Event]) -> str:
    """All visible text."""
    return "".join(e.text for e in events if isinstance(e, toolspeak.Text))


def same(left: Any, right: Any) -> bool:
    """Equality of JSON values that tells `True` from `1`; `1` and `1.0` are the same number."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(same(v, right[k]) for k, v in left.items())
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    numbers = isinstance(left, (int, float)) and isinstance(right, (int, float))
    return (numbers or type(left) is type(right)) and bool(left == right)


def identical(left: Any, right: Any) -> bool:
    """Equality that tells 1 from 1.0 and True, -0.0 from 0.0, one order of keys from another."""
    return repr(left) == repr(right)


def canonical(value: Any) -> str:
    """A value as text in which every difference of type shows (`1`, `1.0` and `true` differ)."""
    return json.dumps(plain(value), ensure_ascii=False, sort_keys=True)


def plain(value: Any) -> Any:
    """Mappings and sequences of any kind as dicts and lists."""
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value

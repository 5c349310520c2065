"""The inputs of the benchmarks and the scanners that read them.

A `Stream` is what one benchmark feeds: text that brings a scanner into a state, then the pieces
whose cost is measured. Everything is generated from fixed text, so that two runs read the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import pure
import toolspeak
from shapes import SHAPES, SPELLINGS, TOOLS, Shape
from toolspeak.outputs.assembler import GrowingCall

__all__ = [
    "CHUNK",
    "COMPARED",
    "ENGINES",
    "KB",
    "MB",
    "SHAPES",
    "SPELLINGS",
    "TOOLS",
    "Reported",
    "Scanner",
    "Shape",
    "Stream",
    "adversarial",
    "bulk_texts",
    "chunks_of",
    "conversations",
    "dialect_of",
    "drive",
    "drive_floor",
    "engines_for",
    "growth_document",
    "json_calls",
    "literal_calls",
    "look_at_arguments",
    "open_streams",
    "plain_argument",
    "plain_streams",
    "prose",
    "reported",
    "scan_document",
    "toolspeak",
]

CHUNK = 4  # characters: about one token
KB, MB = 1_000, 1_000_000


class Scanner(Protocol):
    """What both engines offer."""

    def feed(self, chunk: str, /) -> Sequence[Any]: ...

    def flush(self) -> Sequence[Any]: ...


def _pure(dialect: str) -> Scanner:
    return pure.make_scanner(dialect, tools=TOOLS)


def _toolspeak(dialect: str) -> Scanner:
    scanner: Scanner = toolspeak.get_dialect(dialect_of(dialect)).scanner(tools=TOOLS)
    return scanner


ENGINES: dict[str, Callable[[str], Scanner]] = {"toolspeak": _toolspeak, "pure": _pure}


def engines_for(dialect: str) -> list[str]:
    """The engines that read a dialect; the pure scanners know some only."""
    return [name for name in ENGINES if name != "pure" or dialect in pure.DIALECTS]


COMPARED = tuple(dialect for dialect in SHAPES if dialect in pure.DIALECTS)
"""The dialects that the pure scanners read as well."""


def dialect_of(key: str) -> str:
    """The name of the dialect whose calls stand under this key in `SPELLINGS`."""
    return SPELLINGS[key].dialect or key if key in SPELLINGS else key


# --- text ---------------------------------------------------------------------------------

_PROSE = (
    "The harbour lies behind the old customs house, and the ferry leaves at ten past six. "
    "Whoever comes by bicycle should take the path along the canal: it is longer, but level. "
    "In winter (from November on) the café is closed; tickets are then sold on board.\n\n"
    "Prices have not changed since 2019. A return ticket costs 7.50, children travel free.\n"
)

_JAPANESE = (
    "港は古い税関の裏にあり、渡し船は六時十分に出ます。"
    "自転車で来る人は運河沿いの道を行くとよいでしょう。\n"
)

_CODE = (
    "template <typename T>\nstd::vector<std::pair<T, int>> count(const std::vector<T>& v) {\n"
    "  std::map<T, int> m;\n  for (size_t i = 0; i < v.size(); ++i) if (v[i] < 10) m[v[i]] += 1;\n"
    '  std::cout << "<p class=\'n\'>" << m.size() << "</p>" << std::endl;\n'
    "  return std::vector<std::pair<T, int>>(m.begin(), m.end());\n}\n"
)


def _filled(pattern: str, size: int) -> str:
    return (pattern * (size // len(pattern) + 1))[:size]


def prose(size: int) -> str:
    """`size` characters of plain text."""
    return _filled(_PROSE, size)


def chunks_of(text: str, size: int = CHUNK) -> list[str]:
    """The text in pieces of `size` characters."""
    return [text[start : start + size] for start in range(0, len(text), size)]


# --- what a scanner reads -----------------------------------------------------------------


@dataclass(frozen=True)
class Stream:
    """`start` brings a scanner of `dialect` into a state; `chunks` are read in it."""

    name: str
    dialect: str
    start: str
    chunks: list[str]

    def scanner(self, engine: str) -> Scanner:
        """A scanner that has read `start`."""
        scanner = ENGINES[engine](self.dialect)
        scanner.feed(self.start)
        return scanner


@cache
def plain_streams(size: int = 40 * KB) -> tuple[Stream, ...]:
    """Prose, prose in a string argument and prose in thinking, none of it near a marker."""
    chunks = chunks_of(_filled(_PROSE, size).replace('"', "'"))
    return tuple(
        Stream(name, dialect, start, chunks)
        for dialect, shape in SPELLINGS.items()
        for name, start in {
            "prose": "",
            "thinking": shape.thinking,
            "argument": shape.opening,
        }.items()
        if start or name == "prose"
    )


@cache
def conversations(size: int = 40 * KB) -> tuple[Stream, ...]:
    """Thinking, text and many small calls as a model mixes them: every part short."""
    return tuple(
        Stream("many small calls", dialect, "", chunks_of(_conversation(shape, size)))
        for dialect, shape in SPELLINGS.items()
    )


def _conversation(shape: Shape, size: int) -> str:
    thinking = f"{shape.thinking}The ferry times are asked for.{shape.thinking_end}"
    turn = (
        f"{thinking}\n{_PROSE[:120]}\n{shape.call('At ten past six.') if shape.opening else ''}\n"
    )
    return turn * (size // len(turn) + 1)


def plain_argument(size: int) -> str:
    """`size` characters that stand in any argument as they are."""
    return _filled(_PROSE, size).replace("\n", " ").replace('"', "'")


def growth_document(dialect: str, size: int) -> tuple[str, str, int, str]:
    """A call with an argument of `size` characters: opening, a block, its repetitions, closing.

    The block is the same for all sizes, so that the input itself costs the same per character.
    """
    block = plain_argument(10 * KB)
    shape = SHAPES[dialect]
    return shape.opening, block, size // len(block), shape.closing


def look_at_arguments(dialect: str, stream: Iterable[str]) -> None:
    """Scans a stream and looks at the arguments of its open call after each chunk."""
    scanner, assembler = toolspeak.get_dialect(dialect).scanner(), toolspeak.Assembler(dialect)
    for chunk in stream:
        assembler.add(scanner.feed(chunk))
        for block in assembler.blocks:
            if isinstance(block, GrowingCall):
                _ = block.arguments


@cache
def open_streams(count: int) -> tuple[Stream, ...]:
    """Per state a stream of `count` chunks that never leaves it, each with a shape's lure."""
    lures = {dialect: [shape.lure] * count for dialect, shape in SHAPES.items()}
    states = [
        (dialect, name, start)
        for dialect, shape in SHAPES.items()
        for name, start in {
            "prose": "",
            "in thinking": shape.thinking,
            "in an argument": shape.opening,
        }.items()
    ]
    states += [
        ("xml", "beside the arguments", '<invoke name="note">'),
        ("xml", "in a section", "<function_calls>"),
        ("hermes", "before the name", '<tool_call>{"arguments": {"body": "'),
        ("gemini", "in code", "```tool_code\nx = "),
    ]
    return tuple(Stream(name, dialect, start, lures[dialect]) for dialect, name, start in states)


def bulk_texts(size: int = MB) -> dict[tuple[str, str], str]:
    """(What, dialect) → text: prose, code full of "<", calls."""
    texts = {}
    for dialect, shape in SHAPES.items():
        texts["prose", dialect] = _filled(_PROSE, size)
        texts['code full of "<"', dialect] = _filled(_CODE, size)
        texts["calls", dialect] = _calls(shape, size)
    return texts


def _calls(shape: Shape, size: int) -> str:
    body = _PROSE.replace('"', "'").replace("\n", " ")
    call = f"Noted.\n{shape.call(body)}\n"
    return call * (size // len(call) + 1)


def json_calls(size: int = MB) -> dict[tuple[str, str], tuple[str, str]]:
    """(What, dialect) → a call whose arguments are JSON, and these arguments.

    Three are one long string: prose, code with many escapes, and Japanese, whose characters are
    wide. One is a large nested object of many small values.
    """
    calls = {}
    for what, values in _large_arguments(size).items():
        arguments = json.dumps(values, ensure_ascii=False)
        for dialect, shape in SPELLINGS.items():
            if shape.in_json:
                call = shape.before_json + arguments + shape.after_json
                calls[what, dialect] = (call, arguments)
    return calls


def _large_arguments(size: int) -> dict[str, dict[str, Any]]:
    return {
        "a string of prose": {"body": _filled(_PROSE, size)},
        "a string of code": {"body": _filled(_CODE, size)},
        "a string of Japanese": {"body": _filled(_JAPANESE, size // 3)},
        "many small values": {"data": {"rows": _rows(size)}},
    }


def literal_calls(size: int = MB) -> dict[tuple[str, str], tuple[str, str]]:
    """The same in the dialects whose arguments are no JSON but values that the core reads."""
    calls = {}
    for what, values in _large_arguments(size).items():
        arguments = json.dumps(values, ensure_ascii=False)
        for name in ("gemini", "gemma", "pi-native"):
            call = toolspeak.ToolCall("call_0", "note", values)
            text = toolspeak.get_dialect(name).render_calls([call], TOOLS)
            calls[what, name] = (text, arguments)
    return calls


def _rows(size: int) -> list[dict[str, Any]]:
    row = {"id": 17, "at": [52.25, 4.5], "open": True, "note": None, "tags": ["ferry", "café"]}
    return [row | {"id": number} for number in range(size // len(json.dumps(row)))]


def adversarial(dialect: str, size: int) -> dict[str, str]:
    """Name → text of about `size` characters that asks much of a careless scanner."""
    shape = SHAPES[dialect]
    opening, closing = shape.opening, shape.closing
    before_name = opening[: opening.index("note")]
    texts = {
        'runs of "<"': "<" * size,
        '"<" and spaces': _filled("<" + " " * 500, size),
        "long unfinished words": _filled("<" + "a" * 500, size),
        "openers": _filled(opening, size),
        "openers cut short": _filled(opening[:-1], size),
        "closers": _filled(closing, size),
        "closers cut short in an argument": opening + _filled(closing[:-1], size),
        "half closers in an argument": opening + _filled(closing[: len(closing) // 2], size),
        "brackets in an argument": opening + "[" * size,
        "quotes in an argument": opening + _filled("\"'", size),
        "newlines in an argument": opening + "\n" * size,
        "a name that goes on": before_name + "a" * size,
        "blanks before a name": before_name + " " * size,
        "backticks in thinking": shape.thinking + "`" * size,
    }
    extra = {
        name: start + _filled(unit, size)
        for name, (start, unit) in _HOSTILE.get(dialect, {}).items()
    }
    return texts | extra


# What is hard for one shape only: name → how the text begins, and what is repeated behind that.
_HOSTILE: dict[str, dict[str, tuple[str, str]]] = {
    "xml": {
        "long attributes": ("", '<invoke name="' + "a" * 300),
        "attributes in attributes": ("", '<invoke a="x" b="'),
        "long attributes in a call": ('<invoke name="f">', '<parameter name="' + "a" * 300),
    },
    "hermes": {
        "backslashes in a string": (SHAPES["hermes"].opening, "\\\\\\\\ "),
        "deep brackets": ('<tool_call>{"name": "note", "arguments": {"body": ', "["),
        "calls that never close": ("", '<tool_call>{"</tool_call><tool_call>{\\"'),
    },
    "glm": {"keys without values": ("<tool_call>note\n", "<arg_key>a</arg_key>")},
    "qwen3-coder": {
        "sections that are text": ("", "<tool_call>text "),
        "closers before blanks": (SHAPES["qwen3-coder"].opening, "\n</parameter>" + " " * 60),
    },
    "gemini": {
        "nested calls": ("```tool_code\n", "note("),
        "deep brackets": ("```tool_code\nnote(body=", "["),
        "fences in thinking": ("```thinking\n", "```py\n"),
    },
    "gemma": {
        "deep brackets": ("<|tool_call>call:note{body:", "["),
        "keys": ("<|tool_call>call:note{", "a:1,"),
    },
    "pi-native": {
        "nested elements": ("<call:note>\n", "<body>"),
        "attributes that go on": ("<call:note ", 'a="x" '),
        "elements left open": ("", "</call:other><call:note>\n<body>"),
    },
}


# --- what users have reported -------------------------------------------------------------

_REPORTS = Path(__file__).parents[1] / "tests" / "vectors" / "reports.jsonl"
_REPORTED_IN = {
    "hermes": "hermes",
    "qwen3_coder": "qwen3-coder",
    "kimi_k2": "kimi",
    "dsml": "deepseek",
    "gemma4": "gemma",
    "json_repair": "xml",
}


@dataclass(frozen=True)
class Reported:
    """A reported input with a part that is repeated: `prefix unit… middle close… suffix`."""

    name: str
    dialect: str
    chunk: int | None  # characters; None: fed whole
    prefix: str
    unit: str
    middle: str
    close: str
    suffix: str
    times: int

    def pieces(self, times: int) -> list[str]:
        """The input with `times` repetitions, cut as reported."""
        text = self.prefix + self.unit * times + self.middle + self.close * times + self.suffix
        return chunks_of(text, self.chunk) if self.chunk else [text]


def reported() -> list[Reported]:
    """The reports whose cost was at fault; each was about growth that is faster than linear."""
    rows = map(json.loads, _REPORTS.read_text("utf-8").splitlines())
    return [_reported(row, row["raw_repeat"]) for row in rows if "raw_repeat" in row]


def _reported(row: dict[str, Any], repeat: dict[str, Any]) -> Reported:
    # Text to be repaired stands in an argument here.
    opening, closing = ("", "")
    if row["mode"] == "repair":
        opening, closing = SHAPES["xml"].opening.replace("note", "f"), SHAPES["xml"].closing
    return Reported(
        name=row["id"],
        dialect=_REPORTED_IN[row["family"]],
        chunk=None if row["chunking"] == "whole" else int(row["chunking"]),
        prefix=opening + repeat["prefix"],
        unit=repeat["unit"],
        middle=repeat.get("middle", ""),
        close=repeat.get("unit_close", ""),
        suffix=repeat["suffix"] + closing,
        times=repeat["times"],
    )


# --- what is measured ---------------------------------------------------------------------


def drive(feed: Callable[[Any], object], chunks: Iterable[object]) -> None:
    """Feed every chunk and let go of its events."""
    for chunk in chunks:
        events = feed(chunk)  # noqa: F841


def drive_floor(text: Callable[[str], Any], chunks: Iterable[str]) -> None:
    """The least that an answer in Python costs: a list with one event, made in place."""
    for chunk in chunks:
        events = [text(chunk)]  # noqa: F841


def scan_document(engine: str, dialect: str, chunks: Iterable[str]) -> None:
    """A whole stream, from making the scanner to its end."""
    scanner = ENGINES[engine](dialect)
    drive(scanner.feed, chunks)
    scanner.flush()

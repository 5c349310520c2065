"""The inputs of the benchmarks and the scanners that read them.

A `Stream` is what one benchmark feeds: text that brings a scanner into a state, then the pieces
whose cost is measured. Everything is generated from fixed text, so that two runs read the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

import pure

# None where it is not installed: the pure scanners can be measured without it.
toolspeak: Any = import_module("toolspeak") if find_spec("toolspeak") else None

__all__ = [
    "CHUNK",
    "ENGINES",
    "KB",
    "MB",
    "TOOLS",
    "Scanner",
    "Stream",
    "adversarial",
    "argument_start",
    "bulk_texts",
    "chunks_of",
    "conversations",
    "drive",
    "drive_floor",
    "growth_document",
    "open_streams",
    "plain_streams",
    "scan_document",
    "toolspeak",
]

CHUNK = 4  # characters: about one token
KB, MB = 1_000, 1_000_000

TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "note",
            "parameters": {
                "type": "object",
                "properties": {"title": {"type": "string"}, "body": {"type": "string"}},
            },
        },
    }
]


class Scanner(Protocol):
    """What both engines offer."""

    def feed(self, chunk: str, /) -> Sequence[Any]: ...

    def flush(self) -> Sequence[Any]: ...


def _pure(dialect: str) -> Scanner:
    return pure.make_scanner(dialect, tools=TOOLS)


def _toolspeak(dialect: str) -> Scanner:
    scanner: Scanner = toolspeak.get_dialect(dialect).scanner(tools=TOOLS)
    return scanner


ENGINES: dict[str, Callable[[str], Scanner]] = {"pure": _pure}
if toolspeak is not None:
    ENGINES = {"toolspeak": _toolspeak, **ENGINES}


# --- text ---------------------------------------------------------------------------------

_PROSE = (
    "The harbour lies behind the old customs house, and the ferry leaves at ten past six. "
    "Whoever comes by bicycle should take the path along the canal: it is longer, but level. "
    "In winter (from November on) the café is closed; tickets are then sold on board.\n\n"
    "Prices have not changed since 2019. A return ticket costs 7.50, children travel free.\n"
)

_CODE = (
    "template <typename T>\nstd::vector<std::pair<T, int>> count(const std::vector<T>& v) {\n"
    "  std::map<T, int> m;\n  for (size_t i = 0; i < v.size(); ++i) if (v[i] < 10) m[v[i]] += 1;\n"
    '  std::cout << "<p class=\'n\'>" << m.size() << "</p>" << std::endl;\n'
    "  return std::vector<std::pair<T, int>>(m.begin(), m.end());\n}\n"
)


def _filled(pattern: str, size: int) -> str:
    return (pattern * (size // len(pattern) + 1))[:size]


def chunks_of(text: str, size: int = CHUNK) -> list[str]:
    """The text in pieces of `size` characters."""
    return [text[start : start + size] for start in range(0, len(text), size)]


# --- what a scanner reads -----------------------------------------------------------------

# Per dialect: how a call opens up to its long argument, and how it goes on behind it.
_CALL = {
    "xml": ('<invoke name="note"><parameter name="body">', "</parameter></invoke>"),
    "hermes": ('<tool_call>{"name": "note", "arguments": {"body": "', '"}}</tool_call>'),
}


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
    starts = {"prose": "", "thinking": "<think>"}
    return tuple(
        Stream(name, dialect, start, chunks)
        for dialect in _CALL
        for name, start in {**starts, "argument": argument_start(dialect)}.items()
    )


@cache
def conversations(size: int = 40 * KB) -> tuple[Stream, ...]:
    """Thinking, text and calls as a model mixes them: every part short, many markers."""
    return tuple(
        Stream("conversation", dialect, "", chunks_of(_conversation(dialect, size)))
        for dialect in _CALL
    )


def _conversation(dialect: str, size: int) -> str:
    turn = f"<think>The ferry times are asked for.</think>\n{_PROSE[:120]}\n{_calls(dialect, 0)}"
    return turn * (size // len(turn) + 1)


def argument_start(dialect: str) -> str:
    """The text of a call up to the inside of a string argument."""
    return _CALL[dialect][0]


def growth_document(dialect: str, size: int) -> tuple[str, str, int, str]:
    """A call with an argument of `size` characters: opening, a block, its repetitions, closing.

    The block is the same for all sizes, so that the input itself costs the same per character.
    """
    block = _filled(_PROSE, 10 * KB).replace("\n", " ").replace('"', "'")
    opening, closing = _CALL[dialect]
    return opening, block, size // len(block), closing


@cache
def open_streams(count: int) -> tuple[Stream, ...]:
    """Per state a stream of `count` chunks that never leaves it, each chunk with a "<"."""
    chunks = ["a<b "] * count
    return (
        Stream("prose", "xml", "", chunks),
        Stream("in an argument", "xml", argument_start("xml"), chunks),
        Stream("beside the arguments", "xml", '<invoke name="note">', chunks),
        Stream("in a section", "xml", "<function_calls>", chunks),
        Stream("prose", "hermes", "", chunks),
        Stream("in thinking", "hermes", "<think>", chunks),
        Stream("in an argument", "hermes", argument_start("hermes"), chunks),
        Stream("before the name", "hermes", '<tool_call>{"arguments": {"body": "', chunks),
    )


def bulk_texts(size: int = MB) -> dict[str, tuple[str, str]]:
    """Name → (dialect, text): prose, code full of "<", calls."""
    texts = {}
    for dialect in _CALL:
        texts[f"{dialect}: prose"] = (dialect, _filled(_PROSE, size))
        texts[f'{dialect}: code full of "<"'] = (dialect, _filled(_CODE, size))
        texts[f"{dialect}: calls"] = (dialect, _calls(dialect, size))
    return texts


def _calls(dialect: str, size: int) -> str:
    if dialect == "hermes":
        arguments = {"title": "Ferry", "body": _PROSE}
        body = json.dumps({"name": "note", "arguments": arguments}, ensure_ascii=False)
        call = f"Noted.\n<tool_call>\n{body}\n</tool_call>\n"
    else:
        call = (
            'Noted.\n<invoke name="note">\n<parameter name="title">Ferry</parameter>\n'
            f'<parameter name="body">{_PROSE}</parameter>\n</invoke>\n'
        )
    return call * (size // len(call) + 1)


def adversarial(dialect: str, size: int) -> dict[str, str]:
    """Name → text of about `size` characters that asks much of a careless scanner."""
    opening = argument_start(dialect)
    texts = {
        'runs of "<"': "<" * size,
        '"<" and spaces': _filled("<" + " " * 500, size),
        "long unfinished words": _filled("<" + "a" * 500, size),
    }
    if dialect == "hermes":
        nested = '<tool_call>{"name": "note", "arguments": {"body": '
        texts |= {
            "near-markers": _filled("<tool_cal <think <tool_call", size),
            "near-closers in a string": opening + _filled("</tool_cal </tool_call", size),
            "backslashes in a string": opening + _filled("\\\\\\\\ ", size),
            "deep brackets": nested + "[" * size,
            "calls that never close": _filled('<tool_call>{"</tool_call><tool_call>{\\"', size),
        }
    else:
        texts |= {
            "near-markers": _filled("<invok <parameter <think", size),
            "near-closers in a value": opening + _filled("</paramete </parameter", size),
            "deep brackets": opening + "[" * size,
            "long attributes": _filled('<invoke name="' + "a" * 300, size),
            "attributes in attributes": _filled('<invoke a="x" b="', size),
            "long attributes in a call": '<invoke name="f">'
            + _filled('<parameter name="' + "a" * 300, size),
        }
    return texts


# --- what is measured ---------------------------------------------------------------------


def drive(feed: Callable[[str], Sequence[Any]], chunks: Iterable[str]) -> None:
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

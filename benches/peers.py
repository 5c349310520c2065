"""Other libraries that read the same dialects, each behind the same small interface.

They are installed by the extra `bench-peers`. Nothing here imports them before it is asked to.
"""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module, metadata
from importlib.util import find_spec
from typing import Any

from shapes import SPELLINGS, TOOLS, Shape
from vocabulary import VOCABULARY, present
from workloads import chunks_of, dialect_of, toolspeak

__all__ = [
    "DETECTORS",
    "Call",
    "Detector",
    "Tokens",
    "harmony_tokens",
    "pieces_of",
    "toolspeak_calls",
    "versions",
    "why_no_detectors",
    "why_no_harmony",
]

Call = tuple[str, Any]  # name, arguments


def versions() -> str:
    """The peers that are installed."""
    names = {"openai-harmony": "openai_harmony", "llm-router-utils": "llm_router_utils"}
    found = [
        f"{name} {metadata.version(name) if find_spec(module) else 'not installed'}"
        for name, module in names.items()
    ]
    return ", ".join(found)


def toolspeak_calls(key: str, pieces: Sequence[str]) -> list[Call]:
    """The calls that toolspeak finds in a stream."""
    scanner = toolspeak.get_dialect(dialect_of(key)).scanner(tools=TOOLS)
    events = [event for piece in pieces for event in scanner.feed(piece)] + scanner.flush()
    ends = (event for event in events if isinstance(event, toolspeak.ToolEnd))
    return [(end.name, end.arguments) for end in ends]


# --- SGLang's detectors -------------------------------------------------------------------


@dataclass(frozen=True)
class Detector:
    """A detector of SGLang and the call that both read."""

    name: str
    key: str  # in SPELLINGS
    shape: Shape

    def parser(self) -> Any:
        """A new parser of one stream."""
        parser, tools = _sglang()
        return parser(tools, self.name)

    def feed(self) -> Callable[[str], Any]:
        """What takes a chunk of a new stream, and gives text and pieces of calls."""
        feed: Callable[[str], Any] = self.parser().parse_stream_chunk
        return feed

    def calls(self, pieces: Sequence[str]) -> list[Call]:
        """The calls that the detector finds in a stream."""
        names: dict[int, str] = {}
        arguments: dict[int, str] = {}
        feed = self.feed()
        for piece in pieces:
            for part in feed(piece)[1]:
                if part.name:
                    names[part.tool_index] = part.name
                arguments[part.tool_index] = arguments.get(part.tool_index, "") + part.parameters
        return [(names[index], json.loads(text)) for index, text in arguments.items()]


def _detectors() -> dict[str, Detector]:
    keys = {
        "hermes": "hermes",
        "qwen25": "qwen3",
        "qwen3_coder": "qwen3-coder",
        "kimi_k2": "kimi",
        "glm45": "glm",
        "deepseekv3": "deepseek (fenced JSON)",
        "deepseekv31": "deepseek",
        "deepseekv32": "deepseek (DSML)",
        "minimax-m2": "minimax",
        "gemma4": "gemma",
    }
    detectors = {name: Detector(name, key, SPELLINGS[key]) for name, key in keys.items()}
    # It wants the constraint, and no `<|start|>assistant`, which a server's prompt holds.
    opening = '<|channel|>commentary to=functions.note<|constrain|>json<|message|>{"body":"'
    shape = replace(SPELLINGS["harmony"], opening=opening)
    return detectors | {"gpt-oss": Detector("gpt-oss", "harmony", shape)}


DETECTORS = _detectors()
"""By their names in SGLang. Its `pythonic` reads calls in brackets, which no dialect here has."""


@cache
def why_no_detectors() -> str:
    """Why the detectors cannot be measured here, or nothing."""
    if not find_spec("llm_router_utils"):
        return "llm-router-utils is not installed (extra bench-peers)"
    try:
        _sglang()
    except (ImportError, AttributeError) as error:
        return f"llm-router-utils cannot be used: {error}"
    return ""


@cache
def _sglang() -> tuple[Any, list[Any]]:
    logging.getLogger("llm_router_utils").setLevel(logging.CRITICAL)
    root = "llm_router_utils.sglang.srt"
    parser = import_module(f"{root}.function_call.function_call_parser").FunctionCallParser
    tool = import_module(f"{root}.entrypoints.openai.protocol").Tool
    return parser, [tool(**one) for one in TOOLS]


def pieces_of(text: str) -> list[str]:
    """The text in chunks, but what stands in angle brackets in one piece.

    Such markers are mostly single tokens, and several detectors rely on that.
    """
    parts = re.split(r"(<[^<>]*>)", text)
    return [
        piece for part in parts for piece in ([part] if part.startswith("<") else chunks_of(part))
    ]


# --- openai-harmony -----------------------------------------------------------------------


@dataclass(frozen=True)
class Tokens:
    """A text as openai-harmony takes it and as toolspeak does: ids, and the text of each."""

    ids: list[int]
    texts: list[str]

    def parser(self) -> Any:
        """A new parser of one message of the assistant."""
        harmony = import_module("openai_harmony")
        return harmony.StreamableParser(_encoding(), harmony.Role.ASSISTANT)

    def calls(self) -> list[Call]:
        """The calls that openai-harmony finds."""
        parser = self.parser()
        for token in self.ids:
            parser.process(token)
        parser.process_eos()
        return [
            (message.recipient.removeprefix("functions."), json.loads(message.content[0].text))
            for message in parser.messages
            if message.recipient
        ]


def harmony_tokens(text: str) -> Tokens:
    """The text as tokens of the model; it must be ASCII, so that each token is text."""
    encoding = _encoding()
    ids = encoding.encode(text, allowed_special="all")
    return Tokens(ids, [encoding.decode([token]) for token in ids])


@cache
def why_no_harmony() -> str:
    """Why openai-harmony cannot be measured here, or nothing."""
    if not find_spec("openai_harmony"):
        return "openai-harmony is not installed (extra bench-peers)"
    try:
        _encoding()
    except Exception as error:  # noqa: BLE001 - its errors have no common base but this
        return f"openai-harmony has no vocabulary, see benches/vocabulary.py: {error}"
    return ""


@cache
def _encoding() -> Any:
    if present():
        os.environ.setdefault("TIKTOKEN_ENCODINGS_BASE", str(VOCABULARY.parent))
    harmony = import_module("openai_harmony")
    return harmony.load_harmony_encoding(harmony.HarmonyEncodingName.HARMONY_GPT_OSS)

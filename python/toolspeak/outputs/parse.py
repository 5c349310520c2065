"""Reading whole outputs: text in, a `Message` out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolspeak._core import ToolAbort
from toolspeak.dialect import Dialect
from toolspeak.messages.values import Message, RawBlock
from toolspeak.registry import find_dialect
from toolspeak.tools.tool_set import Tools

__all__ = ["parse", "parse_many"]


def parse(
    text: str | bytes, dialect: str | Dialect, *, tools: Tools = (), **options: Any
) -> Message:
    """Reads one whole model output. `options` are those of `Dialect.scanner`."""
    return parse_many([text], dialect, tools=tools, **options)[0]


def parse_many(
    texts: Iterable[str | bytes], dialect: str | Dialect, *, tools: Tools = (), **options: Any
) -> list[Message]:
    """Reads many whole outputs with the same tools and options, in order.

    They are scanned on all cores with the GIL released, while the thread that calls makes Python
    objects of what has been scanned.
    """
    if isinstance(texts, str | bytes):
        raise TypeError("texts are several; for a single one there is parse")
    scanner = find_dialect(dialect).scanner(tools=tools, **options)
    return scanner.read_all(list(texts), _message)


def _message(
    text: str,
    thinking: list[str],
    calls: list[tuple[str, str, dict[str, Any], str, bool]],
    aborted: list[ToolAbort],
) -> Message:
    """The blocks by their kinds; `Message.of` takes its place once the core tells their order."""
    blocks: list[RawBlock] = [("text", text)] if text else []
    blocks += [("thinking", block) for block in thinking]
    blocks += [("call", *call) for call in calls]
    return Message.of([*blocks, *aborted])

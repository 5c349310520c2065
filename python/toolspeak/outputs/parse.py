"""Reading whole outputs: text in, a `Message` out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolspeak.dialect import Dialect
from toolspeak.messages.values import Message
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
    return find_dialect(dialect).read_messages(texts, tools=tools, **options)

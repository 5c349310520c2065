"""Reading whole outputs: text in, a `Message` out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolspeak.dialect import Dialect, get_dialect
from toolspeak.messages import Message
from toolspeak.schema import Tools

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

    They are scanned on all cores with the GIL released; arguments are then read one by one.
    """
    named = dialect if isinstance(dialect, Dialect) else get_dialect(dialect)
    return named.read_messages(texts, tools=tools, **options)

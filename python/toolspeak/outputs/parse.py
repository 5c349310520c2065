"""Reading whole outputs: text in, a `Message` out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from toolspeak.dialect import Dialect
from toolspeak.messages.values import Message, TextBlock, ThinkingBlock, ToolCall
from toolspeak.options import ScanFields, ScanOptions
from toolspeak.outputs.assembler import Assembler
from toolspeak.registry import find_dialect
from toolspeak.tools.tool_set import Tools

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["parse", "parse_many"]


def parse(
    text: str | bytes,
    dialect: str | Dialect,
    *,
    tools: Tools = (),
    prompt: str = "",
    options: ScanOptions | None = None,
    **changes: Unpack[ScanFields],
) -> Message:
    """Reads one whole model output; the keywords are those of `Dialect.scanner`."""
    if not prompt:
        return parse_many([text], dialect, tools=tools, options=options, **changes)[0]
    spoken = find_dialect(dialect)
    scanner = spoken.scanner(tools=tools, prompt=prompt, options=options, **changes)
    assembler = Assembler(spoken, tools=tools)
    assembler.add(scanner.feed(text))
    assembler.add(scanner.flush())
    return assembler.finish()


def parse_many(
    texts: Iterable[str | bytes],
    dialect: str | Dialect,
    *,
    tools: Tools = (),
    options: ScanOptions | None = None,
    **changes: Unpack[ScanFields],
) -> list[Message]:
    """Reads many whole outputs with the same tools and options, in order.

    They are scanned on all cores with the GIL released, while the thread that calls makes Python
    objects of what has been scanned.
    """
    if isinstance(texts, str | bytes):
        raise TypeError("texts are several; for a single one there is parse")
    scanner = find_dialect(dialect).scanner(tools=tools, options=options, **changes)
    return scanner._read_all(list(texts), _Classes)


class _Classes:
    """What the core makes messages of."""

    message = Message
    text = TextBlock
    thinking = ThinkingBlock
    call = ToolCall

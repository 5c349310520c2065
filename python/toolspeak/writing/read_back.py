"""Reading back what was written: the dialect's own scanner says what a text means."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from toolspeak._core import Scanner, ToolAbort, ToolEnd
from toolspeak.options import ScanOptions

if TYPE_CHECKING:
    import json

    from toolspeak._core import CompiledGrammar
    from toolspeak.messages.values import ToolCall
    from toolspeak.tools.tool_set import ToolSet

__all__ = ["is_same", "read_back"]

_PLAIN = ScanOptions()


def read_back(grammar: CompiledGrammar, text: str, tools: ToolSet) -> list[ToolEnd | ToolAbort]:
    """The calls that a scanner finds in `text`, complete or aborted."""
    scanner = Scanner(grammar, tools, _PLAIN.settings)
    events = [*scanner.feed(text), *scanner.flush()]
    return [event for event in events if isinstance(event, ToolEnd | ToolAbort)]


def is_same(found: ToolEnd | ToolAbort, call: ToolCall) -> bool:
    """Whether a call was read as it is meant, and nothing in it was mended."""
    if isinstance(found, ToolAbort) or found.repaired or found.name != call.name:
        return False
    # As JSON, so that 1 and True differ and tuples are lists; the order of keys does not count.
    read, given = found.arguments, dict(call.arguments)
    return any(_json(sort).encode(read) == _json(sort).encode(given) for sort in (False, True))


@cache
def _json(sort_keys: bool) -> json.JSONEncoder:
    import json  # noqa: PLC0415 - not for what only reads

    return json.JSONEncoder(ensure_ascii=False, sort_keys=sort_keys)

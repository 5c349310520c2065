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
    read, given = found.arguments, dict(call.arguments)
    return (read == given and _kinds(read) == _kinds(given)) or _json(read) == _json(given)


def _kinds(value: object) -> list[type]:
    """The types of the scalars in a value: 1 and True are equal, as are 1 and 1.0, one number."""
    kinds: list[type] = []
    pending: list[object] = [value]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            pending.extend(node.values())
        elif isinstance(node, list | tuple):
            pending.extend(node)
        else:
            is_whole = isinstance(node, float) and node.is_integer()
            kinds.append(int if is_whole else type(node))
    return kinds


def _json(value: object) -> str:
    """A value as text in which tuples are lists and the order of keys does not count."""
    return _encoder().encode(value)


@cache
def _encoder() -> json.JSONEncoder:
    import json  # noqa: PLC0415 - not for what only reads

    return json.JSONEncoder(sort_keys=True)

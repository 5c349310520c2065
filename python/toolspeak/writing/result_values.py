"""Results that are written as values in a dialect's own literals, not as text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from toolspeak.writing.text import compact_json

__all__ = ["clean_value", "result_value"]

# A result that nests deeper is written as the text that it is.
_MAX_DEPTH = 100


def result_value(text: str) -> object:
    """The value of a result that is JSON, else its text."""
    import json  # noqa: PLC0415 - not for what only reads

    try:
        value: object = json.loads(text)
        compact_json(value)
    except (ValueError, RecursionError):  # RenderError is a ValueError
        return text
    return text if _is_deep(value) else value


def clean_value(text: str, clean: Callable[[str], str]) -> str:
    """A result's text, with `clean` applied to it or to the strings and keys of its value."""
    value = result_value(text)
    if isinstance(value, str):
        return compact_json(clean(value)) if value != text else clean(text)
    cleaned = _map_strings(value, clean)
    if any("<" in key for key in _keys(cleaned)):
        # Keys are bare: one could run into what stands behind it. As text, none can.
        return compact_json(clean(compact_json(cleaned)))
    return text if cleaned == value else compact_json(cleaned)


def _is_deep(value: object) -> bool:
    level = [value]
    for _ in range(_MAX_DEPTH):
        level = [child for node in level for child in _children(node)]
        if not level:
            return False
    return True


def _children(node: object) -> Iterable[object]:
    if isinstance(node, dict):
        return node.values()
    return node if isinstance(node, list) else ()


def _keys(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
    for child in _children(value):
        yield from _keys(child)


def _map_strings(value: object, change: Callable[[str], str]) -> object:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_map_strings(item, change) for item in value]
    if isinstance(value, dict):
        return {change(key): _map_strings(item, change) for key, item in value.items()}
    return value

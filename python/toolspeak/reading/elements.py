"""Reading a call written as a tag: attributes, and child elements or one verbatim text.

Elements nest by the tool's schema, and by their shape where it says nothing. They are read from
left to right with a stack of open elements, each piece of text once. A text is everything up to
its own closer, and nothing in it is unescaped: one newline behind the opener and one before the
closer are layout.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from toolspeak.reading.json_values import coerce_value
from toolspeak.reading.python_literals import MAX_DEPTH
from toolspeak.tools.json_schema import (
    Schema,
    array_items,
    is_string_only,
    object_properties,
    schema_types,
)
from toolspeak.tools.tool_set import ToolSet

__all__ = ["body_is_elements", "body_parameter", "holds_text", "read_elements"]

Attributes: TypeAlias = "Sequence[tuple[str, str | None]]"
"""The attributes of a tag: name and text, None for one without a value."""

_DEFAULT_PARAMETER = "input"

_NAME = r"[^\W\d][\w.-]*"
_OPENER = re.compile(rf"<({_NAME})(?=[\s/>])")
_FIRST = re.compile(rf"[ \t\r\n]*<({_NAME})[\s/>]")
_ATTRIBUTE = re.compile(
    r"""\s+([^\W\d][\w:.-]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s<>"']*?)(?=\s|/?>)))?"""
)
_TAG_END = re.compile(r"\s*(/?)>")


def read_elements(
    tool: str,
    attributes: Attributes,
    body: str | None,
    tools: ToolSet,
    *,
    cut: bool = False,
) -> tuple[dict[str, Any], bool]:
    """The arguments of a call of `tool`, and whether something was mended.

    `body` is the text between the call's tags, None where the tag closes itself. An attribute
    without a value is true. Elements come before attributes of their name; a repeated element is
    a list. With `cut`, `body` ends anywhere, and only what was complete is answered: elements that
    are closed, unless another of their name was just being written.

    Raises `ValueError` for an element that is never closed (unless `cut`), and for more than
    `MAX_DEPTH` elements open at one place.
    """
    reader = _Reader(tools.parameters(tool), cut=cut)
    arguments = reader.attributes(attributes, tools.properties(tool))
    if body is None or not body.strip():
        return arguments, reader.repaired
    if body_is_elements(tool, body, tools):
        arguments.update(reader.elements(body, tools.properties(tool)))
    elif not cut:
        given = [key for key, _ in attributes]
        arguments[body_parameter(tool, given, tools)] = _without_layout(body)
    return arguments, reader.repaired


def body_is_elements(tool: str, body_start: str, tools: ToolSet) -> bool:
    """Whether a body that begins so holds elements; otherwise it is one text.

    It does if it begins with the tag of a parameter, or of anything if the tool declares none.
    """
    return _begins_elements(body_start, 0, tools.properties(tool))


def body_parameter(tool: str, given: Iterable[str], tools: ToolSet) -> str:
    """The parameter that a verbatim body fills when the call's attributes are `given`.

    It is the first string parameter that is not given, for a tool whose first parameter is one;
    else `input`.
    """
    keys = list(tools.properties(tool))
    if not keys or not tools.is_string_only(tool, keys[0]):
        return _DEFAULT_PARAMETER
    free = (key for key in keys if key not in given and tools.is_string_only(tool, key))
    return next(free, _DEFAULT_PARAMETER)


def holds_text(tool: str, key: str, tools: ToolSet) -> bool:
    """Whether the element of parameter `key` holds plain text, which its first closer ends."""
    root = tools.parameters(tool)
    return is_string_only(_element_schema(tools.property_schema(tool, key), root), root)


def _element_schema(schema: Schema, root: Schema) -> Schema:
    """The schema of one element: that of the items, where the schema is an array's."""
    return array_items(schema, root) if _is_array(schema, root) else schema


def _is_array(schema: Schema, root: Schema) -> bool:
    return _types(schema, root) == {"array"}


def _types(schema: Schema, root: Schema) -> set[str]:
    return set(schema_types(schema, root)) - {"null"}


def _begins_elements(text: str, at: int, properties: Mapping[str, Schema]) -> bool:
    found = _FIRST.match(text, at)
    if found is None:
        return False
    return found[1] in properties if properties else found[1][0].isascii() and found[1][0] != "_"


def _without_layout(text: str) -> str:
    text = text.removeprefix("\n")
    return text.removesuffix("\n")


@dataclass(frozen=True, slots=True)
class _Tag:
    """An opening tag; `end` is the position behind it."""

    key: str
    attributes: Attributes
    closes_itself: bool
    end: int


@dataclass(frozen=True, slots=True)
class _Element:
    """An open element that holds elements; `schema` is its own, an item's under an array."""

    key: str
    schema: Schema
    properties: Mapping[str, Schema]
    attributes: dict[str, Any]
    start: int
    """Where its content begins."""
    children: dict[str, list[Any]] = field(default_factory=dict)


class _EndOfText(Exception):  # noqa: N818
    """The text ends before the element with this name does."""


class _Reader:
    """One call on its way to arguments. `root` is the schema that references point into."""

    def __init__(self, root: Schema, *, cut: bool) -> None:
        self.root = root
        self.cut = cut
        self.repaired = False
        self.text = ""
        self.open: list[_Element] = []

    # --- values ---

    def attributes(
        self, attributes: Attributes, properties: Mapping[str, Schema]
    ) -> dict[str, Any]:
        """The attributes of one tag as values, by the schemas of `properties`."""
        return {
            key: True if text is None else self._typed(text, properties.get(key))
            for key, text in attributes
        }

    def _typed(self, text: str, schema: Schema) -> Any:
        if is_string_only(schema, self.root):
            return text
        value, mended = coerce_value(text)
        self.repaired = self.repaired or mended
        return value

    def _content(self, text: str, schema: Schema, attributes: dict[str, Any]) -> Any:
        """The value of an element that holds text, or nothing."""
        is_object = bool(attributes) or _types(schema, self.root) == {"object"}
        if is_object and not text.strip():
            return attributes
        value = self._typed(_without_layout(text), schema)
        if attributes and isinstance(value, dict):
            return {**attributes, **value}
        if attributes:
            self.repaired = True  # a text has no place for them
        return value

    # --- elements ---

    def elements(self, text: str, properties: Mapping[str, Schema]) -> dict[str, Any]:
        """The elements of `text`, those of one name together."""
        self.text = text
        top = _Element("", None, properties, {}, 0)
        self.open = [top]
        at = 0
        try:
            while at < len(text):
                at = self._step(at)
            if len(self.open) > 1:
                raise _EndOfText("")
        except _EndOfText as end:
            key = self.open[1].key if len(self.open) > 1 else str(end)
            if not self.cut:
                raise ValueError(f"the element {key!r} is never closed") from None
            top.children.pop(key, None)
        return self._joined(top)

    def _step(self, at: int) -> int:
        """Reads up to the next `<`, and what begins there; the position behind it."""
        text, element = self.text, self.open[-1]
        start = text.find("<", at)
        if start < 0:
            start = len(text)
        if text[at:start].strip():
            return self._noise(at, start)
        closer = f"</{element.key}>"
        if len(self.open) > 1 and text.startswith(closer, start):
            self._add(self.open.pop().key, self._joined(element))
            return start + len(closer)
        tag = self._tag(start)
        if tag is not None:
            return self._begin(tag)
        return self._noise(start, start + 1) if start < len(text) else start

    def _noise(self, at: int, end: int) -> int:
        """Text between elements makes the whole a text, unless the schema wants elements."""
        element = self.open[-1]
        if len(self.open) == 1 or element.properties:
            self.repaired = True
            return end
        end, behind = self._closer(element.key, at)
        self.open.pop()
        text = self.text[element.start : end]
        self._add(element.key, self._content(text, element.schema, element.attributes))
        return behind

    def _tag(self, start: int) -> _Tag | None:
        """The opening tag at `start`, if there is one."""
        opener = _OPENER.match(self.text, start)
        if opener is None:
            return None
        attributes: list[tuple[str, str | None]] = []
        at = opener.end()
        while found := _ATTRIBUTE.match(self.text, at):
            values = [value for value in found.groups()[1:] if value is not None]
            attributes.append((found[1], values[0] if values else None))
            at = found.end()
        end = _TAG_END.match(self.text, at)
        return _Tag(opener[1], attributes, end[1] == "/", end.end()) if end else None

    def _begin(self, tag: _Tag) -> int:
        """Opens the element of `tag`, or reads it at once if it holds text or nothing."""
        schema = _element_schema(self.open[-1].properties.get(tag.key), self.root)
        properties = object_properties(schema, self.root)
        attributes = self.attributes(tag.attributes, properties)
        if not tag.closes_itself and self._holds_elements(tag.end, schema, properties):
            if len(self.open) > MAX_DEPTH:
                raise ValueError(f"more than {MAX_DEPTH} elements are open at one place")
            self.open.append(_Element(tag.key, schema, properties, attributes, tag.end))
            return tag.end
        end = behind = tag.end
        if not tag.closes_itself:
            is_text = is_string_only(schema, self.root)
            end, behind = self._closer(tag.key, tag.end, nests=not is_text)
        self._add(tag.key, self._content(self.text[tag.end : end], schema, attributes))
        return behind

    def _holds_elements(self, at: int, schema: Schema, properties: Mapping[str, Schema]) -> bool:
        types = _types(schema, self.root)
        allowed = not types or "object" in types
        return allowed and _begins_elements(self.text, at, properties)

    def _closer(self, key: str, at: int, *, nests: bool = True) -> tuple[int, int]:
        """Where the closer of `key` begins and ends from `at` on, with elements of `key` inside."""
        name, depth = re.escape(key), 0
        tags = re.compile(rf"</{name}>|<{name}(?=[\s/>])" if nests else f"</{name}>")
        for found in tags.finditer(self.text, at):
            if not found[0].endswith(">"):
                tag = self._tag(found.start())
                depth += tag is not None and not tag.closes_itself
            elif depth:
                depth -= 1
            else:
                return found.span()
        raise _EndOfText(key)

    def _add(self, key: str, value: Any) -> None:
        self.open[-1].children.setdefault(key, []).append(value)

    def _joined(self, element: _Element) -> dict[str, Any]:
        """The attributes and elements of an element; elements of one name are a list."""
        joined = dict(element.attributes)
        for key, values in element.children.items():
            schema = element.properties.get(key)
            if _is_array(schema, self.root):
                joined[key] = self._items(values, schema)
            else:
                joined[key] = values if len(values) > 1 else values[0]
        return joined

    def _items(self, values: list[Any], schema: Schema) -> list[Any]:
        """Items of an array; one element that holds the whole list is taken for the list."""
        types = _types(array_items(schema, self.root), self.root)
        is_whole = len(values) == 1 and isinstance(values[0], list)
        if is_whole and types and "array" not in types:
            self.repaired = True
            return list(values[0])
        return values

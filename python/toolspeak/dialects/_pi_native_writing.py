"""Writing pi-native.

How a call is written depends on what its values allow, in this order: a verbatim body for the
longest text of a tool that takes only strings, attributes for plain values, else elements.

A reader types a text by the schema: the text itself for a string-only parameter, otherwise JSON
if it is JSON and text if not. So a string that would be read as something else is written as a
JSON string there, as is a text that holds its own closer; a string-only parameter has no such way
out. Elements of a schema array are its items; a list that they cannot spell plainly (an empty one,
a list of lists) becomes a JSON attribute, or JSON items where the tag would grow too long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from toolspeak.errors import RenderError
from toolspeak.tools.json_schema import (
    Schema,
    array_items,
    is_string_only,
    object_properties,
    schema_types,
)
from toolspeak.tools.tool_set import ToolSet
from toolspeak.writing.renderer import Renderer
from toolspeak.writing.text import (
    MAX_TAG_BYTES,
    bounded_nesting,
    compact_json,
    has_surrogate,
)

if TYPE_CHECKING:
    from toolspeak.messages.values import ToolCall

__all__ = ["PiNativeRenderer"]

# The parameter of a body of text, where the schema names none.
_BODY = "input"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_LETTER_TAG = re.compile(r"\s*<[A-Za-z]")
# What a reader might take for JSON, Python or something to repair, rather than for text.
_DATA_LIKE = re.compile(
    r"""\s*(?:[\[{"'0-9.+-]|\Z|(?:true|false|null|none|nan|inf|infinity)\s*\Z)""", re.IGNORECASE
)
_UNQUOTABLE = re.compile('["<>\r\n\ud800-\udfff]')
_ATTRIBUTE_ESCAPES = str.maketrans({"'": r"\u0027", "<": r"\u003c", ">": r"\u003e"})


class PiNativeRenderer(Renderer):
    """Renders pi-native."""

    def write_call(self, call: ToolCall, index: int, tools: ToolSet) -> Iterator[str]:
        """The plainest of the three forms that carries the call."""
        arguments = dict(call.arguments)
        for name in (call.name, *arguments):
            _require_name(name)
        compact_json(arguments)  # JSON types only, no cycles
        with bounded_nesting():
            yield _Call(call.name, arguments, tools).text()


class _Call:
    """One call on its way to text."""

    def __init__(self, name: str, arguments: dict[str, object], tools: ToolSet) -> None:
        self.name = name
        self.arguments = arguments
        self.tools = tools
        self.root = tools.parameters(name)
        self.schemas = tools.properties(name)
        self.texts = [key for key in self.schemas if tools.is_string_only(name, key)]

    def text(self) -> str:
        if self.schemas and self.arguments:
            body = self._with_body() if len(self.texts) == len(self.schemas) else None
            if short := body or self._with_attributes():
                return short
        try:
            return self._with_elements()
        except RenderError:
            # A body ends only at the call's own closer, so it may hold what an element cannot.
            if body := self._with_body():
                return body
            raise

    # --- the three forms ---

    def _with_body(self) -> str | None:
        """The longest text as the body, if the reader then gives it to the right parameter."""
        texts = {key: text for key, text in self.arguments.items() if isinstance(text, str)}
        if not texts:
            return None
        # Of equal ones the first declared: a call read back has its body's argument last.
        ranks = {key: rank for rank, key in enumerate(self.schemas)}
        key = max(texts, key=lambda text: (len(texts[text]), -ranks.get(text, len(ranks))))
        opener = self._opener([other for other in self.arguments if other != key])
        if opener is None or key != self._heir(key) or not self._is_body(texts[key]):
            return None
        return f"{opener}>\n{texts[key]}\n</call:{self.name}>"

    def _heir(self, key: str) -> str | None:
        """The parameter that a body belongs to when all arguments but `key` are attributes."""
        given = self.arguments.keys() - {key}
        first_is_text = self.texts[:1] == list(self.schemas)[:1]
        free = (text for text in self.texts if first_is_text and text not in given)
        heir = next(free, _BODY)
        return None if heir in self.schemas and heir not in self.texts else heir

    def _is_body(self, text: str) -> bool:
        if not text.strip() or has_surrogate(text) or f"</call:{self.name}" in text:
            return False
        return not _looks_like_elements(text, self.schemas)

    def _with_attributes(self) -> str | None:
        opener = self._opener(list(self.arguments))
        return opener and f"{opener}/>"

    def _with_elements(self) -> str:
        opener = f"<call:{self.name}"
        elements: dict[str, object] = {}
        for key, value in self.arguments.items():
            if not self._is_spelled(value, self.schemas.get(key)):
                longer = f"{opener} {_json_attribute(key, value)}"
                if _fits(longer):
                    opener = longer
                    continue
            elements[key] = value
        if not elements:
            return f"{opener}/>"
        lines = self._children(elements, self.schemas)
        return "\n".join([f"{opener}>", *lines, f"</call:{self.name}>"])

    # --- attributes ---

    def _opener(self, keys: list[str]) -> str | None:
        """The call's tag, not yet closed, with these arguments as attributes, if they can be."""
        attributes = [self._attribute(key, self.arguments[key]) for key in keys]
        opener = " ".join([f"<call:{self.name}", *map(str, attributes)])
        return opener if None not in attributes and _fits(opener) else None

    def _attribute(self, key: str, value: object) -> str | None:
        if isinstance(value, dict | list | tuple):
            return None
        if not isinstance(value, str):
            return None if key in self.texts else f"{key}={compact_json(value)}"
        if key not in self.texts and _is_data_like(value):
            return _json_attribute(key, value)
        plain = value == value.strip() and not _UNQUOTABLE.search(value)
        return f'{key}="{value}"' if plain else None

    # --- elements ---

    def _children(self, values: Mapping[str, object], schemas: Mapping[str, Schema]) -> list[str]:
        """An element per value, or per item of a list.

        The first one tells the reader that there are elements, so it must be one that can.
        """
        for key in values:
            _require_name(key)
        opening = [key for key in values if (key in schemas if schemas else key[0] != "_")]
        if not opening:
            raise RenderError(f"none of the names {', '.join(values)} can begin the elements")
        order = [opening[0], *(key for key in values if key != opening[0])]
        lines: list[str] = []
        for key in order:
            lines += self._elements(key, values[key], schemas.get(key))
        return lines

    def _elements(self, key: str, value: object, schema: Schema) -> list[str]:
        types = self._types(schema)
        items = value if isinstance(value, list | tuple) else ()
        if types == {"array"} and items:
            item_schema = array_items(schema, self.root)
            return [self._element(key, item, item_schema) for item in items]
        if "array" in types:
            raise RenderError(f"elements cannot spell the value of {key!r}")
        if not types and len(items) > 1 and _is_flat(items):
            return [self._element(key, item, None) for item in items]
        return [self._element(key, value, schema)]

    def _is_spelled(self, value: object, schema: Schema) -> bool:
        """Whether elements spell a value plainly: under a schema array, a list without lists."""
        types = self._types(schema)
        if "array" not in types:
            return True
        is_list = isinstance(value, list | tuple) and len(value) > 0 and _is_flat(value)
        return is_list and types == {"array"}

    def _element(self, key: str, value: object, schema: Schema) -> str:
        if is_string_only(schema, self.root):
            return _enclose(key, _verbatim(key, value))
        if isinstance(value, dict):
            return self._object(key, value, schema)
        if isinstance(value, str) and not _needs_json(key, value):
            return _enclose(key, value)
        return _enclose(key, _json_text(value))

    def _object(self, key: str, value: dict[str, object], schema: Schema) -> str:
        types = self._types(schema)
        if types == {"object"} and not value:
            return f"<{key}/>"
        schemas = object_properties(schema, self.root)
        plain = all(self._is_spelled(item, schemas.get(name)) for name, item in value.items())
        if value and plain and types <= {"object"}:
            try:
                children = self._children(value, schemas)
                return "\n".join([f"<{key}>", *children, f"</{key}>"])
            except RenderError:
                pass  # then JSON holds it
        return _enclose(key, _json_text(value))

    def _types(self, schema: Schema) -> set[str]:
        return set(schema_types(schema, self.root)) - {"null"}


def _require_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise RenderError(f"{name!r} cannot be the name of a tag")


def _is_flat(items: Sequence[object]) -> bool:
    return not any(isinstance(item, list | tuple) for item in items)


def _looks_like_elements(text: str, schemas: Mapping[str, Schema]) -> bool:
    if not schemas:
        return _LETTER_TAG.match(text) is not None
    return text.lstrip().startswith(tuple(f"<{key}" for key in schemas))


def _is_data_like(text: str) -> bool:
    return text != "" and _DATA_LIKE.match(text) is not None


def _needs_json(key: str, text: str) -> bool:
    looks = _is_data_like(text) or _LETTER_TAG.match(text) is not None
    return looks or f"<{key}" in text or f"</{key}" in text or has_surrogate(text)


def _verbatim(key: str, value: object) -> str:
    if not isinstance(value, str):
        raise RenderError(
            f"parameter {key!r} is a string by its schema, and pi-native would read "
            f"{compact_json(value)} as text"
        )
    if f"</{key}" in value or has_surrogate(value):
        raise RenderError(f"the text of parameter {key!r} holds '</{key}' or is not UTF-8")
    return value


def _enclose(key: str, text: str) -> str:
    # One newline on each side is layout, so a text with lines of its own gets both.
    return f"<{key}>\n{text}\n</{key}>" if "\n" in text else f"<{key}>{text}</{key}>"


def _json_text(value: object) -> str:
    return compact_json(value).replace("<", r"\u003c")


def _json_attribute(key: str, value: object) -> str:
    return f"{key}='{compact_json(value).translate(_ATTRIBUTE_ESCAPES)}'"


def _fits(opener: str) -> bool:
    return len(opener.encode()) + len("/>") <= MAX_TAG_BYTES

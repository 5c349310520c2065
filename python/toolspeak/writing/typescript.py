"""A tool's parameters as a TypeScript type, which models read more easily than a JSON Schema.

What a `$ref` names becomes a type of its own, written once, so a schema that refers to itself or
fans out costs no more than its size. Numbers keep JSON Schema's `integer`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from toolspeak.errors import RenderError
from toolspeak.tools.json_schema import Schema, resolve_reference
from toolspeak.tools.tool import Tool
from toolspeak.writing.text import bounded_nesting, compact_json

__all__ = ["signature"]

_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*", re.ASCII)
_INDENT = "  "


def signature(tool: Tool) -> str:
    """The types of a tool's parameters, and of what they refer to.

    Raises `RenderError` naming the tool for a schema that cannot be written.
    """
    try:
        with bounded_nesting():
            return _Writer(tool.parameters).parameters()
    except RenderError as error:
        raise RenderError(f"tool {tool.name!r}: its parameters: {error}") from error


class _Writer:
    """Writes the types of one schema document, `root`."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        self._names: dict[str, str] = {}  # reference → the name of its type

    def parameters(self) -> str:
        """The type of the parameters, then the types that it names."""
        root = self._root if isinstance(self._root, Mapping) else {}
        lines = [f"type Parameters = {self._type({'type': 'object', **root})}"]
        written = 0
        while written < len(self._names):  # a type may name further ones
            reference, name = list(self._names.items())[written]
            lines.append(f"type {name} = {self._type(resolve_reference(reference, self._root))}")
            written += 1
        return "\n".join(lines)

    def _type(self, schema: Schema, indent: str = "") -> str:
        if schema is False:
            return "never"
        if not isinstance(schema, Mapping):
            return "any"
        if "$ref" in schema:
            return self._reference(schema["$ref"])
        if "enum" in schema:
            return _union(compact_json(value) for value in _items(schema["enum"]))
        if "const" in schema:
            return compact_json(schema["const"])
        for key, joined in (("anyOf", _union), ("oneOf", _union), ("allOf", _intersection)):
            if key in schema:
                parts = joined(self._type(part, indent) for part in _items(schema[key]))
                own = {name: value for name, value in schema.items() if name in _OWN_SHAPE}
                return _intersection([self._type(own, indent), parts]) if own else parts
        return self._plain(schema, indent)

    def _plain(self, schema: Mapping[str, Any], indent: str) -> str:
        kinds = schema.get("type")
        if kinds is None:
            kinds = ["object"] if "properties" in schema else ["array"] if "items" in schema else []
        kinds = kinds if isinstance(kinds, list | tuple) else [kinds]
        return _union(self._kind(kind, schema, indent) for kind in kinds)

    def _kind(self, kind: object, schema: Mapping[str, Any], indent: str) -> str:
        if kind == "object":
            return self._object(schema, indent)
        if kind == "array":
            if "prefixItems" in schema:
                parts = [self._type(part, indent) for part in _items(schema["prefixItems"])]
                return f"[{', '.join(parts)}]"
            return f"{_grouped(self._type(schema.get('items'), indent))}[]"
        return str(kind) if isinstance(kind, str) else "any"

    def _object(self, schema: Mapping[str, Any], indent: str) -> str:
        properties = schema.get("properties")
        required = frozenset(_items(schema.get("required")))
        inner = indent + _INDENT
        lines: list[str] = []
        if isinstance(properties, Mapping):
            for key, value in properties.items():
                lines += [f"{inner}// {comment}" for comment in _comments(value)]
                mark = "" if key in required else "?"
                lines.append(f"{inner}{_key(key)}{mark}: {self._type(value, inner)};")
        more = schema.get("additionalProperties")
        if isinstance(more, Mapping) or (more is not False and not lines and indent):
            lines.append(f"{inner}[key: string]: {self._type(more, inner)};")
        return "\n".join(["{", *lines, f"{indent}}}"]) if lines else "{}"

    def _reference(self, reference: object) -> str:
        if resolve_reference(reference, self._root) is None:
            return "any"
        reference = str(reference)
        if reference not in self._names:
            last = re.sub(r"[^\w$]", "_", reference.rpartition("/")[2].strip("#")) or "Parameters"
            name = last if last not in ("Parameters", *self._names.values()) else None
            self._names[reference] = name or f"{last}{len(self._names) + 1}"
        return self._names[reference]


_OWN_SHAPE = ("type", "properties", "required", "items", "prefixItems", "additionalProperties")


def _items(value: object) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []


class _Compound(str):
    """A type made with an operator, which needs brackets beside another one."""

    __slots__ = ()


def _union(types: Iterable[str]) -> str:
    return _joined(" | ", list(dict.fromkeys(types)))


def _intersection(types: Iterable[str]) -> str:
    # An "any" among them says nothing more.
    return _joined(" & ", [part for part in dict.fromkeys(types) if part != "any"])


def _joined(operator: str, types: list[str]) -> str:
    if len(types) > 1:
        return _Compound(operator.join(map(_grouped, types)))
    return types[0] if types else "any"


def _grouped(written: str) -> str:
    return f"({written})" if isinstance(written, _Compound) else written


def _key(key: object) -> str:
    text = str(key)
    return text if _IDENTIFIER.fullmatch(text) else compact_json(text)


def _comments(schema: Schema) -> Iterator[str]:
    if not isinstance(schema, Mapping):
        return
    description = schema.get("description")
    if isinstance(description, str):
        yield from filter(None, map(str.strip, description.split("\n")))
    if "default" in schema and schema["default"] is not None:
        yield f"default: {compact_json(schema['default'])}"

"""Reading JSON Schemas: which types a schema allows, what properties and items it declares.

Only the part that decides how a value is written is read: the types a schema names, through
`anyOf`/`oneOf`/`allOf` and local `$ref`. Nothing is validated. Each schema node is visited once
and nesting is bounded, so a schema that refers to itself, or fans out, costs no more than its size.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias, TypeGuard

from toolspeak._core import ToolShape

__all__ = [
    "Schema",
    "array_items",
    "as_mapping",
    "is_mapping",
    "is_string_only",
    "object_properties",
    "resolve_reference",
    "schema_types",
    "text_schemas",
    "tool_shape",
]

Schema: TypeAlias = Any
"""A JSON Schema: a dict, or `True`, `False`, `None` for one that says nothing."""

_MAX_DEPTH = 8
_COMBINERS = ("anyOf", "oneOf", "allOf")
_EMPTY: Mapping[str, Any] = {}


def schema_types(schema: Schema, root: Schema = None) -> list[str]:
    """The JSON types that `schema` names, each once, in the order in which they are met.

    `enum` and `const` count only where `type` is absent. `root` is the document that a local
    `$ref` (`#/…`) points into; without it, references name nothing.
    """
    types = [name for node in _nodes(schema, root) for name in _own_types(node)]
    return list(dict.fromkeys(types))


def is_string_only(schema: Schema, root: Schema = None) -> bool:
    """Whether the types of `schema`, apart from null, are exactly string."""
    types = set(schema_types(schema, root))
    types.discard("null")
    return types == {"string"}


def object_properties(schema: Schema, root: Schema = None) -> dict[str, Schema]:
    """The properties that `schema` declares, in their order: name → schema. The first one wins."""
    properties: dict[str, Schema] = {}
    for node in _nodes(schema, root):
        for key, value in as_mapping(node.get("properties")).items():
            properties.setdefault(key, value)
    return properties


def array_items(schema: Schema, root: Schema = None) -> Schema:
    """The schema of the items of an array, None where `schema` does not say."""
    return next((node["items"] for node in _nodes(schema, root) if "items" in node), None)


_OF_TEXTS = frozenset({"pattern", "minLength", "maxLength", "not", "if"})


def text_schemas(schema: Schema, root: Schema = None) -> tuple[list[str] | None, list[str]]:
    """The texts that a schema of a string lists, None if it lists none; what else it demands."""
    nodes = list(_nodes(schema, root))
    listed = [node["enum"] for node in nodes if isinstance(node.get("enum"), list)]
    listed += [[node["const"]] for node in nodes if "const" in node]
    demands = [keyword for node in nodes for keyword in node if keyword in _OF_TEXTS]
    if not listed:
        return None, demands
    return [text for texts in listed for text in texts if isinstance(text, str)], []


_MOST_NODES = 1 << 16
"""Where a schema has more nodes than this, those that are met last say nothing."""


def tool_shape(root: Schema) -> ToolShape:
    """What the core must know of a tool's schema: the nodes that can be reached, each once."""
    numbers: dict[int, int] = {id(root): 0}
    found: list[Schema] = [root]

    def number(schema: Schema) -> int | None:
        if not isinstance(schema, Mapping):
            return None
        known = numbers.get(id(schema))
        if known is None and len(found) < _MOST_NODES:
            known = numbers[id(schema)] = len(found)
            found.append(schema)  # which also keeps its id from being another's
        return known

    nodes: list[tuple[list[str], int | None, list[tuple[str, int | None]]]] = []
    for schema in found:  # which grows meanwhile
        properties = object_properties(schema, root).items()
        members = [(str(key), number(value)) for key, value in properties]
        nodes.append((schema_types(schema, root), number(array_items(schema, root)), members))
    return ToolShape(nodes)


def _nodes(schema: Schema, root: Schema) -> Iterator[Mapping[str, Any]]:
    """`schema` and what it is composed of, each node once, parents first."""
    seen: set[int] = set()
    pending = [(schema, 0)]
    while pending:
        node, depth = pending.pop()
        if not isinstance(node, Mapping) or id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        if depth < _MAX_DEPTH:
            pending.extend((part, depth + 1) for part in reversed(list(_parts(node, root))))


def _own_types(schema: Mapping[str, Any]) -> list[str]:
    if "type" in schema:
        named = schema["type"]
        named = named if isinstance(named, list | tuple) else [named]
        return [name for name in named if isinstance(name, str)]
    values = schema.get("enum")
    values = list(values) if isinstance(values, list | tuple) else []
    if "const" in schema:
        values.append(schema["const"])
    return [_type_of(value) for value in values]


def _type_of(value: object) -> str:
    # The names are coarse on purpose: only string and null are told apart from the rest.
    if value is None:
        return "null"
    if isinstance(value, str):
        return "string"
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else "object"


def _parts(schema: Mapping[str, Any], root: Schema) -> Iterator[Schema]:
    if "$ref" in schema:
        yield resolve_reference(schema["$ref"], root)
    for combiner in _COMBINERS:
        parts = schema.get(combiner)
        if isinstance(parts, list | tuple):
            yield from parts


def resolve_reference(reference: object, root: Schema) -> Schema:
    """The node of `root` that a local JSON pointer names, or None."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    from urllib.parse import unquote  # noqa: PLC0415 - few schemas refer to others

    node = root
    for escaped in unquote(reference[1:]).split("/")[1:]:
        step = escaped.replace("~1", "/").replace("~0", "~")
        if isinstance(node, Mapping):
            node = node.get(step)
        elif isinstance(node, list | tuple) and step.isdecimal() and int(step) < len(node):
            node = node[int(step)]
        else:
            return None
    return node


def is_mapping(value: object) -> TypeGuard[Mapping[str, Any]]:
    """Whether `value` is a mapping."""
    # Dicts are the usual case, and asking the abstract class takes longer than all else here.
    return type(value) is dict or isinstance(value, Mapping)


def as_mapping(value: object) -> Mapping[str, Any]:
    """`value` itself; empty for anything else than a mapping."""
    return value if is_mapping(value) else _EMPTY

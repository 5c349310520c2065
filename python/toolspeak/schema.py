"""Reading JSON Schemas: which types a schema allows, and what a list of tools declares.

Only the part that decides how a value is written is read: the types a schema names, through
`anyOf`/`oneOf`/`allOf` and local `$ref`. Nothing is validated. Each schema node is visited once
and nesting is bounded, so a schema that refers to itself, or fans out, costs no more than its size.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard
from urllib.parse import unquote

if TYPE_CHECKING:
    from toolspeak.tools import Tool

__all__ = [
    "Schema",
    "ToolInput",
    "ToolSet",
    "Tools",
    "array_items",
    "is_string_only",
    "object_properties",
    "resolve_reference",
    "schema_types",
]

Schema: TypeAlias = Any
"""A JSON Schema: a dict, or `True`, `False`, `None` for one that says nothing."""

ToolInput: TypeAlias = "Mapping[str, Any] | Tool | type[Any] | Callable[..., Any]"
"""A tool: an OpenAI tool dict, a bare function dict, a `Tool`, a pydantic model or a function."""

_MAX_DEPTH = 8
_COMBINERS = ("anyOf", "oneOf", "allOf")


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
        for key, value in _mapping(node.get("properties")).items():
            properties.setdefault(key, value)
    return properties


def array_items(schema: Schema, root: Schema = None) -> Schema:
    """The schema of the items of an array, None where `schema` does not say."""
    return next((node["items"] for node in _nodes(schema, root) if "items" in node), None)


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


class ToolSet:
    """The tools of one request, by name. Hashable by identity; holds the caller's own dicts.

    Building one from dicts only looks at names; schemas are read when they are asked for, and the
    answer is kept. A model or function takes pydantic some time to read. Keep the set and pass it
    again to keep all that.
    """

    __slots__ = ("_functions", "_properties", "_text_keys", "names")

    def __init__(self, tools: Sequence[ToolInput] = ()) -> None:
        """Raises `TypeError` or `ValueError` that names the first malformed tool by its index."""
        if isinstance(tools, str | bytes | Mapping):
            raise TypeError(f"tools must be a sequence of tool dicts, not {type(tools).__name__}")
        named = [_named_function(index, tool) for index, tool in enumerate(tools)]
        self._functions = dict(named)
        if len(named) > len(self._functions):
            raise ValueError(f"two tools have one name: {_repeated(name for name, _ in named)!r}")
        self._properties: dict[str, Mapping[str, Schema]] = {}
        self._text_keys: dict[str, frozenset[str]] = {}
        self.names: tuple[str, ...] = tuple(self._functions)

    @classmethod
    def of(cls, tools: Tools) -> ToolSet:
        """`tools` as a `ToolSet`: a set is returned as it is, None and () are the empty set."""
        if isinstance(tools, ToolSet):
            return tools
        if tools is None:
            return _NO_TOOLS
        if isinstance(tools, type) or not hasattr(tools, "__len__"):
            raise TypeError(f"tools must be a sequence of tools, not {type(tools).__name__}")
        return cls(tools) if len(tools) else _NO_TOOLS

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self._functions

    def __repr__(self) -> str:
        return f"ToolSet({', '.join(self.names)})"

    def get(self, name: str) -> Mapping[str, Any] | None:
        """The function dict of the tool `name` (`name`, `description`, `parameters`, …)."""
        return self._functions.get(name)

    def parameters(self, name: str) -> Mapping[str, Any]:
        """The schema of the tool's arguments; empty where the tool or its schema is missing."""
        return _mapping(self._functions.get(name, _EMPTY).get("parameters"))

    def properties(self, name: str) -> Mapping[str, Schema]:
        """The declared parameters of the tool, in their order: name → schema."""
        known = self._properties.get(name)
        if known is None:
            schema = self.parameters(name)
            known = object_properties(schema, schema)
            if name in self._functions:  # models make up names: those are not kept
                self._properties[name] = known
        return known

    def property_schema(self, tool: str, key: str) -> Schema:
        """The schema of one parameter; an empty dict where it is not declared."""
        return self.properties(tool).get(key, _EMPTY)

    def text_keys(self, tool: str) -> frozenset[str]:
        """The declared parameters whose text is their value: their types are string and null."""
        known = self._text_keys.get(tool)
        if known is None:
            root = self.parameters(tool)
            declared = self.properties(tool).items()
            known = frozenset(key for key, schema in declared if is_string_only(schema, root))
            if tool in self._functions:
                self._text_keys[tool] = known
        return known

    def is_string_only(self, tool: str, key: str) -> bool:
        """Whether the text of parameter `key` is its value."""
        return key in self.text_keys(tool)


Tools: TypeAlias = "Sequence[ToolInput] | ToolSet | None"
"""What every `tools` parameter takes: tools, or a `ToolSet` made before."""

_EMPTY: Mapping[str, Any] = {}
_NO_TOOLS = ToolSet()


def _is_mapping(value: object) -> TypeGuard[Mapping[str, Any]]:
    # Dicts are the usual case, and asking the abstract class takes longer than all else here.
    return type(value) is dict or isinstance(value, Mapping)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if _is_mapping(value) else _EMPTY


def _named_function(index: int, tool: object) -> tuple[str, Mapping[str, Any]]:
    function = tool.get("function", tool) if _is_mapping(tool) else _function(index, tool)
    if not _is_mapping(function):
        raise TypeError(f"tools[{index}]: {_EXPECTED}; got {type(tool).__name__}")
    name = function.get("name")
    if not isinstance(name, str):
        found = f'"name" is {type(name).__name__}' if "name" in function else 'it has no "name"'
        raise TypeError(f"tools[{index}]: {_EXPECTED}; {found}")
    if not name:
        raise ValueError(f'tools[{index}]: {_EXPECTED}; its "name" is empty')
    parameters = function.get("parameters")
    if not (parameters is None or _is_mapping(parameters) or isinstance(parameters, bool)):
        kind = type(parameters).__name__
        raise TypeError(f'tools[{index}] ({name}): "parameters" must be a schema dict, not {kind}')
    return name, function


def _repeated(names: Iterable[str]) -> str:
    ((name, _),) = Counter(names).most_common(1)
    return name


def _function(index: int, tool: object) -> Mapping[str, Any]:
    from toolspeak.tools import Tool  # noqa: PLC0415 - not for dicts, which are the usual case

    return Tool.of(tool, f"tools[{index}]").as_function()


_EXPECTED = (
    'expected {"type": "function", "function": {"name": …, "parameters": {…}}} '
    'or a bare {"name": …, "parameters": {…}}'
)

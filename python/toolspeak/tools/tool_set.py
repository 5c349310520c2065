"""The tools of one request by name, and what their schemas say of each parameter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from toolspeak._core import ToolShape
from toolspeak.tools.json_schema import (
    Schema,
    as_mapping,
    is_mapping,
    is_string_only,
    object_properties,
    tool_shape,
)
from toolspeak.tools.tool_dict import named_function

if TYPE_CHECKING:
    from toolspeak.tools.tool import Tool

__all__ = ["ToolInput", "ToolSet", "Tools"]

ToolInput: TypeAlias = "Mapping[str, Any] | Tool | type[Any] | Callable[..., Any]"
"""A tool: a dict as OpenAI, Anthropic or MCP have it, a `Tool`, a pydantic model or a function."""


class ToolSet:
    """The tools of one request, by name. Hashable by identity; holds the caller's own schemas.

    Built-in tools of a provider, such as `{"type": "web_search"}`, are left out: nothing is known
    of their calls.

    Building one from dicts only looks at names; schemas are read when they are asked for, and the
    answer is kept. A model or function takes pydantic some time to read. Keep the set and pass it
    again to keep all that.
    """

    __slots__ = ("_functions", "_properties", "_shapes", "_text_keys", "names")

    def __init__(self, tools: Sequence[ToolInput] = ()) -> None:
        """Raises `TypeError` or `ValueError` that names the first malformed tool by its index."""
        if isinstance(tools, str | bytes | Mapping):
            raise TypeError(f"tools must be a sequence of tool dicts, not {type(tools).__name__}")
        read = [
            named_function(tool if is_mapping(tool) else _as_function(index, tool), index)
            for index, tool in enumerate(tools)
        ]
        named = [tool for tool in read if tool is not None]
        self._functions = dict(named)
        if len(named) > len(self._functions):
            raise ValueError(f"two tools have one name: {_repeated(name for name, _ in named)!r}")
        self._properties: dict[str, Mapping[str, Schema]] = {}
        self._text_keys: dict[str, frozenset[str]] = {}
        self._shapes: dict[str, ToolShape] = {}
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
        return as_mapping(self._functions.get(name, _EMPTY).get("parameters"))

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

    def shape(self, tool: str) -> ToolShape:
        """What the core must know of the tool's schema to read its arguments."""
        known = self._shapes.get(tool)
        if known is None:
            known = tool_shape(self.parameters(tool))
            if tool in self._functions:
                self._shapes[tool] = known
        return known

    def is_string_only(self, tool: str, key: str) -> bool:
        """Whether the text of parameter `key` is its value."""
        return key in self.text_keys(tool)


Tools: TypeAlias = "Sequence[ToolInput] | ToolSet | None"
"""What every `tools` parameter takes: tools, or a `ToolSet` made before."""

_EMPTY: Mapping[str, Any] = {}
_NO_TOOLS = ToolSet()


def _repeated(names: Iterable[str]) -> str:
    known: set[str] = set()
    for name in names:
        if name in known:
            return name
        known.add(name)
    return ""


def _as_function(index: int, tool: object) -> Mapping[str, Any]:
    from toolspeak.tools.tool import Tool  # noqa: PLC0415 - not for dicts, which are the usual case

    return Tool.of(tool, f"tools[{index}]").as_function()

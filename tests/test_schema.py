"""Reading schemas: the vectors, references, hostile schemas, and tool lists."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolspeak.tools.json_schema import array_items, is_string_only, object_properties, schema_types
from toolspeak.tools.tool_set import ToolSet

VECTORS = Path(__file__).parent / "vectors"
ROWS = [
    json.loads(line)
    for line in (VECTORS / "schema.jsonl").read_text(encoding="utf-8").strip().split("\n")
]
FUNCTIONS = {"schema_types": schema_types, "is_string_only": is_string_only}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['fn']}-{json.dumps(row['schema'])}")
def test_vector(row: dict[str, Any]) -> None:
    assert FUNCTIONS[row["fn"]](row["schema"]) == row["output"]


# --- references ---------------------------------------------------------------------------------

ROOT = {
    "$defs": {
        "text": {"type": "string"},
        "maybe": {"anyOf": [{"$ref": "#/$defs/text"}, {"type": "null"}]},
        "a/b~c d": {"type": "integer"},
        "loop": {"anyOf": [{"$ref": "#/$defs/loop"}, {"type": "string"}]},
        "list": [{"type": "boolean"}],
    }
}


@pytest.mark.parametrize(
    ("reference", "types"),
    [
        ("#/$defs/text", ["string"]),
        ("#/$defs/maybe", ["string", "null"]),
        ("#/$defs/a~1b~0c%20d", ["integer"]),
        ("#/$defs/loop", ["string"]),
        ("#/$defs/list/0", ["boolean"]),
        ("#/$defs/list/7", []),
        ("#/$defs/list/x", []),
        ("#/$defs/text/type/deeper", []),
        ("#/nowhere", []),
        ("#", []),
        ("https://example.org/schema", []),
        (5, []),
    ],
)
def test_local_reference(reference: object, types: list[str]) -> None:
    assert schema_types({"$ref": reference}, ROOT) == types


def test_a_reference_needs_a_root() -> None:
    assert schema_types({"$ref": "#/$defs/text"}) == []


def test_a_reference_adds_to_what_stands_beside_it() -> None:
    schema = {"type": "integer", "$ref": "#/$defs/text"}
    assert schema_types(schema, ROOT) == ["integer", "string"]


def test_a_schema_that_holds_itself() -> None:
    schema: dict[str, Any] = {"type": "string"}
    schema["anyOf"] = [schema, {"allOf": [schema]}]
    assert schema_types(schema) == ["string"]


def test_a_schema_that_fans_out_into_itself() -> None:
    root: dict[str, Any] = {"$defs": {}}
    for name in range(20):
        others = [{"$ref": f"#/$defs/{other}"} for other in range(20)]
        root["$defs"][str(name)] = {"anyOf": others, "oneOf": others}
    # Every path through it, one by one, would never end.
    assert schema_types({"$ref": "#/$defs/0"}, root) == []


@pytest.mark.parametrize(
    "schema", [{"type": 5}, {"anyOf": "x"}, {"enum": "ab"}, {"allOf": [None, 3]}, [], "string", 1]
)
def test_what_is_no_schema_names_no_type(schema: object) -> None:
    assert schema_types(schema) == []
    assert not is_string_only(schema)


def test_properties_and_items_are_found_through_combiners() -> None:
    root = {"$defs": {"O": {"type": "object", "properties": {"a": {"type": "string"}}}}}
    optional = {"anyOf": [{"$ref": "#/$defs/O"}, {"type": "null"}]}
    assert object_properties(optional, root) == {"a": {"type": "string"}}
    assert object_properties({"properties": {"a": 1}, "allOf": [{"properties": {"a": 2}}]}) == {
        "a": 1
    }
    assert array_items({"anyOf": [{"type": "null"}, {"items": {"type": "integer"}}]}) == {
        "type": "integer"
    }
    assert array_items({}) is None


# --- tool lists ---------------------------------------------------------------------------------

FIND = {
    "name": "find",
    "parameters": {
        "type": "object",
        "properties": {"q": {"$ref": "#/$defs/q"}, "n": {"type": "integer"}},
        "$defs": {"q": {"type": ["string", "null"]}},
    },
}


@pytest.mark.parametrize("tool", [FIND, {"type": "function", "function": FIND}])
def test_both_forms_of_a_tool(tool: dict[str, Any]) -> None:
    tools = ToolSet([tool])
    assert tools.names == ("find",)
    assert tools.get("find") is FIND
    assert tools.parameters("find") is FIND["parameters"]
    assert list(tools.properties("find")) == ["q", "n"]
    assert tools.property_schema("find", "n") == {"type": "integer"}
    for _ in range(2):
        assert tools.is_string_only("find", "q")
        assert not tools.is_string_only("find", "n")


def test_what_is_not_declared() -> None:
    tools = ToolSet([{"name": "bare"}, {"name": "none", "parameters": None}])
    for name in ("bare", "none", "absent"):
        assert tools.parameters(name) == {}
        assert tools.properties(name) == {}
        assert tools.property_schema(name, "x") == {}
        assert not tools.is_string_only(name, "x")
    assert tools.get("absent") is None


def test_parameters_behind_a_reference() -> None:
    schema = {"$ref": "#/$defs/A", "$defs": {"A": {"properties": {"x": {"type": "string"}}}}}
    assert ToolSet([{"name": "f", "parameters": schema}]).is_string_only("f", "x")


def test_of() -> None:
    tools = ToolSet([FIND])
    assert ToolSet.of(tools) is tools
    assert ToolSet.of(None) is ToolSet.of(()) is ToolSet.of([])
    assert ToolSet.of([FIND]).names == ("find",)


def test_hashable_by_identity() -> None:
    one, other = ToolSet([FIND]), ToolSet([FIND])
    assert one != other
    assert len({one, other, one}) == 2


@pytest.mark.parametrize(
    ("tools", "error", "message"),
    [
        ([FIND, 5], TypeError, r"tools\[1\].*got int"),
        ([FIND, {"type": "function", "function": None}], TypeError, r"tools\[1\].*expected"),
        ([{"description": "x"}], TypeError, r'tools\[0\].*no "name"'),
        ([{"name": 3}], TypeError, r'tools\[0\].*"name" is int'),
        ([{"name": ""}], ValueError, r"tools\[0\].*empty"),
        ([{"name": "f", "parameters": "x"}], TypeError, r"tools\[0\] \(f\).*not str"),
        (FIND, TypeError, "sequence of tool dicts"),
        ("find", TypeError, "sequence of tool dicts"),
    ],
)
def test_a_malformed_tool(tools: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        ToolSet.of(tools)

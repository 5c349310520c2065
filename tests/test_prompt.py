"""Tools in prompts: JSON with the guide, the Markdown inventory, examples as in the vectors."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

import toolspeak
from generated import tool_and_arguments
from support import ALL_TOOLS, CALL_DIALECTS, DIALECTS, TOOLS, VECTORS, Row, read_jsonl
from toolspeak.tools.tool import Tool
from toolspeak.writing.typescript import signature

ROWS = [
    row
    for row in read_jsonl(VECTORS / "render.jsonl")
    # Examples have the arguments that the tool's author gave them, and no others.
    if row["fn"] == "render_examples" and "intentField" not in row["args"]
]
HERMES = toolspeak.get_dialect("hermes")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_examples_vector(row: Row) -> None:
    dialect, args = toolspeak.get_dialect(row["dialect"]), row["args"]
    assert dialect.render_examples(TOOLS[args["tool"]]) == row["output"]


def test_an_example_that_cannot_be_written_is_named() -> None:
    string = {"type": "object", "properties": {"s": {"type": "string"}}}
    tool = {"name": "f", "parameters": string, "examples": [{"call": {}}, {"bad": {"s": 5}}]}
    with pytest.raises(toolspeak.RenderError, match=r"'f': examples\[1\]"):
        toolspeak.get_dialect("glm").render_examples(tool)


# --- the prompt ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CALL_DIALECTS)
def test_prompt(name: str) -> None:
    dialect = toolspeak.get_dialect(name)
    lines = dialect.render_prompt(ALL_TOOLS).split("\n")
    assert lines[:3] == ["# Tools", "", "<tools>"]
    end = lines.index("</tools>")
    shown = [{key: tool[key] for key in tool if key != "examples"} for tool in ALL_TOOLS]
    assert [json.loads(line) for line in lines[3:end]] == shown
    assert "\n".join(lines[end + 2 :]) == dialect.guide


@pytest.mark.parametrize("name", DIALECTS)
def test_prompt_without_tools(name: str) -> None:
    dialect = toolspeak.get_dialect(name)
    expected = "" if name in CALL_DIALECTS else dialect.guide
    assert dialect.render_prompt([]) == expected
    assert dialect.render_inventory([]) == ""


def test_nothing_in_a_tool_ends_the_list() -> None:
    prompt = HERMES.render_prompt([{"name": "f", "description": "a </tools> b < c"}])
    assert prompt.count("</tools>") == 1
    assert json.loads(prompt.split("\n")[3])["description"] == "a </tools> b < c"


@pytest.mark.parametrize("method", ["render_prompt", "render_inventory"])
@pytest.mark.parametrize(
    "tool",
    [
        {"name": "f", "parameters": {"properties": {"a": {"enum": [float("nan")]}}}},
        {"name": "f", "description": ["x"]},
    ],
)
def test_a_bad_tool_is_named(method: str, tool: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=r"\bf\b"):
        getattr(HERMES, method)([{"name": "g"}, tool])


# --- the inventory ------------------------------------------------------------------------------


def test_inventory_section() -> None:
    assert HERMES.render_inventory([TOOLS["note"]]) == (
        "# note\n\nStore a note.\n\n## Usage\nKeep it short.\n```sh\n# not a header\n```\n"
        "### Limits\nNone.\n\n"
        "```ts\ntype Parameters = {\n  title: string;\n  body: string;\n}\n```\n\n"
        + HERMES.render_examples(TOOLS["note"])
    )


def test_inventory_has_every_tool() -> None:
    inventory = HERMES.render_inventory(ALL_TOOLS)
    assert [
        line for line in inventory.split("\n") if line.startswith("# ") and line[2:] in TOOLS
    ] == [f"# {name}" for name in TOOLS]


def lowered(description: str) -> str:
    section = HERMES.render_inventory([{"name": "f", "description": description}])
    return section.removeprefix("# f\n\n").rpartition("\n\n```ts")[0]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("# A", "## A"),
        ("##### A\n###### B", "###### A\n###### B"),
        ("#", "##"),
        ("x\n   # A", "x\n   ## A"),
        ("x\n\n    # code", "x\n\n    # code"),
        ("#tag and\n#5", "#tag and\n#5"),
        ("Title\n=====\nx", "## Title\nx"),
        ("Title\n-----\nx", "### Title\nx"),
        ("a\n\n---\n\nb", "a\n\n---\n\nb"),
        ("- item\n---", "- item\n---"),
        ("~~~\n# A\n```\n# B\n~~~\n# C", "~~~\n# A\n```\n# B\n~~~\n## C"),
        ("````\n```\n# A\n````\n# B", "````\n```\n# A\n````\n## B"),
        ("```py\n# A\n```py\n# B\n```\n# C", "```py\n# A\n```py\n# B\n```\n## C"),
        ("```\n# never closed", "```\n# never closed"),
        ("```\nA\n---\n```", "```\nA\n---\n```"),
    ],
)  # fmt: skip
def test_headings_of_a_description(given: str, expected: str) -> None:
    assert lowered(given) == expected


# --- signatures ---------------------------------------------------------------------------------


def type_of(schema: Any, **more: Any) -> str:
    tool = Tool("f", parameters={"properties": {"p": schema}, "required": ["p"], **more})
    return signature(tool).removeprefix("type Parameters = {\n  p: ").replace(";\n}", "", 1)


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string"}, "string"),
        ({"type": ["integer", "null"]}, "integer | null"),
        ({"enum": ["a", 1, None]}, '"a" | 1 | null'),
        ({"const": "é"}, '"é"'),
        ({"type": "array", "items": {"type": ["string", "null"]}}, "(string | null)[]"),
        ({"type": "array"}, "any[]"),
        ({"prefixItems": [{"type": "string"}, {}], "type": "array"}, "[string, any]"),
        ({"anyOf": [{"type": "string"}, {"const": 5}]}, "string | 5"),
        ({"allOf": [{"type": "string"}, {"minLength": 2}]}, "string"),
        ({"type": "object", "oneOf": [{"required": ["x"]}]}, "{\n    [key: string]: any;\n  }"),
        (
            {"type": "object", "additionalProperties": {"type": "number"}},
            "{\n    [key: string]: number;\n  }",
        ),
        (
            {"properties": {"a-b": {"type": "boolean"}, "c": True}},
            '{\n    "a-b"?: boolean;\n    c?: any;\n  }',
        ),
        ({"type": "array", "items": {"properties": {"x": {"type": ["string", "null"]}}}},
         "{\n    x?: string | null;\n  }[]"),
        (False, "never"),
        ({"$ref": "#/nowhere"}, "any"),
    ],
)  # fmt: skip
def test_types(schema: Any, expected: str) -> None:
    assert type_of(schema) == expected


def test_comments() -> None:
    schema = {"type": "string", "description": "what\n to find", "default": "x"}
    assert signature(Tool("f", parameters={"properties": {"p": schema}})) == (
        'type Parameters = {\n  // what\n  // to find\n  // default: "x"\n  p?: string;\n}'
    )
    assert signature(Tool("f")) == "type Parameters = {}"


def test_references_are_types_of_their_own() -> None:
    node = {"properties": {"next": {"$ref": "#/$defs/Node"}, "all": {"$ref": "#"}}}
    written = type_of({"$ref": "#/$defs/Node"}, **{"$defs": {"Node": node}})
    assert written.startswith("Node\ntype Node = {\n  next?: Node;\n  all?: Parameters")
    assert written.count("type ") == 2


def test_a_schema_that_fans_out_is_written_once() -> None:
    defs = {
        f"n{i}": {"properties": {key: {"$ref": f"#/$defs/n{i + 1}"} for key in "abcd"}}
        for i in range(40)
    }
    written = type_of({"$ref": "#/$defs/n0"}, **{"$defs": defs})
    assert written.count("type n") == 40


def test_a_schema_without_end() -> None:
    schema: dict[str, Any] = {"type": "array"}
    schema["items"] = schema
    with pytest.raises(toolspeak.RenderError, match="'f'"):
        type_of(schema)


@given(tool_and_arguments())
def test_any_tool_has_an_inventory(call: tuple[Row, Row]) -> None:
    tool, _ = call
    written = HERMES.render_inventory([tool])
    assert written.startswith(f"# {tool['function']['name']}\n\n```ts\ntype Parameters = {{")
    for key in tool["function"]["parameters"]["properties"]:
        assert f"\n  {key}?: " in written

"""Tool inputs: every form gives the same `Tool`; a bad one is named with the place of the fault."""

from __future__ import annotations

import sys
from typing import Annotated, Any, Literal

import pydantic
import pytest

import toolspeak
from toolspeak.tools.tool import Example, Tool
from toolspeak.tools.tool_set import ToolSet

WHERE = Annotated[str, pydantic.Field(description="a city")]


class Place(pydantic.BaseModel):
    """A place on a map."""

    name: str
    inside: Place | None = None


class Weather(pydantic.BaseModel):
    """The weather of a place.

    For today only.
    """

    where: WHERE
    unit: Literal["C", "F"] = "C"


def weather(where: WHERE, unit: Literal["C", "F"] = "C") -> str:
    """The weather of a place.

    For today only.
    """
    return f"{where}: 20 {unit}"


async def travel(to: Place, days: int, *, json: bool = False) -> None:
    """Travels."""


class Office:
    def send(self, text: str) -> None:
        """Sends."""


PARAMETERS = {
    "type": "object",
    "properties": {
        "where": {"description": "a city", "type": "string"},
        "unit": {"default": "C", "enum": ["C", "F"], "type": "string"},
    },
    "required": ["where"],
}
DESCRIPTION = "The weather of a place.\n\nFor today only."
BARE = {"name": "weather", "description": DESCRIPTION, "parameters": PARAMETERS}
# The same tool as the APIs have it.
FORMS: dict[str, dict[str, Any]] = {
    "bare": BARE,
    "chat": {"type": "function", "function": BARE},
    "responses": {"type": "function", "strict": True, **BARE},
    "anthropic": {"name": "weather", "description": DESCRIPTION, "input_schema": PARAMETERS},
    "anthropic-custom": {
        "type": "custom",
        "name": "weather",
        "description": DESCRIPTION,
        "input_schema": PARAMETERS,
    },
    "mcp": {
        "name": "weather",
        "title": "Weather",
        "description": DESCRIPTION,
        "inputSchema": PARAMETERS,
        "annotations": {"readOnlyHint": True},
    },
}
BUILT_IN: list[dict[str, Any]] = [
    {"type": "web_search"},
    {"type": "web_search_20250305", "name": "web_search", "max_uses": 5},
    {"type": "computer_use_preview", "display_width": 1024, "environment": "browser"},
    {"type": "mcp", "server_label": "files", "server_url": "https://example.org"},
    {"type": "custom", "name": "shell", "format": {"type": "text"}},
    {"type": "custom", "custom": {"name": "shell"}},
]


@pytest.mark.parametrize(
    "given",
    [weather, Tool("weather", DESCRIPTION, PARAMETERS), *FORMS.values()],
    ids=["function", "Tool", *FORMS],
)
def test_every_form_gives_the_same_tool(given: Any) -> None:
    assert Tool.of(given) == Tool("weather", DESCRIPTION, PARAMETERS)
    tools = ToolSet.of([given])
    assert tools.names == ("weather",)
    assert tools.is_string_only("weather", "where")
    text = '<invoke name="weather"><parameter name="where">5</parameter></invoke>'
    assert toolspeak.parse(text, "xml", tools=[given]).tool_calls[0].arguments == {"where": "5"}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_shown_as_the_same_function(form: str) -> None:
    dialect = toolspeak.get_dialect("hermes")
    assert dialect.render_prompt([FORMS[form]]) == dialect.render_prompt([BARE])
    assert dialect.render_inventory([FORMS[form]]) == dialect.render_inventory([BARE])
    assert dialect.render_examples(FORMS[form]) == ""


@pytest.mark.parametrize("key", ["input_schema", "inputSchema"])
def test_a_dict_of_the_caller_stays_as_it_is(key: str) -> None:
    given = {"name": "f", key: {"type": "object"}}
    function = ToolSet([given]).get("f")
    assert function == {"name": "f", "parameters": {"type": "object"}}
    assert function["parameters"] is given[key]
    assert given == {"name": "f", key: {"type": "object"}}


@pytest.mark.parametrize("key", ["parameters", "input_schema", "inputSchema"])
@pytest.mark.parametrize("schema", [True, None, {}])
def test_schemas_that_say_nothing(key: str, schema: Any) -> None:
    tool = {"name": "f", key: schema}
    assert Tool.of(tool) == Tool("f", "", schema)
    assert ToolSet([tool]).properties("f") == {}


def test_the_first_schema_that_is_given_counts() -> None:
    other = {"type": "object", "properties": {}}
    assert Tool.of({"name": "f", "parameters": None, "input_schema": other}).parameters is other
    assert Tool.of({"name": "f", "parameters": other, "inputSchema": {}}).parameters is other


# --- built-in tools -----------------------------------------------------------------------------


@pytest.mark.parametrize("given", BUILT_IN, ids=lambda given: given["type"])
def test_built_in_tools_are_kept_out(given: dict[str, Any]) -> None:
    tools = ToolSet([given, BARE])
    assert tools.names == ("weather",)
    assert len(ToolSet([given])) == 0
    dialect = toolspeak.get_dialect("hermes")
    assert dialect.render_prompt([given, BARE]) == dialect.render_prompt([BARE])
    assert dialect.render_prompt([given]) == ""
    assert dialect.render_inventory([given, BARE]) == dialect.render_inventory([BARE])
    with pytest.raises(ValueError, match="built-in"):
        Tool.of(given)


def test_lists_of_all_forms() -> None:
    named = [{**tool, "name": f"f{n}"} for n, tool in enumerate(FORMS.values())]
    named[1] = {"type": "function", "function": {**BARE, "name": "f1"}}
    given = [tool for pair in zip(named, BUILT_IN, strict=True) for tool in pair]
    tools = ToolSet(given)
    assert tools.names == ("f0", "f1", "f2", "f3", "f4", "f5")
    assert all(tools.is_string_only(name, "where") for name in tools.names)


@pytest.mark.parametrize("one", FORMS)
@pytest.mark.parametrize("other", FORMS)
def test_two_tools_of_one_name(one: str, other: str) -> None:
    with pytest.raises(ValueError, match="two tools have one name: 'weather'"):
        ToolSet([FORMS[one], *BUILT_IN, FORMS[other]])


def test_a_built_in_tool_takes_no_name() -> None:
    function = {"name": "web_search", "parameters": PARAMETERS}
    assert ToolSet([*BUILT_IN, function]).names == ("web_search",)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"functionDeclarations": [BARE]}, "each of its items as a tool of its own"),
        ({"function_declarations": [BARE]}, "each of its items as a tool of its own"),
        ({"tools": [BARE]}, "each of its items as a tool of its own"),
        ({"toolSpec": {"name": "f", "inputSchema": {"json": {}}}}, 'in its "inputSchema"."json"'),
        ({"type": "function"}, 'it has no "name"'),
        ({"type": "function", "name": ""}, 'its "name" is empty'),
        ({"type": "custom", "input_schema": {}}, 'it has no "name"'),
        ({"type": 5, "name": "f"}, 'its "type" is int'),
        ({"type": ["function"], "name": "f"}, 'its "type" is list'),
        ({"type": "object", "properties": {}}, 'it has no "name"'),
        ({"google_search": {}}, 'it has no "name"'),
        ({}, 'it has no "name"'),
        ({"name": "f", "input_schema": "x"}, r'\(f\): "input_schema" must be a schema dict'),
        ({"name": "f", "inputSchema": [1]}, r'\(f\): "inputSchema" must be a schema dict'),
        ({"type": "function", "function": {"input_schema": {}}}, 'it has no "name"'),
        ({"function": {"name": "f", "inputSchema": 5}}, r'\(f\): "inputSchema" must be'),
    ],
    ids=str,
)
def test_a_dict_that_is_no_tool(given: dict[str, Any], message: str) -> None:
    for read in (lambda: ToolSet([BARE, given]), lambda: Tool.of(given, "tools[1]")):
        with pytest.raises((TypeError, ValueError), match=message) as error:
            read()
        assert str(error.value).startswith("tools[1]")


# --- models, functions, examples ----------------------------------------------------------------


def test_a_model_is_named_after_its_class() -> None:
    assert Tool.of(Weather) == Tool("Weather", DESCRIPTION, PARAMETERS)


def test_a_model_that_holds_itself() -> None:
    tool = Tool.of(Place)
    assert tool.description == "A place on a map."
    assert list(ToolSet.of([Place]).properties("Place")) == ["name", "inside"]


def test_functions_of_all_kinds() -> None:
    parameters = Tool.of(travel).parameters
    assert isinstance(parameters, dict)
    assert list(parameters["properties"]) == ["to", "days", "json"]
    assert parameters["required"] == ["to", "days"]
    assert "additionalProperties" not in parameters
    send = Tool.of(Office().send)
    assert (send.name, send.description) == ("send", "Sends.")
    assert send.parameters == {
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
    }


def test_examples_are_read_and_kept() -> None:
    given = [{"caption": "c", "call": {"a": 1}}, {"good": {}, "bad": {"a": 2}, "note": "n"}]
    tool = Tool.of({"name": "f", "examples": given})
    assert tool.examples == (
        Example(caption="c", call={"a": 1}),
        Example(good={}, bad={"a": 2}, note="n"),
    )
    assert tool.as_function() == {"name": "f", "examples": given}
    assert Tool.of(tool.as_function()) == tool


def untyped(where, unit: str) -> None: ...  # type: ignore[no-untyped-def]
def variadic(*places: str) -> None: ...
def keywords(**places: str) -> None: ...
def positional(place: str, /) -> None: ...
def opaque(place: Office) -> None: ...
def unknown(place: Nowhere) -> None: ...  # type: ignore[name-defined]  # noqa: F821


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (5, r"tools\[1\].*got int"),
        (Office, r"tools\[1\].*the class Office"),
        (lambda: 1, r"tools\[1\].*lambda"),
        (untyped, r"tools\[1\] \(untyped\): the parameter where has no type"),
        (variadic, r"\(variadic\): the parameter places cannot be given by its name"),
        (keywords, r"\(keywords\): \*\*places"),
        (positional, r"\(positional\): the parameter place cannot"),
        (opaque, r"\(opaque\): the parameter place: .*Office"),
        (unknown, r"\(unknown\): .*Nowhere"),
    ],
    ids=lambda given: getattr(given, "__name__", None),
)
def test_a_bad_tool_is_named(given: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        ToolSet.of([BARE, given])


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("description", 5, "description"),
        ("parameters", [], "parameters"),
        ("parameters", {"type": "string"}, "'string'"),
        ("parameters", {"properties": []}, r"parameters\.properties must"),
        ("parameters", {"properties": {"a": 5}}, r"parameters\.properties\.a"),
        ("parameters", {"properties": {5: {}}}, "5"),
        ("parameters", {"required": "a"}, r"parameters\.required"),
        ("examples", {}, "examples"),
        ("examples", [{}, 5], r"examples\[1\]"),
        ("examples", [{"call": []}], r"examples\[0\]\.call"),
        ("examples", [{"note": 5}], r"examples\[0\]\.note"),
        ("examples", [{"cal": {}}], r"examples\[0\] has 'cal'"),
    ],
)
def test_a_bad_place_in_a_dict_is_named(field: str, value: object, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message) as error:
        Tool.of({"name": "f", field: value}, "tools[3]")
    assert str(error.value).startswith("tools[3] (f)")


@pytest.mark.parametrize("given", [weather, Weather, 5, (tool for tool in [BARE])])
def test_tools_are_a_sequence(given: Any) -> None:
    with pytest.raises(TypeError, match="sequence"):
        ToolSet.of(given)


@pytest.mark.parametrize("given", [weather, Weather])
def test_without_pydantic(monkeypatch: pytest.MonkeyPatch, given: Any) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "pydantic"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pydantic", None)
    with pytest.raises(ModuleNotFoundError, match=r"toolspeak\[pydantic\]"):
        ToolSet.of([given])
    assert ToolSet.of([BARE]).names == ("weather",)

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


@pytest.mark.parametrize(
    "given",
    [
        weather,
        BARE,
        {"type": "function", "function": BARE},
        Tool("weather", DESCRIPTION, PARAMETERS),
    ],
    ids=["function", "bare", "wrapped", "Tool"],
)
def test_every_form_gives_the_same_tool(given: Any) -> None:
    assert Tool.of(given) == Tool("weather", DESCRIPTION, PARAMETERS)
    tools = ToolSet.of([given])
    assert tools.names == ("weather",)
    assert tools.is_string_only("weather", "where")
    text = '<invoke name="weather"><parameter name="where">5</parameter></invoke>'
    assert toolspeak.parse(text, "xml", tools=[given]).tool_calls[0].arguments == {"where": "5"}


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

"""One form for every way to state a tool: dicts of several APIs, pydantic models, typed functions.

A dict says everything itself; `tool_dict` knows the forms. A model or function gives its name and
docstring, and pydantic (an extra, imported only here and only then) turns its types into a JSON
Schema. What is wrong with a tool is a `TypeError` or `ValueError` naming the tool and the place.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from toolspeak.tools.tool_dict import EXPECTED, named_function

__all__ = ["Example", "Tool"]

_EXAMPLE_FIELDS = ("caption", "call", "good", "bad", "note")


@dataclass(frozen=True, slots=True)
class Example:
    """How a tool is called: arguments (`call`), a right and a wrong way (`good`, `bad`), a note.

    Every field may be missing; `caption` is a heading over the rest.
    """

    caption: str | None = None
    call: Mapping[str, Any] | None = None
    good: Mapping[str, Any] | None = None
    bad: Mapping[str, Any] | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as prompts show it; `parameters` is the JSON Schema of its arguments."""

    name: str
    description: str = ""
    parameters: Mapping[str, Any] | bool | None = None
    examples: tuple[Example, ...] = ()

    @classmethod
    def of(cls, tool: object, place: str = "tool") -> Tool:
        """A `Tool` from any input; `place` is what errors call it.

        Raises `TypeError` or `ValueError` naming the tool and the place, and
        `ModuleNotFoundError` for a model or function where pydantic is not installed.
        """
        if isinstance(tool, Tool):
            return tool
        if isinstance(tool, Mapping):
            return _from_dict(tool, place)
        if isinstance(tool, type) and hasattr(tool, "model_json_schema"):
            return _from_model(tool, place)
        if inspect.isroutine(tool):
            return _from_function(tool, place)
        found = f"the class {tool.__name__}" if isinstance(tool, type) else type(tool).__name__
        raise TypeError(f"{place}: {EXPECTED}; got {found}")

    def as_function(self) -> dict[str, Any]:
        """The bare OpenAI function dict; what is empty is left out."""
        function: dict[str, Any] = {"name": self.name}
        if self.description:
            function["description"] = self.description
        if self.parameters is not None:
            function["parameters"] = self.parameters
        if self.examples:
            function["examples"] = [_example_dict(example) for example in self.examples]
        return function


# --- dicts --------------------------------------------------------------------------------------


def _from_dict(tool: Mapping[str, Any], place: str) -> Tool:
    named = named_function(tool, place)
    if named is None:
        raise ValueError(f"{place}: a built-in tool ({tool.get('type')}) has no function to show")
    name, function = named
    place = f"{place} ({name})"
    description = function.get("description") or ""
    if not isinstance(description, str):
        raise TypeError(f'{place}: "description" must be a string, {_not(description)}')
    parameters = function.get("parameters")
    _check_parameters(parameters, place)
    return Tool(name, description, parameters, _read_examples(function.get("examples"), place))


def _check_parameters(parameters: Mapping[str, Any] | bool | None, place: str) -> None:
    if parameters is None or isinstance(parameters, bool):
        return
    kind = parameters.get("type", "object")
    if kind != "object":
        raise ValueError(f'{place}: "parameters" must have the type "object", not {kind!r}')
    properties = parameters.get("properties")
    if properties is not None and not isinstance(properties, Mapping):
        raise TypeError(f"{place}: parameters.properties must be a dict, {_not(properties)}")
    for key, schema in (properties or {}).items():
        if not isinstance(key, str):
            raise TypeError(f"{place}: parameters.properties has the name {key!r}, no string")
        if not isinstance(schema, Mapping | bool):
            raise TypeError(f"{place}: parameters.properties.{key} must be a schema dict or bool")
    required = parameters.get("required")
    if not _are_strings(required):
        raise TypeError(f"{place}: parameters.required must be a list of names, not {required!r}")


def _are_strings(names: object) -> bool:
    if names is None:
        return True
    return isinstance(names, list | tuple) and all(isinstance(name, str) for name in names)


def _read_examples(examples: object, place: str) -> tuple[Example, ...]:
    if examples is None:
        return ()
    if not isinstance(examples, list | tuple):
        raise TypeError(f'{place}: "examples" must be a list, {_not(examples)}')
    return tuple(
        _read_example(example, f"{place}: examples[{index}]")
        for index, example in enumerate(examples)
    )


def _read_example(example: object, place: str) -> Example:
    if isinstance(example, Example):
        return example
    if not isinstance(example, Mapping):
        raise TypeError(f"{place} must be a dict, {_not(example)}")
    for field in example:
        if field not in _EXAMPLE_FIELDS:
            raise ValueError(f"{place} has {field!r}; it can have {', '.join(_EXAMPLE_FIELDS)}")
    for field in ("caption", "note"):
        if not isinstance(example.get(field), str | None):
            raise TypeError(f"{place}.{field} must be a string, {_not(example[field])}")
    for field in ("call", "good", "bad"):
        if not isinstance(example.get(field), Mapping | None):
            raise TypeError(f"{place}.{field} must be a dict of arguments, {_not(example[field])}")
    return Example(**example)


def _example_dict(example: Example) -> dict[str, Any]:
    values = {field: getattr(example, field) for field in _EXAMPLE_FIELDS}
    return {field: value for field, value in values.items() if value is not None}


def _not(value: object) -> str:
    return f"not {type(value).__name__}"


# --- models and functions -----------------------------------------------------------------------


def _from_model(model: type[Any], place: str) -> Tool:
    place = f"{place} ({model.__name__})"
    if not issubclass(model, _pydantic(place).BaseModel):
        raise TypeError(f"{place}: {EXPECTED}; got a class that is no pydantic model")
    schema = _json_schema(model, place)
    schema.pop("title", None)
    schema.pop("description", None)
    return Tool(model.__name__, inspect.cleandoc(model.__doc__ or ""), _in_order(schema))


def _from_function(function: Callable[..., Any], place: str) -> Tool:
    name = function.__name__
    place = f"{place} ({name})"
    if name == "<lambda>":
        raise ValueError(f"{place}: a lambda has no name to call it by: use def")
    for parameter in _parameters(function, place):
        _check_parameter(parameter, place)
    schema = _json_schema(function, place)
    # pydantic forbids other arguments; that is for the call, not for a prompt.
    schema.pop("additionalProperties", None)
    return Tool(name, inspect.getdoc(function) or "", _in_order(schema))


def _parameters(function: Callable[..., Any], place: str) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(function, eval_str=True).parameters.values())
    except (ValueError, NameError) as error:
        raise TypeError(f"{place}: its parameters cannot be read: {error}") from error


def _check_parameter(parameter: inspect.Parameter, place: str) -> None:
    if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL):
        raise TypeError(f"{place}: the parameter {parameter.name} cannot be given by its name")
    if parameter.kind is parameter.VAR_KEYWORD:
        raise TypeError(f"{place}: **{parameter.name} does not say which arguments there are")
    if parameter.annotation is parameter.empty:
        raise TypeError(f"{place}: the parameter {parameter.name} has no type annotation")
    _json_schema(parameter.annotation, f"{place}: the parameter {parameter.name}")


def _pydantic(place: str) -> Any:
    try:
        import pydantic.json_schema  # noqa: PLC0415 - an extra: only models and functions need it
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"{place}: models and functions as tools need pydantic: "
            "pip install 'toolspeak[pydantic]'"
        ) from error
    return pydantic


def _json_schema(typed: object, place: str) -> dict[str, Any]:
    """The JSON Schema of a type, or of a function's arguments."""
    pydantic = _pydantic(place)
    try:
        schema: dict[str, Any] = pydantic.TypeAdapter(typed).json_schema(
            schema_generator=_untitled_generator()
        )
    except (pydantic.PydanticUserError, NameError, TypeError) as error:
        reason = str(error).partition("\n")[0]
        raise TypeError(f"{place}: a type has no JSON Schema: {reason}") from error
    return schema


@functools.cache
def _untitled_generator() -> type[Any]:
    """A schema generator without the titles that pydantic makes up from the names of fields."""
    from pydantic.json_schema import GenerateJsonSchema  # noqa: PLC0415 - see `_pydantic`

    class Untitled(GenerateJsonSchema):
        def field_title_should_be_set(self, schema: Any) -> bool:
            return False

    return Untitled


def _in_order(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema in the order in which one reads it: what it is, its properties, the rest."""
    if "$ref" in schema:  # a model that holds itself stands among the definitions
        return schema
    order = ("type", "properties", "required")
    first = {"type": "object", "properties": {}} | {k: schema[k] for k in order if k in schema}
    return first | {key: value for key, value in schema.items() if key not in order}

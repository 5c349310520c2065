"""The option `coercion`: what is made of values that do not fit their schema, and is told."""

from __future__ import annotations

from typing import Any

import pytest

import toolspeak
from support import CALL_DIALECTS, same

TOOL = {
    "name": "f",
    "parameters": {
        "type": "object",
        "properties": {
            "list": {"type": ["array", "null"], "items": {"type": "integer"}},
            "node": {"type": "object", "properties": {"tags": {"type": "array"}}},
            "either": {"type": ["array", "string"]},
            "text": {"type": "string"},
        },
    },
}
# What calls are written with: it says nothing of most types.
PLAIN = {"name": "f", "parameters": {"properties": {"text": {"type": "string"}, "either": {}}}}
BOTH = {"wrap_array", "parse_json"}


def read(name: str, arguments: dict[str, Any], **options: Any) -> toolspeak.ToolCall:
    dialect = toolspeak.get_dialect(name)
    text = dialect.render_calls([{"name": "f", "arguments": arguments}], tools=[PLAIN])
    (call,) = toolspeak.parse(text, dialect, tools=[TOOL], **options).tool_calls
    return call


# Elements are lists and objects by the schema already.
@pytest.mark.parametrize("name", [name for name in CALL_DIALECTS if name != "pi-native"])
@pytest.mark.parametrize("repair", [True, False])
@pytest.mark.parametrize(
    ("given", "chosen", "expected"),
    [
        ({"list": 1.0}, {"wrap_array"}, {"list": [1]}),
        ({"list": "x"}, {"wrap_array"}, {"list": ["x"]}),
        ({"list": "[1.0]"}, {"parse_json"}, {"list": [1]}),
        ({"list": "[1]"}, BOTH, {"list": [1]}),
        ({"list": "{}"}, BOTH, {"list": ["{}"]}),
        ({"node": '{"tags": "a"}'}, {"parse_json"}, {"node": {"tags": "a"}}),
        ({"node": '{"tags": "a"}'}, BOTH, {"node": {"tags": ["a"]}}),
        ({"node": {"tags": "a"}}, {"wrap_array"}, {"node": {"tags": ["a"]}}),
    ],
)
def test_what_is_asked_for_is_made_and_told(
    name: str, repair: bool, given: Any, chosen: Any, expected: Any
) -> None:
    call = read(name, given, coercion=chosen, repair=repair)
    assert same(dict(call.arguments), expected)
    assert call.repaired


@pytest.mark.parametrize("name", [name for name in CALL_DIALECTS if name != "pi-native"])
@pytest.mark.parametrize(
    "given",
    [{"list": None}, {"list": [1]}, {"node": {}}, {"either": "x"}, {"text": "[1]"}, {"other": 1}],
)
def test_what_fits_stays(name: str, given: Any) -> None:
    call = read(name, given, coercion=BOTH)
    assert same(dict(call.arguments), given)
    assert not call.repaired


@pytest.mark.parametrize("name", [name for name in CALL_DIALECTS if name != "pi-native"])
@pytest.mark.parametrize("given", [{"list": "[1]"}, {"list": 1}, {"node": "{}"}, {"node": "x"}])
def test_nothing_is_made_unasked(name: str, given: Any) -> None:
    # Of the values of a value-by-value dialect, a string is written as JSON in quotes.
    call = read(name, given)
    assert same(dict(call.arguments), given)
    assert not call.repaired


def test_options_keep_it_and_name_what_there_is() -> None:
    options = toolspeak.ScanOptions(coercion=frozenset({"wrap_array"}))
    assert read("hermes", {"list": 1}, options=options).arguments == {"list": [1]}
    for wrong in ({"wrap"}, frozenset({"wrap"}), "wrap_array", ["wrap_array"]):
        with pytest.raises(ValueError, match="'parse_json', 'wrap_array'"):
            toolspeak.get_dialect("hermes").scanner(coercion=wrong)  # type: ignore[arg-type]

"""Numbers whose schema says integer: `140.0` is 140, in whatever way a call is written."""

from __future__ import annotations

from typing import Any

import pytest

import toolspeak
from support import CALL_DIALECTS, same

NODE = {"type": "object", "properties": {"n": {"type": "integer"}, "x": {"type": "number"}}}
TOOL = {
    "name": "f",
    "parameters": {
        "type": "object",
        "properties": {
            "n": {"type": ["integer", "null"]},
            "x": {"type": "number"},
            "any": {},
            "both": {"anyOf": [{"type": "integer"}, {"type": "number"}]},
            "list": {"type": "array", "items": {"type": "integer"}},
            "node": NODE,
        },
    },
}
# What calls are written with: it says nothing of numbers.
PLAIN = {"name": "f", "parameters": {"properties": {"list": {"type": "array"}, "node": {}}}}


def read(name: str, arguments: dict[str, Any], **options: Any) -> Any:
    dialect = toolspeak.get_dialect(name)
    text = dialect.render_calls([{"name": "f", "arguments": arguments}], tools=[PLAIN])
    message = toolspeak.parse(text, dialect, tools=[TOOL], **options)
    (call,) = message.tool_calls
    return call


@pytest.mark.parametrize("name", CALL_DIALECTS)
@pytest.mark.parametrize("repair", [True, False])
def test_whole_numbers_are_integers(name: str, repair: bool) -> None:
    call = read(
        name,
        {"n": 140.0, "x": 1.0, "any": 2.0, "both": 3.0, "list": [1.0, 2.5], "node": {"n": -0.0}},
        repair=repair,
    )
    expected = {
        "n": 140, "x": 1.0, "any": 2.0, "both": 3.0, "list": [1, 2.5], "node": {"n": 0},
    }  # fmt: skip
    assert same(dict(call.arguments), expected)
    assert not call.repaired  # it is the same number


@pytest.mark.parametrize("name", CALL_DIALECTS)
def test_no_other_number_changes(name: str) -> None:
    call = read(name, {"n": 140.5, "list": [1e300], "node": {"x": 7.0}})
    assert same(dict(call.arguments), {"n": 140.5, "list": [int(1e300)], "node": {"x": 7.0}})


@pytest.mark.parametrize("name", CALL_DIALECTS)
def test_what_a_call_held_when_it_was_cut_is_whole_as_well(name: str) -> None:
    dialect = toolspeak.get_dialect(name)
    call = {"name": "f", "arguments": {"n": 140.0, "x": 1.5}}
    text = dialect.render_calls([call], tools=[PLAIN])
    held = []
    for end in range(len(text)):
        message = toolspeak.parse(text[:end], dialect, tools=[TOOL])
        held += [it.arguments["n"] for it in message.aborted if "n" in it.arguments]
    assert all(same(number, 140) for number in held)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("qwen3-coder", "<function=f><parameter=n>\n{}\n</parameter></function>"),
        ("glm", "<tool_call>f\n<arg_key>n</arg_key><arg_value>{}</arg_value></tool_call>"),
        ("xml", '<invoke name="f"><parameter name="n">{}</parameter></invoke>'),
    ],
)
def test_digits_in_text_are_exact(name: str, text: str) -> None:
    digits = "-" + "1234567890" * 5
    message = toolspeak.parse(text.format(f" {digits}.000 "), name, tools=[TOOL])
    assert same(dict(message.tool_calls[0].arguments), {"n": int(digits)})


@pytest.mark.parametrize("name", CALL_DIALECTS)
def test_whole_numbers_are_written_for_integers(name: str) -> None:
    dialect = toolspeak.get_dialect(name)
    call = {"name": "f", "arguments": {"n": 140.0}}
    text = dialect.render_calls([call], tools=[TOOL])
    (read_back,) = toolspeak.parse(text, dialect, tools=[TOOL]).tool_calls
    assert same(dict(read_back.arguments), {"n": 140})

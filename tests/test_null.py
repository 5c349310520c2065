"""Parameters that may be text or null: what is null on the wire, how the text `null` is written."""

from __future__ import annotations

from typing import Any

import pytest

import toolspeak
from support import CALL_DIALECTS, same

NULLABLE = [
    {"type": ["string", "null"]},
    {"anyOf": [{"type": "string"}, {"type": "null"}]},
    {"enum": ["null", "x", None]},
]
# Elements and nested elements say nothing of null yet.
DIALECTS = [name for name in CALL_DIALECTS if name != "pi-native"]


def tool(schema: Any) -> Any:
    return {"name": "f", "parameters": {"type": "object", "properties": {"a": schema}}}


def bodies(name: str) -> list[Any]:
    return [form.body for form in toolspeak.get_dialect(name).grammar.forms()]


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("schema", NULLABLE)
@pytest.mark.parametrize("repair", [True, False])
def test_null_reads_back_as_null(name: str, schema: Any, repair: bool) -> None:
    dialect, tools = toolspeak.get_dialect(name), [tool(schema)]
    text = dialect.render_calls([{"name": "f", "arguments": {"a": None}}], tools=tools)
    (call,) = toolspeak.parse(text, dialect, tools=tools, repair=repair).tool_calls
    assert same(dict(call.arguments), {"a": None})
    assert not call.repaired


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("schema", [*NULLABLE, {"type": "string"}])
@pytest.mark.parametrize("value", ["null", " null", "Null", "None", "nullable", ""])
def test_texts_like_null_read_back_or_are_refused(name: str, schema: Any, value: str) -> None:
    dialect, tools = toolspeak.get_dialect(name), [tool(schema)]
    call = {"name": "f", "arguments": {"a": value}}
    null = [body for body in bodies(name) if value in getattr(body, "null", ())]
    if schema in NULLABLE and any(getattr(body, "hint", None) is None for body in null):
        with pytest.raises(toolspeak.RenderError, match="'a' may be null"):
            dialect.render_calls([call], tools=tools)
        return
    text = dialect.render_calls([call], tools=tools)
    (read,) = toolspeak.parse(text, dialect, tools=tools).tool_calls
    assert same(dict(read.arguments), {"a": value})


@pytest.mark.parametrize("name", DIALECTS)
def test_null_for_text_that_may_not_be_null_is_no_text(name: str) -> None:
    """It is written as null if the dialect can say so, and refused if not; never the text."""
    dialect, tools = toolspeak.get_dialect(name), [tool({"type": "string"})]
    try:
        text = dialect.render_calls([{"name": "f", "arguments": {"a": None}}], tools=tools)
    except toolspeak.RenderError:
        return
    (call,) = toolspeak.parse(text, dialect, tools=tools).tool_calls
    assert same(dict(call.arguments), {"a": None})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("qwen3-coder", "<function=f><parameter=a>\nnull\n</parameter></function>"),
        ("glm", "<tool_call>f\n<arg_key>a</arg_key><arg_value>null</arg_value></tool_call>"),
        ("xml", '<invoke name="f"><parameter name="a">null</parameter></invoke>'),
        ("minimax", '<invoke name="f"><parameter name="a">null</parameter></invoke>'),
    ],
)
def test_what_a_template_writes_for_null_is_null(name: str, text: str) -> None:
    for schema, value in ((NULLABLE[0], None), ({"type": "string"}, "null")):
        (call,) = toolspeak.parse(text, name, tools=[tool(schema)]).tool_calls
        assert same(dict(call.arguments), {"a": value})


def test_a_hint_says_text() -> None:
    text = '<invoke name="f"><parameter name="a" string="true">null</parameter></invoke>'
    (call,) = toolspeak.parse(text, "xml", tools=[tool(NULLABLE[0])]).tool_calls
    assert same(dict(call.arguments), {"a": "null"})

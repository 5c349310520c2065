"""Entities in tagged values: kept, or decoded."""

from __future__ import annotations

import pytest

from support import (
    same_outcome,
    scan,
)

ENTITIES = "a &lt; b &amp;amp; &quot;c&quot; &#65; &bogus; &"
DECODED = 'a < b &amp; "c" A &bogus; &'
WITH_ENTITIES = {
    "xml": '<invoke name="f"><parameter name="a">{}</parameter></invoke>',
    "qwen3-coder": "<function=f>\n<parameter=a>\n{}\n</parameter>\n</function>",
    "glm": "<tool_call>f\n<arg_key>a</arg_key><arg_value>{}</arg_value></tool_call>",
}


@pytest.mark.parametrize("name", WITH_ENTITIES)
def test_entities_in_tagged_values(name: str) -> None:
    text = WITH_ENTITIES[name].format(ENTITIES)
    for options in ({}, {"entities": "keep"}):
        assert same_outcome(name, text, **options)["calls"][0]["arguments"] == {"a": ENTITIES}
    assert same_outcome(name, text, entities="decode")["calls"][0]["arguments"] == {"a": DECODED}
    assert scan(name, text, entities="decode")[-1].raw == text


def test_entities_of_a_value_that_is_json() -> None:
    text = WITH_ENTITIES["xml"].format("{&quot;k&quot;: 1}")
    assert same_outcome("xml", text, entities="decode")["calls"][0]["arguments"] == {"a": {"k": 1}}


def test_entities_in_json_are_never_decoded() -> None:
    text = '<tool_call>{"name": "f", "arguments": {"a": "&lt;"}}</tool_call>'
    assert same_outcome("hermes", text, entities="decode")["calls"][0]["arguments"] == {"a": "&lt;"}

"""Broken JSON is mended in its structure, and never in its content."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolspeak
from toolspeak._core import mend_json
from toolspeak.reading.json_values import repair_json

MENDED: dict[str, Any] = {
    "{'a': 'b'}": {"a": "b"},
    "{a: 1,}": {"a": 1},
    r'{"a": "one\ntwo\n",}': {"a": "one\ntwo\n"},
    '{"a": [1, 2}': {"a": [1, 2]},
    '{"a": "he said "hi" to me"}': {"a": 'he said "hi" to me'},
    '{"a": "x\ny\t\x01"}': {"a": "x\ny\t\x01"},
    "{'a': True, 'b': None, 'c': [False]}": {"a": True, "b": None, "c": [False]},
    r'{"p": "C:\dir\x"}': {"p": r"C:\dir\x"},
    '{"a": 1 "b": 2}': {"a": 1, "b": 2},
    '{"a": "b"}}': {"a": "b"},
    '```json\n{"a": 1,}\n```': {"a": 1},
    "{,'a':1,,'b':2}": {"a": 1, "b": 2},
    '{"a": "b",, }': {"a": "b"},
    '{"a":{"b":[1,{"c":"d"}': {"a": {"b": [1, {"c": "d"}]}},
}
# Content would be lost, or a guess decide: what is left to others, or to nobody.
NOT_MENDED = [
    "[WIP] note", '{"a": hello}', '{"a": "abc', '{"a":', '{"a": 01}', '{"a": 1} x', '{"a": (1,2)}',
    '{"a": [1 2]}', "", "{'a': 1 + 2}", "[" * 300,
]  # fmt: skip


@pytest.mark.parametrize("text", MENDED)
def test_structure_is_mended(text: str) -> None:
    mended = mend_json(text)
    assert mended is not None
    assert json.loads(mended) == MENDED[text]


@pytest.mark.parametrize("text", NOT_MENDED)
def test_nothing_is_guessed(text: str) -> None:
    assert mend_json(text) is None


@pytest.mark.parametrize("text", ["[WIP] note", "[ -f a ] && cat a"])
def test_repair_that_leaves_something_out_is_not_taken(text: str) -> None:
    with pytest.raises(ValueError, match=r"leave something out|beyond repair"):
        repair_json(text)


@pytest.mark.parametrize("text", ["[WIP] note", "[ -f a ] && cat a", "{ echo hi; } > log"])
def test_text_that_is_no_json_stays_text(text: str) -> None:
    call = f"<function=note>\n<parameter=t>\n{text}\n</parameter>\n</function>"
    (read,) = toolspeak.parse(call, "qwen3-coder").tool_calls
    assert (dict(read.arguments), read.repaired) == ({"t": text}, False)


@pytest.mark.parametrize("text", ["['a', 'b']", "True", "{a: 1}"])
def test_where_text_is_a_value_only_json_is_none(text: str) -> None:
    tool = {"name": "f", "parameters": {"properties": {"t": {"type": ["string", "array"]}}}}
    call = f'<invoke name="f"><parameter name="t">{text}</parameter></invoke>'
    (read,) = toolspeak.parse(call, "xml", tools=[tool]).tool_calls
    assert read.arguments == {"t": text}


def test_arguments_that_came_twice() -> None:
    assert repair_json('{"a": 1}{"a": 1}') == {"a": 1}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), VALUES))
def test_json_stays_what_it_is(value: dict[str, Any]) -> None:
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=1)):
        mended = mend_json(text)
        # A quote in a string may look like its end; then nothing is mended.
        assert mended is None or json.loads(mended) == value
    assert mend_json(json.dumps(value)) is not None or '"' in str(value)


@given(st.dictionaries(st.text(), VALUES), st.data())
def test_a_broken_text_keeps_its_content(value: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(value, ensure_ascii=False)
    at = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(at, min(len(text), at + 2)))
    broken = text[:at] + data.draw(st.sampled_from(["", ",", "'", "}", "]", "\n"])) + text[end:]
    mended = mend_json(broken)
    if mended is not None:
        json.loads(mended)
        said = [char for char in broken if char.isalnum()]
        held = iter(mended)
        assert all(char in held for char in said)

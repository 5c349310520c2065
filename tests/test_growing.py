"""Arguments that are still being written, held against the plain reader of all that has come."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolspeak
from generated import tool_and_arguments
from growing_plain import PlainReader
from support import CALL_DIALECTS, random_cuts, same
from toolspeak._core import ToolArgDelta, ToolStart
from toolspeak.outputs.growing_arguments import growing_arguments
from toolspeak.tools.tool_set import ToolSet

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=12,
)  # fmt: skip


def looks(deltas: list[str], tools: Any = ()) -> list[dict[str, Any]]:
    """What is told after each delta of arguments in JSON."""
    reader = growing_arguments("json", "f", None, ToolSet.of(tools))
    told = []
    for delta in deltas:
        reader.add(None, delta)
        told.append(copy.deepcopy(reader.look()))
    return told


def texts(deltas: list[str], schema: Any = None) -> list[dict[str, Any]]:
    """What is told after each delta of one value that stands by itself."""
    tools = [] if schema is None else [{"name": "f", "parameters": {"properties": {"a": schema}}}]
    reader = growing_arguments("text", "f", None, ToolSet.of(tools))
    told = []
    for delta in deltas:
        reader.add("a", delta)
        told.append(copy.deepcopy(reader.look()))
    return told


def keys_in(value: Any) -> Iterator[str]:
    """The keys of all objects in a value."""
    if isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from keys_in(item)


@given(
    arguments=st.dictionaries(st.text(max_size=3), JSON, max_size=4),
    ascii_only=st.booleans(),
    indent=st.sampled_from([None, 1]),
    encoded=st.booleans(),
)
def test_json_is_read_as_by_the_plain_reader(
    arguments: dict[str, Any], ascii_only: bool, indent: int | None, encoded: bool
) -> None:
    text = json.dumps(arguments, ensure_ascii=ascii_only, indent=indent)
    if encoded:
        text = json.dumps(text)
    plain = PlainReader(None, ToolSet())
    told = looks(list(text))
    # The plain reader shows U+FFFD for the first half of a pair of escapes, and takes a mark in a
    # key that is cut for structure.
    agrees = "\\u" not in text and not any(set(key) & set("{[]},:") for key in keys_in(arguments))
    for end, look in enumerate(told, start=1):
        if agrees:
            assert same(look, plain.read("f", [(None, text[:end])]))
    assert same(told[-1], plain.read("f", [(None, text)]))


@pytest.mark.parametrize("name", CALL_DIALECTS)
@given(call=tool_and_arguments(), seed=st.integers(0, 2**32))
def test_every_dialect_is_read_as_by_the_plain_reader(
    name: str, call: tuple[Any, Any], seed: int
) -> None:
    tool, arguments = call
    dialect, tools = toolspeak.get_dialect(name), ToolSet.of([tool])
    made = toolspeak.ToolCall("call_0", tool["function"]["name"], arguments)
    try:
        text = dialect.render_calls([made], tools=tools)
    except toolspeak.RenderError:
        return
    scanner, plain = dialect.scanner(tools=tools), PlainReader(dialect, tools)
    reader: Any = None
    items: list[tuple[str | None, str]] = []
    shown: set[str] = set()
    for piece in random_cuts(text, random.Random(seed)):
        for event in scanner.feed(piece):
            if isinstance(event, ToolStart):
                reader = growing_arguments(event.encoding, event.name, dialect, tools)
            elif isinstance(event, ToolArgDelta):
                if items and items[-1][0] == event.key:
                    items[-1] = (event.key, items[-1][1] + event.delta)
                else:
                    items.append((event.key, event.delta))
                reader.add(event.key, event.delta)
                whole = plain.read(event.name, items)
                shown |= whole.keys()
                # The plain reader takes back what broke; repeated elements are no one JSON text.
                if shown == whole.keys():
                    assert same(reader.look(), whole)


@given(st.lists(st.sampled_from(list('{}[]:," \\u0dnq1.-eTtrue')), max_size=40), st.booleans())
def test_any_text_is_told_and_nothing_is_taken_back(text: list[str], told_apart: bool) -> None:
    before: dict[str, Any] = {}
    for look in looks(["{", '"', "a", '"', ":", *text]):
        assert before.keys() <= look.keys()
        before = look


# --- what was looked at -----------------------------------------------------------------------


@given(arguments=st.dictionaries(st.text(max_size=3), JSON, max_size=4), keep=st.integers(1, 7))
def test_a_look_that_is_kept_does_not_change(arguments: dict[str, Any], keep: int) -> None:
    """Whether the whole of it is kept, or only a part."""
    reader = growing_arguments("json", "f", None, ToolSet())
    kept = []
    for at, delta in enumerate(json.dumps(arguments, ensure_ascii=False)):
        reader.add(None, delta)
        look = reader.look()
        if at % keep == 0:
            part = random.Random(at).choice([look, *look.values()])
            kept.append((part, copy.deepcopy(part)))
        del look
    assert all(same(part, was) for part, was in kept)


def test_lists_that_nobody_kept_are_not_copied() -> None:
    reader = growing_arguments("json", "f", None, ToolSet())
    reader.add(None, '{"a": [[1,')
    first = id(reader.look()["a"][0])
    for _ in range(3):
        reader.add(None, "2,")
        assert id(reader.look()["a"][0]) == first
    kept = reader.look()["a"]
    reader.add(None, "3,")
    assert id(reader.look()["a"][0]) != first
    assert kept == [[1, 2, 2, 2]]


# --- where the plain reader guesses wrong ---------------------------------------------------------


def test_what_breaks_takes_nothing_back() -> None:
    """The plain reader tells nothing any more."""
    told = looks(['{"a": [1, 2], "b": "x', '", "c": nope', ', "d": 1}'])
    assert told == [{"a": [1, 2], "b": "x"}] * 3


def test_pairs_of_escapes_are_one_character() -> None:
    told = looks(list('{"a": "\\ud83d\\ude00"}'))
    assert {look.get("a") for look in told} == {None, "", "😀"}
    assert looks(['{"a": "\\ud83d', "x"])[-1] == {"a": "\ufffdx"}


def test_unknown_escapes_keep_their_backslash_as_in_what_is_mended() -> None:
    assert looks(['{"a": "\\d+'])[-1] == {"a": "\\d+"}


@pytest.mark.parametrize("text", ["12", "-1.5e3", "true", "None", "nul"])
def test_what_may_become_data_is_no_text_meanwhile(text: str) -> None:
    assert texts(list(text)) == [{}] * len(text)


@pytest.mark.parametrize("text", ["12 monkeys", "trueish", "[WIP] rename", "{ echo; } > log", "hi"])
def test_what_turns_out_to_be_no_data_is_text(text: str) -> None:
    assert texts(list(text))[-1] == {"a": text}


def test_what_a_schema_calls_data_is_no_text() -> None:
    assert texts(["12", " monkeys"], {"type": "integer"}) == [{}, {}]
    assert texts(["[1, ", "2, x"], {"type": "array"}) == [{"a": [1]}, {"a": [1, 2]}]


def test_an_encoding_decides_and_not_the_dialect() -> None:
    reader = growing_arguments("json", "f", toolspeak.get_dialect("gemini"), ToolSet())
    reader.add(None, '{"a": "x')
    assert reader.look() == {"a": "x"}


CODE = """a=[1, 'x, y'], b=\'\'\'p, q'' r\'\'\', c=r"\\d, ", # d, e
 f={1: (2, 3)}, g=1"""
LITERALS = """{a:[1,2],b:<|"|>p, "q<|" r<|"|>,c:"xy\\"",d:{f:1,g:2},h:it's,i:1"""


@pytest.mark.parametrize(
    ("name", "encoding", "text", "keys"),
    [("gemini", "python", CODE, "abcf"), ("gemma", "literals", LITERALS, "abcdh")],
)
def test_arguments_in_one_text_show_once_they_are_complete(
    name: str, encoding: Any, text: str, keys: Any
) -> None:
    dialect = toolspeak.get_dialect(name)
    plain = PlainReader(dialect, ToolSet())
    for size in (1, 2, 3, 7, len(text)):
        reader = growing_arguments(encoding, "f", dialect, ToolSet())
        for at in range(0, len(text), size):
            reader.add(None, text[at : at + size])
            assert reader.look() == plain.read("f", [(None, text[: at + size])])
        assert list(reader.look()) == list(keys)


def test_a_comma_in_ascii_quotes_ends_no_literal() -> None:
    """The plain reader takes what is before it for a value, until the quotes are closed."""
    reader = growing_arguments("literals", "f", toolspeak.get_dialect("gemma"), ToolSet())
    reader.add(None, '{a:"x,y')
    assert reader.look() == {}
    reader.add(None, '",')
    assert reader.look() == {"a": "x,y"}

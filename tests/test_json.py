"""The core's JSON reader against Python's: where it answers, the answer is the same."""

from __future__ import annotations

import json
import math
import sys
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from support import identical
from toolspeak._core import parse_strict_json
from toolspeak.reading.json_values import parse_json

PIECES = (
    "{", "}", "[", "]", ",", ":", '"', "\\", "\\u00e9", "\\ud83d", "\\ude00", "\\n", "\\x", "'",
    '"a"', '"b":', "1", "-", "0", ".5", "e5", "E-400", "1e400", "12345678901234567890123", "NaN",
    "Infinity", "true", "false", "null", " ", "\n", "\t", "\x00", "\x7f", "\ufeff", "é", "😀", "//",
)  # fmt: skip
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | FLOATS | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def strict(text: str) -> tuple[Any] | None:
    try:
        return (parse_strict_json(text),)
    except ValueError:
        return None


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
@example('{"a": 1, "b": 2, "a": 3}')
@example('"\\ud83d\\ude00"')
@example("[" * 201 + "]" * 201)
@example("1" * 4301)
def test_what_it_reads_python_reads_alike(text: str) -> None:
    value = strict(text)
    if value is not None:
        assert identical(value[0], json.loads(text))


@given(VALUES, st.booleans(), st.sampled_from([None, 1]))
def test_it_reads_what_python_writes(value: Any, ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    read = strict(text)
    assert read is not None
    assert identical(read[0], json.loads(text))


@given(FLOATS, st.integers(0, 20))
def test_floats_are_exact(number: float, digits: int) -> None:
    for text in (repr(number), f"{number:.{digits}e}"):
        assert identical(strict(text), (float(text) if "." in text or "e" in text else int(text),))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('"\\ud83d"', "\ufffd"),
        ('"a\nb"', "a\nb"),
        ("9" * 5000, "9" * 5000),
        ("1e999", math.inf),
    ],
)
def test_python_reads_on_where_it_stops(text: str, value: Any) -> None:
    read, _ = parse_json(text)
    assert identical(read, value)


def test_python_reads_deeper() -> None:
    read, depth = parse_json("[" * 300 + "]" * 300)[0], 1
    while read:
        (read,), depth = read, depth + 1
    assert depth == 300


def test_pythons_own_bound_on_digits_holds() -> None:
    usual = sys.get_int_max_str_digits()
    try:
        sys.set_int_max_str_digits(700)
        assert parse_json("9" * 701) == ("9" * 701, False)
        assert parse_json("9" * 700) == (int("9" * 700), False)
        sys.set_int_max_str_digits(0)
        assert parse_json("9" * 5000) == (int("9" * 5000), False)
    finally:
        sys.set_int_max_str_digits(usual)


@pytest.mark.parametrize("text", ["", "NaN", "-Infinity", "{'a': 1}", "[1,]", "\ufeff1", "\ud800"])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"JSON|surrogates"):
        parse_strict_json(text)

"""Hypothesis strategies: model output of a dialect, tools, argument values of all JSON types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from markers import COMMON, MARKUP, examples
from support import Row

# --- model output -------------------------------------------------------------------------


@st.composite
def _fragment(draw: st.DrawFn, sources: Sequence[str]) -> str:
    """A stretch of one of the strings."""
    text = draw(st.sampled_from(sources))
    start = draw(st.integers(0, len(text)))
    return text[start : draw(st.integers(start, len(text)))]


def soup(name: str) -> st.SearchStrategy[str]:
    """Text of markers, near-markers, stretches of real inputs and anything else."""
    markup = MARKUP[name]
    parts = [
        st.sampled_from(list(markup.pieces)),
        st.sampled_from(list(markup.pieces)),
        st.sampled_from(COMMON),
        _fragment(list(markup.pieces)),
        st.text(max_size=6),
    ]
    if examples(name):
        parts.append(_fragment(examples(name)))
        parts.append(st.sampled_from(examples(name)))
    return st.lists(st.one_of(parts), max_size=14).map("".join)


# --- values, tools, calls -----------------------------------------------------------------

# Strings that a careless scanner or renderer would take for something else.
AWKWARD = sorted(
    {
        "", " ", "\n", "\n\n", " x ", "\nx\n", "\n  x\n\n", "\r\n", "\t", "x\n", "\nx", "null",
        "None", "true", "True", "1", "-0.5", "1e3", '"quoted"', "'single'", '"', "'", '"""',
        "\\", "\\n", '\\"', '{"a": 1}', "[1, 2]", "{}", "[]", "a & b", "&amp;", "<b>x</b>",
        "a < b", "]]>", "<![CDATA[x]]>", "```", "```tool_code\nf()\n```", "`x`", "{x: 1}",
        "a, b", "k: v", "😀", "é", "\u2028", "\x00", "\x07\x1b", "\ufeff", "</", "<|", "|>",
        "</x>", "<x/>", "#", "# c", "x,", "undefined", "NaN",
    }
    | {piece for markup in MARKUP.values() for piece in markup.pieces}
)  # fmt: skip

# The alphabet leaves out lone surrogates, which no UTF-8 text can hold.
TEXTS = st.one_of(
    st.text(max_size=12),
    st.sampled_from(AWKWARD),
    st.lists(st.one_of(st.sampled_from(AWKWARD), st.text(max_size=4)), max_size=5).map("".join),
)
INTEGERS = st.one_of(st.integers(-10, 10), st.integers(), st.integers(-(2**200), 2**200))
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)

PLAIN_NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,9}", fullmatch=True).filter(
    # Words that a Python-like dialect cannot take for a name.
    lambda name: name not in {"if", "in", "is", "or", "and", "not", "for", "def", "del", "print"}
)
TOOL_NAMES = st.one_of(PLAIN_NAMES, st.sampled_from(["math.hypot", "run-it.v2", "a-b", "x_1.y_2"]))

SCALARS = st.one_of(TEXTS, INTEGERS, NUMBERS, st.booleans(), st.none())
ANY_VALUE = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(PLAIN_NAMES, inner, max_size=3)
    ),
    max_leaves=8,
)

# Schemas of which the text of a value is the value.
STRING_ONLY: tuple[Row, ...] = (
    {"type": "string"},
    {"type": ["string", "null"]},
    {"enum": ["a", "b c", "<x>"]},
)

_SCALAR_SCHEMAS: list[tuple[Row, st.SearchStrategy[Any]]] = [
    (STRING_ONLY[0], TEXTS),
    (STRING_ONLY[0], TEXTS),
    (STRING_ONLY[1], TEXTS),
    (STRING_ONLY[2], st.sampled_from(STRING_ONLY[2]["enum"])),
    ({"type": "integer"}, INTEGERS),
    ({"type": "number"}, st.one_of(NUMBERS, INTEGERS)),
    ({"type": "boolean"}, st.booleans()),
    ({"type": ["integer", "null"]}, st.one_of(INTEGERS, st.none())),
    ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, st.one_of(TEXTS, INTEGERS)),
    ({}, SCALARS),
]


@st.composite
def typed_values(draw: st.DrawFn, depth: int = 2) -> tuple[Row, st.SearchStrategy[Any]]:
    """A parameter schema, and a strategy for values that it allows."""
    kind = draw(st.sampled_from(["scalar", "scalar", "scalar", "array", "object", "any"]))
    if kind == "any":
        return {}, ANY_VALUE
    if kind == "scalar" or depth == 0:
        schema, values = draw(st.sampled_from(_SCALAR_SCHEMAS))
        return schema, values
    if kind == "array":
        items, values = draw(typed_values(depth=depth - 1))
        return {"type": "array", "items": items}, st.lists(values, max_size=3)
    fields = draw(st.dictionaries(PLAIN_NAMES, typed_values(depth=depth - 1), max_size=3))
    schema = {"type": "object", "properties": {name: field[0] for name, field in fields.items()}}
    return schema, st.fixed_dictionaries({}, optional={n: f[1] for n, f in fields.items()})


@st.composite
def tool_and_arguments(draw: st.DrawFn) -> tuple[Row, Row]:
    """An OpenAI tool dict and arguments for it, in random order."""
    fields = draw(st.dictionaries(PLAIN_NAMES, typed_values(), max_size=4))
    given = {name: draw(values) for name, (_, values) in fields.items() if draw(st.booleans())}
    order = draw(st.permutations(sorted(given)))
    properties = {name: schema for name, (schema, _) in fields.items()}
    function = {
        "name": draw(TOOL_NAMES),
        "parameters": {"type": "object", "properties": properties},
    }
    return {"type": "function", "function": function}, {name: given[name] for name in order}


def name_of(call: tuple[Row, Row]) -> Any:
    """The tool that a call is for."""
    return call[0]["function"]["name"]


def strings_in(value: Any) -> list[str]:
    """Every string inside a value, keys too."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [*value, *(text for item in value.values() for text in strings_in(item))]
    if isinstance(value, list):
        return [text for item in value for text in strings_in(item)]
    return []

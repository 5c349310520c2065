"""Calls whose arguments are nested elements behind a token (the shape of MiniMax-M3).

A user's dialect is registered, and read as any other: what the arguments are, that the deltas tell
what they are read from, and what a call costs that is cut, malformed or hostile.
"""

from __future__ import annotations

import random
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolspeak
from support import Row, aborts_of, calls_of, canonical, cut_at, cuts, joined, random_cuts, run
from toolspeak import GrammarError, Limits, ToolAbort, ToolArgDelta, ToolEnd
from toolspeak.grammar import (
    CallForm,
    CloseTag,
    Grammar,
    NameIn,
    Nested,
    OpenTag,
    Section,
    TagSyntax,
)
from toolspeak.tools.tool_set import ToolSet
from toolspeak.writing.untrusted import find_markers

TOKEN = "]<]minimax[>["
TAG = TagSyntax(open=(f"{TOKEN}<",), close=(f"{TOKEN}</",))


def grammar(token: str = TOKEN, **names: str) -> Grammar:
    """Calls in a section, with this shape of body."""
    call = CallForm(
        OpenTag(("invoke",), TAG),
        CloseTag(("invoke",), TAG),
        Nested(token, **names),
        NameIn("name"),
    )
    section = Section(OpenTag(("tool_call",), TAG), CloseTag(("tool_call",), TAG), (call,))
    return Grammar(sections=(section,))


DIALECT = toolspeak.Dialect("nested-elements", grammar())


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The dialect is registered, and forgotten behind each test."""
    from toolspeak import registry  # noqa: PLC0415 - the module, not what it offers

    monkeypatch.setattr(registry, "_REGISTRY", dict(registry._REGISTRY))
    toolspeak.register(DIALECT)


STRING: Row = {"type": "string"}
INTEGER: Row = {"type": "integer"}
POINT: Row = {"type": "object", "properties": {"x": INTEGER, "label": STRING}}
TOOLS = ToolSet(
    [
        {
            "name": "t",
            "parameters": {
                "type": "object",
                "properties": {
                    "s": STRING,
                    "n": INTEGER,
                    "flag": {"type": "boolean"},
                    "maybe": {"type": ["integer", "null"]},
                    "o": POINT,
                    "tags": {"type": "array", "items": STRING},
                    "points": {"type": "array", "items": POINT},
                    "grid": {"type": "array", "items": {"type": "array", "items": INTEGER}},
                    "any": {},
                    "ключ": STRING,
                },
            },
        },
        {"name": "find_book", "parameters": {"properties": {"title": STRING}}},
        {"name": "count_pages", "parameters": {"properties": {"n": INTEGER}}},
    ]
)
NONE = ToolSet()


def wire(short: str) -> str:
    """Text with the token for each `@`."""
    return short.replace("@", TOKEN)


def call(body: str, name: str = "t") -> str:
    """One call in a section, with `@` for the token."""
    return wire(f'@<tool_call>\n@<invoke name="{name}">{body}@</invoke>\n@</tool_call>')


def scan(text: str, tools: ToolSet = TOOLS, **options: Any) -> list[Any]:
    return run(toolspeak.get_dialect("nested-elements").scanner(tools=tools, **options), [text])


def read(body: str, tools: ToolSet = TOOLS) -> tuple[Row, bool]:
    """The arguments of a call with this body, and whether something was mended."""
    (end,) = (event for event in scan(call(body), tools) if isinstance(event, ToolEnd | ToolAbort))
    assert isinstance(end, ToolEnd), end
    return dict(end.arguments), end.repaired


def told(events: Sequence[Any]) -> dict[str, str]:
    """The joined deltas of each key."""
    texts: dict[str, str] = defaultdict(str)
    for event in events:
        if isinstance(event, ToolArgDelta):
            texts[event.key or ""] += event.delta
    return texts


# --- calls --------------------------------------------------------------------------------------

TWO = wire(
    'Hi @<tool_call>\n@<invoke name="find_book">\n@<title>Dune@</title>\n@</invoke>\n'
    '@<invoke name="count_pages">\n@<n>3@</n>\n@</invoke>\n@</tool_call> bye'
)
CALLS = [
    {"name": "find_book", "arguments": {"title": "Dune"}},
    {"name": "count_pages", "arguments": {"n": 3}},
]


def all_pieces(text: str) -> Iterator[Sequence[Any]]:
    for _, pieces in cuts(text):
        yield pieces
    for at in range(len(text)):
        yield cut_at(text, [at])
    rng = random.Random(1)
    for _ in range(20):
        yield random_cuts(text, rng)


@pytest.mark.parametrize(
    "text",
    [
        TWO,
        call("@<o>@<x>1@</x>@<label>é < ]<]mini名@</label>@</o>@<tags>@<item>a@</item>@</tags>"),
        call("@<s>@<b>@</o>@</s>@<any/>@</x>@<any>a@<b/>c@</any>"),
        call("@<s>never closed"),
    ],
)
def test_the_cuts_make_no_difference(text: str) -> None:
    whole = joined(scan(text))
    for pieces in all_pieces(text):
        scanner = toolspeak.get_dialect("nested-elements").scanner(tools=TOOLS)
        assert joined(run(scanner, pieces)) == whole, pieces


def test_two_calls() -> None:
    events = scan(TWO)
    assert calls_of(events) == CALLS
    assert not aborts_of(events)
    assert "".join(e.text for e in events if isinstance(e, toolspeak.Text)) == "Hi  bye"
    assert toolspeak.parse(TWO, "nested-elements", tools=TOOLS).text == "Hi  bye"


# --- values -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "arguments"),
    [
        ("", {}),
        ("\n noise \n", {}),
        ("@<s>3@</s>@<n>3@</n>", {"s": "3", "n": 3}),
        ("@<s>\n a \n@</s>", {"s": "\n a \n"}),
        ("@<flag>true@</flag>@<maybe>null@</maybe>", {"flag": True, "maybe": None}),
        ("@<s>@</s>@<tags>@</tags>@<o> @</o>", {"s": "", "tags": [], "o": {}}),
        ("@<s/>@<tags/>@<o/>", {"s": "", "tags": [], "o": {}}),
        ("@<tags>\n@<item>1@</item>\n@<item>b@</item>\n@</tags>", {"tags": ["1", "b"]}),
        ("@<tags>@<item/>@</tags>", {"tags": [""]}),
        ('@<tags>["1", "b"]@</tags>', {"tags": ["1", "b"]}),
        ("@<o>@<x>1@</x>@<label>2@</label>@</o>", {"o": {"x": 1, "label": "2"}}),
        ('@<o>{"x": 1}@</o>', {"o": {"x": 1}}),
        (
            "@<points>@<item>@<x>1@</x>@</item>@<item>@<label>2@</label>@</item>@</points>",
            {"points": [{"x": 1}, {"label": "2"}]},
        ),
        (
            "@<grid>@<item>@<item>1@</item>@</item>@<item>@</item>@</grid>",
            {"grid": [[1], []]},
        ),
        ("@<any>@<item>1@</item>@<item>b@</item>@</any>", {"any": [1, "b"]}),
        ("@<any>@<a>1@</a>@<item>2@</item>@</any>", {"any": {"a": 1, "item": 2}}),
        ("@<any>@<any>@<any>1@</any>@</any>@</any>", {"any": {"any": {"any": 1}}}),
        ("@<any>a @<b>1@</b> c@</any>", {"any": {"b": 1, "$text": "a  c"}}),
        ("@<ключ>名@</ключ>@<a b>1@</a b>", {"ключ": "名", "a b": 1}),
        ("@<more>@<x>1@</x>@</more>", {"more": {"x": 1}}),
        ("@<n>1@</n>@<n>2@</n>", {"n": 2}),
        ("@</s> <s>text</s> @<n>1@</n> @ @</n>", {"n": 1}),
    ],
)
def test_values(body: str, arguments: Row) -> None:
    found, repaired = read(body)
    assert canonical(found) == canonical(arguments)
    assert not repaired


@pytest.mark.parametrize(
    ("body", "arguments"),
    [
        ("@<tags>a @<item>b@</item>@</tags>", {"tags": ["b", "a"]}),
        ("@<tags>@<tag>1@</tag>@</tags>", {"tags": ["1"]}),
        ("@<o>{x: 1}@</o>", {"o": {"x": 1}}),
    ],
)
def test_mended_values(body: str, arguments: Row) -> None:
    assert read(body) == (arguments, True)


def test_without_a_schema_the_text_decides() -> None:
    body = "@<n>3@</n>@<s>a@</s>@<list>@<item>1@</item>@</list>@<o>@<x>true@</x>@</o>@<e>@</e>"
    expected = {"n": 3, "s": "a", "list": [1], "o": {"x": True}, "e": ""}
    assert read(body, NONE) == (expected, False)


MARKERS = [
    "@<tool_call>",
    "@</tool_call>",
    '@<invoke name="find_book">',
    "@</invoke>",
    "@<n>1@</n>",
    "@</n>",
    "@<s>",
    "@</s",
    "</s>",
    "@",
    "<think>&lt;</think>",
    "]<]minimax",
]


@pytest.mark.parametrize("marker", MARKERS)
def test_markers_inside_a_text_are_data(marker: str) -> None:
    value = f"a {marker} b"
    assert read(f"@<s>{value}@</s>@<n>1@</n>") == ({"s": wire(value), "n": 1}, False)


@given(st.text(st.sampled_from("é名a\n<>/]@")), st.lists(st.integers(0, 300), max_size=6))
def test_any_text_comes_back(text: str, places: list[int]) -> None:
    whole = call(f"@<s>{text}@</s>")
    pieces = cut_at(whole, places)
    assert calls_of(run(DIALECT.scanner(tools=TOOLS), pieces))[0]["arguments"] == {"s": wire(text)}


def test_the_names_of_items_and_of_text_are_the_grammars() -> None:
    dialect = toolspeak.Dialect("renamed", grammar(item="li", text="#"))
    body = "@<a>@<li>1@</li>@</a>@<b>@<item>1@</item>x@</b>"
    (found,) = calls_of(run(dialect.scanner(), [call(body)]))
    assert found["arguments"] == {"a": [1], "b": {"item": 1, "#": "x"}}


@pytest.mark.parametrize("field", ["token", "item", "text"])
def test_a_grammar_without_one_of_its_names(field: str) -> None:
    bad = grammar(**{field: ""})
    with pytest.raises(GrammarError, match=rf"calls\[0\]\.body\.{field}: the {field} is empty"):
        bad.compile()


def test_the_token_is_a_marker_in_the_text_of_others() -> None:
    (marker,) = find_markers(wire("x @<s>"), DIALECT)
    assert (marker.text, marker.kind) == (TOKEN, "value")


# --- what is told -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "deltas"),
    [
        ("@<s> a\n@</s>@<n>3@</n>", {"s": " a\n", "n": "3"}),
        ("@<o>@<x>1@</x>@</o>", {"o": "@<x>1@</x>"}),
        ("@<any>a@</b>@</any>", {"any": "a@</b>"}),
        ("@<s/>@<o>@</o>", {}),
        ("@<s>@<s>@</n>@</s>", {"s": "@<s>@</n>"}),
    ],
)
def test_the_text_of_a_value_is_told(body: str, deltas: dict[str, str]) -> None:
    text = call(body)
    for size in (1, 3, len(text)):
        pieces = cut_at(text, range(size, len(text), size))
        events = run(DIALECT.scanner(tools=TOOLS), pieces)
        assert told(events) == {key: wire(delta) for key, delta in deltas.items()}


PIECES = [
    *(f"@<{name}>" for name in ("s", "n", "o", "tags", "any", "item", "x", "ü")),
    *(f"@</{name}>" for name in ("s", "n", "o", "tags", "any", "item", "x", "ü")),
    *("@<s/>", "@<any/>", "@", "@<", "<", ">", "]<]", " ", "\n", "1", "a", '{"x": 1}', "[1]", "é"),
]


@given(
    st.lists(st.sampled_from(PIECES), max_size=16).map("".join),
    st.sampled_from([TOOLS, NONE]),
    st.lists(st.integers(0, 300), max_size=8),
)
def test_what_is_told_is_what_values_are_read_from(
    body: str, tools: ToolSet, places: list[int]
) -> None:
    text = call(body)
    whole = run(DIALECT.scanner(tools=tools), [text])
    assert joined(run(DIALECT.scanner(tools=tools), cut_at(text, places))) == joined(whole)
    for end in (event for event in whole if isinstance(event, ToolEnd)):
        for key, delta in told(whole).items():
            if body.count(f"@<{key}>") != 1:
                continue
            again = call(f"@<{key}>{delta}@</{key}>")
            (alone,) = calls_of(run(DIALECT.scanner(tools=tools), [again]))
            assert canonical(alone["arguments"][key]) == canonical(end.arguments[key])


# --- what is cut or malformed -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "arguments"),
    [
        ("", {}),
        ("@<s>a", {}),
        ("@<s>a@</s>@<n>1", {"s": "a"}),
        ("@<s>a@</s>@<o>@<x>1@</x>", {"s": "a"}),
        ("@<s>a@</s>@<n", {"s": "a"}),
        ("@<s>a@</s>@<n>1@</n>", {"s": "a", "n": 1}),
    ],
)
def test_a_call_that_is_cut(body: str, arguments: Row) -> None:
    (abort,) = aborts_of(scan(wire(f'@<tool_call>@<invoke name="t">{body}')))
    assert (abort.reason, abort.arguments) == ("truncated", arguments)


@pytest.mark.parametrize("body", ["@<s>a@</s>", "@<o>@<x>1@</x>@</o>", "@<s/>"])
@pytest.mark.parametrize("closer", ["", "\n", "@", "@</inv"])
def test_a_call_that_lacks_only_closers_is_recovered(body: str, closer: str) -> None:
    text = wire(f'@<tool_call>@<invoke name="t">{body}{closer}')
    (found,) = calls_of(scan(text, truncated_calls="recover"))
    assert found["arguments"] == read(body)[0]


@pytest.mark.parametrize("body", ["@<s>a", "@<o>@<x>1@</o>", "@<n>1@</s>", "@<any>@<b>1@</any>"])
def test_an_element_that_is_never_closed_ends_with_the_call(body: str) -> None:
    text = call(f"@<flag>true@</flag>{body}") + call("@<n>2@</n>") + " bye"
    events = scan(text)
    (abort,) = aborts_of(events)
    assert (abort.reason, abort.arguments) == ("truncated", {"flag": True})
    assert calls_of(events) == [{"name": "t", "arguments": {"n": 2}}]
    assert "".join(e.text for e in events if isinstance(e, toolspeak.Text)) == " bye"


def test_a_call_without_a_name() -> None:
    (abort,) = aborts_of(scan(wire("@<tool_call>@<invoke>@<s>a@</s>@</invoke>@</tool_call>")))
    assert (abort.reason, abort.name) == ("malformed", None)


# --- limits -------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [1, 2, 200, 20_000])
def test_depth_is_bounded_by_the_limit_alone(depth: int) -> None:
    def end(count: int) -> Any:
        body = "@<a>" * count + "@<b/>" + "@</a>" * count
        events = scan(call(body), limits=Limits(max_depth=depth))
        (end,) = (event for event in events if isinstance(event, ToolEnd | ToolAbort))
        return end

    value = end(depth).arguments
    for _ in range(depth):
        value = value["a"]
    assert value == {"b": ""}
    over = end(depth + 1)
    assert (type(over), over.reason, over.arguments) == (ToolAbort, "limit", {})


def test_a_call_that_is_too_long() -> None:
    text = call(f"@<n>1@</n>@<s>{'x' * 500}@</s>") + call("@<n>2@</n>")
    events = scan(text, limits=Limits(max_call_bytes=200))
    (abort,) = aborts_of(events)
    assert (abort.reason, abort.arguments) == ("limit", {"n": 1})
    assert calls_of(events) == [{"name": "t", "arguments": {"n": 2}}]


def test_little_is_held_back() -> None:
    scanner = DIALECT.scanner(tools=TOOLS)
    scanner.feed(wire('@<tool_call>@<invoke name="t">@<o>'))
    fed = told_so_far = 0
    for piece in ("a", "]<]minimax[>", "[", "<", "long" * 500, "b"):
        fed += len(piece)
        deltas = (it for it in scanner.feed(piece) if isinstance(it, ToolArgDelta))
        told_so_far += sum(len(it.delta) for it in deltas)
        assert fed - told_so_far <= 1024
    assert fed == told_so_far


HOSTILE = [
    "@", "@<", "@<a>", "@</a>", "@<a/>", "@<a>1@</a>", "]<", "@<a", "@</", "@<a>x@</b>",
    "@<item>", "@<item>1@</item>", "x@<a/>", "@</invoke", "@<b>x@<c>", " ", "@<" + "x" * 500,
]  # fmt: skip


def seconds(text: str, size: int) -> float:
    best = float("inf")
    for _ in range(3):
        scanner = DIALECT.scanner(limits=Limits(max_depth=1 << 20))
        start = time.perf_counter()
        run(scanner, cut_at(text, range(size, len(text), size)))
        best = min(best, time.perf_counter() - start)
    return best


@pytest.mark.parametrize("unit", HOSTILE)
@pytest.mark.parametrize("closer", ["", "@</z>@</invoke>"])
def test_cost_is_linear(unit: str, closer: str) -> None:
    start = '@<tool_call>@<invoke name="t">@<z>'
    unit, closer, start = wire(unit), wire(closer), wire(start)
    small, large = (start + unit * (size // len(unit)) + closer for size in (4_000, 64_000))
    # Sixteen times the text; quadratic cost would be 256 times.
    for size in (512, 100_000):
        assert seconds(large, size) < 64 * max(seconds(small, size), 2e-4)

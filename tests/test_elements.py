"""Calls written as a tag with attributes, and child elements or one verbatim text (pi-native).

What the arguments are, and that the deltas told them: the joined deltas of a key are the text that
its value is read from.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import toolspeak
from generated import TEXTS, tool_and_arguments
from support import Row, aborts_of, canonical, cut_at, joined, run, same, scan, scanner_of
from toolspeak import Limits, RenderError, ToolAbort, ToolArgDelta, ToolEnd
from toolspeak.reading.json_values import coerce_value
from toolspeak.tools.json_schema import tool_shape
from toolspeak.tools.tool_set import ToolSet

STRING: Row = {"type": "string"}
NUMBER: Row = {"type": "number"}
INNER: Row = {"type": "object", "properties": {"x": STRING, "n": NUMBER}}


def tool(*, defs: Row | None = None, **properties: Row) -> ToolSet:
    schema = {"type": "object", "properties": properties, "$defs": defs or {}}
    return ToolSet([{"name": "t", "parameters": schema}])


TYPED = tool(
    s=STRING,
    n=NUMBER,
    o=INNER,
    list={"type": "array", "items": STRING},
    nums={"type": "array", "items": NUMBER},
    objects={"type": "array", "items": INNER},
    any={},
)
# A schema that refers to itself.
NODE: Row = {
    "type": "object",
    "properties": {
        "s": STRING,
        "o": {"$ref": "#/$defs/node"},
        "objects": {"type": "array", "items": {"$ref": "#/$defs/node"}},
    },
}
RECURSIVE = tool(defs={"node": NODE}, o={"$ref": "#/$defs/node"}, any={}, s=STRING)
NONE = ToolSet()
ALL = (TYPED, RECURSIVE, NONE)


def end_of(events: Sequence[Any]) -> Any:
    (end,) = (event for event in events if isinstance(event, ToolEnd | ToolAbort))
    return end


def read(body: str, tools: ToolSet = TYPED, attributes: str = "") -> tuple[Row, bool]:
    """The arguments of a call with this body, and whether something was mended."""
    end = end_of(scan("pi-native", f"<call:t{attributes}>{body}</call:t>", tools=tools))
    assert isinstance(end, ToolEnd), end
    return dict(end.arguments), end.repaired


def told(events: Sequence[Any]) -> dict[str, str]:
    """The joined deltas of each key."""
    texts: dict[str, str] = defaultdict(str)
    for event in events:
        if isinstance(event, ToolArgDelta):
            texts[event.key or ""] += event.delta
    return texts


# --- values -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "arguments"),
    [
        ("<s>a</s>", {"s": "a"}),
        ("<s>\n\n a</s>\n\n</s>", {"s": "\n a"}),
        ("<n> 7 </n><any>True</any>", {"n": 7, "any": True}),
        ("<list>1</list>", {"list": ["1"]}),
        ("<nums>1</nums><nums>2</nums>", {"nums": [1, 2]}),
        ("<nums>[1, 2]</nums>", {"nums": [1, 2]}),
        ("<o><x>1</x><n>2</n><more>3</more></o>", {"o": {"x": "1", "n": 2, "more": 3}}),
        ("<o x=1><n>2</n></o>", {"o": {"x": "1", "n": 2}}),
        ('<o x=1>{"n": 2}</o>', {"o": {"x": "1", "n": 2}}),
        ("<o/>", {"o": {}}),
        ("<objects x='a'/><objects>\n<n>1</n>\n</objects>", {"objects": [{"x": "a"}, {"n": 1}]}),
        ("<any><b>bold</b> text</any>", {"any": "<b>bold</b> text"}),
        ("<any>x <any> y</any></any>", {"any": "x <any> y</any>"}),
        ("<any/><s/>", {"any": "", "s": ""}),
        ("<any>1</any><any>2</any>", {"any": [1, 2]}),
        ("<any>1</any><s>a</s><any>2</any>", {"any": [1, 2], "s": "a"}),
        ('<o>{"x": "<n>1</n>"}</o>', {"o": {"x": "<n>1</n>"}}),
        ("<o><x></o></x></o>", {"o": {"x": "</o>"}}),
        ("< s>text</s>", {"s": "< s>text</s>"}),
        ("<sx>text</sx>", {"s": "<sx>text</sx>"}),
        ("\n<b>\n", {"s": "<b>"}),
    ],
)
def test_elements(body: str, arguments: Row) -> None:
    found, _ = read(body)
    assert canonical(found) == canonical(arguments)
    assert list(found) == list(arguments)


@pytest.mark.parametrize(
    "text",
    ["true", "None", "nul", "NaN", "Infinity", "true\x1c", "\x1cNone ", "é", "True\n", "a\x00"],
)
def test_untyped_text_means_the_same_as_everywhere(text: str) -> None:
    value, repaired = coerce_value(text)
    assert read(f"<any>\n{text}\n</any>") == ({"any": value}, repaired)


@pytest.mark.parametrize(
    ("body", "arguments"),
    [
        ("<s>a</s> noise <n>1</n></x>", {"s": "a", "n": 1}),
        ("<s n=1>a</s>", {"s": "a"}),
        ("<any n=1>a</any>", {"any": "a"}),
        ("<nums>[1]</nums>", {"nums": [1]}),
        ("<nums a=1>[1]</nums>", {"nums": [1]}),
        ("<o>{x: 'a'}</o>", {"o": {"x": "a"}}),
    ],
)
def test_mended_elements(body: str, arguments: Row) -> None:
    found, repaired = read(body)
    assert (canonical(found), repaired) == (canonical(arguments), True)


@pytest.mark.parametrize("count", [1, 7, 8, 9, 10, 40])
def test_elements_of_many_names_are_gathered(count: int) -> None:
    body = "".join(f"<a{i}>{i}</a{i}>" for i in range(count)) * 2
    found, _ = read(body, NONE)
    assert list(found.items()) == [(f"a{i}", [i, i]) for i in range(count)]


def test_a_body_fills_the_first_free_string_parameter() -> None:
    texts = tool(a=STRING, n=NUMBER, b=STRING)
    assert read("\ny\n", texts, " a=x") == ({"a": "x", "b": "y"}, False)
    assert read("y", texts) == ({"a": "y"}, False)
    assert read("y", texts, " a=1 b=2")[0] == {"a": "1", "b": "2", "input": "y"}
    assert read("y", tool(n=NUMBER, a=STRING)) == ({"input": "y"}, False)
    assert read(" \n ", texts, " a") == ({"a": True}, False)


def test_what_a_body_holds() -> None:
    assert read(" \n<s>1</s>", TYPED)[0] == {"s": "1"}
    assert read("<b>1</b>", TYPED)[0] == {"s": "<b>1</b>"}
    assert read("<b>1</b>", NONE)[0] == {"b": 1}
    assert read("<1>1</1>", NONE)[0] == {"input": "<1>1</1>"}
    assert read("<_b>1</_b>", NONE)[0] == {"input": "<_b>1</_b>"}


def test_the_parameter_of_a_body_is_the_grammar_s() -> None:
    call = toolspeak.get_dialect("pi-native").grammar.calls[0]
    form = call.replace(body=toolspeak.grammar.Elements("x"))
    dialect = toolspeak.Dialect("named-body", toolspeak.grammar.Grammar(calls=(form,)))
    events = run(dialect.scanner(), ["<call:t>a</call:t>"])
    assert end_of(events).arguments == {"x": "a"}
    assert told(events) == {"x": "a"}


@pytest.mark.parametrize("body", ["<s>a", "<o><x>1</x>", "<s>a</s><n>1", "<any><b>1</any>"])
def test_an_element_that_is_never_closed(body: str) -> None:
    end = end_of(scan("pi-native", f"<call:t>{body}</call:t>", tools=TYPED))
    assert isinstance(end, ToolAbort)
    assert end.arguments == ({"s": "a"} if body.startswith("<s>a</s>") else {})


@pytest.mark.parametrize(
    ("body", "arguments"),
    [
        ("text", {}),
        ("<s>a</s><n>1", {"s": "a"}),
        ("<s>a</s><o><x>1</x>", {"s": "a"}),
        ("<list>a</list><list>b", {}),
        ("<list>a</list>", {"list": ["a"]}),
        ("<s>a</s><n", {"s": "a"}),
    ],
)
def test_cut_elements(body: str, arguments: Row) -> None:
    (abort,) = aborts_of(scan("pi-native", f"<call:t z=1>{body}", tools=TYPED))
    assert (abort.arguments, abort.reason) == ({"z": 1, **arguments}, "truncated")


@given(tool_and_arguments(), st.booleans())
def test_rendered_elements_read_back(drawn: tuple[Row, Row], known: bool) -> None:
    function, arguments = drawn
    tools = ToolSet([function] if known else [])
    name = function["function"]["name"]
    try:
        text = toolspeak.get_dialect("pi-native").render_call(
            {"name": name, "arguments": arguments}, tools
        )
    except RenderError:
        assume(False)
    end = end_of(scan("pi-native", text, tools=tools))
    assert same(dict(end.arguments), arguments)


@given(TEXTS)
def test_a_body_is_verbatim(text: str) -> None:
    assume(text.strip() and "</call:t" not in text and not text.lstrip().startswith("<"))
    assert read(f"\n{text}\n") == ({"s": text}, False)


# --- what is told -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "deltas"),
    [
        ("<any>\n<any>1</any>\n</any>", {"any": "\n<any>1</any>\n"}),
        ("<any x=1></any>", {"any": "<any x=1></any>"}),
        ("<any x=1/>", {"any": "<any x=1/>"}),
        ("<any x=1>a</any><s>b</s>", {"any": "<any x=1>a</any>", "s": "b"}),
        ("<any></any><s/>", {}),
        ("<o><x></o></x></o>", {"o": "<x></o></x>"}),
        ("<o><x y=1>a</x></o>", {"o": "<x y=1>a</x>"}),
    ],
)
def test_the_text_of_a_value_is_told(body: str, deltas: Row) -> None:
    text = f"<call:t>{body}</call:t>"
    for size in (1, 3, len(text)):
        pieces = cut_at(text, range(size, len(text), size))
        assert told(run(scanner_of("pi-native", tools=TYPED), pieces)) == deltas


@pytest.mark.parametrize("name", ["ünit", "名前", "имя.x", "ñ-1", "_é"])
@pytest.mark.parametrize("cut", [1, 2, 100])
def test_names_are_of_any_script(name: str, cut: int) -> None:
    tools = tool(**{name: {}, "s": STRING})
    body = f"<{name} {name}='1'>\n<{name}/>\n</{name}>"
    text = f"<call:t {name}=5>{body}<s>a</s></call:t>"
    events = run(scanner_of("pi-native", tools=tools), cut_at(text, range(cut, len(text), cut)))
    # Where no schema says so, only a name that begins with an ASCII letter begins elements.
    assert end_of(events).arguments == {name: f"<{name}/>", "s": "a"}
    assert told(events) == {name: f"5{body}", "s": "a"}


def is_empty(value: Any) -> bool:
    """Whether a value needs no text: of elements and attributes without any."""
    if isinstance(value, dict):
        return all(map(is_empty, value.values()))
    if isinstance(value, list):
        return all(map(is_empty, value)) and value != []
    return value == "" or value is True


NAMES = ["s", "n", "o", "list", "nums", "objects", "any", "x", "ü"]
PIECES = [
    *(f"<{name}>" for name in NAMES),
    *(f"</{name}>" for name in NAMES),
    *(f"<{name}{a}>" for name in ("o", "any", "ü") for a in (" x=1", " ü='>'", ' n="</o>"/', " x")),
    *("<x/>", "<s/>", "<", ">", " a", "<o x='", "'", "\n", "1", '{"x": 1}', "[1, 2]", "{x: 1", "é"),
]
BODIES = st.recursive(
    st.sampled_from(["", "1", " \n", "a b", '{"x": 1}', "[1]", "é"]),
    lambda inner: st.lists(
        st.tuples(
            st.sampled_from(NAMES), st.sampled_from(["", "", " x=1", " x", " n='2' ü=a"]), inner
        ).map(lambda part: f"<{part[0]}{part[1]}>{part[2]}</{part[0]}>"),
        min_size=1,
        max_size=3,
    ).map("".join),
    max_leaves=6,
)
SOUPS = st.lists(st.sampled_from(PIECES), max_size=16).map("".join)


@given(st.one_of(BODIES, SOUPS), st.sampled_from(ALL), st.lists(st.integers(0, 200), max_size=8))
@example("<a x=1></a>", NONE, [])
@example("<ü>abc</ü>", tool(ü=STRING), [5])
@example("<s></o></s>", RECURSIVE, [])
def test_what_ends_in_arguments_was_told(body: str, tools: ToolSet, places: list[int]) -> None:
    text = f"<call:t>{body}</call:t>"
    whole = scan("pi-native", text, tools=tools)
    assert joined(run(scanner_of("pi-native", tools=tools), cut_at(text, places))) == joined(whole)
    end = end_of(whole)
    if isinstance(end, ToolEnd):
        keys = {key for key, value in end.arguments.items() if not is_empty(value)}
        assert keys <= told(whole).keys()
    for key, delta in told(whole).items():
        repeated = body.count(f"<{key}") > 1
        assert repeated or delta in end.raw


# --- schemas ------------------------------------------------------------------------------------


def test_a_schema_that_refers_to_itself_types_every_depth() -> None:
    body = "<o><s>1</s><objects><s>2</s><o><s>3</s></o></objects></o>"
    expected = {"o": {"s": "1", "objects": [{"s": "2", "o": {"s": "3"}}]}}
    assert read(body, RECURSIVE) == (expected, False)


def test_a_shape_is_made_once_for_a_known_tool() -> None:
    assert TYPED.shape("t") is TYPED.shape("t")
    assert TYPED.shape("made up") is not TYPED.shape("made up")


def test_a_shape_costs_no_more_than_its_schema() -> None:
    branches: Row = {f"p{i}": {"$ref": "#/$defs/node"} for i in range(300)}
    schema: Row = {"properties": branches, "$defs": {"node": {"properties": branches}}}
    deep: Row = {}
    for _ in range(5_000):
        deep = {"properties": {"a": deep}, "items": deep}
    start = time.perf_counter()
    tool_shape(schema)
    tool_shape(deep)
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize("schema", [None, True, {}, {"properties": {"\ud800": STRING}}])
def test_any_schema_has_a_shape(schema: Any) -> None:
    tools = ToolSet([{"name": "t", "parameters": schema}])
    end = end_of(scan("pi-native", "<call:t a=1/>", tools=tools))
    assert end.arguments == {"a": 1}


def test_an_error_in_a_schema_is_raised_once_the_text_is_read() -> None:
    class Broken(dict[str, Any]):
        def get(self, *_: Any) -> Any:
            raise ZeroDivisionError

    tools = ToolSet([{"name": "t", "parameters": Broken(properties={})}])
    with pytest.raises(ZeroDivisionError):
        scan("pi-native", "<call:t><a>1</a></call:t>", tools=tools)
    with pytest.raises(ZeroDivisionError):
        toolspeak.parse_many(["<call:t><a>1</a></call:t>"], "pi-native", tools=tools)


# --- what hostile input may cost ----------------------------------------------------------------


@pytest.mark.parametrize("depth", [1, 2, 200, 20_000])
def test_depth_is_bounded_by_the_limit_alone(depth: int) -> None:
    def end(count: int) -> Any:
        text = "<call:t>" + "<a>" * count + "<b/>" + "</a>" * count + "</call:t>"
        return end_of(scan("pi-native", text, limits=Limits(max_depth=depth)))

    value = end(depth).arguments
    for _ in range(depth):
        value = value["a"]
    assert value == {"b": ""}
    over = end(depth + 1)
    assert (type(over), over.reason, over.arguments) == (ToolAbort, "limit", {})

"""The readers of Python arguments and quoted literals, each on its own.

Python's own parser is the reference for Python literals; the renderer is the reference for the
other, together with the vectors.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import toolspeak
from generated import ANY_VALUE, PLAIN_NAMES, TEXTS
from support import VECTORS, Row, aborts_of, large_rows, read_jsonl, scan
from toolspeak._core import CompiledGrammar, read_text
from toolspeak.dialects.gemini import PYTHONS_OWN
from toolspeak.errors import RenderError
from toolspeak.grammar import CallForm, Exact, Followed, Grammar, Header, Quoted
from toolspeak.messages.values import ToolCall
from toolspeak.options import Limits
from toolspeak.outputs.parse import parse
from toolspeak.tools.tool_set import ToolSet
from vector_rows import expected_of

MAX_DEPTH = Limits().max_depth
PYTHON = toolspeak.get_dialect("gemini")._compiled()
SCAN = read_jsonl(VECTORS / "scan.jsonl")
REPORTS = read_jsonl(VECTORS / "reports.jsonl")
Q = '<|"|>'
STRING: Row = {"type": "string"}
NUMBER: Row = {"type": "number"}


def rows_of(dialect: str) -> list[Row]:
    rows = (row for row in SCAN if row["dialect"] == dialect and row["expected"]["calls"])
    return [row for row in rows if expected_of(row)["calls"]]


def same(left: Any, right: Any) -> bool:
    """Equality that tells 1 from True and from 1.0."""
    return repr(left) == repr(right)


def refusal(read: Callable[[], Any]) -> str:
    """Why a text cannot be read; empty if it can."""
    try:
        read()
    except ValueError as error:
        return str(error)
    return ""


# --- Python keyword arguments ---------------------------------------------------------------


def read_keywords(text: str, *, cut: bool = False) -> tuple[Row, bool]:
    return literals(PYTHON, text, cut=cut)


def literals(
    grammar: CompiledGrammar,
    text: str,
    properties: Row | None = None,
    *,
    cut: bool = False,
    max_depth: int = MAX_DEPTH,
) -> tuple[Row, bool]:
    """What the core reads in a body; the tool `t` has these parameters."""
    tools = ToolSet([{"name": "t", "parameters": {"properties": properties or {}}}])
    read = read_text(grammar, "t", text, tools, cut=cut, max_depth=max_depth)
    assert read is not None
    return read


def read(text: str) -> Any:
    """The value that `text` has as an argument."""
    return read_keywords(f"a={text}")[0]["a"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('"x"', "x"),
        ("'it\\'s'", "it's"),
        ('"""a "b" \'c\'\nd"""', "a \"b\" 'c'\nd"),
        ("'''a'b'''", "a'b"),
        ('r"\\d\\""', '\\d\\"'),
        ('b"y\\xff"', "yÿ"),
        ('Rb"\\n"', "\\n"),
        ('u"\\u00e9"', "é"),
        (r'"\N{BULLET}\N{no such name}"', "•\\N{no such name}"),
        (r'"\q\x4\u12\U00110000\0\101\777"', "\\q\\x4\\u12\\U00110000\0A\u01ff"),
        ('"a\\\nb\\\r\nc"', "abc"),
        ('"a" \'b\'  # c\n r"\\d"', "ab\\d"),
        (r'"\ud83d\ude00 \ud83d"', "😀 \ufffd"),
        ('"bell\x07 nul\0 esc\x1b"', "bell\x07 nul\0 esc\x1b"),
        ("1_000", 1000),
        ("0xFf", 255),
        ("0o17", 15),
        ("0b1_1", 3),
        ("- 5", -5),
        ("+--5", 5),
        ("9" * 4300, int("9" * 4299) * 10 + 9),
        ("9" * 4301, "9" * 4301),
        ("0x" + "f" * 5000, "0x" + "f" * 5000),
        ("1.", 1.0),
        (".5", 0.5),
        ("-1_0.0e-1", -1.0),
        ("007", "007"),
        ("1j", "1j"),
        ("True", True),
        ("null", None),
        ("(1, 2)", [1, 2]),
        ("(1,)", [1]),
        ("(('x'))", "x"),
        ("((1, (2)), ())", [[1, 2], []]),
        ("{1, 2}", [1, 2]),
        ("{}", {}),
        ("{1: 'n', k2: 3, 'a' 'b': ()}", {"1": "n", "k2": 3, "ab": []}),
        ("{True: 0, 0x10: 1, (1, 2): 2}", {"True": 0, "16": 1, "(1, 2)": 2}),
        ("{'a': [1], 'a': 2}", {"a": 2}),
        ("[\n 1, # one\n 2,\n]", [1, 2]),
        ("-0.0", -0.0),
        ("1e400", float("inf")),
        ("9223372036854775808", 2**63),
        ("-9223372036854775808", -(2**63)),
        ("-0x_" + "F" * 20, -(16**20 - 1)),
        ("1__0", "1__0"),
        ("0_0", 0),
        ("{0x" + "f" * 20 + ": 1}", {str(16**20 - 1): 1}),
        ("{1e16: 0, 1e15: 0, 1e-5: 0}", {"1e+16": 0, "1000000000000000.0": 0, "1e-05": 0}),
        ("{lambda x: 1: 2}", {"lambda x: 1": 2}),
        ("[1, 2] # c\n", [1, 2]),
    ],
)  # fmt: skip
def test_values_of_arguments(text: str, value: Any) -> None:
    assert same(read(text), value)
    assert same(read(f" {text} "), value)


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("", {}),
        (" # nothing\n", {}),
        ("query = 'x' ,\\\n limit=2,", {"query": "x", "limit": 2}),
        ("a=1, a=2", {"a": 2}),
        ("a-b=1, c.d=2, é=3", {"a-b": 1, "c.d": 2, "é": 3}),
        ("__proto__='p', ok=True", {"__proto__": "p", "ok": True}),
        ("a='two\\\r\nlines'", {"a": "twolines"}),
        ("\u00a0a\u2003=\u00a01\u00a0, b=2", {"a": 1, "b": 2}),
        ("\u0928\u093e\u092e=1, a😀=2", {"\u0928\u093e\u092e": 1, "a😀": 2}),
    ],
)
def test_keyword_arguments(text: str, arguments: Row) -> None:
    assert same(read_keywords(text), (arguments, False))


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("a=, b=1", {"a": "", "b": 1}),
        ("a=[1,,2]", {"a": [1, 2]}),
        ("a='it's Bob's', b=1", {"a": "it's Bob's", "b": 1}),
        ('a="two\nlines"', {"a": "two\nlines"}),
        (r'a="\x4"', {"a": r"\x4"}),
        ('a="say "hi" — “now”"', {"a": 'say "hi" — “now”'}),
        ('a="x" — "y"', {"a": 'x" — "y'}),
        ("a={,}, b=(,), c=[[], [,]]", {"a": {}, "b": [], "c": [[], []]}),
        ("a={'b': , 'c': 1, : 2}", {"a": {"b": "", "c": 1, "": 2}}),
        ("a=[,], a=2", {"a": 2}),
    ],
)
def test_mended_arguments(text: str, arguments: Row) -> None:
    assert same(read_keywords(text), (arguments, True))


CODE = (
    'f"{x}"', 'rF"{x}"', "0xE+1", "[f(x), 2]", "lambda x, y=(1, 2): x", '-"s"', "not True",
    "date(2024, 1, 1)", '__import__("os").getcwd()', "[x for x in y]", "{k: v for k, v in y}",
    "{**x, 'a': 1}", '"a" + "b"', '"a" if x else "b"', "[1, 2][0]", "x == 1", "é", "x or y # c",
    "((x for x in y))", "[[x for x in y], 1]", "-x", "1/6", "[1, 2)", "1]", "{1: 2, 3}",
)  # fmt: skip
UNNAMED = ('"x", 3, limit=2', "*x, a=1, **y", "x == 1, a=1", 'a="say "hi, "you", b=1')


@pytest.mark.parametrize("text", [*(f"a={value}, b=1" for value in CODE), *UNNAMED])
def test_what_had_to_be_evaluated_is_unreadable(text: str) -> None:
    """Neither code nor an argument without a name is told as if the model had given a value."""
    with pytest.raises(ValueError, match="cannot be read"):
        read_keywords(text)


@pytest.mark.parametrize("text", ['a="x', "a='''x''", "a=[1, 2", "a=f(x", "a=it's", 'a="x\\'])
def test_what_is_never_closed_is_unreadable(text: str) -> None:
    with pytest.raises(ValueError, match="cannot be read"):
        read_keywords(text)
    assert read_keywords(f"b=1, {text}", cut=True)[0] == {"b": 1}


@pytest.mark.parametrize("max_depth", [1, 2, 3, MAX_DEPTH])
def test_what_streams_is_what_is_read(max_depth: int) -> None:
    limits = Limits(max_depth=max_depth)
    for depth in {0, max_depth - 2, max_depth - 1, max_depth, max_depth + 1} - {-1}:
        for opened, closed in ("[", "]"), ("(", ")"), ("{1:", "}"):
            text = f"a={opened * depth}{closed * depth}"
            output = f"```tool_code\nf({text})\n```"
            aborted = not parse(output, "gemini", limits=limits).tool_calls
            why = refusal(partial(literals, PYTHON, text, max_depth=max_depth))
            assert aborted == bool(why) == (depth >= max_depth)


def test_what_is_too_deep_is_too_deep_when_cut() -> None:
    for text in ("a=" + "[" * MAX_DEPTH, "a=x + " + "(" * MAX_DEPTH, "a=[x for " + "{" * MAX_DEPTH):
        with pytest.raises(ValueError, match="cannot be read"):
            read_keywords(text, cut=True)


def test_keywords_and_builtins_are_no_tools() -> None:
    assert {"if", "print", "range", "len", "lambda"} <= PYTHONS_OWN
    assert "lookup" not in PYTHONS_OWN


ESCAPES = st.sampled_from([
    "\\n", "\\t", "\\\\", "\\'", '\\"', "\\x41", "\\101", "\\0", "\\8", "\\q", "\\a", "\\\n", "\\v",
    "\\N{BULLET}", "\\u00e9", "\\U0001F600", "\\d", "\\{", "#", "'", '"', "''", "\n", ",", ")",
])  # fmt: skip


@st.composite
def string_literals(draw: st.DrawFn) -> str:
    prefix = draw(st.sampled_from(["", "", "r", "R", "b", "u", "U", "Br", "rB"]))
    quotes = draw(st.sampled_from(["'", '"', "'''", '"""']))
    plain = st.text(st.characters(codec="ascii" if "b" in prefix.lower() else "utf-8"), max_size=3)
    inner = draw(st.lists(st.one_of(ESCAPES, plain), max_size=6).map("".join))
    # Python reads every line break as \n and has no NUL in its source.
    return prefix + quotes + inner.replace("\r", "").replace("\0", "") + quotes


def literal_of(source: str) -> Any:
    """Python's own value of a literal; what it refuses is left out."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.literal_eval(source)
    except (SyntaxError, ValueError, MemoryError):
        assume(False)


def json_like(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, list | tuple):
        return [json_like(item) for item in value]
    if isinstance(value, dict):
        return {json_like(key): json_like(item) for key, item in value.items()}
    return value


@given(string_literals())
def test_strings_are_those_of_python(source: str) -> None:
    expected = json_like(literal_of(source))
    assert read(source) == expected


@given(st.dictionaries(PLAIN_NAMES, ANY_VALUE, max_size=4))
def test_python_literals_read_back(arguments: Row) -> None:
    text = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
    assert same(read_keywords(text), (json_like(arguments), False))


@given(st.dictionaries(PLAIN_NAMES, ANY_VALUE, max_size=4))
def test_rendered_python_calls_read_back(arguments: Row) -> None:
    call = toolspeak.get_dialect("gemini").render_call(
        ToolCall("", "tool", arguments), example=True
    )
    assert same(read_keywords(call[len("tool(") : -1]), (arguments, False))


@given(st.text(st.sampled_from(list("ab=,:'\"\\#()[]{}*-1.rfb \n")), max_size=40))
def test_any_python_text_is_read_or_refused(text: str) -> None:
    read_keywords(text, cut=True)
    why = refusal(lambda: read_keywords(text))
    assert why == "" or "cannot be read" in why


@given(st.dictionaries(PLAIN_NAMES, ANY_VALUE, max_size=3), st.data())
def test_cut_python_arguments_are_those_that_something_follows(
    arguments: Row, data: st.DataObject
) -> None:
    parts = [f"{key}={value!r}" for key, value in arguments.items()]
    text = ", ".join(parts)
    at = data.draw(st.integers(0, len(text)))
    ends = [len(", ".join(parts[: count + 1])) for count in range(len(parts))]
    complete = dict(list(json_like(arguments).items())[: sum(end < at for end in ends)])
    assert same(read_keywords(text[:at], cut=True)[0], complete)


def calls_in(code: str) -> Iterator[ast.Call]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        nodes = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)]
    yield from sorted(nodes, key=lambda node: (node.lineno, node.col_offset))


def arguments_text(code: str, call: ast.Call) -> str:
    whole = ast.get_source_segment(code, call) or ""
    name = ast.get_source_segment(code, call.func) or ""
    return whole[len(name) :].strip()[1:-1]


def meaning(code: str, node: ast.expr) -> Any:
    """What an argument means, by Python's own syntax tree."""
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return [meaning(code, item) for item in node.elts]
    if isinstance(node, ast.Dict) and None not in node.keys:
        pairs = zip(node.keys, node.values, strict=True)
        return {meaning(code, key): meaning(code, value) for key, value in pairs if key}
    words: Row = {"true": True, "false": False, "null": None}
    source = ast.get_source_segment(code, node) or ""
    if isinstance(node, ast.JoinedStr) and "{" not in source:
        return ast.literal_eval(source.removeprefix("f"))
    if source == "...":
        raise ValueError("no value")
    return words[source] if source in words else json_like(ast.literal_eval(node))


def test_recorded_calls_mean_what_python_says() -> None:
    compared = 0
    for row in large_rows("recorded/pythonic.jsonl"):
        code = row["raw"].strip()
        try:
            calls = list(calls_in(code))
        except SyntaxError:
            continue
        for call in calls:
            if not isinstance(call.func, ast.Name | ast.Attribute):
                continue
            text = arguments_text(code, call)
            keywords = [keyword for keyword in call.keywords if keyword.arg]
            try:
                expected = {keyword.arg: meaning(code, keyword.value) for keyword in keywords}
            except ValueError:
                expected = None  # code
            compared += 1
            if expected is None or call.args or len(keywords) < len(call.keywords):
                assert refusal(partial(read_keywords, text)), (row["id"], text)
            else:
                assert same(read_keywords(text), (expected, False)), (row["id"], text)
    assert compared > 1500


# Rows in which Python's own meaning wins.
PYTHON_WINS: dict[str, Row] = {
    "gemini/059-escapes": {"title": "a\tb\nc\\dAé😀A\0", "body": "\\q\a\\N{DASH}\\x4"},
    "gemini/060-line-continuation": {"title": "ab", "body": "c"},
    "gemini/063-collections": {
        "a": [1, "x", [True, None]],
        "b": {"k": 1, "j": {"z": []}},
        "c": [1, 2],
        "d": [],
        "e": {},
        "g": {"1": "n", "k2": 3},
    },
}


@pytest.mark.parametrize("row", rows_of("gemini"), ids=lambda row: str(row["id"]))
def test_gemini_rows(row: Row) -> None:
    calls_told = expected_of(row)["calls"]
    expected = [PYTHON_WINS.get(row["id"], call["arguments"]) for call in calls_told]
    names = {call["name"] for call in row["expected"]["calls"]}
    found = []
    for block in row["input"].split("```tool_code")[1:]:
        code, calls = first_code(block)
        texts = [arguments_text(code, call) for call in calls if name_of(call) in names]
        found += [read_keywords(text)[0] for text in texts]
    assert same(found, expected)


def first_code(block: str) -> tuple[str, list[ast.Call]]:
    """The code before the first fence that leaves code which Python can read."""
    for fence in re.finditer("```", block):
        code = block[: fence.start()].strip()
        try:
            # What Python refuses in its source is no matter of where calls stand.
            return code, list(calls_in(re.sub(r"\\[a-zA-Z]", "__", code).replace("\0", "0")))
        except SyntaxError:
            continue
    raise AssertionError(block)


def name_of(call: ast.Call) -> str:
    return ast.unparse(call.func).removeprefix("default_api.")


# --- quoted literals ------------------------------------------------------------------------

GEMMA_CALL = re.compile(r"<\|tool_call>\s*call:\s*[^{]*?(\{.*?)(?:<tool_call\|>)", re.DOTALL)


def read_object(
    text: str, *, quote: str = Q, properties: Row | None = None, cut: bool = False
) -> tuple[Row, bool]:
    return literals(quoted_grammar(quote), text, properties, cut=cut)


@cache
def quoted_grammar(quote: str) -> CompiledGrammar:
    header = Header(ends=Followed(Exact("{"), consumed=0))
    call = CallForm(Exact("<call>"), Exact("</call>"), Quoted(quote), header)
    return Grammar(calls=(call,)).compile()


def quoted(text: str, **options: Any) -> tuple[Row, bool]:
    return read_object(text.replace("<Q>", Q), **options)


# Rows in which arguments would be dropped.
KEPT: dict[str, Row] = {
    "gemma/056-quoted-keys": {"a": 1, "b": 2, "c": 3},
    "gemma/058-key-dash": {"a-b": 1, "c.d": 2, "e": 3},
}


@pytest.mark.parametrize("row", rows_of("gemma"), ids=lambda row: str(row["id"]))
def test_gemma_rows(row: Row) -> None:
    expected = [KEPT.get(row["id"], call["arguments"]) for call in expected_of(row)["calls"]]
    objects = GEMMA_CALL.findall(row["input"])
    assert same([read_object(text)[0] for text in objects], expected)


@pytest.mark.parametrize(
    "row",
    [row for row in REPORTS if row["family"] == "gemma4" and row["expected"]["calls"]],
    ids=lambda row: str(row["id"]),
)
def test_gemma_reports(row: Row) -> None:
    expected = [call["arguments"] for call in row["expected"]["calls"]]
    properties = row["tools"][0]["parameters"]["properties"]
    objects = GEMMA_CALL.findall(row["raw"])
    assert same([read_object(text, properties=properties)[0] for text in objects], expected)


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("{}", {}),
        (" { a : <Q> x <Q> , b : 1 } ", {"a": " x ", "b": 1}),
        ("{a:1,,b:2,}", {"a": 1, "b": 2}),
        ("{a:,b:http://x/y,c:1:2,d:a b }", {"a": "", "b": "http://x/y", "c": "1:2", "d": "a b"}),
        ("{a:True,b:None,c:-2.5e-7}", {"a": True, "b": None, "c": -2.5e-7}),
        ("{a:007,b:nan}", {"a": "007", "b": "nan"}),
        ('{a:"x, \\"y\\"\\n",\'b c\':\'it\\\'s\'}', {"a": 'x, "y"\n', "b c": "it's"}),
        ("{a:'tis the season,b:1}", {"a": "'tis the season", "b": 1}),
        ("{<Q>a b<Q>:[[],{},[<Q><Q>]]}", {"a b": [[], {}, [""]]}),
        ("{a:<Q>x, b:<Q>,b:<Q>}]<Q>}", {"a": "x, b:", "b": "}]"}),
        ("{a:<Q>1<Q>,a:2}", {"a": 2}),
        ("{a:<Q>x<Q>,नाम:<Q>y<Q>,ключ:<Q>z<Q>}", {"a": "x", "नाम": "y", "ключ": "z"}),
        ("{a:9223372036854775808,b:-0,c:-0.0}", {"a": 2**63, "b": 0, "c": -0.0}),
        (f"{{a:{'1' * 5000},b:1e999}}", {"a": "1" * 5000, "b": float("inf")}),
        (r"""{a:"\ud83d\ude00\/",b:'\x41\101\q\N{DIGIT ONE}'}""", {"a": "😀/", "b": "AA\\q1"}),
    ],
)  # fmt: skip
def test_objects_of_quoted_literals(text: str, arguments: Row) -> None:
    assert same(quoted(text), (arguments, False))


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("{a:1,b:[1,2", {"a": 1, "b": [1, 2]}),
        ("{a:{b:<Q>x<Q>", {"a": {"b": "x"}}),
        ("{a:[1,2},b:3}", {"a": [1, 2], "b": 3}),
        ("{a:[{b:1],c:2}", {"a": [{"b": 1}], "c": 2}),
        ("{a:1],b:2}", {"a": 1, "b": 2}),
        ("{a=1,b='x'}", {"a": 1, "b": "x"}),
        ("{a:Paris, France<Q>,b:5}", {"a": "Paris, France", "b": 5}),
        ("{a:[Paris<Q>,<Q>Rome<Q>],b:Nice<Q>}", {"a": ["Paris", "Rome"], "b": "Nice"}),
        ("{a:<Q>x }],b:<Q>y<Q>}", {"a": "x }]", "b": "y"}),
        ("{o:{a:<Q>x},b:<Q>y<Q>}", {"o": {"a": "x"}, "b": "y"}),
        ("{t:[<Q>a<Q>,<Q>b],b:<Q>y<Q>}", {"t": ["a", "b"], "b": "y"}),
        ("{a:<Q>f(<Q>x<Q>, <Q>y<Q>)<Q>,b:1}", {"a": 'f("x", "y")', "b": 1}),
        ("{a:1} extra", {"a": 1}),
        ("{a:'it's',b:1}", {"a": "it's", "b": 1}),
        (r"""{a:"\ud83d.",b:'\ud83d\ude00'}""", {"a": "\ufffd.", "b": "😀"}),
        (r"""{a:'\x',b:'\N{no}'}""", {"a": "\\x", "b": "\\N{no}"}),
    ],
)  # fmt: skip
def test_mended_objects(text: str, arguments: Row) -> None:
    assert same(quoted(text), (arguments, True))
    assert same(quoted(text, properties=dict.fromkeys(arguments)), (arguments, True))


def test_declared_parameters_tell_where_a_string_ends() -> None:
    text = "{a:Paris, note: sunny<Q>,b:1}"
    known = {"a": STRING, "b": NUMBER}
    assert quoted(text, properties=known) == ({"a": "Paris, note: sunny", "b": 1}, True)
    assert quoted(text) == ({"a": "Paris", "note": "sunny", "b": 1}, True)


@pytest.mark.parametrize(
    "text",
    ["{a:<Q>x<Q>y,b:1}", "{a:<Q>x<Q>y}", "{a:1,stray,b:2}", "{a:(1,2),b:3}", "{a:<Q>x<Q> b:1}"],
)
def test_text_between_members_is_not_dropped(text: str) -> None:
    with pytest.raises(ValueError, match="cannot be read"):
        quoted(text)


@pytest.mark.parametrize("text", ["", "a", "[1]", "{a:<Q>abc}", "{a:<Q>"])
def test_unreadable_objects(text: str) -> None:
    with pytest.raises(ValueError, match="cannot be read"):
        quoted(text)


def test_another_quote_token() -> None:
    text = '{a:<escape>x, "y"<escape>,b:<|"|>}'
    assert read_object(text, quote="<escape>") == ({"a": 'x, "y"', "b": '<|"|>'}, False)


@given(TEXTS, st.booleans())
def test_strings_of_json_and_of_python(text: str, ascii_only: bool) -> None:
    assert same(read_object(f"{{a:{json.dumps(text, ensure_ascii=ascii_only)}}}")[0], {"a": text})
    literal = ascii(text) if ascii_only else repr(text)
    assert same(read_object(f"{{a:{literal}}}")[0], {"a": text})


@pytest.mark.parametrize("max_depth", [1, 2, 3, 7, 300, 5_000])
@pytest.mark.parametrize(("opened", "closed"), [("{a:", "}"), ("[", "]")])
def test_depth_counts_as_where_the_call_is_scanned(
    max_depth: int, opened: str, closed: str
) -> None:
    limits = toolspeak.Limits(max_depth=max_depth)
    for inner in (max_depth - 1, max_depth):
        text = f"{{a:{opened * inner}1{closed * inner}}}"
        events = scan("gemma", f"<|tool_call>call:t{text}<tool_call|>", limits=limits)
        over_limit = any(abort.reason == "limit" for abort in aborts_of(events))
        why = refusal(partial(literals, quoted_grammar(Q), text, max_depth=max_depth))
        assert over_limit == (why != "") == (inner == max_depth)


@given(st.dictionaries(PLAIN_NAMES, ANY_VALUE, max_size=4), st.booleans(), st.data())
def test_rendered_objects_read_back(arguments: Row, declared: bool, data: st.DataObject) -> None:
    try:
        call = toolspeak.get_dialect("gemma").render_call(ToolCall("", "t", arguments))
    except RenderError:
        assume(False)
    text = call.removeprefix("<|tool_call>call:t").removesuffix("<tool_call|>")
    properties = dict.fromkeys(arguments) if declared else None
    assert same(read_object(text, properties=properties), (arguments, False))
    cut = text[: data.draw(st.integers(1, len(text)))]
    complete = read_object(cut, properties=properties, cut=True)[0]
    assert same(list(complete.items()), list(arguments.items())[: len(complete)])


OBJECT_PIECES = ["a", "b", ":", ",", "{", "}", "[", "]", Q, '"', "'", "\\", "=", " ", "1"]


@given(st.lists(st.sampled_from(OBJECT_PIECES), max_size=30), st.booleans())
def test_any_text_is_an_object_or_refused(pieces: list[str], declared: bool) -> None:
    text = "{" + "".join(pieces)
    properties: Row | None = {"a": {}} if declared else None
    read_object(text, properties=properties, cut=True)
    why = refusal(lambda: read_object(text, properties=properties))
    assert why == "" or "cannot be read" in why


# --- what hostile input may cost --------------------------------------------------------------

READERS: dict[str, Callable[[str], Any]] = {
    "python": lambda text: read_keywords(f"a={text}"),
    "quoted": lambda text: read_object(f"{{a:{text}", properties={"b": {}}),
    "python-cut": lambda text: read_keywords(f"a={text}", cut=True),
    "quoted-cut": lambda text: read_object(f"{{a:{text}", cut=True),
}


@pytest.mark.parametrize("count", [MAX_DEPTH - 1, MAX_DEPTH + 1, 100_000])
def test_depth_is_bounded(count: int) -> None:
    for reader, opened, middle, closed in (
        ("python", "[", "1", "]"),
        ("python", "(", "1", ")"),
        ("python", "{'a':", "1", "}"),
        ("quoted", "[", "1", "]"),
        ("quoted", "{a:", "1", "}"),
    ):
        text = opened * count + middle + closed * count
        if count < MAX_DEPTH:
            READERS[reader](text)
        else:
            with pytest.raises(ValueError, match="cannot be read"):
                READERS[reader](text)


def test_depth_costs_no_stack() -> None:
    limit = sys.getrecursionlimit()
    depth = MAX_DEPTH - 1
    texts = {"python": "[" * depth + "]" * depth, "quoted": "[" * depth}
    frames = len(list(iterate_frames()))
    try:
        sys.setrecursionlimit(frames + 60)
        for reader, text in texts.items():
            READERS[f"{reader}-cut"](text)
    finally:
        sys.setrecursionlimit(limit)


def iterate_frames() -> Iterator[Any]:
    frame: Any = sys._getframe()
    while frame is not None:
        yield frame
        frame = frame.f_back


HOSTILE = {
    "python": [
        "'", '"\\n', "'''", "\\", "\\\n", "#\n", " ", "-", "(),", "[1],", "f(", "lambda ", "a b ",
        "'a'", "'a' b,", "\\N{", "'\\N{", "{1:", ":", "for ", "1_", "9", "#'", "x=1,", "'x\n",
    ],
    "quoted": [
        Q, f"{Q}x", f"{Q},", f"{Q}}}", f",b:{Q}", f",c:{Q}", f"{Q}x{Q}y,", '"x,c:', "'", '\\"',
        "\\", " ", ", ", "c:1,", "[", "],", ":", "{c:", ',"c', "abc ", "=",
    ],
}  # fmt: skip


def seconds(read: Callable[[str], Any], text: str) -> float:
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        refusal(partial(read, text))
        best = min(best, time.perf_counter() - start)
    return best


@pytest.mark.parametrize(
    ("reader", "unit"),
    [(reader, unit) for reader, units in HOSTILE.items() for unit in units],
)
def test_cost_is_linear(reader: str, unit: str) -> None:
    for name in (reader, f"{reader}-cut"):
        small, large = (unit * (size // len(unit)) for size in (4_000, 64_000))
        # Sixteen times the text; quadratic cost would be 256 times.
        assert seconds(READERS[name], large) < 64 * max(seconds(READERS[name], small), 2e-4)

"""Renderers: the vectors with their deviations, and what each dialect must refuse or spell anew."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolspeak
from toolspeak.dialects._guides import load_guide
from toolspeak.errors import RenderError
from toolspeak.messages.values import ToolCall, ToolResult
from toolspeak.tools.tool_set import ToolSet
from toolspeak.writing.renderer import Renderer
from toolspeak.writing.text import compact_json, fill, unwrap_thinking

RENDERERS: dict[str, Renderer] = {
    **{name: toolspeak.get_dialect(name).writer for name in toolspeak.list_dialects()},
    "xml-dsml": toolspeak.get_dialect("xml", tagset="dsml").writer,
}
CALLING = sorted(set(RENDERERS) - {"thinking"})

VECTORS = Path(__file__).parent / "vectors"
TOOLS = json.loads((VECTORS / "tools.json").read_text(encoding="utf-8"))
DEVIATIONS = json.loads((VECTORS / "render_deviations.json").read_text(encoding="utf-8"))
FUNCTIONS = ("render_call", "render_calls", "render_results", "render_thinking")
ALL_ROWS = [
    json.loads(line)
    for line in (VECTORS / "render.jsonl").read_text(encoding="utf-8").strip().split("\n")
]
ROWS = [row for row in ALL_ROWS if row["fn"] in FUNCTIONS]

NO_TOOLS = ToolSet()


def dialect_of(name: str) -> toolspeak.Dialect:
    if name == "xml-dsml":
        return toolspeak.get_dialect("xml", tagset="dsml")
    return toolspeak.get_dialect(name)


# `s` and `t` are strings by their schema, `n` is an integer, `v` may be anything.
FIELDS = {"s": {"type": "string"}, "t": {"type": "string"}, "n": {"type": "integer"}, "v": {}}
TYPED = ToolSet([{"name": "f", "parameters": {"type": "object", "properties": FIELDS}}])


def render(dialect: str, name: str = "f", /, **arguments: object) -> str:
    return RENDERERS[dialect].render_call(ToolCall("call_0", name, arguments), TYPED)


# --- vectors ------------------------------------------------------------------------------------


def output_of(row: dict[str, Any]) -> str:
    renderer, args = RENDERERS[row["dialect"]], row["args"]
    tools = ToolSet([TOOLS[name] for name in args.get("tools") or ()])
    example = bool(args.get("example"))
    if row["fn"] == "render_call":
        return renderer.render_call(ToolCall(**args["call"]), tools, example=example)
    if row["fn"] == "render_calls":
        calls = [ToolCall(**call) for call in args["calls"]]
        return renderer.render_calls(calls, tools, example=example)
    if row["fn"] == "render_results":
        return renderer.render_results([ToolResult(**result) for result in args["results"]])
    return renderer.render_thinking(args["text"])


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_vector(row: dict[str, Any]) -> None:
    expected = DEVIATIONS.get(row["id"], row)["output"]
    if expected is None:
        with pytest.raises(RenderError):
            output_of(row)
    else:
        assert output_of(row) == expected


def test_every_deviation_is_of_a_row_and_told() -> None:
    page = (VECTORS / "DEVIATIONS.md").read_text(encoding="utf-8")
    ids = {row["id"]: row["output"] for row in ROWS}
    for row_id, deviation in DEVIATIONS.items():
        assert deviation["output"] != ids[row_id]
        assert f"**`{deviation['why']}`**" in page


def test_delimited_thinking_vector() -> None:
    found = [row for row in ALL_ROWS if row["fn"] == "render_delimited_thinking"]
    assert found
    for row in found:
        before, after, text = (row["args"][key] for key in ("open", "close", "text"))
        unwrapped = unwrap_thinking(before, after, text)
        assert (f"{before}\n{unwrapped}\n{after}" if text else "") == row["output"]


# --- shared helpers -----------------------------------------------------------------------------


def test_compact_json() -> None:
    assert compact_json({"é": [1, 0.5, True, None, "a\nb"]}) == '{"é":[1,0.5,true,null,"a\\nb"]}'
    assert compact_json(2**200) == str(2**200)
    assert json.loads(compact_json("a\ud800b")) == "a\ud800b"
    assert compact_json("\ud800").isascii()


def cyclic() -> list[object]:
    value: list[object] = []
    value.append(value)
    return value


def deep(levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        float("nan"), float("inf"), -float("inf"), {1: 2}, {"a": [{None: 1}]}, {1, 2}, b"x",
        object(), "\ud83d\ude00", cyclic(), deep(200_000),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
@pytest.mark.parametrize("dialect", CALLING)
def test_what_json_cannot_carry(dialect: str, value: object) -> None:
    with pytest.raises(RenderError):
        render(dialect, v=value)


@pytest.mark.parametrize("dialect", CALLING)
def test_arguments_may_be_any_mapping(dialect: str) -> None:
    call = ToolCall("call_0", "f", MappingProxyType({"n": 5}))
    assert "5" in RENDERERS[dialect].render_call(call, TYPED)


@pytest.mark.parametrize("dialect", CALLING)
@pytest.mark.parametrize("name", [" f", "f\n", "a b", "a:b", "a.b", "<f>", "f{", "\ud800", "é"])
def test_a_name_reads_back_or_is_refused(dialect: str, name: str) -> None:
    writer = RENDERERS[dialect]
    call = ToolCall("call_0", name, {"n": 5})
    try:
        written = writer.render_calls([call], NO_TOOLS)
    except RenderError:
        return
    found = toolspeak.parse(written, dialect_of(dialect)).tool_calls
    assert [(it.name, it.arguments, it.repaired) for it in found] == [(name, {"n": 5}, False)]


@pytest.mark.parametrize("dialect", CALLING)
def test_a_call_has_a_name(dialect: str) -> None:
    with pytest.raises(RenderError):
        render(dialect, "")


def test_holes() -> None:
    assert fill('{x}<i n="{name}">{name}', {"name": "a&<b>"}) == '{x}<i n="a&<b>">a&<b>'
    assert fill('<i n="{name}">{name}', {"name": 'a"{key}'}) == "<i n='a\"{key}'>a\"{key}"
    with pytest.raises(RenderError, match="both kinds of quotes"):
        fill('<i n="{name}">', {"name": "\"'"})


@pytest.mark.parametrize("dialect", ["xml", "xml-dsml", "anthropic", "minimax", "qwen3-coder"])
def test_a_tag_that_a_scanner_gives_up_on(dialect: str) -> None:
    assert render(dialect, "x" * 200)
    with pytest.raises(RenderError, match="too long"):
        render(dialect, "x" * 2000)
    with pytest.raises(RenderError, match="too long"):
        render(dialect, **{"é" * 1000: 1})


def test_unwrapping_is_linear_and_bounded() -> None:
    text = "<t>" * 50_000 + "x" + "</t>" * 50_000
    assert unwrap_thinking("<t>", "</t>", text).startswith("<t>")
    many = "<t>a</t>\n" * 20_000
    assert unwrap_thinking("<t>", "</t>", many).count("a") == 20_000


# --- tagged values ------------------------------------------------------------------------------

TAGGED = ["xml", "xml-dsml", "anthropic", "minimax"]
CLOSERS = [
    "</parameter>",
    "</x:PARAMETER >",
    "</｜DSML｜parameter>",
    "</|DSML|parameter\n>",
    "</Parameter>",
]
AWKWARD = st.lists(
    st.one_of(
        st.sampled_from(
            [*CLOSERS, "<", "</", "parameter", ">", "<parameter", "\n", '"', "&lt;", "5"]
        ),
        st.text(max_size=3),
    ),
    max_size=6,
).map("".join)


@pytest.mark.parametrize("dialect", [*TAGGED, "qwen3-coder", "glm"])
@given(s=AWKWARD, v=AWKWARD, n=st.one_of(AWKWARD, st.integers(), st.none(), st.lists(AWKWARD)))
def test_keyed_values_read_back(dialect: str, s: str, v: str, n: object) -> None:
    for arguments in ({"s": s, "v": v, "n": n}, {"s": n}):
        try:
            written = render_in_section(dialect, arguments)
        except RenderError:
            assert dialect not in TAGGED, "JSON can carry every value there"
            continue
        found = toolspeak.parse(written, dialect_of(dialect), tools=TYPED).tool_calls
        assert [(it.arguments, it.repaired) for it in found] == [(arguments, False)]


def render_in_section(dialect: str, arguments: dict[str, Any]) -> str:
    return RENDERERS[dialect].render_calls([ToolCall("", "f", arguments)], TYPED)


@pytest.mark.parametrize("closer", ["</parameter>", "</x:PARAMETER >", "</Parameter>"])
@pytest.mark.parametrize("dialect", ["xml", "anthropic", "minimax"])
def test_no_closer_in_a_value(dialect: str, closer: str) -> None:
    text = render(dialect, s=f"a{closer}b", v=[closer])
    assert len(re.findall("parameter", text, re.IGNORECASE)) == 6
    assert text.count("\\u003c/") == 2
    assert 'string="false"' in text


@pytest.mark.parametrize("closer", ["</｜DSML｜parameter>", "</|DSML|parameter\n>"])
def test_no_closer_in_a_dsml_value(closer: str) -> None:
    text = render("xml-dsml", s=f"a{closer}b")
    assert 'string="false">"a' in text
    assert "</parameter>" in render("xml-dsml", s="</parameter>"), "which closes nothing there"


def test_tagged_text_is_never_escaped() -> None:
    assert '>a < b & "c" &lt;<' in render("xml", s='a < b & "c" &lt;')


@pytest.mark.parametrize("dialect", CALLING)
def test_a_lone_surrogate_is_no_text(dialect: str) -> None:
    with pytest.raises(RenderError):
        render(dialect, s="\ud800")


def test_dsml() -> None:
    calls = [ToolCall("", "f", {"s": "x & y", "n": 5}), ToolCall("", "g", {})]
    assert RENDERERS["xml-dsml"].render_calls(calls, TYPED) == (
        "<｜DSML｜tool_calls>\n"
        '<｜DSML｜invoke name="f">\n'
        '<｜DSML｜parameter name="s" string="true">x & y</｜DSML｜parameter>\n'
        '<｜DSML｜parameter name="n" string="false">5</｜DSML｜parameter>\n'
        "</｜DSML｜invoke>\n"
        '<｜DSML｜invoke name="g">\n'
        "</｜DSML｜invoke>\n"
        "</｜DSML｜tool_calls>"
    )
    assert RENDERERS["xml-dsml"].render_calls([], TYPED) == ""
    for name in ('a"b', "a>b"):
        with pytest.raises(RenderError, match="name"):
            render("xml-dsml", name)


# --- values that only the schema types ----------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "</arg_value>",
        "</tool_call> <tool_call>",
        "</arg_key> <arg_key>",
        "<arg_key>k</arg_key> <arg_value>",
    ],
)
def test_glm_endings(text: str) -> None:
    with pytest.raises(RenderError, match="'s'"):
        render("glm", s=text)
    assert "\\u003c" in render("glm", v=text)


def test_glm_text_that_is_an_opener() -> None:
    with pytest.raises(RenderError, match="'s'"):
        render("glm", s="<arg_value>")
    assert '<arg_value>"<arg_value>"</arg_value>' in render("glm", v="<arg_value>")


@pytest.mark.parametrize(
    "text",
    ["a < b", "</arg_key>", "<arg_key>k</arg_key>", "a <arg_value>", "</tool_call>", "\nx\n"],
)
def test_glm_text_as_it_is(text: str) -> None:
    assert f"<arg_value>{text}</arg_value>" in render("glm", s=text)


@pytest.mark.parametrize("dialect", ["glm", "qwen3-coder", "pi-native"])
@pytest.mark.parametrize("value", [5, None, True, ["a"], {"a": 1}, "\ud800"])
def test_a_string_parameter_takes_only_text(dialect: str, value: object) -> None:
    with pytest.raises(RenderError):
        render(dialect, s=value)


@pytest.mark.parametrize("dialect", ["glm", "qwen3-coder", "pi-native", "xml"])
def test_a_string_elsewhere_is_json(dialect: str) -> None:
    assert '"5"' in render(dialect, v="5")


def test_qwen3_coder() -> None:
    assert render("qwen3-coder", s="\na", n=5) == (
        "<tool_call>\n<function=f>\n"
        "<parameter=s>\n\na\n</parameter>\n"
        "<parameter=n>\n5\n</parameter>\n"
        "</function>\n</tool_call>"
    )
    calls = [ToolCall("", "a", {}), ToolCall("", "b", {})]
    assert RENDERERS["qwen3-coder"].render_calls(calls, TYPED) == (
        "<tool_call>\n<function=a>\n</function>\n</tool_call>\n"
        "<tool_call>\n<function=b>\n</function>\n</tool_call>"
    )
    results = [ToolResult("", "a", "x"), ToolResult("", "b", "<y>", is_error=True)]
    assert RENDERERS["qwen3-coder"].render_results(results) == (
        "<tool_response>\nx\n</tool_response>\n<tool_response>\n<y>\n</tool_response>"
    )


def test_qwen3_coder_endings() -> None:
    assert "\na</parameter>b\n" in render("qwen3-coder", s="a</parameter>b")
    for follower in ("<parameter=x>", "  </function>", "</tool_call>"):
        with pytest.raises(RenderError):
            render("qwen3-coder", s=f"a</parameter>{follower}")
        assert "\\u003c/parameter>" in render("qwen3-coder", v=f"a</parameter>{follower}")
    for name in ("a>b", "a<b", "a\nb"):
        with pytest.raises(RenderError):
            render("qwen3-coder", **{name: 1})


# --- JSON and other bodies ----------------------------------------------------------------------


@pytest.mark.parametrize("dialect", ["hermes", "qwen3", "kimi", "deepseek", "harmony"])
def test_a_marker_in_a_json_string_stays(dialect: str) -> None:
    text = "</tool_call><|tool_call_end|><｜tool▁call▁end｜><|call|>"
    assert text in render(dialect, s=text)


def test_kimi_ids() -> None:
    def header(call_id: str, name: str, tools: ToolSet = NO_TOOLS) -> str:
        text = RENDERERS["kimi"].render_call(ToolCall(call_id, name, {}), tools)
        return text.removeprefix("<|tool_call_begin|>").partition("<|")[0]

    assert header("x", "f") == "functions.f:0"
    assert header(" functions.f:7 ", "f") == "functions.f:7"
    assert header("functions.g:7", "f") == "functions.f:0"
    dotted = ToolSet([{"name": "a.b"}, {"name": "b"}])
    assert header("x", "a.b", dotted) == "functions.a.b:0"
    with pytest.raises(RenderError, match="tool list"):
        header("x", "a.b")
    with pytest.raises(RenderError):
        header("x", "a:b")


def test_deepseek_tool_named_function() -> None:
    assert render("deepseek", "function", n=1) == (
        "<｜tool▁call▁begin｜>function<｜tool▁sep｜>function\n"
        '```json\n{"n":1}\n```<｜tool▁call▁end｜>'
    )


@pytest.mark.parametrize("name", ["a b", "a<|b", ""])
def test_harmony_names(name: str) -> None:
    with pytest.raises(RenderError):
        render("harmony", name)


def test_gemini_literals() -> None:
    assert render("gemini", v=[True, None, {"a\n": 'q"\\'}, 0.5, 2**70]) == (
        f'default_api.f(v=[True, None, {{"a\\n": "q\\"\\\\"}}, 0.5, {2**70}])'
    )
    for name in ("1a", "a b", "", "if"):
        with pytest.raises(RenderError):
            render("gemini", name)
    dotted = ToolCall("", "math.hypot", {})
    assert RENDERERS["gemini"].render_call(dotted, NO_TOOLS) == "default_api.math.hypot()"
    listed = ToolSet([{"name": "open"}])
    call = ToolCall("", "open", {})
    assert RENDERERS["gemini"].render_call(call, listed) == "default_api.open()"
    with pytest.raises(RenderError, match="pass the tools"):
        RENDERERS["gemini"].render_call(call, NO_TOOLS)


def test_gemma_refuses_what_it_cannot_quote() -> None:
    for arguments in ({"s": '<|"|>'}, {"a,b": 1}, {"v": {"a:b": 1}}, {"v": [{"x": '<|"|>'}]}):
        with pytest.raises(RenderError):
            render("gemma", **arguments)
    result = [ToolResult("", "f", 'a<|"|>b')]
    assert 'a<|"|>b' in RENDERERS["gemma"].render_results(result)


# --- pi-native ----------------------------------------------------------------------------------

TEXTS = ToolSet([{"name": "w", "parameters": {"properties": {k: FIELDS[k] for k in ("s", "t")}}}])


def text_call(**arguments: object) -> str:
    return RENDERERS["pi-native"].render_call(ToolCall("", "w", arguments), TEXTS)


def test_pi_native_body() -> None:
    assert text_call(s="a", t="long\n</t>") == '<call:w s="a">\nlong\n</t>\n</call:w>'
    # The body would be given to `s`, so `t` alone is an attribute.
    assert text_call(t="only") == '<call:w t="only"/>'
    # A blank body is no value, and one that begins with a parameter's tag is elements.
    assert text_call(s='" ') == '<call:w>\n" \n</call:w>'
    assert text_call(s=" \n ") == "<call:w>\n<s>\n \n \n</s>\n</call:w>"
    assert text_call(s='<t>"') == '<call:w>\n<s><t>"</s>\n</call:w>'


def test_pi_native_body_holds_what_an_element_cannot() -> None:
    assert render("pi-native", n=1, s="</s>\n") == "<call:f n=1>\n</s>\n\n</call:f>"
    with pytest.raises(RenderError):
        render("pi-native", n=1, s="</s>\n</call:f>")


@pytest.mark.parametrize(
    "text", ["5", "true", "None", '"x"', "[1", "{", "-1", " ", "NaN", "<b>x</b>"]
)
def test_pi_native_text_that_is_not_text(text: str) -> None:
    call = RENDERERS["pi-native"].render_call(ToolCall("", "f", {"v": text}), NO_TOOLS)
    assert call == f"<call:f>\n<v>{json.dumps(text)}</v>\n</call:f>".replace(
        "<b>", "\\u003cb>"
    ).replace("</b>", "\\u003c/b>")


def test_pi_native_lists() -> None:
    schema = {"type": "array", "items": {"type": "string"}}
    grid = {"type": "array", "items": schema}
    tools = ToolSet([{"name": "f", "parameters": {"properties": {"a": schema, "g": grid}}}])

    def lists(**arguments: object) -> str:
        return RENDERERS["pi-native"].render_call(ToolCall("", "f", arguments), tools)

    assert lists(a=["5"]) == "<call:f>\n<a>5</a>\n</call:f>"
    assert lists(a=[]) == "<call:f a='[]'/>"
    assert lists(a=["x"], g=[["y'"]]) == "<call:f g='[[\"y\\u0027\"]]'>\n<a>x</a>\n</call:f>"
    assert lists(g=[["y" * 200], ["z" * 200]]) == (
        f'<call:f>\n<g>["{"y" * 200}"]</g>\n<g>["{"z" * 200}"]</g>\n</call:f>'
    )


def test_pi_native_objects_through_references() -> None:
    field = {"anyOf": [{"$ref": "#/$defs/O"}, {"type": "null"}]}
    defs = {"O": {"type": "object", "properties": {"k": {"type": "string"}}}}
    tools = ToolSet([{"name": "f", "parameters": {"properties": {"o": field}, "$defs": defs}}])

    def nested(value: object) -> str:
        return RENDERERS["pi-native"].render_call(ToolCall("", "f", {"o": value}), tools)

    assert nested({"k": "5"}) == "<call:f>\n<o>\n<k>5</k>\n</o>\n</call:f>"
    assert nested({"k": "</k>"}) == '<call:f>\n<o>{"k":"\\u003c/k>"}</o>\n</call:f>'
    assert nested({"k": 5}) == '<call:f>\n<o>{"k":5}</o>\n</call:f>'
    assert nested(None) == "<call:f o=null/>"


# --- results, thinking, guides ------------------------------------------------------------------


def test_thinking_has_no_calls() -> None:
    renderer = RENDERERS["thinking"]
    assert renderer.render_calls([], NO_TOOLS) == ""
    assert renderer.render_results([]) == ""
    assert renderer.render_thinking("x") == "<think>\nx\n</think>"
    with pytest.raises(RenderError):
        renderer.render_calls([ToolCall("", "f", {})], NO_TOOLS)
    with pytest.raises(RenderError):
        renderer.render_results([ToolResult("", "f", "x")])


@pytest.mark.parametrize("dialect", RENDERERS)
def test_results_may_come_from_an_iterator(dialect: str) -> None:
    if dialect != "thinking":
        results = (ToolResult(str(i), "f", f"r{i}") for i in range(2))
        text = RENDERERS[dialect].render_results(results)
        assert text.index("r0") < text.index("r1")


@pytest.mark.parametrize("name", RENDERERS)
def test_guide_shows_a_call_that_the_renderer_writes(name: str) -> None:
    guide = load_guide(name)
    assert guide.startswith("# ")
    assert guide == guide.strip()
    if name == "thinking":
        return
    fields = {"query": {"type": "string"}, "limit": {"type": "integer"}}
    tools = ToolSet([{"name": "search", "parameters": {"properties": fields}}])
    query = "cats & dogs" if name == "pi-native" else 'cats & "dogs"'
    call = ToolCall("", "search", {"query": query, "limit": 5})
    if name == "gemma":
        call = ToolCall("", "search", {"query": query, "limit": 5, "tags": ["a"]})
    assert RENDERERS[name].render_calls([call], tools) in guide


def test_an_unknown_guide() -> None:
    with pytest.raises(FileNotFoundError):
        load_guide("klingon")

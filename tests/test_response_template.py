"""Response templates: what dialects write is read by transformers' own parser, and back."""

from __future__ import annotations

import copy
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import toolspeak
from support import CALL_DIALECTS, Row, large_rows, pieces_of, run
from toolspeak import ResponseTemplateError, from_response_template, to_response_template
from toolspeak.grammar import (
    CallForm,
    CloseTag,
    Envelope,
    Exact,
    Grammar,
    Header,
    NameIn,
    OpenTag,
    Values,
)
from toolspeak.tools.tool_set import ToolSet
from toolspeak.writing.renderer import Turn
from toolspeak.written import Written

# --- what dialects write --------------------------------------------------------------------

UNSAID = {
    "gemini": "one call alone stands in no list",
    "pi-native": "no parser reads elements, attributes and text",
}
SAID = sorted(set(CALL_DIALECTS) - set(UNSAID))
# Their values end at markers that only a lookahead tells from data.
NOT_READ_BACK = {"glm", "qwen3-coder"}


@cache
def transformers_parser() -> Any:
    parsing = pytest.importorskip(
        "transformers.utils.chat_parsing", reason="run `make engines` to try transformers' parser"
    )
    return parsing.ResponseParser


def parse_with_transformers(
    text: str, template: dict[str, Any], tools: list[Any], step: int | None = None
) -> dict[str, Any]:
    parser = transformers_parser()(template, prefix="", tools=tools)
    step = step or max(len(text), 1)
    for piece in pieces_of(text, step):
        parser.feed(piece)
    message: dict[str, Any] = parser.finalize()[0]
    return message


def as_tools(tools: list[Any]) -> list[dict[str, Any]]:
    return [
        tool if "function" in tool else {"type": "function", "function": tool} for tool in tools
    ]


def calls_in(message: dict[str, Any]) -> list[tuple[str, Any]]:
    calls = [call["function"] for call in message.get("tool_calls", [])]
    return [(call["name"], call["arguments"]) for call in calls]


def reply(dialect: toolspeak.Dialect, calls: list[Any], tools: list[Any]) -> str:
    """A reply with thinking, text and calls, without the turn around it."""
    made = tuple(
        toolspeak.ToolCall(f"functions.{call['name']}:{i}", call["name"], call["arguments"])
        for i, call in enumerate(calls)
    )
    turn = Turn(role="assistant", text="I look.", thinking="Let me\nthink.", calls=made)
    return dialect.writer.render_reply(turn, ToolSet(tools))


TOOL = {
    "name": "search",
    "parameters": {
        "type": "object",
        "properties": {
            "query": {"type": "string"},
            "limit": {"type": "integer"},
            "exact": {"type": "boolean"},
            "where": {"type": "object"},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
    },
}
CALLS = [
    {"name": "search", "arguments": {"query": "7 cats & <b>dogs</b>\n", "limit": 7}},
    {"name": "search", "arguments": {"exact": True, "where": {"a": [1, None, "é"]}, "tags": ["x"]}},
    {"name": "search", "arguments": {}},
]


@pytest.mark.parametrize("step", [None, 1, 5])
@pytest.mark.parametrize("name", SAID)
def test_transformers_reads_what_a_dialect_writes(name: str, step: int | None) -> None:
    dialect = toolspeak.get_dialect(name)
    template = to_response_template(dialect)
    json.dumps(template)  # it is saved in tokenizer_config.json
    text = reply(dialect, CALLS, [TOOL])
    message = parse_with_transformers(text, template, as_tools([TOOL]), step)
    assert calls_in(message) == [(call["name"], call["arguments"]) for call in CALLS]
    assert message["thinking"].strip() == "Let me\nthink."
    assert message["content"].strip() == "I look."
    if name == "kimi":  # whose wire has ids
        ids = [call["id"] for call in message["tool_calls"]]
        assert ids == ["functions.search:0", "functions.search:1", "functions.search:2"]


@pytest.mark.parametrize("name", [*SAID, "thinking"])
def test_transformers_reads_what_has_no_calls(name: str) -> None:
    dialect = toolspeak.get_dialect(name)
    text = reply(dialect, [], [])
    text += "".join(dialect.family.stop[:1])
    message = parse_with_transformers(text, to_response_template(dialect), [])
    assert set(message) == {"role", "thinking", "content"}
    assert message["content"].strip() == "I look."


PYTHON_TYPES: dict[Any, Any] = {
    "string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list,
    "object": dict,
}  # fmt: skip


def is_typed(row: Row) -> bool:
    """Whether each argument is of the one type that its schema has.

    Values between tags are text, which transformers casts to the first type that fits.
    """
    schemas = {
        (tool["function"]["name"], key): schema
        for tool in as_tools(row["tools"])
        for key, schema in tool["function"]["parameters"].get("properties", {}).items()
    }
    types = [
        (value, schemas.get((call["name"], key), {}).get("type"))
        for call in row["calls"]
        for key, value in call["arguments"].items()
    ]
    return all(isinstance(value, PYTHON_TYPES.get(str(one), ())) for value, one in types)


@pytest.mark.parametrize("name", SAID)
def test_transformers_reads_real_calls(name: str) -> None:
    transformers_parser()
    dialect = toolspeak.get_dialect(name)
    template = to_response_template(dialect)
    read = 0
    tagged = {form.body.shape for form in dialect.grammar.forms()} & {"values", "pairs"}
    for row in large_rows("bfcl_calls.jsonl")[::10]:
        if tagged and not is_typed(row):
            continue
        try:
            text = reply(dialect, row["calls"], row["tools"])
        except toolspeak.RenderError:
            continue
        message = parse_with_transformers(text, template, as_tools(row["tools"]))
        wanted = [(call["name"], call["arguments"]) for call in row["calls"]]
        assert calls_in(message) == wanted, row["id"]
        assert message["content"].strip() == "I look."
        read += 1
    assert read >= 150


@pytest.mark.parametrize(("name", "why"), UNSAID.items())
def test_calls_that_no_template_says(name: str, why: str) -> None:
    with pytest.raises(ResponseTemplateError, match=f"^{name}: .*{why}"):
        to_response_template(toolspeak.get_dialect(name))


def test_a_dialect_that_does_not_write() -> None:
    dialect = from_response_template(JSON_LIST, name="read")
    with pytest.raises(ResponseTemplateError, match="no form of call says how it is written"):
        to_response_template(dialect)


def test_a_dialect_without_turns() -> None:
    dialect = toolspeak.get_dialect("hermes")
    silent = dialect.replace(turns=dialect.turns.replace(reply=""))
    with pytest.raises(ResponseTemplateError, match="nothing says where an answer begins"):
        to_response_template(silent)


# --- templates as dialects --------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(set(SAID) - NOT_READ_BACK))
def test_a_written_template_is_read_back(name: str) -> None:
    dialect = toolspeak.get_dialect(name)
    back = from_response_template(to_response_template(dialect), name="back")
    text = reply(dialect, CALLS, [TOOL])
    for step in (len(text), 1, 3):
        message = assembled(run(back.scanner(tools=[TOOL]), pieces_of(text, step)))
        assert [(call.name, call.arguments) for call in message.tool_calls] == [
            (call["name"], call["arguments"]) for call in CALLS
        ]
        assert message.text.strip() == "I look."
        assert "".join(message.thinking).strip() == "Let me\nthink."


def assembled(events: list[Any]) -> toolspeak.Message:
    assembler = toolspeak.Assembler()
    assembler.add(events)
    return assembler.finish()


def named(name: str, arguments: str, **more: str) -> dict[str, Any]:
    """A transform that makes a call."""
    return {**more, "type": "function", "function": {"name": name, "arguments": arguments}}


CALL = named("{name}", "{content}")


def template(calls: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"start_anchor": "<bot>", "fields": {"tool_calls": calls, **fields}}


THINKING = {"open": "<t>", "close": "</t>"}
JSON = template(
    {
        "open": "<c>",
        "close": "</c>",
        "repeats": True,
        "content": "json",
        "transform": {"type": "function", "function": "{content}"},
    },
    thinking=THINKING,
    content={"close": ["<stop>", "<eos>"]},
)
RENAMED = template(
    {
        "open": ["<c>", "<call>"],
        "close": "</c>",
        "repeats": True,
        "content": "json",
        "transform": {"function": {"name": "{content.fn}", "arguments": "{content.args}"}},
    },
    reasoning={"open_pattern": r"<t>\s*", "close_pattern": r"\s*</t>"},
    content={"open": "<say>", "close": "</say>"},
)
JSON_LIST = template(
    {
        "open": "<calls>",
        "close": "</calls>",
        "content": "json",
        "transform_each": True,
        "transform": {"function": {"name": "{fn}", "arguments": "{args}"}},
    },
    content={},
)
NAMED = template(
    {
        "open_pattern": r"<c>\s*call:(?P<name>\w+)\s*",
        "close": "</c>",
        "repeats": True,
        "content": "json",
        "content_args": {"unquoted_keys": True, "string_delims": [["<q>", "<q>"]]},
        "transform": CALL,
    },
    content={},
)
CHANNELS = template(
    {
        "open_pattern": r"<ch>call to=tools\.(?P<name>\w+).*?<msg>",
        "close": "<end>",
        "repeats": True,
        "content": "json",
        "transform": CALL,
    },
    thinking={"open": "<ch>think<msg>", "close": "<end>"},
    content={"open": "<ch>say<msg>", "close": "<end>"},
)
TAGS = template(
    {
        "open_pattern": r"<c>\s*<f=(?P<name>[^>]+)>",
        "close": "</c>",
        "repeats": True,
        "content": "xml-inline",
        "content_args": {"tag_pattern": r"<p=(?P<key>\w+)>\s*(?P<value>.*?)\s*</p>"},
        "transform": CALL,
    },
    thinking={"open_pattern": r"(?:^|<t>)", "close": "</t>"},
    content={},
)
ATTRIBUTES = template(
    {
        "open_pattern": '<f name="(?P<name>.+?)">',
        "close": "</f>",
        "repeats": True,
        "content": "xml-inline",
        "content_args": {
            "tag_pattern": '<p name="(?P<key>.+?)" string="(?P<s>true|false)">(?P<value>.*?)</p>',
            "value_parser_by": {
                "group": "s",
                "parsers": {"true": {"name": "text"}, "false": {"name": "json"}},
            },
        },
        "transform": CALL,
    },
    content={},
)
PAIRS = template(
    {
        "open_pattern": r"<c>(?P<name>[^\n<]+)\n",
        "close": "</c>",
        "repeats": True,
        "content": "xml-inline",
        "content_args": {"tag_pattern": r"<k>(?P<key>.*?)</k>\s*<v>(?P<value>.*?)</v>"},
        "transform": CALL,
    },
    content={},
)
PYTHON = template({"open": "<py>", "close": "</py>", "content": "python-call-list"}, content={})

ONE = ("search", {"query": "cats", "limit": 5})
NONE: tuple[str, dict[str, Any]] = ("search", {})
READ = {
    "json": (
        JSON,
        (
            '<t>Hm</t>Hi <c>{"name": "search", "arguments": {"query": "cats", "limit": 5}}</c>'
            '<c>{"name": "search", "arguments": {}}</c><stop>'
        ),
        "Hi ",
        "Hm",
        [ONE, NONE],
    ),
    "renamed keys": (
        RENAMED,
        '<t>\nHm\n</t><say>Hi</say><call>{"fn": "search", "args": {"limit": 5}}</c>',
        "Hi",
        "\nHm\n",
        [("search", {"limit": 5})],
    ),
    "a list of calls": (
        JSON_LIST,
        (
            'Hi<calls>[{"fn": "search", "args": {"query": "cats", "limit": 5}},\n {"fn": "search", '
            '"args": {}}]</calls>'
        ),
        "Hi",
        "",
        [ONE, NONE],
    ),
    "a name before literals": (
        NAMED,
        "Hi<c>\ncall:search{query:<q>cats<q>,limit:5}</c>",
        "Hi",
        "",
        [ONE],
    ),
    "channels": (
        CHANNELS,
        (
            "<ch>think<msg>Hm<end><ch>say<msg>Hi<end>"
            '<ch>call to=tools.search <c>json<msg>{"query": "cats", "limit": 5}<end>'
        ),
        "Hi",
        "Hm",
        [ONE],
    ),
    "tags": (
        TAGS,
        "<t>Hm</t>Hi<c>\n<f=search>\n<p=query>\ncats\n</p>\n<p=limit>5</p></f>\n</c><c><f=search></c>",
        "Hi",
        "Hm",
        [ONE, NONE],
    ),
    "attributes": (
        ATTRIBUTES,
        (
            'Hi<f name="search"><p name="query" string="true">cats</p>'
            '<p name="limit" string="false">5</p></f>'
        ),
        "Hi",
        "",
        [ONE],
    ),
    "pairs": (
        PAIRS,
        "Hi<c>search\n<k>query</k>\n<v>cats</v>\n<k>limit</k><v>5</v></c>",
        "Hi",
        "",
        [ONE],
    ),
    "Python": (
        PYTHON,
        "Hi<py>[search(query='cats', limit=5), search()]</py>",
        "Hi",
        "",
        [ONE, NONE],
    ),
}


@pytest.mark.parametrize("shape", READ)
def test_a_template_is_read_as_a_dialect(shape: str) -> None:
    spec, text, said, thought, calls = READ[shape]
    before = copy.deepcopy(spec)
    dialect = from_response_template(spec, name="mine")
    assert (dialect.name, spec) == ("mine", before)
    for step in (len(text), 1, 2, 7):
        message = assembled(run(dialect.scanner(tools=[TOOL]), pieces_of(text, step)))
        assert [(call.name, call.arguments) for call in message.tool_calls] == calls
        assert (message.text, "".join(message.thinking)) == (said, thought)
        assert not any(isinstance(call, toolspeak.ToolAbort) for call in message.tool_calls)


@pytest.mark.parametrize("shape", READ)
def test_transformers_reads_the_same(shape: str) -> None:
    spec, text, said, thought, calls = READ[shape]
    if shape == "tags":
        text = text.removeprefix("<t>")  # `^` comes first, so that the opener would be thinking
    message = parse_with_transformers(text, spec, as_tools([TOOL]))
    if shape == "Python":
        assert (
            message["tool_calls"] == [[{"name": n, "arguments": a} for n, a in calls]]
            or [(call["name"], call["arguments"]) for call in message["tool_calls"]] == calls
        )
    else:
        assert calls_in(message) == calls
    thinking = message.get("thinking", message.get("reasoning", ""))
    assert (message["content"].strip(), thinking.strip()) == (said.strip(), thought.strip())


def opener(pattern: str, **transform: str) -> dict[str, Any]:
    """A template of calls that a pattern opens, in JSON."""
    calls = {
        "open_pattern": pattern,
        "close": "</c>",
        "repeats": True,
        "content": "json",
        "transform": {**CALL, **transform},
    }
    return template(calls, content={})


# Names with something around or behind them: the pattern says where they end.
NAMES = [
    (opener(r"<c>functions\.(?P<name>\w+):\d+<args>"), '<c>functions.f:0<args>{"a":1}</c>', "f"),
    (opener(r"<c><n>(?P<name>\w+)</n>\s*<args>"), '<c><n>f</n>\n<args>{"a":1}</c>', "f"),
    (opener(r"<c>(?P<name>[\w.]+)\[.*?\]<a>"), '<c>f.g[1]<a>{"a":1}</c>', "f.g"),
    (opener(r"<c>(?P<name>[\w.]+)[^<]*<a>"), '<c>f.g, json<a>{"a":1}</c>', "f.g"),
    (opener(r"<c>(?P<name>\w+).*?<a>"), '<c>f:0<a>{"a":1}</c>', "f"),
    (opener(r"<c>(?P<name>[\w.]+).*?<a>"), '<c>f.g[1]<a>{"a":1}</c>', "f.g"),
    (opener(r"<c>(?P<name>f\w+)<a>"), '<c>fg<a>{"a":1}</c>', "fg"),
    (opener(r"<c>(?P<name>\w+)\s*<a>"), '<c>f \n<a>{"a":1}</c>', "f"),
    (opener(r"<c>(?P<name>\w+)\s*"), '<c>f \n{"a":1}</c>', "f"),
    (opener(r"<c>(?P<name>\w+)(?: json)?<a>"), '<c>f json<a>{"a":1}</c>', "f"),
    (
        opener(r"<c>(?P<id>call_(?P<name>\w+)_\d+)<args>", id="{id}"),
        '<c>call_get_weather_3<args>{"a":1}</c>',
        "get_weather",
    ),
]


@pytest.mark.parametrize(("spec", "text", "name"), NAMES)
def test_names_end_where_the_pattern_says(spec: dict[str, Any], text: str, name: str) -> None:
    dialect = from_response_template(spec, name="mine")
    for step in (len(text), 1):
        message = assembled(run(dialect.scanner(), pieces_of(text, step)))
        assert [(call.name, call.arguments) for call in message.tool_calls] == [(name, {"a": 1})]
        if "id" in spec["fields"]["tool_calls"]["transform"]:
            assert message.tool_calls[0].id == "call_get_weather_3"
    assert calls_in(parse_with_transformers(text, spec, [])) == [(name, {"a": 1})]


def test_a_header_that_goes_on_is_no_call() -> None:
    dialect = from_response_template(NAMES[4][0], name="mine")
    message = toolspeak.parse(f"<c>f{':' * 10_000}<a>{{}}</c>", dialect)
    assert not message.tool_calls
    assert len(message.aborted) == 1


# What else stands in a tag is not its key, so such tags are not read.
@pytest.mark.parametrize("behind", ["[^>]*>", r"(?: type=\w+)?>", r"\s+\w+>", "(?:x|y)>"])
def test_a_key_is_not_what_else_is_in_its_tag(behind: str) -> None:
    args = {"tag_pattern": rf"<p=(?P<key>\w+){behind}(?P<value>.*?)</p>"}
    with pytest.raises(ResponseTemplateError, match="no tag around a value"):
        from_response_template(changed(TAGS, "tool_calls", content_args=args), name="mine")


def test_patterns_tell_no_tokens_that_end_a_turn() -> None:
    pattern = changed(JSON, "content", close=None, close_pattern=r"(?:<a>\s*<b>|<c>)")
    with pytest.raises(ResponseTemplateError):  # a choice of more than texts, in a sequence
        from_response_template(
            changed(JSON, "content", close=None, close_pattern=r"x(?:a\s*b|c)"), name="mine"
        )
    assert from_response_template(pattern, name="mine").family.stop == ()
    for name in set(SAID) - NOT_READ_BACK - {"harmony"}:
        dialect = toolspeak.get_dialect(name)
        back = from_response_template(to_response_template(dialect), name="back")
        assert back.family.stop in ((), dialect.family.stop)


def test_dialects_whose_calls_no_template_delimits() -> None:
    envelope = toolspeak.Dialect(
        "open",
        Grammar(
            calls=(
                CallForm(Exact("<zz>"), None, Envelope(), written=Written(open="<zz>", close="\n")),
            )
        ),
    )
    with pytest.raises(ResponseTemplateError, match="nothing closes a call"):
        to_response_template(envelope)
    header = Header(ends=Exact("\n"))
    free = Values(OpenTag(free="identifier"), CloseTag(free="identifier"), NameIn())
    plain = Values(OpenTag(("p",)), CloseTag(("p",)), NameIn("name"))
    written = Written(open="<zz>{name}\n", close="</zz>", value=("<{key}>", "</{key}>"))
    tags = CallForm(Exact("<zz>"), Exact("</zz>"), free, header, written)
    with pytest.raises(ResponseTemplateError, match="names its parameter"):
        to_response_template(toolspeak.Dialect("free", Grammar(calls=(tags,))))
    braces = written.replace(value=('<p kind="{kind}" name="{key}">', "</p>"))
    dialect = toolspeak.Dialect(
        "braces", Grammar(calls=(tags.replace(body=plain, written=braces),))
    )
    tool = {"name": "f", "parameters": {"properties": {"a": {"type": "string"}}}}
    text = dialect.render_calls([{"name": "f", "arguments": {"a": "x"}}], tools=[tool])
    message = parse_with_transformers(text, to_response_template(dialect), as_tools([tool]))
    assert calls_in(message) == [("f", {"a": "x"})]


def test_what_ends_a_turn_and_what_opens_thinking_are_facts() -> None:
    assert from_response_template(JSON, name="a").family.stop == ("<stop>", "<eos>")
    assert from_response_template(JSON, name="a").family.prompt_thinking == "closed"
    assert from_response_template(TAGS, name="a").family.prompt_thinking == "open"


def test_a_read_dialect_does_not_write() -> None:
    dialect = from_response_template(JSON, name="mine")
    with pytest.raises(toolspeak.RenderError):
        dialect.render_calls([{"name": "f", "arguments": {}}])
    with pytest.raises(toolspeak.ConstraintError):
        dialect.constrain([TOOL]).gbnf()


# --- templates that are none, or that no dialect can say ----------------------------------------


def changed(spec: dict[str, Any], field: str, **changes: Any) -> dict[str, Any]:
    new = copy.deepcopy(spec)
    of_field = new["fields"].setdefault(field, {})
    for key, value in changes.items():
        if value is None:
            of_field.pop(key, None)
        else:
            of_field[key] = value
    return new


def opened(pattern: str) -> dict[str, Any]:
    return changed(NAMED, "tool_calls", open_pattern=pattern)


REFUSED = {
    "unknown keys of a response template: ['x']": {**JSON, "x": 1},
    "version 2 of response templates": {**JSON, "version": 2},
    "a response template has a dict of `fields`": {"start_anchor": "a"},
    "no event tells the fields ['quotes']": changed(JSON, "quotes", open="<q>", close="</q>"),
    "field 'content': it is a dict, not 1": {"fields": {"content": 1}},
    "field 'content': unknown keys ['y']": changed(JSON, "content", y=1),
    "no scanner refuses output without it": changed(JSON, "content", optional=False),
    "only 'content' can stand between": changed(JSON, "thinking", open=None),
    "thinking is text, not 'json'": changed(JSON, "thinking", content="json"),
    "nothing closes it, so that no text": changed(JSON, "thinking", close=None),
    "content is text, not 'int'": changed(JSON, "content", content="int"),
    "there are texts and a pattern": changed(JSON, "thinking", open_pattern="<t>"),
    "it is a text or a list of texts, not [1]": changed(JSON, "thinking", open=[1]),
    "it is a text or a list of texts, not ['']": changed(JSON, "thinking", open=""),
    "it is a str, not 5": changed(JSON, "thinking", open=None, open_pattern=5),
    "content_args is a dict, not 3": changed(NAMED, "tool_calls", content_args=3),
    "it is a dict with `function`": changed(JSON, "tool_calls", transform="{content}"),
    "None is no call": changed(JSON, "tool_calls", transform=None),
    "'{call}' is not a name and arguments": changed(
        JSON, "tool_calls", transform={"function": "{call}"}
    ),
    "are not where calls have them": changed(
        JSON, "tool_calls", transform=named("{content.a.b}", "{content.c}")
    ),
    "no call in JSON has an id of its own": changed(
        RENAMED, "tool_calls", transform=named("{content.a}", "{content.b}", id="{content.c}")
    ),
    "its opener has no group 'tool'": changed(
        NAMED, "tool_calls", transform=named("{tool}", "{content}")
    ),
    "'xml-inline' holds no name": changed(JSON, "tool_calls", content="xml-inline"),
    "'xml-inline' is no list of calls": changed(JSON_LIST, "tool_calls", content="xml-inline"),
    "nothing closes the list of calls": changed(JSON_LIST, "tool_calls", close=None),
    "nothing closes the calls": changed(TAGS, "tool_calls", close=None),
    "no body is read like 'kv-lines'": changed(NAMED, "tool_calls", content="kv-lines"),
    "between two marks of one kind only": changed(
        NAMED, "tool_calls", content_args={"string_delims": [["<", ">"]]}
    ),
    "a key that is there twice makes no list": changed(
        TAGS, "tool_calls", content_args={"tag_pattern": "", "merge_duplicates": True}
    ),
    "xml-inline has a `tag_pattern`": changed(TAGS, "tool_calls", content_args={}),
    "then the groups `key` and `value`": changed(
        TAGS, "tool_calls", content_args={"tag_pattern": "<p>(?P<value>.*?)</p>"}
    ),
    "is no tag around a value": changed(
        TAGS, "tool_calls", content_args={"tag_pattern": "<p (?P<key>.*?);(?P<value>.*?)</p>"}
    ),
    "has a group that is neither named nor marked": opened(r"(<c>)(?P<name>\w+)"),
    "has a group that is not closed": opened(r"<c>(?P<name>\w+"),
    "has a group without a name": opened(r"<c>(?P<1>\w+)"),
    "has a bracket that closes nothing": opened(r"<c>(?P<name>\w+))"),
    "has a repeated group": opened(r"(?:<c>)+(?P<name>\w+)"),
    "'>' that is optional or repeated": opened(r"<c>?(?P<name>\w+)"),
    "'*' with nothing to repeat": opened(r"*<c>(?P<name>\w+)"),
    "the escape \\b": opened(r"<c>\b(?P<name>\w+)"),
    "the escape \\": opened("<c>(?P<name>\\w+)\\"),
    "a class that is not closed": opened(r"<c>(?P<name>[a-z+)"),
    "that is not repeated": opened(r"<c>(?P<name>\w)"),
    "a possessive repetition": opened(r"<c>(?P<name>\w++)"),
    "groups nested too deeply": opened("(?:" * 50 + "<c>" + ")" * 50 + r"(?P<name>\w+)"),
    "more than 3 runs": opened(r"<c>(?P<name>\w+)\d+.*?\w+:<a>"),
    "read in JSON strings only": changed(
        JSON, "tool_calls", content_args={"string_delims": [["<q>", "<q>"]]}
    ),
    "or it is text": changed(JSON, "tool_calls", open=None, open_pattern="(?:, )?<c>"),
    "it is text": changed(JSON, "tool_calls", close=None, close_pattern="</c>(?:;)?"),
    "more than 100 texts": opened("(?:<a>|<b>)" * 7 + r"(?P<name>\w+)"),
    "only text, and blanks between texts": opened(r"<c>.*?(?P<name>\w+)"),
}  # fmt: skip


@pytest.mark.parametrize("why", REFUSED)
def test_what_cannot_be_said_is_refused(why: str) -> None:
    with pytest.raises(ResponseTemplateError, match=re.escape(why)):
        from_response_template(REFUSED[why], name="mine")


def test_a_template_is_a_dict() -> None:
    with pytest.raises(TypeError, match="a response template is a dict, not str"):
        from_response_template("{}", name="mine")  # type: ignore[arg-type]


def test_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = Path(__file__).parent.parent / "docs" / "response-templates.md"
    if not page.exists():
        pytest.skip("the pages in docs/ are not here")
    names: dict[str, Any] = {}
    for block in re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL):
        if "transformers" in block:
            transformers_parser()
        exec(compile(block, str(page), "exec"), names)
    assert "get_weather" in capsys.readouterr().out

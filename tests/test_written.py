"""Dialects that are written from their records alone: one of each shape of body."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolspeak
from generated import tool_and_arguments
from support import Row, canonical
from toolspeak.grammar import (
    Body,
    CallForm,
    CloseTag,
    Code,
    Envelope,
    Exact,
    Followed,
    Grammar,
    Header,
    Json,
    MessageHeader,
    NameIn,
    NameTemplate,
    Nested,
    OpenTag,
    Pairs,
    Quoted,
    Section,
    TagSyntax,
    Thinking,
    Values,
)
from toolspeak.written import Results, Written

THINK = Thinking(Exact("<hm>"), Exact("</hm>"), ("<hm>", "</hm>"))
OPEN, CLOSE = Exact("<call>"), Exact("</call>")
AT_BRACE = Followed(Exact("{"), consumed=0)
LINE = TagSyntax(open=("<key=",))
TOKEN = "@@"
TOKEN_TAG = TagSyntax(open=(f"{TOKEN}<",), close=(f"{TOKEN}</",))


def tagged(hint: Any, **options: Any) -> CallForm:
    body = Values(OpenTag(("arg",)), CloseTag(("arg",)), NameIn("key"), hint="is_text", **options)
    written = Written(
        open='<do it="{name}">',
        close="</do>",
        value=('<arg key="{key}"{hint}>', "</arg>"),
        hint=hint,
    )
    return CallForm(OpenTag(("do",)), CloseTag(("do",)), body, NameIn("it"), written)


def headed(body: Body, rule: NameTemplate, open: str) -> CallForm:
    return CallForm(
        OPEN, CLOSE, body, Header(ends=AT_BRACE, read=rule), Written(open=open, close="</call>")
    )


FORMS: dict[str, CallForm] = {
    "envelope": CallForm(
        OPEN,
        CLOSE,
        Envelope(("tool",), ("input",)),
        written=Written(open="<call>\n", close="\n</call>"),
    ),
    "json": headed(Json(), NameTemplate(), "<call>{header}"),
    "json with numbered ids": headed(
        Json(), NameTemplate("fn.{name}#{index}", is_id=True), "<call>{header}"
    ),
    "quoted": headed(Quoted("^^"), NameTemplate("do:{name}"), "<call>{header}"),
    "values, hints where needed": tagged("needed"),
    "values, hints always": tagged("always", hint_default="true"),
    "values, no hints": CallForm(
        OPEN,
        CLOSE,
        Values(OpenTag(syntax=LINE, free="line"), Exact("</key>"), NameIn()),
        Header(ends=Exact("\n")),
        Written(open="<call>{name}\n", close="</call>", value=("<key={key}>", "</key>\n")),
    ),
    "pairs": CallForm(
        OPEN,
        CLOSE,
        Pairs(Exact("<k>"), Exact("</k>"), Exact("<v>"), Exact("</v>")),
        Header(ends=Exact("\n")),
        Written(open="<call>{name}\n", close="</call>", value=("<k>{key}</k><v>", "</v>\n")),
    ),
    "nested": CallForm(
        OpenTag(("do",), TOKEN_TAG),
        CloseTag(("do",), TOKEN_TAG),
        Nested(TOKEN),
        NameIn("it"),
        Written(open=f'{TOKEN}<do it="{{name}}">', close=f"{TOKEN}</do>"),
    ),
    "messages": CallForm(
        Exact("<m>"),
        Exact("</m>"),
        Json(),
        Header(
            ends=Exact("<body>"),
            read=MessageHeader("me", "<on>", "to=", "tools.", "inner", "outer", "work"),
        ),
        Written(open="<m>{header}<body>", close="</m>", message="</m>"),
    ),
}


def dialect_of(name: str, form: CallForm) -> toolspeak.Dialect:
    sections = (
        Section(Exact("<calls>"), Exact("</calls>"), (form,), written=("<calls>", "</calls>")),
    )
    grammar = Grammar(
        sections=() if name == "messages" else sections,
        calls=(form,) if name == "messages" else (),
        thinking=() if name == "messages" else (THINK,),
    )
    return toolspeak.Dialect(name, grammar, Results(each="<r>{name}: {text}</r>", between=""))


CODE = CallForm(
    None,
    None,
    Code(),
    Header(ends=Exact("("), read=NameTemplate(tools="only")),
    Written(open="{name}(", close=")", items=(", ", ": "), between="\n"),
)
DIALECTS = {name: dialect_of(name, form) for name, form in FORMS.items()}
DIALECTS["code"] = toolspeak.Dialect(
    "code",
    Grammar(
        sections=(
            Section(
                Exact("```do"), Exact("```"), (CODE,), content="code", written=("```do\n", "\n```")
            ),
        )
    ),
)
every_shape = pytest.mark.parametrize("name", DIALECTS)


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The registry is as it was behind each test."""
    monkeypatch.setattr(toolspeak.registry, "_REGISTRY", dict(toolspeak.registry._REGISTRY))


@every_shape
def test_it_can_be_registered(name: str) -> None:
    assert toolspeak.register(DIALECTS[name]) is toolspeak.get_dialect(name)


@every_shape
@given(
    calls=st.lists(
        tool_and_arguments(), min_size=1, max_size=3, unique_by=lambda it: it[0]["function"]["name"]
    )
)
def test_what_is_written_is_read(name: str, calls: list[tuple[Row, Row]]) -> None:
    dialect, tools = DIALECTS[name], [tool for tool, _ in calls]
    turn = [
        toolspeak.ToolCall(f"call_{index}", tool["function"]["name"], arguments)
        for index, (tool, arguments) in enumerate(calls)
    ]
    try:
        text = dialect.render_calls(turn, tools)
    except toolspeak.RenderError:
        return
    message = toolspeak.parse(text, dialect, tools=tools)
    assert canonical([it.arguments for it in message.tool_calls]) == canonical(
        [dict(it.arguments) for it in turn]
    )
    assert [it.name for it in message.tool_calls] == [it.name for it in turn]
    assert not any(it.repaired for it in message.tool_calls)
    assert not message.text.strip()


TOOL = {
    "name": "note",
    "parameters": {
        "properties": {
            "text": {"type": "string"},
            "many": {"type": "array", "items": {"type": "integer"}},
            "deep": {"type": "object", "properties": {"x": {"type": "string"}}},
        }
    },
}
CALL = toolspeak.ToolCall("", "note", {"text": "a b", "many": [1, 2], "deep": {"x": "y"}})


WRITTEN = {
    "envelope": (
        '<call>\n{"tool":"note","input":{"text":"a b","many":[1,2],"deep":{"x":"y"}}}\n</call>'
    ),
    "json": '<call>note{"text":"a b","many":[1,2],"deep":{"x":"y"}}</call>',
    "json with numbered ids": (
        '<call>fn.note#0{"text":"a b","many":[1,2],"deep":{"x":"y"}}</call>'
    ),
    "quoted": "<call>do:note{text:^^a b^^,many:[1,2],deep:{x:^^y^^}}</call>",
    "values, hints where needed": (
        '<do it="note"><arg key="text">a b</arg><arg key="many">[1,2]</arg>'
        '<arg key="deep">{"x":"y"}</arg></do>'
    ),
    "values, hints always": (
        '<do it="note"><arg key="text" is_text="true">a b</arg>'
        '<arg key="many" is_text="false">[1,2]</arg>'
        '<arg key="deep" is_text="false">{"x":"y"}</arg></do>'
    ),
    "values, no hints": (
        '<call>note\n<key=text>a b</key>\n<key=many>[1,2]</key>\n<key=deep>{"x":"y"}</key>\n</call>'
    ),
    "pairs": (
        "<call>note\n<k>text</k><v>a b</v>\n<k>many</k><v>[1,2]</v>\n"
        '<k>deep</k><v>{"x":"y"}</v>\n</call>'
    ),
    "nested": (
        '@@<do it="note">@@<text>a b@@</text>@@<many>@@<item>1@@</item>@@<item>2@@</item>'
        "@@</many>@@<deep>@@<x>y@@</x>@@</deep>@@</do>"
    ),
    "messages": (
        '<m>me<on>work to=tools.note<body>{"text":"a b","many":[1,2],"deep":{"x":"y"}}</m>'
    ),
    "code": 'note(text="a b", many=[1, 2], deep={"x": "y"})',
}


@every_shape
def test_one_call(name: str) -> None:
    assert DIALECTS[name].render_call(CALL, [TOOL]) == WRITTEN[name]


def test_the_rest_of_a_conversation() -> None:
    dialect = DIALECTS["json"]
    assert dialect.render_thinking("so") == "<hm>so</hm>"
    assert dialect.render_thinking("<hm>so</hm>") == "<hm>so</hm>"
    results = [toolspeak.ToolResult("", "note", "ok"), toolspeak.ToolResult("", "note", "{name}")]
    assert dialect.render_results(results) == "<r>note: ok</r><r>note: {name}</r>"
    messages = DIALECTS["messages"]
    assert messages.render_thinking("so") == "<m>me<on>inner<body>so</m>"
    turns = [{"role": "assistant", "content": "hi", "reasoning": "so"}]
    assert messages.render_transcript(turns) == (
        "<|im_start|>assistant\n<m>me<on>inner<body>so</m><m>me<on>outer<body>hi</m><|im_end|>\n"
    )


def test_ids_of_the_wires_own_form_are_kept() -> None:
    dialect = DIALECTS["json with numbered ids"]
    for own, written in (
        ("fn.note#7", "fn.note#7"),
        ("call_1", "fn.note#0"),
        ("fn.x#7", "fn.note#0"),
    ):
        call = toolspeak.ToolCall(own, "note", {})
        assert dialect.render_call(call) == f"<call>{written}{{}}</call>"


def test_a_form_that_is_read_otherwise_is_told() -> None:
    form = FORMS["json"].replace(written=Written(open="<call>", close="</call>"))
    with pytest.raises(toolspeak.GrammarError, match=r"form 0 of call: written: .* otherwise"):
        toolspeak.register(dialect_of("wrong", form))


def test_a_dialect_that_does_not_say_how_it_is_written() -> None:
    dialect = toolspeak.Dialect("mute", Grammar(calls=(CallForm(OPEN, CLOSE, Envelope()),)))
    toolspeak.register(dialect)
    with pytest.raises(toolspeak.RenderError, match="written"):
        dialect.render_call(CALL)
    with pytest.raises(toolspeak.RenderError, match="thinking"):
        dialect.render_thinking("so")
    assert dialect.render_calls([]) == ""

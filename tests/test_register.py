"""Dialects that users register: made of known shapes, from Python alone, read in every cut.

Each grammar below is what a user would write for a format that toolspeak does not bring along.
"""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable
from typing import Any

import pytest

import toolspeak
from support import (
    aborts_of,
    calls_of,
    cut_at,
    cuts,
    joined,
    outcome,
    random_cuts,
    run,
    text_of,
)
from toolspeak.grammar import (
    AnyOf,
    Blanks,
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
    NameIn,
    NameTemplate,
    Noise,
    OpenTag,
    Pairs,
    Quoted,
    Section,
    TagSyntax,
    Thinking,
    Values,
)
from toolspeak.written import Written

AT_BRACE = Followed(Exact("{"), consumed=0)
THINK = (Thinking(Exact("<think>"), Exact("</think>"), ("<think>", "</think>")),)

TOOLS: list[dict[str, Any]] = [
    {
        "name": "find_book",
        "parameters": {
            "type": "object",
            "properties": {"title": {"type": "string"}, "near": {"type": "object"}},
        },
    },
    {
        "name": "count_pages",
        "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}},
    },
]

# What every example says.
CALLS: list[dict[str, Any]] = [
    {"name": "find_book", "arguments": {"title": "Dune"}},
    {"name": "count_pages", "arguments": {"n": 3}},
]


# --- grammars -----------------------------------------------------------------------------


def function_tags(section: str, thinking: str) -> Grammar:
    """`<function=NAME>` and `<parameter=KEY>` in a section, values verbatim up to their closer."""
    call = CallForm(
        open=OpenTag(syntax=TagSyntax(open=("<function=",)), free="line"),
        close=Exact("</function>"),
        name=NameIn(),
        body=Values(
            open=OpenTag(syntax=TagSyntax(open=("<parameter=",)), free="line"),
            close=Exact("</parameter>"),
            key=NameIn(),
        ),
    )
    close = Exact(f"</{section}>")
    return Grammar(
        calls=(call,),
        sections=(Section(Exact(f"<{section}>"), close, (call,)),),
        thinking=(Thinking(Exact(f"<{thinking}>"), Exact(f"</{thinking}>")),),
        noise=(Noise(close),),
    )


def json_calls(open: str, close: str | None, name: Header | None, body: Body) -> Grammar:
    """Calls that an opener announces and whose JSON ends by its own structure."""
    closer = Exact(close) if close else None
    written = Written(open=f"{open}{{name}}" if name else open, close=close or "")
    return Grammar(calls=(CallForm(Exact(open), closer, body, name, written),), thinking=THINK)


_K3 = TagSyntax(open=("<|open|>",), close=("<|close|>",), end="<|sep|>", quotes="double")
KIMI_K3 = Grammar(
    sections=(
        Section(
            OpenTag(("tools",), _K3),
            CloseTag(("tools",), _K3),
            (
                CallForm(
                    open=OpenTag(("call",), _K3),
                    close=CloseTag(("call",), _K3),
                    name=NameIn("tool"),
                    body=Values(
                        open=OpenTag(("argument",), _K3),
                        close=CloseTag(("argument",), _K3),
                        key=NameIn("key"),
                    ),
                ),
            ),
        ),
    ),
    thinking=(Thinking(OpenTag(("think",), _K3), CloseTag(("think",), _K3)),),
    noise=(
        Noise(AnyOf(OpenTag(("response",), _K3), CloseTag(("response", "message"), _K3))),
        Noise(Exact("<|end_of_msg|>")),
    ),
)

MINICPM5 = Grammar(
    calls=(
        CallForm(
            open=OpenTag(("function",)),
            close=CloseTag(("function",)),
            name=NameIn("name"),
            body=Values(open=OpenTag(("param",)), close=CloseTag(("param",)), key=NameIn("name")),
        ),
    ),
    thinking=THINK,
)

FUNCTIONGEMMA = Grammar(
    calls=(
        CallForm(
            open=Exact("<start_function_call>"),
            close=Exact("<end_function_call>"),
            name=Header(ends=AT_BRACE, read=NameTemplate("call:{name}", names="word")),
            body=Quoted("<escape>"),
        ),
    ),
)


def python_section(open: str, close: str) -> Grammar:
    """Python calls between two markers."""
    call = CallForm(
        open=None,
        close=None,
        name=Header(ends=Exact("("), read=NameTemplate(tools="only")),
        body=Code(),
    )
    return Grammar(
        sections=(Section(Exact(open), Exact(close), (call,), content="code"),), thinking=THINK
    )


LING3 = Grammar(
    calls=(
        CallForm(
            open=Exact("<tool_call>"),
            close=Exact("</tool_call>"),
            name=Header(
                ends=AnyOf(Exact("\n"), Followed(Exact("<arg_key>"), consumed=0)), bare=True
            ),
            body=Pairs(
                key_open=Exact("<arg_key>"),
                key_close=Exact("</arg_key>"),
                value_open=Exact("<arg_value>"),
                value_close=Exact("</arg_value>"),
            ),
        ),
    ),
)

# name → grammar, and an example: thinking if it has any, then text around both calls.
EXAMPLES: dict[str, tuple[Grammar, str]] = {
    "mimo": (
        function_tags("tool_call", "think"),
        (
            "<think>hm</think>Hi <tool_call>\n<function=find_book>\n<parameter=title>Dune"
            "</parameter>\n</function>\n</tool_call><tool_call>\n<function=count_pages>\n"
            "<parameter=n>3</parameter>\n</function>\n</tool_call> bye"
        ),
    ),
    "seed-oss": (
        function_tags("seed:tool_call", "seed:think"),
        (
            "<seed:think>hm</seed:think>Hi <seed:tool_call>\n<function=find_book>\n"
            "<parameter=title>Dune</parameter>\n</function>\n</seed:tool_call><seed:tool_call>\n"
            "<function=count_pages>\n<parameter=n>3</parameter>\n</function>\n</seed:tool_call> bye"
        ),
    ),
    "longcat": (
        json_calls("<longcat_tool_call>", "</longcat_tool_call>", None, Envelope()),
        (
            '<think>hm</think>Hi <longcat_tool_call>\n{"name": "find_book", "arguments": '
            '{"title": "Dune"}}\n</longcat_tool_call><longcat_tool_call>{"name": "count_pages", '
            '"arguments": {"n": 3}}</longcat_tool_call> bye'
        ),
    ),
    "kimi-k3": (
        KIMI_K3,
        (
            "<|open|>think<|sep|>hm<|close|>think<|sep|><|open|>response<|sep|>Hi  bye"
            '<|close|>response<|sep|><|open|>tools<|sep|><|open|>call tool="find_book" index="1"'
            '<|sep|><|open|>argument key="title" type="string"<|sep|>Dune<|close|>argument<|sep|>'
            '<|close|>call<|sep|><|open|>call tool="count_pages" index="2"<|sep|><|open|>argument '
            'key="n" type="number"<|sep|>3<|close|>argument<|sep|><|close|>call<|sep|>'
            "<|close|>tools<|sep|><|close|>message<|sep|><|end_of_msg|>"
        ),
    ),
    "minicpm5": (
        MINICPM5,
        (
            '<think>hm</think>Hi <function name="find_book"><param name="title">Dune</param>'
            '</function><function name="count_pages"><param name="n">3</param></function> bye'
        ),
    ),
    "functiongemma": (
        FUNCTIONGEMMA,
        (
            "Hi <start_function_call>call:find_book{title:<escape>Dune<escape>}<end_function_call>"
            "<start_function_call>call:count_pages{n:3}<end_function_call> bye"
        ),
    ),
    "lfm2": (
        python_section("<|tool_call_start|>", "<|tool_call_end|>"),
        (
            '<think>hm</think>Hi <|tool_call_start|>[find_book(title="Dune"), count_pages(n=3)]'
            "<|tool_call_end|> bye"
        ),
    ),
    "olmo3": (
        python_section("<function_calls>", "</function_calls>"),
        (
            "<think>hm</think>Hi <function_calls>find_book(title='Dune')\ncount_pages(n=3)"
            "</function_calls> bye"
        ),
    ),
    "mistral-v13": (
        json_calls("[TOOL_CALLS]", None, Header(ends=AnyOf(Exact("[ARGS]"), AT_BRACE)), Json()),
        (
            '<think>hm</think>Hi [TOOL_CALLS]find_book[ARGS]{"title": "Dune"}'
            '[TOOL_CALLS]count_pages[ARGS]{"n": 3} bye'
        ),
    ),
    "granite-20b": (
        json_calls("<function_call>", None, None, Envelope()),
        (
            '<think>hm</think>Hi <function_call> {"name": "find_book", "arguments": {"title": '
            '"Dune"}}<function_call> {"name": "count_pages", "arguments": {"n": 3}} bye'
        ),
    ),
    "ling3": (
        LING3,
        (
            "Hi <tool_call>find_book\n<arg_key>title</arg_key><arg_value>Dune</arg_value>"
            "</tool_call><tool_call>count_pages<arg_key>n</arg_key><arg_value>3</arg_value>"
            "</tool_call> bye"
        ),
    ),
}

# A section of code ends at a closer that begins with a backtick; another one is not found.
CODE = {"lfm2", "olmo3"}

each_example = pytest.mark.parametrize("name", EXAMPLES)


def dialect_of(name: str) -> toolspeak.Dialect:
    """A user's dialect `my-NAME`, made from the parts that the package offers.

    The package may have one of the family itself, under the family's name.
    """
    return toolspeak.Dialect(f"my-{name}", EXAMPLES[name][0])


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets a test register dialects that are forgotten behind it."""
    from toolspeak import registry  # noqa: PLC0415 - the module, not what it offers

    monkeypatch.setattr(registry, "_REGISTRY", dict(registry._REGISTRY))


# --- scanning -----------------------------------------------------------------------------


@each_example
def test_a_new_dialect_is_read_in_every_cut(name: str, registry: None) -> None:
    toolspeak.register(dialect_of(name))
    text = EXAMPLES[name][1]
    dialect = toolspeak.get_dialect(f"my-{name}")
    whole = run(dialect.scanner(tools=TOOLS), [text])
    assert calls_of(whole) == CALLS
    assert not aborts_of(whole)
    assert outcome(whole)["thinking"] == (["hm"] if "hm" in text else [])
    if name not in CODE:
        assert text_of(whole) == "Hi  bye"
    for cut, pieces in cuts(text):
        assert joined(run(dialect.scanner(tools=TOOLS), pieces)) == joined(whole), cut
    for at in range(len(text)):
        pieces = cut_at(text, [at])
        assert joined(run(dialect.scanner(tools=TOOLS), pieces)) == joined(whole), at
    rng = random.Random(name)
    for _ in range(20):
        pieces = random_cuts(text, rng)
        assert joined(run(dialect.scanner(tools=TOOLS), pieces)) == joined(whole), pieces


@pytest.mark.parametrize("name", sorted(CODE))
def test_text_behind_a_section_of_code_with_other_markers(name: str) -> None:
    text = EXAMPLES[name][1]
    assert text_of(run(dialect_of(name).scanner(tools=TOOLS), [text])) == "Hi  bye"


@each_example
def test_every_beginning_of_a_new_dialect_is_accounted_for(name: str) -> None:
    """Wherever the stream ends: no error, the starts balanced, no call that was not complete."""
    text = EXAMPLES[name][1]
    for end in range(len(text)):
        events = run(dialect_of(name).scanner(tools=TOOLS), [text[:end]])
        starts = [e.id for e in events if isinstance(e, toolspeak.ToolStart)]
        kinds = (toolspeak.ToolEnd, toolspeak.ToolAbort)
        closed = [e.id for e in events if isinstance(e, kinds) and e.id in starts]
        assert starts == closed
        assert all(call in CALLS for call in calls_of(events))


@pytest.mark.parametrize("value", ["\nDune\n", " Dune ", "<b>&amp;</b>", "</param", "", "3"])
@pytest.mark.parametrize("name", ["mimo", "seed-oss", "minicpm5", "kimi-k3", "ling3"])
def test_values_are_verbatim(name: str, value: str) -> None:
    text = EXAMPLES[name][1]
    events = run(dialect_of(name).scanner(tools=TOOLS), [text.replace("Dune", value)])
    assert calls_of(events)[0]["arguments"] == {"title": value}


@pytest.mark.parametrize("name", ["longcat", "mistral-v13", "granite-20b"])
def test_markers_inside_json_are_data(name: str) -> None:
    title = "</longcat_tool_call>[TOOL_CALLS]x[ARGS]<function_call> {</think>"
    events = run(dialect_of(name).scanner(tools=TOOLS), [EXAMPLES[name][1].replace("Dune", title)])
    assert calls_of(events)[0]["arguments"] == {"title": title}
    assert text_of(events) == "Hi  bye"


def test_arguments_stream_while_they_arrive() -> None:
    scanner = dialect_of("mistral-v13").scanner(tools=TOOLS)
    scanner.feed('[TOOL_CALLS]find_book[ARGS]{"title": "Du')
    (delta,) = scanner.feed("ne")
    assert isinstance(delta, toolspeak.ToolArgDelta)
    assert (delta.name, delta.key, delta.delta) == ("find_book", None, "ne")


@pytest.mark.parametrize("name", ["granite-20b", "mistral-v13"])
def test_a_structure_without_a_closer_ends_where_it_ends(name: str) -> None:
    text = EXAMPLES[name][1].removesuffix(" bye")
    scanner = dialect_of(name).scanner(tools=TOOLS)
    assert isinstance(scanner.feed(text)[-1], toolspeak.ToolEnd)
    assert scanner.feed(" bye") == [toolspeak.Text(" bye")]


def test_the_type_on_the_wire_is_the_schemas() -> None:
    """`hint` knows "a string or not"; the dialect's `type` attribute says more than that."""
    body = Values(
        open=OpenTag(("argument",), _K3),
        close=CloseTag(("argument",), _K3),
        key=NameIn("key"),
        hint="string",
    )
    call = CallForm(OpenTag(("call",), _K3), CloseTag(("call",), _K3), body, NameIn("tool"))
    dialect = toolspeak.Dialect("typed", Grammar(calls=(call,)))
    text = (
        '<|open|>call tool="f"<|sep|><|open|>argument key="a" string="true"<|sep|>3'
        '<|close|>argument<|sep|><|open|>argument key="b" string="false"<|sep|>3'
        "<|close|>argument<|sep|><|close|>call<|sep|>"
    )
    assert calls_of(run(dialect.scanner(), [text]))[0]["arguments"] == {"a": "3", "b": 3}


# --- the registry -------------------------------------------------------------------------


def test_what_is_registered_renders_and_reads_back(registry: None) -> None:
    toolspeak.register(dialect_of("longcat"))
    assert "my-longcat" in toolspeak.list_dialects()
    dialect = toolspeak.get_dialect("my-longcat")
    calls = [
        toolspeak.ToolCall(f"call_{i}", c["name"], c["arguments"]) for i, c in enumerate(CALLS)
    ]
    text = dialect.render_thinking("hm") + dialect.render_calls(calls, tools=TOOLS)
    message = toolspeak.parse(text, "my-longcat", tools=TOOLS)
    assert message.thinking == ("hm",)
    assert [{"name": c.name, "arguments": c.arguments} for c in message.tool_calls] == CALLS
    assert toolspeak.parse_many([text], "my-longcat", tools=TOOLS)[0].text == message.text


def test_a_name_is_registered_once(registry: None) -> None:
    toolspeak.register(dialect_of("longcat"))
    with pytest.raises(ValueError, match="replace=True"):
        toolspeak.register(dialect_of("longcat"))
    other = dialect_of("longcat")
    assert toolspeak.register(other, replace=True) is other
    assert toolspeak.get_dialect("my-longcat") is other


def test_only_dialects_can_be_registered() -> None:
    with pytest.raises(TypeError, match="Dialect"):
        toolspeak.register("longcat")  # type: ignore[arg-type]


def test_a_bad_grammar_is_told_when_it_is_registered(registry: None) -> None:
    bad = toolspeak.Dialect("bad", Grammar(noise=(Noise(Exact("")),)))
    with pytest.raises(toolspeak.GrammarError, match="noise"):
        toolspeak.register(bad)
    assert "bad" not in toolspeak.list_dialects()


# --- grammar errors -----------------------------------------------------------------------


class Riddle:
    """A body of a shape that there is not."""

    shape = "riddle"


def call_with(**fields: Any) -> CallForm:
    """A good call but for `fields`."""
    good = {"open": Exact("<c>"), "close": Exact("</c>"), "body": Envelope()}
    return CallForm(**{**good, **fields})


def calls(**fields: Any) -> Callable[[], Grammar]:
    return lambda: Grammar(calls=(call_with(**fields),))


def section(**fields: Any) -> Callable[[], Grammar]:
    good = {"open": Exact("<s>"), "close": Exact("</s>"), "calls": (call_with(),)}
    return lambda: Grammar(sections=(Section(**{**good, **fields}),))


_L = Exact
_NAMED = Header(ends=_L("|"))
BAD: dict[str, tuple[Callable[[], Grammar], str]] = {
    "empty opener": (calls(open=_L("")), r"calls\[0\]\.open: .*empty"),
    "no opener": (calls(open=None), r"calls\[0\]\.open: .*no spelling"),
    "no spelling": (calls(open=_L()), r"calls\[0\]\.open: .*no spelling"),
    "the second call": (
        lambda: Grammar(calls=(call_with(), call_with(close=_L("x", "")))),
        r"calls\[1\]\.close: .*empty",
    ),
    "no value closer": (
        calls(name=_NAMED, body=Values(open=_L("<v>"), close=_L(), key=NameIn("k"))),
        r"calls\[0\]\.body\.close: ",
    ),
    "empty value opener": (
        calls(name=_NAMED, body=Pairs(_L("a"), _L("b"), _L(""), _L("d"))),
        r"calls\[0\]\.body\.value_open: ",
    ),
    "empty quote": (calls(name=_NAMED, body=Quoted("")), r"calls\[0\]\.body\.quote: "),
    "no name key": (calls(body=Envelope(names=())), r"calls\[0\]\.body\.names: "),
    "no argument key": (calls(body=Envelope(arguments=())), r"calls\[0\]\.body\.arguments: "),
    "unknown shape": (calls(body=Riddle()), r"calls\[0\]\.body: expected a body, .*values"),
    "text for a marker": (calls(open="<c>"), r"calls\[0\]\.open: expected a marker .*found text"),
    "text for a body": (calls(body="json"), r"calls\[0\]\.body: expected a body .*found text"),
    "a number for text": (calls(body=Quoted(3)), r"calls\[0\]\.body\.quote: expected text"),  # type: ignore[arg-type]
    "one call for several": (
        lambda: Grammar(calls=call_with()),  # type: ignore[arg-type]
        r"calls: expected a sequence of CallForms",
    ),
    "consumed below nothing": (
        calls(open=Followed(_L("x"), consumed=-1)),
        r"calls\[0\]\.open\.consumed: expected a whole number from 0",
    ),
    "no tag name": (calls(open=OpenTag()), r"calls\[0\]\.open: a tag needs .* name"),
    "no tag end": (calls(open=OpenTag(("a",), TagSyntax(end=""))), r"calls\[0\]\.open: "),
    "no tag head": (calls(open=OpenTag(("a",), TagSyntax(open=()))), r"calls\[0\]\.open: "),
    "unknown free name": (
        calls(open=OpenTag(free="word")),  # type: ignore[arg-type]
        r"calls\[0\]\.open\.free: .word. is not known; use .identifier. or .line.",
    ),
    "unknown quotes": (
        calls(open=OpenTag(("a",), TagSyntax(quotes="single"))),  # type: ignore[arg-type]
        r"calls\[0\]\.open\.quotes: .single. is not known; use .any. or .double.",
    ),
    "blanks first": (calls(open=Followed(Blanks(), _L("x"))), r"calls\[0\]\.open: "),
    "followed by nothing": (calls(open=Followed(_L("x"), _L(""))), r"calls\[0\]\.open: "),
    "empty section closer": (section(close=_L("")), r"sections\[0\]\.close: "),
    "unknown content": (
        section(content="music"),
        r"sections\[0\]\.content: .music. is not known; use .text. or .noise.",
    ),
    "two forms in code": (
        section(content="code", calls=(call_with(), call_with())),
        r"sections\[0\]\.calls: code needs exactly one",
    ),
    "thinking": (
        lambda: Grammar(thinking=(*THINK, Thinking(_L(""), _L("x")))),
        r"thinking\[1\]\.open: ",
    ),
    "thinking closer": (
        lambda: Grammar(thinking=(Thinking(_L("<t>"), _L()),)),
        r"thinking\[0\]\.close: ",
    ),
    "noise": (lambda: Grammar(noise=(Noise(_L("")),)), r"noise\[0\]\.open: "),
    "noise closer": (lambda: Grammar(noise=(Noise(_L("<d>"), _L("")),)), r"noise\[0\]\.close: "),
    "results": (lambda: Grammar(results=(_L(""),)), "results: "),
    "unknown policy": (
        lambda: Grammar(call_in_thinking="maybe"),  # type: ignore[arg-type]
        "call_in_thinking: .maybe. is not known; use .quoted.",
    ),
}

# Grammars that cannot work and are not refused yet.
UNCHECKED: dict[str, tuple[Callable[[], Grammar], str]] = {
    "empty header end": (
        calls(name=Header(ends=_L("")), body=Json()),
        r"calls\[0\]\.name\.ends: ",
    ),
    "header without end": (calls(name=Header(ends=_L()), body=Json()), r"calls\[0\]\.name: "),
    "no name anywhere": (calls(body=Json()), r"calls\[0\]\.name: "),
    "no calls in a section": (section(calls=()), r"sections\[0\]\.calls: "),
    "JSON in code": (section(content="code"), r"sections\[0\]\.calls"),
    "code without a section": (
        calls(open=None, close=None, body=Code(), name=Header(ends=_L("("))),
        r"calls\[0\]\.body: ",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_grammar_error_names_the_place(case: str) -> None:
    grammar, match = BAD[case]
    with pytest.raises(toolspeak.GrammarError, match=match) as caught:
        grammar().compile()
    assert str(caught.value).startswith(f"{caught.value.place}: ")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


@pytest.mark.parametrize("case", UNCHECKED)
def test_a_grammar_that_cannot_work_is_refused(case: str) -> None:
    grammar, match = UNCHECKED[case]
    with pytest.raises(toolspeak.GrammarError, match=match):
        grammar().compile()

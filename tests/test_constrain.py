"""Constrained decoding: what random models write under the grammars is valid calls, and no others.

Engines that are not installed are skipped with the reason (`make engines` installs them). With
TOOLSPEAK_SAMPLES=200 each grammar is sampled so often.
"""

from __future__ import annotations

import json
import os
import random
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolspeak
from engines import ENGINES, Engine, SourceError, Vocabulary, follows, refused_at, sample
from support import CALL_DIALECTS
from toolspeak.constrain import turns
from toolspeak.constrain.constraint import Constraint
from toolspeak.constrain.exclusion import Excluding
from toolspeak.grammar import CloseTag, Exact, OpenTag, TagSyntax

SAMPLES = int(os.environ.get("TOOLSPEAK_SAMPLES", "6"))
NAMES = [*CALL_DIALECTS, "xml-dsml"]

STRING = {"type": "string"}
POINT = {
    "type": "object",
    "properties": {
        "x": {"type": "number"},
        "y": {"type": "number"},
        "next": {"anyOf": [{"$ref": "#/$defs/Point"}, {"type": "null"}]},
    },
    "required": ["x", "y"],
}
SCHEMAS: dict[str, dict[str, Any]] = {
    "find": {
        "type": "object",
        "properties": {
            "text": STRING,
            "limit": {"type": "integer"},
            "exact": {"type": "boolean"},
            "kind": {"type": "string", "enum": ["book", "a film", "</parameter>x"]},
            "tags": {"type": "array", "items": STRING},
        },
        "required": ["text"],
    },
    "point": {
        "type": "object",
        "properties": {
            "label": {"anyOf": [STRING, {"type": "null"}]},
            "at": {"$ref": "#/$defs/Point"},
        },
        "required": ["at"],
        "$defs": {"Point": POINT},
    },
    "now": {"type": "object", "properties": {}},
    "store": {
        "type": "object",
        "properties": {
            "mode": {"enum": ["a", "b<c", 5, None]},
            "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
            "anything": {},
            "few": {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 3},
        },
        "required": ["mode"],
    },
}
TOOLS = [{"name": name, "parameters": schema} for name, schema in SCHEMAS.items()]
NAMED = {"type": "function", "function": {"name": "find"}}


def dialect_of(name: str) -> toolspeak.Dialect:
    if name == "xml-dsml":
        return toolspeak.get_dialect("xml", tagset="dsml")
    return toolspeak.get_dialect(name)


def vocabulary_of(dialect: toolspeak.Dialect) -> Vocabulary:
    """The family's tokens, and pieces of what stands around values, calls and thinking."""
    form = dialect.writer.forms[0].written
    texts = [*form.value, form.close, *dialect.writer.section]
    texts += [text for pair in dialect.grammar.thinking for text in pair.written or ()]
    keys = {key for schema in SCHEMAS.values() for key in schema["properties"]}
    closers = {form.value[1].replace("{key}", key) for key in keys}
    pieces = {piece for text in texts for piece in re.split(r"\{\w+\}|\n", text) if len(piece) > 2}
    pieces |= {*closers, *dialect.family.tokens} - {""}
    return Vocabulary(markers=tuple(sorted(pieces - set(dialect.family.stop))))


def source(engine: Engine, constraint: Constraint) -> Any:
    if engine.name == "xgrammar":
        return constraint.structural_tag()
    return constraint.lark() if engine.name == "llguidance" else constraint.gbnf().grammar


def wrong(dialect: toolspeak.Dialect, text: str, *, calls: str, start: Any = "text") -> str | None:
    """What is wrong with an output, if anything."""
    message = toolspeak.parse(text, dialect, tools=TOOLS, start=start)
    if message.aborted:
        return f"aborted: {message.aborted}"
    if calls == "required" and (message.text.strip() or not message.tool_calls):
        return f"not calls alone: {message.text!r}"
    if calls == "none" and message.tool_calls:
        return f"calls: {message.tool_calls}"
    for call in message.tool_calls:
        if call.repaired or call.name not in SCHEMAS:
            return f"not as it should be: {call}"
        try:
            jsonschema.validate(call.arguments, SCHEMAS[call.name])
        except jsonschema.ValidationError as error:
            return f"not valid: {error.message}"
    return None


def sampled(
    engine: Engine, dialect: toolspeak.Dialect, constraint: Constraint, seed: object
) -> list[str]:
    if engine.missing:
        pytest.skip(engine.missing)
    vocabulary = vocabulary_of(dialect)
    matcher = engine.compile(source(engine, constraint), vocabulary)
    rng = random.Random(str(seed))
    texts = [sample(matcher, vocabulary, rng) for _ in range(SAMPLES)]
    return [text for text in texts if text is not None]


each_dialect = pytest.mark.parametrize("name", NAMES)
each_engine = pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)


# --- random models --------------------------------------------------------------------------------


@pytest.mark.parametrize("choice", ["required", "auto", "none", "named"])
@each_engine
@each_dialect
def test_a_random_model_writes_valid_calls(name: str, engine: Engine, choice: str) -> None:
    dialect = dialect_of(name)
    constraint = dialect.constrain(TOOLS, NAMED if choice == "named" else choice)  # type: ignore[arg-type]
    texts = sampled(engine, dialect, constraint, (name, choice))
    assert texts, "no output was finished"
    calls = "required" if choice == "named" else choice
    for text in texts:
        assert wrong(dialect, text, calls=calls) is None, text


@pytest.mark.parametrize("reasoning", ["whole", "open"])
@each_engine
@each_dialect
def test_thinking_comes_first(name: str, engine: Engine, reasoning: Any) -> None:
    dialect = dialect_of(name)
    constraint = dialect.constrain(TOOLS, NAMED, reasoning=reasoning)
    prompt = ""
    if name == "harmony" and reasoning == "open":
        # A scanner has to see the header which says that the message is thinking.
        prompt = dialect.render_thinking("x").partition("x")[0]
    start = "thinking" if reasoning == "open" and not prompt else "text"
    for text in sampled(engine, dialect, constraint, (name, reasoning)):
        assert wrong(dialect, prompt + text, calls="required", start=start) is None, text


@each_engine
@each_dialect
def test_one_call_where_calls_are_not_parallel(name: str, engine: Engine) -> None:
    dialect = dialect_of(name)
    constraint = dialect.constrain(TOOLS, "required", parallel_tool_calls=False)
    for text in sampled(engine, dialect, constraint, name):
        assert len(toolspeak.parse(text, dialect, tools=TOOLS).tool_calls) == 1


@each_engine
def test_the_check_can_fail(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without what text must not hold, a random model breaks calls."""
    monkeypatch.setattr(turns, "Excluding", lambda _: Excluding([]))
    dialect = dialect_of("xml")
    found = [
        problem
        for seed in range(5)
        for text in sampled(engine, dialect, dialect.constrain(TOOLS, NAMED), seed)
        if (problem := wrong(dialect, text, calls="required"))
    ]
    assert found


@each_engine
@each_dialect
def test_parameters_that_refer_to_different_schemas(name: str, engine: Engine) -> None:
    fields = {"a": {"$ref": "#/$defs/A"}, "b": {"$ref": "#/$defs/B"}}
    definitions = {"A": {"type": "array", "items": {"type": "null"}}, "B": {"type": "boolean"}}
    parameters = {"type": "object", "properties": fields, "required": ["a", "b"]}
    tools = [{"name": "f", "parameters": {**parameters, "$defs": definitions}}]
    dialect = dialect_of(name)
    texts = sampled(engine, dialect, dialect.constrain(tools, "required"), name)
    calls = [it for text in texts for it in toolspeak.parse(text, dialect, tools=tools).tool_calls]
    assert calls
    for call in calls:
        assert isinstance(call.arguments["a"], list)
        assert set(call.arguments["a"]) <= {None}
        assert isinstance(call.arguments["b"], bool)


@each_engine
@pytest.mark.parametrize("name", ["anthropic", "deepseek", "glm", "minimax", "qwen3-coder", "xml"])
def test_a_value_does_not_hold_an_opener(name: str, engine: Engine) -> None:
    """Which would be read as one that stands twice, or as that of the next value."""
    if engine.missing:
        pytest.skip(engine.missing)
    dialect = dialect_of(name)
    call = dialect.render_calls([toolspeak.ToolCall("", "find", {"text": "@@"})], TOOLS)
    before = call.partition("@@")[0]
    opener = before[before.rindex("<") :]
    matcher = engine.compile(
        source(engine, dialect.constrain(TOOLS, "required")), vocabulary_of(dialect)
    )
    assert follows(matcher, call)
    assert follows(matcher, call.replace("@@", opener[:4]))
    assert not follows(matcher, call.replace("@@", f"{opener}@@"))


# --- what is rendered -----------------------------------------------------------------------------

CALLS: list[list[tuple[str, dict[str, Any]]]] = [
    [("now", {})],
    [("find", {"text": 'a "b" < c\n\\d é 🙂', "limit": -5, "exact": True, "kind": "book"})],
    [("find", {"text": ""}), ("now", {}), ("find", {"text": "x", "tags": ["a", "", "b\n"]})],
    [("point", {"at": {"x": 1.5, "y": -2, "next": {"x": 0, "y": 1e-07, "next": None}}})],
    [("store", {"mode": 5, "counts": {"a": 1, "b": 20}, "few": [1, 2, 3]})],
    [("store", {"mode": None, "anything": {"a": [1, "x", None, {"b": False}]}})],
]


def in_element(value: object) -> str:
    if not isinstance(value, str):
        return json.dumps(value, separators=(",", ":"))
    return f"\n{value}\n" if "\n" in value else value


def in_elements(turn: list[tuple[str, dict[str, Any]]]) -> str:
    """Calls of pi-native whose arguments are all elements, and whose objects are JSON."""
    texts = []
    for tool, arguments in turn:
        items = {
            key: value if isinstance(value, list) else [value] for key, value in arguments.items()
        }
        elements = [
            f"<{key}>{in_element(item)}</{key}>\n"
            for key, values in items.items()
            for item in values
        ]
        texts.append(f"<call:{tool}>\n{''.join(elements)}</call:{tool}>")
    text = "\n".join(texts)
    read = toolspeak.parse(text, "pi-native", tools=TOOLS).tool_calls
    assert [(call.name, call.arguments) for call in read] == turn
    return text


@each_engine
@each_dialect
def test_rendered_calls_are_accepted(name: str, engine: Engine) -> None:
    if engine.missing:
        pytest.skip(engine.missing)
    dialect = dialect_of(name)
    matcher = engine.compile(
        source(engine, dialect.constrain(TOOLS, "required")), vocabulary_of(dialect)
    )
    for turn in CALLS:
        calls = [toolspeak.ToolCall("", tool, arguments) for tool, arguments in turn]
        text = dialect.render_calls(calls, TOOLS)
        if name == "pi-native":  # which is written plainer where values allow that
            text = in_elements(turn)
        if name == "harmony":
            if len(calls) > 1:
                continue  # its model stops behind each call
            text = text.removeprefix(dialect.turns.reply).removesuffix("<|call|>")
        assert follows(matcher, text), (text, refused_at(matcher, text))


# xgrammar's own tags for families: which take what is rendered here, and why the others do not.
OWN_TAGS = {
    "kimi": ("kimi", ""),
    "deepseek_v3_1": ("deepseek", ""),
    "glm_4_7": ("glm", ""),
    "gemma_4": ("gemma", ""),
    "qwen_3": ("qwen3", "they demand a blank behind the colons of the envelope"),
    "qwen_3_coder": ("qwen3-coder", "they demand an empty line in a call without arguments"),
    "harmony": ("harmony", "they demand <|constrain|>json, and a recipient before the channel"),
    "minimax": ("minimax", "they begin with the end of thinking, and break lines between tags"),
    "deepseek_v3_2": ("xml-dsml", "they call the section function_calls, behind an empty line"),
}


@pytest.mark.parametrize("model", OWN_TAGS)
def test_xgrammars_own_tags(model: str) -> None:
    engine = ENGINES[0]
    if engine.missing:
        pytest.skip(engine.missing)
    name, difference = OWN_TAGS[model]
    dialect = dialect_of(name)
    listed = [{"type": "function", "function": tool} for tool in TOOLS]
    tag = engine.library.get_model_structural_tag(
        model, tools=listed, tool_choice="required", reasoning=False
    )
    matcher = engine.compile(tag.model_dump_json(), vocabulary_of(dialect))
    accepted = []
    for turn in CALLS[:4]:
        calls = [toolspeak.ToolCall("", tool, arguments) for tool, arguments in turn]
        text = dialect.render_calls(calls, TOOLS)
        if name == "pi-native":  # which is written plainer where values allow that
            text = in_elements(turn)
        if name == "harmony":
            text = text.removeprefix(dialect.turns.reply)
        accepted.append(follows(matcher, text))
    assert all(accepted) == (not difference), accepted


# --- text that holds no marker --------------------------------------------------------------------


@given(
    stops=st.lists(st.text("ab<", min_size=1, max_size=4), min_size=1, max_size=4),
    text=st.text("ab<c", max_size=10),
)
def test_text_without_markers(stops: list[str], text: str) -> None:
    stops = [stop for stop in stops if stop.strip()] or ["ab"]
    excluding = Excluding([Exact(*stops)])
    assert excluding.allows(text, "") == (not any(stop in text for stop in stops))
    # Before a closer, the first of them must be the one that the closer ends with.
    close = stops[0]
    whole = min(close.find(stop) + len(stop) for stop in stops if stop in close)
    ends = [(text + close).find(stop) + len(stop) for stop in stops if stop in text + close]
    assert excluding.allows(text, close) == (min(ends) == len(text) + whole)


def test_tags_in_any_case_and_namespace() -> None:
    syntax = TagSyntax(any_namespace=True, ignore_case=True)
    excluding = Excluding([CloseTag(("parameter",), syntax), OpenTag(("go",), syntax)])
    for held in ("</parameter>", "</Parameter >", "</a:PARAMETER>", '<x.y:go n="', "<go/"):
        assert not excluding.allows(f"a {held} b", "")
    for free in (
        "</parameters>",
        "<parameter>",
        "</ parameter>",
        "<:x go",
        "</a b:parameter",
        "<g>",
    ):
        assert excluding.allows(free, "")


# --- what cannot be enforced ----------------------------------------------------------------------


def tool(**fields: Any) -> list[dict[str, Any]]:
    return [{"name": "f", "parameters": {"type": "object", "properties": fields}}]


def test_what_an_engine_does_not_enforce_is_an_error() -> None:
    tools = tool(n={"type": "array", "uniqueItems": True})
    constraint = toolspeak.get_dialect("hermes").constrain(tools)
    for make in (constraint.structural_tag, constraint.lark, constraint.gbnf):
        with pytest.raises(toolspeak.ConstraintError, match="uniqueItems") as caught:
            make()
        error = caught.value
        assert (error.tool, error.pointer, error.keyword) == ("f", "/properties/n", "uniqueItems")
        assert error.backend
    loose = toolspeak.get_dialect("hermes").constrain(tools, strict=False)
    assert "uniqueItems" not in str(loose.structural_tag()) + loose.lark() + loose.gbnf().grammar
    assert {note.backend for note in loose.notes} == {"xgrammar", "llguidance", "llama.cpp"}
    assert {note[:3] for note in loose.notes} == {("f", "/properties/n", "uniqueItems")}


def test_what_only_some_engines_enforce() -> None:
    tools = tool(s={"type": "string", "pattern": "^a+$"})
    notes = toolspeak.get_dialect("hermes").constrain(tools, strict=False).notes
    assert [note.backend for note in notes] == ["llama.cpp"]
    notes = toolspeak.get_dialect("xml").constrain(tools, strict=False).notes
    assert len(notes) == 3, "raw text is never held to a pattern"


KEYWORDS: dict[str, Any] = {
    "bounds": {"type": "integer", "minimum": -3, "maximum": 17},
    "bounds of numbers": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
    "multiples": {"type": "integer", "multipleOf": 7, "minimum": 10, "maximum": 80},
    "pattern": {"type": "string", "pattern": "^[a-c]{2,4}$"},
    "lengths": {"type": "string", "minLength": 2, "maxLength": 4},
    "pattern and length": {"type": "string", "pattern": "^a+$", "maxLength": 3},
    "counts": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 3},
    "prefix": {
        "type": "array",
        "prefixItems": [{"type": "string"}, {"type": "null"}],
        "minItems": 2,
    },
    "sizes": {"type": "object", "additionalProperties": {"type": "null"}, "minProperties": 2},
    "map": {"type": "object", "additionalProperties": {"type": "boolean"}},
    "types": {"type": ["integer", "null"]},
    "mixed enum": {"type": "string", "enum": ["a", 5]},
    "nested": {
        "type": "object",
        "properties": {"a": {"const": [1, {"b": None}]}},
        "required": ["a"],
    },
    "union": {"anyOf": [{"type": "boolean"}, {"type": "string", "enum": ["x"]}]},
    "no more": {"type": "object", "properties": {"a": {"type": "null"}}, "minProperties": 1},
    "one of": {"oneOf": [{"type": "integer"}, {"type": "number"}]},
    "all of": {"allOf": [{"type": "integer"}, {"minimum": 5}]},
    "sibling": {"$ref": "#/properties/k", "minimum": 1000},
    "not": {"type": "integer", "not": {"const": 0}},
    "undeclared": {"type": "object", "properties": {"a": {}}, "required": ["b"]},
}


@each_engine
@pytest.mark.parametrize("which", KEYWORDS)
def test_a_keyword_is_enforced_or_noted(engine: Engine, which: str) -> None:
    tools = tool(k={"type": "integer"}, it=KEYWORDS[which])
    tools[0]["parameters"]["required"] = ["it"]
    hermes = toolspeak.get_dialect("hermes")
    constraint = hermes.constrain(tools, "required", strict=False)
    notes = [note for note in constraint.notes if note.backend.replace(".", "") == engine.name]
    texts = sampled(engine, hermes, constraint, which)
    calls = [
        call for text in texts for call in toolspeak.parse(text, hermes, tools=tools).tool_calls
    ]
    assert calls
    validator = jsonschema.Draft202012Validator(tools[0]["parameters"])
    invalid = [call for call in calls if not validator.is_valid(call.arguments)]
    assert notes or not invalid, invalid[0]


def test_names_and_choices_that_cannot_be() -> None:
    hermes, glm = toolspeak.get_dialect("hermes"), toolspeak.get_dialect("glm")
    with pytest.raises(toolspeak.ConstraintError, match="a\\\\nb"):
        glm.constrain([{"name": "a\nb"}], strict=False).gbnf()
    with pytest.raises(toolspeak.ConstraintError, match="the tools are: f"):
        hermes.constrain(tool(), {"type": "function", "function": {"name": "g"}})
    with pytest.raises(toolspeak.ConstraintError, match="without tools"):
        hermes.constrain([], "required")
    with pytest.raises(ValueError, match="tool_choice"):
        hermes.constrain(tool(), "any")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="reasoning"):
        hermes.constrain(tool(), reasoning="long")  # type: ignore[arg-type]
    only_closers = tool(s={"type": "string", "enum": ["</arg_value>"]})
    with pytest.raises(toolspeak.ConstraintError, match="/properties/s"):
        glm.constrain(only_closers).gbnf()
    pi_native = toolspeak.get_dialect("pi-native")
    for schema, why in (
        (tool(**{"a b": {"type": "integer"}}), "cannot be called 'a b'"),
        (tool(a={"type": ["array", "string"]}), "its elements are a list"),
        (tool(a={"type": "array", "maxItems": 0}), "its elements are a list"),
    ):
        with pytest.raises(toolspeak.ConstraintError, match=why):
            pi_native.constrain(schema).gbnf()


def test_the_page_about_it_runs() -> None:
    for engine in ENGINES[:2]:
        if engine.missing:
            pytest.skip(engine.missing)
    page = Path(__file__).parent.parent / "docs" / "constrained-decoding.md"
    names: dict[str, Any] = {}
    for block in re.findall(
        r"^```python\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL
    ):
        exec(compile(block, str(page), "exec"), names)


# --- the languages --------------------------------------------------------------------------------

SMALL = tool(k={"type": "boolean"})
OPEN = '<tool_call>\n{"name":"f","arguments":'


def test_a_structural_tag() -> None:
    tag = toolspeak.get_dialect("hermes").constrain(SMALL, "required", parallel_tool_calls=False)
    assert tag.structural_tag() == {
        "type": "structural_tag",
        "format": {
            "type": "sequence",
            "elements": [
                {"type": "const_string", "value": OPEN},
                {
                    "type": "json_schema",
                    "json_schema": {
                        "type": "object",
                        "properties": {"k": {"type": "boolean"}},
                        "required": [],
                        "additionalProperties": False,
                    },
                    "max_whitespace_cnt": 1,
                },
                {"type": "const_string", "value": "}\n</tool_call>"},
            ],
        },
    }


def test_a_legacy_tag() -> None:
    constraint = toolspeak.get_dialect("hermes").constrain(SMALL)
    legacy = constraint.legacy_structural_tag()
    assert legacy["triggers"] == [OPEN]
    assert [(it["begin"], it["end"]) for it in legacy["structures"]] == [(OPEN, "}\n</tool_call>")]
    with pytest.raises(toolspeak.ConstraintError, match="auto"):
        toolspeak.get_dialect("hermes").constrain(SMALL, "required").legacy_structural_tag()
    with pytest.raises(toolspeak.ConstraintError, match="JSON between"):
        toolspeak.get_dialect("xml").constrain(SMALL).legacy_structural_tag()


def test_a_lazy_gbnf() -> None:
    lazy = toolspeak.get_dialect("glm").constrain(SMALL).gbnf(lazy=True)
    assert lazy.triggers == ("<tool_call>f\n",)
    assert "<tool_call>" in lazy.preserved_tokens
    assert lazy.grammar.startswith("root ::= call ")
    assert r'call ::= "<tool_call>f\x0A" ' in lazy.grammar


def test_special_tokens_in_lark() -> None:
    hermes = toolspeak.get_dialect("hermes")
    by_name = hermes.constrain(SMALL, "required", special_tokens=["<tool_call>"]).lark()
    assert by_name.splitlines()[1].startswith(r'call: <tool_call> "\n" "{" "\"" "n" "a"')
    by_id = hermes.constrain(SMALL, "required", special_tokens={"<tool_call>": 151657}).lark()
    assert "call: <[151657]> " in by_id


@each_engine
@pytest.mark.parametrize("name", ["hermes", "glm", "kimi"])
def test_markers_that_are_special_tokens(name: str, engine: Engine) -> None:
    if engine.missing:
        pytest.skip(engine.missing)
    dialect = dialect_of(name)
    tokens = tuple(token for token in dialect.family.tokens if token not in dialect.family.stop)
    vocabulary = Vocabulary(markers=tokens, special=frozenset(tokens))
    constraint = dialect.constrain(TOOLS, NAMED, special_tokens=vocabulary.special_ids)
    matcher = engine.compile(source(engine, constraint), vocabulary)
    rng = random.Random(name)
    texts = [sample(matcher, vocabulary, rng) for _ in range(SAMPLES)]
    assert any(texts)
    for text in texts:
        assert text is None or wrong(dialect, text, calls="required") is None, text


@each_engine
def test_no_engine_says_anything_of_a_bad_grammar_in_silence(engine: Engine) -> None:
    """The harness tells what an engine refuses, so that a grammar which is none cannot pass."""
    if engine.missing:
        pytest.skip(engine.missing)
    with pytest.raises(SourceError):
        engine.compile("root ::= (", Vocabulary())

"""The public API: names, errors of bad use, whole-text parsing, threads, light import."""

from __future__ import annotations

import contextlib
import gc
import importlib.metadata
import inspect
import json
import subprocess
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any

import pytest

import toolspeak
from markers import MARKUP
from support import (
    DIALECTS,
    TOOLS,
    aborts_of,
    canonical,
    joined,
    outcome,
    pieces_of,
    run,
    scan,
    scanner_of,
    text_of,
)
from toolspeak import grammar

CALL = '<tool_call>\n{"name": "lookup", "arguments": {"query": "x"}}\n</tool_call>'


# --- dialects -----------------------------------------------------------------------------


def test_dialects_are_listed_and_found() -> None:
    names = toolspeak.list_dialects()
    assert names == sorted(names)
    for name in names:
        dialect = toolspeak.get_dialect(name)
        assert dialect.name == name
        assert dialect is toolspeak.get_dialect(name)
        assert dialect.summary
        assert "\n" not in dialect.summary


def test_unknown_dialect_lists_near_names() -> None:
    with pytest.raises(toolspeak.UnknownDialectError, match="hermes") as caught:
        toolspeak.get_dialect("hermess")
    assert isinstance(caught.value, KeyError)
    assert "'hermess'" in str(caught.value)
    assert all(name in str(caught.value) for name in DIALECTS)


@pytest.mark.parametrize("name", [None, 3, b"xml"])
def test_dialect_name_must_be_a_str(name: Any) -> None:
    with pytest.raises((TypeError, toolspeak.UnknownDialectError)):
        toolspeak.get_dialect(name)


def test_public_names_have_docstrings() -> None:
    for name in toolspeak.__all__:
        member = getattr(toolspeak, name)
        if inspect.isclass(member) or inspect.isroutine(member):
            assert (member.__doc__ or "").strip(), f"{name} has no docstring"


def test_public_names_of_the_scanner_api() -> None:
    expected = {
        "Text", "ThinkingStart", "ThinkingDelta", "ThinkingEnd", "ToolStart", "ToolArgDelta",
        "ToolEnd", "ToolAbort", "Stopped", "Limits", "Message", "ToolCall", "ToolResult",
        "TextBlock", "ThinkingBlock",
        "Dialect", "get_dialect", "list_dialects", "register", "parse", "parse_many",
        "UnknownDialectError", "ScannerClosedError", "RenderError", "GrammarError",
    }  # fmt: skip
    assert expected <= set(toolspeak.__all__)


# --- scanner options ----------------------------------------------------------------------


def test_unknown_option_lists_the_options() -> None:
    with pytest.raises(TypeError, match=r"bogus.*fenced_calls"):
        scanner_of("xml", bogus=1)
    with pytest.raises(TypeError, match=r"'dsml'.*tagset"):
        toolspeak.get_dialect("xml", dsml="bare")


@pytest.mark.parametrize(
    ("option", "allowed"),
    [
        ("start", ("text", "thinking")),
        ("whitespace", ("keep", "trim")),
        ("on_result", ("text", "stop")),
    ],
)
def test_bad_option_value_names_the_allowed_ones(option: str, allowed: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=option) as caught:
        scanner_of("hermes", **{option: "bogus"})
    for value in allowed:
        assert value in str(caught.value)


def test_bad_value_of_a_dialects_own_option() -> None:
    with pytest.raises(ValueError, match="tagset"):
        scanner_of("xml", tagset="bogus")


@pytest.mark.parametrize("tools", [[1], ["lookup"], [{"no": "name"}], 7])
def test_bad_tools_are_told(tools: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        scanner_of("xml", tools=tools)


def test_tools_may_be_openai_dicts_or_bare_functions() -> None:
    text = '<invoke name="lookup"><parameter name="query">3</parameter></invoke>'
    bare = TOOLS["lookup"]
    wrapped = {"type": "function", "function": bare}
    for tool in (bare, wrapped):
        assert scan("xml", text, tools=[tool])[-1].arguments == {"query": "3"}
        assert scan("xml", text, tools=(tool,))[-1].arguments == {"query": "3"}
    assert scan("xml", text)[-1].arguments == {"query": 3}


@pytest.mark.parametrize("wrong", [None, 1, 1.5, ["x"], object()])
def test_feed_takes_str_or_bytes_only(wrong: Any) -> None:
    scanner = scanner_of("hermes")
    with pytest.raises(TypeError, match="str"):
        scanner.feed(wrong)
    # Bad use leaves the scanner as it was.
    assert outcome(run(scanner, ["fine"]))["text"] == "fine"


def test_feed_after_flush() -> None:
    scanner = scanner_of("hermes")
    scanner.flush()
    with pytest.raises(toolspeak.ScannerClosedError, match="reset"):
        scanner.feed("x")
    scanner.reset()
    assert scanner.feed("x") == [*scan("hermes", "x")]


@pytest.mark.parametrize("field", ["max_call_bytes", "max_calls", "max_depth"])
def test_limits_must_be_positive(field: str) -> None:
    for wrong in (0, -1):
        with pytest.raises(ValueError, match=field):
            toolspeak.Limits(**{field: wrong})
    assert getattr(toolspeak.Limits(**{field: 5}), field) == 5


# --- whole texts --------------------------------------------------------------------------


def test_parse() -> None:
    message = toolspeak.parse(f'<think>hm</think>Hi {CALL}<tool_call>{{"name": "f"', "hermes")
    assert message.text == "Hi "
    assert message.thinking == ("hm",)
    (call,) = message.tool_calls
    assert (call.name, dict(call.arguments), call.raw) == ("lookup", {"query": "x"}, CALL)
    (abort,) = message.aborted
    assert (abort.name, abort.reason) == ("f", "truncated")


def test_parse_takes_a_dialect_too_and_its_options() -> None:
    assert toolspeak.parse("x", toolspeak.get_dialect("hermes")).text == "x"
    text = "<think>a</think>b"
    assert toolspeak.parse(text, "hermes", parse_thinking=False).text == text
    with pytest.raises(TypeError, match="bogus"):
        toolspeak.parse("x", "hermes", bogus=1)  # type: ignore[call-arg]
    with pytest.raises(toolspeak.UnknownDialectError):
        toolspeak.parse("x", "no such dialect")


@pytest.mark.parametrize("name", DIALECTS)
def test_parse_many_is_parse_of_each(name: str) -> None:
    dialect = toolspeak.get_dialect(name)
    texts = ["", "plain", dialect.render_thinking("hm") + "x", CALL, "<tool_call>{", "é😀"] * 20
    many = toolspeak.parse_many(texts, name)
    assert len(many) == len(texts)
    for text, message in zip(texts, many, strict=True):
        one = toolspeak.parse(text, name)
        assert (message.text, message.thinking) == (one.text, one.thinking)
        assert [(c.name, canonical(c.arguments), c.raw) for c in message.tool_calls] == [
            (c.name, canonical(c.arguments), c.raw) for c in one.tool_calls
        ]
        assert [(a.name, a.reason, a.raw) for a in message.aborted] == [
            (a.name, a.reason, a.raw) for a in one.aborted
        ]


LONG = ("ascii only, " * 60, "Grüße, " * 120, "日本語と😀 " * 80)


@pytest.mark.parametrize("name", [name for name in DIALECTS if name != "thinking"])
def test_whole_texts_read_as_streams_do(name: str) -> None:
    """Strings cut out of the caller's own, long or short, are those that a stream gives."""
    dialect = toolspeak.get_dialect(name)
    tools = [TOOLS["lookup"]]
    calls = [
        dialect.render_calls([toolspeak.ToolCall("", "lookup", {"query": query})], tools)
        for query in ("x", *LONG)
    ]
    texts = [f"{LONG[i % 3]}\n{call}\n{LONG[(i + 1) % 3]}" for i, call in enumerate(calls)]
    texts += ["\n".join(texts), LONG[1], LONG[2] + calls[2][:-4]]
    every: tuple[dict[str, Any], ...] = ({}, {"whitespace": "trim"})
    for text, options in product(texts, every):
        events = run(dialect.scanner(tools=tools, **options), pieces_of(text, 7))
        ends = [event for event in events if isinstance(event, toolspeak.ToolEnd)]
        for source in (text, text.encode()):
            message = toolspeak.parse(source, dialect, tools=tools, **options)
            assert message.text == text_of(events)
            assert [(c.name, c.arguments, c.raw) for c in message.tool_calls] == [
                (e.name, e.arguments, e.raw) for e in ends
            ]
            assert [a.raw for a in message.aborted] == [a.raw for a in aborts_of(events)]


@pytest.mark.parametrize("name", [name for name in DIALECTS if name != "thinking"])
@pytest.mark.parametrize("limits", [{"max_calls": 1}, {"max_call_bytes": 40}])
def test_whole_texts_read_as_streams_do_over_a_limit(name: str, limits: dict[str, int]) -> None:
    dialect = toolspeak.get_dialect(name)
    tools = [TOOLS["lookup"]]
    closers = [piece for piece in MARKUP[name].pieces if "/" in piece or "end" in piece]
    queries = ["x", "a longer one, and then: " + " ".join(closers[:4]), "y"]
    calls = []
    for query in queries:
        with contextlib.suppress(toolspeak.RenderError):
            call = toolspeak.ToolCall("", "lookup", {"query": query})
            calls.append(dialect.render_calls([call], tools))
    text = "one ".join(["", *calls, "end"])
    options: dict[str, Any] = {"tools": tools, "limits": toolspeak.Limits(**limits)}
    events = run(dialect.scanner(**options), pieces_of(text, 3))
    message = toolspeak.parse(text, dialect, **options)
    assert message.text == text_of(events)
    assert [call.raw for call in message.tool_calls] == [
        event.raw for event in events if isinstance(event, toolspeak.ToolEnd)
    ]
    assert [(a.reason, a.raw) for a in message.aborted] == [
        (a.reason, a.raw) for a in aborts_of(events)
    ]
    assert any(abort.reason == "limit" for abort in message.aborted)


class Odd(str):
    """A str with ideas of its own."""

    __slots__ = ()

    def __len__(self) -> int:
        return 3

    def __getitem__(self, key: Any) -> Any:
        return "no part of it"


@pytest.mark.parametrize("text", ["plain", LONG[1], f"{LONG[0]}{CALL}{LONG[2]}"])
def test_a_kind_of_str_is_read_as_a_plain_one(text: str) -> None:
    expected = toolspeak.parse(text, "hermes")
    odd = toolspeak.parse(Odd(text), "hermes")
    assert (odd.text, type(odd.text)) == (expected.text, str)
    assert [(c.arguments, c.raw) for c in odd.tool_calls] == [
        (c.arguments, c.raw) for c in expected.tool_calls
    ]
    (event,) = scanner_of("hermes").feed(Odd("plain"))
    assert (event.text, type(event.text)) == ("plain", str)


def test_text_without_markup_is_the_callers_own() -> None:
    assert toolspeak.parse(LONG[1], "hermes").text is LONG[1]


def test_parse_many_of_nothing_and_of_wrong_things() -> None:
    assert toolspeak.parse_many([], "hermes") == []
    with pytest.raises(TypeError):
        toolspeak.parse_many([1], "hermes")  # type: ignore[list-item]


def read_angrily(header: str, tools: toolspeak.ToolSet) -> Any:
    if header == "boom":
        raise RuntimeError("user code")
    return header, None


ANGRY = toolspeak.Dialect(
    name="angry",
    grammar=grammar.Grammar(
        calls=(
            grammar.CallForm(
                open=grammar.Exact("<a>"),
                close=grammar.Exact("</a>"),
                name=grammar.Header(ends=grammar.Exact("|"), read=read_angrily),
                body=grammar.Json(),
            ),
        )
    ),
)


def test_the_first_output_that_fails_is_told() -> None:
    texts = ["fine " * 20_000, "<a>boom|{}</a>", *["<a>other|{}</a>" * 5000] * 6, 7]
    with pytest.raises(TypeError, match="int"):
        toolspeak.parse_many(texts, ANGRY)  # type: ignore[arg-type]
    for _ in range(5):
        with pytest.raises(RuntimeError, match="user code"):
            toolspeak.parse_many(texts[:-1], ANGRY)  # type: ignore[arg-type]


def test_a_scanner_is_no_trap_for_the_garbage_collector() -> None:
    class Request:
        scanner: toolspeak.Scanner

    request = Request()
    gone = weakref.ref(request)
    request.scanner = scanner_of("xml", tools=[{"name": "f", "x-request": request}])
    del request
    gc.collect()
    assert gone() is None


def test_scanners_work_in_threads() -> None:
    texts = [f"a{i} {CALL} b{i}" for i in range(64)]

    def work(text: str) -> Any:
        return joined(run(scanner_of("hermes"), pieces_of(text, 3)))

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, texts)) == [work(text) for text in texts]


# --- registering --------------------------------------------------------------------------


def test_register_refuses_what_is_no_dialect() -> None:
    with pytest.raises(TypeError):
        toolspeak.register("xml")  # type: ignore[arg-type]


# --- import -------------------------------------------------------------------------------

OPTIONAL = ("typer", "rich", "click", "hypothesis", "pytest", "pydantic", "numpy", "jinja2")


def alone(code: str) -> str:
    """What code prints in a fresh interpreter."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_import_loads_no_optional_dependency() -> None:
    loaded = f"[m for m in {OPTIONAL!r} if m in sys.modules]"
    code = f"import json, sys, toolspeak; print(json.dumps({loaded}))"
    assert json.loads(alone(code)) == []


@pytest.mark.parametrize("module", sorted(toolspeak._SUBMODULES))
def test_submodules_are_there_whatever_ran_before(module: str) -> None:
    assert alone(f"import toolspeak; print(toolspeak.{module}.__name__)") == f"toolspeak.{module}"
    assert alone(f"import toolspeak.{module} as it; print(it.__name__)") == f"toolspeak.{module}"


@pytest.mark.parametrize("package", ["messages", "outputs", "reading", "tools", "writing"])
def test_a_package_loads_nothing_by_itself(package: str) -> None:
    loads = f"before = set(sys.modules); import toolspeak.{package}"
    code = f"import sys, toolspeak; {loads}; print(*(set(sys.modules) - before))"
    assert alone(code) == f"toolspeak.{package}"


def test_names_are_there_whatever_ran_before() -> None:
    code = "import toolspeak; print(all(getattr(toolspeak, name) for name in toolspeak.__all__))"
    assert alone(code) == "True"
    assert alone("from toolspeak import *; print(Text('x'), parse('x', 'xml').text)").endswith(" x")
    assert set(toolspeak.__all__) | toolspeak._SUBMODULES <= set(dir(toolspeak))
    assert set(toolspeak._HOMES) < set(toolspeak.__all__)


def test_a_wrong_name_is_told() -> None:
    # The comment is itself a test: mypy complains of one that silences nothing.
    with pytest.raises(AttributeError, match="prase"):
        toolspeak.prase  # type: ignore[attr-defined]  # noqa: B018


# --- version ------------------------------------------------------------------------------


def test_the_version_is_that_of_the_installed_package() -> None:
    assert toolspeak.__version__ == importlib.metadata.version("toolspeak")

"""Pools: many streams in one call say what each would say alone."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Hashable, Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolspeak
from markers import MARKUP
from support import DIALECTS, joined, pieces_of, run, scanner_of
from toolspeak import grammar

SOUPS = {
    name: st.lists(st.sampled_from([*MARKUP[name].pieces, "text", "é"]), max_size=12).map("".join)
    for name in DIALECTS
}
CALL = '<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>'


def pool_of(**dialects: str) -> toolspeak.ScannerPool:
    pool = toolspeak.ScannerPool()
    for key, dialect in dialects.items():
        pool.add(key, scanner_of(dialect))
    return pool


@given(st.data())
def test_each_stream_is_read_as_if_alone(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 5))
    dialects = data.draw(st.lists(st.sampled_from(DIALECTS), min_size=count, max_size=count))
    texts = [data.draw(SOUPS[dialect]) for dialect in dialects]
    pool = toolspeak.ScannerPool()
    for key, dialect in enumerate(dialects):
        pool.add(key, scanner_of(dialect))
    told: dict[Hashable, list[Any]] = {key: [] for key in range(count)}
    waiting = {key: pieces_of(text, 3) for key, text in enumerate(texts)}
    while any(waiting.values()):
        keys = data.draw(st.lists(st.sampled_from(sorted(waiting)), max_size=2 * count))
        batch = [(key, waiting[key].pop(0)) for key in keys if waiting[key]]
        if not batch:
            batch = [(key, pieces.pop(0)) for key, pieces in waiting.items() if pieces]
        gather(told, pool.feed(batch))
    gather(told, pool.finish(range(count)))
    assert len(pool) == 0
    for key, (dialect, text) in enumerate(zip(dialects, texts, strict=True)):
        assert joined(told[key]) == joined(run(scanner_of(dialect), [text]))


def gather(told: dict[Hashable, list[Any]], events: dict[Any, list[Any]]) -> None:
    for key, some in events.items():
        assert some
        told[key].extend(some)


def test_only_streams_with_events_are_told() -> None:
    pool = pool_of(a="hermes", b="hermes")
    assert pool.feed([("a", "x"), ("b", "<tool_c")]) == {"a": [toolspeak.Text("x")]}
    assert pool.feed([]) == {}
    assert pool.finish(["a", "b"]) == {"b": [toolspeak.Text("<tool_c")]}


def test_a_stream_may_come_twice_in_a_batch() -> None:
    pool = pool_of(a="hermes")
    batch: list[tuple[str, str | bytes]] = [("a", "x"), ("a", CALL.encode()), ("a", "y")]
    events = pool.feed(iter(batch))["a"]
    assert joined(events) == joined(run(scanner_of("hermes"), [f"x{CALL}y"]))
    assert pool.feed([("a", "z")]) == {"a": [toolspeak.Text("z")]}


@pytest.mark.parametrize(
    ("batch", "error", "told"),
    [
        ([("a", "x"), ("c", "y")], KeyError, "c"),
        ([("a", "x"), "bx"], TypeError, "tuples"),
        ([("a", "x"), ("b",)], TypeError, "tuples"),
        ([("a", "x"), ("b", 1)], TypeError, "int"),
        ([("a", "x"), ("closed", "y")], toolspeak.ScannerClosedError, "reset"),
        ([("a", "x"), ([], "y")], TypeError, "unhashable"),
        (7, TypeError, "iterable"),
    ],
)
def test_bad_batches_are_told_and_nothing_is_read(
    batch: Iterable[Any], error: type[Exception], told: str
) -> None:
    pool = pool_of(a="hermes", b="hermes")
    closed = scanner_of("hermes")
    closed.flush()
    pool.add("closed", closed)
    with pytest.raises(error, match=told):
        pool.feed(batch)
    assert pool.feed([("a", "z")]) == {"a": [toolspeak.Text("z")]}


def test_streams_come_and_go() -> None:
    pool = pool_of(a="hermes")
    scanner = scanner_of("xml")
    with pytest.raises(ValueError, match="'a'"):
        pool.add("a", scanner)
    with pytest.raises(TypeError):
        pool.add("b", "xml")  # type: ignore[arg-type]
    pool.add("b", scanner)
    assert (len(pool), "b" in pool, "c" in pool) == (2, True, False)
    with pytest.raises(KeyError, match="c"):
        pool.finish(["a", "c"])
    assert "a" in pool
    pool.feed([("b", "<invo")])
    assert pool.remove("b") is scanner
    assert scanner.flush() == [toolspeak.Text("<invo")]
    with pytest.raises(KeyError, match="b"):
        pool.remove("b")
    assert pool.finish(["a", "a"]) == {}
    assert len(pool) == 0


def read_angrily(header: str, tools: toolspeak.ToolSet) -> Any:
    if header == "boom":
        raise RuntimeError("user code")
    return header, None


ANGRY = toolspeak.Dialect(
    name="angry",
    grammar=grammar.Grammar(
        calls=(
            grammar.Call(
                open=grammar.Literal("<a>"),
                close=grammar.Literal("</a>"),
                name=grammar.Header(ends=grammar.Literal("|"), read=read_angrily),
                body=grammar.Json(),
            ),
        )
    ),
)


def test_an_error_in_one_stream_keeps_what_the_others_told() -> None:
    pool = toolspeak.ScannerPool()
    for key in ("one", "bad", "three"):
        pool.add(key, ANGRY.scanner())
    with pytest.raises(RuntimeError, match="user code") as caught:
        pool.feed([("one", "1"), ("bad", "<a>boom|{}</a>"), ("three", "3"), ("one", "<a>b")])
    told = caught.value.events  # type: ignore[attr-defined]
    assert told == {"one": [toolspeak.Text("1")], "three": [toolspeak.Text("3")]}
    pool.feed([("bad", "<a>boom")])
    with pytest.raises(RuntimeError, match="user code") as caught:
        pool.finish(["one", "bad", "three"])
    assert list(caught.value.events) == ["one"]  # type: ignore[attr-defined]
    assert len(pool) == 0


def test_the_first_output_that_fails_is_told() -> None:
    texts = ["fine " * 20_000, "<a>boom|{}</a>", *["<a>other|{}</a>" * 5000] * 6, 7]
    with pytest.raises(TypeError, match="int"):
        toolspeak.parse_many(texts, ANGRY)  # type: ignore[arg-type]
    for _ in range(5):
        with pytest.raises(RuntimeError, match="user code"):
            toolspeak.parse_many(texts[:-1], ANGRY)  # type: ignore[arg-type]


def test_a_pool_is_no_trap_for_the_garbage_collector() -> None:
    class Request:
        pool: toolspeak.ScannerPool

    request = Request()
    gone = weakref.ref(request)
    request.pool = toolspeak.ScannerPool()
    request.pool.add(request, scanner_of("xml"))
    del request
    gc.collect()
    assert gone() is None

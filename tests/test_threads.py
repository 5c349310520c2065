"""Threads: dialects are shared by all of them, a scanner belongs to one stream and one feeder.

The tests hold on every Python. On one without a global interpreter lock threads run at the same
time, and the last tests make sure that this package leaves it so.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

import pytest

import toolspeak
from support import ALL_TOOLS, CALL_DIALECTS, TESTS, joined, pieces_of, read_jsonl, run
from toolspeak.grammar import CallForm, Envelope, Exact, Grammar

T = TypeVar("T")

THREADS = 8
ROWS = read_jsonl(TESTS / "vectors" / "scan.jsonl")
CALLS = [
    toolspeak.ToolCall("c1", "lookup", {"query": "ls 'a b' | grep \"<x>\""}),
    toolspeak.ToolCall("c2", "lookup", {"query": "żółw\n😀", "limit": 3}),
]


def at_once(works: Sequence[Callable[[], T]]) -> list[T]:
    """What each of `works` returns, all begun at the same moment in threads of their own."""
    gate = threading.Barrier(len(works))

    def begin(work: Callable[[], T]) -> T:
        gate.wait()
        return work()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(begin, works))


@pytest.fixture
def frequent_switches() -> Any:
    """Where there is a global lock, threads take turns far more often than usually."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


pytestmark = pytest.mark.usefixtures("frequent_switches")


# --- streams of their own, dialects in common ---------------------------------------------


def stream_of(name: str) -> str:
    """Text, thinking and calls of a dialect."""
    dialect = toolspeak.get_dialect(name)
    calls = dialect.render_calls(CALLS, tools=ALL_TOOLS)
    thinking = dialect.render_thinking("hm\n<b")
    return f"Zażółć {thinking}a < b {calls} end <inv"


def read(name: str, text: str, tools: Any, size: int) -> list[Any]:
    scanner = toolspeak.get_dialect(name).scanner(tools=tools)
    return joined(run(scanner, pieces_of(text, size)))


def test_streams_in_threads_give_the_events_of_one_thread() -> None:
    tools = toolspeak.ToolSet(ALL_TOOLS)  # what it knows of schemas is kept, for all threads
    jobs = [(name, stream_of(name), size) for name in CALL_DIALECTS for size in (1, 3, 1000)]
    expected = [read(name, text, list(ALL_TOOLS), size) for name, text, size in jobs]

    def work(first: int) -> list[tuple[int, list[Any]]]:
        order = [*range(first, len(jobs)), *range(first)]
        return [(i, read(jobs[i][0], jobs[i][1], tools, jobs[i][2])) for i in order]

    works = [partial(work, n * 5 % len(jobs)) for n in range(THREADS)]
    for results in at_once(works):
        assert all(events == expected[i] for i, events in results)


def test_streams_move_between_threads() -> None:
    """A stream may be fed by another thread each time, as an event loop with workers does."""
    text = stream_of("qwen3-coder") * 4
    scanners = [toolspeak.get_dialect("qwen3-coder").scanner(tools=ALL_TOOLS) for _ in range(16)]
    streams: list[list[Any]] = [[] for _ in scanners]

    def step(piece: str | bytes | None, number: int) -> None:
        scanner = scanners[number]
        streams[number] += scanner.flush() if piece is None else scanner.feed(piece)

    with ThreadPoolExecutor(THREADS) as pool:
        for piece in [*pieces_of(text, 7), None]:
            list(pool.map(partial(step, piece), range(len(scanners))))
    expected = read("qwen3-coder", text, ALL_TOOLS, len(text))
    assert [joined(events) for events in streams] == [expected] * len(scanners)


@pytest.mark.parametrize("name", CALL_DIALECTS)
def test_a_fresh_dialect_compiles_alike_in_all_threads(name: str) -> None:
    known = toolspeak.get_dialect(name)
    text = stream_of(name)
    expected = read(name, text, ALL_TOOLS, 5)
    fresh = toolspeak.Dialect(name="fresh", grammar=known.grammar)

    def work() -> list[Any]:
        return joined(run(fresh.scanner(tools=ALL_TOOLS), pieces_of(text, 5)))

    assert at_once([work] * THREADS) == [expected] * THREADS


def test_ids_of_calls_differ_in_all_threads() -> None:
    text = '<tool_call>{"name": "lookup", "arguments": {}}</tool_call>' * 50

    def work() -> list[str]:
        events = run(toolspeak.get_dialect("hermes").scanner(), [text])
        return [event.id for event in events if isinstance(event, toolspeak.ToolEnd)]

    ids = [identity for found in at_once([work] * THREADS) for identity in found]
    assert len(ids) == THREADS * 50
    assert len(set(ids)) == len(ids)


# --- one scanner, wrongly in several threads ----------------------------------------------


@pytest.mark.parametrize("name", ["hermes", "xml", "pi-native", "gemini"])
def test_a_scanner_in_two_threads_refuses_or_waits_but_never_breaks(name: str) -> None:
    """A feed during another one is a RuntimeError; what was taken came out whole."""
    dialect = toolspeak.get_dialect(name)
    text = stream_of(name)
    scanner = dialect.scanner(tools=ALL_TOOLS)

    pieces: list[str | bytes] = [text, "<", "tool_call", text.encode()[:40], b"\xc5"]

    def feed(piece: str | bytes) -> None:
        with contextlib.suppress(RuntimeError):  # and nothing else
            scanner.feed(piece)

    def work() -> None:
        for _ in range(50):
            for piece in pieces:
                feed(piece)

    at_once([work] * 4)
    scanner.flush()
    scanner.reset()
    assert joined(run(scanner, [text])) == read(name, text, ALL_TOOLS, len(text))


# --- events and whole outputs -------------------------------------------------------------


def _fields(event: Any) -> list[Any]:
    return [getattr(event, name) for name in event.__match_args__]


def test_events_are_read_in_all_threads() -> None:
    events = run(toolspeak.get_dialect("xml").scanner(tools=ALL_TOOLS), [stream_of("xml")])
    twin = run(toolspeak.get_dialect("xml").scanner(tools=ALL_TOOLS), [stream_of("xml")])

    def work() -> list[Any]:
        pairs = list(zip(events, twin, strict=True)) * 20
        return [
            (repr(event), type(event)(*_fields(event)) == event, event == other)
            for event, other in pairs
        ]

    seen = at_once([work] * THREADS)
    assert seen == [seen[0]] * THREADS
    assert all(same for _, same, _ in seen[0])


def test_parse_many_in_several_threads() -> None:
    texts = {
        name: [stream_of(name), "plain < text", stream_of(name)[:-40]] * 8
        for name in ("hermes", "xml", "glm", "harmony")
    }
    tools = toolspeak.ToolSet(ALL_TOOLS)

    def work(name: str) -> list[Any]:
        return [
            (m.text, m.thinking, [(c.name, c.arguments, c.raw) for c in m.tool_calls])
            for m in toolspeak.parse_many(texts[name], name, tools=tools)
        ]

    expected = {name: work(name) for name in texts}
    names = [*texts] * 2
    for name, messages in zip(names, at_once([partial(work, name) for name in names]), strict=True):
        assert messages == expected[name]


# --- the registry -------------------------------------------------------------------------


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets a test register dialects that are forgotten behind it."""
    monkeypatch.setattr("toolspeak.registry._REGISTRY", {**toolspeak.registry._REGISTRY})


def small(name: str) -> toolspeak.Dialect:
    call = CallForm(open=Exact(f"<{name}>"), close=Exact(f"</{name}>"), body=Envelope())
    return toolspeak.Dialect(name=name, grammar=Grammar(calls=(call,)))


def test_dialects_are_registered_while_others_are_looked_up(registry: None) -> None:
    done = threading.Event()

    def add() -> list[str]:
        try:
            return [toolspeak.register(small(f"small-{n}")).name for n in range(100)]
        finally:
            done.set()

    def look() -> list[str]:
        while not done.is_set():
            assert toolspeak.get_dialect("hermes").name == "hermes"
            names = toolspeak.list_dialects()
            assert names == sorted(names)
            with pytest.raises(toolspeak.UnknownDialectError, match="hermes"):
                toolspeak.get_dialect("hermess")
        return []

    added, *_ = at_once([add, look, look, look])
    for name in added:
        text = f'<{name}>{{"name": "f", "arguments": {{}}}}</{name}>'
        assert [call.name for call in toolspeak.parse(text, name).tool_calls] == ["f"]


def test_of_many_threads_one_takes_a_name(registry: None) -> None:
    def take(name: str) -> toolspeak.Dialect | None:
        try:
            return toolspeak.register(small(name))
        except ValueError:
            return None

    for n in range(20):
        took = [
            dialect
            for dialect in at_once([partial(take, f"taken-{n}")] * THREADS)
            if dialect is not None
        ]
        assert took == [toolspeak.get_dialect(f"taken-{n}")]


FIRST_USES = """
import threading, toolspeak
from concurrent.futures import ThreadPoolExecutor

names = [name for name in toolspeak.__all__ if name not in vars(toolspeak)]
uses = [lambda name=name: getattr(toolspeak, name) for name in names]
uses += [lambda name=name: toolspeak.get_dialect(name).scanner() for name in {dialects}]
gate = threading.Barrier(len(uses))
with ThreadPoolExecutor(len(uses)) as pool:
    for done in [pool.submit(lambda use=use: (gate.wait(), use())) for use in uses]:
        done.result()
"""


def test_all_threads_may_be_the_first_to_use_a_name() -> None:
    """Modules are imported when something of them is first used, by whichever thread it is."""
    code = FIRST_USES.format(dialects=toolspeak.list_dialects())
    for _ in range(5):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")


# --- without a global lock ----------------------------------------------------------------


@pytest.mark.skipif(
    not sysconfig.get_config_var("Py_GIL_DISABLED"),
    reason="for a free-threaded Python",
)
def test_the_global_lock_stays_off() -> None:
    code = "import sys, toolspeak, toolspeak.tools; print(sys._is_gil_enabled())"
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("False\n", "")

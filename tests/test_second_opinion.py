"""Two independent readings agree: toolspeak's scanners and the pure-Python ones of benches/pure.

Both follow the same rules and share no code. Generated soup is full of half markers, stray
closers and broken JSON, on which hand-written expectations would run out soon. Where the rules
leave a choice (a body without its closer at the end of the stream, how far broken JSON is
trusted), the pure scanners make toolspeak's choice: there, agreement only shows consistency.

The pure scanners read what is written as its dialect says. They do not heal: calls without openers
or in another carrier, openers that turn out to be text, and closers that stand alone are left out
of the comparison.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolspeak
from support import (
    ALL_TOOLS,
    VECTORS,
    Row,
    Step,
    joined,
    large_rows,
    random_cuts,
    read_jsonl,
    run,
    scanner_of,
    tools_named,
)
from toolspeak.reading.json_values import repair_json
from vector_rows import DEVIATIONS

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benches"))

import pure
import pure.values


@pytest.fixture(autouse=True)
def one_mender(monkeypatch: pytest.MonkeyPatch) -> None:
    """What broken JSON means is no matter of scanning: both ask the same function."""

    def mend(text: str) -> Any:
        try:
            return repair_json(text)
        except ValueError:
            return None

    monkeypatch.setattr(pure.values, "_repair", mend)


TAGGED = ("xml", "anthropic", "minimax")
JSON_IN_TAG = ("hermes", "qwen3")

TAGGED_PIECES = (
    "<invoke name='lookup'/>", "</tool_calls>", "</function_calls>", "</z:tool_call>",
    "<think>", "</think>", '<thinking a="b>c">', "</thinking>", "<scratchpad/>", "<", ">", "</",
    "/>", "/", '"', "'", "=", " ", "\n", "a", "12", '{"a": 1}', "[1, 2", "True", "<inv", "<a:",
    "<!--", "<b>", "< invoke>", "<think", "</param", "é", "😀", "</tool_call>",
)  # fmt: skip

TAGGED_PARAMETERS = (
    '<parameter name="title">a < b</parameter>', '<x:parameter name="limit">3</y:parameter >',
    '<parameter name="j" string=false/>', '<PARAMETER string="true" name=k>\n[1]</parameter>',
    '<parameter name="body"><b>x</b> </param> &amp;</parameter>',
    '<parameter name="tags">["a"]</parameter>',
)  # fmt: skip

JSON_PIECES = (
    "</tool_call>", "<think>", "</think>", "\n", " ", "a", "é", "😀", "<", "</", ">",
    '<tool_call>{"name": "note", "arguments": {"body": "', '"}}</tool_call>', "<tool", "</tool_cal",
    "< tool_call>", "<TOOL_CALL>", "<thin",
)  # fmt: skip

CALLS = (
    '{"name": "note", "arguments": {"title": "b"}}', '{"arguments":{"tags":[1,2]},"name":"lookup"}',
    '{"name": "ping", "arguments": null}', '{"name":"note","arguments":{"title":"</tool_call>"}}',
    '{"name": "note", "arguments": "{}"}', '{"name": "lo\\u006fkup", "arguments": {}, "id": 1}',
)  # fmt: skip


def tagged() -> st.SearchStrategy[str]:
    """Text of all kinds, and calls in it."""
    opener = st.sampled_from(
        ('<invoke name="note">', "<x:invoke\n name = 'ping' >", "<INVOKE name=lookup>", "<invoke>")
    )
    parameters = st.lists(st.sampled_from(TAGGED_PARAMETERS), max_size=5).map("\n".join)
    call = st.tuples(opener, parameters, st.sampled_from(("</invoke>", "\n</INVOKE >"))).map(
        "".join
    )
    return st.lists(st.sampled_from(TAGGED_PIECES) | call, max_size=24).map("".join)


def with_calls() -> st.SearchStrategy[str]:
    """The pieces of JSON dialects in any order, and calls among them."""
    blank, behind = st.sampled_from(("", "\n", " ")), st.sampled_from(("", " a", "</tool_call>"))
    call = st.tuples(st.just("<tool_call>"), blank, st.sampled_from(CALLS), behind).map("".join)
    return st.lists(st.sampled_from(JSON_PIECES) | call, max_size=24).map("".join)


def both(dialect: str, text: str, *, seed: int = 0, **options: Any) -> tuple[list[Step], ...]:
    """The joined events of both scanners, each fed in its own random pieces."""
    options = {"tools": ALL_TOOLS, **options}
    rng = random.Random(seed)
    ours = run(scanner_of(dialect, **options), random_cuts(text, rng))
    theirs = run(pure.make_scanner(dialect, **options), random_cuts(text, rng))
    return joined(ours), joined(list(map(translated, theirs)))


def translated(event: Any) -> Any:
    """The pure scanner's event as toolspeak's event of the same name."""
    fields = (getattr(event, name) for name in type(event).__match_args__)
    return getattr(toolspeak, type(event).__name__)(*fields)


def without_told_arguments(steps: list[Step]) -> list[Step]:
    """The steps without argument deltas.

    How far a body's text was told before it turned out to be broken is not part of the rules,
    and neither is the layer that is taken off arguments which are encoded twice.
    """
    return [step for step in steps if step[0] != "ToolArgDelta"]


@pytest.mark.parametrize("dialect", TAGGED)
@given(text=tagged(), seed=st.integers(0, 9), parse_thinking=st.booleans())
def test_tagged_soup(dialect: str, text: str, seed: int, parse_thinking: bool) -> None:
    ours, theirs = both(dialect, text, seed=seed, parse_thinking=parse_thinking)
    assert ours == theirs


@pytest.mark.parametrize("dialect", JSON_IN_TAG)
@given(text=with_calls(), seed=st.integers(0, 9), parse_thinking=st.booleans())
def test_json_soup(dialect: str, text: str, seed: int, parse_thinking: bool) -> None:
    ours, theirs = both(dialect, text, seed=seed, parse_thinking=parse_thinking)
    assert without_told_arguments(ours) == without_told_arguments(theirs)


@pytest.mark.parametrize("dialect", pure.DIALECTS)
def test_vectors(dialect: str) -> None:
    rows = [row for row in read_jsonl(VECTORS / "scan.jsonl") if row["dialect"] == dialect]
    rows = [row for row in rows if row["id"] not in DEVIATIONS]
    assert rows
    for row in rows:
        options = {"tools": tools_named(row["tools"]), "parse_thinking": row["parse_thinking"]}
        ours, theirs = both(dialect, row["input"], **options)
        assert without_told_arguments(ours) == without_told_arguments(theirs), row["id"]


def test_recorded_outputs() -> None:
    rows: list[Row] = large_rows("recorded/hermes.jsonl")[::5]
    for seed, row in enumerate(rows):
        ours, theirs = both("hermes", row["raw"], seed=seed)
        assert without_told_arguments(ours) == without_told_arguments(theirs), row["id"]

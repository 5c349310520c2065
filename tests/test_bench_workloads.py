"""The inputs of the benchmarks are read as what they are meant to be.

A benchmark of a call that no scanner recognises would measure prose.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import toolspeak

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benches"))

import workloads
from shapes import SPELLINGS, TOOLS

WITH_CALLS = [key for key, shape in SPELLINGS.items() if shape.opening]


def message(key: str, text: str) -> Any:
    return toolspeak.parse(text, workloads.dialect_of(key), tools=TOOLS)


def test_every_dialect_is_measured() -> None:
    measured = {workloads.dialect_of(key) for key in SPELLINGS}
    assert measured == set(toolspeak.list_dialects())


@pytest.mark.parametrize("key", WITH_CALLS)
def test_a_call_is_a_call(key: str) -> None:
    read = message(key, SPELLINGS[key].call("At ten past six."))
    assert [(call.name, call.arguments) for call in read.tool_calls] == [
        ("note", {"body": "At ten past six."})
    ]
    assert not read.text.strip()


@pytest.mark.parametrize("key", SPELLINGS)
def test_thinking_is_thinking(key: str) -> None:
    shape = SPELLINGS[key]
    read = message(key, f"{shape.thinking}Hm.{shape.thinking_end}")
    assert [thought.strip() for thought in read.thinking] == ["Hm."]
    assert not read.text.strip()


@pytest.mark.parametrize("stream", workloads.conversations(), ids=lambda stream: stream.dialect)
def test_many_small_calls_are_all_read(stream: workloads.Stream) -> None:
    read = message(stream.dialect, "".join(stream.chunks))
    turns = len(read.thinking)
    assert turns > 50
    assert len(read.tool_calls) == (turns if stream.dialect in WITH_CALLS else 0)
    assert not read.aborted


@pytest.mark.parametrize("case", workloads.bulk_texts(10_000), ids=str)
def test_bulk_texts_hold_calls_or_none(case: tuple[str, str]) -> None:
    what, dialect = case
    text = workloads.bulk_texts(10_000)[case]
    read = message(dialect, text)
    if what == "calls":
        assert len(read.tool_calls) == text.count("Noted.")
    else:
        assert read.text == text


@pytest.mark.parametrize("case", workloads.literal_calls(10_000), ids=str)
def test_literal_calls_hold_their_arguments(case: tuple[str, str]) -> None:
    text, arguments = workloads.literal_calls(10_000)[case]
    (call,) = toolspeak.parse(text, case[1], tools=workloads.TOOLS).tool_calls
    assert call.arguments == json.loads(arguments)


@pytest.mark.parametrize("case", workloads.json_calls(10_000), ids=str)
def test_json_calls_hold_their_arguments(case: tuple[str, str]) -> None:
    text, arguments = workloads.json_calls(10_000)[case]
    (call,) = message(case[1], text).tool_calls
    assert call.arguments == json.loads(arguments)

"""Broken JSON in arguments: mended and marked as mended, or reported."""

from __future__ import annotations

import pytest

import toolspeak
from support import (
    aborts_of,
    calls_of,
    ping_in,
    scan,
    text_of,
)

HERMES = ping_in("hermes")
BROKEN = '{"query": "x", "limit": 2,}'


@pytest.mark.parametrize("name", ["hermes", "qwen3"])
def test_repair_is_marked(name: str) -> None:
    text = f'<tool_call>{{"name": "lookup", "arguments": {BROKEN}}}</tool_call>'
    end = scan(name, text)[-1]
    assert end.arguments == {"query": "x", "limit": 2}
    assert end.repaired is True
    good = text.replace("2,", "2")
    assert scan(name, good)[-1].repaired is False


@pytest.mark.parametrize("name", ["hermes", "qwen3"])
def test_without_repair_broken_json_is_malformed(name: str) -> None:
    text = f'<tool_call>{{"name": "lookup", "arguments": {BROKEN}}}</tool_call>'
    events = scan(name, f"a{text}b{HERMES}", repair=False)
    (abort,) = aborts_of(events)
    assert (abort.name, abort.reason, abort.raw) == ("lookup", "malformed", text)
    assert [call["name"] for call in calls_of(events)] == ["ping"]
    assert text_of(events) == "ab"


def test_without_repair_a_tagged_value_is_not_repaired() -> None:
    text = f'<invoke name="f"><parameter name="o">{BROKEN}</parameter></invoke>'
    last = scan("xml", text, repair=False)[-1]
    if isinstance(last, toolspeak.ToolEnd):
        assert last.arguments == {"o": BROKEN}
        assert last.repaired is False
    else:
        assert last.reason == "malformed"
    repaired = scan("xml", text)[-1]
    assert (repaired.arguments, repaired.repaired) == ({"o": {"query": "x", "limit": 2}}, True)


@pytest.mark.parametrize("repair", [True, False])
def test_repair_never_completes_a_truncated_call(repair: bool) -> None:
    text = '<tool_call>{"name": "lookup", "arguments": {"query": "old har'
    for end in range(len("<tool_call>"), len(text) + 1):
        events = scan("hermes", text[:end], repair=repair)
        assert not calls_of(events)
        assert [abort.reason for abort in aborts_of(events)] == ["truncated"]

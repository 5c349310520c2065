"""Calls of tools that are not in the list: calls, or aborted."""

from __future__ import annotations

import pytest

from support import (
    ALL_TOOLS,
    CALL_DIALECTS,
    PING,
    aborts_of,
    calls_of,
    ping_in,
    same_outcome,
    scan,
    text_of,
)


@pytest.mark.parametrize("name", CALL_DIALECTS)
def test_a_call_of_an_unknown_tool(name: str) -> None:
    ping = next(tool for tool in ALL_TOOLS if tool["name"] == "ping")
    others = [tool for tool in ALL_TOOLS if tool["name"] != "ping"]
    text = ping_in(name)
    assert same_outcome(name, text, tools=[ping], unknown_tools="abort")["calls"] == [PING]
    events = scan(name, text, tools=others, unknown_tools="abort")
    same_outcome(name, text, tools=others, unknown_tools="abort")
    assert not calls_of(events)
    if name == "gemini":  # a function that is no tool is code
        assert text_of(events) == text
        return
    (abort,) = aborts_of(events)
    assert (abort.name, abort.reason) == ("ping", "malformed")
    assert same_outcome(name, text, tools=others)["calls"] == [PING]


@pytest.mark.parametrize("name", CALL_DIALECTS)
def test_without_tools_all_are_unknown(name: str) -> None:
    assert same_outcome(name, ping_in(name), unknown_tools="abort")["calls"] == []

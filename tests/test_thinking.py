"""Thinking: begun by the prompt, left in the text, and calls inside it."""

from __future__ import annotations

import pytest

import toolspeak
from support import (
    PING,
    THINKING_DIALECTS,
    ping_in,
    run,
    same_outcome,
    scanner_of,
    thinking_marks,
)

each_dialect = pytest.mark.parametrize("name", THINKING_DIALECTS)


# --- start --------------------------------------------------------------------------------


@each_dialect
def test_start_in_thinking(name: str) -> None:
    found = same_outcome(
        name, f"plan{thinking_marks(name)[1]}answer{ping_in(name)}", start="thinking"
    )
    assert found["thinking"] == ["plan"]
    assert found["text"] == "answer"
    assert [call["name"] for call in found["calls"]] == ["ping"]


@each_dialect
def test_start_in_thinking_that_never_ends(name: str) -> None:
    text = f"plan {ping_in(name)} a < b {thinking_marks(name)[1][:-1]}"
    found = same_outcome(name, text, start="thinking", call_in_thinking="quoted")
    assert found["thinking"] == [text]
    assert found["text"] == ""
    assert found["calls"] == []


@each_dialect
def test_start_in_thinking_then_another_block(name: str) -> None:
    opener, closer = thinking_marks(name)
    found = same_outcome(name, f"one{closer}x{opener}two{closer}y", start="thinking")
    assert found["thinking"] == ["one", "two"]
    assert found["text"] == "xy"


@each_dialect
def test_thinking_flows_from_the_first_character(name: str) -> None:
    scanner = scanner_of(name, start="thinking")
    assert [type(e).__name__ for e in scanner.feed("plan")] == ["ThinkingStart", "ThinkingDelta"]


@each_dialect
def test_reset_goes_back_to_the_start(name: str) -> None:
    scanner = scanner_of(name, start="thinking")
    text = f"plan{thinking_marks(name)[1]}answer"
    first = run(scanner, [text])
    scanner.reset()
    assert run(scanner, [text]) == first


# --- parse_thinking -----------------------------------------------------------------------


@each_dialect
def test_thinking_markers_are_text_when_not_parsed(name: str) -> None:
    opener, closer = thinking_marks(name)
    text = f"{opener}hm{closer}OK."
    found = same_outcome(name, text + ping_in(name), parse_thinking=False)
    assert found["text"] == text
    assert found["thinking"] == []
    assert [call["name"] for call in found["calls"]] == ["ping"]


@each_dialect
def test_calls_in_thinking_are_calls_when_thinking_is_not_parsed(name: str) -> None:
    opener, closer = thinking_marks(name)
    found = same_outcome(name, f"{opener}{ping_in(name)}{closer}", parse_thinking=False)
    assert [call["name"] for call in found["calls"]] == ["ping"]


# --- call_in_thinking ---------------------------------------------------------------------


POLICIES = ("quoted", "ends_prompted", "ends")

# A further spelling of calls.
DSML = '<｜DSML｜tool_calls><｜DSML｜invoke name="ping"></｜DSML｜invoke></｜DSML｜tool_calls>'
FORMS = {**{name: (name, ping_in(name)) for name in THINKING_DIALECTS}, "dsml": ("deepseek", DSML)}


@pytest.mark.parametrize("policy", [None, *POLICIES])
@pytest.mark.parametrize("form", FORMS)
def test_a_call_inside_the_models_own_thinking(form: str, policy: str | None) -> None:
    name, call = FORMS[form]
    opener, closer = thinking_marks(name)
    found = same_outcome(name, f"{opener}a{call}b{closer}c", call_in_thinking=policy)
    if policy == "ends":
        assert found["thinking"] == ["a"]
        assert found["calls"] == [PING]
        assert found["text"].startswith("b")
    else:
        assert found["thinking"] == [f"a{call}b"]
        assert found["calls"] == []
        assert found["text"] == "c"


@pytest.mark.parametrize("policy", [None, *POLICIES])
@pytest.mark.parametrize("form", FORMS)
def test_a_call_inside_thinking_that_the_prompt_opened(form: str, policy: str | None) -> None:
    name, call = FORMS[form]
    closer = thinking_marks(name)[1]
    options = {"call_in_thinking": policy, "start": "thinking"}
    found = same_outcome(name, f"a{call}b{closer}c", **options)
    if (policy or toolspeak.get_dialect(name).grammar.call_in_thinking) == "quoted":
        assert found["thinking"] == [f"a{call}b"]
        assert found["calls"] == []
        assert found["text"] == "c"
    else:
        assert found["thinking"] == ["a"]
        assert found["calls"] == [PING]
        assert found["text"].startswith("b")


@pytest.mark.parametrize("policy", POLICIES)
def test_what_only_resembles_a_call_stays_thinking(policy: str) -> None:
    inside = "a <tool_cal <tool_callx> a < b"
    for options in ({}, {"start": "thinking"}):
        text = f"{'' if options else '<think>'}{inside}</think>c"
        found = same_outcome("hermes", text, call_in_thinking=policy, **options)
        assert (found["thinking"], found["text"]) == ([inside], "c")


def test_an_unknown_thinking_policy_is_refused() -> None:
    with pytest.raises(ValueError, match="call_in_thinking"):
        scanner_of("hermes", call_in_thinking="maybe")

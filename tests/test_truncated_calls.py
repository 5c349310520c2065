"""Calls that the end of the stream cut: aborted, or taken behind a whole argument."""

from __future__ import annotations

from typing import Any

import pytest

from support import (
    CALL_DIALECTS,
    aborts_of,
    ping_in,
    same_outcome,
    scan,
)

KIMI = "<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>"
HARMONY = "<|channel|>commentary to=functions.f<|message|>"
DEEPSEEK = "<｜tool▁call▁begin｜>f<｜tool▁sep｜>"
INVOKE = '<invoke name="f"><parameter name="a">1</parameter>'
PAIR = "<tool_call>f\n<arg_key>a</arg_key><arg_value>1</arg_value>"
FUNCTION = "<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n"

# Cut behind a whole argument.
RECOVERED: list[tuple[str, str, dict[str, Any]]] = [
    ("xml", INVOKE, {"a": 1}),
    ("xml", f"<function_calls>{INVOKE}", {"a": 1}),
    ("xml", f"{INVOKE}\n</inv", {"a": 1}),
    ("anthropic", f"<function_calls>{INVOKE}", {"a": 1}),
    ("glm", PAIR, {"a": 1}),
    ("glm", f"{PAIR}\n", {"a": 1}),
    ("qwen3-coder", FUNCTION, {"a": 1}),
    ("kimi", KIMI + '{"a": "x"', {"a": "x"}),
    ("kimi", KIMI + '{"a": "x"\n', {"a": "x"}),
    ("kimi", KIMI + '{"a": 1 ', {"a": 1}),
    ("kimi", KIMI + '{"a": {"b": [1, "x"', {"a": {"b": [1, "x"]}}),
    ("kimi", KIMI + '{"a": {"b": 1}', {"a": {"b": 1}}),
    ("kimi", KIMI + '{"a": []', {"a": []}),
    ("harmony", HARMONY + '{"a": "x"', {"a": "x"}),
    ("deepseek", DEEPSEEK + '{"a": "x"', {"a": "x"}),
    (
        "deepseek",
        (
            '<｜DSML｜tool_calls><｜DSML｜invoke name="f">'
            '<｜DSML｜parameter name="a" string="true">x</｜DSML｜parameter>'
        ),
        {"a": "x"},
    ),
]
# Cut inside an argument, or where an argument may go on: never a call.
CUT: list[tuple[str, str]] = [
    ("xml", '<invoke name="f">'),
    ("xml", '<invoke name="f"><parameter name="a">1'),
    ("xml", INVOKE + '<parameter name="b">2'),
    ("glm", "<tool_call>f"),
    ("glm", "<tool_call>f\n"),
    ("glm", PAIR + "<arg_key>b"),
    ("glm", PAIR + "<arg_key>b</arg_key>"),
    ("glm", PAIR + "<arg_key>b</arg_key><arg_value>2"),
    ("qwen3-coder", "<tool_call>\n<function=f>\n"),
    ("qwen3-coder", FUNCTION + "<parameter=b>\n2"),
    ("kimi", KIMI),
    ("kimi", KIMI + "{"),
    ("kimi", KIMI + '{"a'),
    ("kimi", KIMI + '{"a":'),
    ("kimi", KIMI + '{"a": "x'),
    ("kimi", KIMI + '{"a": "x\\"'),
    ("kimi", KIMI + '{"a": 1'),
    ("kimi", KIMI + '{"a": 1.'),
    ("kimi", KIMI + '{"a": tru'),
    ("kimi", KIMI + '{"a": true'),
    ("kimi", KIMI + '{"a": [1'),
    ("kimi", KIMI + '{"a": 1,'),
    ("kimi", KIMI + '{"a": {"b": "x'),
    ("harmony", HARMONY + '{"a": "x'),
    ("hermes", '<tool_call>{"name": "f", "arguments": {"a": "x'),
    ("hermes", '<tool_call>{"name": "f'),
]
# A key is no argument, and a tag that is begun says that there is another one.
CUT_AND_TAKEN = [
    ("kimi", KIMI + '{"a"'),
    ("kimi", KIMI + '{"a": 1, "b"'),
    ("kimi", KIMI + '{"a": "x", "b": {"c"'),
    ("xml", INVOKE + '<parameter name="b"'),
    ("xml", INVOKE + "<para"),
]


@pytest.mark.parametrize(("name", "text", "arguments"), RECOVERED)
def test_a_call_cut_behind_an_argument(name: str, text: str, arguments: dict[str, Any]) -> None:
    found = same_outcome(name, text, truncated_calls="recover")
    assert found["calls"] == [{"name": "f", "arguments": arguments}]
    (end,) = [e for e in scan(name, text, truncated_calls="recover") if hasattr(e, "repaired")]
    assert end.repaired is True
    for options in ({}, {"truncated_calls": "abort"}):
        assert same_outcome(name, text, **options)["calls"] == []
        assert [abort.reason for abort in aborts_of(scan(name, text, **options))] == ["truncated"]


@pytest.mark.parametrize("policy", ["abort", "recover"])
@pytest.mark.parametrize(("name", "text"), CUT)
def test_a_call_cut_inside_an_argument_never_counts(name: str, text: str, policy: str) -> None:
    assert same_outcome(name, text, truncated_calls=policy)["calls"] == []
    assert [a.reason for a in aborts_of(scan(name, text, truncated_calls=policy))] == ["truncated"]


@pytest.mark.parametrize(("name", "text"), CUT_AND_TAKEN)
def test_a_call_cut_behind_a_key_never_counts(name: str, text: str) -> None:
    assert same_outcome(name, text, truncated_calls="recover")["calls"] == []
    assert [a.reason for a in aborts_of(scan(name, text, truncated_calls="recover"))] == [
        "truncated"
    ]


@pytest.mark.parametrize("end", ['"', '"}'])
def test_an_envelope_with_only_closers_missing(end: str) -> None:
    text = '<tool_call>{"name": "f", "arguments": {"a": "x' + end
    found = same_outcome("hermes", text, truncated_calls="recover")
    assert found["calls"] == [{"name": "f", "arguments": {"a": "x"}}]


@pytest.mark.parametrize("name", CALL_DIALECTS)
def test_a_whole_call_is_not_recovered(name: str) -> None:
    ends = [
        e for e in scan(name, ping_in(name), truncated_calls="recover") if hasattr(e, "repaired")
    ]
    assert [end.repaired for end in ends] == [False]

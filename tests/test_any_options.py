"""Options: those of one dialect, unknown ones, and all of them in any cut."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolspeak
from markers import COMMON, MARKUP
from support import (
    ALL_TOOLS,
    CALL_DIALECTS,
    PING,
    joined,
    ping_in,
    random_cuts,
    result_markers,
    run,
    same_outcome,
    scan,
    scanner_of,
)


def test_dsml_tags_for_xml() -> None:
    call = '<｜DSML｜invoke name="f"><|DSML|parameter name="a">1</｜DSML｜parameter></|DSML|invoke>'
    call = f"<｜DSML｜tool_calls>{call}</|DSML|tool_calls>"
    assert same_outcome("xml-dsml", call)["calls"] == [{"name": "f", "arguments": {"a": "1"}}]
    assert same_outcome("xml", call)["text"] == call


DSML_CALL = '<｜DSML｜invoke name="ping"></｜DSML｜invoke>'
DSML = f"<｜DSML｜tool_calls>{DSML_CALL}</｜DSML｜tool_calls>"


def test_bare_dsml_calls() -> None:
    found = same_outcome("deepseek", f"a{DSML_CALL}b", dsml="bare")
    assert (found["text"], found["calls"]) == ("ab", [PING])
    assert same_outcome("deepseek", f"a{DSML_CALL}b")["text"] == f"a{DSML_CALL}b"
    for options in ({}, {"dsml": "bare"}, {"dsml": "default"}):
        found = same_outcome("deepseek", f"a{DSML}b", **options)
        assert (found["text"], found["calls"]) == ("ab", [PING])


def test_unknown_options_are_told_with_what_there_is() -> None:
    with pytest.raises(TypeError, match=r"no option 'dsml'.*fenced_calls"):
        scanner_of("hermes", dsml="bare")
    with pytest.raises(ValueError, match="'deepseek', 'bare'"):
        scanner_of("deepseek", dsml="naked")
    for option in ("fenced_calls", "truncated_calls", "unknown_tools", "entities", "on_result"):
        with pytest.raises(ValueError, match=f"{option}='maybe': use '"):
            scanner_of("hermes", **{option: "maybe"})


OPTIONS: dict[str, tuple[Any, ...]] = {
    "call_in_thinking": ("quoted", "ends_prompted", "ends"),
    "fenced_calls": ("calls", "text"),
    "unknown_tools": ("call", "abort"),
    "entities": ("keep", "decode"),
    "coercion": (frozenset(), frozenset({"wrap_array", "parse_json"})),
    "truncated_calls": ("abort", "recover"),
    "whitespace": ("keep", "trim"),
    "on_result": ("text", "stop"),
    "start": ("text", "thinking"),
    "repair": (True, False),
    "parse_thinking": (True, False),
}


@pytest.mark.parametrize("name", CALL_DIALECTS)
@given(data=st.data())
def test_cuts_make_no_difference_with_any_options(name: str, data: st.DataObject) -> None:
    pieces = st.sampled_from([
        *MARKUP[name].pieces, *COMMON, ping_in(name), "\n```\n", "\n~~~\n", "&lt;",
        *result_markers(name),
    ])  # fmt: skip
    text = "".join(data.draw(st.lists(pieces, max_size=14)))
    options = {option: data.draw(st.sampled_from(values)) for option, values in OPTIONS.items()}
    for option, values in toolspeak.get_dialect(name).variants.items():
        options[option] = data.draw(st.sampled_from(["default", *values]))
    whole = joined(scan(name, text, tools=ALL_TOOLS, **options))
    rng = random.Random(data.draw(st.integers(0, 2**32)))
    for longest in (1, 4, 12):
        for source in (text, text.encode()):
            cut = random_cuts(source, rng, longest)
            assert joined(run(scanner_of(name, tools=ALL_TOOLS, **options), cut)) == whole, cut

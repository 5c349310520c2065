"""Options of scanners: one record, typed and checked in one place."""

from __future__ import annotations

import pickle
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

import toolspeak
from toolspeak import options
from toolspeak.options import Limits, ScanFields, ScanOptions, scan_options

HINTS = {name: get_type_hints(ScanOptions)[name] for name in ScanOptions.field_names}


def words_of(hint: Any) -> set[Any] | None:
    """The words that a type allows, None if it is no choice of words."""
    if get_origin(hint) is Literal:
        return set(get_args(hint))
    parts = [words_of(part) for part in get_args(hint) if part is not type(None)]
    if not parts or None in parts:
        return None
    return {None}.union(*(part for part in parts if part))


def test_keywords_are_the_fields_of_the_record() -> None:
    assert get_type_hints(ScanFields) == HINTS


def test_the_words_that_are_checked_are_those_of_the_types() -> None:
    told = {name: words for name, hint in HINTS.items() if (words := words_of(hint))}
    # A set of words is never None.
    assert told.pop("coercion") == {None, *options._COERCIONS}
    assert {name: set(words) for name, words in options._WORDS.items()} == told


@pytest.mark.parametrize("name", options._WORDS)
def test_a_wrong_word_is_told_with_the_right_ones(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name}='bogus': use ") as caught:
        ScanOptions(**{name: "bogus"})  # type: ignore[arg-type]
    assert all(repr(word) in str(caught.value) for word in options._WORDS[name])


@pytest.mark.parametrize("wrong", [{"repair": "no"}, {"parse_thinking": 1}, {"limits": (1, 2, 3)}])
def test_a_wrong_type_is_told(wrong: dict[str, Any]) -> None:
    (name,) = wrong
    with pytest.raises(TypeError, match=name):
        ScanOptions(**wrong)


def test_an_unknown_option_is_told_with_what_there_is() -> None:
    for make in (toolspeak.get_dialect("hermes").scanner, partial(scan_options, None)):
        with pytest.raises(TypeError, match=r"'reapir'.*repair"):
            make(reapir=False)  # type: ignore[call-arg]


def test_a_record_and_changes_to_it() -> None:
    record = ScanOptions(start="thinking", repair=False)
    assert scan_options(record) is record
    changed = scan_options(record, repair=True)
    assert (changed.start, changed.repair) == ("thinking", True)
    assert scan_options(None) == ScanOptions()
    with pytest.raises(TypeError, match="ScanOptions"):
        scan_options({"repair": False})  # type: ignore[arg-type]


def test_a_record_is_frozen_and_can_be_stored() -> None:
    record = ScanOptions(limits=Limits(max_calls=3))
    with pytest.raises(AttributeError, match="frozen"):
        record.repair = False  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(record)) == record
    assert hash(record) == hash(ScanOptions(limits=Limits(max_calls=3)))


def test_a_record_decides_as_keywords_do() -> None:
    text = "<tool_call>{'name': 'f', 'arguments': {}}</tool_call>"
    assert toolspeak.parse(text, "hermes").tool_calls
    assert not toolspeak.parse(text, "hermes", repair=False).tool_calls
    assert not toolspeak.parse(text, "hermes", options=ScanOptions(repair=False)).tool_calls


SNIPPET = """
import toolspeak

scanner = toolspeak.get_dialect("xml").scanner(repair=False, start="thinking")
events: list[toolspeak.Event] = scanner.feed("x")
for event in scanner.flush():
    if isinstance(event, toolspeak.ToolAbort):
        reason: toolspeak.Reason = event.reason
message = toolspeak.parse("x", "xml", whitespace="trim")
"""
WRONG = {
    'toolspeak.parse("x", "xml", reapir=False)': 'keyword argument "reapir"',
    'toolspeak.parse("x", "xml", repair="no")': '"repair"',
    'scanner = toolspeak.get_dialect("xml").scanner(start="middle")': '"start"',
    'toolspeak.parse_many(["x"], "xml", entities="drop")': '"entities"',
}


@pytest.mark.skipif(
    not (Path(toolspeak.__file__).parent / "py.typed").exists(), reason="no types are shipped"
)
def test_type_checkers_know_the_options(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    good, bad = tmp_path / "good.py", tmp_path / "bad.py"
    good.write_text(SNIPPET, encoding="utf-8")
    bad.write_text("import toolspeak\n" + "\n".join(WRONG), encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", str(good), str(bad)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    complaints = [line for line in done.stdout.splitlines() if ": error: " in line]
    assert len(complaints) == len(WRONG), done.stdout + done.stderr
    for line, told in zip(complaints, WRONG.values(), strict=True):
        assert line.startswith("bad.py:")
        assert told in line

"""README.md tells the truth: its Python and its commands run, its tables match the package."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest

import toolspeak

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PAGE = README.read_text(encoding="utf-8")

EVENTS = (
    toolspeak.Text,
    toolspeak.ThinkingStart,
    toolspeak.ThinkingDelta,
    toolspeak.ThinkingEnd,
    toolspeak.ToolStart,
    toolspeak.ToolArgDelta,
    toolspeak.ToolEnd,
    toolspeak.ToolAbort,
    toolspeak.Stopped,
)


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def table(heading: str) -> list[list[str]]:
    """The words in code type of each row, cell by cell, of the table below a heading."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*) \|", section, re.MULTILINE)
    return [re.split(r"(?<!\\)\|", row) for row in rows]


def words(cell: str) -> list[str]:
    return [word for code in re.findall(r"`([^`]+)`", cell) for word in code.split(", ")]


def test_the_examples_run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # One of them registers a dialect: it must not stay.
    monkeypatch.setattr("toolspeak.registry._REGISTRY", {**toolspeak.registry._REGISTRY})
    names: dict[str, Any] = {}
    for block in blocks("python"):
        exec(compile(block, str(README), "exec"), names)
    printed = capsys.readouterr().out
    assert "call get_weather\n" in printed
    assert "run  get_weather {'city': 'Kraków', 'days': 3}\n" in printed
    assert [len(m.tool_calls) for m in names["messages"]] == [1, 0]


COMMANDS = [
    line
    for block in blocks("sh")
    for line in block.splitlines()
    if re.match(r"(cat \S+ \| )?toolspeak ", line)
]


@pytest.mark.skipif(os.name != "posix", reason="the commands are written for a POSIX shell")
@pytest.mark.parametrize("command", COMMANDS)
def test_the_commands_run(command: str) -> None:
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=ROOT,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, bool(done.stdout)) == (0, True), done.stderr


def test_there_are_commands() -> None:
    assert len(COMMANDS) >= 5


def test_the_table_of_dialects_is_that_of_the_package() -> None:
    script = runpy.run_path(str(ROOT / ".ci" / "tables.py"))
    assert script["written"](PAGE) == PAGE, "stale: run `make tables`"
    assert [words(row[0])[0] for row in table("Dialects")] == toolspeak.list_dialects()


def test_the_events_are_those_of_the_package() -> None:
    named = [name for row in table("Events") for name in words(row[0])]
    assert sorted(named) == sorted(event.__name__ for event in EVENTS)
    for row in table("Events"):
        fields = words(row[1])
        told = [
            field for name in words(row[0]) for field in getattr(toolspeak, name).__match_args__
        ]
        assert fields == told


def test_the_options_are_those_of_a_scanner() -> None:
    record = toolspeak.ScanOptions
    options = {name: getattr(record, name) for name in record.field_names}
    rows = {words(row[0])[0]: row[1].strip() for row in table("Options and policies")}
    assert list(rows) == list(options)
    for name, default in rows.items():
        if default != "none":
            assert eval(words(default)[0], {"Limits": toolspeak.Limits}) == options[name]

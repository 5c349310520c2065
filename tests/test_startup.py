"""What a process that only reads model output has to load."""

from __future__ import annotations

import subprocess
import sys

import pytest

from support import CALL_DIALECTS

# What reading never needs, or needs only for text that is broken.
NEEDLESS = (
    "dataclasses",
    "inspect",
    "json",
    "json_repair",
    "pkgutil",
    "pydantic",
    "typer",
    "toolspeak.detection",
    "toolspeak.messages",
    "toolspeak.outputs",
    "toolspeak.reading",
    "toolspeak.tools.tool",
    "toolspeak.writing.prompt",
    "toolspeak.writing.transcript",
    "toolspeak.writing.untrusted",
)
PROGRAM = """
import sys

before = set(sys.modules)
import toolspeak

scanner = toolspeak.get_dialect({name!r}).scanner(tools=[{{"name": "f", "parameters": {{}}}}])
scanner.feed("text")
scanner.flush()
print(" ".join(set(sys.modules) - before))
"""


@pytest.mark.parametrize("name", CALL_DIALECTS)
def test_a_scanner_loads_what_reading_needs(name: str) -> None:
    command = [sys.executable, "-c", PROGRAM.format(name=name)]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert "toolspeak.grammar" in loaded
    assert not set(NEEDLESS) & set(loaded)

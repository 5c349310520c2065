"""The Python in README.md runs as it stands there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

README = Path(__file__).parent.parent / "README.md"
BLOCKS = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
OUTPUT = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Kraków"}}\n</tool_call>'


def test_the_examples_run(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    for block in BLOCKS.findall(README.read_text(encoding="utf-8")):
        names.update(text=OUTPUT, texts=[OUTPUT] * 3)
        exec(compile(block, str(README), "exec"), names)
    printed = capsys.readouterr().out
    assert "call get_weather\n" in printed
    assert "run  get_weather {'city': 'Kraków', 'days': 3}\n" in printed
    assert [len(m.tool_calls) for m in names["messages"]] == [1, 1, 1]

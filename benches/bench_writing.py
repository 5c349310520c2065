"""Writing: calls that are read back, and grammars for engines of constrained decoding."""

from __future__ import annotations

from typing import Any

import pytest

from questions.startup import tool_list
from questions.writing import TEXT, TOOL
from workloads import SHAPES, toolspeak


@pytest.mark.parametrize("text", ["some text", TEXT], ids=["small", "10 KB"])
@pytest.mark.parametrize("dialect", SHAPES)
def bench_render_call(benchmark: Any, dialect: str, text: str) -> None:
    benchmark.group = f"a rendered call of {len(text)} characters"
    call = toolspeak.ToolCall("call_0", "note", {"text": text, "number": 5})
    benchmark(toolspeak.get_dialect(dialect).render_call, call, toolspeak.ToolSet([TOOL]))


@pytest.mark.parametrize("count", [1, 20, 100])
@pytest.mark.parametrize("dialect", [name for name in SHAPES if name != "pi-native"])
def bench_gbnf(benchmark: Any, dialect: str, count: int) -> None:
    benchmark.group = f"a GBNF grammar for {count} tools"
    listed = tool_list(count)
    benchmark(lambda: toolspeak.get_dialect(dialect).constrain(listed, strict=False).gbnf())

"""The agent loop of the examples works in every dialect, and its output is that of README.md."""

from __future__ import annotations

import re
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import toolspeak
from support import CALL_DIALECTS

pytest.importorskip("pydantic", reason="the example's tools are typed functions")

ROOT = Path(__file__).parent.parent
SCRIPT = ROOT / "examples" / "agent_loop.py"
AGENT = SimpleNamespace(**runpy.run_path(str(SCRIPT)))


def count(name: str) -> int:
    return len((ROOT / name).read_text(encoding="utf-8").split())


MIT, APACHE = count("LICENSE-MIT"), count("LICENSE-APACHE")
MINUTES = f"{(MIT + APACHE) / 240:.2f}"
ANSWER = f"They have {MIT + APACHE} words together, which takes {MINUTES} minutes to read."


def shown_by(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str
) -> str:
    monkeypatch.setattr(sys, "argv", [SCRIPT.name, "--pause", "0", *arguments])
    AGENT.main()
    return capsys.readouterr().out


@pytest.mark.parametrize("dialect", CALL_DIALECTS)
def test_the_agent_finds_the_answer(
    dialect: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = shown_by(monkeypatch, capsys, "--dialect", dialect).splitlines()
    assert [line.split()[0] for line in lines] == [
        "asked",
        *("thinks", "says", "calls", "calls", "result", "result"),
        *("thinks", "says", "calls", "result"),
        "says",
    ]
    assert lines[5].endswith(f"LICENSE-MIT has {MIT} words")
    assert lines[10].endswith(f"({MIT} + {APACHE}) / 240 = {MINUTES}")
    assert lines[11].endswith(ANSWER)


def test_the_readme_shows_the_output(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"^\$ python examples/agent_loop.py(.*)\n((?:.+\n)+)```", page, re.MULTILINE)
    assert shown, "README.md shows no run of the agent"
    assert shown_by(monkeypatch, capsys, *shown[1].split()) == shown[2]


# --- the loop -----------------------------------------------------------------------------


def replies(*texts: str) -> Any:
    """A completion function that gives one text after the other, and the prompts it was given."""
    prompts: list[str] = []

    def complete(prompt: str) -> Iterator[str]:
        prompts.append(prompt)
        yield from texts[len(prompts) - 1]

    return complete, prompts


def ask(*texts: str, dialect: str = "hermes") -> tuple[str, list[str]]:
    complete, prompts = replies(*texts)
    spoken = toolspeak.get_dialect(dialect)
    return AGENT.answer(complete, spoken, "Well?", AGENT.Screen()), prompts


def written(name: str, **arguments: Any) -> str:
    call = {"name": name, "arguments": arguments}
    return toolspeak.get_dialect("hermes").render_call(call)


def test_a_result_goes_back_to_the_model() -> None:
    text, prompts = ask(written("calculate", expression="2 * (3 - 5)"), "Minus four.")
    assert text == "Minus four."
    assert "2 * (3 - 5) = -4" not in prompts[0]
    assert "2 * (3 - 5) = -4" in prompts[1]


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (written("calculate", expression="1 / 0"), "ValueError: division by zero"),
        (written("calculate", wrong=1), "TypeError"),
        (written("no_such_tool"), "KeyError"),
        (written("count_words", file="../secret"), "outside of the project"),
        (written("count_words", file="no-such-file"), "FileNotFoundError"),
    ],
)
def test_an_error_is_for_the_model_to_read(call: str, told: str) -> None:
    text, prompts = ask(call, "I see.")
    assert text == "I see."
    assert told in prompts[1]


def test_a_cut_call_is_not_run_but_told() -> None:
    cut = written("calculate", expression="1 + 1").removesuffix('"}}\n</tool_call>')
    text, prompts = ask(cut, "Sorry.")
    assert text == "Sorry."
    assert "= 2" not in prompts[1]
    assert "I could not read calls (calculate: truncated)." in prompts[1]


def test_an_invented_result_is_not_read(capsys: pytest.CaptureFixture[str]) -> None:
    call = written("calculate", expression="1 + 1")
    text, prompts = ask(f"{call}\n<tool_response>\n1 + 1 = 3\n</tool_response>\nThree.", "Two.")
    assert text == "Two."
    assert "= 3" not in prompts[1]
    assert "stopped" in capsys.readouterr().out


def test_a_model_that_never_answers() -> None:
    with pytest.raises(RuntimeError, match="no answer"):
        ask(*[written("calculate", expression="1")] * AGENT.MAX_TURNS)


# --- the calculator -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 + 2 * 3", "7"), ("(1 + 2) * 3", "9"), ("8 / 2 / 2", "2"), ("7 - 3 - 2", "2"),
        ("-(2 - 5)", "3"), ("--2", "2"), ("1.5 * 2", "3"), ("1 / 3", "0.33"), ("2*-3", "-6"),
    ],
)  # fmt: skip
def test_arithmetic(expression: str, value: str) -> None:
    assert AGENT.calculate(expression) == f"{expression} = {value}"


@pytest.mark.parametrize(
    "expression",
    ["", "1 +", "(1", "1)", "1 2", "2 ** 3", "abs(1)", "__import__('os')", "1 / (2 - 2)", "x" * 201,
     "(" * 200],
)  # fmt: skip
def test_what_is_no_arithmetic(expression: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        AGENT.calculate(expression)

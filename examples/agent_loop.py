"""An agent over a plain text completion function: it calls two real tools until it can answer.

    python examples/agent_loop.py [--dialect glm] [--pause 0.02]

The loop needs a function from prompt text to pieces of output text, whatever stands behind it: a
server's completion endpoint, a local model. So that the example runs anywhere, `scripted_model`
stands in for one: it reads the prompt, and writes what a model would, cut like tokens. Tools are
plain typed functions, which pydantic describes.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

import toolspeak as ts

ROOT = Path(__file__).resolve().parent.parent
QUESTION = (
    "How many words do LICENSE-MIT and LICENSE-APACHE have together, "
    "and how long does it take to read them at 240 words a minute?"
)
MAX_TURNS = 8

Complete: TypeAlias = Callable[[str], Iterable[str]]
"""Prompt in, pieces of output out."""


# --- the tools ----------------------------------------------------------------------------------


def calculate(expression: str) -> str:
    """Calculate an arithmetic expression: numbers, + - * / and parentheses."""
    value = Arithmetic(expression).value()
    exact = value.denominator == 1
    return f"{expression} = {value.numerator if exact else f'{float(value):.2f}'}"


def count_words(file: str) -> str:
    """Count the words of a text file of this project."""
    path = (ROOT / file).resolve()
    if not path.is_relative_to(ROOT):
        raise ValueError(f"{file} is outside of the project")
    return f"{file} has {len(path.read_text(encoding='utf-8').split())} words"


class Arithmetic:
    """Reads an expression by its grammar, so that nothing but arithmetic can happen.

    sum: product (`+` or `-` product)*; product: factor (`*` or `/` factor)*; factor: number, `-`
    factor, or a sum in parentheses. Raises `ValueError` for anything else.
    """

    def __init__(self, expression: str) -> None:
        if len(expression) > 200:
            raise ValueError("the expression is too long")
        self._tokens = re.findall(r"\d+\.?\d*|\S", expression)

    def value(self) -> Fraction:
        """The value of the whole expression."""
        value = self._sum()
        if self._tokens:
            raise ValueError(f"{self._tokens[0]!r} does not belong there")
        return value

    def _sum(self) -> Fraction:
        value = self._product()
        while sign := self._take("+", "-"):
            value += self._product() if sign == "+" else -self._product()
        return value

    def _product(self) -> Fraction:
        value = self._factor()
        while sign := self._take("*", "/"):
            factor = self._factor()
            if sign == "/" and not factor:
                raise ValueError("division by zero")
            value = value * factor if sign == "*" else value / factor
        return value

    def _factor(self) -> Fraction:
        if self._take("-"):
            return -self._factor()
        if self._take("("):
            value = self._sum()
            if not self._take(")"):
                raise ValueError("a ) is missing")
            return value
        if not self._tokens or not self._tokens[0][0].isdecimal():
            raise ValueError("a number is missing")
        return Fraction(self._tokens.pop(0))

    def _take(self, *signs: str) -> str:
        """The next token, if it is one of these."""
        return self._tokens.pop(0) if self._tokens and self._tokens[0] in signs else ""


TOOLS: Mapping[str, Callable[..., str]] = {"calculate": calculate, "count_words": count_words}


def dispatch(call: ts.ToolCall, screen: Screen) -> dict[str, Any]:
    """Run a call; what goes wrong is the model's to read, not an exception."""
    message: dict[str, Any] = {"role": "tool", "tool_call_id": call.id, "name": call.name}
    try:
        message["content"] = TOOLS[call.name](**call.arguments)
    except Exception as error:  # noqa: BLE001 - a tool may raise anything
        message["content"] = f"{type(error).__name__}: {error}"
        message["is_error"] = True
    screen.line("result", message["content"])
    return message


# --- the loop -----------------------------------------------------------------------------------


def answer(complete: Complete, dialect: ts.Dialect, question: str, screen: Screen) -> str:
    """The model's answer, after as many calls as it wants to make."""
    tools = list(TOOLS.values())
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": dialect.render_prompt(tools)},
        {"role": "user", "content": question},
    ]
    for _ in range(MAX_TURNS):
        # Files are not to be trusted: what looks like markup in one must not become any.
        prompt = dialect.render_transcript(
            messages, tools, add_generation_prompt=True, untrusted="neutralize"
        )
        turn = listen(complete(prompt), dialect, screen)
        messages.append(turn.to_openai())
        results = [dispatch(call, screen) for call in turn.calls_to_run]
        if not results and not turn.message.aborted:
            return turn.message.text
        messages += results
        if turn.message.aborted:
            reasons = ", ".join(f"{call.name}: {call.reason}" for call in turn.message.aborted)
            messages.append({"role": "user", "content": f"I could not read calls ({reasons})."})
    raise RuntimeError(f"no answer after {MAX_TURNS} turns")


def listen(pieces: Iterable[str], dialect: ts.Dialect, screen: Screen) -> ts.Assembler:
    """One turn of the model, shown while it arrives."""
    tools = list(TOOLS.values())
    scanner = dialect.scanner(tools=tools, whitespace="trim", on_result="stop")
    turn = ts.Assembler(dialect, tools=tools)
    for piece in pieces:
        events = scanner.feed(piece)
        screen.show(events)
        turn.add(events)
        if turn.stopped:
            break  # the model began to invent a result; a server would abort it here
    events = scanner.flush()
    screen.show(events)
    turn.add(events)
    turn.finish("stop")
    return turn


class Screen:
    """Prints events as they come, one line for each part of a message."""

    def __init__(self) -> None:
        self._label = ""
        self._key: str | None = None
        self._space = ""  # shown once more text follows on the line

    def show(self, events: Iterable[Any]) -> None:
        """Show events; deltas go on with the line that their part began."""
        for event in events:
            match event:
                case ts.Text(text):
                    self._write("says", text)
                case ts.ThinkingDelta(delta):
                    self._write("thinks", delta)
                case ts.ToolStart(_, name):
                    self.end()
                    self._write("calls", f"{name} ")
                case ts.ToolArgDelta(_, _, key, delta):
                    self._write("calls", delta if key == self._key else f"{key}: {delta}")
                    self._key = key
                case ts.ToolAbort(_, name, _, _, reason):
                    self.line("cut", f"{name} ({reason})")
                case ts.Stopped(marker):
                    self.line("stopped", f"at {marker}")
                case _:
                    pass

    def line(self, label: str, text: str) -> None:
        """A line of its own."""
        self.end()
        self._write(label, text)
        self.end()

    def end(self) -> None:
        """End the line that was begun, if one was."""
        if self._label:
            print()
        self._label, self._key, self._space = "", None, ""

    def _write(self, label: str, text: str) -> None:
        if label != self._label:
            self.end()
            print(f"{label:>8}  ", end="")
            self._label = label
            text = text.lstrip()
        shown = (self._space + text).replace("\n", " ")
        words = shown.rstrip()
        self._space = shown[len(words) :]
        print(words, end="", flush=True)


# --- what stands in for a model -----------------------------------------------------------------


def scripted_model(dialect: ts.Dialect, pause: float = 0.0) -> Complete:
    """A completion function that follows a script, in the dialect, by what the prompt holds."""

    def complete(prompt: str) -> Iterator[str]:
        for piece in re.findall(r" ?\w{1,5}| ?[^\w\s]{1,3}|\s+", _scripted_turn(prompt, dialect)):
            time.sleep(pause)
            yield piece

    return complete


def _scripted_turn(prompt: str, dialect: ts.Dialect) -> str:
    counts = re.findall(r"LICENSE-\w+ has (\d+) words", prompt)
    total = " + ".join(counts)
    minutes = re.search(r"/ 240 = ([\d.]+)", prompt)
    calls: list[dict[str, Any]] = []
    if not counts:
        thinking, text = "I need both counts. One turn will do.", "I count both files."
        files = ("LICENSE-MIT", "LICENSE-APACHE")
        calls = [{"name": "count_words", "arguments": {"file": file}} for file in files]
    elif not minutes:
        thinking, text = "The sum, at 240 words a minute.", "Now the time."
        calls = [{"name": "calculate", "arguments": {"expression": f"({total}) / 240"}}]
    else:
        thinking, words = "", sum(map(int, counts))
        text = f"They have {words} words together, which takes {minutes[1]} minutes to read."
    parts = [dialect.render_thinking(thinking), text]
    if calls:
        parts.append(dialect.render_calls(calls, list(TOOLS.values())))
    return "\n".join(filter(None, parts))


def main() -> None:
    """Ask the question in the chosen dialect."""
    names = [name for name in ts.list_dialects() if name != "thinking"]
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--dialect", choices=names, default="hermes")
    parser.add_argument("--pause", type=float, default=0.02, help="seconds between two pieces")
    arguments = parser.parse_args()
    dialect = ts.get_dialect(arguments.dialect)
    screen = Screen()
    screen.line("asked", QUESTION)
    answer(scripted_model(dialect, arguments.pause), dialect, QUESTION, screen)
    screen.end()


if __name__ == "__main__":
    main()

"""gemini: Python calls with keyword arguments in a `tool_code` fence.

Values are Python literals: double-quoted strings with Python's escapes, `True`, `False`, `None`.
A fence inside a string literal is data, so it needs no escape.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from toolspeak.dialect import Dialect
from toolspeak.errors import RenderError
from toolspeak.grammar import (
    CallForm,
    Code,
    Exact,
    Grammar,
    Header,
    NameTemplate,
    Section,
    Thinking,
)
from toolspeak.tools.tool_set import ToolSet
from toolspeak.writing.renderer import Renderer, Turn, TurnMarks
from toolspeak.writing.text import bounded_nesting, compact_json, has_surrogate, load_guide

if TYPE_CHECKING:
    from toolspeak.messages.values import ToolCall, ToolResult

__all__ = ["DIALECT", "PYTHONS_OWN", "GeminiRenderer"]

# Wider than Python's identifiers by the `-` that tool names often have.
_CALLEE = re.compile(r"[^\W\d][\w-]*(?:\.[^\W\d][\w-]*)*")
_KEYWORD = re.compile(r"[^\W\d][\w-]*")
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": r"\r", "\t": r"\t"})
# Names whose calls are Python's own, and no tool calls unless the tool list names them.
PYTHONS_OWN = frozenset([*keyword.kwlist, *dir(builtins)])
_CALLEE_NAME = NameTemplate(
    "default_api.{name}", prefix="optional", tools="only", reserved=tuple(sorted(PYTHONS_OWN))
)
_WORDS: dict[object, str] = {True: "True", False: "False", None: "None"}


_USER = ("<start_of_turn>user\n", "<end_of_turn>\n")


class GeminiRenderer(Renderer):
    """Renders gemini; an example has neither the fence nor the `default_api.` before names."""

    marks = TurnMarks(
        begin="<bos>",
        system=_USER,
        developer=_USER,
        user=_USER,
        assistant=("<start_of_turn>model\n", "<end_of_turn>\n"),
        tool=_USER,
        reply="<start_of_turn>model\n",
    )

    def render_call(self, call: ToolCall, tools: ToolSet, *, example: bool = False) -> str:
        """One call expression."""
        _require_callee(call.name, tools)
        compact_json(dict(call.arguments))  # JSON types only, no cycles
        with bounded_nesting():
            arguments = ", ".join(f"{_keyword(k)}={_literal(v)}" for k, v in call.arguments.items())
        callee = call.name if example else _CALLEE_NAME.write(call.name)
        return f"{callee}({arguments})"

    def render_calls(
        self, calls: Sequence[ToolCall], tools: ToolSet, *, example: bool = False
    ) -> str:
        """One fence with the call, or with a list of the calls where there is not just one."""
        code = ", ".join(self.render_call(call, tools, example=example) for call in calls)
        if len(calls) != 1:
            code = f"[{code}]"
        return code if example else f"```tool_code\n{code}\n```"

    def render_results(self, results: Iterable[ToolResult]) -> str:
        """One `tool_outputs` fence per result."""
        return "\n".join(f"```tool_outputs\n{result.text}\n```" for result in results)

    def render_thinking(self, text: str) -> str:
        """A `thinking` fence, the text as it is."""
        return f"```thinking\n{text}\n```" if text else ""

    def render_transcript(self, turns: Sequence[Turn], tools: ToolSet, *, reply: bool) -> str:
        """The turns; there is no system's turn, so instructions begin the user's turn."""
        return super().render_transcript(list(_instructed(turns)), tools, reply=reply)

    def render_reply(self, turn: Turn, tools: ToolSet) -> str:
        """As others do, with a line break behind the thinking's fence."""
        thinking = f"{self.render_thinking(turn.thinking)}\n" if turn.thinking else ""
        return f"{thinking}{turn.text}{self.render_calls(turn.calls, tools)}"


def _instructed(turns: Sequence[Turn]) -> Iterator[Turn]:
    """The turns, each run of instructions joined with the user's turn behind it."""
    texts: list[str] = []
    for turn in turns:
        if turn.role in ("system", "developer"):
            texts.append(turn.text)
        elif turn.role == "user":
            yield _joined([*texts, turn.text])
            texts = []
        else:
            if texts:
                yield _joined(texts)
                texts = []
            yield turn
    if texts:
        yield _joined(texts)


def _joined(texts: Sequence[str]) -> Turn:
    return Turn("user", "\n\n".join(filter(None, texts)))


def _require_callee(name: str, tools: ToolSet) -> None:
    if not _CALLEE.fullmatch(name):
        raise RenderError(f"the tool name {name!r} cannot be called in Python code")
    if name in PYTHONS_OWN and name not in tools:
        raise RenderError(f"{name!r} is Python's own unless the tool list names it: pass the tools")


def _keyword(key: str) -> str:
    if not _KEYWORD.fullmatch(key):
        raise RenderError(f"the parameter name {key!r} cannot be a keyword argument in Python code")
    return key


def _literal(value: object) -> str:
    if isinstance(value, str):
        if has_surrogate(value):
            raise RenderError(f"the text {value[:40]!r} is not UTF-8")
        return f'"{value.translate(_ESCAPES)}"'
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_literal(k)}: {_literal(v)}' for k, v in value.items())}}}"
    if value is None or isinstance(value, bool):
        return _WORDS[value]
    return compact_json(value)  # numbers are written alike in both


_CALL = CallForm(
    open=None,
    close=None,
    name=Header(
        ends=Exact("("),
        read=_CALLEE_NAME,
    ),
    body=Code(),
)

DIALECT = Dialect(
    name="gemini",
    grammar=Grammar(
        sections=(Section(Exact("```tool_code"), Exact("```"), (_CALL,), content="code"),),
        thinking=(Thinking(Exact("```thinking\n"), None),),
        results=(Exact("```tool_outputs"),),
    ),
    renderer=GeminiRenderer(),
    guide=load_guide("gemini"),
    summary="Python calls in a tool_code fence",
)

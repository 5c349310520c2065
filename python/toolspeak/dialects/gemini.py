"""gemini: Python calls with keyword arguments in a `tool_code` fence.

Values are Python literals: double-quoted strings with Python's escapes, `True`, `False`, `None`.
A fence inside a string literal is data, so it needs no escape.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterable, Sequence

from toolspeak.errors import RenderError
from toolspeak.messages import ToolCall, ToolResult
from toolspeak.rendering import Renderer, bounded_nesting, compact_json, has_surrogate
from toolspeak.schema import ToolSet

__all__ = ["GeminiRenderer"]

# Wider than Python's identifiers by the `-` that tool names often have.
_CALLEE = re.compile(r"[^\W\d][\w-]*(?:\.[^\W\d][\w-]*)*")
_KEYWORD = re.compile(r"[^\W\d][\w-]*")
_NOT_TOOLS = frozenset([*keyword.kwlist, *dir(builtins)])
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": r"\r", "\t": r"\t"})
_WORDS: dict[object, str] = {True: "True", False: "False", None: "None"}


class GeminiRenderer(Renderer):
    """Renders gemini; an example has neither the fence nor the `default_api.` before names."""

    def render_call(self, call: ToolCall, tools: ToolSet, *, example: bool = False) -> str:
        """One call expression."""
        _require_callee(call.name, tools)
        compact_json(dict(call.arguments))  # JSON types only, no cycles
        with bounded_nesting():
            arguments = ", ".join(f"{_keyword(k)}={_literal(v)}" for k, v in call.arguments.items())
        return f"{'' if example else 'default_api.'}{call.name}({arguments})"

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


def _require_callee(name: str, tools: ToolSet) -> None:
    if not _CALLEE.fullmatch(name):
        raise RenderError(f"the tool name {name!r} cannot be called in Python code")
    if name in _NOT_TOOLS and name not in tools:
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


# --- grammar and dialect ------------------------------------------------------------------------

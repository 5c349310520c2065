"""Writing a dialect: the interface that each dialect's renderer fills, and the turns it writes.

A renderer is stateless. What it writes, the dialect's scanner reads back equal; where a value
cannot be carried so, it writes another form that reads back equal or raises `RenderError`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from toolspeak.errors import RenderError
from toolspeak.record import Record

if TYPE_CHECKING:
    from toolspeak.messages.values import ToolCall, ToolResult
    from toolspeak.tools.tool_set import ToolSet

__all__ = ["CHATML", "Renderer", "Role", "Turn", "TurnMarks"]

# --- conversations ------------------------------------------------------------------------------

Role: TypeAlias = Literal["system", "developer", "user", "assistant", "tool"]


class Turn(Record):
    """What one side says: text, and of an assistant also thinking and calls, of tools results."""

    role: Role
    text: str = ""
    thinking: str = ""
    calls: tuple[ToolCall, ...] = ()
    results: tuple[ToolResult, ...] = ()


class TurnMarks(Record):
    """What a family of models writes before and after a turn of each role.

    `begin` stands before a conversation, `reply` where the model is to go on.
    """

    system: tuple[str, str]
    developer: tuple[str, str]
    user: tuple[str, str]
    assistant: tuple[str, str]
    tool: tuple[str, str]
    reply: str
    begin: str = ""

    def around(self, role: Role) -> tuple[str, str]:
        """The marks before and after a turn of `role`."""
        marks: tuple[str, str] = getattr(self, role)
        return marks


CHATML = TurnMarks(
    system=("<|im_start|>system\n", "<|im_end|>\n"),
    developer=("<|im_start|>system\n", "<|im_end|>\n"),
    user=("<|im_start|>user\n", "<|im_end|>\n"),
    assistant=("<|im_start|>assistant\n", "<|im_end|>\n"),
    tool=("<|im_start|>tool\n", "<|im_end|>\n"),
    reply="<|im_start|>assistant\n",
)
"""Turns between `<|im_start|>` and `<|im_end|>`, results in a turn of their own."""


# --- renderers ----------------------------------------------------------------------------------


class Renderer:
    """How one dialect writes calls, results, thinking and the turns of a conversation."""

    marks: TurnMarks = CHATML

    def _unwritten(self) -> RenderError:
        kind = type(self).__name__
        return RenderError(f"{kind} writes nothing: give the dialect a renderer that does")

    def render_call(self, call: ToolCall, tools: ToolSet, *, example: bool = False) -> str:
        """One call, without the section around calls."""
        raise self._unwritten()

    def render_calls(
        self, calls: Sequence[ToolCall], tools: ToolSet, *, example: bool = False
    ) -> str:
        """A turn's calls with the section around them; no calls: what the dialect calls none."""
        raise self._unwritten()

    def render_results(self, results: Iterable[ToolResult]) -> str:
        """The text that carries tool results back to the model."""
        raise self._unwritten()

    def render_thinking(self, text: str) -> str:
        """A thinking block; empty text: the empty string."""
        raise self._unwritten()

    def call_ids(self, calls: Sequence[ToolCall]) -> list[str]:
        """The ids under which a turn's calls are written, for results to name."""
        return [call.id for call in calls]

    def render_transcript(self, turns: Sequence[Turn], tools: ToolSet, *, reply: bool) -> str:
        """A whole conversation; `reply` lets the model go on. No turns: nothing."""
        written = "".join(self.render_turn(turn, tools) for turn in turns)
        if not turns and not reply:
            return ""
        return f"{self.marks.begin}{written}{self.marks.reply if reply else ''}"

    def render_turn(self, turn: Turn, tools: ToolSet) -> str:
        """One turn between its marks."""
        before, after = self.marks.around(turn.role)
        if turn.role == "assistant":
            return f"{before}{self.render_reply(turn, tools)}{after}"
        if turn.role == "tool":
            return f"{before}{self.render_result_turn(turn.results)}{after}"
        return f"{before}{turn.text}{after}"

    def render_reply(self, turn: Turn, tools: ToolSet) -> str:
        """What the model itself wrote: thinking, text and calls, nothing between them."""
        thinking = self.render_thinking(turn.thinking)
        return f"{thinking}{turn.text}{self.render_calls(turn.calls, tools)}"

    def render_result_turn(self, results: Sequence[ToolResult]) -> str:
        """A run of results inside their turn."""
        return self.render_results(results)

    def clean_result(self, text: str, clean: Callable[[str], str]) -> str:
        """A result's text with `clean` applied to all that `render_results` writes of it as text.

        A renderer that decodes results, so that it writes other text, overrides this.
        """
        return clean(text)

"""harmony: every call, result and thought is a channel message with a recipient in its header."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from toolspeak.dialect import Dialect
from toolspeak.errors import RenderError
from toolspeak.grammar import (
    AnyOf,
    CallForm,
    Exact,
    Followed,
    Grammar,
    Header,
    Json,
    MessageHeader,
    Noise,
)
from toolspeak.tools.tool_set import ToolSet
from toolspeak.writing.renderer import Renderer, Turn, TurnMarks
from toolspeak.writing.text import compact_json, load_guide, require_name

if TYPE_CHECKING:
    from toolspeak.messages.values import ToolCall, ToolResult

__all__ = ["DIALECT", "HarmonyRenderer"]


# The recipient may stand in either part of a header and decides; then the channel. Only what the
# assistant says counts.
_HEADER = MessageHeader(
    speaker="assistant",
    channel="<|channel|>",
    recipient="to=",
    namespace="functions.",
    thinking="analysis",
)


class HarmonyRenderer(Renderer):
    """Renders harmony; an example shows the arguments only, the header belongs to the server."""

    marks = TurnMarks(
        system=("<|start|>system<|message|>", "<|end|>"),
        developer=("<|start|>developer<|message|>", "<|end|>"),
        user=("<|start|>user<|message|>", "<|end|>"),
        assistant=("", ""),  # thinking, text and calls are messages of their own, like results
        tool=("", ""),
        reply="<|start|>assistant",
    )

    def render_call(self, call: ToolCall, tools: ToolSet, *, example: bool = False) -> str:
        """One message to `functions.NAME` whose body is the JSON arguments."""
        arguments = compact_json(dict(call.arguments))
        if example:
            return arguments
        require_name(call.name, "the tool name")
        if re.search(r"\s|<\|", call.name):
            raise RenderError(f"the tool name {call.name!r} holds what ends a recipient in harmony")
        header = _HEADER.write("commentary", call.name)
        return f"<|start|>{header}<|message|>{arguments}<|call|>"

    def render_calls(
        self, calls: Sequence[ToolCall], tools: ToolSet, *, example: bool = False
    ) -> str:
        """The messages, one after the other."""
        return "".join(self.render_call(call, tools, example=example) for call in calls)

    def render_results(self, results: Iterable[ToolResult]) -> str:
        """One message from `functions.NAME` to the assistant per result."""
        return "".join(
            f"<|start|>functions.{result.name} to=assistant<|channel|>commentary"
            f"<|message|>{result.text}<|end|>"
            for result in results
        )

    def render_thinking(self, text: str) -> str:
        """A message on the analysis channel, the text as it is."""
        return f"<|start|>{_HEADER.write(_HEADER.thinking)}<|message|>{text}<|end|>" if text else ""

    def render_reply(self, turn: Turn, tools: ToolSet) -> str:
        """Thinking, text on the final channel, calls; an empty turn is an empty final message."""
        final = f"<|start|>{_HEADER.write('final')}<|message|>{turn.text}<|end|>"
        thinking = self.render_thinking(turn.thinking)
        calls = self.render_calls(turn.calls, tools)
        return f"{thinking}{final if turn.text or not (thinking or calls) else ''}{calls}"


_CHANNEL = Exact("<|channel|>")


def _message(open: Exact | Followed) -> CallForm:
    return CallForm(
        open=open,
        # The next message's beginning ends one as well; servers strip the last token.
        close=AnyOf(Exact("<|end|>", "<|call|>", "<|return|>"), Followed(_CHANNEL, consumed=0)),
        name=Header(ends=Exact("<|message|>"), through=_CHANNEL, read=_HEADER),
        body=Json(),
    )


DIALECT = Dialect(
    name="harmony",
    grammar=Grammar(
        # A message may leave out its role: then it begins with its channel.
        calls=(_message(Exact("<|start|>")), _message(Followed(_CHANNEL, consumed=0))),
        # A message from a tool, which only the server writes.
        results=(Exact("<|start|>functions."),),
        noise=(Noise(Exact("<|end|>", "<|call|>", "<|return|>", "<|message|>", "<|constrain|>")),),
    ),
    renderer=HarmonyRenderer(),
    guide=load_guide("harmony"),
    summary="channel messages; a recipient makes one a call",
)

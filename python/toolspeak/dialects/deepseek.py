"""deepseek: `NAME<｜tool▁sep｜>JSON` between call tokens, calls abutting inside a section.

The header `function` announces the older form (the name in the next line, then fenced JSON), so
a tool of that very name is written in the older form.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from toolspeak.dialect import Dialect
from toolspeak.dialects._common import CommonRenderer
from toolspeak.dialects._tagged import dsml_section
from toolspeak.errors import RenderError
from toolspeak.grammar import (
    AnyOf,
    Blanks,
    CallForm,
    Exact,
    Followed,
    Grammar,
    Header,
    Json,
    Noise,
    Section,
    Thinking,
)
from toolspeak.tools.tool_set import ToolSet
from toolspeak.writing.renderer import TurnMarks
from toolspeak.writing.text import compact_json, load_guide, require_name

if TYPE_CHECKING:
    from toolspeak.messages.values import ToolCall, ToolResult

__all__ = ["DIALECT", "DeepseekRenderer"]


class DeepseekRenderer(CommonRenderer):
    """Renders deepseek."""

    marks = TurnMarks(
        begin="<｜begin▁of▁sentence｜>",
        system=("", ""),
        developer=("", ""),
        user=("<｜User｜>", ""),
        assistant=("<｜Assistant｜>", "<｜end▁of▁sentence｜>"),
        tool=("", ""),
        reply="<｜Assistant｜>",
    )

    def render_call(self, call: ToolCall, tools: ToolSet, *, example: bool = False) -> str:
        """One call between its tokens."""
        require_name(call.name, "the tool name")
        if "<｜" in call.name or "\n" in call.name:
            raise RenderError(f"the tool name {call.name!r} holds what ends a name in deepseek")
        body = compact_json(dict(call.arguments))
        if call.name == "function":
            body = f"{call.name}\n```json\n{body}\n```"
        return f"<｜tool▁call▁begin｜>{call.name}<｜tool▁sep｜>{body}<｜tool▁call▁end｜>"

    def render_calls(
        self, calls: Sequence[ToolCall], tools: ToolSet, *, example: bool = False
    ) -> str:
        """The calls, abutting, in their section."""
        body = "".join(self.render_call(call, tools, example=example) for call in calls)
        return f"<｜tool▁calls▁begin｜>{body}<｜tool▁calls▁end｜>" if body else ""

    def render_results(self, results: Iterable[ToolResult]) -> str:
        """Each result between output tokens, joined by newlines."""
        outputs = [
            f"<｜tool▁output▁begin｜>{result.text}<｜tool▁output▁end｜>" for result in results
        ]
        return "\n".join(outputs)


_OPEN, _CLOSE = Exact("<｜tool▁call▁begin｜>"), Exact("<｜tool▁call▁end｜>")
_SEP = Exact("<｜tool▁sep｜>")

_CALL = CallForm(
    open=_OPEN,
    close=_CLOSE,
    name=Header(ends=AnyOf(_SEP, Followed(Exact("{"), consumed=0)), bare=True),
    body=Json(),
)
# The older form: `function`, the separator, the name, and JSON in a fence.
_FENCED_CALL = CallForm(
    open=Followed(_OPEN, Blanks(), Exact("function"), Blanks(), _SEP, consumed=5),
    close=_CLOSE,
    name=Header(ends=Exact("```json", "```")),
    body=Json(),
)
_CALLS = (_CALL, _FENCED_CALL)
_SECTION_CLOSE = Exact("<｜tool▁calls▁end｜>")
_DSML = dsml_section()

_CONTROL = (
    "begin▁of▁sentence",
    "end▁of▁sentence",
    "User",
    "Assistant",
    "▁pad▁",
    "EOT",
    "search▁begin",
    "search▁end",
    "fim▁begin",
    "fim▁hole",
    "fim▁end",
    "tool▁outputs▁begin",
    "tool▁outputs▁end",
    "tool▁output▁begin",
    "tool▁output▁end",
    "tool▁sep",
    "tool▁call▁end",
    "tool▁calls▁end",
)

_GRAMMAR = Grammar(
    calls=_CALLS,
    sections=(Section(Exact("<｜tool▁calls▁begin｜>"), _SECTION_CLOSE, _CALLS), _DSML),
    thinking=(Thinking(Exact("<think>"), Exact("</think>")),),
    call_in_thinking="ends_prompted",
    results=(Exact("<｜tool▁outputs▁begin｜>", "<｜tool▁output▁begin｜>", "<function_results>"),),
    noise=(
        Noise(Exact(*(f"<｜{token}｜>" for token in _CONTROL)), blanks=True),
        Noise(_DSML.close),
    ),
)


def _dialect(grammar: Grammar, variants: Mapping[str, Mapping[str, Dialect]]) -> Dialect:
    return Dialect(
        name="deepseek",
        grammar=grammar,
        renderer=DeepseekRenderer(),
        guide=load_guide("deepseek"),
        summary="JSON between tokens, the older fenced form, and DSML tags",
        variants=variants,
    )


# DSML calls need their section, so that an answer may speak of the tags; some models leave the
# section out.
_BARE_DSML = _dialect(_GRAMMAR.replace(calls=(*_CALLS, *_DSML.calls)), {})

DIALECT = _dialect(_GRAMMAR, {"dsml": {"bare": _BARE_DSML}})

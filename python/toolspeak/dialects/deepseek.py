"""deepseek: `NAME<｜tool▁sep｜>JSON` between call tokens, calls abutting inside a section.

The header `function` announces the older form (the name in the next line, then fenced JSON), so
a tool of that very name is written in the older form.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from toolspeak.dialect import Dialect
from toolspeak.dialects._common import CommonRenderer
from toolspeak.dialects._tagged import dsml_section
from toolspeak.errors import RenderError
from toolspeak.grammar import Call, Grammar, Header, Json, Literal, Section, Thinking
from toolspeak.messages.values import ToolCall, ToolResult
from toolspeak.tools.tool_set import ToolSet
from toolspeak.writing.renderer import TurnMarks
from toolspeak.writing.text import compact_json, load_guide, require_name

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


_CALL = Call(
    open=Literal("<｜tool▁call▁begin｜>"),
    close=Literal("<｜tool▁call▁end｜>"),
    name=Header(
        ends=Literal("<｜tool▁sep｜>"),
        body_start="{",
        bare=True,
        # The older form: `function`, the separator, the name, and JSON in a fence.
        then=("function", Header(ends=Literal("```json", "```"))),
    ),
    body=Json(),
)
_SECTION_CLOSE = Literal("<｜tool▁calls▁end｜>")
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
    calls=(_CALL,),
    sections=(Section(Literal("<｜tool▁calls▁begin｜>"), _SECTION_CLOSE, (_CALL,)), _DSML),
    thinking=(Thinking(Literal("<think>"), Literal("</think>")),),
    call_in_thinking="ends prompted",
    results=(Literal("<｜tool▁outputs▁begin｜>", "<｜tool▁output▁begin｜>", "<function_results>"),),
    stray=(_DSML.close,),
    control=(Literal(*(f"<｜{token}｜>" for token in _CONTROL)),),
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
_BARE_DSML = _dialect(replace(_GRAMMAR, calls=(_CALL, *_DSML.calls)), {})

DIALECT = _dialect(_GRAMMAR, {"dsml": {"bare": _BARE_DSML}})

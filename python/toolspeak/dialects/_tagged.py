"""Calls as tags: `<invoke name="N"><parameter name="K">V</parameter></invoke>`.

A value is literal up to the first closing parameter tag, of any prefix and any case. Raw text that
holds one is written as JSON with `<` escaped and marked `string="false"`. The same mark carries a
value that is no string for a parameter whose schema says string. DSML writes the mark always.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import product
from typing import TYPE_CHECKING

from toolspeak.dialects._common import CommonRenderer
from toolspeak.errors import RenderError
from toolspeak.grammar import (
    CallForm,
    CloseTag,
    Exact,
    Grammar,
    NameIn,
    Noise,
    OpenTag,
    Section,
    TagSyntax,
    Thinking,
    Values,
)
from toolspeak.tools.tool_set import ToolSet
from toolspeak.writing.renderer import Turn, TurnMarks
from toolspeak.writing.text import (
    checked_tag,
    compact_json,
    escape_text,
    has_surrogate,
    hide_less_than,
    quote_attribute,
)

if TYPE_CHECKING:
    from toolspeak.messages.values import ToolCall, ToolResult

__all__ = [
    "DSML_SYNTAX",
    "TAG_SYNTAX",
    "FunctionResultsRenderer",
    "TaggedRenderer",
    "dsml_grammar",
    "tagged_grammar",
]

TAG_SYNTAX = TagSyntax(any_namespace=True, ignore_case=True)
"""Tags with any namespace prefix and in any case."""

_DSML_BARS = [*product("｜|", repeat=2), ("｜｜", "｜｜"), ("||", "||")]
_DSML_PREFIXES = tuple(
    f"{left}DSML{right}{space}" for left, right in _DSML_BARS for space in ("", " ")
)
DSML_SYNTAX = TagSyntax(
    open=tuple(f"<{prefix}" for prefix in _DSML_PREFIXES),
    close=tuple(f"</{prefix}" for prefix in _DSML_PREFIXES),
    quotes="double",
    quotes_protect=False,
)
"""DSML tags: full-width or ASCII pipes, freely mixed or doubled, perhaps with a space behind."""


def invoke_call(syntax: TagSyntax, hint_default: str | None = None) -> CallForm:
    """A call as an `invoke` tag with `parameter` tags; see `Values` for `hint_default`."""
    return CallForm(
        open=OpenTag(("invoke",), syntax),
        close=CloseTag(("invoke",), syntax),
        name=NameIn("name"),
        body=Values(
            open=OpenTag(("parameter",), syntax),
            close=CloseTag(("parameter",), syntax),
            key=NameIn("name"),
            hint="string",
            hint_default=hint_default,
        ),
    )


def tagged_grammar(sections: tuple[str, ...], thinking: tuple[str, ...]) -> Grammar:
    """`invoke` calls, bare or in one of `sections`; `thinking` names the thinking tags."""
    invoke = invoke_call(TAG_SYNTAX)
    close = CloseTag(sections, TAG_SYNTAX)
    return Grammar(
        calls=(invoke,),
        sections=(Section(OpenTag(sections, TAG_SYNTAX), close, (invoke,)),),
        thinking=tuple(
            Thinking(OpenTag((name,), TAG_SYNTAX), CloseTag((name,), TAG_SYNTAX))
            for name in thinking
        ),
        results=(OpenTag(("tool_response", "function_results"), TAG_SYNTAX),),
        noise=(Noise(close),),
    )


def dsml_section() -> Section:
    """The section that DSML calls need, in the names that models give it."""
    names = ("tool_calls", "function_calls", "calls", "toolcalls", "tool")
    return Section(
        open=OpenTag(names, DSML_SYNTAX),
        close=CloseTag(names, DSML_SYNTAX),
        calls=(invoke_call(DSML_SYNTAX, hint_default="true"),),
    )


def dsml_grammar() -> Grammar:
    """DSML alone: calls in their section, `<think>`."""
    section = dsml_section()
    return Grammar(
        sections=(section,),
        thinking=(Thinking(Exact("<think>"), Exact("</think>")),),
        results=(Exact("<function_results>", "<tool_response>"),),
        noise=(Noise(section.close),),
    )


# Wider than any scanner's idea of a closer: what merely resembles one is escaped as well.
_CLOSER = re.compile(r"<\s*/[^<>]*parameter", re.IGNORECASE)


_HUMAN = ("\n\nHuman: ", "")
_TURNS = TurnMarks(
    system=_HUMAN,
    developer=("\n\n", ""),
    user=_HUMAN,
    assistant=("\n\nAssistant: ", ""),
    tool=_HUMAN,
    # A model goes on with the blank itself.
    reply="\n\nAssistant:",
)


class TaggedRenderer(CommonRenderer):
    """Calls as `invoke` and `parameter` tags, with `<tool_response>` results.

    `section` names the tag around a turn's calls (None: there is none), `prefix` stands before
    every tag name, `line` between the tags of a call. `marked` writes `string="true|false"` on
    every parameter, not only where the schema would be read otherwise.
    """

    marks = _TURNS

    def __init__(
        self,
        *,
        section: str | None = None,
        prefix: str = "",
        line: str = "",
        marked: bool = False,
        thinking: str = "thinking",
    ) -> None:
        self.section = section and prefix + section
        self.invoke = prefix + "invoke"
        self.parameter = prefix + "parameter"
        self.line = line
        self.marked = marked
        self.thinking_tags = (f"<{thinking}>", f"</{thinking}>")

    def render_call(self, call: ToolCall, tools: ToolSet, *, example: bool = False) -> str:
        """One `invoke` element with a `parameter` element per argument."""
        parameters = [
            self._parameter(key, value, tools.is_string_only(call.name, key))
            for key, value in call.arguments.items()
        ]
        opener = checked_tag(f"<{self.invoke} name={self._quoted(call.name, 'the tool name')}>")
        return self.line.join([opener, *parameters, f"</{self.invoke}>"])

    def render_calls(
        self, calls: Sequence[ToolCall], tools: ToolSet, *, example: bool = False
    ) -> str:
        """The calls, each on its own line, inside the section if the dialect has one."""
        body = super().render_calls(calls, tools, example=example)
        return f"<{self.section}>\n{body}\n</{self.section}>" if self.section and calls else body

    def render_transcript(self, turns: Sequence[Turn], tools: ToolSet, *, reply: bool) -> str:
        """Turns of `Human:` and `Assistant:`; developers' instructions stand bare before them."""
        written = super().render_transcript(turns, tools, reply=reply)
        begins_bare = bool(turns) and turns[0].role == "developer"
        return written.removeprefix(_TURNS.developer[0]) if begins_bare else written

    def _parameter(self, key: str, value: object, string_only: bool) -> str:
        text, is_string = _value_text(value, string_only or self.marked)
        mark = ""
        if self.marked or (string_only and not is_string):
            mark = f' string="{str(is_string).lower()}"'
        name = self._quoted(key, "the parameter name")
        return f"{checked_tag(f'<{self.parameter} name={name}{mark}>')}{text}</{self.parameter}>"

    def _quoted(self, name: str, what: str) -> str:
        quoted = quote_attribute(name, what)
        # DSML knows double quotes only, and its tags end at the first `>`.
        if self.marked and (quoted[0] != '"' or ">" in name):
            raise RenderError(f"{what} {name!r} holds what ends a name in a DSML tag")
        return quoted


def _value_text(value: object, may_be_raw: bool) -> tuple[str, bool]:
    """The text of a value, and whether that text is the string itself rather than JSON."""
    if may_be_raw and isinstance(value, str) and _is_literal(value):
        return value, True
    return hide_less_than(compact_json(value), _CLOSER), False


def _is_literal(text: str) -> bool:
    return not has_surrogate(text) and not _CLOSER.search(text)


class FunctionResultsRenderer(TaggedRenderer):
    """Tagged calls whose results come back in one `<function_results>` element."""

    def render_results(self, results: Iterable[ToolResult]) -> str:
        """A `<result>` per success and an `<error>` per failure, in one element."""
        body = "\n".join(map(_result, results))
        return f"<function_results>\n{body}\n</function_results>"


def _result(result: ToolResult) -> str:
    kind, stream = ("error", "stderr") if result.is_error else ("result", "stdout")
    name = f"<tool_name>{escape_text(result.name)}</tool_name>"
    return f"<{kind}>\n{name}\n<{stream}>{result.text}</{stream}>\n</{kind}>"

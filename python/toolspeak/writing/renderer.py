"""Writing a dialect: calls, results, thinking and conversations, all from its record.

What is written is read back before it is returned: `RenderError` for what the dialect's scanner
would not read as the same calls. So a renderer cannot disagree with the scanner, whatever the names
and values, and no rule about markers stands here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from toolspeak.errors import GrammarError, RenderError
from toolspeak.family import Family
from toolspeak.grammar import Grammar, MessageHeader
from toolspeak.messages.values import ToolCall, ToolResult
from toolspeak.record import Record
from toolspeak.tools.tool_set import ToolSet
from toolspeak.writing.calls import CallWriter
from toolspeak.writing.literals import write_literal
from toolspeak.writing.read_back import is_same, read_back
from toolspeak.writing.result_values import clean_value, result_value
from toolspeak.writing.text import (
    MAX_TAG_BYTES,
    escape_text,
    fill,
    has_surrogate,
    unwrap_thinking,
)
from toolspeak.written import Around, Results, Role, Turns

if TYPE_CHECKING:
    from toolspeak._core import CompiledGrammar

__all__ = ["Renderer", "Turn", "WritableDialect"]


class Turn(Record):
    """What one side says: text, and of an assistant also thinking and calls, of tools results."""

    role: Role
    text: str = ""
    thinking: str = ""
    calls: tuple[ToolCall, ...] = ()
    results: tuple[ToolResult, ...] = ()


class WritableDialect(Protocol):
    """What a renderer reads off a `Dialect`."""

    @property
    def name(self) -> str:
        """What errors call it."""

    @property
    def grammar(self) -> Grammar:
        """Its calls, sections and thinking, and how they are written."""

    @property
    def turns(self) -> Turns:
        """How conversations are written."""

    @property
    def results(self) -> Results | None:
        """How results are written; None: it has none."""

    @property
    def family(self) -> Family:
        """Which models speak it."""

    def _compiled(self) -> CompiledGrammar:
        """What reads it."""


class Renderer:
    """Writes one dialect. A subclass says how what no record can say is written."""

    def __init__(self, dialect: WritableDialect) -> None:
        self.dialect = dialect

    # --- calls ----------------------------------------------------------------------------------

    def write_call(self, call: ToolCall, index: int, tools: ToolSet) -> Iterator[str]:
        """The ways to write a turn's call with this index, plainest first.

        The first one that reads back is taken.
        """
        for form in self.forms:
            yield form.write(call, index, tools)

    def render_call(self, call: ToolCall, tools: ToolSet, *, example: bool = False) -> str:
        """One call, without the section around calls.

        Raises `RenderError` for a call that the dialect's scanner would not read back equal.
        """
        return self._render_call(call, 0, tools, example=example)

    def render_calls(
        self, calls: Sequence[ToolCall], tools: ToolSet, *, example: bool = False
    ) -> str:
        """A turn's calls with the section around them; no calls: what the dialect calls none."""
        written = [
            self._render_call(call, index, tools, example=example)
            for index, call in enumerate(calls)
        ]
        if example and self._example_form is not None:
            return self._joined(written)
        together = self._in_section(written)
        if len(calls) > 1 and not self.reads_as(together, calls, tools):
            names = ", ".join(call.name for call in calls)
            raise RenderError(f"{self.dialect.name} would not read back the calls {names} together")
        return together

    def check(self) -> None:
        """Raises `GrammarError` for a form whose calls are not read back as they are written."""
        for form in self.forms:
            written = ""
            try:
                written = form.write(_PROBE, 0, _PROBE_TOOLS)
                if self.reads_as(self._in_section([written]), [_PROBE], _PROBE_TOOLS):
                    continue
                why = f"a call that is written so is read otherwise: {written!r}"
            except RenderError as error:
                why = f"a call cannot be written so: {error}"
            place = f"the form {self.dialect.grammar.forms().index(form.form)} of call"
            raise GrammarError(f"{place}: written", why)

    def call_ids(self, calls: Sequence[ToolCall]) -> list[str]:
        """The ids under which a turn's calls are written, for results to name."""
        return [self._call_id(call.id, call.name, index) for index, call in enumerate(calls)]

    def reads_as(self, text: str, calls: Sequence[ToolCall], tools: ToolSet) -> bool:
        """Whether the dialect's scanner reads `text` as these calls, and mends nothing."""
        if has_surrogate(text):
            return False
        found = read_back(self.dialect._compiled(), text, tools)
        return len(found) == len(calls) and all(map(is_same, found, calls))

    def _render_call(self, call: ToolCall, index: int, tools: ToolSet, *, example: bool) -> str:
        if not call.name:
            raise RenderError("a call needs a tool name")
        written = ""
        for written in self.write_call(call, index, tools):
            if self.reads_as(self._in_section([written]), [call], tools):
                break
        else:
            raise self._refusal(call, written, tools)
        form = self._example_form
        return form.write(call, index, tools, example=True) if example and form else written

    def _refusal(self, call: ToolCall, written: str, tools: ToolSet) -> RenderError:
        """Why no reader would take `written`, the last try, for the call."""
        name, dialect = call.name, self.dialect.name
        if not self.dialect.grammar.forms():
            return RenderError(f"{dialect} has no calls: use the model's own dialect")
        if not self.forms:
            return RenderError(f"{dialect} does not say how calls are `written`: see CallForm")
        if any(map(has_surrogate, (written, name, *call.arguments))):
            return RenderError(f"a name or a text in the call of {name!r} is not UTF-8")
        longest = max(map(len, map(str.encode, (name, *call.arguments))), default=0)
        if longest + len("<>") > MAX_TAG_BYTES:
            return RenderError(f"a name is too long for a tag, which has {MAX_TAG_BYTES} bytes")
        found = read_back(self.dialect._compiled(), self._in_section([written]), tools)
        if len(found) != 1 or found[0].name != name:
            told = "" if name in tools else ", unless the tool list names it: pass the tools"
            return RenderError(f"{dialect} cannot carry the tool name {name!r}{told}")
        return RenderError(f"{dialect} would not read back the arguments of {name!r} as they are")

    # --- sections -------------------------------------------------------------------------------

    def _joined(self, written: Sequence[str]) -> str:
        if not self.forms:
            return ""
        how = self.forms[0].written
        before, after = how.many if how.many and len(written) != 1 else ("", "")
        return f"{before}{how.between.join(written)}{after}"

    def _in_section(self, written: Sequence[str]) -> str:
        joined = self._joined(written)
        before, after = self.section if joined else ("", "")
        return f"{before}{joined}{after}"

    @cached_property
    def forms(self) -> list[CallWriter]:
        """The forms that are written, those first that are to be written first."""

        def reads(text: str, call: ToolCall, tools: ToolSet) -> bool:
            return self.reads_as(self._in_section([text]), [call], tools)

        forms = self.dialect.grammar.forms()
        return [CallWriter(form, form.written, reads) for form in forms if form.written]

    @cached_property
    def section(self) -> Around:
        """What stands around a turn's calls."""
        form = self.forms[0].form
        sections = (it for it in self.dialect.grammar.sections if form in it.calls)
        return next((it.written for it in sections if it.written), ("", ""))

    @cached_property
    def _example_form(self) -> CallWriter | None:
        """The form that examples in prompts have, if they are written in one of their own."""
        return next((form for form in self.forms if form.written.example), None)

    # --- thinking -------------------------------------------------------------------------------

    def render_thinking(self, text: str) -> str:
        """A thinking block; empty text: the empty string.

        Text that is itself one or several complete blocks is unwrapped first. Anything else is
        written as it is: a closer in the midst of thinking ends the block for a reader.
        """
        if not text:
            return ""
        if self._messages is not None:
            return self._message(self._messages.thinking, text)
        pair = self.dialect.grammar.written_thinking()
        if pair is None or pair.written is None:
            raise RenderError(f"{self.dialect.name} writes no thinking: no pair has `written`")
        before, after = pair.written
        own = unwrap_thinking(before.strip(), after.strip(), text) if pair.close else text
        return f"{before}{own}{after}"

    @property
    def _messages(self) -> MessageHeader | None:
        return self.forms[0].messages if self.forms else None

    def _message(self, channel: str, text: str) -> str:
        """A message that is no call."""
        before, after = self.forms[0].message(channel)
        return f"{before}{text}{after}"

    # --- results --------------------------------------------------------------------------------

    def render_results(self, results: Iterable[ToolResult]) -> str:
        """The text that carries tool results back to the model."""
        written = self._results(results)
        how = self.dialect.results
        return written if how is None else f"{how.around[0]}{written}{how.around[1]}"

    def render_result_turn(self, results: Sequence[ToolResult]) -> str:
        """A run of results inside their turn."""
        written = self._results(results)
        how = self.dialect.results
        before, after = ("", "") if how is None else how.in_turn or how.around
        return f"{before}{written}{after}"

    def clean_result(self, text: str, clean: Callable[[str], str]) -> str:
        """A result's text with `clean` applied to all that is written of it as text."""
        how = self.dialect.results
        return clean_value(text, clean) if how and "{value}" in how.each else clean(text)

    def _results(self, results: Iterable[ToolResult]) -> str:
        how = self.dialect.results
        if how is None:
            if any(True for _ in results):
                raise RenderError(
                    f"{self.dialect.name} has no results: use the model's own dialect"
                )
            return ""
        written = (self._result(how, result, index) for index, result in enumerate(results))
        return how.between.join(written)

    def _result(self, how: Results, result: ToolResult, index: int) -> str:
        text = how.error if how.error and result.is_error else how.each
        holes = {
            "text": result.text,
            "name": result.name,
            "escaped_name": escape_text(result.name),
            "id": self._call_id(result.id, result.name, index),
        }
        if "{value}" in text:
            holes["value"] = write_literal(result_value(result.text), self.forms[0].literals)
        return fill(text, holes)

    def _call_id(self, own: str, name: str, index: int) -> str:
        """The id of a call, in the form that the wire has for ids if it has one."""
        return self.forms[0].call_id(own, name, index) if self.forms else own

    # --- conversations --------------------------------------------------------------------------

    def render_transcript(self, turns: Sequence[Turn], tools: ToolSet, *, reply: bool) -> str:
        """A whole conversation; `reply` lets the model go on. No turns: nothing."""
        how = self.dialect.turns
        if not turns and not reply:
            return ""
        if how.instructions == "user":
            turns = list(_instructed(turns))
        if how.results == "reply":
            turns = list(_answered(turns))
        written = "".join(self.render_turn(turn, tools) for turn in turns)
        if turns and turns[0].role in how.bare_first:
            written = written.removeprefix(how.around(turns[0].role)[0])
        return f"{how.begin}{written}{how.reply if reply else ''}"

    def render_turn(self, turn: Turn, tools: ToolSet) -> str:
        """One turn between its marks."""
        before, after = self.dialect.turns.around(turn.role)
        if turn.role == "assistant":
            return f"{before}{self.render_reply(turn, tools)}{after}"
        if turn.role == "tool":
            return f"{before}{self.render_result_turn(turn.results)}{after}"
        return f"{before}{turn.text}{after}"

    def render_reply(self, turn: Turn, tools: ToolSet) -> str:
        """What the model itself wrote: thinking, text and calls, nothing between them.

        Where results stand in the reply that they answer, they are its end.
        """
        before, after = self.dialect.turns.thinking if turn.thinking else ("", "")
        thinking = f"{before}{self.render_thinking(turn.thinking)}{after}"
        calls = self.render_calls(turn.calls, tools)
        text = turn.text
        if self._messages is not None and (text or not (thinking or calls)):
            text = self._message(self._messages.text, text)
        results = self.render_results(turn.results) if turn.results else ""
        return f"{thinking}{text}{calls}{results}"


_FIELDS = {"text": {"type": "string"}, "number": {"type": "integer"}}
_PROBE = ToolCall("call_0", "probe", {"text": "some text", "number": 5})
_PROBE_TOOLS = ToolSet([{"name": "probe", "parameters": {"properties": _FIELDS}}])


def _instructed(turns: Sequence[Turn]) -> Iterator[Turn]:
    """The turns, each run of instructions joined with the user's turn behind it."""
    texts: list[str] = []
    for turn in turns:
        if turn.role in ("system", "developer"):
            texts.append(turn.text)
        elif turn.role == "user":
            yield _joined_turn([*texts, turn.text])
            texts = []
        else:
            if texts:
                yield _joined_turn(texts)
                texts = []
            yield turn
    if texts:
        yield _joined_turn(texts)


def _joined_turn(texts: Sequence[str]) -> Turn:
    return Turn("user", "\n\n".join(filter(None, texts)))


def _answered(turns: Sequence[Turn]) -> Iterator[Turn]:
    """The turns, each run of results moved into the assistant's turn before it."""
    for index, turn in enumerate(turns):
        after = turns[index + 1] if index + 1 < len(turns) else None
        if turn.role == "assistant" and after is not None and after.role == "tool":
            yield turn.replace(results=after.results)
        elif turn.role != "tool" or not index or turns[index - 1].role != "assistant":
            yield turn

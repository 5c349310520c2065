"""A dialect: grammar + prompt guide + renderers under one name.

What writes (`toolspeak.writing`) is imported when it is first used: a server that only reads model
output needs none of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from toolspeak._core import CompiledGrammar, Scanner
from toolspeak.family import Family
from toolspeak.grammar import CallInThinking, Grammar
from toolspeak.options import ScanFields, ScanOptions, scan_options
from toolspeak.record import Record
from toolspeak.reply_start import begun_reply
from toolspeak.tools.tool_set import ToolInput, Tools, ToolSet
from toolspeak.turn_tokens import without_turn_tokens
from toolspeak.written import CHATML, TOOL_RESPONSES, Results, Turns

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from toolspeak.constrain.constraint import Constraint, Reasoning, ToolChoice
    from toolspeak.messages.values import ToolCall, ToolResult
    from toolspeak.writing.renderer import Renderer
    from toolspeak.writing.transcript import MessageDict
    from toolspeak.writing.untrusted import FoundMarker, Untrusted

__all__ = ["Dialect"]

_NO_VARIANTS: Mapping[str, Mapping[str, Any]] = {}


class Dialect(Record):
    """One spelling of tool calls.

    The `grammar` says how calls and thinking are read and written, `results` and `turns` how the
    rest of a conversation is, `family` which models speak it. `renderer` makes the writer of a
    dialect with spellings that no record can say. `variants` maps the dialect's own options to
    their other values and what the dialect is then: `{"tagset": {"dsml": Dialect(…)}}`.
    """

    name: str
    grammar: Grammar
    results: Results | None = TOOL_RESPONSES
    turns: Turns = CHATML
    family: Family = Family()
    guide: str = ""
    summary: str = ""
    renderer: Callable[[Dialect], Renderer] | None = None
    variants: Mapping[str, Mapping[str, Dialect]] = _NO_VARIANTS

    # Dialects are few, and their grammars large: each is itself alone.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def check(self) -> None:
        """Raises `TypeError` for a field of another type."""
        for name, value, kind in (
            ("name", self.name, str),
            ("grammar", self.grammar, Grammar),
            ("turns", self.turns, Turns),
        ):
            if not isinstance(value, kind):
                raise TypeError(f"a dialect's {name} is a {kind.__name__}, not {value!r}")
        self.__dict__["compiled grammars"] = {}

    @property
    def writer(self) -> Renderer:
        """What writes the dialect."""
        known: Renderer | None = self.__dict__.get("known writer")
        if known is None:
            from toolspeak.writing.renderer import Renderer

            known = self.__dict__["known writer"] = (self.renderer or Renderer)(self)
        return known

    def with_options(self, **options: str) -> Dialect:
        """The dialect with its own options set.

        Raises `TypeError` for an option it does not have, `ValueError` for an unknown value; both
        list what there is.
        """
        dialect = self
        for option, value in options.items():
            if option not in self.variants:
                known = ", ".join(self.variants) or "none"
                raise TypeError(f"{self.name} has no option {option!r} of its own; it has: {known}")
            dialect = dialect._variant(option, value)
        return dialect

    def _variant(self, option: str, value: str) -> Dialect:
        values = self.variants.get(option, {})
        if value in values:
            return values[value]
        if value in ("default", self.name):
            return self
        known = ", ".join(map(repr, [self.name, *values]))
        raise ValueError(f"{self.name}: {option}={value!r} is not known; it can be {known}")

    def scanner(
        self,
        *,
        tools: Tools = (),
        prompt: str = "",
        options: ScanOptions | None = None,
        **changes: Unpack[ScanFields],
    ) -> Scanner:
        """A scanner at the beginning of a stream.

        `tools`: OpenAI tool dicts or bare function dicts; their schemas type the arguments.
        `prompt`: the rendered prompt, or its end. The stream goes on behind what of the reply
        stands in it: inside thinking, an answer, or a call, which is told from its beginning; text
        and thinking of the prompt are not told. The reply begins behind the last of what the
        dialect's `turns` put before one, or else where `prompt` does.
        `options`: how the stream is treated, see `ScanOptions`; `changes` are its fields, as
        keywords: `scanner(tools=tools, start="thinking")`. Raises `TypeError` for an unknown
        option, `ValueError` for an unknown value, or for a `prompt` beside `start="thinking"`.
        """
        chosen = scan_options(options, **changes)
        scanner = Scanner(self._compiled_with(chosen), ToolSet.of(tools), chosen.settings)
        if prompt:
            if chosen.start != "text":
                raise ValueError(f"start={chosen.start!r} says what the prompt does: leave one out")
            begun = begun_reply(prompt, self.grammar, self.turns, self.family, self.results)
            scanner._begin_behind(begun)
        return scanner

    @cached_property
    def scanned(self) -> Grammar:
        """The grammar that scanners read with: it drops the tokens of turns from text."""
        return without_turn_tokens(self.grammar, self.turns, self.family)

    @cached_property
    def _without_calls(self) -> Grammar:
        return without_turn_tokens(self.grammar.without_calls(), self.turns, self.family)

    def _compiled_with(self, options: ScanOptions) -> CompiledGrammar:
        return self._compiled(
            thinking=options.parse_thinking,
            results=options.on_result == "stop",
            call_in_thinking=options.call_in_thinking,
            calls=options.calls != "text",
        )

    def _compiled(
        self,
        *,
        thinking: bool = True,
        results: bool = False,
        call_in_thinking: CallInThinking | None = None,
        calls: bool = True,
    ) -> CompiledGrammar:
        """The compiled grammar, made at its first use; see `Grammar.compile`."""
        key = (thinking, results, call_in_thinking, calls)
        known: dict[tuple[bool, bool, str | None, bool], CompiledGrammar]
        known = self.__dict__["compiled grammars"]
        found = known.get(key)
        if found is None:
            found = known[key] = (self.scanned if calls else self._without_calls).compile(
                thinking=thinking, results=results, call_in_thinking=call_in_thinking
            )
        return found

    def render_call(
        self, call: ToolCall | Mapping[str, Any], tools: Tools = (), *, example: bool = False
    ) -> str:
        """One call as the model would write it.

        `call` is a `ToolCall` or an OpenAI tool-call dict. Raises `RenderError` if the dialect
        cannot carry it so that it reads back equal.
        """
        from toolspeak.writing.transcript import as_call

        return self.writer.render_call(as_call(call), ToolSet.of(tools), example=example)

    def render_calls(
        self,
        calls: Iterable[ToolCall | Mapping[str, Any]],
        tools: Tools = (),
        *,
        example: bool = False,
    ) -> str:
        """A turn's calls, with the section around them where the dialect has one."""
        from toolspeak.writing.transcript import as_call

        return self.writer.render_calls(
            [as_call(call) for call in calls], ToolSet.of(tools), example=example
        )

    def render_results(
        self, results: Iterable[ToolResult], *, untrusted: Untrusted = "verbatim"
    ) -> str:
        """The text that carries tool results back to the model.

        `untrusted` says what happens to markers and chat tokens in them: `"verbatim"` keeps every
        byte, as chat templates and training data have it, and leaves it to a tokenizer that
        encodes data without special tokens; `"neutralize"` breaks them with a space (see
        `find_markers`), which is right where the prompt is one string; `"raise"` raises
        `UntrustedMarkerError`.
        """
        from toolspeak.writing.untrusted import clean_results

        return self.writer.render_results(clean_results(results, self, untrusted))

    def find_markers(self, text: str) -> list[FoundMarker]:
        """Where `text` holds markers of the dialect or control tokens of chat templates.

        A found marker has `start`, `end` (in characters), `text` and `kind`.
        """
        from toolspeak.writing.untrusted import find_markers

        return find_markers(text, self)

    def render_thinking(self, text: str) -> str:
        """A thinking block as the model would write it; the empty string for empty text."""
        return self.writer.render_thinking(text)

    def constrain(
        self,
        tools: Tools,
        tool_choice: ToolChoice = "auto",
        *,
        parallel_tool_calls: bool = True,
        strict: bool = True,
        reasoning: Reasoning = None,
        special_tokens: Iterable[str] | Mapping[str, int] = (),
    ) -> Constraint:
        """Grammars that make a model write this dialect: valid calls of these tools, and no others.

        `tool_choice` and `parallel_tool_calls` are as in OpenAI's chat API. The same `ToolSet` gets
        the same constraint, whose grammars are made once. With `strict`, what an
        engine does not enforce of a schema is a `ConstraintError`; else it is in the constraint's
        `notes`. `reasoning`: the thinking before the rest. `special_tokens`: the dialect's markers
        that are special tokens of the model's tokenizer, with their ids if those are known.
        """
        from toolspeak.constrain.constraint import make_constraint

        return make_constraint(
            self.writer,
            tools,
            tool_choice,
            parallel=parallel_tool_calls,
            strict=strict,
            reasoning=reasoning,
            special_tokens=special_tokens,
        )

    def render_prompt(self, tools: Tools) -> str:
        """What to put into the prompt: the tools as JSON, one to a line, and the guide.

        Without tools there is nothing to tell: the empty string, or the guide of a dialect that
        has no calls. Raises `TypeError`, `ValueError` or `RenderError` naming a bad tool.
        """
        from toolspeak.writing.prompt import render_prompt

        known = ToolSet.of(tools)
        return render_prompt(self.guide, known) if known or not self.grammar.forms() else ""

    def render_inventory(self, tools: Tools) -> str:
        """The tools for people and models to read: a Markdown section for each.

        It holds the description, the parameters as a TypeScript type, and the examples.
        """
        from toolspeak.writing.prompt import render_inventory

        return render_inventory(self.writer, ToolSet.of(tools))

    def render_examples(self, tool: ToolInput) -> str:
        """A tool's examples, each call written in the dialect; no examples: the empty string."""
        from toolspeak.tools.tool import Tool
        from toolspeak.writing.prompt import render_examples

        return render_examples(self.writer, Tool.of(tool))

    def render_transcript(
        self,
        messages: Sequence[MessageDict],
        tools: Tools = (),
        *,
        add_generation_prompt: bool = False,
        untrusted: Untrusted = "verbatim",
    ) -> str:
        """A whole conversation as one text, in the turns of the dialect's family of models.

        `messages` are OpenAI-style dicts; images become placeholders. `add_generation_prompt`
        opens the assistant's turn at the end. `untrusted`: what happens to markers in what users
        and tools wrote, see `render_results`. Raises `RenderError` or `TypeError` naming the
        message for an unknown role or malformed content.
        """
        from toolspeak.writing.transcript import clean_turns, read_turns

        turns = clean_turns(read_turns(messages, self.writer), self, untrusted)
        return self.writer.render_transcript(turns, ToolSet.of(tools), reply=add_generation_prompt)

    def encode_history(
        self,
        messages: Sequence[MessageDict],
        tools: Tools = (),
        *,
        untrusted: Untrusted = "verbatim",
        verify: bool = False,
    ) -> list[dict[str, Any]]:
        """The conversation for a server that knows no tools: calls and results as plain text.

        Calls stand in the dialect right behind their message's content; a run of results is one
        user message, with images behind the text. Everything else stays as it is.

        A scanner reads the same calls from such a message, and before the first of them the
        content byte for byte, unless the content itself holds markup. `verify=True` raises
        `RenderError` then. `untrusted`: see `render_transcript`.
        """
        from toolspeak.writing.transcript import encode_history

        return encode_history(messages, self, ToolSet.of(tools), untrusted=untrusted, verify=verify)

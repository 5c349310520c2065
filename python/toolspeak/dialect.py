"""A dialect: grammar + prompt guide + renderers under one name."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any, Literal

from toolspeak._core import CompiledGrammar, Scanner
from toolspeak.grammar import Call, CallInThinking, Grammar
from toolspeak.messages.values import ToolCall, ToolResult
from toolspeak.reading.decoder import Decoder, Policies
from toolspeak.tools.tool import Tool
from toolspeak.tools.tool_set import ToolInput, Tools, ToolSet
from toolspeak.writing import prompt
from toolspeak.writing.renderer import Renderer
from toolspeak.writing.transcript import (
    MessageDict,
    as_call,
    clean_turns,
    encode_history,
    read_turns,
)
from toolspeak.writing.untrusted import FoundMarker, Untrusted, clean_results, find_markers

__all__ = ["Dialect", "Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on what one stream may take; what goes beyond is a `ToolAbort` with reason "limit".

    `max_call_bytes`: the raw text of one call, in bytes. `max_calls`: calls of one stream.
    `max_depth`: nested brackets in the JSON of one call. Raises `ValueError` below 1.
    """

    max_call_bytes: int = 32 * 1024 * 1024
    max_calls: int = 10_000
    max_depth: int = 200

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if type(value) is not int or not 1 <= value <= sys.maxsize:
                raise ValueError(f"{name}={value!r}: a limit is a whole number from 1")


_DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, eq=False)
class Dialect:
    """One spelling of tool calls.

    Without a `renderer` it can be read but not written. `variants` maps the dialect's own options
    to their other values and what the dialect is then: `{"tagset": {"dsml": Dialect(…)}}`.
    """

    name: str
    grammar: Grammar
    renderer: Renderer = field(default_factory=Renderer)
    guide: str = ""
    summary: str = ""
    variants: Mapping[str, Mapping[str, Dialect]] = field(default_factory=dict)
    _compiled: dict[tuple[bool, bool, str | None], CompiledGrammar] = field(
        default_factory=dict, init=False, repr=False
    )
    _forms: list[Call] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        for name, value, kind in (
            ("name", self.name, str),
            ("grammar", self.grammar, Grammar),
            ("renderer", self.renderer, Renderer),
        ):
            if not isinstance(value, kind):
                raise TypeError(f"a dialect's {name} is a {kind.__name__}, not {value!r}")
        self._forms.extend(self.grammar.forms())

    def with_options(self, **options: str) -> Dialect:
        """The dialect with its own options set.

        Raises `TypeError` for an option it does not have, `ValueError` for an unknown value; both
        list what there is.
        """
        dialect = self
        for option, value in options.items():
            if option not in self.variants:
                known = ", ".join([*_SCANNER_OPTIONS, *self.variants])
                raise TypeError(f"{self.name} has no option {option!r}; a scanner takes: {known}")
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

    def scanner(  # noqa: PLR0913 - one keyword per policy
        self,
        *,
        tools: Tools = (),
        parse_thinking: bool = True,
        start: Literal["text", "thinking"] = "text",
        whitespace: Literal["keep", "trim"] = "keep",
        repair: bool = True,
        on_result: Literal["text", "stop"] = "text",
        limits: Limits = _DEFAULT_LIMITS,
        call_in_thinking: CallInThinking | None = None,
        fenced: Literal["calls", "text"] = "calls",
        truncated: Literal["abort", "recover"] = "abort",
        unknown_tools: Literal["call", "abort"] = "call",
        entities: Literal["keep", "decode"] = "keep",
        **options: str,
    ) -> Scanner:
        """A scanner at the beginning of a stream.

        `tools`: OpenAI tool dicts or bare function dicts; their schemas type the arguments.
        `parse_thinking=False`: thinking markers are text. `start="thinking"`: the prompt already
        opened the thinking block. `whitespace="trim"`: white space beside calls and thinking is
        not text. `repair=False`: unreadable JSON is `ToolAbort("malformed")`.
        `on_result="stop"`: a tool result that the model writes itself ends the stream with
        `Stopped`. `limits`: see `Limits`.

        `call_in_thinking`: whether a call's opener inside thinking is `"quoted"`, `"ends"` the
        thinking, or `"ends prompted"` thinking only, which the prompt opened; None: as the dialect
        has it. `fenced="text"`: calls inside a Markdown code fence are text.
        `truncated="recover"`: a call that the end of the stream cut behind a complete argument
        counts, as repaired. `unknown_tools="abort"`: a call of a tool that is not in `tools` is
        `ToolAbort("malformed")`. `entities="decode"`: `&lt;` and the like in tagged values are
        decoded.

        `options`: the dialect's own, such as `tagset="dsml"` for xml. Raises `TypeError` for an
        unknown option, `ValueError` for an unknown value.
        """
        dialect = self.with_options(**options) if options else self
        if not isinstance(limits, Limits):
            raise TypeError(f"limits is a toolspeak.Limits, not {limits!r}")
        if call_in_thinking is not None:
            _require("call_in_thinking", call_in_thinking, "quoted", "ends prompted", "ends")
        _require("on_result", on_result, "text", "stop")
        _require("fenced", fenced, "calls", "text")
        _require("truncated", truncated, "abort", "recover")
        _require("unknown_tools", unknown_tools, "call", "abort")
        _require("entities", entities, "keep", "decode")
        return Scanner(
            dialect.compiled(
                thinking=parse_thinking,
                results=on_result == "stop",
                call_in_thinking=call_in_thinking,
            ),
            Decoder(dialect._forms, ToolSet.of(tools), _policies(repair, unknown_tools, entities)),
            start,
            whitespace,
            fenced == "text",
            truncated == "recover",
            (limits.max_call_bytes, limits.max_calls, limits.max_depth),
        )

    def compiled(
        self,
        *,
        thinking: bool = True,
        results: bool = False,
        call_in_thinking: CallInThinking | None = None,
    ) -> CompiledGrammar:
        """The compiled grammar, made at its first use; see `Grammar.compile`."""
        key = (bool(thinking), results, call_in_thinking)
        if key not in self._compiled:
            self._compiled[key] = self.grammar.compile(
                thinking=key[0], results=results, call_in_thinking=call_in_thinking
            )
        return self._compiled[key]

    def render_call(
        self, call: ToolCall | Mapping[str, Any], tools: Tools = (), *, example: bool = False
    ) -> str:
        """One call as the model would write it.

        `call` is a `ToolCall` or an OpenAI tool-call dict. Raises `RenderError` if the dialect
        cannot carry it so that it reads back equal.
        """
        return self.renderer.render_call(as_call(call), ToolSet.of(tools), example=example)

    def render_calls(
        self,
        calls: Iterable[ToolCall | Mapping[str, Any]],
        tools: Tools = (),
        *,
        example: bool = False,
    ) -> str:
        """A turn's calls, with the section around them where the dialect has one."""
        return self.renderer.render_calls(
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
        return self.renderer.render_results(clean_results(results, self, untrusted))

    def find_markers(self, text: str) -> list[FoundMarker]:
        """Where `text` holds markers of the dialect or control tokens of chat templates.

        A found marker has `start`, `end` (in characters), `text` and `kind`.
        """
        return find_markers(text, self)

    def render_thinking(self, text: str) -> str:
        """A thinking block as the model would write it; the empty string for empty text."""
        return self.renderer.render_thinking(text)

    def render_prompt(self, tools: Tools) -> str:
        """What to put into the prompt: the tools as JSON, one to a line, and the guide.

        Without tools there is nothing to tell: the empty string, or the guide of a dialect that
        has no calls. Raises `TypeError`, `ValueError` or `RenderError` naming a bad tool.
        """
        known = ToolSet.of(tools)
        return prompt.render_prompt(self.guide, known) if known or not self._forms else ""

    def render_inventory(self, tools: Tools) -> str:
        """The tools for people and models to read: a Markdown section for each.

        It holds the description, the parameters as a TypeScript type, and the examples.
        """
        return prompt.render_inventory(self.renderer, ToolSet.of(tools))

    def render_examples(self, tool: ToolInput) -> str:
        """A tool's examples, each call written in the dialect; no examples: the empty string."""
        return prompt.render_examples(self.renderer, Tool.of(tool))

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
        turns = clean_turns(read_turns(messages, self.renderer), self, untrusted)
        return self.renderer.render_transcript(
            turns, ToolSet.of(tools), reply=add_generation_prompt
        )

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
        return encode_history(messages, self, ToolSet.of(tools), untrusted=untrusted, verify=verify)


_SCANNER_OPTIONS: Sequence[str] = (
    "tools",
    "parse_thinking",
    "start",
    "whitespace",
    "repair",
    "on_result",
    "limits",
    "call_in_thinking",
    "fenced",
    "truncated",
    "unknown_tools",
    "entities",
)


# Scanners of one kind share them: many are idle at a time.
_policies = lru_cache(Policies)


def _require(option: str, value: str, *known: str) -> None:
    if value not in known:
        raise ValueError(f"{option}={value!r}: use {' or '.join(map(repr, known))}")

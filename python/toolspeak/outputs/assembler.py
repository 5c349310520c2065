"""A message that grows: events in, ordered content blocks and a final `Message` out.

Each event costs the same however long the message is: texts are kept in pieces and joined, and the
arguments of an open call are read, when somebody looks at them. What is dispatched is decided once,
by `finish`, because only then is it known why the engine stopped and whose calls count.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, TypeAlias, TypeVar
from typing import Literal as OneOf

from toolspeak._core import (
    Stopped,
    Text,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    ToolAbort,
    ToolArgDelta,
    ToolEnd,
    ToolStart,
)
from toolspeak.dialect import Dialect
from toolspeak.events import Encoding, Event, Reason
from toolspeak.messages.values import (
    Block,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolCall,
)
from toolspeak.outputs.growing_arguments import Growing, growing_arguments
from toolspeak.reading.json_values import completed_members, parse_json
from toolspeak.registry import find_dialect
from toolspeak.tools.tool_set import Tools, ToolSet

__all__ = ["Assembler", "GrowingBlock", "GrowingCall", "GrowingText", "GrowingThinking"]

Channel: TypeAlias = OneOf["text", "native"]
"""How a call came: written in the text, or beside it in the provider's own form."""

# What engines call it when the model ended its turn itself.
_BY_ITSELF = frozenset(
    {"stop", "tool_calls", "function_call", "end_turn", "tool_use", "stop_sequence", "eos"}
)


_MakeReader: TypeAlias = "Callable[[str], Growing]"
"""Makes what reads the arguments of a call, given the tool's name."""


class _Pieces:
    """A text that grows at its end and is joined when it is looked at."""

    __slots__ = ("_pieces",)

    def __init__(self, text: str = "") -> None:
        self._pieces = [text]

    def add(self, text: str) -> None:
        self._pieces.append(text)

    def __str__(self) -> str:
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0]


class GrowingText:
    """Visible text, so far."""

    __slots__ = ("_text",)

    def __init__(self) -> None:
        self._text = _Pieces()

    @property
    def text(self) -> str:
        """The text so far."""
        return str(self._text)

    def _block(self) -> Block | None:
        return TextBlock(self.text)

    def __repr__(self) -> str:
        return f"GrowingText({self.text!r})"


class GrowingThinking:
    """One block of thinking; `partial` until it is closed."""

    __slots__ = ("_thinking", "partial")

    def __init__(self) -> None:
        self._thinking = _Pieces()
        self.partial = True

    @property
    def thinking(self) -> str:
        """The thinking so far."""
        return str(self._thinking)

    def _block(self) -> Block | None:
        return None if self.partial else ThinkingBlock(self.thinking)

    def __repr__(self) -> str:
        return f"GrowingThinking({self.thinking!r}, partial={self.partial})"


class GrowingCall:
    """One call.

    `name` is None for a call that was aborted before it had one, `channel` tells how it came.
    `partial` is True until it is complete; `call` is the complete call and `abort` what became of
    one that will not complete, both None until then.
    """

    __slots__ = (
        "_make_reader", "_reader", "_text", "_unread", "abort", "call", "channel", "id", "name",
    )  # fmt: skip

    def __init__(self, id: str, name: str | None, channel: Channel, reader: _MakeReader) -> None:
        self.id = id
        self.name = name
        self.channel = channel
        self.call: ToolCall | None = None
        self.abort: ToolAbort | None = None
        self._make_reader = reader
        self._reader: Growing | None = None
        self._unread: list[tuple[str | None, str]] = []
        self._text = _Pieces()

    @property
    def partial(self) -> bool:
        """Whether the arguments are only what can be told so far, and the call must not be made."""
        return self.call is None

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The arguments: the call's own once it is complete, else a guess at what has come.

        A look costs what has come since the last one; where what it answered is kept, also a copy
        of what is still open in it. It is yours to keep, but not to change: it stays as it is, and
        later looks may share parts of it. What arguments told before they broke stays.
        """
        if self.call is not None:
            return self.call.arguments
        if self.abort is not None:
            return self.abort.arguments
        if self._reader is None:
            self._reader = self._make_reader(self.name or "")
        for key, delta in self._unread:
            self._reader.add(key, delta)
        self._unread.clear()
        return self._reader.look()

    @property
    def arguments_text(self) -> str:
        """The raw text of the arguments so far, where one text carries them all; else empty."""
        return str(self._text)

    def _block(self) -> Block | None:
        return self.call or self.abort

    def __repr__(self) -> str:
        state = f", partial={self.partial}" if self.abort is None else f", {self.abort.reason}"
        return f"GrowingCall({self.id!r}, {self.name!r}, {self.arguments!r}{state})"

    def _add(self, key: str | None, delta: str) -> None:
        self._unread.append((key, delta))
        if key is None:
            self._text.add(delta)


GrowingBlock: TypeAlias = GrowingText | GrowingThinking | GrowingCall
"""A part of a message that grows."""

_B = TypeVar("_B", GrowingText, GrowingThinking, GrowingCall)


class Assembler:
    """Puts a message together from a scanner's events and a provider's native call deltas.

        assembler = Assembler("hermes", tools=tools, on_stop=lambda stopped: engine.abort())
        for chunk in stream:
            assembler.add(scanner.feed(chunk))
            show(assembler.blocks)
        assembler.add(scanner.flush())
        message = assembler.finish(engine.finish_reason)
        for call in assembler.calls_to_run: ...

    `dialect` and `tools` serve the guesses at partial arguments, and `tools` at native names that
    come in pieces. `on_stop` is called once,
    with the `Stopped` event, when the model begins to write a tool result itself: it should abort
    generation.

    Calls in the text and native calls are two ways to say the same: the first call that completes,
    by when it began, decides which of the two counts, and the calls of the other are `dropped`.
    """

    def __init__(
        self,
        dialect: str | Dialect | None = None,
        *,
        tools: Tools = (),
        on_stop: Callable[[Stopped], object] | None = None,
    ) -> None:
        self._dialect = None if dialect is None else find_dialect(dialect)
        self._tools = ToolSet.of(tools)
        self._on_stop = on_stop
        self._blocks: list[GrowingBlock] = []
        # What the text's events go on with; native calls may come in between.
        self._current: GrowingBlock | None = None
        self._natives: dict[object, GrowingCall] = {}
        self._reason: str | None = None
        self.stopped: Stopped | None = None

    # What comes in.

    def add(self, events: Event | Iterable[Event]) -> None:
        """Takes an event or several.

        Raises `RuntimeError` after `finish`, `TypeError` for what is no event.
        """
        self._require_unfinished()
        if isinstance(events, Iterable):
            for event in events:
                self._add(event)
        else:
            self._add(events)

    def native_call(self, delta: Mapping[str, Any]) -> None:
        """Takes one item of `tool_calls`, whole or a stream's delta, in the OpenAI form.

        `{"index": 0, "id": "…", "function": {"name": "f", "arguments": "{…"}}`; the arguments come
        in pieces (or as one dict), the name once: a later one is the same, repeated. Only where
        `tools` show that the first one was a part of a name are its pieces joined. A delta that
        names another id begins another call. Raises `RuntimeError` after `finish`.
        """
        self._require_unfinished()
        function = delta.get("function") or {}
        block = self._native_block(delta, function.get("name"))
        arguments = function.get("arguments")
        if isinstance(arguments, Mapping):
            arguments = json.dumps(dict(arguments), ensure_ascii=False, separators=(",", ":"))
        if arguments:
            block._add(None, arguments)

    def finish(self, reason: str = "stop") -> Message:
        """The stream ended; `reason` is the engine's own: stop, length, error, aborted, ….

        Give all events first, those of `scanner.flush()` too. Answers the `message`; a second
        `finish` changes nothing. That the model ended its turn itself is said by `stop`,
        `tool_calls`, `function_call`, `end_turn`, `tool_use`, `stop_sequence` or `eos`; after
        anything else no call may be run. Raises `TypeError` for a reason that is no str.
        """
        if not isinstance(reason, str):
            raise TypeError(f"finish takes the engine's reason as a str, not {reason!r}")
        if self._reason is None:
            # When the model wrote a result, the abort is the one that `on_stop` asked for.
            ours = self.stopped is not None and self._on_stop is not None
            self._reason = "stop" if reason == "aborted" and ours else reason
            for block in self._blocks:
                if isinstance(block, GrowingCall) and block.call is None and block.abort is None:
                    _close(block, ended=self._reason in _BY_ITSELF)
        return self.message

    # What comes out.

    @property
    def blocks(self) -> tuple[GrowingBlock, ...]:
        """The content so far, in order; of calls, those that count as far as is known."""
        channel = self._channel()
        return tuple(
            block
            for block in self._blocks
            if not isinstance(block, GrowingCall) or block.channel == channel
        )

    @property
    def message(self) -> Message:
        """The message so far: complete calls only. At the end it equals `parse` of the text."""
        blocks = [growing._block() for growing in self.blocks]
        return Message(tuple(_joined(block for block in blocks if block is not None)))

    @property
    def stop_reason(self) -> str | None:
        """Why the message ended; None before `finish`.

        `"tool_calls"` if it holds a complete call and the engine stopped by itself, `"stop"` if it
        holds none; `"length"`, `"error"`, `"aborted"`, `"content_filter"` and what else engines say
        stay what they are.
        """
        if self._reason not in _BY_ITSELF:
            return self._reason
        return "tool_calls" if self.message.tool_calls else "stop"

    @property
    def calls_to_run(self) -> tuple[ToolCall, ...]:
        """The calls to make: all complete ones if `stop_reason` is `"tool_calls"`, else none."""
        return self.message.tool_calls if self.stop_reason == "tool_calls" else ()

    @property
    def dropped(self) -> tuple[GrowingCall, ...]:
        """The calls of the channel that does not count, so far as is known."""
        channel = self._channel()
        calls = (block for block in self._blocks if isinstance(block, GrowingCall))
        return tuple(block for block in calls if block.channel != channel)

    def to_openai(self) -> dict[str, Any]:
        """The message so far as an OpenAI-style dict; see `Message.to_openai`."""
        return self.message.to_openai()

    # How it is done.

    def _add(self, event: Event) -> None:
        match event:
            case Text(text):
                self._text_block()._text.add(text)
            case ThinkingDelta(delta):
                self._thinking_block()._thinking.add(delta)
            case ToolArgDelta(id, name, key, delta):
                self._call(id, name, "json" if key is None else "text")._add(key, delta)
            case ThinkingStart():
                self._begin(GrowingThinking())
            case ThinkingEnd():
                self._thinking_block().partial = False
            case ToolStart(id, name, encoding):
                self._begin(self._new_call(id, name, "text", encoding))
            case ToolEnd(id, name, arguments, raw, repaired):
                self._call(id, name).call = ToolCall(id, name, arguments, raw, repaired)
            case ToolAbort(id, name):
                self._call(id, name).abort = event
            case Stopped():
                self._stop(event)
            case _:
                raise TypeError(f"{event!r} is no event of a scanner")

    def _require_unfinished(self) -> None:
        if self._reason is not None:
            raise RuntimeError("the message is finished; a new one needs a new Assembler")

    def _begin(self, block: _B) -> _B:
        self._blocks.append(block)
        self._current = block
        return block

    def _text_block(self) -> GrowingText:
        current = self._current
        return current if isinstance(current, GrowingText) else self._begin(GrowingText())

    def _thinking_block(self) -> GrowingThinking:
        current = self._current
        return current if isinstance(current, GrowingThinking) else self._begin(GrowingThinking())

    def _call(self, id: str, name: str | None, encoding: Encoding = "json") -> GrowingCall:
        current = self._current
        if isinstance(current, GrowingCall) and current.id == id:
            return current
        return self._begin(self._new_call(id, name, "text", encoding))

    def _new_call(
        self, id: str, name: str | None, channel: Channel, encoding: Encoding
    ) -> GrowingCall:
        dialect, tools = self._dialect, self._tools
        return GrowingCall(
            id, name, channel, lambda called: growing_arguments(encoding, called, dialect, tools)
        )

    def _stop(self, stopped: Stopped) -> None:
        if self.stopped is None:
            self.stopped = stopped
            if self._on_stop is not None:
                self._on_stop(stopped)

    def _native_block(self, delta: Mapping[str, Any], name: str | None) -> GrowingCall:
        """The call that a native delta belongs to."""
        own = delta.get("id")
        last = next(reversed(self._natives), None)
        place = delta.get("index", own or last)
        block = self._natives.get(place)
        # Some providers give all calls one index: then a name under another id begins a call.
        if block is None or (name and own and own != block.id):
            known = own or f"call_{os.urandom(12).hex()}"
            block = self._new_call(known, name, "native", "json")
            self._natives.pop(place, None)
            self._natives[place] = block
            if self.stopped is None:
                self._blocks.append(block)
            if isinstance(self._current, GrowingText):
                self._current = None
        if name and block.name != name:
            block.name = self._whole_name(block.name or "", name)
        return block

    def _whole_name(self, known: str, name: str) -> str:
        """The name of a native call which was `known`, and now `name`.

        Servers send it once, or again with each delta; few send it in pieces, or growing.
        """
        if not known or (known not in self._tools and name in self._tools):
            return name
        joined = known + name
        is_piece = known not in self._tools and any(
            tool.startswith(joined) for tool in self._tools.names
        )
        return joined if is_piece else known

    def _channel(self) -> Channel:
        """Whose calls count: those of the first call that is not aborted, else of the first."""
        calls = [block for block in self._blocks if isinstance(block, GrowingCall)]
        counting = [block for block in calls if block.abort is None] or calls
        return counting[0].channel if counting else "text"


def _joined(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks, texts in a row as one: a call between them does not count, or is not complete."""
    for is_text, run in groupby(blocks, key=lambda block: isinstance(block, TextBlock)):
        if is_text:
            yield TextBlock("".join(block.text for block in run if isinstance(block, TextBlock)))
        else:
            yield from run


def _close(block: GrowingCall, *, ended: bool) -> None:
    """The stream is over for an open call: a native one may be complete, others are truncated."""
    text = block.arguments_text
    name = block.name
    if block.channel == "native" and name and (ended or text.strip()):
        try:
            arguments, _ = parse_json(text if text.strip() else "{}")
        except ValueError:
            arguments = None
        if isinstance(arguments, dict):
            block.call = ToolCall(block.id, name, arguments, text)
            return
    reason: Reason = "malformed" if block.channel == "native" and ended else "truncated"
    completed, _, _ = completed_members(text, 0)
    block.abort = ToolAbort(block.id, name, completed, text, reason)

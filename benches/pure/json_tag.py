"""Calls as JSON in a tag: `<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>`.

A closer inside a JSON string is data. If at the end of the stream a string is still open, the
first closer inside that string ends the call, and what stands behind it is read again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from .events import Event, Text, ToolAbort, ToolEnd, ToolStart
from .json_walk import ARGUMENT_KEYS, JsonCall, Walk
from .stream import StreamScanner, first_match, partial
from .values import completed_members, read_object

__all__ = ["JsonTagScanner"]

OPENER, CLOSER = "<tool_call>", "</tool_call>"
THINK_OPENER, THINK_CLOSER = "<think>", "</think>"


def _marker(*words: str) -> re.Pattern[str]:
    """Matches one of the words, or the unfinished beginning of one at the end of the buffer."""
    whole = "|".join(map(re.escape, words))
    return re.compile(rf"(?P<whole>{whole})|(?:{partial(words)})\Z")


_TEXT_MARKER = _marker(OPENER, CLOSER)
_TEXT_OR_THINK_MARKER = _marker(OPENER, CLOSER, THINK_OPENER)
_THINK_CLOSER = _marker(THINK_CLOSER)
_CALL_MARKER = _marker(OPENER, CLOSER)

_BLANKS = re.compile(r"[ \t\r\n]*")
_CLOSER_CUT = re.compile(rf"\s*(?:{partial((CLOSER,))})?\Z")


class JsonTagScanner(StreamScanner):
    """The hermes and qwen3 dialects."""

    def __init__(
        self, tools: Iterable[Mapping[str, Any]] = (), parse_thinking: bool = True
    ) -> None:
        # JSON says itself which type a value has: the tools' schemas are not needed.
        super().__init__()
        self._marker = _TEXT_OR_THINK_MARKER if parse_thinking else _TEXT_MARKER
        self._call: JsonCall | None = None

    def feed(self, chunk: str) -> list[Event]:
        """The events that the next piece of the stream completes."""
        call = self._call
        if call is None:
            if "<" in chunk or self._held or not chunk:
                return self._scan(chunk)
            return self._plain(chunk)
        if call.string and not call.escaped and '"' not in chunk and "\\" not in chunk:
            return call.in_string(chunk)
        # A chunk without "<" is not plain here: quotes and brackets matter as well.
        return self._scan(chunk)

    # Text and thinking.

    def _outside(self, buffer: str, position: int, out: list[Event]) -> int:
        match = first_match(self._marker, buffer, position)
        until = match.start() if match else len(buffer)
        if until > position:
            out.append(Text(buffer[position:until]))
        if match is None:
            return until
        marker = match["whole"]
        if marker is None:
            return self._hold(buffer, until)
        if marker == OPENER:
            self._call = JsonCall(OPENER)
            self._mode = self._before_body
        elif marker == THINK_OPENER:
            self._open_thinking(self._inside_thinking, out)
        # A stray closer is markup, not an answer.
        return match.end()

    def _inside_thinking(self, buffer: str, position: int, out: list[Event]) -> int:
        match = first_match(_THINK_CLOSER, buffer, position)
        until = match.start() if match else len(buffer)
        self._think(buffer[position:until], out)
        if match is None:
            return until
        if match["whole"] is None:
            return self._hold(buffer, until)
        self._close_thinking(out)
        return match.end()

    # A call: before its JSON, in it, after it.

    def _before_body(self, buffer: str, position: int, out: list[Event]) -> int:
        match = _BLANKS.match(buffer, position)
        until = match.end() if match else position
        self._keep(buffer[position:until])
        if until < len(buffer):
            self._mode = self._noise
            if buffer[until] == "{":
                self._mode = self._inside_body
                self._open().brackets.append("{")
                self._keep("{")
                until += 1
        return until

    def _after_body(self, buffer: str, position: int, out: list[Event]) -> int:
        return self._noise(buffer, position, out)

    def _noise(self, buffer: str, position: int, out: list[Event]) -> int:
        """What is no JSON, or stands behind it: only the call's end matters."""
        until = buffer.find("<", position)
        until = len(buffer) if until < 0 else until
        self._keep(buffer[position:until])
        return self._at_angle(buffer, until, out) if until < len(buffer) else until

    def _at_angle(self, buffer: str, position: int, out: list[Event]) -> int:
        """At a "<" that is not in a string: the call's end, a held beginning of it, or noise."""
        match = _CALL_MARKER.match(buffer, position)
        if match is None:
            self._keep("<")
            return position + 1
        marker = match["whole"]
        if marker is None:
            return self._hold(buffer, position)
        if marker == CLOSER:
            self._keep(CLOSER)
            self._close_call(out)
            return match.end()
        # A new call ends this one and is then read again outside.
        self._close_call(out)
        return position

    def _inside_body(self, buffer: str, position: int, out: list[Event]) -> int:
        call = self._open()
        walk = Walk(call, buffer, position)
        position = walk.run()
        walk.deliver(position, out)
        if call.broken:
            self._mode = self._noise
        elif not call.brackets:
            self._mode, call.body_end = self._after_body, call.length
        return position

    def _keep(self, text: str) -> None:
        self._open().keep(text)

    def _open(self) -> JsonCall:
        assert self._call is not None
        return self._call

    def _close_call(self, out: list[Event]) -> None:
        """End the call: as its walk found it, or, where its JSON is broken, read as a whole."""
        call = self._open()
        raw = "".join(call.raw)
        self._call = None
        self._mode, self._plain = self._outside, self._plain_text
        read = self._read_parts(call, raw) or _read_whole(raw)
        name = call.name or (read and read.name)
        if read is None or not name:
            out.append(_aborted(call, raw, "malformed"))
            return
        if not call.started:
            out.append(ToolStart(call.id, name, "json"))
        out.append(ToolEnd(call.id, name, read.arguments, raw, read.repaired))

    def _read_parts(self, call: JsonCall, raw: str) -> _Reading | None:
        """Name and arguments where the walk found them; None: something is broken."""
        if call.body_end < 0 or call.name is None:
            return None
        if call.arguments_start < 0:
            return _Reading(call.name, {}, False)
        arguments = read_object(raw[call.arguments_start : call.arguments_end], repair=False)
        return None if arguments is None else _Reading(call.name, arguments[0], False)

    # The end of the stream.

    def _finish(self, held: str, out: list[Event]) -> None:
        if self._call is not None:
            self._finish_call(held, out)
        elif self._mode == self._inside_thinking:
            self._think(held, out)
            self._close_thinking(out)
        elif held:
            out.append(Text(held))

    def _finish_call(self, held: str, out: list[Event]) -> None:
        call = self._open()
        raw = "".join(call.raw) + held
        if self._mode == self._after_body:
            # The JSON is whole; only its closer is missing, and what follows is not the call's.
            end = len(raw) if _CLOSER_CUT.match(raw, call.body_end) else call.body_end
            call.raw = [raw[:end]]
            self._close_call(out)
        else:
            # In a string that never closed, the closer was taken for text.
            closer = raw.find(CLOSER, call.string_start) if call.string else -1
            end = closer + len(CLOSER) if closer >= 0 else len(raw)
            self._drop_call(raw[:end], "malformed" if closer >= 0 else "truncated", out)
        # Read again, the rest may open a call in its turn, but no string that runs to the end:
        # a quote in it would have closed the string above.
        self._reread(raw[end:], out)
        held, self._held = self._held, ""
        self._finish(held, out)

    def _drop_call(self, raw: str, reason: str, out: list[Event]) -> None:
        """Give the call up."""
        out.append(_aborted(self._open(), raw, reason))
        self._call = None
        self._mode, self._plain = self._outside, self._plain_text

    def _reread(self, text: str, out: list[Event]) -> None:
        if text:
            out.extend(self._scan(text))


def _aborted(call: JsonCall, raw: str, reason: str) -> ToolAbort:
    """The event of a call that was cut, with the arguments that had been completed."""
    start, end = call.arguments_start, call.arguments_end
    text = raw[start : end if end >= 0 else None] if start >= 0 else ""
    return ToolAbort(call.id, call.name, completed_members(text), raw, reason)


class _Reading(NamedTuple):
    name: str | None
    arguments: dict[str, Any]
    repaired: bool


def _read_whole(raw: str) -> _Reading | None:
    """A broken body, repaired: its name and arguments, if it holds readable ones."""
    envelope = read_object(raw.removeprefix(OPENER).removesuffix(CLOSER).strip())
    if envelope is None:
        return None
    members, repaired = envelope
    name = members.get("name")
    arguments: Any = next((members[key] for key in ARGUMENT_KEYS if key in members), {})
    if isinstance(arguments, str):
        # Repair writes "" where a value is missing: that is no argument list.
        inner = None if repaired and not arguments else read_object(json.dumps(arguments))
        arguments, changed = inner or (0, False)
        repaired = repaired or changed
    arguments = {} if arguments is None else arguments
    if not isinstance(arguments, dict):
        return None
    return _Reading(name if isinstance(name, str) and name else None, arguments, repaired)

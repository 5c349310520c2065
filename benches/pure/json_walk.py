"""The walk through the JSON body of a call, by its own structure, once.

Inside a string only `str.find` for the next quote; outside, one token at a time. The walk knows
where strings begin and end as long as the text is JSON-like (bare words and trailing commas are
let pass); at the first token that cannot stand where it is, the body is broken and nothing in it
protects a marker any more.
"""

from __future__ import annotations

import json
import re
import secrets

from .events import Event, ToolArgDelta, ToolStart

__all__ = ["ARGUMENT_KEYS", "JsonCall", "Walk"]

ARGUMENT_KEYS = ("arguments",)

_TOKEN = re.compile(
    r"""[ \t\r\n]*(?:(?P<mark>["{}\[\],:])|(?P<word>[\w+\-.$\u0080-\U0010ffff]+)|(?P<other>\S))"""
)
_WORD = re.compile(r"[\w+\-.$\u0080-\U0010ffff]*")
_PAIRS = {"}": "{", "]": "["}


class JsonCall:
    """An open call: its raw text in pieces and where the walk through its JSON stands."""

    __slots__ = (
        "arguments_end",
        "arguments_start",
        "body_end",
        "brackets",
        "broken",
        "escaped",
        "id",
        "key",
        "length",
        "name",
        "pending",
        "raw",
        "role",
        "slot",
        "started",
        "string",
        "string_start",
        "text",
        "value_next",
        "word",
    )

    def __init__(self, opener: str) -> None:
        self.id = f"call_{secrets.token_hex(12)}"
        self.raw = [opener]
        self.length = len(opener)  # of all raw pieces
        self.name: str | None = None
        self.started = False  # ToolStart is out
        self.pending: list[str] = []  # argument text that came before the name
        self.brackets: list[str] = []  # the open ones
        self.broken = False
        self.value_next = True  # a value or key may come next; else a separator must
        self.word = False  # inside a bare word
        self.string = False  # inside a string, and there after a backslash:
        self.escaped = False
        self.role = ""  # what the open top-level string or word is: "key", "name" or ""
        self.text: list[str] = []  # its pieces, if it is a key or name
        self.key: str | None = None  # a top-level key whose colon has not come
        self.slot: str | None = None  # the key whose value comes next or is open
        self.arguments_start = -1  # offsets in the raw text
        self.arguments_end = -1
        self.body_end = -1
        self.string_start = -1  # of the last string

    @property
    def in_arguments(self) -> bool:
        """Whether the arguments' value has begun and not ended."""
        return self.arguments_start >= 0 > self.arguments_end

    def keep(self, text: str) -> None:
        """More raw text."""
        self.raw.append(text)
        self.length += len(text)

    def in_string(self, chunk: str) -> list[Event]:
        """A chunk without quotes and backslashes inside a string."""
        self.keep(chunk)
        if self.role:
            self.text.append(chunk)
        if not chunk or not self.in_arguments:
            return []
        if self.started:
            return [ToolArgDelta(self.id, self.name or "", None, chunk)]
        self.pending.append(chunk)
        return []


class Walk:
    """One buffer's part of the walk through a body, from one position on.

    Marks where argument text and captured strings begin in the buffer, so that each leaves
    in one piece.
    """

    __slots__ = ("arguments_from", "buffer", "call", "start", "text_from")

    def __init__(self, call: JsonCall, buffer: str, position: int) -> None:
        self.call = call
        self.buffer = buffer
        self.start = position
        self.text_from = position
        self.arguments_from = position if call.in_arguments else -1

    def run(self) -> int:
        """How far the body goes in this buffer: to its end, or to where it closes or breaks."""
        call, buffer = self.call, self.buffer
        position, end = self.start, len(buffer)
        while position < end:
            if call.string:
                position = self._string(position)
                continue
            if call.word:
                position = self._word(position)
                continue
            match = _TOKEN.match(buffer, position)
            if match is None:
                return end
            kind = match.lastgroup or ""
            position = match.start(kind)
            if not self._accept(kind, buffer[position], position):
                call.broken = True
                return position
            if kind == "mark":
                position += 1
            if not call.brackets:
                return position
        return position

    # One token; False: it cannot stand here.

    def _accept(self, kind: str, first: str, position: int) -> bool:
        if kind == "other":
            return False
        if kind == "word" or first in '"{[':
            return self._begin(kind, first, position)
        if first in ",:":
            return self._separate(first)
        return self._close(first, position)

    def _begin(self, kind: str, first: str, position: int) -> bool:
        call = self.call
        if not call.value_next:
            return False
        top = len(call.brackets) == 1
        if first in "{[" and kind == "mark":
            if top and call.slot is None:
                return False
            if top:
                self._begin_value(position)
            call.brackets.append(first)
            return True
        call.string, call.word = first == '"', kind == "word"
        if call.string:
            call.string_start = self._offset(position)
        self.text_from = position + call.string
        call.role = ""
        if top and call.slot is None:
            call.role = "key"
        elif top and call.slot == "name" and call.string and call.name is None:
            call.role = "name"
        elif top:
            self._begin_value(position)
        return True

    def _separate(self, token: str) -> bool:
        call = self.call
        if len(call.brackets) > 1:
            allowed = not call.value_next
        elif token == ":":
            allowed = call.key is not None
            call.slot, call.key = call.key, None
        else:
            allowed = self._between_members()
            call.slot = None
        call.value_next = True
        return allowed

    def _close(self, token: str, position: int) -> bool:
        call = self.call
        if call.brackets[-1] != _PAIRS[token]:
            return False
        if len(call.brackets) == 1 and not self._between_members():
            return False
        call.brackets.pop()
        call.value_next = False
        if len(call.brackets) == 1:
            self._end_value(position + 1)
        return True

    def _between_members(self) -> bool:
        """At the top level: neither before a colon nor before a value."""
        return self.call.key is None and self.call.slot is None

    def _offset(self, position: int) -> int:
        """Where a position of the buffer lies in the call's raw text."""
        return self.call.length + position - self.start

    # Strings and words.

    def _string(self, position: int) -> int:
        """Read on in the open string: to behind its closing quote, or to the buffer's end."""
        call, buffer = self.call, self.buffer
        search = position + call.escaped
        while True:
            quote = buffer.find('"', search)
            stop = quote if quote >= 0 else len(buffer)
            slash = stop
            while slash > search and buffer[slash - 1] == "\\":
                slash -= 1
            escaped = (stop - slash) % 2 == 1
            if quote < 0:
                call.escaped = escaped
                if call.role:
                    call.text.append(buffer[self.text_from :])
                return stop
            if not escaped:
                call.escaped = call.string = False
                self._end_text(quote, quote + 1)
                return quote + 1
            search = quote + 1

    def _word(self, position: int) -> int:
        match = _WORD.match(self.buffer, position)
        end = match.end() if match else position
        if end < len(self.buffer):
            self.call.word = False
            self._end_text(end, end)
        elif self.call.role:
            self.call.text.append(self.buffer[self.text_from :])
        return end

    def _end_text(self, inner_end: int, end: int) -> None:
        """A string or word ended; its own text goes to `inner_end`, it with its quote to `end`."""
        call = self.call
        call.value_next = False
        if not call.role:
            if len(call.brackets) == 1:
                self._end_value(end)
            return
        call.text.append(self.buffer[self.text_from : inner_end])
        text = _decode("".join(call.text))
        call.text.clear()
        if call.role == "key":
            call.key = text
        else:
            call.name, call.slot = text or None, None
        call.role = ""

    # Top-level values.

    def _begin_value(self, position: int) -> None:
        call = self.call
        if call.slot in ARGUMENT_KEYS and call.arguments_start < 0:
            call.arguments_start = self._offset(position)
            self.arguments_from = position

    def _end_value(self, position: int) -> None:
        call = self.call
        call.slot = None
        if call.in_arguments:
            call.arguments_end = self._offset(position)
            call.pending.append(self.buffer[self.arguments_from : position])
            self.arguments_from = -1

    def deliver(self, position: int, out: list[Event]) -> None:
        """Give out what was read up to `position`: raw text, the name, argument text."""
        call = self.call
        call.keep(self.buffer[self.start : position])
        if self.arguments_from >= 0:
            call.pending.append(self.buffer[self.arguments_from : position])
        if call.name is None:
            return
        if not call.started:
            call.started = True
            out.append(ToolStart(call.id, call.name, "json"))
        delta = "".join(call.pending)
        call.pending.clear()
        if delta:
            out.append(ToolArgDelta(call.id, call.name, None, delta))


def _decode(text: str) -> str:
    """The value of a JSON string, given without its quotes; broken escapes stay as they are."""
    if "\\" not in text:
        return text
    try:
        return str(json.loads(f'"{text}"', strict=False))
    except ValueError:
        return text

"""Calls in tags: `<invoke name="f"><parameter name="a">1</parameter></invoke>`.

Per mode one regular expression tells at a "<" whether a name that matters there follows (or its
unfinished beginning, at the end of the buffer); a second one reads the rest of that tag inside a
window, so that no attempt, however it fails, costs more than the longest tag.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from .events import Event, Text, ToolAbort, ToolArgDelta, ToolEnd, ToolStart
from .stream import StreamScanner, first_match, partial
from .values import coerce, parameters_of

__all__ = ["TaggedScanner"]

THINKING_TAGS = ("thinking", "think", "scratchpad")

# A longer tag is text; beside the arguments of an open call nothing is shown, so nothing waits
# there and a tag may be longer.
_TAG_BYTES = 256
_TAG_BYTES_IN_CALL = 4096

# re.ASCII: no case folding of letters such as the Kelvin sign, no exotic white space.
_FLAGS = re.ASCII | re.IGNORECASE
_WORD = r"[a-z_][\w.-]*"

# The rest of a tag after its name. A quote counts only after "=".
_OPENER_REST = re.compile(
    r"""(?P<attributes>[^<>=]*(?:=\s*(?:"[^"]*"|'[^']*'|(?!["'\s]))[^<>=]*)*)"""
    r"""(?:(?P<end>>)|(?:=\s*(?:"[^"]*|'[^']*)?)?\Z)""",
    _FLAGS,
)
_CLOSER_REST = re.compile(r"\s*(?:(?P<end>>)|\Z)", _FLAGS)
# The name may be missing: a stray "=" takes its value with it all the same.
_ATTRIBUTE = re.compile(r"""(?:([^\s=/][^\s=]*)\s*)?=\s*(?:"([^"]*)"|'([^']*)'|(\S*))""", _FLAGS)
_FALSE = ("false", "0", "no")


@cache
def _marker(openers: tuple[str, ...], closers: tuple[str, ...]) -> re.Pattern[str]:
    """Matches an opener or closer by name, or what may become one at the end of the buffer."""
    forms, beginnings = [], ["<"]
    for slash, kind, names in (("", "open", openers), ("/", "close", closers)):
        if names:
            forms.append(f"{slash}(?:{_WORD}:)?(?P<{kind}>{'|'.join(names)})")
            beginnings.append(f"<{slash}{_WORD}(?::(?:{partial(names)})?)?")
    if closers:
        beginnings.append("</")
    whole = rf"<(?:{'|'.join(forms)})(?=[\s/>]|\Z)"
    return re.compile(rf"{whole}|(?P<unfinished>(?:{'|'.join(beginnings)})\Z)", _FLAGS)


@dataclass(slots=True)
class _Tag:
    start: int
    end: int
    name: str = ""
    closes: bool = False
    attributes: str = ""
    finished: bool = True

    @property
    def empty(self) -> bool:
        return self.attributes.endswith("/")

    def read_attributes(self) -> dict[str, str]:
        """Attribute values by lower-case local name; the last of a name wins."""
        text = self.attributes.removesuffix("/")
        return {
            name.rpartition(":")[2].lower(): double or single or bare
            for name, double, single, bare in _ATTRIBUTE.findall(text)
        }


@dataclass(slots=True)
class _Call:
    """An open call. `raw` holds its text in pieces; a value is a run of those pieces."""

    id: str
    name: str | None
    raw: list[str]
    parameters: list[tuple[str, bool | None, str]] = field(default_factory=list)
    key: str | None = None
    string: bool | None = None
    value_from: int = 0


class TaggedScanner(StreamScanner):
    """The xml, anthropic and minimax dialects, which differ in the names of their sections."""

    def __init__(
        self,
        tools: Iterable[Mapping[str, Any]] = (),
        parse_thinking: bool = True,
        *,
        sections: tuple[str, ...] = ("function_calls", "tool_calls"),
    ) -> None:
        super().__init__()
        self._schemas = parameters_of(tools)
        thinking = THINKING_TAGS if parse_thinking else ()
        self._outside_marker = _marker(("invoke", *sections, *thinking), sections)
        self._call_marker = _marker(("invoke", "parameter"), ("invoke", *sections))
        self._value_marker = _marker((), ("parameter",))
        self._invoke_closer = _marker((), ("invoke",))
        self._thinking_markers = {name: _marker((), (name,)) for name in thinking}
        self._thinking_marker = self._value_marker
        self._in_section = False
        # The open section as long as it holds no call: it may turn out to have been text.
        self._lead: list[str] = []
        self._call: _Call | None = None

    # Outside calls: text, or noise inside a section.

    def _outside(self, buffer: str, position: int, out: list[Event]) -> int:
        tag = _find(self._outside_marker, buffer, position, _TAG_BYTES)
        until = tag.start if tag else len(buffer)
        if until > position:
            self._beside(buffer[position:until], out)
        if tag is None:
            return until
        if not tag.finished:
            return self._hold(buffer, until)
        self._enter(tag, buffer, out)
        return tag.end

    def _enter(self, tag: _Tag, buffer: str, out: list[Event]) -> None:
        if tag.name == "invoke":
            self._open_call(tag, buffer, out)
        elif tag.name in self._thinking_markers:
            self._settle_lead(out)
            self._thinking_marker = self._thinking_markers[tag.name]
            self._open_thinking(self._inside_thinking, out)
            if tag.empty:
                self._leave_thinking(out)
        elif self._in_section and not tag.closes:
            self._beside(buffer[tag.start : tag.end], out)
        else:
            self._set_section(not tag.closes and not tag.empty)
            self._lead = [buffer[tag.start : tag.end]] if self._in_section else []

    def _settle_lead(self, out: list[Event]) -> None:
        """Thinking begins: prose before it, in a section without calls, was text."""
        if "".join(self._lead[1:]).strip():
            out.append(Text("".join(self._lead)))
            self._lead = []
            self._set_section(False)
        elif self._lead:
            self._lead = [""]

    def _beside(self, text: str, out: list[Event]) -> None:
        """What is no tag: text, or in a section noise."""
        if not self._in_section:
            out.append(Text(text))
        elif self._lead:
            self._lead.append(text)

    def _set_section(self, inside: bool) -> None:
        self._in_section = inside
        self._mode = self._outside
        self._plain = self._plain_noise if inside else self._plain_text

    def _plain_noise(self, chunk: str) -> list[Event]:
        if self._lead:
            self._lead.append(chunk)
        return []

    # Thinking.

    def _inside_thinking(self, buffer: str, position: int, out: list[Event]) -> int:
        tag = _find(self._thinking_marker, buffer, position, _TAG_BYTES)
        until = tag.start if tag else len(buffer)
        self._think(buffer[position:until], out)
        if tag is None:
            return until
        if not tag.finished:
            return self._hold(buffer, until)
        self._leave_thinking(out)
        return tag.end

    def _leave_thinking(self, out: list[Event]) -> None:
        self._close_thinking(out)
        self._set_section(self._in_section)

    # Calls.

    def _open_call(self, tag: _Tag, buffer: str, out: list[Event]) -> None:
        name = tag.read_attributes().get("name", "").strip() or None
        call = _Call(f"call_{secrets.token_hex(12)}", name, [buffer[tag.start : tag.end]])
        self._call, self._lead = call, []
        self._mode, self._plain = self._inside_call, self._plain_beside
        if name:
            out.append(ToolStart(call.id, name, "text"))
        if tag.empty:
            self._close_call(out)

    def _inside_call(self, buffer: str, position: int, out: list[Event]) -> int:
        call = self._open()
        tag = _find(self._call_marker, buffer, position, _TAG_BYTES_IN_CALL)
        until = tag.start if tag else len(buffer)
        call.raw.append(buffer[position:until])
        if tag is None:
            return until
        if not tag.finished:
            return self._hold(buffer, until)
        if tag.name == "parameter":
            self._open_parameter(call, tag, buffer)
            return tag.end
        if tag.closes and tag.name == "invoke":
            call.raw.append(buffer[until : tag.end])
            self._close_call(out)
            return tag.end
        if tag.closes and not self._in_section:
            call.raw.append(buffer[until : tag.end])
            return tag.end
        # A new call or the section's end: it ends this call and is then read again outside.
        self._close_call(out, before="section" if tag.closes else "call")
        return until

    def _plain_beside(self, chunk: str) -> list[Event]:
        self._open().raw.append(chunk)
        return []

    def _close_call(self, out: list[Event], *, before: str = "") -> None:
        """End the call; it lacks its closer if that stands `before` something else.

        One without content before another call is no call: its opener stood twice.
        """
        call = self._open()
        self._call = None
        self._set_section(self._in_section)
        arguments, repaired = self._read(call)
        raw = "".join(call.raw)
        lost = before == "call" and not call.parameters and not "".join(call.raw[1:]).strip()
        if call.name and not lost:
            out.append(ToolEnd(call.id, call.name, arguments, raw, repaired or bool(before)))
        else:
            out.append(ToolAbort(call.id, call.name, arguments, raw, "malformed"))

    def _read(self, call: _Call) -> tuple[dict[str, Any], bool]:
        schema = self._schemas.get(call.name or "", {})
        arguments, any_repaired = {}, False
        for key, string, raw in call.parameters:
            arguments[key], repaired = coerce(raw, schema, key, string)
            any_repaired |= repaired
        return arguments, any_repaired

    def _open(self) -> _Call:
        assert self._call is not None
        return self._call

    # Parameter values.

    def _open_parameter(self, call: _Call, tag: _Tag, buffer: str) -> None:
        attributes = tag.read_attributes()
        string = attributes.get("string")
        call.key = attributes.get("name", "").strip() or None
        call.string = None if string is None else string.strip().lower() not in _FALSE
        call.raw.append(buffer[tag.start : tag.end])
        call.value_from = len(call.raw)
        self._mode, self._plain = self._inside_value, self._plain_value
        if tag.empty:
            self._close_parameter(call)

    def _inside_value(self, buffer: str, position: int, out: list[Event]) -> int:
        call = self._open()
        tag = _find(self._value_marker, buffer, position, _TAG_BYTES)
        until = tag.start if tag else len(buffer)
        if until > position:
            out.extend(self._plain_value(buffer[position:until]))
        if tag is None:
            return until
        if not tag.finished:
            return self._hold(buffer, until)
        if tag.name == "invoke":
            call.raw.append(buffer[until : tag.end])
            self._abort(call, out)
            return tag.end
        self._close_parameter(call)
        call.raw.append(buffer[until : tag.end])
        return tag.end

    def _plain_value(self, chunk: str) -> list[Event]:
        call = self._open()
        call.raw.append(chunk)
        if call.key is None or call.name is None:
            return []
        return [ToolArgDelta(call.id, call.name, call.key, chunk)]

    def _close_parameter(self, call: _Call) -> None:
        if call.key is not None:
            value = "".join(call.raw[call.value_from :])
            call.parameters.append((call.key, call.string, value))
        self._mode, self._plain = self._inside_call, self._plain_beside

    # The end of the stream.

    def _finish(self, held: str, out: list[Event]) -> None:
        held = self._release(held, out)
        if self._mode == self._inside_value:
            out.extend(self._plain_value(held) if held else ())
            held = self._leave_value(out)
        if self._mode == self._inside_value and held:
            out.extend(self._plain_value(held))
            held = ""
        if self._call is not None:
            self._call.raw.append(held)
            self._abort(self._call, out)
        elif self._mode == self._inside_thinking:
            self._think(held, out)
            self._close_thinking(out)
        elif held:
            self._beside(held, out)
        if "".join(self._lead[1:]).strip():
            out.append(Text("".join(self._lead)))

    def _abort(self, call: _Call, out: list[Event]) -> None:
        self._call = None
        self._set_section(self._in_section)
        arguments, _ = self._read(call)
        out.append(ToolAbort(call.id, call.name, arguments, "".join(call.raw), "truncated"))

    def _leave_value(self, out: list[Event]) -> str:
        """The value never closed: the first closer of a call in it ends the call after all.

        What follows is read again. No value in it can close either, so that in this second
        reading each value ends at a call's closer, and there is no third. The rest is what is
        held at the end.
        """
        self._value_marker = self._invoke_closer
        call = self._open()
        value = "".join(call.raw[call.value_from :])
        tag = _find(self._invoke_closer, value, 0, _TAG_BYTES)
        if tag is None or not tag.finished:
            return ""
        call.raw[call.value_from :] = [value[: tag.end]]
        self._abort(call, out)
        if tag.end < len(value):
            out.extend(self._scan(value[tag.end :]))
        held, self._held = self._held, ""
        return self._release(held, out)

    def _release(self, held: str, out: list[Event]) -> str:
        """Read again what follows the "<" of an unfinished tag: quotes may hide a whole one."""
        while "<" in held[1:]:
            if self._call is not None:
                self._call.raw.append("<")
            else:
                self._beside("<", out)
            out.extend(self._scan(held[1:]))
            held, self._held = self._held, ""
        return held


def _find(marker: re.Pattern[str], buffer: str, position: int, limit: int) -> _Tag | None:
    """The first tag at or after `position`, finished or cut by the end of the buffer."""
    size = len(buffer)
    match = first_match(marker, buffer, position)
    while match is not None:
        start = match.start()
        if match["unfinished"] is not None:
            if _bytes(buffer[start:]) < limit:
                return _Tag(start, size, finished=False)
        else:
            closes = match.lastgroup == "close"
            pattern = _CLOSER_REST if closes else _OPENER_REST
            rest = pattern.match(buffer, match.end(), min(size, start + limit))
            if rest is not None and rest["end"] is not None:
                if _bytes(buffer[start : rest.end()]) <= limit:
                    attributes = "" if closes else rest["attributes"]
                    name = match[match.lastgroup or ""].lower()
                    return _Tag(start, rest.end(), name, closes, attributes)
            elif rest is not None and rest.end() == size and _bytes(buffer[start:]) < limit:
                return _Tag(start, size, finished=False)
        match = first_match(marker, buffer, start + 1)
    return None


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))

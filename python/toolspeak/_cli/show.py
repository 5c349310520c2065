"""Showing events and messages: as JSON lines for programs, in colour for people.

Both views take the same events. What a model wrote is never trusted with the terminal: control
characters are shown as pictures, and no markup of the terminal library is read from it.
"""

from __future__ import annotations

import json
import re
from typing import Any, Protocol, TypeAlias

import typer
from rich.console import Console
from rich.text import Text as Styled

import toolspeak as ts
from toolspeak._cli.inputs import Recorded

__all__ = ["ColourView", "Event", "JsonView", "View", "event_fields", "write_json"]

Event: TypeAlias = (
    ts.Text
    | ts.ThinkingStart
    | ts.ThinkingDelta
    | ts.ThinkingEnd
    | ts.ToolStart
    | ts.ToolArgDelta
    | ts.ToolEnd
    | ts.ToolAbort
    | ts.Stopped
)

_EXCERPT = 72  # characters of a message's text in its compact line
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class View(Protocol):
    """What shows events, and the messages of recorded outputs."""

    def event(self, event: Event) -> None:
        """Show one event of a stream."""

    def message(self, recorded: Recorded, message: ts.Message) -> None:
        """Show what one recorded output became."""

    def close(self) -> None:
        """End the last line."""


# --- JSON lines ---------------------------------------------------------------------------


class JsonView:
    """One JSON object per event or message, on standard output."""

    def event(self, event: Event) -> None:
        """Write `{"event": "tool_end", …}`."""
        write_json(event_fields(event))

    def message(self, recorded: Recorded, message: ts.Message) -> None:
        """Write `{"line": …, "text": …, "thinking": […], "calls": […], "aborted": […]}`."""
        write_json({"line": recorded.line, **message_fields(message)})

    def close(self) -> None:
        """Nothing is open between lines."""


def event_fields(event: Event) -> dict[str, Any]:
    """An event as a dict: its name in snake case under `event`, then its fields."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(event).__name__).lower()
    return {"event": name, **_fields(event, event.__match_args__)}


def message_fields(message: ts.Message) -> dict[str, Any]:
    """A message as a dict of JSON values."""
    call_fields = ("id", "name", "arguments", "raw", "repaired")
    return {
        "text": message.text,
        "thinking": list(message.thinking),
        "calls": [_fields(call, call_fields) for call in message.tool_calls],
        "aborted": [_fields(abort, abort.__match_args__) for abort in message.aborted],
    }


def _fields(value: object, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: getattr(value, name) for name in names}


def write_json(fields: dict[str, Any]) -> None:
    """Write one JSON line at once; text stays readable wherever UTF-8 can carry it."""
    try:
        line = json.dumps(fields, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        # A lone surrogate, from a JSON escape such as \ud800: only an escape can carry it.
        line = json.dumps(fields).encode()
    typer.echo(line)


# --- Colour -------------------------------------------------------------------------------


class ColourView:
    """Events and messages in colour; text runs on as the model wrote it."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._column_zero = True
        self._key: str | None = None  # the argument that is being shown

    def event(self, event: Event) -> None:
        """Show one event; deltas run on, anything else has its own line."""
        match event:
            case ts.Text(text):
                self._run_on(text)
            case ts.ThinkingStart():
                self._line("thinking", "dim magenta")
            case ts.ThinkingDelta(delta):
                self._run_on(delta, "dim italic")
            case ts.ThinkingEnd():
                self._line("end of thinking", "dim magenta")
            case ts.ToolStart(_, name):
                self._key = None
                self._line(f"▶ {name}", "bold cyan")
            case ts.ToolArgDelta(_, _, key, delta):
                self._argument(key, delta)
            case ts.ToolEnd():
                self._line(_call(event), "bold green")
            case ts.ToolAbort():
                self._line(_abort(event), "bold red")
            case ts.Stopped(marker):
                self._line(f"■ stopped at {marker}", "bold yellow")

    def message(self, recorded: Recorded, message: ts.Message) -> None:
        """Show the beginning of the text, then each call."""
        for thinking in message.thinking:
            self._item(recorded.line, f"thinking: {_excerpt(thinking)}", "dim italic")
        if message.text.strip():
            self._item(recorded.line, _excerpt(message.text), "")
        for call in message.tool_calls:
            self._item(recorded.line, _call(call), "green")
        for abort in message.aborted:
            self._item(recorded.line, _abort(abort), "red")

    def close(self) -> None:
        """End the last line if text left it open."""
        if not self._column_zero:
            self._run_on("\n")

    def _argument(self, key: str | None, delta: str) -> None:
        if key != self._key:
            self._key = key
            self._break()
            self._run_on(f"{key} = ", "cyan")
        self._run_on(delta, "dim cyan")

    def _item(self, number: int, text: str, style: str) -> None:
        # One print for the whole line: a progress bar is drawn again after each.
        line = Styled.assemble((f"{number:>6}  ", "dim"), (_printable(text), style))
        self._console.print(line, soft_wrap=True)

    def _line(self, text: str, style: str) -> None:
        self._break()
        self._run_on(text + "\n", style)

    def _break(self) -> None:
        if not self._column_zero:
            self._run_on("\n")

    def _run_on(self, text: str, style: str = "") -> None:
        if text:
            self._console.print(Styled(_printable(text), style), end="", soft_wrap=True)
            self._column_zero = text.endswith("\n")


def _call(call: ts.ToolEnd | ts.ToolCall) -> str:
    return f"✓ {call.name} {_compact(call.arguments)}{' (repaired)' if call.repaired else ''}"


def _abort(abort: ts.ToolAbort) -> str:
    return f"✗ {abort.name or '(no name)'} {abort.reason} {_compact(abort.arguments)}"


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _excerpt(text: str) -> str:
    # Cut first: a huge text needs no whole pass for its beginning.
    words = " ".join(text[: 4 * _EXCERPT].split())
    return words if len(words) <= _EXCERPT else words[: _EXCERPT - 1] + "…"


def _printable(text: str) -> str:
    """`text` with control characters and lone surrogates as visible stand-ins."""
    shown = _CONTROLS.sub(_picture, text)
    return shown.encode("utf-8", "backslashreplace").decode()


def _picture(control: re.Match[str]) -> str:
    code = ord(control.group())
    if code < 0x20:
        return chr(0x2400 + code)  # ␀ to ␟
    return "␡" if code == 0x7F else f"\\x{code:02x}"

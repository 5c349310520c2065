"""The errors that bad *use* raises.

Bad model output never raises: it becomes text or a `ToolAbort`.
"""

from __future__ import annotations

__all__ = [
    "ConstraintError",
    "GrammarError",
    "RenderError",
    "ResponseTemplateError",
    "ScannerClosedError",
    "ToolspeakError",
    "UnknownDialectError",
    "UnknownModelError",
    "UntrustedMarkerError",
]


class ToolspeakError(Exception):
    """Base of all errors that toolspeak raises on purpose."""


class UnknownDialectError(ToolspeakError, KeyError):
    """No dialect has this name; the message lists near names and how to see them all."""

    def __str__(self) -> str:
        # KeyError would show the repr of the message.
        return str(self.args[0]) if self.args else ""


class UnknownModelError(ToolspeakError, LookupError):
    """No dialect is known for a model; the message says why."""


class GrammarError(ToolspeakError, ValueError):
    """A grammar cannot be compiled.

    `place` is where in the grammar, such as `sections[0].open`; `message` says what is wrong there
    and what would be right.
    """

    def __init__(self, place: str, message: str) -> None:
        super().__init__(place, message)
        self.place = place
        self.message = message

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


class ScannerClosedError(ToolspeakError, RuntimeError):
    """`feed` was called after `flush`; `reset` makes the scanner ready for a new stream."""


class ConstraintError(ToolspeakError, ValueError):
    """A grammar for a tool's calls cannot be made, or would not enforce what a schema demands.

    `tool` and `pointer` (a JSON pointer) name the place in the tools' schemas, `keyword` what is
    not enforced there and `backend` the engine that does not; each is empty where it is of no
    account.
    """

    def __init__(
        self,
        message: str,
        *,
        tool: str = "",
        pointer: str = "",
        keyword: str = "",
        backend: str = "",
    ) -> None:
        super().__init__(message)
        self.tool = tool
        self.pointer = pointer
        self.keyword = keyword
        self.backend = backend


class RenderError(ToolspeakError, ValueError):
    """A call, result or message cannot be written in this dialect so that it reads back equal."""


class ResponseTemplateError(ToolspeakError, ValueError):
    """A `response_template` cannot be made of a dialect, or read as one; the message says why."""


class UntrustedMarkerError(RenderError):
    """Text that others wrote holds a marker; the message says which, where and what it is for."""

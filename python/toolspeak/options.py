"""The options of a scanner: one record, checked where it is made, from Python to the core.

A new option is a field of `ScanOptions` and of `ScanFields`, its words in `_WORDS`, and a field of
the core's settings (`rust/core/src/settings.rs`, read in `rust/python/src/options.rs`).
"""

from __future__ import annotations

import sys
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypedDict, get_args

from toolspeak._core import Settings
from toolspeak.record import Record

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["CallInThinking", "Coercion", "Limits", "ScanFields", "ScanOptions", "scan_options"]

CallInThinking = Literal["quoted", "ends_prompted", "ends"]
"""What a call's opener inside thinking means: it is thinking; it ends thinking that the prompt
opened, and is thinking inside the model's own markers; it ends thinking."""


Coercion = Literal["wrap_array", "parse_json"]
"""What is made of a value that does not fit its schema.

`"wrap_array"`: where a list is wanted, and nothing else, a value that is none (nor null) is its
only item. `"parse_json"`: where an object or a list is wanted, and no text, text that is JSON of
one is that."""


class Limits(Record):
    """Bounds on what one stream may take; what goes beyond is a `ToolAbort` with reason "limit".

    `max_call_bytes`: the raw text of one call, in bytes. `max_calls`: calls of one stream.
    `max_depth`: nested brackets or elements in the arguments of one call. Raises `ValueError` below
    1.
    """

    max_call_bytes: int = 32 * 1024 * 1024
    max_calls: int = 10_000
    max_depth: int = 200

    def check(self) -> None:
        """Raises `ValueError` for what is no limit."""
        for name in ("max_call_bytes", "max_calls", "max_depth"):
            value = getattr(self, name)
            if type(value) is not int or not 1 <= value <= sys.maxsize:
                raise ValueError(f"{name}={value!r}: a limit is a whole number from 1")


class ScanOptions(Record, kw_only=True):
    """How a scanner treats its stream.

    Raises `TypeError` or `ValueError` that names the option and what it can be.
    """

    parse_thinking: bool = True
    """False: thinking markers are text."""
    start: Literal["text", "thinking"] = "text"
    """`"thinking"`: the prompt already opened the thinking block."""
    whitespace: Literal["keep", "trim"] = "keep"
    """`"trim"`: layout white space beside calls and thinking is not text."""
    repair: bool = True
    """False: unreadable arguments are `ToolAbort("malformed")`, not mended."""
    on_result: Literal["text", "stop"] = "text"
    """`"stop"`: a tool result that the model writes itself ends the stream with `Stopped`."""
    limits: Limits = Limits()
    """Bounds on what the stream may take."""
    call_in_thinking: CallInThinking | None = None
    """What a call's opener inside thinking means; None: as the dialect has it."""
    fenced_calls: Literal["calls", "text"] = "calls"
    """`"text"`: calls inside a Markdown code fence are text."""
    calls: Literal["read", "text", "drop"] = "read"
    """`"text"`: markup of calls is text, as where no call is possible. `"drop"`: calls are read and
    not told, as where none is wanted."""
    truncated_calls: Literal["abort", "recover"] = "abort"
    """`"recover"`: a call that the end of the stream cut behind a complete argument counts, as
    repaired."""
    unknown_tools: Literal["call", "abort"] = "call"
    """`"abort"`: a call of a tool that is not among `tools` is `ToolAbort("malformed")`."""
    entities: Literal["keep", "decode"] = "keep"
    """`"decode"`: `&lt;` and the like in tagged values are decoded."""
    coercion: AbstractSet[Coercion] = frozenset()
    """What is made of values that do not fit their schema, see `Coercion`; such calls are told as
    repaired, and count with `repair=False` as well, since they were asked for."""

    def check(self) -> None:
        """Raises `TypeError` or `ValueError` for a value that an option cannot have."""
        for name, words in _WORDS.items():
            if getattr(self, name) not in words:
                known = " or ".join(map(repr, words))
                raise ValueError(f"{name}={getattr(self, name)!r}: use {known}")
        for name in ("parse_thinking", "repair"):
            if type(getattr(self, name)) is not bool:
                raise TypeError(f"{name}={getattr(self, name)!r}: use True or False")
        if not isinstance(self.coercion, frozenset) or not self.coercion <= _COERCIONS:
            known = ", ".join(sorted(map(repr, _COERCIONS)))
            raise ValueError(f"coercion={self.coercion!r}: use a frozenset of {known}")
        if not isinstance(self.limits, Limits):
            raise TypeError(f"limits is a toolspeak.Limits, not {self.limits!r}")
        self.__dict__["core"] = Settings(self)

    @property
    def settings(self) -> Settings:
        """The same for the core."""
        settings: Settings = self.__dict__["core"]
        return settings


_COERCIONS = frozenset(get_args(Coercion))

_WORDS: dict[str, tuple[str | None, ...]] = {
    "start": ("text", "thinking"),
    "whitespace": ("keep", "trim"),
    "on_result": ("text", "stop"),
    "call_in_thinking": ("quoted", "ends_prompted", "ends", None),
    "fenced_calls": ("calls", "text"),
    "calls": ("read", "text", "drop"),
    "truncated_calls": ("abort", "recover"),
    "unknown_tools": ("call", "abort"),
    "entities": ("keep", "decode"),
}


class ScanFields(TypedDict, total=False):
    """The same options as keywords; see `ScanOptions`."""

    parse_thinking: bool
    start: Literal["text", "thinking"]
    whitespace: Literal["keep", "trim"]
    repair: bool
    on_result: Literal["text", "stop"]
    limits: Limits
    call_in_thinking: CallInThinking | None
    fenced_calls: Literal["calls", "text"]
    calls: Literal["read", "text", "drop"]
    truncated_calls: Literal["abort", "recover"]
    unknown_tools: Literal["call", "abort"]
    entities: Literal["keep", "decode"]
    coercion: AbstractSet[Coercion]


_DEFAULT = ScanOptions()
_kept = lru_cache(maxsize=256)(ScanOptions)


def scan_options(options: ScanOptions | None, **changes: Unpack[ScanFields]) -> ScanOptions:
    """`options`, or the default ones, with these changes.

    Raises `TypeError` that lists the options for an unknown one.
    """
    if options is not None and not isinstance(options, ScanOptions):
        raise TypeError(f"options is a toolspeak.ScanOptions, not {options!r}")
    if not changes:
        return options or _DEFAULT
    known = ScanOptions.field_names
    for name in changes:
        if name not in known:
            raise TypeError(f"there is no option {name!r}; there are: {', '.join(known)}")
    if isinstance(changes.get("coercion"), set):
        changes["coercion"] = frozenset(changes["coercion"])
    if options is not None:
        return options.replace(**changes)
    try:
        return _kept(**changes)
    except TypeError:  # what cannot be hashed is no option's value, which this tells
        return ScanOptions(**changes)

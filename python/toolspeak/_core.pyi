"""The scanning core, written in Rust. Use it through the package `toolspeak`."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Protocol, TypeVar, final

from toolspeak.events import Encoding, Event, Reason
from toolspeak.grammar import Grammar, GrammarMarkerKind
from toolspeak.options import CallInThinking, ScanOptions
from toolspeak.tools.tool_set import ToolSet

__all__ = [
    "CompiledGrammar",
    "Guard",
    "Scanner",
    "Settings",
    "Stopped",
    "Text",
    "ThinkingDelta",
    "ThinkingEnd",
    "ThinkingStart",
    "ToolAbort",
    "ToolArgDelta",
    "ToolEnd",
    "ToolShape",
    "ToolStart",
    "__version__",
    "mend_json",
    "parse_strict_json",
    "read_header",
    "read_text",
]

__version__: str

_M_co = TypeVar("_M_co", covariant=True)

def mend_json(text: str) -> str | None:
    """Broken JSON as strict JSON, its structure mended and its content as it is.

    None if that cannot be told without leaving something out or guessing.
    """

def parse_strict_json(text: str) -> Any:
    """The value of `text`, which is strict JSON.

    That is: no NaN, no raw control characters in strings, no halves of surrogate pairs, at most 200
    brackets deep. Of keys that come twice the last counts.

    Raises `ValueError` for anything else, without saying where.
    """

@final
class Text:
    """Visible text."""

    __match_args__ = ("text",)
    __hash__: ClassVar[None]  # type: ignore[assignment]
    @property
    def text(self) -> str: ...
    def __new__(cls, text: str) -> Text: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class ThinkingStart:
    """A thinking block begins."""

    __match_args__ = ()
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __new__(cls) -> ThinkingStart: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class ThinkingDelta:
    """Part of a thinking block."""

    __match_args__ = ("delta",)
    __hash__: ClassVar[None]  # type: ignore[assignment]
    @property
    def delta(self) -> str: ...
    def __new__(cls, delta: str) -> ThinkingDelta: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class ThinkingEnd:
    """A thinking block ends; `thinking` is the whole block."""

    __match_args__ = ("thinking",)
    __hash__: ClassVar[None]  # type: ignore[assignment]
    @property
    def thinking(self) -> str: ...
    def __new__(cls, thinking: str) -> ThinkingEnd: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class ToolStart:
    """The name of a call is known; `encoding` says how the deltas of its arguments are encoded."""

    __match_args__ = ("id", "name", "encoding")
    __hash__: ClassVar[None]  # type: ignore[assignment]
    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def encoding(self) -> Encoding: ...
    def __new__(cls, id: str, name: str, encoding: Encoding) -> ToolStart: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class ToolArgDelta:
    """Raw text of an argument; `key` is None where one text carries all arguments."""

    __match_args__ = ("id", "name", "key", "delta")
    __hash__: ClassVar[None]  # type: ignore[assignment]
    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def key(self) -> str | None: ...
    @property
    def delta(self) -> str: ...
    def __new__(cls, id: str, name: str, key: str | None, delta: str) -> ToolArgDelta: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class ToolEnd:
    """A call is complete; `repaired` tells that unreadable JSON was mended."""

    __match_args__ = ("id", "name", "arguments", "raw", "repaired")
    __hash__: ClassVar[None]  # type: ignore[assignment]
    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def arguments(self) -> dict[str, Any]: ...
    @property
    def raw(self) -> str: ...
    @property
    def repaired(self) -> bool: ...
    def __new__(
        cls, id: str, name: str, arguments: dict[str, Any], raw: str, repaired: bool
    ) -> ToolEnd: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class ToolAbort:
    """A call will not complete.

    `reason` is "truncated", "malformed" or "limit"; `arguments` holds what had been completed.
    """

    __match_args__ = ("id", "name", "arguments", "raw", "reason")
    __hash__: ClassVar[None]  # type: ignore[assignment]
    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str | None: ...
    @property
    def arguments(self) -> dict[str, Any]: ...
    @property
    def raw(self) -> str: ...
    @property
    def reason(self) -> Reason: ...
    def __new__(
        cls, id: str, name: str | None, arguments: dict[str, Any], raw: str, reason: Reason
    ) -> ToolAbort: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Stopped:
    """The model began to write a tool result itself; all further input is ignored."""

    __match_args__ = ("marker",)
    __hash__: ClassVar[None]  # type: ignore[assignment]
    @property
    def marker(self) -> str: ...
    def __new__(cls, marker: str) -> Stopped: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class CompiledGrammar:
    """A grammar ready for scanning; shared by all scanners of a dialect and by all threads."""

    def __new__(
        cls,
        grammar: Grammar,
        thinking: bool,
        results: bool,
        call_in_thinking: CallInThinking | None = None,
    ) -> CompiledGrammar:
        """Compiles `grammar`.

        With `thinking`, thinking markers count; with `results`, a marker that opens a tool result
        ends the stream; `call_in_thinking` is the grammar's own policy (None) or another one.
        Raises `ValueError` with the place in the grammar, and what is wrong there.
        """

@final
class Guard:
    """The markers of grammars in text that others wrote."""

    def __new__(cls, grammars: Sequence[Grammar]) -> Guard:
        """Guards against the markers of all these grammars.

        Raises `ValueError` with the place in a grammar, and what is wrong there.
        """

    def find(self, text: str) -> list[tuple[int, int, GrammarMarkerKind]]:
        """Where markers begin in the text, in order.

        Tells start and end, in characters, and the kind of the longest at each place: a marker that
        shows there, whatever state a reader is in and whatever follows.
        """

@final
class ToolShape:
    """What a tool's schema says of how the text of arguments is read. Made by `ToolSet.shape`."""

    def __new__(
        cls, nodes: Sequence[tuple[list[str], int | None, list[tuple[str, int | None]]]]
    ) -> ToolShape:
        """Makes it of nodes: JSON types, the items' node, and properties with their nodes.

        The first node is that of all arguments; nodes name each other by index, and None is a node
        of which nothing is said.
        """

def read_text(
    grammar: CompiledGrammar,
    name: str,
    text: str,
    tools: ToolSet,
    *,
    cut: bool,
    max_depth: int = 200,
) -> tuple[dict[str, Any], bool] | None:
    """The arguments in the joined deltas of a call whose encoding is "python" or "literals".

    Answers whether something had to be mended as well; None if the grammar has no such calls. With
    `cut`, the text ends anywhere, and only what is complete is answered. Raises `ValueError` for
    what cannot be read, or nests more than `max_depth` brackets.
    """

def read_header(
    grammar: CompiledGrammar, header: str, tools: ToolSet, *, form: int = 0
) -> tuple[str, str | None] | None:
    """The tool's name in a header of the form of call with this index, and the call's id.

    The id is None where the header is none. Answers None if the header names no tool.
    """

@final
class Settings:
    """Options of scanners as the core has them, which takes time to make. See `ScanOptions`."""

    def __new__(cls, options: ScanOptions) -> Settings: ...

class _MessageClasses(Protocol[_M_co]):
    """The classes of messages and their blocks."""

    @property
    def message(self) -> Callable[[tuple[Any, ...]], _M_co]: ...
    @property
    def text(self) -> Callable[[str], Any]: ...
    @property
    def thinking(self) -> Callable[[str], Any]: ...
    @property
    def call(self) -> Callable[[str, str, dict[str, Any], str, bool], Any]: ...

@final
class Scanner:
    """One stream being scanned: text in, events out. Made by `Dialect.scanner`."""

    def __new__(cls, grammar: CompiledGrammar, tools: ToolSet, settings: Settings) -> Scanner: ...
    def feed(self, chunk: str | bytes | bytearray) -> list[Event]:
        """Reads the next chunk, of any length and cut anywhere, and returns its events.

        Bytes are UTF-8; what is no UTF-8 is read as U+FFFD. Raises `TypeError` for anything but
        str or bytes and `ScannerClosedError` after `flush`.
        """

    def flush(self) -> list[Event]:
        """Ends the stream and returns the last events. A second `flush` returns none."""

    def _read_all(self, outputs: list[str | bytes], classes: _MessageClasses[_M_co]) -> list[_M_co]:
        """Reads whole outputs (str or bytes), each as a stream of its own, on all cores.

        Returns a message for each, a `message` of a tuple of its parts in their order: a `text`, a
        `thinking`, a `call` of id, name, arguments, raw and repaired, or a `ToolAbort`; `classes`
        has these four as attributes. The scanner's own stream is not touched.
        """

    def _begin_behind(self, prompt: str) -> None:
        """Begins behind this text, which is the beginning of the reply and stands in the prompt."""

    def reset(self) -> None:
        """Makes the scanner ready for a new stream, as if it were new, behind the same prompt."""

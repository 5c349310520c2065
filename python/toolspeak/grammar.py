"""The grammar of a dialect as plain data.

A grammar says which shapes a dialect is made of (sections, calls, values, thinking pairs) and how
their markers are spelled. It is compiled once and then shared by all scanners of the dialect:

    Grammar(
        calls=(
            CallForm(
                open=Exact("<longcat_tool_call>"),
                close=Exact("</longcat_tool_call>"),
                body=Envelope(),
            ),
        ),
        thinking=(Thinking(Exact("<think>"), Exact("</think>")),),
    )
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from collections.abc import Sequence as List
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias
from typing import Literal as OneOf

from toolspeak._core import CompiledGrammar, Guard
from toolspeak.errors import GrammarError
from toolspeak.options import CallInThinking
from toolspeak.record import Record
from toolspeak.written import Around, Written

if TYPE_CHECKING:
    from toolspeak.tools.tool_set import ToolSet

__all__ = [
    "AnyOf",
    "Blanks",
    "Body",
    "CallForm",
    "CallHeading",
    "CallInThinking",
    "CloseTag",
    "Code",
    "Elements",
    "Envelope",
    "Exact",
    "Followed",
    "Grammar",
    "GrammarMarkerKind",
    "Header",
    "Heading",
    "Json",
    "Marker",
    "MessageHeader",
    "NameIn",
    "NameTemplate",
    "Nested",
    "Noise",
    "OpenTag",
    "Pairs",
    "Part",
    "Quoted",
    "ReadHeader",
    "Section",
    "TagSyntax",
    "Thinking",
    "Values",
    "Word",
    "guard",
]


class _LiteralPattern(Record):
    """One exact spelling, as the core reads it."""

    kind: ClassVar[str] = "literal"
    text: str


class _TagPattern(Record):
    """One tag spelling, as the core reads it."""

    kind: ClassVar[str] = "tag"
    heads: tuple[str, ...]
    names: tuple[str, ...]
    free: str | None
    end: str
    closing: bool
    any_namespace: bool
    ignore_case: bool
    quotes: str
    quotes_protect: bool


class _SequencePattern(Record):
    """A marker with what must follow it, as the core reads it."""

    kind: ClassVar[str] = "sequence"
    parts: tuple[Part, ...]
    consumed: int
    at_end: bool
    trim: bool


_Pattern: TypeAlias = "_LiteralPattern | _TagPattern | _SequencePattern"


class Exact:
    """A marker that is exactly one of `spellings`."""

    __slots__ = ("spellings",)

    def __init__(self, *spellings: str) -> None:
        self.spellings = spellings

    def __repr__(self) -> str:
        return f"Exact({', '.join(map(repr, self.spellings))})"

    @property
    def patterns(self) -> list[_Pattern]:
        """The marker's spellings in the core's form."""
        return [_LiteralPattern(text) for text in self.spellings]


class TagSyntax(Record):
    """How a family of tags is spelled.

    `open` stands before the name of an opening tag, `close` before that of a closing one, each in
    all its spellings; `end` ends both. With `any_namespace`, `x:` may stand before the name; with
    `ignore_case`, names and attribute names count in any case. Attribute values are quoted in
    `"any"` way (double, single, not at all) or only `"double"`; with `quotes_protect`, an `end`
    inside quotes does not end the tag.
    """

    open: tuple[str, ...] = ("<",)
    close: tuple[str, ...] = ("</",)
    end: str = ">"
    any_namespace: bool = False
    ignore_case: bool = False
    quotes: OneOf["any", "double"] = "any"
    quotes_protect: bool = True

    def _pattern(self, names: tuple[str, ...], free: str | None, closing: bool) -> _TagPattern:
        return _TagPattern(
            heads=self.close if closing else self.open,
            names=names,
            free=free,
            end=self.end,
            closing=closing,
            any_namespace=self.any_namespace,
            ignore_case=self.ignore_case,
            quotes=self.quotes,
            quotes_protect=self.quotes_protect,
        )


class OpenTag(Record):
    """An opening tag with one of `names`; with `free`, with any name.

    A free name is an `"identifier"` (letters, digits, `_`, `-`, `.`), after which attributes may
    follow, or all of a `"line"` up to the tag's end.
    """

    names: tuple[str, ...] = ()
    syntax: TagSyntax = TagSyntax()
    free: OneOf["identifier", "line"] | None = None

    @property
    def patterns(self) -> list[_Pattern]:
        """The marker's spellings in the core's form."""
        return [self.syntax._pattern(self.names, self.free, closing=False)]


class CloseTag(Record):
    """A closing tag with one of `names`, or a free name as in `OpenTag`."""

    names: tuple[str, ...] = ()
    syntax: TagSyntax = TagSyntax()
    free: OneOf["identifier", "line"] | None = None

    @property
    def patterns(self) -> list[_Pattern]:
        """The marker's spellings in the core's form."""
        return [self.syntax._pattern(self.names, self.free, closing=True)]


class AnyOf:
    """A marker that is spelled like any of several markers."""

    __slots__ = ("markers",)

    def __init__(self, *markers: Marker) -> None:
        self.markers = markers

    @property
    def patterns(self) -> list[_Pattern]:
        """The markers' spellings in the core's form."""
        return [pattern for marker in self.markers for pattern in marker.patterns]


class Blanks(Record):
    """A part of a `Followed`: white space, none or up to `blanks` bytes of it."""

    kind: ClassVar[str] = "blanks"
    blanks: int = 64


class Word(Record):
    """A part of a `Followed`: text of one line without `<`, up to `characters` long."""

    kind: ClassVar[str] = "word"
    characters: int = 128


class Followed:
    """A marker that counts only with what follows it.

    The first `consumed` parts are the marker; the others must follow it but are only looked at.
    With `at_end`, the end of the input can stand for those. With `trim`, blanks that the marker
    ends a value behind are not the value's.
    """

    __slots__ = ("at_end", "consumed", "parts", "trim")

    def __init__(
        self, *parts: Part, consumed: int = 1, at_end: bool = False, trim: bool = False
    ) -> None:
        self.parts = parts
        self.consumed = consumed
        self.at_end = at_end
        self.trim = trim

    @property
    def patterns(self) -> list[_Pattern]:
        """The marker's spelling in the core's form."""
        return [_SequencePattern(self.parts, self.consumed, self.at_end, self.trim)]


Marker: TypeAlias = "Exact | OpenTag | CloseTag | AnyOf | Followed"
"""What delimits the parts of a dialect."""

Part: TypeAlias = "Marker | Blanks | Word"
"""A part of a `Followed`."""


class NameIn(Record):
    """Where a tag carries a name: in this attribute, or (None) as its own name.

    A tag with a fixed name that is read in place of one with a free name carries it in `name`.
    """

    attribute: str | None = None


class CallHeading(NamedTuple):
    """A header that opens a call: the tool's name, and the call's id where the wire has one."""

    name: str
    id: str | None = None


Heading: TypeAlias = 'CallHeading | OneOf["text", "thinking", "skip"] | None'
"""What a header says: a call, a message that is none, or (None) nothing readable."""


class NameTemplate(Record):
    """A header that names the tool between fixed text, such as `functions.{name}:{index}`.

    What stands before `{name}` is `"required"`, `"optional"`, or, with `prefix="any"`, may be
    anything that ends as it does, or nothing. The first character behind `{name}` ends the name.
    `names` are `"any"` text or a `"word"` (letters, digits, `_`, `.`, `:`, `-`).

    `tools` says what a list of tools decides: `"first"`, a header that holds a listed name in
    another dress (`functions_f_2`, `f!166`) means that tool; `"only"`, no other name counts. Names
    in `reserved` are no tool's unless it is listed, and a header with text of `without` names none.
    With `is_id`, the whole header is the call's id.
    """

    kind: ClassVar[str] = "template"
    template: str = "{name}"
    prefix: OneOf["required", "optional", "any"] = "required"
    names: OneOf["any", "word"] = "any"
    tools: OneOf["ignored", "first", "only"] = "ignored"
    reserved: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    is_id: bool = False

    @property
    def before(self) -> str:
        """What stands before the name."""
        return self.template.partition("{name}")[0]

    @property
    def after(self) -> str:
        """What stands behind the name, without a counter."""
        return self.template.partition("{name}")[2].removesuffix("{index}")

    def write(self, name: str, index: int = 0) -> str:
        """The header that names the tool `name`, of a turn's call number `index`."""
        before, _, after = self.template.partition("{name}")
        return f"{before}{name}{after.replace('{index}', str(index))}"

    def number(self, header: str, name: str) -> int | None:
        """The index in a header that names the tool `name`; None if that is no such header."""
        digits = header.removeprefix(self.write(name, 0).removesuffix("0"))
        is_index = self.template.endswith("{index}") and digits.isascii() and digits.isdigit()
        return int(digits) if is_index and self.write(name, int(digits)) == header else None


class MessageHeader(Record):
    """The header of a message: `SPEAKER<channel>CHANNEL to=NAMESPACE.NAME`.

    A message from `speaker`, or from nobody, to a recipient in `namespace` is a call; one in the
    channel `thinking` is thinking; any other is text. What others say is not for the reader. The
    recipient, behind the text `recipient`, may stand anywhere in the header. Calls are written in
    the channel `call`, text in `text`.
    """

    kind: ClassVar[str] = "message"
    speaker: str
    channel: str
    recipient: str
    namespace: str
    thinking: str
    text: str
    call: str

    def write(self, name: str, index: int = 0) -> str:
        """The header of a call of the tool `name`; calls have no numbers."""
        return f"{self.write_message(self.call)} {self.recipient}{self.namespace}{name}"

    def write_message(self, channel: str) -> str:
        """The header of a message that is no call."""
        return f"{self.speaker}{self.channel}{channel}"


ReadHeader: TypeAlias = "NameTemplate | MessageHeader | Callable[[str, ToolSet], Heading]"
"""How a header is read: by a rule, or by a function of the header and the tools."""


class Header(Record):
    """Text between a call's opener and its body, which names the tool.

    It ends at `ends`; a marker that takes no bytes belongs to what follows. `through` markers are
    part of it, whatever they mean elsewhere. With `bare`, a call that ends inside its header is
    complete and has no arguments. `read` tells what a header says; a function is asked for each
    header, and must say the same each time.
    """

    kind: ClassVar[str] = "header"
    ends: Marker
    through: Marker | None = None
    bare: bool = False
    read: ReadHeader = NameTemplate()


class Envelope(Record):
    """A JSON object that holds the tool's name and its arguments, in any order."""

    shape: ClassVar[str] = "envelope"
    names: tuple[str, ...] = ("name",)
    arguments: tuple[str, ...] = ("arguments",)


class Json(Record):
    """The arguments are one JSON object, which ends by its own structure."""

    shape: ClassVar[str] = "json"


class Values(Record):
    """One tagged value per argument.

    `key` says where a value's opener carries the parameter's name. `hint` names the attribute that
    says whether a value is text (`string="true"`) or JSON (`string="false"`), and `hint_default`
    what is meant where it is missing (None: the schema decides). With `newline`, one newline
    behind the opener is layout. With `strict`, a value that is neither text by its schema nor JSON
    is text: neither Python's `True`, `False`, `None` nor broken JSON count. `null` are the texts
    that mean null where a parameter may be null or text, and no hint says otherwise.
    `healed_close` closes a value whose own closer is missing, wrong or there twice: the call counts
    as repaired.
    """

    shape: ClassVar[str] = "values"
    open: Marker
    close: Marker
    key: NameIn
    healed_close: Marker | None = None
    hint: str | None = None
    hint_default: str | None = None
    newline: bool = False
    strict: bool = False
    null: tuple[str, ...] = ()


class Pairs(Record):
    """Keys and values, each between its own markers; the rest is as in `Values`."""

    shape: ClassVar[str] = "pairs"
    key_open: Marker
    key_close: Marker
    value_open: Marker
    value_close: Marker
    healed_close: Marker | None = None
    strict: bool = False
    null: tuple[str, ...] = ()


class Quoted(Record):
    """An object of literals whose strings stand between `quote` tokens."""

    shape: ClassVar[str] = "quoted"
    quote: str


class Code(Record):
    """The keyword arguments of a Python call."""

    shape: ClassVar[str] = "code"


class Elements(Record):
    """Attributes of the call's own tag, then child elements or verbatim text.

    `text` is the parameter that verbatim text fills where the tool's schema names none.
    """

    shape: ClassVar[str] = "elements"
    text: str = "input"


class Nested(Record):
    """One element per argument, elements in elements, and before every tag a `token`.

    An element goes up to its own closer. It is text where the schema says so, and holds elements
    otherwise: the items of a list, by the schema or because their name is `item`, or the members of
    an object. Text beside members stands under the key `text`.
    """

    shape: ClassVar[str] = "nested"
    token: str
    item: str = "item"
    text: str = "$text"


Body: TypeAlias = "Envelope | Json | Values | Pairs | Quoted | Code | Elements | Nested"
"""How a call's arguments are written."""


class CallForm(Record):
    """One way to write a call.

    `name` says where the tool's name stands: in the opening tag (`NameIn`), in a header behind the
    opener (`Header`), or in the body (None). `close=None`: the call ends by its own structure.
    A call in code has neither opener nor closer; its `name` reads the name that is called.

    `written` says how calls are written in this form; None: they are only read. Of several written
    forms the first one counts that carries a call.
    """

    open: Marker | None
    close: Marker | None
    body: Body
    name: NameIn | Header | None = None
    written: Written | None = None


class Section(Record):
    """Markers around several calls.

    `content` is what else stands there. `"text"`: prose right behind the opener shows that the
    opener was text, and what follows a call is text, apart from blanks. `"noise"` means nothing.
    `"code"` is Python code, whose calls to tools are the calls.

    `noise` means nothing between the calls.

    `written` stands around a turn's calls; None: they are written without the section.
    """

    open: Marker
    close: Marker
    calls: tuple[CallForm, ...]
    content: OneOf["text", "noise", "code"] = "text"
    noise: Marker | None = None
    written: Around | None = None


class Thinking(Record):
    """A pair of markers around thinking.

    `close=None` is a fence: a line of three or more backticks closes the block, unless it opens or
    closes a fence nested in it.

    `written` stands around thinking that is written; None: the pair is only read.
    """

    open: Marker
    close: Marker | None
    written: Around | None = None


class Noise(Record):
    """What is dropped from text: a marker, and everything up to `close` if there is one."""

    open: Marker
    close: Marker | None = None


class Grammar(Record):
    """The wire syntax of a dialect.

    `calls` need no section; calls that count only inside a section stand in that section alone.
    The first thinking pair is the one a prompt may have opened. `results` open what only the
    server may write. `noise` is dropped from text. `json` is how JSON is read that stands in a
    section without a call's opener; None: it is malformed.
    """

    calls: tuple[CallForm, ...] = ()
    sections: tuple[Section, ...] = ()
    thinking: tuple[Thinking, ...] = ()
    call_in_thinking: CallInThinking = "quoted"
    results: tuple[Marker, ...] = ()
    noise: tuple[Noise, ...] = ()
    json: Envelope | None = Envelope(arguments=("arguments", "parameters", "args"))

    def compile(
        self,
        *,
        thinking: bool = True,
        results: bool = False,
        call_in_thinking: CallInThinking | None = None,
    ) -> CompiledGrammar:
        """The grammar ready for scanners.

        With `thinking`, thinking markers count; with `results`, a result marker ends the stream;
        `call_in_thinking` replaces the grammar's own policy. Raises `GrammarError` that names the
        place in the grammar and what would be right there.
        """
        with _grammar_errors():
            return CompiledGrammar(self, thinking, results, call_in_thinking)

    def without_calls(self) -> Grammar:
        """The same without calls, whose markup is text; of messages, all are text or thinking."""
        messages = (call for call in self.calls if _is_message(call))
        return self.replace(
            calls=tuple(call.replace(name=_without_recipient(call.name)) for call in messages),
            sections=(),
            noise=self.noise if any(map(_is_message, self.calls)) else (),
        )

    def written_thinking(self) -> Thinking | None:
        """The pair that is written around thinking; None: no pair is."""
        return next((pair for pair in self.thinking if pair.written is not None), None)

    def forms(self) -> List[CallForm]:
        """All forms of call, each once, in the order of their indices in the compiled grammar."""
        forms: list[CallForm] = []
        for call in (*self.calls, *(call for section in self.sections for call in section.calls)):
            if not any(call is form for form in forms):
                forms.append(call)
        return forms


def _is_message(call: CallForm) -> bool:
    return isinstance(call.name, Header) and isinstance(call.name.read, MessageHeader)


def _without_recipient(name: Any) -> Any:
    """The header of a message that nobody is called in."""
    return name.replace(read=name.read.replace(recipient="\0"))


GrammarMarkerKind: TypeAlias = OneOf["section", "call", "value", "thinking", "results", "noise"]
"""What a marker of a grammar is for."""


def guard(grammars: Iterable[Grammar]) -> Guard:
    """What finds the markers of all these grammars in text that others wrote.

    Raises `GrammarError` as `Grammar.compile` does.
    """
    with _grammar_errors():
        return Guard(list(grammars))


@contextmanager
def _grammar_errors() -> Iterator[None]:
    """What the core says of a grammar, as an error that names the place."""
    try:
        yield
    except ValueError as error:
        raise GrammarError(*error.args) from error

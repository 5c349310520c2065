"""Writing calls from what the grammar says of their form: markers around arguments, by body.

Where arguments have several spellings, the first one is taken that a reader of the dialect reads as
the value that is meant: what ends a value is known to the grammar alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from toolspeak.errors import RenderError
from toolspeak.grammar import (
    Body,
    CallForm,
    Code,
    Envelope,
    Header,
    Json,
    MessageHeader,
    NameTemplate,
    Nested,
    Pairs,
    Quoted,
    Values,
)
from toolspeak.tools.json_schema import array_items, is_string_only, object_properties
from toolspeak.writing.literals import Literals, write_literal
from toolspeak.writing.text import bounded_nesting, compact_json, fill, has_surrogate

if TYPE_CHECKING:
    from toolspeak.messages.values import ToolCall
    from toolspeak.tools.tool_set import ToolSet
    from toolspeak.written import Around, Written

__all__ = ["CallWriter", "Reads"]

Reads: TypeAlias = "Callable[[str, ToolCall, ToolSet], bool]"
"""Whether a text is read as this call."""


class CallWriter:
    """Writes calls in one form of a grammar. `reads` tells whether a text means a call."""

    def __init__(self, form: CallForm, written: Written, reads: Reads) -> None:
        self.form = form
        self.written = written
        self._reads = reads
        self._write_arguments = _BODIES.get(type(form.body))

    def write(self, call: ToolCall, index: int, tools: ToolSet, *, example: bool = False) -> str:
        """The call, the one with this index in its turn."""
        if self._write_arguments is None:
            kind = type(self.form.body).__name__
            raise RenderError(f"calls with {kind} are written by a renderer of the dialect's own")
        with bounded_nesting():
            arguments = self._write_arguments(self, call, index, tools)
        return self._around(call, index, arguments, example=example)

    def _around(self, call: ToolCall, index: int, arguments: str, *, example: bool = False) -> str:
        around = self.written.example if example else None
        opener, closer = around or (self.written.open, self.written.close)
        holes = {"name": call.name, "header": self.header(call, index)}
        return fill(opener, holes) + arguments + fill(closer, holes)

    def call_id(self, own: str, name: str, index: int) -> str:
        """The id of a call: its own, unless the wire has ids of another form."""
        rule, known = self.rule, own.strip()
        if not isinstance(rule, NameTemplate) or not rule.is_id:
            return own
        return known if rule.number(known, name) is not None else rule.write(name, index)

    def header(self, call: ToolCall, index: int) -> str:
        """What names the tool on the wire."""
        rule = self.rule
        if isinstance(rule, NameTemplate) and rule.is_id:
            return self.call_id(call.id, call.name, index)
        return rule.write(call.name, index) if rule else call.name

    # --- arguments, by body -------------------------------------------------------------------

    def _envelope(self, call: ToolCall, index: int, tools: ToolSet) -> str:
        body: Any = self.form.body
        return compact_json({body.names[0]: call.name, body.arguments[0]: dict(call.arguments)})

    def _json(self, call: ToolCall, index: int, tools: ToolSet) -> str:
        return compact_json(dict(call.arguments))

    def _keywords(self, call: ToolCall, index: int, tools: ToolSet) -> str:
        _require_json(call)
        arguments = call.arguments.items()
        literals = (f"{key}={write_literal(value, self.literals)}" for key, value in arguments)
        return self.literals.comma.join(literals)

    def _literal(self, call: ToolCall, index: int, tools: ToolSet) -> str:
        _require_json(call)
        return write_literal(dict(call.arguments), self.literals)

    def _values(self, call: ToolCall, index: int, tools: ToolSet) -> str:
        arguments = call.arguments.items()
        return "".join(self._value(call, index, key, value, tools) for key, value in arguments)

    def _value(self, call: ToolCall, index: int, key: str, value: object, tools: ToolSet) -> str:
        """One argument between its markers, in the first spelling that is read as its value."""
        text_only = tools.is_string_only(call.name, key)
        opener, closer = self.written.value
        for hint, text in self._spellings(value, text_only):
            holes = {"key": key, "hint": hint}
            written = fill(opener, holes) + text + fill(closer, holes)
            if text not in self._null and not self._closes.search(text):
                return written
            alone = type(call)(call.id, call.name, {key: value})
            if self._reads(self._around(alone, index, written), alone, tools):
                return written
        raise RenderError(self._unwritable(key, value, text_only))

    def _spellings(self, value: object, text_only: bool) -> Iterator[tuple[str, str]]:
        """The ways to write a value, plainest first: the attribute that says how, and the text."""
        always, never = self.written.hint == "always", self.written.hint == "never"
        if isinstance(value, str) and (text_only or always) and not has_surrogate(value):
            yield self.hint(True) if always else "", value
            if value in self._null and not never:
                yield self.hint(True), value
        if text_only and never:
            yield from (("", word) for word in self._null if value is None)
            return
        hint = self.hint(False) if always or text_only else ""
        text = compact_json(value)
        yield hint, text
        escaped = self._closes.sub(_escape, text)
        if escaped != text:
            yield hint, escaped

    def _unwritable(self, key: str, value: object, text_only: bool) -> str:
        """Why no spelling of a value is read as it."""
        what = f"parameter {key!r}"
        if value in self._null:
            return f"{what} may be null, and this dialect would read the text {value!r} as null"
        if text_only and not isinstance(value, str):
            text = compact_json(value)[:40]
            return f"{what} is a string by its schema, and this dialect would read {text} as text"
        return f"the value of {what} holds what ends a value in this dialect, or is not UTF-8"

    def _elements(self, call: ToolCall, index: int, tools: ToolSet) -> str:
        _require_json(call)
        root = tools.parameters(call.name)
        return self._members(call.arguments, tools.properties(call.name), root)

    def _members(self, values: Mapping[str, object], schemas: Schemas, root: Any) -> str:
        members = values.items()
        return "".join(self._element(key, value, schemas.get(key), root) for key, value in members)

    def _element(self, key: str, value: object, schema: Any, root: Any) -> str:
        body: Any = self.form.body
        if isinstance(value, dict) and value:
            text = self._members(value, object_properties(schema, root), root)
        elif isinstance(value, list | tuple) and value:
            items = array_items(schema, root)
            text = "".join(self._element(body.item, item, items, root) for item in value)
        elif isinstance(value, str) and is_string_only(schema, root) and not has_surrogate(value):
            text = value
        else:
            text = compact_json(value)
        return f"{body.token}<{key}>{text}{body.token}</{key}>"

    # --- what the form is made of ---------------------------------------------------------------

    def hint(self, is_text: bool) -> str:
        """The attribute that says whether a value is the text itself or JSON."""
        attribute = getattr(self.form.body, "hint", None)
        return f' {attribute}="{str(is_text).lower()}"'

    @property
    def _null(self) -> tuple[str, ...]:
        """The texts that mean null where a schema allows it."""
        return getattr(self.form.body, "null", ())

    @property
    def messages(self) -> MessageHeader | None:
        """The rule of headers that say whether a message is a call, thinking or text."""
        return self.rule if isinstance(self.rule, MessageHeader) else None

    def message(self, channel: str) -> Around:
        """What stands around a message that is no call."""
        header = self.messages.write_message(channel) if self.messages else ""
        return fill(self.written.open, {"header": header}), self.written.message

    @cached_property
    def rule(self) -> NameTemplate | MessageHeader | None:
        """How the form's header is written, if it has one."""
        rule = self.form.name.read if isinstance(self.form.name, Header) else None
        return rule if isinstance(rule, NameTemplate | MessageHeader) else None

    @cached_property
    def literals(self) -> Literals:
        """The style of the form's own literals."""
        body = self.form.body
        quote = body.quote if isinstance(body, Quoted) else None
        return Literals(quote, *self.written.items)

    @cached_property
    def closing(self) -> str:
        """The characters that may begin a marker which ends a value.

        A text without them needs no second look.
        """
        body: Any = self.form.body
        own = body.value_close if isinstance(body, Pairs) else getattr(body, "close", None)
        ends = (own, getattr(body, "healed_close", None), self.form.close)
        markers = [marker for marker in ends if marker is not None]
        found = {first for marker in markers for it in marker.patterns for first in _firsts(it)}
        return "".join(sorted(found))

    @cached_property
    def _closes(self) -> re.Pattern[str]:
        return re.compile(f"[{re.escape(self.closing)}]")


Schemas: TypeAlias = Mapping[str, Any]

_BODIES: dict[type[Body], Callable[[CallWriter, ToolCall, int, ToolSet], str]] = {
    Envelope: CallWriter._envelope,
    Json: CallWriter._json,
    Code: CallWriter._keywords,
    Quoted: CallWriter._literal,
    Values: CallWriter._values,
    Pairs: CallWriter._values,
    Nested: CallWriter._elements,
}


def _require_json(call: ToolCall) -> None:
    """`RenderError` for arguments that hold other types than JSON's, or cycles."""
    compact_json(dict(call.arguments))


def _firsts(pattern: Any) -> Iterator[str]:
    """The characters other than blanks that a marker may begin with."""
    if pattern.kind == "literal":
        yield from pattern.text.lstrip()[:1]
    elif pattern.kind == "tag":
        yield from (head[0] for head in pattern.heads)
    elif pattern.kind == "sequence":
        for part in pattern.parts:
            inner = [first for it in getattr(part, "patterns", ()) for first in _firsts(it)]
            yield from inner
            if inner:
                return


# What JSON text holds outside of strings cannot be escaped.
_JSON_STRUCTURE = frozenset('{}[]:,"\\ +-.')


def _escape(found: re.Match[str]) -> str:
    character = found[0]
    plain = character.isalnum() or character in _JSON_STRUCTURE
    return character if plain else f"\\u{ord(character):04x}"

"""Reading the arguments of one scanner's calls, by its tools' schemas.

The core calls a `Decoder` once per header and once per finished call, with the index of the call's
form. On model output it never raises: what cannot be read is answered with None.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

from toolspeak.grammar import (
    Call,
    Code,
    Envelope,
    Header,
    Heading,
    Pairs,
    Quoted,
    ReadText,
    Values,
    plain_heading,
)
from toolspeak.reading.elements import body_is_elements, body_parameter, holds_text, read_elements
from toolspeak.reading.json_values import coerce_value, completed_members, parse_json, repair_json
from toolspeak.tools.tool_set import ToolSet

__all__ = ["Decoder", "Policies"]

Items: TypeAlias = "Sequence[tuple[str, str, bool | None]]"
"""Arguments one by one: name, raw text, and whether the wire says it is text (None: nothing)."""

Attributes: TypeAlias = "Sequence[tuple[str, str | None]]"
"""Attributes of a call: name, and text (None: a bare attribute)."""

Decoded: TypeAlias = "tuple[str, dict[str, Any], bool, str | None] | None"
"""Name, arguments, whether they were repaired, and their JSON text if it was not told yet."""

# What stands beside the name in an envelope without being an argument.
_ENVELOPE_KEYS = frozenset({"id", "type", "tool_call_id", "index", "call_id"})


class Policies(NamedTuple):
    """What a scanner's user may decide about arguments; see `Dialect.scanner`."""

    repair: bool = True
    unknown_tools: Literal["call", "abort"] = "call"
    entities: Literal["keep", "decode"] = "keep"


class Decoder:
    """Reads headers and arguments of calls in the forms of one grammar.

    `plain`: no policy comes between a value and what its text says. The core then reads strict JSON
    and plain text by itself and asks only about the rest.
    """

    __slots__ = ("_forms", "_policies", "_tools", "plain")

    def __init__(self, forms: Sequence[Call], tools: ToolSet, policies: Policies) -> None:
        self._forms = forms
        self._tools = tools
        self._policies = policies
        self.plain = policies.unknown_tools == "call" and policies.entities == "keep"

    # What is asked while a call is open.

    def heading(self, form: int, header: str) -> Heading:
        """What the header of a call says."""
        name = self._forms[form].name
        read = name.read if isinstance(name, Header) else plain_heading
        return read(header, self._tools)

    def element_body(self, name: str | None, given: Sequence[str], first: str) -> str | None:
        """The parameter whose value the body is; None if it holds elements."""
        tool = name or ""
        if body_is_elements(tool, first, self._tools):
            return None
        return body_parameter(tool, given, self._tools)

    def holds_text(self, name: str | None, key: str) -> bool:
        """Whether the element of this parameter holds plain text."""
        return holds_text(name or "", key, self._tools)

    # What is asked once it is closed.

    def text_keys(self, name: str) -> frozenset[str]:
        """The parameters of a tool whose text is their value."""
        return self._tools.text_keys(name)

    def values(self, form: int, name: str, items: Items) -> Decoded:
        """Arguments one by one; a repeated one counts as the last."""
        return self._checked(name, *self._read_values(form, name, items))

    def arguments(self, form: int, name: str, text: str) -> Decoded:
        """All arguments in one text."""
        body = self._forms[form].body
        if isinstance(body, Quoted | Code):
            return self._read_text(body.read, name, text)
        try:
            value, changed = parse_json(text)
        except ValueError:
            return self._repaired_arguments(name, text)
        arguments, unwrapped = self._object(value)
        return None if arguments is None else self._checked(name, arguments, changed or unwrapped)

    def elements(self, form: int, name: str, attributes: Attributes, body: str) -> Decoded:
        """Attributes, and the elements or the text of a body."""
        try:
            arguments, repaired = read_elements(name, attributes, body, self._tools, cut=False)
        except ValueError:
            return None
        return self._checked(name, arguments, repaired)

    def body(self, form: int, name: str | None, text: str) -> Decoded:
        """A whole JSON envelope whose parts the core could not tell apart."""
        repaired = False
        try:
            envelope, repaired = parse_json(text)
        except ValueError:
            if not self._policies.repair or not text.strip():
                return None
            try:
                envelope, repaired = repair_json(text), True
            except ValueError:
                return None
        return self._envelope(self._keys(form), name, envelope, repaired)

    # What is asked of a call that was cut: the arguments that are complete.

    def partial_values(self, form: int, name: str | None, items: Items) -> dict[str, Any]:
        """The completed arguments, one by one."""
        return self._read_values(form, name or "", items)[0]

    def partial_arguments(self, form: int, name: str | None, text: str) -> dict[str, Any]:
        """The completed arguments of one text."""
        body = self._forms[form].body
        if not isinstance(body, Quoted | Code):
            return completed_members(text, 0)[0]
        try:
            return body.read(text, properties=self._properties(name or ""), cut=True)[0]
        except ValueError:
            return {}

    def partial_elements(
        self, form: int, name: str | None, attributes: Attributes, body: str
    ) -> dict[str, Any]:
        """The completed attributes and elements."""
        try:
            return read_elements(name or "", attributes, body, self._tools, cut=True)[0]
        except ValueError:
            return {}

    def partial_body(self, form: int, name: str | None, text: str) -> dict[str, Any]:
        """The completed arguments of a JSON envelope."""
        members, open_key, open_at = completed_members(text, 0)
        keys = self._keys(form).arguments
        if open_key in keys:
            return completed_members(text, open_at)[0]
        for key in keys:
            if isinstance(members.get(key), dict):
                return dict(members[key])
        return {}

    def _checked(
        self, name: str, arguments: dict[str, Any], repaired: bool, text: str | None = None
    ) -> Decoded:
        """The answer, unless the tool is unknown and unknown tools are no calls."""
        if self._policies.unknown_tools == "abort" and name not in self._tools:
            return None
        return name, arguments, repaired, text

    def _keys(self, form: int) -> Envelope:
        body = self._forms[form].body
        return body if isinstance(body, Envelope) else Envelope()

    def _properties(self, name: str) -> dict[str, Any]:
        return dict(self._tools.properties(name))

    def _read_values(self, form: int, name: str, items: Items) -> tuple[dict[str, Any], bool]:
        arguments: dict[str, Any] = {}
        repaired = False
        body = self._forms[form].body
        words, mend = (body.words, body.mend) if isinstance(body, Values | Pairs) else (True, True)
        mend = mend and self._policies.repair
        for key, text, is_text in items:
            plain = html.unescape(text) if self._policies.entities == "decode" else text
            if key in self._tools.text_keys(name) if is_text is None else is_text:
                arguments[key] = plain
                continue
            arguments[key], changed = coerce_value(plain, words=words, mend=mend)
            repaired = repaired or changed
        return arguments, repaired

    def _read_text(self, read: ReadText, name: str, text: str) -> Decoded:
        try:
            arguments, repaired = read(text, properties=self._properties(name), cut=False)
        except ValueError:
            return None
        if repaired and not self._policies.repair:
            return None
        return self._checked(name, arguments, repaired)

    def _repaired_arguments(self, name: str, text: str) -> Decoded:
        if not text.strip():
            return self._checked(name, {}, False)
        if not self._policies.repair:
            return None
        try:
            value = repair_json(text)
        except ValueError:
            return None
        return self._checked(name, value, True) if isinstance(value, dict) else None

    def _object(self, value: Any) -> tuple[dict[str, Any] | None, bool]:
        """Arguments as an object: as they are, or the text of one; None if they are neither."""
        if isinstance(value, dict):
            return value, False
        if value is None:
            return {}, False
        if not isinstance(value, str):
            return None, False
        if not value.strip():
            return {}, False
        try:
            inner, changed = parse_json(value)
        except ValueError:
            if not self._policies.repair:
                return None, False
            try:
                inner, changed = repair_json(value), True
            except ValueError:
                return None, False
        return (inner, changed) if isinstance(inner, dict) else (None, False)

    def _envelope(self, keys: Envelope, name: str | None, envelope: Any, repaired: bool) -> Decoded:
        if isinstance(envelope, list) and len(envelope) == 1 and self._policies.repair:
            envelope, repaired = envelope[0], True
        if not isinstance(envelope, dict):
            return None
        inner = envelope.get("function")
        if not any(key in envelope for key in keys.names) and isinstance(inner, dict):
            envelope, repaired = inner, True
        told = name is not None
        name = name if told else _first(envelope, keys.names)
        if not isinstance(name, str) or not name:
            return None
        arguments, changed = self._envelope_arguments(keys, envelope, repaired)
        if arguments is None:
            return None
        text = None if told else json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))
        return self._checked(name, arguments, repaired or changed, text)

    def _envelope_arguments(
        self, keys: Envelope, envelope: dict[str, Any], repaired: bool
    ) -> tuple[dict[str, Any] | None, bool]:
        found = [key for key in keys.arguments if key in envelope]
        if found:
            value = envelope[found[0]]
            # Repair writes "" where a value is missing: that is no argument list.
            return (None, False) if repaired and value == "" else self._object(value)
        rest = {
            key: value
            for key, value in envelope.items()
            if key not in keys.names and key not in _ENVELOPE_KEYS
        }
        if not rest:
            return {}, False
        return (rest, True) if self._policies.repair else (None, False)


def _first(mapping: dict[str, Any], keys: Iterable[str]) -> Any:
    return next((mapping[key] for key in keys if key in mapping), None)

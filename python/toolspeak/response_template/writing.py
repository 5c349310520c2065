"""A dialect as a `response_template`: thinking, text and calls as fields between patterns.

The template says what the dialect writes. What only a scanner can do (mend, know other spellings,
tell a marker in a JSON string from one that ends the call) has no place in a template.
"""

from __future__ import annotations

from typing import Any

from toolspeak.dialect import Dialect
from toolspeak.errors import ResponseTemplateError
from toolspeak.grammar import (
    Body,
    CloseTag,
    Envelope,
    Header,
    Json,
    MessageHeader,
    NameTemplate,
    Pairs,
    Quoted,
    Values,
)
from toolspeak.response_template.patterns import fill_pattern, marker_pattern, one_of, text_pattern
from toolspeak.writing.calls import CallWriter
from toolspeak.written import Around

__all__ = ["to_response_template"]


def to_response_template(dialect: Dialect) -> dict[str, Any]:
    """A `response_template` of Hugging Face tokenizers that reads what the dialect writes.

    It goes into `tokenizer.response_template`, or to `transformers`' `parse_response` together with
    the tools, whose schemas type the arguments. The message has `thinking`, `content` and
    `tool_calls`. Raises `ResponseTemplateError` where a template cannot say how calls are written.

    https://huggingface.co/docs/transformers/chat_response_parsing
    """
    anchor = dialect.turns.reply.strip(" ")
    if not anchor:
        raise ResponseTemplateError(f"{dialect.name}: nothing says where an answer begins")
    return {
        "version": 1,
        "defaults": {"role": "assistant"},
        "start_anchor": anchor,
        "fields": _fields(dialect),
    }


def _fields(dialect: Dialect) -> dict[str, Any]:
    writer, stop = dialect.writer, dialect.family.stop
    if not writer.forms:
        if dialect.grammar.forms():
            raise ResponseTemplateError(f"{dialect.name}: no form of call says how it is written")
        return {**_thinking(dialect), "content": _content(stop, "")}
    form = writer.forms[0]
    if form.messages is not None:
        return _messages(form, form.messages, stop)
    calls = _Calls(dialect.name, form, writer.section)
    text = _content(stop, calls.section[1].strip())
    return {**_thinking(dialect), "tool_calls": calls.field(), "content": text}


_TEXT = {"content": "text", "content_args": {"strip": False}, "repeats": True, "join": ""}


def _thinking(dialect: Dialect) -> dict[str, Any]:
    pair = dialect.grammar.written_thinking()
    if pair is None or pair.written is None:
        return {}
    before, after = (text.strip() for text in pair.written)
    thinking = {
        "open": before,
        "close_pattern": text_pattern(after) + r"\s*",
        "content": "text",
        "repeats": True,
        "join": "",
    }
    return {"thinking": thinking}


def _content(stop: tuple[str, ...], section_close: str) -> dict[str, Any]:
    """What stands between the other fields, up to what ends the turn.

    The end of a section of calls is none of it: a pattern for calls could not wait for it.
    """
    if section_close:
        close = one_of([text_pattern(section_close) + r"\s*", *map(text_pattern, stop)])
        return {"close_pattern": close, **_TEXT}
    return {**({"close": list(stop)} if stop else {}), **_TEXT}


def _messages(form: CallWriter, header: MessageHeader, stop: tuple[str, ...]) -> dict[str, Any]:
    """Thinking, text and calls that are messages, each with a header that says what it is."""
    start, _, rest = form.written.open.partition("{header}")
    begin = f"(?:{text_pattern(start + header.speaker)})?{text_pattern(header.channel)}"
    body = text_pattern(rest)
    to = text_pattern(f" {header.recipient}{header.namespace}")
    end, call_end = form.written.message, form.written.close
    return {
        "thinking": {"open_pattern": f"{begin}{header.thinking}{body}", "close": end, **_TEXT},
        "tool_calls": {
            "open_pattern": rf"{begin}{header.call}{to}(?P<name>[^\s<]+).*?{body}",
            "close": call_end,
            "repeats": True,
            "content": "json",
            "transform": _call("{name}", "{content}"),
        },
        "content": {
            "open_pattern": f"{begin}(?:{header.text}|{header.call}){body}",
            "close": list(dict.fromkeys((end, *stop))),
            **_TEXT,
        },
    }


def _call(name: str, arguments: str, **more: str) -> dict[str, Any]:
    return {**more, "type": "function", "function": {"name": name, "arguments": arguments}}


class _Calls:
    """The field of a dialect's calls."""

    def __init__(self, dialect: str, writer: CallWriter, section: Around) -> None:
        self.dialect = dialect
        self.form = writer.form
        self.written = writer.written
        self.rule = writer.rule
        self.section = section

    def field(self) -> dict[str, Any]:
        """The field `tool_calls`."""
        if not self.written.close.strip():
            raise self._cannot("nothing closes a call")
        if not self.written.open.strip():
            raise self._cannot("nothing opens a call")
        return {
            "open_pattern": self._open(),
            "close_pattern": self._close(),
            "repeats": True,
            **self._body(self.form.body),
        }

    def _open(self) -> str:
        """What opens a call: the first one opens the section, too."""
        before = self.section[0].strip()
        section = rf"(?:{text_pattern(before)}\s*)?" if before else ""
        return section + self._opener()

    def _opener(self) -> str:
        """The opener with the name."""
        opener = self.written.open
        start, hole, rest = opener.partition("{name}")
        if not hole:
            start, hole, rest = opener.partition("{header}")
        if not hole:
            return text_pattern(opener.rstrip())
        name = self._header() if hole == "{header}" else "(?P<name>.+?)"
        return text_pattern(start) + name + self._behind_name(rest)

    def _header(self) -> str:
        rule = self.rule
        if not isinstance(rule, NameTemplate):
            raise self._cannot("its header is read by a function")
        name = r"(?P<name>[\w.:\-]+)" if rule.names == "word" else "(?P<name>.+?)"
        header = fill_pattern(rule.template, {"name": name, "index": r"\d+"})
        return f"(?P<id>{header})" if rule.is_id else header

    def _behind_name(self, rest: str) -> str:
        """What ends the name: the written text, or, if that is layout only, what may follow."""
        if rest.strip():
            return text_pattern(rest)
        if not isinstance(self.form.name, Header):
            raise self._cannot("nothing ends the name in its opener")
        ends = marker_pattern(self.form.name.ends)
        bare = f"|(?={text_pattern(self.written.close.strip())})" if self.form.name.bare else ""
        return f"(?:{ends}{bare})"

    def _close(self) -> str:
        """What closes a call; blanks behind it are layout."""
        return text_pattern(self.written.close.strip()) + r"\s*"

    def _body(self, body: Body) -> dict[str, Any]:
        ids = {"id": "{id}"} if isinstance(self.rule, NameTemplate) and self.rule.is_id else {}
        transform = _call("{name}", "{content}", **ids)
        match body:
            case Envelope(names=(name, *_), arguments=(arguments, *_)):
                named = _call(f"{{content.{name}}}", f"{{content.{arguments}}}")
                return {"content": "json", "transform": named}
            case Json():
                return {"content": "json", "transform": transform}
            case Quoted(quote=quote):
                literals = {"unquoted_keys": True, "string_delims": [[quote, quote]]}
                return {"content": "json", "content_args": literals, "transform": transform}
            case Values() | Pairs():
                return {
                    "content": "xml-inline",
                    "content_args": self._tagged(body),
                    "transform": transform,
                }
        raise self._cannot(_UNSAYABLE.get(body.shape, f"no parser reads a body of {body.shape}"))

    def _tagged(self, body: Values | Pairs) -> dict[str, Any]:
        before, after = self.written.value
        if "{key}" in after:
            raise self._cannot("what closes a value names its parameter")
        close = body.close if isinstance(body, Values) else body.value_close
        closer = (
            text_pattern(after.strip()) if isinstance(close, CloseTag) else marker_pattern(close)
        )
        newline = r"\n?" if isinstance(body, Values) and body.newline else ""
        holes = {"key": "(?P<key>.+?)", "hint": self._hint(body)}
        opener = fill_pattern(before.rstrip() if newline else before, holes)
        args: dict[str, Any] = {"tag_pattern": f"{opener}{newline}(?P<value>.*?){closer}"}
        if self.written.hint == "always":
            args["value_parser_by"] = {"group": "hint", "parsers": _PARSERS}
        return args

    def _hint(self, body: Values | Pairs) -> str:
        """The attribute that says what a value is: read where it is always there."""
        if not isinstance(body, Values) or body.hint is None:
            return ""
        always = self.written.hint == "always"
        value = "(?P<hint>true|false)" if always else "(?:true|false)"
        attribute = f' {text_pattern(body.hint)}="{value}"'
        return attribute if always else f"(?:{attribute})?"

    def _cannot(self, why: str) -> ResponseTemplateError:
        return ResponseTemplateError(f"{self.dialect}: no response_template says its calls: {why}")


_UNSAYABLE = {
    "code": "python-call-list reads lists of calls, and one call alone stands in no list",
    "elements": "no parser reads elements, attributes and text by the tool's schema",
    "nested": "no parser reads elements in elements",
}
_PARSERS = {
    "true": {"name": "text", "args": {"strip": False}},
    "false": {"name": "json", "args": {"allow_non_json": True}},
}

"""A `response_template` as a dialect that reads the same calls, thinking and text.

A template tells nothing of layout, so such a dialect only reads. It keeps text between the fields,
which templates without an implicit field drop, and ends JSON by its structure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from toolspeak.dialect import Dialect
from toolspeak.errors import GrammarError, ResponseTemplateError
from toolspeak.family import Family
from toolspeak.grammar import (
    AnyOf,
    Body,
    CallForm,
    CallHeading,
    Code,
    Envelope,
    Exact,
    Followed,
    Grammar,
    Header,
    Heading,
    Json,
    Marker,
    NameTemplate,
    Noise,
    Quoted,
    Section,
    Thinking,
)
from toolspeak.response_template.anchors import (
    Ahead,
    Choice,
    Group,
    Layout,
    Optional,
    Piece,
    Run,
    Start,
    Text,
    marker,
    read_pattern,
    source,
    trimmed,
)
from toolspeak.response_template.tags import tagged_body
from toolspeak.tools.tool_set import ToolSet

__all__ = ["from_response_template"]

Pieces: TypeAlias = tuple[Piece, ...]
"""A pattern."""

_THINKING = ("thinking", "reasoning_content", "reasoning")
_CALLS = "tool_calls"
_TEXT = "content"
_TEMPLATE_KEYS = frozenset(
    {"version", "defaults", "fields", "start_anchor", "start_anchor_pattern"}
)
_FIELD_KEYS = frozenset(
    {
        "open", "open_pattern", "close", "close_pattern", "content", "content_args", "repeats",
        "join", "optional", "transform", "transform_each",
    }
)  # fmt: skip


def from_response_template(template: Mapping[str, Any], *, name: str) -> Dialect:
    """The dialect `name` that reads what a tokenizer's `response_template` reads.

    Known are the fields `thinking` (or `reasoning`, `reasoning_content`), `content` and
    `tool_calls`, between texts, or patterns that are texts around names. The dialect cannot write.
    Raises `ResponseTemplateError` that names the field and what a dialect cannot say.

    https://huggingface.co/docs/transformers/chat_response_parsing
    """
    fields = _fields(template)
    implicit = [key for key, field in fields.items() if not field.has_open]
    if implicit not in ([], [_TEXT]):
        raise ResponseTemplateError(f"only {_TEXT!r} can stand between the others, not {implicit}")
    thinking = [_thinking(fields[key]) for key in _THINKING if key in fields]
    text = fields.get(_TEXT)
    calls = _Calls(fields[_CALLS]).read() if _CALLS in fields else _ReadCalls()
    grammar = Grammar(
        calls=calls.forms,
        sections=calls.sections,
        thinking=tuple(thinking),
        noise=_noise(text, fields.values()),
    )
    opens = any(field.starts_open() for key, field in fields.items() if key in _THINKING)
    dialect = Dialect(
        name=name,
        grammar=grammar,
        results=None,
        family=Family(
            stop=text.close_texts() if text and not text.has_open else (),
            prompt_thinking="open" if opens else "closed",
        ),
        summary="read from a response template",
    )
    try:
        dialect._compiled()
    except GrammarError as error:
        raise ResponseTemplateError(f"no grammar of this template can be read: {error}") from error
    return dialect


def _fields(template: Mapping[str, Any]) -> dict[str, _Field]:
    if not isinstance(template, Mapping):
        raise TypeError(f"a response template is a dict, not {type(template).__name__}")
    if unknown := set(template) - _TEMPLATE_KEYS:
        raise ResponseTemplateError(f"unknown keys of a response template: {sorted(unknown)}")
    if (version := template.get("version", 1)) != 1:
        raise ResponseTemplateError(f"version {version!r} of response templates is not known")
    fields = template.get("fields")
    if not isinstance(fields, Mapping) or not fields:
        raise ResponseTemplateError("a response template has a dict of `fields`")
    known = (*_THINKING, _TEXT, _CALLS)
    if others := [key for key in fields if key not in known]:
        raise ResponseTemplateError(f"no event tells the fields {others}; known are {known}")
    return {key: _Field(key, field) for key, field in fields.items()}


class _Field:
    """One field of a template, its anchors read."""

    def __init__(self, key: str, spec: object) -> None:
        self.place = f"field {key!r}"
        if not isinstance(spec, Mapping):
            raise ResponseTemplateError(f"{self.place}: it is a dict, not {spec!r}")
        if unknown := set(spec) - _FIELD_KEYS:
            raise ResponseTemplateError(f"{self.place}: unknown keys {sorted(unknown)}")
        if not spec.get("optional", True):
            raise ResponseTemplateError(f"{self.place}: no scanner refuses output without it")
        self.spec = spec
        before, self.open = self._split(self._anchor("open"), 0)
        behind, self.close = self._split(self._anchor("close"), -1)
        self.noise = (*before, *behind)

    @property
    def has_open(self) -> bool:
        """Whether something opens the field; else it is what stands between the others."""
        return bool(self.open)

    @property
    def content(self) -> str:
        """The parser of what stands in the field."""
        return str(self.spec.get("content", "text"))

    @property
    def args(self) -> Mapping[str, Any]:
        """The parser's options."""
        args = self.spec.get("content_args", {})
        if not isinstance(args, Mapping):
            raise self.cannot(f"content_args is a dict, not {args!r}")
        return args

    def cannot(self, why: str) -> ResponseTemplateError:
        """The error that says what is wrong in the field."""
        return ResponseTemplateError(f"{self.place}: {why}")

    def starts_open(self) -> bool:
        """Whether the field may begin where the output does."""
        return any(isinstance(piece, Start) for choice in _choices(self.open) for piece in choice)

    def close_texts(self) -> tuple[str, ...]:
        """The texts that close the field; none where a pattern does."""
        texts = self.spec.get("close", ())
        return (texts,) if isinstance(texts, str) else tuple(texts)

    def opener(self) -> Marker:
        """What opens the field; that it may begin with the output is left out."""
        choices = [one for one in _choices(self.open) if one != (Start(),)]
        return self._marker(choices, "open")

    def closer(self) -> Marker | None:
        """What closes the field; None: the end of the output."""
        return self._marker(_choices(self.close), "close") if self.close else None

    def _marker(self, choices: Sequence[Pieces], key: str) -> Marker:
        markers = [marker(choice, f"{self.place}, {key}") for choice in choices]
        if all(isinstance(one, Exact) for one in markers):
            return Exact(*(text for one in markers for text in _spelled(one)))
        return AnyOf(*markers)

    def _split(self, pieces: Pieces, at: int) -> tuple[tuple[Noise, ...], Pieces]:
        """What may stand before the opener (or behind the closer), and the rest of the pattern.

        It is dropped from text wherever it stands, so it must be a mark, and no word or comma.
        """
        inner = tuple(trimmed(pieces))
        if len(inner) < 2 or not isinstance(outer := inner[at], Optional):
            return (), pieces
        noise = marker(outer.pieces, self.place)
        if not all(map(_is_mark, _spelled(noise))):
            raise self.cannot("what may stand beside its marks is a mark itself, or it is text")
        return (Noise(noise),), inner[1:] if at == 0 else inner[:-1]

    def _anchor(self, key: str) -> Pieces:
        texts, pattern = self.spec.get(key), self.spec.get(f"{key}_pattern")
        place = f"{self.place}, {key}"
        if texts is not None and pattern is not None:
            raise ResponseTemplateError(f"{place}: there are texts and a pattern; one is right")
        if pattern is not None:
            if not isinstance(pattern, str):
                raise ResponseTemplateError(f"{place}_pattern: it is a str, not {pattern!r}")
            return read_pattern(pattern, f"{place}_pattern")
        texts = [texts] if isinstance(texts, str) else texts or []
        if not isinstance(texts, list) or not all(isinstance(t, str) and t for t in texts):
            raise ResponseTemplateError(f"{place}: it is a text or a list of texts, not {texts!r}")
        return (Choice(tuple((Text(text),) for text in texts)),) if texts else ()


def _choices(pieces: Pieces) -> tuple[Pieces, ...]:
    """The patterns of which any fits."""
    match pieces:
        case (Choice(choices=choices),):
            return choices
    return (pieces,)


# --- thinking and text --------------------------------------------------------------------------


def _thinking(field: _Field) -> Thinking:
    if field.content != "text":
        raise field.cannot(f"thinking is text, not {field.content!r}")
    closer = field.closer()
    if closer is None:
        raise field.cannot("nothing closes it, so that no text or call could follow")
    return Thinking(field.opener(), closer)


def _noise(text: _Field | None, fields: Iterable[_Field]) -> tuple[Noise, ...]:
    """What is no text: what stands around it or ends the turn, and what may stand around others."""
    noise = [noise for field in fields for noise in field.noise]
    if text is not None:
        if text.content != "text":
            raise text.cannot(f"{_TEXT} is text, not {text.content!r}")
        around = (text.opener() if text.has_open else None, text.closer())
        noise += [Noise(one) for one in around if one is not None]
    return tuple(dict.fromkeys(noise))


# --- calls --------------------------------------------------------------------------------------


class _ReadCalls(NamedTuple):
    """What a grammar says of calls."""

    forms: tuple[CallForm, ...] = ()
    sections: tuple[Section, ...] = ()


class _Shape(NamedTuple):
    """What a call is made of: groups of the opener, or keys of the content or of its items."""

    name: str
    arguments: str
    id: str = ""


class _Calls:
    """The field `tool_calls`."""

    def __init__(self, field: _Field) -> None:
        self.field = field
        self.each = bool(field.spec.get("transform_each", False))

    def read(self) -> _ReadCalls:
        """The field as forms of calls, or as a section of calls."""
        if self.field.content == "python-call-list":
            if self.field.spec.get("transform") is not None:
                self._shape()  # which refuses one that makes no calls
            return self._section(CallForm(None, None, Code(), Header(Exact("("))), "code")
        shape = self._shape()
        if self.each:
            self._require_json()
            item = CallForm(
                Followed(Exact("{"), consumed=0), None, Envelope((shape.name,), (shape.arguments,))
            )
            return self._section(item, "noise")
        return _ReadCalls(forms=(self._form(shape),))

    def _section(self, form: CallForm, content: Any) -> _ReadCalls:
        if self.field.content not in ("json", "python-call-list"):
            raise self.field.cannot(f"{self.field.content!r} is no list of calls")
        closer = self.field.closer()
        if closer is None:
            raise self.field.cannot("nothing closes the list of calls")
        return _ReadCalls(sections=(Section(self.field.opener(), closer, (form,), content),))

    # --- what the transform says ----------------------------------------------------------------

    def _shape(self) -> _Shape:
        """Where the name and the arguments of a call are, by the field's `transform`."""
        transform = self.field.spec.get("transform")
        match transform:
            case {"function": function, **more} if not set(more) - {"type", "id"}:
                pass
            case _:
                raise self.field.cannot(f"{transform!r} is no call: it is a dict with `function`")
        match function:
            case "{content}":
                return _Shape("name", "arguments")
            case {"name": str(name), "arguments": str(arguments), **rest} if not rest:
                return self._of_places(name, arguments, more.get("id", ""))
        raise self.field.cannot(f"{function!r} is not a name and arguments")

    def _of_places(self, name: str, arguments: str, call_id: object) -> _Shape:
        places = [_place(one) for one in (name, arguments)]
        own_id = _place(call_id) if isinstance(call_id, str) else ""
        is_group = arguments == "{content}"
        prefix = "" if self.each or is_group else "content."
        keys = [one.removeprefix(prefix) for one in places if one.startswith(prefix)]
        if len(keys) != len(places) or not all(one.isidentifier() for one in keys):
            raise self.field.cannot(f"{name!r} and {arguments!r} are not where calls have them")
        if own_id and not is_group:
            raise self.field.cannot("no call in JSON has an id of its own")
        where, what = places if is_group else keys
        return _Shape(where, what, own_id)

    # --- forms of call --------------------------------------------------------------------------

    def _form(self, shape: _Shape) -> CallForm:
        if shape.arguments != "content":
            if self.field.content != "json":
                raise self.field.cannot(f"{self.field.content!r} holds no name")
            self._require_json()
            envelope = Envelope((shape.name,), (shape.arguments,))
            return CallForm(self._opener(self.field.open), self._closer(), envelope)
        body = self._body()
        before, named, behind = self._around_name(shape)
        between, marks = _header_and_marks(behind)
        header = Header(
            self._ends(marks, body),
            bare=not isinstance(body, Json | Quoted),
            read=self._heading(named, shape, between),
        )
        return CallForm(self._opener(before), self._closer(), body, header)

    def _opener(self, pieces: Sequence[Piece]) -> Marker:
        return marker(pieces, f"{self.field.place}, open")

    def _closer(self) -> Marker | None:
        if self.field.close:
            return marker(self.field.close, f"{self.field.place}, close")
        if self.field.content == "json":
            return None  # it ends by its structure
        raise self.field.cannot("nothing closes the calls")

    def _body(self) -> Body:
        args = self.field.args
        match self.field.content:
            case "json":
                return self._json(args)
            case "xml-inline":
                return tagged_body(args, self.field.place)
        raise self.field.cannot(f"no body is read like {self.field.content!r}")

    def _require_json(self) -> None:
        """A name in the object is read in JSON only."""
        if self.field.args.get("string_delims"):
            raise self.field.cannot("a name beside the arguments is read in JSON strings only")

    def _json(self, args: Mapping[str, Any]) -> Json | Quoted:
        match args.get("string_delims"):
            case None | []:
                return Json()
            case [[str(before), str(after)]] if before == after:
                return Quoted(before)
        raise self.field.cannot("strings can stand between two marks of one kind only")

    def _around_name(self, shape: _Shape) -> tuple[Sequence[Piece], Group, Sequence[Piece]]:
        """What stands before the group with the name (or the id), the group, and what is behind."""
        group = shape.id or shape.name
        pieces = self.field.open
        for at, piece in enumerate(pieces):
            if isinstance(piece, Group) and piece.name == group:
                return pieces[:at], piece, pieces[at + 1 :]
        raise self.field.cannot(f"its opener has no group {group!r}")

    def _heading(
        self, named: Group, shape: _Shape, between: Sequence[Piece]
    ) -> NameTemplate | _HeaderPattern:
        """How the header is read: as the name alone, or as the pattern says."""
        if not between and named.name == shape.name and _is_run(named.pieces):
            return NameTemplate()
        header = (named, *between)
        if sum(map(_runs, header)) > _MAX_RUNS:
            raise self.field.cannot(f"between its marks are more than {_MAX_RUNS} runs")
        groups = [shape.name, *([shape.id] if shape.id else [])]
        return _HeaderPattern("".join(map(source, header)), *groups)

    def _ends(self, marks: Sequence[Piece], body: Body) -> Marker:
        """What ends the header: the texts behind the name, or the body's beginning."""
        match list(trimmed(marks)):
            case []:
                pass
            case [Ahead(pieces=pieces)]:
                return Followed(marker(pieces, f"{self.field.place}, open"), consumed=0)
            case texts:
                return marker(texts, f"{self.field.place}, open")
        begins = (Exact("{"), Exact("<")) if not isinstance(body, Json | Quoted) else (Exact("{"),)
        line = (Exact("\n"),) if len(begins) > 1 else ()
        return AnyOf(*line, *(Followed(one, consumed=0) for one in begins))


def _header_and_marks(behind: Sequence[Piece]) -> tuple[Sequence[Piece], Sequence[Piece]]:
    """What is behind the name, up to the last piece that is no text, and the texts behind that."""
    at = len(behind)
    while at and isinstance(behind[at - 1], Text | Layout | Ahead):
        at -= 1
    while at < len(behind) and at and isinstance(behind[at], Layout):
        at += 1
    return behind[:at], behind[at:]


def _is_run(pieces: Sequence[Piece]) -> bool:
    return len(pieces) == 1 and isinstance(pieces[0], Run)


def _runs(piece: Piece) -> int:
    """How many runs of characters are in a piece."""
    match piece:
        case Run() | Layout():
            return 1
        case Group(pieces=pieces) | Optional(pieces=pieces) | Ahead(pieces=pieces):
            return sum(map(_runs, pieces))
        case Choice(choices=choices):
            return sum(_runs(one) for pieces in choices for one in pieces)
    return 0


# A pattern with few runs on a short header takes little time whatever stands in it.
_MAX_RUNS = 3
_MAX_HEADER = 256


def _is_mark(text: str) -> bool:
    """Whether a text is no prose: it is not short, and there are brackets or bars in it."""
    return len(text) > 3 and not _BRACKETS.isdisjoint(text)


_BRACKETS = frozenset("<>[]{}|｜")


def _spelled(one: Marker) -> tuple[str, ...]:
    """The texts of a marker that is made of texts."""
    match one:
        case Exact(spellings=spellings):
            return spellings
        case Followed(parts=parts):
            return tuple(
                text for part in parts if isinstance(part, Exact) for text in part.spellings
            )
    return ()


def _place(placeholder: str) -> str:
    """What stands in the braces of a placeholder; nothing if it is none."""
    inner = placeholder[1:-1]
    return inner if placeholder == f"{{{inner}}}" else ""


class _HeaderPattern:
    """Reads the tool's name, and perhaps the call's id, in a header by a pattern."""

    def __init__(self, pattern: str, name: str, id: str = "") -> None:
        try:
            self._pattern = re.compile(pattern, re.DOTALL)
        except re.error as error:
            raise ResponseTemplateError(f"{pattern!r} cannot be compiled: {error}") from error
        self._name = name
        self._id = id

    def __call__(self, header: str, tools: ToolSet) -> Heading:
        """The heading; None for a header that is long or not as the pattern says."""
        found = self._pattern.fullmatch(header.strip()) if len(header) <= _MAX_HEADER else None
        if found is None or not found[self._name]:
            return None
        return CallHeading(found[self._name], found[self._id] if self._id else None)

"""Values by a JSON Schema as rules: in JSON, or in a dialect's own literals.

What is made is a subset of what the schema allows: declared properties in their declared order, no
others; no more than that keeps a grammar small. A keyword that no rule here enforces is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from toolspeak.constrain.exclusion import Excluding
from toolspeak.constrain.tree import (
    EMPTY,
    Chars,
    Choice,
    Literal,
    Node,
    Ref,
    Repeat,
    Rules,
    choice,
    optional,
    sequence,
)
from toolspeak.grammar import Exact
from toolspeak.tools.json_schema import as_mapping, resolve_reference
from toolspeak.writing.literals import Literals, write_literal
from toolspeak.writing.text import compact_json

__all__ = ["ANNOTATIONS", "ENFORCED", "JsonRules", "Tell", "escaped", "of_types"]

Tell = Callable[[str, str], None]
"""Is told the JSON pointer of a schema and the keyword in it that is not enforced."""

ANNOTATIONS = frozenset(
    {
        *("title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"),
        *("$schema", "$id", "$comment", "$defs", "definitions", "format", "nullable", "example"),
        *("contentEncoding", "contentMediaType", "strict"),
    }
)
"""Keywords that validate nothing."""

ENFORCED = frozenset(
    {
        *("type", "properties", "required", "additionalProperties", "items", "enum", "const"),
        *("anyOf", "$ref", "minItems", "maxItems", "minLength", "maxLength"),
    }
)
"""Keywords that the rules enforce."""

_TYPES = ("object", "array", "string", "integer", "number", "boolean", "null")
_DIGIT = Chars((("0", "9"),))
_HEX = Chars((("0", "9"), ("a", "f"), ("A", "F")))
# llama.cpp takes a greater bound for none.
_MOST = 2000


def _chars(text: str) -> Chars:
    return Chars(tuple((char, char) for char in text))


class JsonRules:
    """Makes rules of the schemas of one tool's arguments.

    `style` is how values are written (None: JSON); JSON strings never hold a character of `hidden`
    but as an escape. `root` is what references point into.
    """

    def __init__(
        self,
        rules: Rules,
        prefix: str,
        root: Any,
        tell: Tell,
        *,
        style: Literals | None = None,
        hidden: str = "",
    ) -> None:
        self._rules = rules
        self._prefix = prefix
        self._root = root
        self._tell = tell
        self._style = style
        self._hidden = hidden
        self._known: dict[int, Ref] = {}

    def value(self, schema: Any, pointer: str) -> Node:
        """A value by a schema that stands at this pointer."""
        if not isinstance(schema, Mapping):
            if schema is False:
                self._tell(pointer, "false")
            return self._any()
        self._tell_unenforced(schema, pointer)
        if "$ref" in schema:
            return self._reference(schema, pointer)
        if "const" in schema:
            return self._literal(schema["const"])
        if isinstance(schema.get("enum"), list):
            return self._enum(schema)
        return self._composed(schema, pointer) or self._typed(schema, pointer)

    def _tell_unenforced(self, schema: Mapping[str, Any], pointer: str) -> None:
        for keyword in schema:
            parts = schema[keyword] if keyword == "allOf" else None
            is_single = isinstance(parts, list) and len(parts) == 1
            if keyword not in ENFORCED and keyword not in ANNOTATIONS and not is_single:
                self._tell(pointer, keyword)

    def _reference(self, schema: Mapping[str, Any], pointer: str) -> Node:
        if set(schema) - ANNOTATIONS - {"$ref"}:
            self._tell(pointer, "$ref")
        target = resolve_reference(schema["$ref"], self._root)
        if target is None:
            self._tell(pointer, "$ref")
            return self._any()
        known = self._known.get(id(target))
        if known is None:
            known = self._known[id(target)] = Ref(f"{self._prefix}-ref-{len(self._known)}")
            self._rules[known.name] = EMPTY  # a name for what refers to itself
            self._rules[known.name] = self.value(target, str(schema["$ref"]).removeprefix("#"))
        return known

    def _enum(self, schema: Mapping[str, Any]) -> Node:
        values = of_types(schema["enum"], schema)
        return choice(map(self._literal, values)) if values else self._any()

    def _composed(self, schema: Mapping[str, Any], pointer: str) -> Node | None:
        for keyword in ("anyOf", "oneOf", "allOf"):
            parts = schema.get(keyword)
            if not isinstance(parts, list) or not parts:
                continue
            if set(schema) - ANNOTATIONS - {keyword}:
                self._tell(pointer, keyword)
            elif keyword != "allOf" or len(parts) == 1:
                options = (
                    self.value(part, f"{pointer}/{keyword}/{index}")
                    for index, part in enumerate(parts)
                )
                return choice(options)
        return None

    def _typed(self, schema: Mapping[str, Any], pointer: str) -> Node:
        types = _type_names(schema)
        if not types:
            if "properties" in schema:
                types = ["object"]
            elif "items" in schema:
                types = ["array"]
            else:
                return self._any()
        if "number" in types:
            types = [name for name in types if name != "integer"]
        if schema.get("nullable") is True and "null" not in types:
            types = [*types, "null"]
        makers = {
            "object": self._object,
            "array": self._array,
            "string": self._string,
            "integer": lambda *_: self._integer(),
            "number": lambda *_: self._number(),
            "boolean": lambda *_: Choice((self._literal(True), self._literal(False))),
            "null": lambda *_: self._literal(None),
        }
        options = [makers[name](schema, pointer) for name in types if name in makers]
        return choice(options)

    # --- objects and lists ----------------------------------------------------------------------

    def _object(self, schema: Mapping[str, Any], pointer: str) -> Node:
        properties = as_mapping(schema.get("properties"))
        required = [key for key in schema.get("required") or () if isinstance(key, str)]
        if set(required) - set(properties):
            self._tell(pointer, "required")
        if not properties:
            return self._map(schema, pointer)
        members = []
        for key, part in properties.items():
            value = self.value(part, f"{pointer}/properties/{escaped(key)}")
            members.append((sequence([self._key(key), value]), key in required))
        return sequence([Literal("{"), self.separated(members, self._comma()), Literal("}")])

    def separated(self, members: list[tuple[Node, bool]], comma: Node) -> Node:
        """Members in their order, the optional ones perhaps left out, a comma between any two."""
        tail: Node = EMPTY  # what may follow a member
        first: Node = EMPTY
        for node, is_required in reversed(members):
            with_tail = sequence([node, tail])
            if is_required:
                first = with_tail
            else:
                first = (
                    Choice((with_tail, self._rule(first)))
                    if first != EMPTY
                    else optional(with_tail)
                )
            behind = sequence([comma, node])
            tail = self._rule(sequence([behind if is_required else optional(behind), tail]))
        return first

    def _map(self, schema: Mapping[str, Any], pointer: str) -> Node:
        values = schema.get("additionalProperties", True)
        if values is False:
            return Literal("{}")
        value = self._rule(self.value(values, f"{pointer}/additionalProperties"))
        member = self._rule(sequence([self._free_key(), self._colon(), value]))
        members = sequence([member, Repeat(sequence([self._comma(), member]))])
        return sequence([Literal("{"), optional(members), Literal("}")])

    def _array(self, schema: Mapping[str, Any], pointer: str) -> Node:
        least = _bound(schema.get("minItems"), 0) or 0
        most = _bound(schema.get("maxItems"), None)
        if most == 0:
            return Literal("[]")
        item = self._rule(self.value(schema.get("items", True), f"{pointer}/items"))
        more = Repeat(
            sequence([self._comma(), item]), max(least - 1, 0), None if most is None else most - 1
        )
        items = sequence([item, more])
        return sequence([Literal("["), items if least else optional(items), Literal("]")])

    def _rule(self, node: Node) -> Node:
        """A name for a node that would otherwise be written several times."""
        if isinstance(node, Ref | Literal | Chars):
            return node
        name = f"{self._prefix}-part-{len(self._rules)}"
        self._rules[name] = node
        return Ref(name)

    # --- scalars --------------------------------------------------------------------------------

    def _shared(self, name: str, make: Callable[[], Node]) -> Node:
        """A rule that all tools share."""
        if name not in self._rules:
            self._rules[name] = EMPTY
            self._rules[name] = make()
        return Ref(name)

    def _kind_of_style(self) -> str:
        hidden = "".join(f"-{ord(char):x}" for char in self._hidden)
        if self._style is None:
            return f"json{hidden}"
        return "quoted" if self._style.quote else "python"

    def _any(self) -> Node:
        return self._shared(f"{self._kind_of_style()}-any", self._make_any)

    def _make_any(self) -> Node:
        scalars = ("string", "number", "boolean", "null")
        parts = [self._typed({"type": name}, "") for name in scalars]
        value = Ref(f"{self._kind_of_style()}-any")
        comma, colon = self._comma(), self._colon()
        member = sequence([self._free_key(), colon, value])
        members = sequence([member, Repeat(sequence([comma, member]))])
        items = sequence([value, Repeat(sequence([comma, value]))])
        return Choice(
            (
                *parts,
                sequence([Literal("{"), optional(members), Literal("}")]),
                sequence([Literal("["), optional(items), Literal("]")]),
            )
        )

    def _literal(self, value: Any) -> Node:
        if self._style is not None:
            return Literal(write_literal(value, self._style))
        text = compact_json(value)
        for char in self._hidden:
            text = text.replace(char, f"\\u{ord(char):04x}")
        return Literal(text)

    def _integer(self) -> Node:
        digits = Choice((Literal("0"), sequence([Chars((("1", "9"),)), Repeat(_DIGIT, 0, 15)])))
        return self._shared("integer", lambda: sequence([optional(Literal("-")), digits]))

    def _number(self) -> Node:
        fraction = sequence([Literal("."), Repeat(_DIGIT, 1, 15)])
        exponent = sequence([_chars("eE"), optional(_chars("+-")), Repeat(_DIGIT, 1, 2)])
        integer = self._integer()
        return self._shared(
            "number", lambda: sequence([integer, optional(fraction), optional(exponent)])
        )

    def _string(self, schema: Mapping[str, Any], pointer: str) -> Node:
        least = _bound(schema.get("minLength"), 0) or 0
        most = _bound(schema.get("maxLength"), None)
        if self._quote is not None:
            if least or most is not None:
                self._tell(pointer, "minLength" if least else "maxLength")
            return self._quoted_string(self._quote)
        char = self._shared(f"{self._kind_of_style()}-char", self._char)
        return sequence([Literal('"'), Repeat(char, least, most), Literal('"')])

    def _char(self) -> Node:
        hidden = tuple((char, char) for char in self._hidden)
        controls = (("\0", "\x1f"), ("\x7f", "\x7f"))
        plain = Chars((('"', '"'), ("\\", "\\"), *controls, *hidden), negated=True)
        if self._style is not None:
            return Choice((plain, sequence([Literal("\\"), _chars('\\"nrt')])))
        # No half of a surrogate pair: those have no meaning alone.
        low = sequence([Chars((("0", "9"), ("a", "c"), ("A", "C"), ("e", "f"), ("E", "F"))), _HEX])
        high = sequence([_chars("dD"), Chars((("0", "7"),))])
        code = sequence([Literal("u"), Choice((low, high)), _HEX, _HEX])
        return Choice((plain, sequence([Literal("\\"), Choice((_chars('"\\bfnrt'), code))])))

    def _quoted_string(self, quote: str) -> Node:
        def make() -> Node:
            text = Excluding([Exact(quote)])
            return sequence([Literal(quote), text.rules("quoted-text", self._rules, close=quote)])

        return self._shared("quoted-string", make)

    @property
    def _quote(self) -> str | None:
        """The token around strings, where keys are bare."""
        return self._style.quote if self._style is not None else None

    # --- keys -----------------------------------------------------------------------------------

    def _key(self, key: str) -> Node:
        """A declared key and what separates it from its value."""
        written = self._literal(key) if self._quote is None else Literal(key)
        return sequence([written, self._colon()])

    def _free_key(self) -> Node:
        if self._quote is not None:
            word = Chars((("a", "z"), ("A", "Z"), ("0", "9"), ("_", "_")))
            return Repeat(word, 1, 64)
        return self._string({}, "")

    def _comma(self) -> Node:
        return self._separator("," if self._style is None else self._style.comma)

    def _colon(self) -> Node:
        return self._separator(":" if self._style is None else self._style.colon)

    def _separator(self, text: str) -> Node:
        # Models have learnt JSON with blanks, and renderers write it without.
        return (
            sequence([Literal(text), optional(Literal(" "))])
            if self._style is None
            else Literal(text)
        )


def _type_names(schema: Mapping[str, Any]) -> list[str]:
    named = schema.get("type")
    names: Iterable[Any] = named if isinstance(named, list | tuple) else [named]
    return [name for name in names if name in _TYPES]


def of_types(values: Iterable[Any], schema: Mapping[str, Any]) -> list[Any]:
    """Those values that are of a type which the schema names."""
    types = _type_names(schema)
    return [value for value in values if not types or _is_of(value, types)]


def _is_of(value: Any, types: list[str]) -> bool:
    """Whether a value is of one of these types."""
    kinds: dict[str, bool] = {
        "null": value is None,
        "boolean": isinstance(value, bool),
        "string": isinstance(value, str),
        "object": isinstance(value, dict),
        "array": isinstance(value, list),
        "integer": isinstance(value, int) and not isinstance(value, bool),
        "number": isinstance(value, int | float) and not isinstance(value, bool),
    }
    return any(kinds[name] for name in types)


def _bound(value: Any, otherwise: int | None) -> int | None:
    is_bound = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST
    return value if is_bound else otherwise


def escaped(key: str) -> str:
    """A key in a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")

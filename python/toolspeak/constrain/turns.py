"""What a model may write in a turn, as a tree: made of what a dialect's record says.

Thinking, then text or calls. Names stand as the record writes them, values by their schemas in the
style of the form's body. Text holds no marker, and a raw value nothing that ends it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from toolspeak import grammar
from toolspeak.constrain.exclusion import Excluding
from toolspeak.constrain.json_rules import JsonRules, escaped
from toolspeak.constrain.starts import beginning, without_beginning
from toolspeak.constrain.tree import (
    EMPTY,
    Chars,
    Choice,
    Json,
    Literal,
    Node,
    Ref,
    Repeat,
    Rules,
    choice,
    optional,
    sequence,
)
from toolspeak.errors import ConstraintError, RenderError
from toolspeak.messages.values import ToolCall
from toolspeak.tools.json_schema import (
    array_items,
    as_mapping,
    is_string_only,
    schema_types,
    text_schemas,
)
from toolspeak.tools.tool_set import ToolSet
from toolspeak.writing.calls import CallWriter
from toolspeak.writing.read_back import read_back
from toolspeak.writing.renderer import Renderer
from toolspeak.writing.text import compact_json, fill
from toolspeak.written import Around

__all__ = ["Tell", "Tree", "TurnMaker", "arguments_schema"]

Tell = Callable[[str, str, str], None]
"""Is told the tool, the JSON pointer into its schema and the keyword that is not enforced."""

# A number that stands for any index while a header is written.
_SOME_INDEX = 987654321
_INDEX = Repeat(Chars((("0", "9"),)), 1, 3)


class Tree(NamedTuple):
    """What a turn may be, and the rules that it refers to."""

    root: Node
    rules: Rules


def arguments_schema(tools: ToolSet, name: str) -> Mapping[str, Any]:
    """The schema of a tool's arguments, which are an object whatever it says."""
    return {"type": "object", "properties": {}, **tools.parameters(name)}


class TurnMaker:
    """Makes a tree of the turns of one dialect with some tools."""

    def __init__(self, writer: Renderer, tools: ToolSet, tell: Tell) -> None:
        self._writer = writer
        self._dialect = writer.dialect
        self._tools = tools
        self._tell = tell
        self._rules: Rules = {}
        self._raw: dict[str, Node] = {}
        self._made: dict[str, JsonRules] = {}
        self._form = self._first_form()

    def turn(
        self, names: Sequence[str], *, calls: str, parallel: bool, reasoning: str | None
    ) -> Tree:
        """A turn with calls of these tools: `"auto"`, `"required"` or `"none"`."""
        thinking = self._reasoning(reasoning)
        if calls == "none":
            rest = self._text(None)
        else:
            called = self._calls(names, parallel)
            rest = called if calls == "required" else self._text(called)
        turn = sequence([thinking, rest])
        # The prompt's end has written the beginning of the first message.
        is_begun = self._form.messages is not None and reasoning != "open"
        written = self._dialect.turns.reply if is_begun else ""
        return Tree(without_beginning(turn, written, self._rules), self._rules)

    def _first_form(self) -> CallWriter:
        forms = [it for it in self._writer.forms if type(it.form.body) in _ARGUMENTS]
        if not forms:
            raise ConstraintError(f"{self._dialect.name} has no calls that a grammar can say")
        return forms[0]

    # --- calls ----------------------------------------------------------------------------------

    def _calls(self, names: Sequence[str], parallel: bool) -> Node:
        how = self._form.written
        self._rules["call"] = choice(self._call(name) for name in names)
        call = Ref("call")
        if self._ends_turn:
            return call
        before, after = self._writer.section
        another = sequence([Literal(how.between), call])
        if how.many is None:
            calls = sequence([call, Repeat(another) if parallel else EMPTY])
        else:
            opener, closer = how.many
            several = sequence([Literal(opener), call, Repeat(another, 1), Literal(closer)])
            calls = Choice((call, several)) if parallel else call
        return sequence([Literal(before), calls, Literal(after)])

    @property
    def _ends_turn(self) -> bool:
        """Whether what closes a call ends the turn: the engine writes that token by itself."""
        return self._form.written.close in self._dialect.family.stop

    def _call(self, name: str) -> Node:
        try:
            self._writer.render_call(ToolCall("", name, {}), self._tools)
        except RenderError as error:
            raise ConstraintError(str(error), tool=name) from error
        closer = "" if self._ends_turn else fill(self._form.written.close, {"name": name})
        return sequence([self._opener(name), self._arguments(name), Literal(closer)])

    def _opener(self, name: str) -> Node:
        """What stands before a call's arguments, with any index where the wire counts calls."""
        header = self._form.header(ToolCall("", name, {}), _SOME_INDEX)
        filled = fill(self._form.written.open, {"name": name, "header": header})
        before, counter, after = filled.partition(str(_SOME_INDEX))
        return sequence([Literal(before), _INDEX if counter else EMPTY, Literal(after)])

    # --- arguments, by body ---------------------------------------------------------------------

    def _arguments(self, name: str) -> Node:
        return _ARGUMENTS[type(self._form.form.body)](self, name)

    def _envelope(self, name: str) -> Node:
        body: Any = self._form.form.body
        head = f'{{"{body.names[0]}":{compact_json(name)},"{body.arguments[0]}":'
        return sequence([Literal(head), self._json(name), Literal("}")])

    def _json(self, name: str) -> Node:
        return Json(arguments_schema(self._tools, name), name)

    def _quoted(self, name: str) -> Node:
        return self._json_rules(name).value(arguments_schema(self._tools, name), "")

    def _keywords(self, name: str) -> Node:
        rules = self._json_rules(name)
        members = [
            (sequence([Literal(f"{key}="), rules.value(schema, pointer)]), is_required)
            for key, schema, pointer, is_required in self._parameters(name)
        ]
        return rules.separated(members, Literal(self._form.literals.comma))

    def _values(self, name: str) -> Node:
        return self._each(name, self._value)

    def _elements(self, name: str) -> Node:
        """Child elements: one for each argument, or for each item of a list."""
        return self._each(name, self._element)

    def _each(self, name: str, write: Callable[[str, str, Any, str], Node]) -> Node:
        """The declared parameters one after the other."""
        written = (
            (write(name, key, schema, pointer), is_required)
            for key, schema, pointer, is_required in self._parameters(name)
        )
        return sequence(node if is_required else optional(node) for node, is_required in written)

    def _value(self, name: str, key: str, schema: Any, pointer: str) -> Node:
        """One value between its markers: raw where it is a text by its schema, else JSON."""
        how = self._form.written
        is_text = is_string_only(schema, self._tools.parameters(name))
        hint = self._form.hint(is_text) if how.hint == "always" else ""
        before, after = (fill(text, {"key": key, "hint": hint}) for text in how.value)
        if is_text:
            text = self._raw_text(name, key, schema, pointer, after)
            return sequence([Literal(before), text])
        value = self._json_rules(name).value(schema, pointer)
        return sequence([Literal(before), value, Literal(after)])

    def _element(self, name: str, key: str, schema: Any, pointer: str) -> Node:
        if not self._is_key(name, key):
            raise self._cannot("every", name, pointer, f": its elements cannot be called {key!r}")
        root = self._tools.parameters(name)
        types = set(schema_types(schema, root)) - {"null"}
        if "array" not in types:
            return self._value(name, key, schema, pointer)
        least, most = (as_mapping(schema).get(word) for word in ("minItems", "maxItems"))
        if types != {"array"} or most == 0:
            why = ": its elements are a list, and can be nothing else"
            raise self._cannot("every", name, pointer, why)
        item = self._value(name, key, array_items(schema, root), f"{pointer}/items")
        return Repeat(item, max(least or 1, 1), most)

    def _is_key(self, name: str, key: str) -> bool:
        """Whether an element of this name is read as an argument."""
        how = self._form.written
        opener, closer = (fill(text, {"name": name}) for text in (how.open, how.close))
        element = "".join(fill(text, {"key": key}) for text in how.value)
        text = f"{opener}{element}{closer}"
        calls = read_back(self._dialect._compiled(), text, self._tools)
        return len(calls) == 1 and list(calls[0].arguments) == [key]

    def _cannot(self, which: str, name: str, pointer: str, why: str = "") -> ConstraintError:
        return ConstraintError(
            f"{self._dialect.name} cannot write {which} value of {pointer} of {name}{why}",
            tool=name,
            pointer=pointer,
        )

    def _raw_text(self, name: str, key: str, schema: Any, pointer: str, after: str) -> Node:
        """Raw text and what stands behind it."""
        given, unenforced = text_schemas(schema, self._tools.parameters(name))
        for keyword in unenforced:
            self._tell(name, pointer, keyword)
        if given is not None:
            excluding = self._excluding_value(key)
            texts = [text for text in given if excluding.allows(text, after)]
            if not texts:
                raise self._cannot("any", name, pointer)
            return sequence([choice(map(Literal, texts)), Literal(after)])
        if after not in self._raw:
            rule = f"raw-{len(self._raw)}"
            rules = self._excluding_value(key).rules(rule, self._rules, close=after)
            self._raw[after] = rules
        return self._raw[after]

    def _parameters(self, name: str) -> Iterator[tuple[str, Any, str, bool]]:
        """Each declared parameter: key, schema and where that stands, and whether it must be."""
        declared = self._tools.properties(name)
        required = arguments_schema(self._tools, name).get("required") or ()
        if set(required) - set(declared):
            self._tell(name, "", "required")
        for key, schema in declared.items():
            yield key, schema, f"/properties/{escaped(key)}", key in required

    def _json_rules(self, name: str) -> JsonRules:
        """What makes rules of a tool's schemas; one for all of its parameters."""
        if name not in self._made:
            is_literal = isinstance(self._form.form.body, grammar.Code | grammar.Quoted)
            self._made[name] = JsonRules(
                self._rules,
                f"t{len(self._made)}",
                self._tools.parameters(name),
                lambda pointer, keyword: self._tell(name, pointer, keyword),
                style=self._form.literals if is_literal else None,
                hidden="" if is_literal else self._form.closing,
            )
        return self._made[name]

    # --- text and thinking ----------------------------------------------------------------------

    def _text(self, calls: Node | None) -> Node:
        """Text, then perhaps calls; where text is a message, either of them."""
        messages = self._form.messages
        if messages is not None:
            before, _ = self._form.message(messages.text)
            text = sequence([Literal(before), self._free("text")])
            return text if calls is None else Choice((text, calls))
        text = self._free("text")
        if calls is None:
            return text
        opener = beginning(calls, self._rules)
        called = without_beginning(calls, opener, self._rules)
        return Choice((text, sequence([self._free("before", close=opener), called])))

    def _reasoning(self, reasoning: str | None) -> Node:
        if reasoning is None:
            return EMPTY
        before, after = self._thinking
        thought = self._free("thought", close=after)
        return thought if reasoning == "open" else optional(sequence([Literal(before), thought]))

    @property
    def _thinking(self) -> Around:
        """What stands around thinking before the rest of a reply; it may itself end with blanks."""
        messages = self._form.messages
        if messages is not None:
            return self._form.message(messages.thinking)
        pair = self._dialect.grammar.written_thinking()
        if pair is None or pair.written is None:
            raise ConstraintError(f"{self._dialect.name} does not say how thinking is written")
        before, after = pair.written
        closer = after.lstrip() if pair.close else after
        return before, closer + self._dialect.turns.thinking[1]

    def _free(self, name: str, *, close: str = "") -> Node:
        return self._excluding_markers.rules(name, self._rules, close=close)

    @cached_property
    def _excluding_markers(self) -> Excluding:
        return _excluding_markers(self._writer)

    def _excluding_value(self, key: str) -> Excluding:
        """Text that nothing ends as a value of this parameter; an element ends at its own tag."""
        body: Any = self._form.form.body
        if isinstance(body, grammar.Elements):
            return Excluding([grammar.Exact(f"</{key}"), self._form.form.close])
        return self._excluding_values

    @cached_property
    def _excluding_values(self) -> Excluding:
        body: Any = self._form.form.body
        # An opener would stand twice, or open the next value where a closer is missing.
        pair = isinstance(body, grammar.Pairs)
        around = (body.value_open, body.value_close) if pair else (body.open, body.close)
        return Excluding([*around, body.healed_close, self._form.form.close])


@lru_cache(maxsize=64)
def _excluding_markers(writer: Renderer) -> Excluding:
    return Excluding(_markers(writer.dialect.grammar))


def _markers(read: grammar.Grammar) -> Iterator[grammar.Marker | None]:
    """Whatever text that is neither a call nor thinking must not hold."""
    for section in read.sections:
        yield section.open
    for form in read.calls:
        yield form.open
    for pair in read.thinking:
        yield pair.open
        # A fence closes itself.
        yield pair.close or grammar.Exact("```")
    yield from read.results
    for noise in read.noise:
        yield noise.open


_ARGUMENTS: dict[type[grammar.Body], Callable[[TurnMaker, str], Node]] = {
    grammar.Envelope: TurnMaker._envelope,
    grammar.Json: TurnMaker._json,
    grammar.Values: TurnMaker._values,
    grammar.Pairs: TurnMaker._values,
    grammar.Quoted: TurnMaker._quoted,
    grammar.Code: TurnMaker._keywords,
    grammar.Elements: TurnMaker._elements,
}

"""A constraint: what a model may write in one request, in the languages of several engines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property, lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

from toolspeak.constrain import tree
from toolspeak.constrain.gbnf import print_gbnf
from toolspeak.constrain.json_rules import JsonRules
from toolspeak.constrain.lark import print_lark
from toolspeak.constrain.schemas import known_schema
from toolspeak.constrain.starts import beginning
from toolspeak.constrain.structural_tag import print_structural_tag
from toolspeak.constrain.turns import Tree, TurnMaker, arguments_schema
from toolspeak.errors import ConstraintError
from toolspeak.tools.tool_set import Tools, ToolSet
from toolspeak.writing.renderer import Renderer

__all__ = ["Backend", "Constraint", "Gbnf", "Note", "Reasoning", "ToolChoice", "make_constraint"]

Backend: TypeAlias = Literal["xgrammar", "llguidance", "llama.cpp"]
"""An engine of constrained decoding."""

ToolChoice: TypeAlias = Literal["auto", "required", "none"] | Mapping[str, Any]
"""Which calls a turn may hold, as OpenAI's chat API has it."""

_Made = TypeVar("_Made")

Reasoning: TypeAlias = Literal["open", "whole"] | None
"""The thinking before the rest: None, `"open"` where the prompt has opened it, or `"whole"`."""


class Note(NamedTuple):
    """What an engine does not enforce: the keyword at a JSON pointer of a tool's schema."""

    tool: str
    pointer: str
    keyword: str
    backend: Backend


class Gbnf(NamedTuple):
    """A grammar of llama.cpp. A lazy one counts from a trigger on, and leaves text before it free.

    `preserved_tokens` are markers that a server must keep as tokens.
    """

    grammar: str
    triggers: tuple[str, ...]
    preserved_tokens: tuple[str, ...]


def make_constraint(
    writer: Renderer,
    tools: Tools,
    tool_choice: ToolChoice,
    *,
    parallel: bool,
    strict: bool,
    reasoning: Reasoning,
    special_tokens: Iterable[str] | Mapping[str, int],
) -> Constraint:
    """A constraint; the same one for the same `ToolSet`, so that its grammars are made once."""
    if reasoning not in (None, "open", "whole"):
        raise ValueError(f"reasoning={reasoning!r} can be None, 'open' or 'whole'")
    known = ToolSet.of(tools)
    calls, names = _chosen(tool_choice, known)
    tokens: Mapping[str, int | None] = (
        special_tokens if isinstance(special_tokens, Mapping) else dict.fromkeys(special_tokens)
    )
    wanted = _Wanted(calls, names, parallel, strict, reasoning, tuple(tokens.items()))
    # A set that is made for one request is not worth keeping.
    return (_kept if known is tools else Constraint)(writer, known, wanted)


class _Wanted(NamedTuple):
    """What a constraint is to allow."""

    calls: str
    names: tuple[str, ...]
    parallel: bool
    strict: bool
    reasoning: Reasoning
    tokens: tuple[tuple[str, int | None], ...]


class Constraint:
    """What a model may write in one request. Made by `Dialect.constrain`.

    Its grammars are made when they are first asked for, and kept: change none of them.
    """

    def __init__(self, writer: Renderer, tools: ToolSet, wanted: _Wanted) -> None:
        self._writer = writer
        self._tools = tools
        self._wanted = wanted

    def structural_tag(self) -> dict[str, Any]:
        """The structural tag of xgrammar, as vLLM and SGLang take it.

        Raises `ConstraintError` with `strict` for what xgrammar does not enforce.
        """
        return self._judged(*self._structural_tag)

    def legacy_structural_tag(self) -> dict[str, Any]:
        """The older form, `structures` and `triggers`, where JSON stands between fixed texts.

        It leaves text around calls free: it cannot demand a call, and lets broken markers pass.
        """
        return self._judged(*self._legacy_tag)

    def lark(self) -> str:
        """The grammar in llguidance's Lark; raises `ConstraintError` as `structural_tag` does."""
        return self._judged(*self._lark)

    def gbnf(self, *, lazy: bool = False) -> Gbnf:
        """The grammar of llama.cpp; raises `ConstraintError` as `structural_tag` does.

        With `lazy` it begins at a call, and counts once the model has written a trigger.
        """
        return self._judged(*(self._lazy_gbnf if lazy else self._whole_gbnf))

    @property
    def notes(self) -> tuple[Note, ...]:
        """What each engine does not enforce of the tools' schemas."""
        made = (self._structural_tag, self._lark, self._whole_gbnf)
        return tuple(dict.fromkeys(note for _, notes in made for note in notes))

    # --- one engine each ------------------------------------------------------------------------

    @cached_property
    def _structural_tag(self) -> tuple[dict[str, Any], list[Note]]:
        notes: list[Note] = []
        made = self._tree("xgrammar", notes)
        schema = self._schema("xgrammar", notes)
        return print_structural_tag(made.root, made.rules, schema), notes

    @cached_property
    def _legacy_tag(self) -> tuple[dict[str, Any], list[Note]]:
        if self._wanted.calls != "auto":
            raise ConstraintError("a legacy tag leaves text free: it needs tool_choice='auto'")
        notes: list[Note] = []
        made = self._tree("xgrammar", notes)
        calls = made.rules["call"]
        options = calls.options if isinstance(calls, tree.Choice) else (calls,)
        schema = self._schema("xgrammar", notes)
        structures = [_structure(option, schema) for option in options]
        return {"structures": structures, "triggers": [beginning(calls, made.rules)]}, notes

    @cached_property
    def _lark(self) -> tuple[str, list[Note]]:
        notes: list[Note] = []
        made = self._tree("llguidance", notes)
        tokens = dict(self._wanted.tokens)
        schema = self._schema("llguidance", notes)
        return print_lark(made.root, made.rules, tokens, schema), notes

    @cached_property
    def _whole_gbnf(self) -> tuple[Gbnf, list[Note]]:
        notes: list[Note] = []
        return self._gbnf(self._tree("llama.cpp", notes), notes), notes

    @cached_property
    def _lazy_gbnf(self) -> tuple[Gbnf, list[Note]]:
        notes: list[Note] = []
        made = self._tree("llama.cpp", notes, only_calls=True)
        whole = self._gbnf(made, notes)
        return whole._replace(triggers=(beginning(made.root, made.rules),)), notes

    def _gbnf(self, made: Tree, notes: list[Note]) -> Gbnf:
        rules = made.rules

        @cache
        def spelled(tool: str) -> tree.Node:
            return self._arguments(tool, rules, notes)

        if "call" in rules:
            rules["call"] = _spelled_out(rules["call"], spelled)
        root = _spelled_out(made.root, spelled)
        tokens = tuple(dict(self._wanted.tokens)) or self._writer.dialect.family.tokens
        return Gbnf(print_gbnf(root, rules), (), tokens)

    # --- what they share ------------------------------------------------------------------------

    def _judged(self, made: _Made, notes: list[Note]) -> _Made:
        """What was made, if all is enforced that must be."""
        for note in notes if self._wanted.strict else ():
            raise ConstraintError(
                f"{note.backend} does not enforce {note.keyword!r} at {note.pointer or '/'} of the "
                f"tool {note.tool!r}; strict=False leaves it to the model",
                **note._asdict(),
            )
        return made

    def _tree(self, backend: Backend, notes: list[Note], *, only_calls: bool = False) -> Tree:
        def tell(tool: str, pointer: str, keyword: str) -> None:
            notes.append(Note(tool, pointer, keyword, backend))

        maker = TurnMaker(self._writer, self._tools, tell)
        return maker.turn(
            self._wanted.names,
            calls="required" if only_calls else self._wanted.calls,
            parallel=self._wanted.parallel,
            reasoning=None if only_calls else self._wanted.reasoning,
        )

    def _schema(self, backend: Backend, notes: list[Note]) -> Callable[[tree.Json], Any]:
        def known(node: tree.Json) -> Any:
            def tell(pointer: str, keyword: str) -> None:
                notes.append(Note(node.tool, pointer, keyword, backend))

            return known_schema(node.schema, backend, tell)

        return known

    def _arguments(self, tool: str, rules: tree.Rules, notes: list[Note]) -> tree.Node:
        """The arguments of a tool as JSON, with rules in place of the schema."""

        def tell(pointer: str, keyword: str) -> None:
            notes.append(Note(tool, pointer, keyword, "llama.cpp"))

        schema = arguments_schema(self._tools, tool)
        made = JsonRules(rules, f"t{self._tools.names.index(tool)}", schema, tell)
        return made.value(schema, "")


def _spelled_out(node: tree.Node, spelled: Callable[[str], tree.Node]) -> tree.Node:
    """A node with what is `spelled` for each tool in place of schemas."""

    def inner(part: tree.Node) -> tree.Node:
        return _spelled_out(part, spelled)

    if isinstance(node, tree.Json):
        return spelled(node.tool)
    if isinstance(node, tree.Sequence):
        return tree.sequence(map(inner, node.parts))
    if isinstance(node, tree.Choice):
        return tree.Choice(tuple(map(inner, node.options)))
    if isinstance(node, tree.Repeat):
        return node._replace(node=inner(node.node))
    return node


_kept = lru_cache(maxsize=256)(Constraint)


def _chosen(choice: ToolChoice, tools: ToolSet) -> tuple[str, tuple[str, ...]]:
    """Whether there may or must be calls, and of which tools."""
    if choice in ("auto", "none") and not tools:
        return "none", ()
    if choice in ("auto", "required", "none") and tools:
        return str(choice), tools.names
    if isinstance(choice, Mapping):
        named = choice.get("function", choice)
        name = named.get("name") if isinstance(named, Mapping) else None
        if name not in tools:
            known = ", ".join(tools.names) or "none"
            raise ConstraintError(f"tool_choice names {name!r}; the tools are: {known}")
        return "required", (str(name),)
    if choice == "required":
        raise ConstraintError("tool_choice='required' without tools")
    raise ValueError(
        f"tool_choice={choice!r} can be 'auto', 'required', 'none' or "
        '{"type": "function", "function": {"name": …}}'
    )


def _structure(call: tree.Node, schema: Callable[[tree.Json], Any]) -> dict[str, Any]:
    parts = call.parts if isinstance(call, tree.Sequence) else (call,)
    match parts:
        case (tree.Literal(begin), tree.Json() as json):
            end = ""
        case (tree.Literal(begin), tree.Json() as json, tree.Literal(end)):
            pass
        case _:
            raise ConstraintError("a legacy tag takes JSON between fixed texts only")
    return {"begin": begin, "schema": schema(json), "end": end}

"""Calls as tags: `<invoke name="N"><parameter name="K">V</parameter></invoke>`.

A value is literal up to the first closing parameter tag, of any prefix and any case. Raw text that
holds one is written as JSON and marked `string="false"`. The same mark carries a value that is no
string for a parameter whose schema says string. DSML writes the mark always.
"""

from __future__ import annotations

from itertools import product

from toolspeak.dialects._common import THINK
from toolspeak.grammar import (
    Blanks,
    CallForm,
    CloseTag,
    Exact,
    Followed,
    Grammar,
    Marker,
    NameIn,
    Noise,
    OpenTag,
    Section,
    TagSyntax,
    Thinking,
    Values,
)
from toolspeak.written import Around, Results, Turns, Written

__all__ = [
    "DSML_SYNTAX",
    "FUNCTION_RESULTS",
    "TAGGED_TURNS",
    "TAG_SYNTAX",
    "dsml_grammar",
    "dsml_section",
    "orphans",
    "tagged_grammar",
]

TAG_SYNTAX = TagSyntax(any_namespace=True, ignore_case=True)
"""Tags with any namespace prefix and in any case."""

_DSML_BARS = [*product("｜|", repeat=2), ("｜｜", "｜｜"), ("||", "||")]
_DSML_PREFIXES = tuple(
    f"{left}DSML{right}{space}" for left, right in _DSML_BARS for space in ("", " ")
)
DSML_SYNTAX = TagSyntax(
    open=tuple(f"<{prefix}" for prefix in _DSML_PREFIXES),
    close=tuple(f"</{prefix}" for prefix in _DSML_PREFIXES),
    quotes="double",
    quotes_protect=False,
)
"""DSML tags: full-width or ASCII pipes, freely mixed or doubled, perhaps with a space behind."""


def invoke_call(
    syntax: TagSyntax, written: Written | None, hint_default: str | None = None
) -> CallForm:
    """A call as an `invoke` tag with `parameter` tags; see `Values` for `hint_default`."""
    return CallForm(
        open=OpenTag(("invoke",), syntax),
        close=CloseTag(("invoke",), syntax),
        name=NameIn("name"),
        body=Values(
            open=OpenTag(("parameter",), syntax),
            close=CloseTag(("parameter",), syntax),
            key=NameIn("name"),
            hint="string",
            hint_default=hint_default,
            null=("null",),
        ),
        written=written,
    )


_WRITTEN = Written(
    open='<invoke name="{name}">',
    close="</invoke>",
    value=('<parameter name="{key}"{hint}>', "</parameter>"),
    hint="needed",
)
_DSML_WRITTEN = Written(
    open='<｜DSML｜invoke name="{name}">\n',
    close="</｜DSML｜invoke>",
    value=('<｜DSML｜parameter name="{key}"{hint}>', "</｜DSML｜parameter>\n"),
    hint="always",
)


def tagged_grammar(
    sections: tuple[str, ...], thinking: tuple[str, ...], written_section: str | None = None
) -> Grammar:
    """`invoke` calls, bare or in one of `sections`; `thinking` names the thinking tags.

    Calls are written in `written_section`, thinking in `<thinking>`.
    """
    invoke = invoke_call(TAG_SYNTAX, _WRITTEN)
    close = CloseTag(sections, TAG_SYNTAX)
    return Grammar(
        calls=(invoke,),
        sections=(
            Section(
                OpenTag(sections, TAG_SYNTAX),
                close,
                (invoke,),
                noise=CloseTag(syntax=TAG_SYNTAX, free="identifier"),
                written=_on_lines(written_section) if written_section else None,
            ),
        ),
        thinking=tuple(
            Thinking(
                OpenTag((name,), TAG_SYNTAX),
                CloseTag((name,), TAG_SYNTAX),
                _on_lines(name) if name == "thinking" else None,
            )
            for name in thinking
        ),
        results=(OpenTag(("tool_response", "function_results"), TAG_SYNTAX),),
        noise=(Noise(close), *orphans(TAG_SYNTAX)),
    )


def orphans(syntax: TagSyntax, behind: Marker | None = None) -> tuple[Noise, ...]:
    """Closers of calls without their openers; that of a parameter only with the call's.

    Where an answer may hold openers as text, they count only at its end, or with `behind` them.
    """
    parameter, invoke = CloseTag(("parameter",), syntax), CloseTag(("invoke",), syntax)
    rest = () if behind is None else (Blanks(), behind)
    return (
        Noise(Followed(parameter, Blanks(), invoke, *rest, consumed=3, at_end=True)),
        Noise(Followed(invoke, *rest, at_end=True)),
    )


def _on_lines(name: str) -> Around:
    return f"<{name}>\n", f"\n</{name}>"


def dsml_section(*, written: bool = False) -> Section:
    """The section that DSML calls need, in the names that models give it."""
    names = ("tool_calls", "function_calls", "calls", "toolcalls", "tool")
    return Section(
        open=OpenTag(names, DSML_SYNTAX),
        close=CloseTag(names, DSML_SYNTAX),
        calls=(invoke_call(DSML_SYNTAX, _DSML_WRITTEN if written else None, "true"),),
        noise=CloseTag(syntax=DSML_SYNTAX, free="identifier"),
        written=("<｜DSML｜tool_calls>\n", "\n</｜DSML｜tool_calls>") if written else None,
    )


def dsml_grammar() -> Grammar:
    """DSML alone: calls in their section, `<think>`."""
    section = dsml_section(written=True)
    return Grammar(
        sections=(section,),
        thinking=(THINK,),
        results=(Exact("<function_results>", "<tool_response>"),),
        noise=(Noise(section.close), *orphans(DSML_SYNTAX, section.close)),
    )


TAGGED_TURNS = Turns(
    system=("\n\nHuman: ", ""),
    developer=("\n\n", ""),
    user=("\n\nHuman: ", ""),
    assistant=("\n\nAssistant: ", ""),
    tool=("\n\nHuman: ", ""),
    reply="\n\nAssistant:",  # a model goes on with the blank itself
    bare_first=("developer",),
)
"""Turns of `Human:` and `Assistant:`; developers' instructions stand bare before them."""

FUNCTION_RESULTS = Results(
    each="<result>\n<tool_name>{escaped_name}</tool_name>\n<stdout>{text}</stdout>\n</result>",
    error="<error>\n<tool_name>{escaped_name}</tool_name>\n<stderr>{text}</stderr>\n</error>",
    around=("<function_results>\n", "\n</function_results>"),
)
"""A `<result>` per success and an `<error>` per failure, in one `<function_results>` element."""

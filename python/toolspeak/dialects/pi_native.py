"""pi-native: `<call:NAME a="x" n=5/>`, child elements, or a verbatim body.

How a call is written depends on what its values allow, so `_pi_native_writing` says it in code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolspeak.dialect import Dialect
from toolspeak.dialects._common import THINK
from toolspeak.dialects._guides import load_guide
from toolspeak.grammar import (
    CallForm,
    CloseTag,
    Elements,
    Exact,
    Grammar,
    NameIn,
    OpenTag,
    TagSyntax,
)
from toolspeak.written import Written

if TYPE_CHECKING:
    from toolspeak.writing.renderer import Renderer

__all__ = ["DIALECT"]


def _renderer(dialect: Dialect) -> Renderer:
    from toolspeak.dialects._pi_native_writing import PiNativeRenderer  # noqa: PLC0415 - to write

    return PiNativeRenderer(dialect)


_SYNTAX = TagSyntax(open=("<call:",), close=("</call:",))

DIALECT = Dialect(
    name="pi-native",
    grammar=Grammar(
        calls=(
            CallForm(
                open=OpenTag(syntax=_SYNTAX, free="identifier"),
                close=CloseTag(syntax=_SYNTAX, free="identifier"),
                name=NameIn(),
                body=Elements(text="input"),
                # A call of elements: what a grammar lets a model write. `_pi_native_writing` knows
                # plainer forms of some.
                written=Written(
                    open="<call:{name}>\n",
                    close="</call:{name}>",
                    value=("<{key}>", "</{key}>\n"),
                ),
            ),
        ),
        thinking=(THINK,),
        results=(Exact("<tool_response>"),),
    ),
    renderer=_renderer,
    guide=load_guide("pi-native"),
    summary="call:NAME tags with attributes, child elements or a verbatim body",
)

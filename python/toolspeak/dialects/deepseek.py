"""deepseek: `NAME<｜tool▁sep｜>JSON` between call tokens, calls abutting inside a section.

The header `function` announces the older form (the name in the next line, then fenced JSON), so
a tool of that very name is written in the older form.
"""

from __future__ import annotations

from collections.abc import Mapping

from toolspeak.dialect import Dialect
from toolspeak.dialects._common import THINK
from toolspeak.dialects._guides import load_guide
from toolspeak.dialects._tagged import DSML_SYNTAX, dsml_section, orphans
from toolspeak.family import Family
from toolspeak.grammar import (
    AnyOf,
    Blanks,
    CallForm,
    Exact,
    Followed,
    Grammar,
    Header,
    Json,
    Noise,
    Section,
)
from toolspeak.written import Results, Turns, Written

__all__ = ["DIALECT"]


_OPEN, _CLOSE = Exact("<｜tool▁call▁begin｜>"), Exact("<｜tool▁call▁end｜>")
_SEP = Exact("<｜tool▁sep｜>")

_CALL = CallForm(
    open=_OPEN,
    close=_CLOSE,
    name=Header(ends=AnyOf(_SEP, Followed(Exact("{"), consumed=0)), bare=True),
    body=Json(),
    written=Written(
        open="<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>", close="<｜tool▁call▁end｜>", between=""
    ),
)
# The older form: `function`, the separator, the name, and JSON in a fence.
_FENCED_CALL = CallForm(
    open=Followed(_OPEN, Blanks(), Exact("function"), Blanks(), _SEP, consumed=5),
    close=_CLOSE,
    name=Header(ends=Exact("```json", "```")),
    body=Json(),
    written=Written(
        open="<｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n",
        close="\n```<｜tool▁call▁end｜>",
        between="",
    ),
)
_CALLS = (_CALL, _FENCED_CALL)
_SECTION_CLOSE = Exact("<｜tool▁calls▁end｜>")
_DSML = dsml_section()

_CONTROL = (
    "begin▁of▁sentence",
    "end▁of▁sentence",
    "User",
    "Assistant",
    "▁pad▁",
    "EOT",
    "search▁begin",
    "search▁end",
    "fim▁begin",
    "fim▁hole",
    "fim▁end",
    "tool▁outputs▁begin",
    "tool▁outputs▁end",
    "tool▁output▁begin",
    "tool▁output▁end",
    "tool▁sep",
    "tool▁call▁end",
    "tool▁calls▁end",
)

_GRAMMAR = Grammar(
    calls=_CALLS,
    sections=(
        Section(
            Exact("<｜tool▁calls▁begin｜>"),
            _SECTION_CLOSE,
            _CALLS,
            written=("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
        ),
        _DSML,
    ),
    thinking=(THINK,),
    call_in_thinking="ends_prompted",
    results=(Exact("<｜tool▁outputs▁begin｜>", "<｜tool▁output▁begin｜>", "<function_results>"),),
    noise=(
        Noise(Exact(*(f"<｜{token}｜>" for token in _CONTROL), "<|EOT|>")),
        Noise(_DSML.close),
        *orphans(DSML_SYNTAX, _DSML.close),
    ),
)


_TURNS = Turns(
    begin="<｜begin▁of▁sentence｜>",
    system=("", ""),
    developer=("", ""),
    user=("<｜User｜>", ""),
    assistant=("<｜Assistant｜>", "<｜end▁of▁sentence｜>"),
    tool=("", ""),
    reply="<｜Assistant｜>",
)


def _dialect(grammar: Grammar, variants: Mapping[str, Mapping[str, Dialect]]) -> Dialect:
    return Dialect(
        name="deepseek",
        grammar=grammar,
        results=Results(each="<｜tool▁output▁begin｜>{text}<｜tool▁output▁end｜>"),
        turns=_TURNS,
        family=Family(
            stop=("<｜end▁of▁sentence｜>",),
            tokens=(
                "<think>",
                "</think>",
                "<｜tool▁calls▁begin｜>",
                "<｜tool▁calls▁end｜>",
                "<｜tool▁call▁begin｜>",
                "<｜tool▁call▁end｜>",
                "<｜tool▁outputs▁begin｜>",
                "<｜tool▁outputs▁end｜>",
                "<｜tool▁output▁begin｜>",
                "<｜tool▁output▁end｜>",
            ),
            prompt_thinking="varies",
            sources=("https://huggingface.co/deepseek-ai/DeepSeek-V3.1",),
        ),
        guide=load_guide("deepseek"),
        summary="JSON between tokens, the older fenced form, and DSML tags",
        variants=variants,
    )


# DSML calls need their section, so that an answer may speak of the tags; some models leave the
# section out.
_BARE_DSML = _dialect(_GRAMMAR.replace(calls=(*_CALLS, *_DSML.calls)), {})

DIALECT = _dialect(_GRAMMAR, {"dsml": {"bare": _BARE_DSML}})

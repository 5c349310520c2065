"""gemini: Python calls with keyword arguments in a `tool_code` fence.

Values are Python literals: double-quoted strings with Python's escapes, `True`, `False`, `None`.
A fence inside a string literal is data, so it needs no escape.
"""

from __future__ import annotations

import builtins
import keyword

from toolspeak.dialect import Dialect
from toolspeak.dialects._guides import load_guide
from toolspeak.family import Family
from toolspeak.grammar import (
    CallForm,
    Code,
    Exact,
    Grammar,
    Header,
    NameTemplate,
    Section,
    Thinking,
)
from toolspeak.written import Results, Turns, Written

__all__ = ["DIALECT", "PYTHONS_OWN"]

# Names whose calls are Python's own, and no tool calls unless the tool list names them.
PYTHONS_OWN = frozenset([*keyword.kwlist, *dir(builtins)])
_CALLEE_NAME = NameTemplate(
    "default_api.{name}", prefix="optional", tools="only", reserved=tuple(sorted(PYTHONS_OWN))
)
_CALL = CallForm(
    open=None,
    close=None,
    name=Header(
        ends=Exact("("),
        read=_CALLEE_NAME,
    ),
    body=Code(),
    # An example has neither the fence nor `default_api.` before names.
    written=Written(
        open="{header}(",
        close=")",
        items=(", ", ": "),
        between=", ",
        many=("[", "]"),
        example=("{name}(", ")"),
    ),
)
_USER = ("<start_of_turn>user\n", "<end_of_turn>\n")

DIALECT = Dialect(
    name="gemini",
    grammar=Grammar(
        sections=(
            Section(
                Exact("```tool_code"),
                Exact("```"),
                (_CALL,),
                content="code",
                written=("```tool_code\n", "\n```"),
            ),
        ),
        thinking=(Thinking(Exact("```thinking\n"), None, ("```thinking\n", "\n```")),),
        results=(Exact("```tool_outputs"),),
    ),
    results=Results(each="```tool_outputs\n{text}\n```"),
    turns=Turns(
        begin="<bos>",
        system=_USER,
        developer=_USER,
        user=_USER,
        assistant=("<start_of_turn>model\n", "<end_of_turn>\n"),
        tool=_USER,
        reply="<start_of_turn>model\n",
        thinking=("", "\n"),
        instructions="user",
    ),
    family=Family(
        stop=("<end_of_turn>",),
        sources=(
            "https://ai.google.dev/gemma/docs/capabilities/function-calling",
            "https://ai.google.dev/gemma/docs/formatting",
        ),
    ),
    guide=load_guide("gemini"),
    summary="Python calls in a tool_code fence",
)

"""Calls as JSON in a tag: `<tool_call>` `{"name":…,"arguments":{…}}` `</tool_call>`, one per line.

The JSON ends by its own structure, so a marker inside one of its strings needs no escape.
"""

from __future__ import annotations

from toolspeak.dialects._common import THINK
from toolspeak.grammar import CallForm, Envelope, Exact, Grammar, Noise, Thinking
from toolspeak.written import Written

__all__ = ["json_tag_grammar"]


def json_tag_grammar(
    open: str,
    close: str,
    thinking: Thinking = THINK,
    arguments: tuple[str, ...] = ("arguments", "parameters", "args"),
) -> Grammar:
    """JSON envelopes between `open` and `close`, on lines of their own, and thinking."""
    call = CallForm(
        Exact(open),
        Exact(close),
        Envelope(arguments=arguments),
        written=Written(open=f"{open}\n", close=f"\n{close}"),
    )
    return Grammar(
        calls=(call,),
        thinking=(thinking,),
        results=(Exact("<tool_response>"),),
        noise=(Noise(Exact(close)),),
    )

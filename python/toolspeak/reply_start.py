"""Where in a prompt the reply begins: what stands behind that, the model has not to write itself.

A prompt ends with what a family's template puts before the model's own text, and perhaps with
thinking that it opens, an answer or a call that was begun. What marks the place is in the
dialect's record.
"""

from __future__ import annotations

from toolspeak.family import Family
from toolspeak.grammar import Grammar
from toolspeak.turn_tokens import first_token, turn_tokens
from toolspeak.written import Results, Turns

__all__ = ["begun_reply"]


def begun_reply(
    prompt: str, grammar: Grammar, turns: Turns, family: Family, results: Results | None
) -> str:
    """What of the reply stands in this prompt, or the end of one: all that has no mark before it.

    Where the mark itself begins a message of the grammar, it is a part of that.
    """
    mark = turns.reply.rstrip()
    begins = prompt.rfind(mark) if mark else -1
    if begins >= 0:
        token = first_token(mark)
        means_nothing = token is None or token in turn_tokens(grammar, turns, family)
        begins += len(mark) if means_nothing else 0
    reply = prompt[max(begins, 0) :]
    return reply if results is None else _behind_results(reply, results)


def _behind_results(reply: str, results: Results) -> str:
    """What stands behind the last result in a reply: in some families it goes on there."""
    opener, _, rest = results.each.partition("{")
    closer = rest.rpartition("}")[2].strip()
    behind = reply.rpartition(opener)[2] if opener else reply
    return behind.partition(closer)[2] if closer and behind != reply else reply

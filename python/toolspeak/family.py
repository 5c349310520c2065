"""Facts of the models that speak a dialect: their tokens, and where the format is written down."""

from __future__ import annotations

from typing import Literal

from toolspeak.record import Record

__all__ = ["Family"]


class Family(Record, kw_only=True):
    """The models that a dialect belongs to, as their tokenizers and chat templates have it.

    `stop` are the tokens that end a turn. `tokens` are the dialect's own markers that are single
    tokens in the family's tokenizers (added, special or not); a server that asks for them with
    `skip_special_tokens` must keep them. `prompt_thinking` is what the end of a prompt leaves open:
    `"open"` where templates open thinking by default, `"closed"` where none does, `"varies"` where
    that depends on the model or an option. `sources` are addresses.
    """

    stop: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
    prompt_thinking: Literal["closed", "open", "varies"] = "closed"
    sources: tuple[str, ...] = ()

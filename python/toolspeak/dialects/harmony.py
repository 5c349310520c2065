"""harmony: every call, result and thought is a channel message with a recipient in its header."""

from __future__ import annotations

from toolspeak.dialect import Dialect
from toolspeak.dialects._guides import load_guide
from toolspeak.family import Family
from toolspeak.grammar import (
    AnyOf,
    CallForm,
    Exact,
    Followed,
    Grammar,
    Header,
    Json,
    MessageHeader,
    Noise,
)
from toolspeak.written import Results, Turns, Written

__all__ = ["DIALECT"]


# The recipient may stand in either part of a header and decides; then the channel. Only what the
# assistant says counts.
_HEADER = MessageHeader(
    speaker="assistant",
    channel="<|channel|>",
    recipient="to=",
    namespace="functions.",
    thinking="analysis",
    text="final",
    call="commentary",
)


_CHANNEL = Exact("<|channel|>")


# An example shows the arguments only: the header belongs to the server.
_WRITTEN = Written(
    open="<|start|>{header}<|message|>",
    close="<|call|>",
    message="<|end|>",
    between="",
    example=("", ""),
)


def _message(open: Exact | Followed, written: Written | None = None) -> CallForm:
    return CallForm(
        open=open,
        # The next message's beginning ends one as well; servers strip the last token.
        close=AnyOf(Exact("<|end|>", "<|call|>", "<|return|>"), Followed(_CHANNEL, consumed=0)),
        name=Header(ends=Exact("<|message|>"), through=_CHANNEL, read=_HEADER),
        body=Json(),
        written=written,
    )


DIALECT = Dialect(
    name="harmony",
    grammar=Grammar(
        # A message may leave out its role: then it begins with its channel.
        calls=(_message(Exact("<|start|>"), _WRITTEN), _message(Followed(_CHANNEL, consumed=0))),
        # A message from a tool, which only the server writes.
        results=(Exact("<|start|>functions."),),
        noise=(Noise(Exact("<|end|>", "<|call|>", "<|return|>", "<|message|>", "<|constrain|>")),),
    ),
    results=Results(
        each=(
            "<|start|>functions.{name} to=assistant<|channel|>commentary<|message|>{text}<|end|>"
        ),
        between="",
    ),
    turns=Turns(
        system=("<|start|>system<|message|>", "<|end|>"),
        developer=("<|start|>developer<|message|>", "<|end|>"),
        user=("<|start|>user<|message|>", "<|end|>"),
        assistant=("", ""),  # thinking, text and calls are messages of their own, like results
        tool=("", ""),
        reply="<|start|>assistant",
    ),
    family=Family(
        stop=("<|return|>", "<|call|>", "<|endoftext|>"),
        tokens=(
            "<|start|>",
            "<|end|>",
            "<|message|>",
            "<|channel|>",
            "<|constrain|>",
            "<|return|>",
            "<|call|>",
        ),
        sources=(
            "https://github.com/openai/harmony/blob/main/docs/format.md",
            "https://huggingface.co/openai/gpt-oss-20b",
        ),
    ),
    guide=load_guide("harmony"),
    summary="channel messages; a recipient makes one a call",
)

"""How dialects are written: spelling and layout as data, beside what the grammar says is read.

Texts here have holes in braces, such as `{name}`; any other brace is a brace. What a hole may hold
is not said anywhere: what is written is read back, and is refused if it means something else.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from toolspeak.record import Record

__all__ = ["CHATML", "TOOL_RESPONSES", "Around", "Hint", "Results", "Role", "Turns", "Written"]

Around: TypeAlias = tuple[str, str]
"""What stands before something, and what stands behind it."""

Hint: TypeAlias = Literal["never", "needed", "always"]
"""When a value's tag says whether it is text or JSON: `"needed"` where it would be misread."""

Role: TypeAlias = Literal["system", "developer", "user", "assistant", "tool"]
"""Who speaks in a turn."""


class Written(Record, kw_only=True):
    """How one form of call is written. In code, as Python has it; in JSON, without blanks.

    `open` stands before the arguments: `{name}` is the tool's name, `{header}` what the form's
    header says. `value` stands around each argument that has markers of its own: `{key}` is its
    name, `{hint}` an attribute that says what its text is, as `hint` has it. `items` separates what
    lists and objects of literals hold, and keys from values. `between` separates the calls of a
    turn; `many` stands around them where there is not just one.

    An `example` in a prompt is written between these instead of `open` and `close`, and without its
    section. `message` ends a message that is no call, in forms whose header says what a message is.
    """

    open: str
    close: str
    value: Around = ("", "")
    hint: Hint = "never"
    items: tuple[str, str] = (",", ":")
    between: str = "\n"
    many: Around | None = None
    example: Around | None = None
    message: str = ""


class Results(Record, kw_only=True):
    """How tool results are written.

    `each` is one result, `error` one that failed (None: no difference), with the holes `{text}`,
    `{name}`, `{id}`, `{value}` (the text as a value in the dialect's own literals, if it is JSON)
    and `{escaped_name}` (the name as XML text). `between` separates them, `around` stands around
    all; `in_turn` is what does so where the results are a turn of their own.
    """

    each: str
    error: str | None = None
    between: str = "\n"
    around: Around = ("", "")
    in_turn: Around | None = None


TOOL_RESPONSES = Results(each="<tool_response>\n{text}\n</tool_response>")
"""Each result between `<tool_response>` tags on their own lines."""


class Turns(Record, kw_only=True):
    """How a family of models writes a conversation: what stands around a turn of each role.

    `begin` stands before a conversation, `reply` where the model is to go on. `thinking` stands
    around the thinking of a reply. `instructions` are turns of their own, or begin the turn of the
    `"user"`; `results` are turns, or stand in the `"reply"` that they answer. A conversation that
    begins with a turn of a role in `bare_first` leaves out what stands before that.
    """

    system: Around
    developer: Around
    user: Around
    assistant: Around
    tool: Around
    reply: str
    begin: str = ""
    thinking: Around = ("", "")
    instructions: Literal["turn", "user"] = "turn"
    results: Literal["turn", "reply"] = "turn"
    bare_first: tuple[Role, ...] = ()

    def around(self, role: Role) -> Around:
        """What stands around a turn of `role`."""
        around: Around = getattr(self, role)
        return around

    def marks(self) -> tuple[str, ...]:
        """All that may open or close a turn."""
        roles = (self.system, self.developer, self.user, self.assistant, self.tool)
        return (*(mark for around in roles for mark in around), self.reply, self.begin)


CHATML = Turns(
    system=("<|im_start|>system\n", "<|im_end|>\n"),
    developer=("<|im_start|>system\n", "<|im_end|>\n"),
    user=("<|im_start|>user\n", "<|im_end|>\n"),
    assistant=("<|im_start|>assistant\n", "<|im_end|>\n"),
    tool=("<|im_start|>tool\n", "<|im_end|>\n"),
    reply="<|im_start|>assistant\n",
)
"""Turns between `<|im_start|>` and `<|im_end|>`, results in a turn of their own."""

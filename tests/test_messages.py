"""Messages: blocks in their order, what is derived from them, and the OpenAI form."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

import toolspeak
from toolspeak import Message, TextBlock, ThinkingBlock, ToolAbort, ToolCall

CALL = ToolCall("c1", "f", {"a": "é", "b": [1, None]}, "<raw>", True)
ABORT = ToolAbort("c2", "g", {}, "<g", "truncated")
BLOCKS = (
    TextBlock("one "),
    ThinkingBlock("why"),
    CALL,
    TextBlock("two"),
    ABORT,
    ThinkingBlock(""),
)


def test_a_message_of_what_the_core_read() -> None:
    call = '<tool_call>{"name": "f", "arguments": {"n": 1}}</tool_call>'
    output = f"a<think>why</think>b{call}<tool_call>x</tool_call>c{call[:-20]}"
    message = toolspeak.parse(output, "hermes")
    kinds = [type(block).__name__ for block in message.blocks]
    assert kinds == [
        "TextBlock", "ThinkingBlock", "TextBlock", "ToolCall", "ToolAbort", "TextBlock",
        "ToolAbort",
    ]  # fmt: skip
    assert message.blocks[:3] == (TextBlock("a"), ThinkingBlock("why"), TextBlock("b"))
    assert [call.arguments for call in message.tool_calls] == [{"n": 1}]
    assert [abort.reason for abort in message.aborted] == ["malformed", "truncated"]
    assert toolspeak.parse("", "hermes") == Message() == Message(())


def test_blocks_by_their_kinds() -> None:
    message = Message(BLOCKS)
    assert message.text == "one two"
    assert message.thinking == ("why", "")
    assert message.tool_calls == (CALL,)
    assert message.aborted == (ABORT,)
    empty = Message()
    assert (empty.text, empty.thinking, empty.tool_calls, empty.aborted) == ("", (), (), ())


def test_one_text_is_not_copied() -> None:
    text = "a text of some length"
    assert Message((ThinkingBlock("x"), TextBlock(text))).text is text


def test_equality_is_that_of_the_blocks() -> None:
    assert Message(BLOCKS) != Message(BLOCKS[::-1])
    assert Message((TextBlock("a"), TextBlock("b"))) != Message((TextBlock("ab"),))
    assert Message((TextBlock("a"),)) != Message((ThinkingBlock("a"),))
    assert hash(Message((TextBlock("a"),))) == hash(Message((TextBlock("a"),)))


def test_messages_and_blocks_do_not_change() -> None:
    for value, field in ((Message(BLOCKS), "blocks"), (BLOCKS[0], "text"), (BLOCKS[1], "thinking")):
        with pytest.raises(FrozenInstanceError):
            setattr(value, field, "x")
        assert not hasattr(value, "__dict__")
        assert copy.deepcopy(value) == value
        assert pickle.loads(pickle.dumps(value)) == value


def test_parse_gives_blocks() -> None:
    call = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'
    message = toolspeak.parse(f"<think>a</think>b{call}", "hermes")
    assert {type(block) for block in message.blocks} == {ThinkingBlock, TextBlock, ToolCall}
    assert toolspeak.parse("", "hermes") == Message()
    assert toolspeak.parse("b", "hermes") == Message((TextBlock("b"),))


# --- the OpenAI form ----------------------------------------------------------------------------


def test_the_openai_form() -> None:
    message = Message(BLOCKS[:-1]).to_openai()
    (call,) = message.pop("tool_calls")
    assert message == {"role": "assistant", "content": "one two", "reasoning_content": "why"}
    assert (call["id"], call["type"], call["function"]["name"]) == ("c1", "function", "f")
    assert call["function"]["arguments"] == '{"a":"é","b":[1,null]}'
    assert json.loads(call["function"]["arguments"]) == CALL.arguments


@pytest.mark.parametrize(
    ("blocks", "content"),
    [((), ""), ((TextBlock("a"),), "a"), ((CALL,), None), ((CALL, TextBlock("a")), "a"),
     ((ThinkingBlock("a"),), ""), ((ABORT,), "")],
)  # fmt: skip
def test_content_is_none_only_beside_calls(blocks: Any, content: str | None) -> None:
    message = Message(blocks).to_openai()
    assert message["content"] == content
    assert ("tool_calls" in message) == (CALL in blocks)
    assert ("reasoning_content" in message) == (blocks == (ThinkingBlock("a"),))


def test_blocks_of_thinking_are_lines() -> None:
    message = Message((ThinkingBlock("a"), TextBlock("x"), ThinkingBlock("b")))
    assert message.to_openai()["reasoning_content"] == "a\nb"


def test_the_openai_form_can_be_written_again() -> None:
    """What `render_transcript` takes, thinking included."""
    dialect = toolspeak.get_dialect("qwen3")
    message = Message((ThinkingBlock("why"), TextBlock("one"), CALL))
    conversation = [{"role": "user", "content": "?"}, message.to_openai()]
    (user, written) = (dialect.render_transcript(conversation[:n]) for n in (1, 2))
    again = toolspeak.parse(written[len(user) :], dialect)
    assert [thinking.strip() for thinking in again.thinking] == ["why"]
    assert [(it.name, it.arguments) for it in again.tool_calls] == [(CALL.name, CALL.arguments)]

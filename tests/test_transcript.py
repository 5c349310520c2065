"""Conversations: transcripts as the vectors have them, history that reads back equal, reasoning."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import toolspeak
from generated import TEXTS, name_of, tool_and_arguments
from support import (
    CALL_DIALECTS,
    DIALECTS,
    VECTORS,
    Event,
    Row,
    aborts_of,
    calls_of,
    canonical,
    read_jsonl,
    scan,
    tools_named,
)

ROWS = [row for row in read_jsonl(VECTORS / "render.jsonl") if row["fn"] == "render_transcript"]
DEVIATIONS = json.loads((VECTORS / "render_deviations.json").read_text(encoding="utf-8"))

IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
USER = {"role": "user", "content": "hi"}


def asking(*names: str, content: Any = None, ids: Sequence[str] = "abcdef") -> Row:
    calls = [
        {"id": call_id, "type": "function", "function": {"name": name, "arguments": "{}"}}
        for name, call_id in zip(names, ids, strict=False)
    ]
    return {"role": "assistant", "content": content, "tool_calls": calls}


def answering(call_id: str, content: Any, **more: Any) -> Row:
    return {"role": "tool", "tool_call_id": call_id, "content": content, **more}


# --- transcripts --------------------------------------------------------------------------------


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_transcript_vector(row: Row) -> None:
    dialect, args = toolspeak.get_dialect(row["dialect"]), row["args"]
    expected = DEVIATIONS.get(row["id"], row)["output"]
    assert dialect.render_transcript(args["messages"], tools_named(args["tools"])) == expected


@pytest.mark.parametrize("name", DIALECTS)
def test_every_dialect_writes_a_conversation(name: str) -> None:
    dialect = toolspeak.get_dialect(name)
    written = dialect.render_transcript([{"role": "system", "content": "S"}, USER])
    assert "S" in written
    assert "hi" in written
    assert dialect.render_transcript([]) == ""
    opened = dialect.render_transcript([USER], add_generation_prompt=True)
    begun = dialect.render_transcript([USER])
    assert opened.startswith(begun)
    reply = opened.removeprefix(begun)
    answered = dialect.render_transcript([USER, {"role": "assistant", "content": "yes"}])
    assert reply
    assert answered.startswith(opened)


@pytest.mark.parametrize("name", CALL_DIALECTS)
def test_the_model_s_own_words_read_back(name: str) -> None:
    """What stands between the prompt and the end of the reply is thinking, content and calls."""
    dialect, tools = toolspeak.get_dialect(name), tools_named(["lookup", "ping"])
    reply = {**asking("ping", "lookup", content="Looking. Now."), "reasoning": "t1\nt2"}
    written = dialect.render_transcript([USER, reply], tools)
    prompt = dialect.render_transcript([USER], tools, add_generation_prompt=True)
    # Where a header follows the prompt the reply begins with it.
    said = written[len(prompt) if name != "harmony" else len(prompt) - len("<|start|>assistant") :]
    message = toolspeak.parse(said, name, tools=tools)
    assert [call.name for call in message.tool_calls] == ["ping", "lookup"]
    assert [text.strip() for text in message.thinking] == ["t1\nt2"]
    assert message.text.lstrip().startswith("Looking. Now.")


def test_instructions_without_a_system_turn() -> None:
    messages = [
        {"role": "system", "content": "A"},
        {"role": "developer", "content": "B"},
        USER,
        {"role": "developer", "content": "C"},
    ]
    assert toolspeak.get_dialect("gemini").render_transcript(messages) == (
        "<bos><start_of_turn>user\nA\n\nB\n\nhi<end_of_turn>\n<start_of_turn>user\nC<end_of_turn>\n"
    )


def test_results_find_their_calls() -> None:
    def names(*messages: Row) -> list[str]:
        written = toolspeak.get_dialect("harmony").render_transcript(messages)
        turns = written.split("<|start|>functions.")[1:]
        return [f"{turn.partition(' ')[0]}={turn.partition('<|message|>')[2][0]}" for turn in turns]

    both = asking("f", "g")
    assert names(both, answering("b", "1"), answering("a", "2")) == ["g=1", "f=2"]
    assert names(both, {"role": "tool", "content": "1"}, {"role": "tool", "content": "2"}) == [
        "f=1",
        "g=2",
    ]
    assert names(both, USER, answering("b", "1")) == ["g=1"]
    assert names(both, answering("b", "1", name="own")) == ["own=1"]
    # An id that is used again means the later call.
    assert names(asking("f"), asking("g"), answering("a", "1")) == ["g=1"]
    with pytest.raises(toolspeak.RenderError, match=r"messages\[1\].*'x'"):
        names(both, answering("x", "1"))


def test_kimi_results_name_the_calls_they_answer() -> None:
    messages = [asking("f", "g"), answering("b", "1"), answering("a", "2")]
    dialect = toolspeak.get_dialect("kimi")
    for written in (
        dialect.render_transcript(messages),
        dialect.encode_history(messages)[1]["content"],
    ):
        order = [part.partition("\n")[0] for part in written.split("## Return of ")[1:]]
        assert order == ["functions.g:1", "functions.f:0"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (None, ""),
        ("x", "x"),
        (["a", {"type": "text", "text": "b"}, {"type": "refusal", "refusal": "c"}], "abc"),
        ([IMAGE], "[Image: image/png]"),
        ([IMAGE, "x", IMAGE], "[Image: image/png]x[Image]"),
        ([{"type": "image_url", "image_url": {"url": "https://x/y.png"}}], "[Image]"),
        ([{"type": "input_image", "image_url": "data:image/gif;base64,"}], "[Image]"),
        ([{"type": "input_audio", "input_audio": {"data": "", "format": "wav"}}], "[Audio]"),
        ([{"type": "video"}, {"type": "file", "file": {"file_id": "f"}}], "[Video][File]"),
    ],
)  # fmt: skip
def test_contents(content: Any, expected: str) -> None:
    written = toolspeak.get_dialect("deepseek").render_transcript(
        [{"role": "user", "content": content}]
    )
    assert written == f"<｜begin▁of▁sentence｜><｜User｜>{expected}"


@pytest.mark.parametrize(
    ("message", "place"),
    [
        ({"role": "narrator", "content": "x"}, r"messages\[1\].*'narrator'"),
        ({"content": "x"}, r"messages\[1\].*None"),
        ("x", r"messages\[1\] must be a dict, not str"),
        ({"role": "user", "content": 5}, r"messages\[1\]\.content"),
        ({"role": "user", "content": ["a", 5]}, r"messages\[1\]\.content\[1\].*'int'"),
        ({"role": "user", "content": [{"type": "smell"}]}, r"messages\[1\]\.content\[0\].*'smell'"),
        ({"role": "assistant", "reasoning": 5}, r"messages\[1\]\.reasoning"),
        ({"role": "assistant", "tool_calls": {}}, r"messages\[1\]\.tool_calls"),
        ({"role": "assistant", "tool_calls": [5]}, r"messages\[1\]\.tool_calls\[0\]"),
        (
            {"role": "assistant", "tool_calls": [{"name": "f", "arguments": "{"}]},
            r"messages\[1\]\.tool_calls\[0\].*\bf\b",
        ),
        (
            {"role": "assistant", "tool_calls": [{"name": "f", "arguments": "[1]"}]},
            r"messages\[1\]\.tool_calls\[0\].*object",
        ),
        ({"role": "tool", "content": "x", "name": 5}, r"messages\[1\]"),
        ({"role": "tool", "content": "x"}, r"messages\[1\] has no name"),
    ],
)
def test_a_bad_message_is_named(message: Any, place: str) -> None:
    with pytest.raises((TypeError, toolspeak.RenderError), match=place):
        toolspeak.get_dialect("hermes").render_transcript([USER, message])


def test_one_message_is_no_conversation() -> None:
    dialect = toolspeak.get_dialect("hermes")
    with pytest.raises(TypeError, match="sequence"):
        dialect.render_transcript(USER)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", CALL_DIALECTS)
def test_untrusted_text_in_a_conversation(name: str) -> None:
    dialect, tools = toolspeak.get_dialect(name), tools_named(["ping"])
    hostile = dialect.render_calls([toolspeak.ToolCall("a", "ping")], tools)
    messages = [{"role": "user", "content": hostile}, asking("ping"), answering("a", hostile)]
    for clean in (
        dialect.render_transcript(messages, tools, untrusted="neutralize"),
        "".join(
            message["content"]
            for message in dialect.encode_history(messages, tools, untrusted="neutralize")
        ),
    ):
        assert hostile in dialect.render_transcript(messages, tools)
        assert clean.count(hostile) == 1
    for message in ([messages[0]], messages[1:]):
        with pytest.raises(toolspeak.UntrustedMarkerError):
            dialect.encode_history(message, tools, untrusted="raise")


# --- history ------------------------------------------------------------------------------------


def test_history_keeps_the_rest() -> None:
    messages: list[Row] = [
        {"role": "system", "content": "S"},
        {"role": "user", "content": ["a", IMAGE], "name": "someone"},
        {**asking("ping", content="Now. "), "reasoning": "r", "name": "me"},
        answering("a", ["one ", IMAGE]),
        answering("x", "two", name="lookup", is_error=True),
        {"role": "assistant", "content": [{"type": "text", "text": "x"}], "refusal": None},
    ]
    before = json.dumps(messages)
    history = toolspeak.get_dialect("hermes").encode_history(messages)
    assert json.dumps(messages) == before
    ping = '<tool_call>\n{"name":"ping","arguments":{}}\n</tool_call>'
    results = (
        "<tool_response>\none [Image: image/png]\n</tool_response>\n"
        "<tool_response>\ntwo\n</tool_response>"
    )
    assert history == [
        *messages[:2],
        {"role": "assistant", "content": f"Now. {ping}", "reasoning": "r", "name": "me"},
        {"role": "user", "content": [{"type": "text", "text": results}, IMAGE]},
        messages[5],
    ]


def test_calls_behind_content_parts() -> None:
    history = toolspeak.get_dialect("pi-native").encode_history([asking("f", content=["a", IMAGE])])
    assert history[0]["content"] == ["a", IMAGE, {"type": "text", "text": "<call:f/>"}]


def test_history_of_a_dialect_without_calls() -> None:
    dialect = toolspeak.get_dialect("thinking")
    messages = [USER, {"role": "assistant", "content": "x"}]
    assert dialect.encode_history(messages) == messages
    with pytest.raises(toolspeak.RenderError):
        dialect.encode_history([asking("f")])


def text_before_calls(events: Sequence[Event]) -> str:
    text = ""
    for event in events:
        if isinstance(event, toolspeak.ToolStart):
            break
        text += event.text if isinstance(event, toolspeak.Text) else ""
    return text


@pytest.mark.parametrize("name", CALL_DIALECTS)
@given(
    content=TEXTS,
    calls=st.lists(tool_and_arguments(), min_size=1, max_size=3, unique_by=name_of),
    as_json=st.booleans(),
)
def test_history_round_trip(
    name: str, content: str, calls: list[tuple[Row, Row]], as_json: bool
) -> None:
    """The same calls, byte for byte the same content, and what is written again is the same."""
    dialect, tools = toolspeak.get_dialect(name), [tool for tool, _ in calls]
    assume(not dialect.find_markers(content))
    made = [
        {"name": name_of(call), "arguments": json.dumps(call[1]) if as_json else call[1]}
        for call in calls
    ]
    message = {"role": "assistant", "content": content, "tool_calls": made}
    try:
        dialect.render_calls(made, tools)
    except toolspeak.RenderError:
        assume(False)  # the round trip of calls tests what may be refused
    written = dialect.encode_history([message], tools, verify=True)[0]["content"]
    events = scan(name, written, tools=tools)
    assert canonical(calls_of(events)) == canonical(
        [{"name": name_of(call), "arguments": call[1]} for call in calls]
    )
    assert not aborts_of(events)
    assert text_before_calls(events) == content
    ends = [event for event in events if isinstance(event, toolspeak.ToolEnd)]
    read = [toolspeak.ToolCall(end.id, end.name, end.arguments) for end in ends]
    again = {"role": "assistant", "content": text_before_calls(events), "tool_calls": read}
    assert dialect.encode_history([again], tools)[0]["content"] == written


@pytest.mark.parametrize("name", CALL_DIALECTS)
@given(content=TEXTS)
def test_verified_history_reads_back_or_raises(name: str, content: str) -> None:
    dialect, tools = toolspeak.get_dialect(name), tools_named(["ping"])
    for message in (asking("ping", content=content), {"role": "assistant", "content": content}):
        try:
            (written,) = dialect.encode_history([message], tools, verify=True)
        except toolspeak.RenderError:
            assert dialect.find_markers(content)
            continue
        events = scan(name, written["content"], tools=tools)
        asked = [{"name": "ping", "arguments": {}}] if "tool_calls" in message else []
        assert calls_of(events) == asked
        quoted = scan(name, written["content"], tools=tools, parse_thinking=False)
        assert text_before_calls(quoted) == content

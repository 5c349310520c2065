"""The `toolspeak` command, run as a user runs it: files, pipes, terminals, exit statuses."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("typer")

from rich.console import Console
from typer.testing import CliRunner

import toolspeak
from toolspeak._cli.commands import app
from toolspeak._cli.inputs import InputError, Recorded, load_tools
from toolspeak._cli.recorded import batches
from toolspeak._cli.show import ColourView

COMMAND = [sys.executable, "-m", "toolspeak.cli"]
TIMEOUT = 60  # seconds; far more than any run takes
CALL = '<tool_call>\n{"name": "look", "arguments": {"q": "Zürich"}}\n</tool_call>'
OUTPUT = f"Grüezi <b>\n<think>hm</think>{CALL}"
LOOK = {"name": "look", "parameters": {"type": "object", "properties": {"q": {"type": "string"}}}}


def run(*args: str | Path, stdin: str | bytes = b"") -> subprocess.CompletedProcess[bytes]:
    data = stdin.encode() if isinstance(stdin, str) else stdin
    command = [*COMMAND, *map(str, args)]
    return subprocess.run(command, input=data, capture_output=True, timeout=TIMEOUT, check=False)


def rows(result: subprocess.CompletedProcess[bytes]) -> list[dict[str, Any]]:
    assert result.returncode == 0, result.stderr.decode()
    return [json.loads(line) for line in result.stdout.decode().splitlines()]


def joined(events: list[dict[str, Any]], event: str, field: str) -> str:
    return "".join(row[field] for row in events if row["event"] == event)


def refused(result: subprocess.CompletedProcess[bytes]) -> str:
    """The one line of a refusal."""
    lines = result.stderr.decode().splitlines()
    assert result.returncode == 2
    assert len(lines) == 1, lines
    assert lines[0].startswith("toolspeak: ")
    return lines[0]


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    def write_file(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write_file


# --- parse: events ------------------------------------------------------------------------


def check_events(events: list[dict[str, Any]]) -> None:
    assert joined(events, "text", "text") == "Grüezi <b>\n"
    assert [e["thinking"] for e in events if e["event"] == "thinking_end"] == ["hm"]
    (end,) = (e for e in events if e["event"] == "tool_end")
    assert (end["name"], end["arguments"], end["repaired"]) == ("look", {"q": "Zürich"}, False)
    assert end["raw"] == CALL
    assert json.loads(joined(events, "tool_arg_delta", "delta")) == {"q": "Zürich"}


def test_a_file_becomes_json_lines(write: Callable[..., Path]) -> None:
    check_events(rows(run("parse", "-d", "hermes", write("out.txt", OUTPUT))))


@pytest.mark.parametrize("args", [(), ("-",)])
def test_standard_input(args: tuple[str, ...]) -> None:
    check_events(rows(run("parse", "--dialect", "hermes", *args, stdin=OUTPUT)))


@pytest.mark.parametrize("size", ["1", "3", "1000"])
@pytest.mark.parametrize("follow", [(), ("--follow",)])
def test_any_chunking_gives_the_same(size: str, follow: tuple[str, ...]) -> None:
    result = run("parse", "-d", "hermes", "--chunk", size, *follow, stdin=OUTPUT)
    check_events(rows(result))


def test_text_stays_readable_in_json() -> None:
    assert "Zürich" in run("parse", "-d", "hermes", stdin=OUTPUT).stdout.decode()


def test_a_lone_surrogate_in_arguments_is_written_as_an_escape() -> None:
    call = '<tool_call>{"name": "look", "arguments": {"q": "\\ud800"}}</tool_call>'
    (end,) = (e for e in rows(run("parse", "-d", "hermes", stdin=call)) if e["event"] == "tool_end")
    assert list(end["arguments"]) == ["q"]


@pytest.mark.parametrize("size", [(), ("--chunk", "1"), ("--chunk", "2")])
def test_bytes_that_are_not_utf8_are_no_error(size: tuple[str, ...]) -> None:
    events = rows(run("parse", "-d", "hermes", *size, stdin=b"a \xff\xc3 b"))
    text = joined(events, "text", "text")
    assert text.startswith("a ")
    assert text.endswith(" b")


def test_empty_input_gives_nothing() -> None:
    assert rows(run("parse", "-d", "hermes")) == []


def test_a_truncated_call_is_reported() -> None:
    events = rows(run("parse", "-d", "hermes", stdin=CALL[:-20]))
    assert events[-1]["event"] == "tool_abort"
    assert events[-1]["reason"] == "truncated"


def test_options_reach_the_scanner() -> None:
    text = rows(run("parse", "-d", "hermes", "--no-thinking", stdin=OUTPUT))
    assert joined(text, "text", "text") == "Grüezi <b>\n<think>hm</think>"
    opened = rows(run("parse", "-d", "hermes", "--start", "thinking", stdin="so</think>yes"))
    assert joined(opened, "thinking_delta", "delta") == "so"
    assert joined(opened, "text", "text") == "yes"
    trimmed = rows(run("parse", "-d", "hermes", "--trim", stdin=f"yes\n{CALL}\n"))
    assert joined(trimmed, "text", "text") == "yes"


def test_tools_type_the_arguments(write: Callable[..., Path]) -> None:
    tools = write("tools.json", json.dumps([LOOK]))
    call = '<invoke name="look"><parameter name="q">12</parameter></invoke>'
    typed = rows(run("parse", "-d", "xml", "--tools", tools, stdin=call))
    untyped = rows(run("parse", "-d", "xml", stdin=call))
    assert typed[-1]["arguments"] == {"q": "12"}
    assert untyped[-1]["arguments"] == {"q": 12}


def test_events_are_shown_while_the_pipe_is_open() -> None:
    command = [*COMMAND, "parse", "-d", "hermes", "--follow"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(b"Hello ")
            process.stdin.flush()
            assert json.loads(line_soon(process.stdout)) == {"event": "text", "text": "Hello "}
            process.stdin.close()
            assert process.wait(TIMEOUT) == 0
        finally:
            process.kill()


def line_soon(stream: Any) -> bytes:
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        assert selector.select(TIMEOUT), "nothing arrived"
    line: bytes = stream.readline()
    return line


def test_a_reader_that_goes_away_is_no_traceback() -> None:
    command = [*COMMAND, "parse", "-d", "hermes", "--chunk", "1"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as process:  # type: ignore[call-overload]
        process.stdin.write(b"word " * 50_000)
        process.stdin.close()
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(TIMEOUT) == 1


# --- parse: recorded outputs --------------------------------------------------------------


def recorded_lines(*texts: str) -> str:
    return "".join(json.dumps({"id": n, "raw": text}) + "\n" for n, text in enumerate(texts))


def test_recorded_outputs_become_one_line_each(write: Callable[..., Path]) -> None:
    path = write("rec.jsonl", recorded_lines("plain", OUTPUT, CALL[:-20]) + "\n")
    result = run("parse", "-d", "hermes", "--jsonl", "raw", path)
    plain, called, cut = rows(result)
    assert plain == {"line": 1, "text": "plain", "thinking": [], "calls": [], "aborted": []}
    assert (called["line"], called["text"], called["thinking"]) == (2, "Grüezi <b>\n", ["hm"])
    (call,) = called["calls"]
    assert (call["name"], call["arguments"], call["raw"]) == ("look", {"q": "Zürich"}, CALL)
    (abort,) = cut["aborted"]
    assert (cut["line"], abort["reason"]) == (3, "truncated")


def test_recorded_outputs_end_with_a_summary(write: Callable[..., Path]) -> None:
    broken = "<tool_call>\n{'name': 'look', 'arguments': {'q': 1}}\n</tool_call>"
    path = write("rec.jsonl", recorded_lines("é", OUTPUT, CALL[:-20], broken))
    (summary,) = run("parse", "-d", "hermes", "--jsonl", "raw", path).stderr.decode().splitlines()
    size = sum(len(text.encode()) for text in ("é", OUTPUT, CALL[:-20], broken))
    assert summary.startswith(f"4 messages, 2 calls, 1 aborted, 1 repaired, {size} bytes, ")
    assert summary.endswith(" s")


def test_recorded_outputs_from_a_pipe_in_more_than_one_batch() -> None:
    texts = [f"text {n}" for n in range(600)]
    result = run("parse", "-d", "hermes", "--jsonl", "raw", stdin=recorded_lines(*texts))
    assert [row["text"] for row in rows(result)] == texts


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"{", "rec.jsonl:2: not JSON"),
        (b"[]", "rec.jsonl:2: not a JSON object"),
        (b'{"id": 1}', "rec.jsonl:2: no field 'raw' (it has 'id')"),
        (b'{"raw": 1}', "rec.jsonl:2: field 'raw' is not a string"),
        (b'{"raw": "\xff"}', "rec.jsonl:2: not UTF-8"),
        (b"[" * 100_000, "rec.jsonl:2: "),
    ],
)
def test_a_bad_line_is_named(line: bytes, said: str, write: Callable[..., Path]) -> None:
    path = write("rec.jsonl", recorded_lines("good").encode() + line + b"\n")
    result = run("parse", "-d", "hermes", "--jsonl", "raw", path)
    assert said in refused(result)
    assert json.loads(result.stdout)["text"] == "good"


def test_batches_are_full_but_for_the_last() -> None:
    outputs = [Recorded(n, "") for n in range(5)]
    assert [len(batch) for batch in batches(outputs, 2)] == [2, 2, 1]


# --- Bad input ----------------------------------------------------------------------------


def test_an_unknown_dialect() -> None:
    assert "hermes" in refused(run("parse", "-d", "hermez"))
    assert "hermes" in refused(run("prompt", "-d", "hermez"))


def test_a_missing_file(tmp_path: Path) -> None:
    assert "nowhere" in refused(run("parse", "-d", "hermes", tmp_path / "nowhere"))
    assert "nowhere" in refused(run("parse", "-d", "hermes", "--tools", tmp_path / "nowhere"))


def test_a_directory(tmp_path: Path) -> None:
    assert str(tmp_path) in refused(run("parse", "-d", "hermes", tmp_path))


@pytest.mark.parametrize(
    "content", ["{", "[1]", '[{"x": 1}]', '{"type": "function"}', "3", b"\xff"]
)
def test_bad_tools(content: str | bytes, write: Callable[..., Path]) -> None:
    path = write("tools.json", content)
    assert "tools.json" in refused(run("parse", "-d", "hermes", "--tools", path))


@pytest.mark.parametrize("option", ["colour=red", "colour", "=colour", "limits=colour"])
def test_a_bad_option(option: str) -> None:
    assert option.split("=", 1)[0] in refused(run("parse", "-d", "hermes", "-o", option))


def test_an_option_of_the_dialect() -> None:
    call = (
        '<｜DSML｜tool_calls><｜DSML｜invoke name="look">'
        '<｜DSML｜parameter name="q">12</｜DSML｜parameter>'
        "</｜DSML｜invoke></｜DSML｜tool_calls>"
    )
    plain = rows(run("parse", "-d", "xml", stdin=call))
    spoken = rows(run("parse", "-d", "xml", "-o", "tagset=dsml", stdin=call))
    assert joined(plain, "text", "text") == call
    assert spoken[-1]["arguments"] == {"q": "12"}


def test_options_that_exclude_each_other() -> None:
    assert "--jsonl" in refused(run("parse", "-d", "hermes", "--jsonl", "raw", "--follow"))
    assert "--jsonl" in refused(run("parse", "-d", "hermes", "--jsonl", "raw", "--chunk", "2"))


def test_no_dialect_is_a_usage_error() -> None:
    result = run("parse")
    assert result.returncode == 2
    assert b"--dialect" in result.stderr
    assert b"Traceback" not in result.stderr


@pytest.mark.parametrize("module", ["typer", "rich"])
def test_without_the_extra_it_says_so(module: str) -> None:
    code = f"import sys; sys.modules[{module!r}] = None; from toolspeak.cli import main; main()"
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, capture_output=True, timeout=TIMEOUT, check=False)
    assert "toolspeak[cli]" in refused(result)


# --- Tools in a file ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        json.dumps([LOOK]),
        json.dumps([LOOK], indent=2),
        json.dumps(LOOK),
        json.dumps({"look": {"parameters": LOOK["parameters"]}}),
        json.dumps({"look": LOOK}, indent=2),
        "\ufeff" + json.dumps([LOOK]),
    ],
)
def test_forms_of_a_tools_file(content: str, write: Callable[..., Path]) -> None:
    assert load_tools(str(write("tools.json", content))) == [LOOK]


def test_tools_as_json_lines(write: Callable[..., Path]) -> None:
    wrapped = {"type": "function", "function": LOOK}
    path = write("tools.jsonl", f"{json.dumps(LOOK)}\n\n{json.dumps(wrapped)}\n")
    assert load_tools(str(path)) == [LOOK, wrapped]


def test_built_in_tools_in_a_file(write: Callable[..., Path]) -> None:
    given = [{"type": "web_search"}, {"name": "look", "input_schema": LOOK["parameters"]}]
    path = str(write("tools.json", json.dumps(given)))
    assert load_tools(path) == given
    shown = run("prompt", "--dialect", "hermes", "--tools", path).stdout
    assert b"web_search" not in shown
    assert (
        shown
        == run(
            "prompt", "--dialect", "hermes", "--tools", str(write("other.json", json.dumps([LOOK])))
        ).stdout
    )


def test_no_tools_file_is_no_tools() -> None:
    assert load_tools(None) == []


def test_a_tool_without_a_name_is_counted(write: Callable[..., Path]) -> None:
    path = write("tools.json", json.dumps([LOOK, {"parameters": {}}]))
    with pytest.raises(InputError, match=r'tool 2: .*it has no "name"'):
        load_tools(str(path))


# --- The other commands -------------------------------------------------------------------


def test_the_version() -> None:
    result = run("--version")
    assert result.returncode == 0
    assert result.stdout.decode().split() == ["toolspeak", toolspeak.__version__]


def test_dialects_lists_every_name() -> None:
    result = CliRunner().invoke(app, ["dialects"])
    assert result.exit_code == 0
    listed = dict(line.split("\t") for line in result.output.splitlines())
    assert list(listed) == toolspeak.list_dialects()
    assert listed["hermes"] == toolspeak.get_dialect("hermes").summary


def test_prompt_prints_what_the_dialect_renders(write: Callable[..., Path]) -> None:
    tools = write("tools.json", json.dumps([LOOK]))
    result = CliRunner().invoke(app, ["prompt", "-d", "hermes", "--tools", str(tools)])
    assert result.exit_code == 0
    assert result.output == toolspeak.get_dialect("hermes").render_prompt([LOOK]) + "\n"


def test_constrain_prints_each_language(write: Callable[..., Path]) -> None:
    tools = str(write("tools.json", json.dumps([LOOK])))
    constraint = toolspeak.get_dialect("hermes").constrain([LOOK], strict=False)
    printed = {
        "gbnf": constraint.gbnf().grammar,
        "lark": constraint.lark(),
        "structural-tag": json.dumps(constraint.structural_tag()) + "\n",
        "legacy-structural-tag": json.dumps(constraint.legacy_structural_tag()) + "\n",
    }
    for name, text in printed.items():
        args = ["constrain", "-d", "hermes", "--tools", tools, "--format", name]
        result = CliRunner().invoke(app, args)
        assert (result.exit_code, result.output) == (0, text)


def test_constrain_tells_what_is_not_enforced(write: Callable[..., Path]) -> None:
    fields = {"n": {"type": "integer", "multipleOf": 2}}
    tools = str(
        write("tools.json", json.dumps([{"name": "f", "parameters": {"properties": fields}}]))
    )
    args = ["constrain", "-d", "hermes", "--tools", tools, "--choice", "f", "--single"]
    strict = run(*args)
    assert strict.returncode == 2
    assert b"'multipleOf' at /properties/n of the tool 'f'" in strict.stderr
    loose = run(*args, "--loose")
    assert loose.returncode == 0
    assert b"llama.cpp does not enforce multipleOf at f: /properties/n" in loose.stderr


# --- A terminal ---------------------------------------------------------------------------


def on_a_terminal(*args: str | Path, stdin: bytes = b"") -> str:
    """What the command writes with its output and its errors on one terminal."""
    pty = pytest.importorskip("pty")
    screen, terminal = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"}
    environment.pop("NO_COLOR", None)
    command = [*COMMAND, *map(str, args)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=terminal, stderr=terminal, env=environment
    ) as process:
        os.close(terminal)
        assert process.stdin is not None
        process.stdin.write(stdin)
        process.stdin.close()
        written = b"".join(iter(lambda: read_screen(screen), b""))
        assert process.wait(TIMEOUT) == 0, written.decode()
    os.close(screen)
    return written.decode()


def read_screen(screen: int) -> bytes:
    try:
        return os.read(screen, 1 << 16)
    except OSError:  # Linux says so when the other side has closed
        return b""


def test_a_terminal_shows_colour() -> None:
    written = on_a_terminal("parse", "-d", "hermes", stdin=OUTPUT.encode())
    assert "\x1b[" in written
    assert '✓ look {"q": "Zürich"}' in written


def test_the_reply_may_begin_in_the_prompt(write: Callable[..., Path]) -> None:
    prompt = write("prompt.txt", "<|im_start|>user\nGo.<|im_end|>\n<|im_start|>assistant\n<think>")
    opened = rows(run("parse", "-d", "hermes", "--prompt", prompt, stdin="so</think>yes"))
    short = rows(run("parse", "-d", "hermes", "--start", "thinking", stdin="so</think>yes"))
    assert opened == short
    failed = run("parse", "-d", "hermes", "--jsonl", "raw", "--prompt", prompt, stdin="")
    assert failed.returncode != 0


def test_json_lines_can_be_asked_for_on_a_terminal() -> None:
    written = on_a_terminal("parse", "-d", "hermes", "--json", stdin=OUTPUT.encode())
    check_events([json.loads(line) for line in written.splitlines()])


def test_a_terminal_shows_recorded_outputs_in_short(write: Callable[..., Path]) -> None:
    path = write("rec.jsonl", recorded_lines("word " * 100, OUTPUT, CALL[:-20]))
    written = on_a_terminal("parse", "-d", "hermes", "--jsonl", "raw", path)
    assert "…" in written
    assert '✓ look {"q": "Zürich"}' in written
    assert "truncated" in written
    assert "3 messages, 1 call, 1 aborted" in written


def test_a_terminal_lists_the_dialects() -> None:
    assert "hermes" in on_a_terminal("dialects")


def test_model_output_cannot_steer_the_terminal() -> None:
    console = Console(force_terminal=True, color_system=None, width=80)
    view = ColourView(console)
    with console.capture() as capture:
        view.event(toolspeak.Text("\x1b[2J[bold]a\x07\x9b1m\x7f\ud800\r"))
        view.close()
    assert capture.get() == "␛[2J[bold]a␇\\x9b1m␡\\ud800␍\n"

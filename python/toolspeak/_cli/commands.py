"""The commands, one function each; `parse` shows what model output becomes.

Bad input ends a command with one line on standard error and exit status 2.
"""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Annotated, Any, ParamSpec

import typer
from rich.console import Console
from rich.table import Table

import toolspeak
from toolspeak._cli.inputs import (
    InputError,
    load_chat_template,
    load_prompt,
    load_tools,
    open_input,
    read_live,
    read_whole,
)
from toolspeak._cli.recorded import Source, show_recorded
from toolspeak._cli.show import ColourView, JsonView, View
from toolspeak.errors import ToolspeakError

__all__ = ["app"]

P = ParamSpec("P")

app = typer.Typer(
    name="toolspeak",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


class Start(str, Enum):
    """Where a stream begins."""

    text = "text"
    thinking = "thinking"


class Format(str, Enum):
    """A language of constrained decoding."""

    gbnf = "gbnf"
    lark = "lark"
    structural_tag = "structural-tag"
    legacy_structural_tag = "legacy-structural-tag"


DialectOption = Annotated[
    str, typer.Option("--dialect", "-d", help="The dialect; `toolspeak dialects` lists them.")
]
ToolsOption = Annotated[
    str | None,
    typer.Option(
        "--tools", metavar="FILE", help="The tools: a JSON list, a {name: tool} object or JSONL."
    ),
]


def _one_line_errors(command: Callable[P, None]) -> Callable[P, None]:
    """Wrap `command`: what a user can mend is one line and exit status 2, never a traceback."""

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except BrokenPipeError:
            raise  # the reader of our output has gone: typer ends quietly
        except (InputError, ToolspeakError, OSError) as error:
            line = " ".join(str(error).split())
            typer.echo(f"toolspeak: {line}", err=True)
            raise typer.Exit(2) from error

    return wrapped


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"toolspeak {toolspeak.__version__}")
        raise typer.Exit


@app.callback()
def toolspeak_command(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Read and write the ways in which language models spell tool calls."""


@app.command()
@_one_line_errors
def parse(
    dialect: DialectOption,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Model output; standard input for - or none.")
    ] = "-",
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Show events as the input arrives.")
    ] = False,
    jsonl: Annotated[
        str | None,
        typer.Option(metavar="FIELD", help="FILE is JSON lines; FIELD of each holds an output."),
    ] = None,
    tools: ToolsOption = None,
    chunk: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Feed N characters at a time.")
    ] = None,
    thinking: Annotated[
        bool, typer.Option("--thinking/--no-thinking", help="Read thinking, or leave it as text.")
    ] = True,
    start: Annotated[
        Start, typer.Option(help="`thinking`: the prompt already opened the thinking.")
    ] = Start.text,
    prompt: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="The rendered prompt, in which the reply may begin."),
    ] = None,
    trim: Annotated[
        bool, typer.Option("--trim", help="Drop layout white space beside calls and thinking.")
    ] = False,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option", "-o", metavar="KEY=VALUE", help="A policy, or an option of the dialect."
        ),
    ] = None,
    json_lines: Annotated[
        bool, typer.Option("--json", help="Write JSON lines on a terminal as well.")
    ] = False,
) -> None:
    """Show what model output becomes: in colour on a terminal, otherwise as JSON lines."""
    if jsonl is not None and (follow or chunk is not None or prompt is not None):
        raise InputError("--jsonl parses whole outputs: leave out --follow, --chunk and --prompt")
    spoken, policies = _chosen(dialect, option or [])
    options: dict[str, Any] = {
        "tools": load_tools(tools),
        "parse_thinking": thinking,
        "start": start.value,
        "whitespace": "trim" if trim else "keep",
        **policies,
    }
    view, console = _view(json_lines)
    with open_input(file) as stream:
        if jsonl is None:
            read = read_live if follow else read_whole
            scanner = spoken.scanner(prompt=load_prompt(prompt), **options)
            _show_events(scanner, read(stream, chunk), view)
        else:
            source = Source(stream, file, jsonl)
            typer.echo(str(show_recorded(source, spoken, options, view, console)), err=True)


@app.command()
def dialects() -> None:
    """List the dialects, each with one line about it."""
    rows = [(name, toolspeak.get_dialect(name).summary) for name in toolspeak.list_dialects()]
    if not sys.stdout.isatty():
        for row in rows:
            typer.echo("\t".join(row))
        return
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold cyan", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    Console().print(table)


@app.command()
@_one_line_errors
def prompt(dialect: DialectOption, tools: ToolsOption = None) -> None:
    """Print the prompt that tells a model about the tools and how to call them."""
    typer.echo(toolspeak.get_dialect(dialect).render_prompt(load_tools(tools)))


@app.command()
@_one_line_errors
def constrain(
    dialect: DialectOption,
    tools: ToolsOption = None,
    format: Annotated[Format, typer.Option(help="The engine's language.")] = Format.gbnf,
    choice: Annotated[
        str, typer.Option(metavar="auto|required|none|TOOL", help="Which calls there may be.")
    ] = "auto",
    parallel: Annotated[
        bool, typer.Option("--parallel/--single", help="Several calls in a turn, or one.")
    ] = True,
    loose: Annotated[
        bool, typer.Option("--loose", help="Tell what is not enforced, instead of failing.")
    ] = False,
) -> None:
    """Print a grammar that makes a model write valid calls of the tools."""
    constraint = toolspeak.get_dialect(dialect).constrain(
        load_tools(tools),
        _tool_choice(choice),
        parallel_tool_calls=parallel,
        strict=not loose,
    )
    if loose:
        for note in constraint.notes:
            place = f"{note.tool}: {note.pointer or '/'}"
            typer.echo(f"{note.backend} does not enforce {note.keyword} at {place}", err=True)
    if format is Format.gbnf:
        typer.echo(constraint.gbnf().grammar, nl=False)
    elif format is Format.lark:
        typer.echo(constraint.lark(), nl=False)
    else:
        tag = (
            constraint.structural_tag()
            if format is Format.structural_tag
            else constraint.legacy_structural_tag()
        )
        typer.echo(json.dumps(tag, ensure_ascii=False))


def _tool_choice(choice: str) -> Any:
    if choice in ("auto", "required", "none"):
        return choice
    return {"type": "function", "function": {"name": choice}}


@app.command()
@_one_line_errors
def detect(
    file: Annotated[
        str | None,
        typer.Argument(metavar="FILE", help="A chat template (Jinja), or tokenizer_config.json."),
    ] = None,
    model: Annotated[
        str | None, typer.Option(metavar="NAME", help="A model's name, instead of a FILE.")
    ] = None,
) -> None:
    """Tell which dialect a model's chat template writes, how sure that is, and why."""
    if model is not None and file is None:
        typer.echo(_preferred(model).name)
        return
    if file is None or model is not None:
        raise InputError("detect takes a FILE or --model NAME")
    found = toolspeak.detect_dialect(load_chat_template(file))
    typer.echo(f"{found.dialect or 'none'} ({found.confidence})")
    for reason in found.reasons:
        typer.echo(f"  {reason}")


def _preferred(model: str) -> toolspeak.Dialect:
    try:
        return toolspeak.preferred_dialect(model)
    except ValueError as error:
        raise InputError(str(error)) from error


def _chosen(name: str, pairs: list[str]) -> tuple[toolspeak.Dialect, dict[str, str]]:
    """The dialect with its own options set, and a scanner's options, of `KEY=VALUE` pairs."""
    options = dict(map(_key_value, pairs))
    if "repair" in options or "limits" in options:
        raise InputError("--option takes options whose values are words: not repair, not limits")
    dialect = toolspeak.get_dialect(name)
    own = {key: options.pop(key) for key in list(options) if key in dialect.variants}
    try:
        dialect = dialect.with_options(**own)
        toolspeak.ScanOptions(**options)  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        raise InputError(str(error)) from error
    return dialect, options


def _key_value(pair: str) -> tuple[str, str]:
    key, equals, value = pair.partition("=")
    if not key or not equals:
        raise InputError(f"--option {pair!r} is not KEY=VALUE")
    return key, value


def _view(json_lines: bool) -> tuple[View, Console]:
    """The view, and the console for a progress bar beside it."""
    if json_lines or not sys.stdout.isatty():
        return JsonView(), Console(stderr=True)
    console = Console(highlight=False)
    return ColourView(console), console


def _show_events(scanner: toolspeak.Scanner, pieces: Iterable[bytes], view: View) -> None:
    for piece in pieces:
        for event in scanner.feed(piece):
            view.event(event)
    for event in scanner.flush():
        view.event(event)
    view.close()

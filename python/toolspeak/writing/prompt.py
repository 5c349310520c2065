"""The tools as prompts show them: JSON beside the dialect's guide, a Markdown inventory, examples.

Descriptions are Markdown of others, so an inventory moves their headings one level down, below the
heading of their tool. A bad tool is an error that names it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from toolspeak.errors import RenderError
from toolspeak.messages.values import ToolCall
from toolspeak.tools.tool import Example, Tool
from toolspeak.tools.tool_set import ToolSet
from toolspeak.writing.renderer import Renderer
from toolspeak.writing.text import compact_json, hide_less_than
from toolspeak.writing.typescript import signature

__all__ = ["render_examples", "render_inventory", "render_prompt"]

_LIST_END = re.compile(r"</?tools>", re.IGNORECASE)


def render_prompt(guide: str, tools: ToolSet) -> str:
    """The heading, the tools as JSON, one to a line, and the guide; without tools, the guide."""
    if not tools:
        return guide
    listed = [_tool_json(tool) for tool in _read(tools)]
    catalogue = "\n".join(["# Tools", "", "<tools>", *listed, "</tools>"])
    return f"{catalogue}\n\n{guide}" if guide else catalogue


def render_inventory(renderer: Renderer, tools: ToolSet) -> str:
    """A Markdown section per tool: description, parameters as a TypeScript type, examples."""
    return "\n\n".join(_section(tool, renderer) for tool in _read(tools))


def render_examples(renderer: Renderer, tool: Tool) -> str:
    """The tool's examples between `<examples>` tags, each call as the dialect writes it."""
    if not tool.examples:
        return ""
    tools = ToolSet([tool])
    lines = ["<examples>"]
    for index, example in enumerate(tool.examples):
        with _told(f"tool {tool.name!r}: examples[{index}]"):
            lines += _example_lines(example, tool.name, tools, renderer)
    return "\n".join([*lines, "</examples>"])


@contextmanager
def _told(place: str) -> Iterator[None]:
    """Puts the place before what a `RenderError` says."""
    try:
        yield
    except RenderError as error:
        raise RenderError(f"{place}: {error}") from error


def _read(tools: ToolSet) -> list[Tool]:
    return [Tool.of(tools.get(name), "tool") for name in tools.names]


def _tool_json(tool: Tool) -> str:
    shown = {key: value for key, value in tool.as_function().items() if key != "examples"}
    with _told(f"tool {tool.name!r}"):
        return hide_less_than(compact_json(shown), _LIST_END)


def _section(tool: Tool, renderer: Renderer) -> str:
    parts = [
        f"# {tool.name}",
        "\n".join(_lower_headings(tool.description.strip())),
        f"```ts\n{signature(tool)}\n```",
        render_examples(renderer, tool),
    ]
    return "\n\n".join(filter(None, parts))


# --- examples -----------------------------------------------------------------------------------


def _example_lines(
    example: Example, name: str, tools: ToolSet, renderer: Renderer
) -> Iterator[str]:
    def written(arguments: Mapping[str, Any]) -> str:
        call = ToolCall("", name, arguments)
        return f"<example>\n{renderer.render_call(call, tools, example=True)}\n</example>"

    if example.caption and example.caption.strip():
        yield f"# {example.caption.strip()}"
    if example.call is not None:
        yield written(example.call)
    if example.bad is not None:
        yield "WRONG:"
        yield written(example.bad)
    if example.good is not None:
        yield "RIGHT:"
        yield written(example.good)
    if example.note:
        yield example.note


# --- Markdown -----------------------------------------------------------------------------------

_FENCE = re.compile(r"\s*(`{3,}|~{3,})([^\n]*)$")
_HEADING = re.compile(r"^( {0,3})(#{1,5})(?=[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
# What an underline below it does not make a heading of.
_NO_PARAGRAPH = re.compile(r"\s*$|\s*(?:[-+*>#|]|\d+[.)]\s)|(?: {4}|\t)")


def _lower_headings(text: str) -> Iterator[str]:
    """The lines of a Markdown text, its headings one level down, code fences as they are."""
    fence = ""
    held = ""  # a line that the next one may underline
    for line in text.split("\n"):
        found = _FENCE.match(line)
        underline = _UNDERLINE.match(line) if held and not fence else None
        if underline:
            yield f"{'##' if underline[1][0] == '=' else '###'} {held.strip()}"
            held = ""
            continue
        if held:
            yield held
            held = ""
        if fence:
            closes = found and found[1].startswith(fence) and not found[2].strip()
            fence = "" if closes else fence
            yield line
        elif found:
            fence = found[1]
            yield line
        elif _NO_PARAGRAPH.match(line):
            yield _HEADING.sub(r"\1#\2", line)
        else:
            held = line
    if held:
        yield held

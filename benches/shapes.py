"""How each dialect writes a call: what the benchmarks build their inputs from.

A dialect's shape is what its renderer writes for one call with one long text, cut at that text;
a dialect of the registry is measured without being named here. What a renderer does not write but
models do stands here as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import toolspeak

__all__ = ["MORE_SPELLINGS", "SHAPES", "SPELLINGS", "TOOLS", "Shape"]

TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "note",
            "parameters": {
                "type": "object",
                "properties": {
                    "title": {"type": "string"},
                    "body": {"type": "string"},
                    "data": {"type": "object"},
                },
            },
        },
    }
]


@dataclass(frozen=True)
class Shape:
    """One shape of call, and how the dialect that stands for it writes a call.

    `opening` leads up to the inside of a long text argument, `closing` goes on behind it;
    `thinking` opens thinking and `thinking_end` closes it; `lure` is a chunk with a character that
    could begin a marker. Where `in_json`, the argument is a JSON string in the object of all
    arguments, which `before_json` leads up to and `after_json` goes on behind.
    """

    name: str
    opening: str
    closing: str
    thinking: str
    thinking_end: str
    lure: str
    dialect: str | None = None  # where the key in the table is not its name

    @property
    def in_json(self) -> bool:
        """Whether all arguments are one JSON object."""
        return self.opening.endswith('{"body":"')

    @property
    def before_json(self) -> str:
        """A call up to its arguments."""
        return self.opening.removesuffix('{"body":"')

    @property
    def after_json(self) -> str:
        """A call behind its arguments."""
        return self.closing.removeprefix('"}')

    def call(self, body: str) -> str:
        """A call with this text as its argument, which must need no escapes."""
        return self.opening + body + self.closing


# Long enough for the spelling that a dialect has for long text.
_TEXT = "At ten past six. " * 40


def shape_of(name: str, kind: str) -> Shape:
    """The shape of what a dialect's renderer writes; `kind` is what the tables call it."""
    dialect = toolspeak.get_dialect(name)
    thinking, thinking_end = dialect.render_thinking(_TEXT).split(_TEXT)
    opening, closing = "", ""
    if dialect.grammar.forms():
        call = {"name": "note", "arguments": {"body": _TEXT}}
        opening, closing = dialect.render_calls([call], tools=TOOLS).split(_TEXT)
    return Shape(kind, opening, closing, thinking, thinking_end, f"a{(opening or thinking)[0]}b ")


# What each shape is called, by the dialect that stands for it.
_KINDS = {
    "xml": "tagged values",
    "hermes": "JSON in a tag",
    "kimi": "header and JSON",
    "glm": "key/value pairs",
    "qwen3-coder": "values with lookahead",
    "harmony": "channel messages",
    "gemini": "Python calls",
    "gemma": "token-quoted literals",
    "pi-native": "nested elements",
}

SHAPES: dict[str, Shape] = {name: shape_of(name, kind) for name, kind in _KINDS.items()}
"""By the dialect that stands for the shape."""

# Models write long text in triple quotes, the renderer in plain ones, with escapes.
SHAPES["gemini"] = replace(
    SHAPES["gemini"], opening='```tool_code\nnote(body="""', closing='""")\n```'
)

_DEEPSEEK = shape_of("deepseek", "further spelling")

MORE_SPELLINGS: dict[str, Shape] = {
    **{
        name: shape_of(name, "further spelling")
        for name in toolspeak.list_dialects()
        if name not in SHAPES
    },
    # Older and newer models of the family; the renderer writes neither.
    "deepseek (fenced JSON)": replace(
        _DEEPSEEK,
        opening=(
            "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>note\n"
            '```json\n{"body":"'
        ),
        closing='"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
        dialect="deepseek",
    ),
    "deepseek (DSML)": replace(
        _DEEPSEEK,
        opening=(
            '<｜DSML｜function_calls>\n<｜DSML｜invoke name="note">\n'
            '<｜DSML｜parameter name="body" string="true">'
        ),
        closing="</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>",
        dialect="deepseek",
    ),
}
"""How the other dialects spell the same shapes, and the further spellings of a dialect."""

SPELLINGS = SHAPES | MORE_SPELLINGS
"""Every dialect's calls."""

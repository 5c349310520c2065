"""How each dialect writes a call: what the benchmarks build their inputs from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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
    thinking: str = "<think>"
    thinking_end: str = "</think>"
    lure: str = "a<b "
    dialect: str | None = None  # where the key in the table is not its name

    @property
    def in_json(self) -> bool:
        """Whether all arguments are one JSON object."""
        return self.opening.endswith('{"body": "')

    @property
    def before_json(self) -> str:
        """A call up to its arguments."""
        return self.opening.removesuffix('{"body": "')

    @property
    def after_json(self) -> str:
        """A call behind its arguments."""
        return self.closing.removeprefix('"}')

    def call(self, body: str) -> str:
        """A call with this text as its argument, which must need no escapes."""
        return self.opening + body + self.closing


SHAPES: dict[str, Shape] = {
    "xml": Shape(
        "tagged values", '<invoke name="note"><parameter name="body">', "</parameter></invoke>"
    ),
    "hermes": Shape(
        "JSON in a tag", '<tool_call>{"name": "note", "arguments": {"body": "', '"}}</tool_call>'
    ),
    "kimi": Shape(
        "header and JSON",
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.note:0"
        '<|tool_call_argument_begin|>{"body": "',
        '"}<|tool_call_end|><|tool_calls_section_end|>',
    ),
    "glm": Shape(
        "key/value pairs",
        "<tool_call>note\n<arg_key>body</arg_key>\n<arg_value>",
        "</arg_value>\n</tool_call>",
    ),
    "qwen3-coder": Shape(
        "values with lookahead",
        "<tool_call>\n<function=note>\n<parameter=body>\n",
        "\n</parameter>\n</function>\n</tool_call>",
    ),
    "harmony": Shape(
        "channel messages",
        '<|start|>assistant<|channel|>commentary to=functions.note<|message|>{"body": "',
        '"}<|call|>',
        thinking="<|start|>assistant<|channel|>analysis<|message|>",
        thinking_end="<|end|>",
    ),
    "gemini": Shape(
        "Python calls",
        '```tool_code\nnote(body="""',
        '""")\n```',
        thinking="```thinking\n",
        thinking_end="\n```\n",
        lure="a`b ",
    ),
    "gemma": Shape(
        "token-quoted literals",
        '<|tool_call>call:note{body:<|"|>',
        '<|"|>}<tool_call|>',
        thinking="<|channel>thought\n",
        thinking_end="<channel|>",
    ),
    "pi-native": Shape("nested elements", "<call:note>\n<body>", "</body>\n</call:note>"),
}
"""By the dialect that stands for the shape."""

MORE_SPELLINGS: dict[str, Shape] = {
    "anthropic": Shape(
        "tagged values",
        '<function_calls>\n<invoke name="note">\n<parameter name="body">',
        "</parameter>\n</invoke>\n</function_calls>",
    ),
    "minimax": Shape(
        "tagged values",
        '<minimax:tool_call>\n<invoke name="note">\n<parameter name="body">',
        "</parameter>\n</invoke>\n</minimax:tool_call>",
    ),
    "deepseek": Shape(
        "header and JSON",
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>note<｜tool▁sep｜>{"body": "',
        '"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    ),
    "deepseek (fenced JSON)": Shape(
        "header and JSON",
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>note\n"
        '```json\n{"body": "',
        '"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
        dialect="deepseek",
    ),
    "deepseek (DSML)": Shape(
        "tagged values",
        '<｜DSML｜function_calls>\n<｜DSML｜invoke name="note">\n'
        '<｜DSML｜parameter name="body" string="true">',
        "</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>",
        dialect="deepseek",
    ),
    "qwen3": Shape(
        "JSON in a tag",
        '<tool_call>\n{"name": "note", "arguments": {"body": "',
        '"}}\n</tool_call>',
    ),
    "thinking": Shape("none", "", ""),
}
"""How the other dialects spell the same shapes, and the further spellings of a dialect."""

SPELLINGS = SHAPES | MORE_SPELLINGS
"""Every dialect's calls."""

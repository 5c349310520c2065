"""The markup of each dialect as the contract tests need it.

For every dialect: strings to build soup from (markers, near-markers, prefixes), the characters
that can begin a marker, and which stretches of input may be in no event: markers, the layout that
the grammar names, and noise inside an open region (a section, a header, a fence).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from support import VECTORS, read_jsonl

# Text that is no markup in any dialect but lies near to it.
COMMON = (
    "a", " ", "\n", "\r\n", "\n\n", "x < y", "<", ">", "/", "/>", "</", "<>", "=", ":", '"', "'",
    "\\", "`", "```", "{", "}", "[", "]", "(", ")", ",", "|", "<|", "|>", "｜", "&lt;", "é",
    "漢字", "😀", "\u2028", "\x00", "null", "True", "1.5", '{"a": 1}', '{"a": "b<c"', '"}', "}}",
    "\ufeff", "lookup", "note", "query", "title", "unknown-tool", "<b>", "</b>", "<!--", "]]>",
    "<![CDATA[",
)  # fmt: skip

# Attributes of a tag, in which quotes protect `>`.
_ATTRIBUTES = r"""(?:[\s/](?:"[^"]*"|'[^']*'|[^<>"'])*)?"""
_THINK = r"</?think>"


def _tags(names: str) -> str:
    """A pattern for opening and closing tags of these names, with any prefix and attributes."""
    return rf"</?(?:[\w.-]+:)?(?:{names}){_ATTRIBUTES}>"


@dataclass(frozen=True)
class Markup:
    """What one dialect's markup looks like.

    `pieces` feed the soup; `starts` are the characters that can begin a marker; `dropped` is a
    pattern for markup that may be in no event; between `opens` and `closes` anything may be. With
    `swallows_space` the white space after dropped markup may be missing too. `arguments` tells how
    deltas carry arguments: `json` (one JSON text), `python`, `keyed` or `other`.
    """

    pieces: Sequence[str]
    starts: str
    dropped: str
    opens: str | None = None
    closes: str | None = None
    swallows_space: bool = False
    arguments: str = "other"
    flags: re.RegexFlag = re.NOFLAG if hasattr(re, "NOFLAG") else re.RegexFlag(0)


_TAGGED_PIECES = (
    '<invoke name="lookup">', "<invoke name='note'>", "<invoke name=ping>", "<invoke>",
    "</invoke>", '<invoke name="ping"/>', '<x:invoke name="note">', "</x:invoke>",
    '<INVOKE NAME="ping">', '<parameter name="query">', '<parameter name="title" string="true">',
    "</parameter>", '<parameter name="limit" string="false">', "<parameter>",
    '<parameter name="a>b">', '<parameter name="body"/>', "</Parameter >", "<thinking>",
    "</thinking>", "<think>", "</think>", '<scratchpad a="1">', "</scratchpad>", "<thinking/>",
    "< invoke>", "<inv", "<invoke name=", '<invoke name="lo', "</param", "<parameterx>",
    "<invokes>", "<think", "<thin", "</thinkin",
)  # fmt: skip

_XML_SECTION = r"function_calls|tool_calls"
_MINIMAX_SECTION = r"tool_call"


def _tagged(section: str, pieces: Sequence[str]) -> Markup:
    return Markup(
        pieces=(*_TAGGED_PIECES, *pieces),
        starts="<",
        dropped=_tags(f"{section}|think|thinking|scratchpad"),
        opens=rf"<(?:[\w.-]+:)?(?:{section}){_ATTRIBUTES}>",
        closes=rf"</(?:[\w.-]+:)?(?:{section}){_ATTRIBUTES}>",
        arguments="keyed",
        flags=re.IGNORECASE,
    )


_XML = _tagged(
    _XML_SECTION,
    ("<function_calls>", "</function_calls>", "<tool_calls>", "</tool_calls>", "<x:tool_calls>",
     "<function_call>", "<tool_call", "<tool_response>"),
)  # fmt: skip

_JSON_IN_TAG = Markup(
    pieces=(
        "<tool_call>", "</tool_call>", "<tool_call>\n", "\n</tool_call>", "<tool_cal",
        "</tool_c", "<tool_callx>", "<TOOL_CALL>",
        '{"name": "lookup", "arguments": {"query": "x"}}', '{"name": "note",', '"arguments": {',
        '{"arguments": {"a": 1}, "name": "ping"}', '{"name": "f", "arguments": "{\\"a\\": 1}"}',
        '"name"', '{"name":', "<think>", "</think>", '{"name": "ping"}', '"</tool_call>"', '\\"',
        "\\u00e9", "\\ud83d", "{'name': 'a'}", "<tool_response>",
    ),
    starts="<",
    dropped=rf"</?tool_call>|{_THINK}",
    arguments="json",
)  # fmt: skip

MARKUP: dict[str, Markup] = {
    "xml": _XML,
    "anthropic": _XML,
    "minimax": _tagged(
        _MINIMAX_SECTION,
        ("<minimax:tool_call>", "</minimax:tool_call>", "<tool_call>", "</tool_call>", "<minimax:"),
    ),
    "hermes": _JSON_IN_TAG,
    "qwen3": _JSON_IN_TAG,
    "deepseek": Markup(
        pieces=(
            "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", "<｜tool▁call▁begin｜>",
            "<｜tool▁sep｜>", "<｜tool▁call▁end｜>", "<｜tool▁call▁begin｜>lookup<｜tool▁sep｜>",
            "function<｜tool▁sep｜>ping", "\n```json\n", "\n```", '{"query":"x"}',
            "<｜DSML｜tool_calls>", "</｜DSML｜tool_calls>", '<｜DSML｜invoke name="lookup">',
            "</｜DSML｜invoke>", "<|DSML|tool_calls>", "</|DSML|invoke>",
            '<|DSML|parameter name="query" string="true">', "</|DSML｜parameter>", "<｜tool",
            "<｜DSML", '<｜DSML｜parameter name="limit" string="false">',
            "<｜end▁of▁sentence｜>", "<｜User｜>", "<｜tool▁outputs▁begin｜>", "<think>",
            "</think>", "<｜", "｜>", "</｜DSML｜invo",
        ),
        starts="<",
        dropped=rf"</?[｜|][^<>]{{1,60}}>|{_THINK}",
        opens="<｜tool▁calls▁begin｜>|<[｜|]DSML[｜|]tool_calls>",
        closes="<｜tool▁calls▁end｜>|</[｜|]DSML[｜|]tool_calls>",
        swallows_space=True,
    ),
    "kimi": Markup(
        pieces=(
            "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", "<|tool_call_begin|>",
            "<|tool_call_argument_begin|>", "<|tool_call_end|>", "functions.lookup:0",
            "functions.", '{"query":"x"}', '{"query":"<|tool_call_end|>"}',
            "<|tool_call_begin|>functions.ping:1", "<|tool_call", "<|tool_calls_section_b",
            "<think>", "</think>", "ping", "lookup:3",
        ),
        starts="<",
        dropped=rf"<\|tool_calls?_section_(?:begin|end)\|>|{_THINK}",
        opens=r"<\|tool_calls?_section_begin\|>",
        closes=r"<\|tool_calls?_section_end\|>",
        arguments="json",
    ),
    "glm": Markup(
        pieces=(
            "<tool_call>", "</tool_call>", "<tool_call>lookup\n", "<tool_call>note", "<arg_key>",
            "</arg_key>", "<arg_value>", "</arg_value>", "<arg_key>query</arg_key>",
            "<arg_value>x", "<arg_key>limit</arg_key>\n<arg_value>3</arg_value>",
            "<tool_response>", "</tool_response>", "<think>", "</think>", "<arg_ke", "</arg_va",
            "</tool_cal", " " * 33,
        ),
        starts="<",
        dropped=rf"</?(?:tool_call|arg_key|arg_value|tool_response)>|{_THINK}",
        opens="<tool_response>",
        closes="</tool_response>",
        arguments="keyed",
    ),
    "harmony": Markup(
        pieces=(
            "<|start|>", "<|channel|>", "<|message|>", "<|end|>", "<|call|>", "<|return|>",
            "assistant", "analysis", "final", "commentary", " to=functions.lookup",
            " to=functions.ping", " json", " <|constrain|>json", '{"query":"x"}',
            "<|start|>assistant<|channel|>analysis<|message|>",
            "<|channel|>commentary to=functions.note<|message|>", "<|start|>system<|message|>",
            "<|st", "<|start|>assistant<|channel|>final<|message|>", "<|chan", "<|message", "{}",
            "to=",
        ),
        starts="<",
        dropped=r"<\|(?:start|channel|message|end|call|return|constrain)\|>",
        opens=r"<\|(?:start|channel)\|>",
        closes=r"<\|(?:start|channel|message|end|call|return)\|>",
        arguments="json",
    ),
    "gemini": Markup(
        pieces=(
            "```tool_code\n", "```tool_code", "\n```", "```\n", "````", "```thinking\n",
            "```python\n", "default_api.", "print(", 'lookup(query="x")', "ping()",
            "[ping(), ping()]", "note(title=", '"""', "'''", "'it\\'s'", "# comment\n",
            "lambda x: x", "(1, 2)", "{'k': [1]}", "None", 'f(a="```")', "```tool_cod", "``",
            "import x\n", "query='", ")\n```\n", "1_000", "```thinkin",
        ),
        starts="`",
        dropped=r"`{3,}(?:thinking\n)?",
        opens="```tool_code",
        closes="`{3,}",
        arguments="python",
    ),
    "gemma": Markup(
        pieces=(
            "<|tool_call>", "<tool_call|>", "<|tool_call>call:lookup{", "call:", "call:ping{}",
            '<|"|>', 'query:<|"|>x<|"|>', "limit:3", "tags:[", "opts:{", "}<tool_call|>",
            "<|channel>thought\n", "<channel|>", "<|channel>", "<|tool", '<|"', "<tool_ca",
            "'q'", "a-b:1", "true", "{}",
        ),
        starts="<",
        dropped=r"<\|tool_call>|<tool_call\|>|<\|channel>thought\n|<channel\|>",
    ),
    "pi-native": Markup(
        pieces=(
            '<call:lookup query="x" limit=3/>', "<call:note>", "</call:note>", "<call:edit>\n",
            "<title>", "</title>", "\n</call:edit>", "<call:ping/>", "<call:zzz a=1>",
            "</call:zzz>", "<call:", "<cal", "<query>", "</query>", "<tags>a</tags>", "<body/>",
            "</call:", "<think>", "</think>", "<call: x>",
        ),
        starts="<",
        dropped=_THINK,
    ),
    "qwen3-coder": Markup(
        pieces=(
            "<tool_call>", "</tool_call>", "<tool_call>\n<function=lookup>\n", "<function=note>",
            "</function>", "<parameter=query>\n", "\n</parameter>\n", "<parameter=limit>",
            "</parameter>", "<function=ping></function>", "<function=", "<parameter=", "</param",
            "<tool_cal", "<think>", "</think>", "3\n</parameter>", "</function>\n</tool_call>",
            "<tool_response>",
        ),
        starts="<",
        dropped=rf"</?(?:tool_call|function|parameter)(?:=[^<>]*)?>|{_THINK}",
        opens="<tool_call>",
        closes="</tool_call>",
        swallows_space=True,
        arguments="keyed",
    ),
    "thinking": Markup(
        pieces=(
            "<think>", "</think>", "<thinking>", "</thinking>", "<scratchpad>", "</scratchpad>",
            "\n```\n", "```thinking\n", "```py\n", "<|channel>thought\n", "<channel|>",
            "<|channel|>analysis<|message|>", "<|start|>assistant<|channel|>analysis<|message|>",
            "<|end|>", "<thi", "</thinkin", "<|chan", "<THINK>", "<thinking >",
            "<|start|>assistant<|channel|>final<|message|>", "<|start|>",
        ),
        starts="<`",
        dropped=(
            r"</?(?:think|thinking|scratchpad)>|<\|channel>thought\n|<channel\|>|`{3,}(?:thinking\n)?"
            r"|(?:<\|start\|>assistant)?<\|channel\|>analysis<\|message\|>|<\|end\|>"
        ),
    ),
}  # fmt: skip


@cache
def examples(name: str) -> tuple[str, ...]:
    """Real inputs of the dialect, to cut soup pieces from."""
    rows = read_jsonl(VECTORS / "scan.jsonl") + read_jsonl(VECTORS / "thinking.jsonl")
    return tuple(row["input"] for row in rows if row["dialect"] == name and row["input"])


def accounted_for(text: str, kept: str, markup: Markup) -> bool:
    """Whether `text` is `kept`, in order, plus only markup and noise that may be in no event.

    Walks over `text` with the set of all states (characters of `kept` seen, inside a region).
    """
    dropped = re.compile(markup.dropped, markup.flags)
    opens = re.compile(markup.opens, markup.flags) if markup.opens else None
    closes = re.compile(markup.closes, markup.flags) if markup.closes else None
    states: list[set[tuple[int, bool]]] = [set() for _ in range(len(text) + 1)]
    states[0].add((0, False))
    for at, here in enumerate(states[:-1]):
        if not here:
            continue
        ends = _ends(dropped, text, at, markup.swallows_space)
        opened = _ends(opens, text, at, markup.swallows_space)
        closed = _ends(closes, text, at, markup.swallows_space)
        for seen, inside in here:
            if seen < len(kept) and kept[seen] == text[at]:
                states[at + 1].add((seen + 1, inside))
            if inside:
                states[at + 1].add((seen, inside))
            for end in ends:
                states[end].add((seen, inside))
            for end in opened:
                states[end].add((seen, True))
            for end in closed:
                states[end].add((seen, False))
    return any(seen == len(kept) for seen, _ in states[-1])


def _ends(pattern: re.Pattern[str] | None, text: str, at: int, spaces: bool) -> list[int]:
    """Where a match at `at` can end, with any part of the white space after it if `spaces`."""
    match = pattern.match(text, at) if pattern else None
    if not match:
        return []
    ends = [match.end()]
    while spaces and ends[-1] < len(text) and text[ends[-1]].isspace():
        ends.append(ends[-1] + 1)
    return ends

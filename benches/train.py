"""The work that a profile-guided build learns from: `maturin build --release --pgo` runs it.

For each dialect it reads what models write (prose, thinking, code, calls with long and with many
short arguments), in the pieces that servers feed, and as whole outputs. No figure is taken.
"""

from __future__ import annotations

import toolspeak

TOOLS = [
    {
        "name": "edit",
        "parameters": {
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "text": {"type": "string"},
                "line": {"type": "integer"},
                "marks": {"type": "array", "items": {"type": "string"}},
            },
        },
    }
]
PROSE = "I change the file as you asked, if a < b and żółw > 3; nothing else is touched. " * 30
CODE = 'def f(a, b):\n    if a < b:\n        return {"x": [a, b]}\n    # <here> & done\n' * 20
# Characters in a piece and how often: single tokens most of all, as inference servers feed them.
PIECES = {1: 2, 3: 10, 5: 10, 20: 10, 1000: 10}


def output(dialect: toolspeak.Dialect) -> str:
    """What a model might write in this dialect."""
    calls = [
        toolspeak.ToolCall("c0", "edit", {"path": "src/f.py", "text": CODE, "line": 7}),
        *(
            toolspeak.ToolCall(f"c{n}", "edit", {"path": "a 'b'", "line": n, "marks": ["x", "y"]})
            for n in range(1, 6)
        ),
    ]
    fenced = f"```py\n{CODE}```\n"
    thinking = dialect.render_thinking(PROSE)
    return f"{thinking}{PROSE}{fenced}{dialect.render_calls(calls, tools=TOOLS)}"


def read_in_pieces(dialect: toolspeak.Dialect, text: str, size: int) -> None:
    """Feeds one stream and drops its events."""
    scanner = dialect.scanner(tools=TOOLS)
    for start in range(0, len(text), size):
        scanner.feed(text[start : start + size])
    scanner.flush()


def main() -> None:
    """Reads each dialect's output in every way."""
    for name in toolspeak.list_dialects():
        dialect = toolspeak.get_dialect(name)
        text = PROSE if name == "thinking" else output(dialect)
        for size, times in PIECES.items():
            for _ in range(times):
                read_in_pieces(dialect, text, size)
        toolspeak.parse_many([text] * 20, name, tools=TOOLS)


if __name__ == "__main__":
    main()

"""Writes README.md's table of dialects from the registry: `make tables`; `--check` only looks.

A row is what the record says: the name, a call as the renderer writes it, the summary, the options.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import toolspeak

README = Path(__file__).resolve().parent.parent / "README.md"
BEGIN, END = "<!-- dialects: begin, written by .ci/tables.py -->", "<!-- dialects: end -->"
TOOL = {"name": "f", "parameters": {"properties": {key: {"type": "string"} for key in ("j", "k")}}}
CALL = {"name": "f", "arguments": {"k": "v"}}


def code(text: str) -> str:
    """Text as code in a cell of a table, on one line."""
    line = " ".join(text.split()).replace("|", r"\|")
    runs = [len(run) for run in re.findall("`+", line)]
    if not runs:
        return f"`{line}`"
    fence = "`" * (max(runs) + 1)
    return f"{fence} {line} {fence}"


def rows() -> Iterator[str]:
    """The lines of the table."""
    yield "| name | calls look like | in words |"
    yield "|---|---|---|"
    for name in toolspeak.list_dialects():
        dialect = toolspeak.get_dialect(name)
        call = "none"
        if dialect.grammar.forms():
            call = code(dialect.render_calls([CALL], tools=[TOOL]))
        options = [
            f"`{option}={value!r}`".replace("'", '"')
            for option, values in dialect.variants.items()
            for value in values
        ]
        more = f"; option {', '.join(options)}" if options else ""
        yield f"| `{name}` | {call} | {dialect.summary}{more} |"


def written(page: str) -> str:
    """The page with the table as it should be."""
    head, _, rest = page.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not end:
        sys.exit(f"{README} has no place for the table: {BEGIN}")
    return "\n".join([f"{head}{BEGIN}", "", *rows(), "", f"{END}{tail}"])


def main() -> None:
    """Writes the table, or with `--check` exits with 1 where it is stale."""
    page = README.read_text(encoding="utf-8")
    right = written(page)
    if "--check" in sys.argv[1:]:
        sys.exit("README.md: run `make tables`" if page != right else 0)
    README.write_text(right, encoding="utf-8")


if __name__ == "__main__":
    main()

"""Keeps the diagram in ARCHITECTURE.md what the core's table of states says.

Usage: `diagram.py`, which fails if the diagram is out of date, or `diagram.py --write`.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[1] / "ARCHITECTURE.md"
COMMAND = ("cargo", "run", "--quiet", "--package", "toolspeak", "--example", "states")
DIAGRAM = re.compile(r"(?<=^```mermaid\n).*?(?=^```$)", re.DOTALL | re.MULTILINE)


def main(arguments: list[str]) -> int:
    """The exit code: 1 if the diagram is out of date."""
    diagram = subprocess.run(COMMAND, check=True, capture_output=True, text=True).stdout
    page = PAGE.read_text(encoding="utf-8")
    fresh = DIAGRAM.sub(lambda _: diagram, page, count=1)
    if arguments == ["--write"]:
        PAGE.write_text(fresh, encoding="utf-8")
    elif fresh != page:
        print(f"{PAGE.name}: the diagram is out of date; run 'make diagram'", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

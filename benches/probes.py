"""What only a fresh process can tell: the time that imports take, and memory.

Run as a program, it measures inside that process and prints one number:

    python benches/probes.py memory HOW COUNT

Imports are timed in processes that have loaded nothing else. Memory is by how much the process
grows, because Python and the extension have allocators of their own.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

__all__ = ["IDLE", "first_scanner_time", "import_time", "memory_of_idle", "why_no_memory"]

IDLE = ("fresh", "after a call and reset", "after a call and flush")
"""In what ways a scanner can be idle."""


_IMPORT = """
from time import perf_counter
start = perf_counter()
import {module}
print(perf_counter() - start)
"""
_FIRST = """
from time import perf_counter
import toolspeak
start = perf_counter()
toolspeak.get_dialect({dialect!r}).scanner()
print(perf_counter() - start)
"""


def import_time(module: str) -> float:
    """Seconds for an import statement in a fresh interpreter."""
    return float(_output("-c", _IMPORT.format(module=module)))


def first_scanner_time(dialect: str) -> float:
    """Seconds for the first scanner after the import, in a fresh interpreter."""
    return float(_output("-c", _FIRST.format(dialect=dialect)))


def memory_of_idle(how: str, count: int) -> float:
    """Bytes by which a fresh process grows for each of so many idle scanners."""
    return float(_output(str(Path(__file__)), "memory", how, str(count)))


def _output(*arguments: str) -> str:
    command = [sys.executable, *arguments]
    # Modules are compiled before, as in every process but the first.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return subprocess.run(command, capture_output=True, text=True, check=True, env=kept).stdout


# --- inside the fresh process -------------------------------------------------------------


_STATM = Path("/proc/self/statm")


def why_no_memory() -> str:
    """Why memory cannot be measured here, or nothing."""
    return "" if _STATM.exists() else f"there is no {_STATM}"


def _memory(how: str, count: int) -> float:
    shapes = import_module("shapes")
    dialect = import_module("toolspeak").get_dialect("hermes")
    call = shapes.SHAPES["hermes"].call("At ten past six. " * 20)
    tools = import_module("toolspeak").ToolSet(shapes.TOOLS)  # as a server keeps them

    def idle() -> Any:
        scanner = dialect.scanner(tools=tools)
        if how != "fresh":
            scanner.feed(call)
            (scanner.reset if how.endswith("reset") else scanner.flush)()
        return scanner

    for _ in range(100):  # what is made once is made before
        idle()
    scanners: list[Any] = [None] * count
    gc.collect()
    before = _resident()
    for index in range(count):
        scanners[index] = idle()
    gc.collect()
    return (_resident() - before) / count


def _resident() -> int:
    pages = int(_STATM.read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    _, question, how, count = sys.argv
    print(_memory(how, int(count)))

"""What only a fresh process can tell: the time that imports take, and memory.

Run as a program, it measures inside that process and prints one JSON object:

    python benches/probes.py memory HOW COUNT

Imports are timed in processes that have loaded nothing else. Memory is what malloc has handed out
(`mallinfo2`), for the extension's memory and, with PYTHONMALLOC=malloc, for Python's: tools that
trace Python's allocator do not see the former.
"""

from __future__ import annotations

import ctypes
import gc
import json
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


def memory_of_idle(how: str, count: int, *, malloc: bool = False) -> dict[str, float]:
    """Bytes for each of so many idle scanners: `allocated` by malloc, and `resident`.

    `malloc`: Python allocates with malloc as well.
    """
    allocator = {"PYTHONMALLOC": "malloc"} if malloc else {}
    output = _output(str(Path(__file__)), "memory", how, str(count), **allocator)
    found: dict[str, float] = json.loads(output)
    return found


def _output(*arguments: str, **environment: str) -> str:
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    return done.stdout


# --- inside the fresh process -------------------------------------------------------------


class _MallInfo2(ctypes.Structure):
    # glibc's struct mallinfo2: what counts here are blocks in the heap and mapped ones.
    _fields_ = [
        (name, ctypes.c_size_t)
        for name in [
            "arena",
            "ordblks",
            "smblks",
            "hblks",
            "hblkhd",
            "usmblks",
            "fsmblks",
            "uordblks",
            "fordblks",
            "keepcost",
        ]
    ]


def _mallinfo2() -> Any:
    function = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if function is not None:
        function.restype = _MallInfo2
    return function


def why_no_memory() -> str:
    """Why memory cannot be measured here, or nothing."""
    if not sys.platform.startswith("linux"):
        return "memory is measured with glibc's mallinfo2"
    return "" if _mallinfo2() else "this libc has no mallinfo2 (glibc 2.33)"


def _memory(how: str, count: int) -> dict[str, float]:
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
    allocated, resident = _allocated(), _resident()
    for index in range(count):
        scanners[index] = idle()
    gc.collect()
    return {
        "allocated": (_allocated() - allocated) / count,
        "resident": (_resident() - resident) / count,
    }


def _allocated() -> int:
    info = _mallinfo2()()
    return int(info.uordblks + info.hblkhd)


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    _, question, how, count = sys.argv
    print(json.dumps(_memory(how, int(count))))

"""Whether one build of toolspeak is faster than another: streams in small pieces, whole outputs.

    python benches/compare_builds.py PLAIN OTHER

PLAIN and OTHER are directories made with `pip install --target DIR WHEEL`. Each build reads in
processes of its own, which take turns; the fastest run of each counts.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

PROCESSES = 12
RUNS = 12
DIALECTS = (
    "hermes",
    "xml",
    "qwen3-coder",
    "glm",
    "harmony",
    "gemini",
    "gemma",
    "pi-native",
    "kimi",
)
PROSE = "It is a plain answer that needs no tool, only words and a few numbers like 3 < 4. " * 250
CODE = "for (i = 0; i < n; i++) {\n    if (a[i] > 0) { print(\"x\", '<b>', a[i]); }\n}\n" * 100
TOOLS = [
    {
        "name": "write_file",
        "parameters": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
        },
    }
]


def fastest(work: Callable[[], object]) -> float:
    """The seconds of the fastest run."""
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def measure() -> dict[str, float]:
    """What each question costs the build that is imported here, in seconds."""
    import toolspeak  # noqa: PLC0415 - from the directory that the caller put first

    def stream(name: str, text: str) -> float:
        pieces = [text[start : start + 4] for start in range(0, len(text), 4)]
        dialect = toolspeak.get_dialect(name)

        def read() -> None:
            scanner = dialect.scanner(tools=TOOLS)
            for piece in pieces:
                scanner.feed(piece)
            scanner.flush()

        return fastest(read)

    def written(name: str, *contents: str) -> str:
        calls: list[Any] = [
            toolspeak.ToolCall(f"c{n}", "write_file", {"path": "src/a.c", "content": content})
            for n, content in enumerate(contents)
        ]
        return toolspeak.get_dialect(name).render_calls(calls, tools=TOOLS)

    costs = {"prose, pieces of 4": stream("hermes", PROSE)}
    for name in DIALECTS:
        costs[f"{name}, long argument, pieces of 4"] = stream(name, written(name, CODE))
        costs[f"{name}, 50 calls, pieces of 4"] = stream(name, written(name, *["x = 1\n"] * 50))
        whole = written(name, CODE) * 8
        costs[f"{name}, whole"] = fastest(partial(toolspeak.parse, whole, name, tools=TOOLS))
    return costs


def main() -> None:
    """Prints for each question the time of the other build as a multiple of the plain one's."""
    if sys.argv[1] == "--measure":
        sys.path.insert(0, sys.argv[2])
        print(json.dumps(measure()))
        return
    builds = [str(Path(build).resolve()) for build in sys.argv[1:3]]
    best: list[dict[str, float]] = [{}, {}]
    for turn in range(PROCESSES):
        for number in (0, 1) if turn % 2 else (1, 0):
            command = [sys.executable, __file__, "--measure", builds[number]]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            for question, cost in json.loads(done.stdout).items():
                best[number][question] = min(cost, best[number].get(question, math.inf))
    ratios = {question: best[1][question] / cost for question, cost in best[0].items()}
    for question, ratio in ratios.items():
        print(f"{question:40} {best[0][question] * 1e6:9.1f} µs  × {ratio:.2f}")
    mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
    print(f"{'geometric mean':40} {'':12} × {mean:.2f}")


if __name__ == "__main__":
    main()

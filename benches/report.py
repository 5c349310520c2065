"""Runs all questions of the benchmarks once and writes the answers into README.md.

    python benches/report.py [--quick] [--print-only] [QUESTION …]

Figures of one run are compared with each other only: every answer is first of all a ratio. With
names of questions only these are asked, and README.md is left alone.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path

from questions import QUESTIONS
from reporting import Report, marks_table

README = Path(__file__).parent / "README.md"
BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"


def _conditions(report: Report) -> list[str]:
    today = f"{datetime.now(timezone.utc):%Y-%m-%d}"
    python = f"{platform.python_implementation()} {platform.python_version()}"
    system = f"{platform.system()} {platform.machine()}"
    return [
        f"- {today}, toolspeak {metadata.version('toolspeak')}, {python}",
        f"- {system}, {_cpu()}, {os.cpu_count()} cores",
        f"- load before the run {os.getloadavg()[0]:.1f}",
        f"- at most {report.rounds} rounds per question",
    ]


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown CPU"


def write(text: str) -> None:
    """Put the results between the markers of README.md."""
    page = README.read_text("utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    README.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", "utf-8")


def main() -> int:
    names = {question.__name__: question for question in QUESTIONS}
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--quick", action="store_true", help="few rounds, for a first look")
    arguments.add_argument("--print-only", action="store_true", help="leave README.md alone")
    arguments.add_argument("questions", nargs="*", metavar="QUESTION", help=", ".join(names))
    options = arguments.parse_args()
    if unknown := set(options.questions) - set(names):
        arguments.error(f"no such question: {', '.join(sorted(unknown))}")
    report = Report(rounds=5 if options.quick else 25)
    conditions = _conditions(report)
    for name in options.questions or names:
        print(f"{name} …", file=sys.stderr, flush=True)
        names[name](report)
    text = "\n".join([*conditions, "", *marks_table(report), *report.lines[1:]])
    print(text)
    if not options.print_only and not options.questions:
        write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Instructions per byte of the core's hot loops, counted by callgrind: no clock, no noise.

    python benches/instructions.py [--keep FOLDER] [NAME …]

Each workload of `rust/core/examples/hot.rs` runs with two sizes; the difference, over that of the
sizes, is what a byte costs, without the start of the process. `--keep` leaves a profile of each
for `callgrind_annotate`. The example is built apart, with symbols.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

__all__ = ["FEEDINGS", "build", "per_byte", "why_not", "workloads"]

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "target" / "instructions"
SIZES = {"chunks": (20_000, 60_000), "whole": (200_000, 1_200_000)}
FEEDINGS = tuple(SIZES)


def why_not() -> str:
    """Why instructions cannot be counted here, or nothing."""
    missing = [name for name in ("valgrind", "cargo") if not shutil.which(name)]
    return f"{' and '.join(missing)} not found" if missing else ""


def build() -> Path:
    """The example, optimised as the package is, but with symbols."""
    profile = {"CARGO_PROFILE_RELEASE_STRIP": "none", "CARGO_PROFILE_RELEASE_DEBUG": "1"}
    command = ["cargo", "build", "--quiet", "--release", "-p", "toolspeak", "--example", "hot"]
    command += ["--target-dir", str(TARGET)]
    subprocess.run(command, check=True, cwd=ROOT, env={**os.environ, **profile})
    return TARGET / "release" / "examples" / "hot"


def workloads(hot: Path) -> list[str]:
    """The names of the workloads."""
    listed = subprocess.run([hot, "list"], check=True, capture_output=True, text=True)
    return listed.stdout.splitlines()


def per_byte(hot: Path, name: str, feeding: str, keep: Path | None = None) -> float:
    """Instructions for each byte of this workload."""
    small, large = SIZES[feeding]
    profile = keep / f"{name}, {feeding}.callgrind" if keep else None
    counts = [_count(hot, name, feeding, small), _count(hot, name, feeding, large, profile)]
    return (counts[1] - counts[0]) / (large - small)


def _count(hot: Path, name: str, feeding: str, size: int, profile: Path | None = None) -> int:
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile or os.devnull}"]
    command += [str(hot), name, feeding, str(size)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if not collected:
        raise RuntimeError(f"callgrind told no count: {done.stderr}")
    return int(collected[1])


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--keep", type=Path, help="where to leave the profiles")
    arguments.add_argument("names", nargs="*", metavar="NAME", help="of workloads; else all")
    options = arguments.parse_args()
    if reason := why_not():
        sys.exit(reason)
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    hot = build()
    print(f"{'instructions per byte':32}", *(f"{feeding:>10}" for feeding in FEEDINGS))
    for name in options.names or workloads(hot):
        costs = (per_byte(hot, name, feeding, options.keep) for feeding in FEEDINGS)
        print(f"{name:32}", *(f"{cost:10.3g}" for cost in costs), flush=True)


if __name__ == "__main__":
    main()

"""Checks what `make dist` put into dist/: a wheel with the package alone, an sdist with its tests.

The wheel holds each file of python/toolspeak and the extension, the licences, and no more. The
sdist holds each tracked file that building and testing needs, and nothing that is not tracked.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LICENCES = {"LICENSE-MIT", "LICENSE-APACHE"}
EXTENSIONS = (".so", ".pyd")
NEEDED = ("python/", "rust/core/", "rust/python/", "tests/", "benches/", "examples/")
NEEDED_FILES = LICENCES | {"Cargo.toml", "Cargo.lock", "Makefile", "README.md", "pyproject.toml"}


def tracked() -> set[str]:
    """The files that git knows in this checkout."""
    command = ["git", "ls-files", "-z"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return set(filter(None, listed.split("\0")))


def check_wheel(wheel: Path) -> list[str]:
    """What is wrong with the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    package = {name for name in names if name.startswith("toolspeak/")}
    binaries = {name for name in package if name.endswith(EXTENSIONS)}
    about = {name for name in names if name.partition("/")[0].endswith(".dist-info")}
    sources = {name.removeprefix("python/") for name in tracked() if name.startswith("python/")}
    licences = {Path(name).name for name in about if "/licenses/" in name}
    return [
        *told("wheel: missing", sources - package),
        *told("wheel: not of the package", names - sources - binaries - about),
        *told("wheel: licence missing", LICENCES - licences),
        *([] if len(binaries) == 1 else [f"wheel: one extension expected, not {binaries}"]),
    ]


def check_sdist(sdist: Path) -> list[str]:
    """What is wrong with the sdist."""
    with tarfile.open(sdist) as archive:
        names = {member.name.partition("/")[2] for member in archive if member.isfile()}
    known = tracked()
    needed = NEEDED_FILES | {name for name in known if name.startswith(NEEDED)}
    return [
        *told("sdist: missing", needed - names),
        *told("sdist: not tracked", names - known - {"PKG-INFO"}),
    ]


def told(what: str, names: Iterable[str]) -> list[str]:
    """One line for each name."""
    return [f"{what}: {name}" for name in sorted(names)]


def main() -> None:
    """Prints what is wrong and exits with 1, or prints what was checked."""
    wheels, sdists = sorted((ROOT / "dist").glob("*.whl")), sorted((ROOT / "dist").glob("*.tar.gz"))
    if (len(wheels), len(sdists)) != (1, 1):
        sys.exit(f"dist/ must hold one wheel and one sdist, not {[*wheels, *sdists]}")
    faults = [*check_wheel(wheels[0]), *check_sdist(sdists[0])]
    if faults:
        sys.exit("\n".join(faults))
    print(f"contents are right: {wheels[0].name}, {sdists[0].name}")


if __name__ == "__main__":
    main()

"""Whether the modules of a Rust crate use each other in circles.

`cargo modules` (https://github.com/regexident/cargo-modules) tells which items use which; here its
graph of items becomes one of modules. Fails with the first circle. Usage: rust_modules.py CRATE…
"""

from __future__ import annotations

import re
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter

NODE = re.compile(r'^\s*"(?P<path>[^"]+)" \[label="(?P<label>[^|"]*)\|')
USE = re.compile(r'^\s*"(?P<user>[^"]+)" -> "(?P<used>[^"]+)" \[label="uses"')
COMMAND = ("cargo", "modules", "dependencies", "--lib", "--no-externs", "--no-sysroot")


def graph_of(crate: str) -> dict[str, set[str]]:
    """Module → the modules that it uses."""
    command = [*COMMAND, "--package", crate]
    dot = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    labels = {found["path"]: found["label"] for found in map(NODE.match, dot.splitlines()) if found}
    modules = {path for path, label in labels.items() if re.search(r"(^| )mod$|^crate$", label)}
    graph: dict[str, set[str]] = {module: set() for module in modules}
    for found in filter(None, map(USE.match, dot.splitlines())):
        user, used = module_of(found["user"], modules), module_of(found["used"], modules)
        # A module that names its own parts, for others to use, depends on nothing.
        if user and used and user != used and not used.startswith(f"{user}::"):
            graph[user].add(used)
    return graph


def module_of(path: str, modules: set[str]) -> str | None:
    """The innermost module that an item stands in."""
    while path not in modules:
        path, separator, _ = path.rpartition("::")
        if not separator:
            return None
    return path


def main(crates: list[str]) -> int:
    """The exit code: 1 if there is a circle."""
    for crate in crates:
        graph = graph_of(crate)
        if not any(graph.values()):
            print(f"{crate}: no module uses another one, which cannot be", file=sys.stderr)
            return 1
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            print(f"{crate}: {' uses '.join(reversed(error.args[1]))}", file=sys.stderr)
            return 1
        uses = sum(map(len, graph.values()))
        print(f"{crate}: {len(graph)} modules, {uses} uses, no circle")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

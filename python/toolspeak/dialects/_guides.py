"""The prompt guides: Markdown that tells a model how to write a dialect, in `guides/`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["load_guide"]


def load_guide(name: str) -> str:
    """The prompt guide `name`. Raises `FileNotFoundError` if toolspeak has no such guide."""
    # As `pkgutil.get_data` does, which takes longer to import than a guide takes to read.
    package: Any = import_module("toolspeak.dialects")
    guide: bytes = package.__loader__.get_data(f"{package.__path__[0]}/guides/{name}.md")
    return guide.decode().strip()

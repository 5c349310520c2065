"""The questions of the benchmarks, each a function that writes its answer into a report."""

from __future__ import annotations

from collections.abc import Callable

from reporting import Report

from .bulk import bulk, json_arguments, literal_arguments
from .core import instructions
from .growth import growth, growth_of_reports, late
from .hostile import hostile
from .peers import harmony, sglang
from .startup import construction, first_use, memory
from .streaming import kept, streaming
from .writing import constraints, rendering

__all__ = ["QUESTIONS"]

QUESTIONS: tuple[Callable[[Report], None], ...] = (
    streaming,
    kept,
    growth,
    growth_of_reports,
    late,
    hostile,
    bulk,
    json_arguments,
    literal_arguments,
    first_use,
    construction,
    memory,
    rendering,
    constraints,
    harmony,
    sglang,
    instructions,
)

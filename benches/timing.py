"""Times that can be compared on a noisy machine.

All contenders of one question run in turn, round after round, and the fastest run of each
counts: what disturbs a run only ever adds time, and slow phases of the machine hit all alike.
The garbage collector is off while a run is timed. The clock is the CPU time of this process, so
that waiting for a core does not count; only what runs on several cores needs the wall clock.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from time import perf_counter, process_time

__all__ = ["best_of"]


def best_of(
    contenders: Mapping[str, Callable[[], object]],
    *,
    rounds: int = 15,
    budget: float = 20.0,
    clock: Callable[[], float] = process_time,
) -> dict[str, float]:
    """Seconds of each contender's fastest run.

    At most `rounds` rounds, and no new one after `budget` seconds.
    """
    best = dict.fromkeys(contenders, float("inf"))
    collecting = gc.isenabled()
    deadline = perf_counter() + budget
    try:
        for _ in range(rounds):
            for name, run in contenders.items():
                gc.collect()
                gc.disable()
                start = clock()
                run()
                best[name] = min(best[name], clock() - start)
                gc.enable()
            if perf_counter() > deadline:
                break
    finally:
        (gc.enable if collecting else gc.disable)()
    return best

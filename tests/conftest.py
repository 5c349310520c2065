"""Settings of the test-suite: Hypothesis profiles.

`HYPOTHESIS_PROFILE=thorough pytest` runs many more examples than the default does. In CI the
examples are the same in each run of the same code: new ones are looked for at a developer's desk.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# Scanning is fast but the first call of a dialect compiles its grammar: no deadlines.
_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}

settings.register_profile("default", max_examples=60, **_COMMON)  # type: ignore[arg-type]
settings.register_profile("thorough", max_examples=2000, **_COMMON)  # type: ignore[arg-type]
settings.register_profile(
    "ci",
    max_examples=60,
    derandomize=True,
    database=None,
    **_COMMON,  # type: ignore[arg-type]
)
USUAL = "ci" if os.environ.get("CI") else "default"
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", USUAL))

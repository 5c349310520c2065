"""Settings of the test-suite: Hypothesis profiles.

`HYPOTHESIS_PROFILE=thorough pytest` runs many more examples than the default does.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# Scanning is fast but the first call of a dialect compiles its grammar: no deadlines.
_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}

settings.register_profile("default", max_examples=60, **_COMMON)  # type: ignore[arg-type]
settings.register_profile("thorough", max_examples=2000, **_COMMON)  # type: ignore[arg-type]
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

"""Choosing a dialect: by a model's name, or by the markers in a model's chat template."""

from __future__ import annotations

from toolspeak.detection.by_model import preferred_dialect
from toolspeak.detection.by_template import Confidence, Detection, detect_dialect

__all__ = ["Confidence", "Detection", "detect_dialect", "preferred_dialect"]

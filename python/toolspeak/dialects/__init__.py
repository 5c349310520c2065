"""The dialects, one module each: grammar data, renderers, and a prompt guide in `guides/`."""

from toolspeak.dialects import (
    anthropic,
    deepseek,
    gemini,
    gemma,
    glm,
    harmony,
    hermes,
    kimi,
    minimax,
    pi_native,
    qwen3,
    qwen3_coder,
    thinking,
    xml,
)

__all__ = ["BUILT_IN"]

_MODULES = (
    anthropic,
    deepseek,
    gemini,
    gemma,
    glm,
    harmony,
    hermes,
    kimi,
    minimax,
    pi_native,
    qwen3,
    qwen3_coder,
    thinking,
    xml,
)

BUILT_IN = tuple(module.DIALECT for module in _MODULES)
"""The dialects that toolspeak brings along."""

"""The dialects, one module each: grammar data, renderers, and a prompt guide in `guides/`."""

from toolspeak.dialects import anthropic, hermes, minimax, qwen3, thinking, xml

__all__ = ["BUILT_IN"]

BUILT_IN = tuple(module.DIALECT for module in (anthropic, hermes, minimax, qwen3, thinking, xml))
"""The dialects that toolspeak brings along."""

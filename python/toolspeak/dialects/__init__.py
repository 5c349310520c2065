"""The dialects, one module each: grammar data, renderers, and a prompt guide in `guides/`."""

__all__ = ["BUILT_IN"]

BUILT_IN = {
    "anthropic": "anthropic",
    "deepseek": "deepseek",
    "gemini": "gemini",
    "gemma": "gemma",
    "glm": "glm",
    "harmony": "harmony",
    "hermes": "hermes",
    "kimi": "kimi",
    "longcat": "longcat",
    "minimax": "minimax",
    "pi-native": "pi_native",
    "qwen3": "qwen3",
    "qwen3-coder": "qwen3_coder",
    "thinking": "thinking",
    "xml": "xml",
}
"""The dialects that toolspeak brings along: name → module, which has the dialect as `DIALECT`."""

"""Choosing a dialect by a model's name.

A name takes what stands beside the longest glob that fits it: a dialect, or why there is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase

from toolspeak.dialect import Dialect
from toolspeak.errors import UnknownModelError
from toolspeak.registry import find_dialect, get_dialect

__all__ = ["preferred_dialect"]

# The longest glob that fits wins, here and in `_UNREAD`. What a family speaks changes with its
# generations, so a glob names those that are known: the next one may speak anything.
_MODELS: Sequence[tuple[str, str]] = (
    ("claude*", "anthropic"),
    ("deepseek-chat*", "deepseek"),
    ("deepseek-reasoner*", "deepseek"),
    ("deepseek-v2.5*", "deepseek"),
    ("deepseek[-.]r1*", "deepseek"),
    ("deepseek[-.]v[34]*", "deepseek"),
    ("gemini-*", "gemini"),
    ("gemma-4*", "gemma"),
    ("gemma4*", "gemma"),
    ("glm-4[.p][5-9]*", "glm"),
    ("glm-5*", "glm"),
    ("zai-glm-4[.p][5-9]*", "glm"),
    ("zai-glm-5*", "glm"),
    ("laguna-*", "glm"),
    ("ling-3*", "glm"),
    ("ring-2.6*", "glm"),
    ("chatgpt-*", "harmony"),
    ("codex-*", "harmony"),
    ("gpt-[3-9]*", "harmony"),
    ("gpt-oss*", "harmony"),
    ("o[1-9]", "harmony"),
    ("o[1-9]-*", "harmony"),
    ("deephermes-3*", "hermes"),
    ("ernie-4.5*", "hermes"),
    ("exaone-4*", "hermes"),
    ("granite-4.0*", "hermes"),
    ("hermes-2-pro*", "hermes"),
    ("hermes-2-theta*", "hermes"),
    ("hermes-[34]*", "hermes"),
    ("hermes[34]*", "hermes"),
    ("kimi-k2*", "kimi"),
    ("kimi-linear*", "kimi"),
    ("longcat-flash*", "longcat"),
    ("minimax-m2*", "minimax"),
    ("qwen2.5*", "qwen3"),
    ("qwen3*", "qwen3"),
    ("qwen-3-*", "qwen3"),
    ("qwq*", "qwen3"),
    ("trinity-*", "qwen3"),
    ("*nemotron-3-*", "qwen3-coder"),
    ("granite-4.2*", "qwen3-coder"),
    ("mimo-*", "qwen3-coder"),
    ("nanbeige*", "qwen3-coder"),
    ("qwen3-coder*", "qwen3-coder"),
    ("qwen-3-coder*", "qwen3-coder"),
    ("qwen3[.p][5-9]*", "qwen3-coder"),
    ("step-3[.p][57]*", "qwen3-coder"),
    ("step-5*", "qwen3-coder"),
)

# Models that no dialect here reads, and whose spelling that is.
_UNREAD: Sequence[tuple[str, str]] = (
    ("apertus*", "Apertus"),
    ("claude-[12]*", "Claude before 3"),
    ("claude-instant*", "Claude before 3"),
    ("c4ai-command*", "Cohere Command"),
    ("command-*", "Cohere Command"),
    ("functiongemma*", "FunctionGemma"),
    ("gigachat*", "GigaChat"),
    ("chatglm*", "GLM before 4.5"),
    ("glm-4*", "GLM before 4.5"),
    ("glm-z1*", "GLM before 4.5"),
    ("glm4*", "GLM before 4.5"),
    ("granite-3*", "Granite 3"),
    ("hunyuan*", "Hunyuan"),
    ("intern-s1*", "InternLM"),
    ("internlm*", "InternLM"),
    ("ai21-jamba*", "Jamba"),
    ("jamba*", "Jamba"),
    ("kimi-k3*", "Kimi K3"),
    ("lfm2*", "LFM2"),
    ("llama-3*", "Llama 3"),
    ("llama3*", "Llama 3"),
    ("meta-llama-3*", "Llama 3"),
    ("llama-4*", "Llama 4"),
    ("llama4*", "Llama 4"),
    ("minicpm5*", "MiniCPM"),
    ("minimax-01*", "MiniMax before M2"),
    ("minimax-m1*", "MiniMax before M2"),
    ("minimax-text*", "MiniMax before M2"),
    ("minimax-vl*", "MiniMax before M2"),
    ("minimax-m3*", "MiniMax M3"),
    ("devstral*", "Mistral"),
    ("magistral*", "Mistral"),
    ("ministral*", "Mistral"),
    ("mistral*", "Mistral"),
    ("mixtral*", "Mistral"),
    ("llama-3_[13]-nemotron*", "Nemotron"),
    ("nvidia-nemotron-nano-*-v2*", "Nemotron"),
    ("olmo-3*", "Olmo 3"),
    ("phi-4-mini*", "Phi-4"),
    ("seed-oss*", "Seed-OSS"),
    ("step3*", "Step3"),
)

# Models that were trained on no spelling of calls.
_CALLESS: Sequence[tuple[str, str]] = (
    ("gemma-[1-3]*", "Gemma before 4"),
    ("gemma-7b*", "Gemma before 4"),
    ("gemma[23]*", "Gemma before 4"),
    ("kimi-vl*", "Kimi-VL"),
    ("qwen1.5*", "Qwen before 2.5"),
    ("qwen2-*", "Qwen before 2.5"),
)


def preferred_dialect(model_id: str, *, default: str | Dialect | None = None) -> Dialect:
    """The dialect that a model was trained on, by the model's name.

    `model_id` is a name as providers and repositories write it (`Qwen/Qwen3-8B`,
    `us.anthropic.claude-sonnet-4`), in any case. A model whose spelling is not known, or has no
    dialect, gets `default`, a dialect or its name (`"xml"` is plain enough for any model that
    follows a prompt); without one it is an `UnknownModelError` that says why. Raises `ValueError`
    for a name without any characters.
    """
    names = _names_in(model_id)
    reads, dialect = _longest(_MODELS, names)
    unread, family = _longest(_UNREAD, names)
    callless, without_calls = _longest(_CALLESS, names)
    if reads > max(unread, callless):
        return get_dialect(dialect)
    if default is not None:
        return find_dialect(default)
    if unread > callless:
        why = f"no dialect reads the spelling of {family}"
    elif callless:
        why = f"{without_calls} has no spelling of its own for calls"
    else:
        why = "no family has such a name, as far as its generations are known"
    raise UnknownModelError(f"no dialect is known for the model {model_id!r}: {why}")


def _longest(rows: Sequence[tuple[str, str]], names: Sequence[str]) -> tuple[int, str]:
    """The length of the longest glob that fits a name, and what stands beside it."""
    fitting = [row for row in rows if any(fnmatchcase(name, row[0]) for name in names)]
    glob, beside = max(fitting, key=lambda row: len(row[0]), default=("", ""))
    return len(glob), beside


def _names_in(model_id: str) -> list[str]:
    """The model's name, and what stands behind a provider's prefix (`us.anthropic.`, `ft:`)."""
    name = model_id.strip().rstrip("/").rpartition("/")[2].lower()
    if not name:
        raise ValueError(f"{model_id!r} is no model's name")
    return [name, *(name[found.end() :] for found in re.finditer(r"[.:]", name))]

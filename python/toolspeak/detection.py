"""Choosing a dialect: by a model's name, or by the markers in a model's chat template.

Both are tables. A name takes what stands beside the longest glob that fits it: a dialect, or why
there is none. A template is searched
for the markers that families write around calls; a rule fits when all it needs occurs and nothing
that would make it another family does. Families whose spelling has no dialect here have rules as
well, so that what they share with others is not taken for a dialect.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal, TypeAlias

from toolspeak import grammar
from toolspeak.dialect import Dialect
from toolspeak.errors import UnknownModelError
from toolspeak.registry import find_dialect, get_dialect, list_dialects

__all__ = ["Confidence", "Detection", "detect_dialect", "preferred_dialect"]

# --- by name ------------------------------------------------------------------------------------

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


# --- by chat template ---------------------------------------------------------------------------

Confidence: TypeAlias = Literal["certain", "likely", "unsure"]
"""How sure a detection is.

`"certain"`: the markers belong to one family alone, or there is no sign of tools. `"likely"`:
families share the markers, and what stands around them, or does not, decides. `"unsure"`: there
are markers of several families, or tools but no marker that is known.
"""


@dataclass(frozen=True, slots=True)
class Detection:
    """What a chat template's markers say: a dialect's name, or None, how sure that is, and why."""

    dialect: str | None
    confidence: Confidence
    reasons: tuple[str, ...]


Sign: TypeAlias = "str | re.Pattern[str]"
"""What to look for in a template."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A family's markers: all of `needs` occur, none of `without` does.

    `family` names whose spelling it is; `dialect=None`: no dialect reads it.
    """

    dialect: str | None
    family: str
    needs: tuple[Sign, ...]
    without: tuple[Sign, ...] = ()
    confidence: Confidence = "certain"


_M3_PREFIX = "]<]minimax[>["

# JSON in `<tool_call>` is what remains when nothing says that other things stand in that tag.
_ARRAY = re.compile(r"<tool_call> ?\[")
_NO_OBJECT: tuple[Sign, ...] = (
    "<arg_key>", "<function=", "<invoke name=", "<tool_calls>", "<tool_sep>", _M3_PREFIX, _ARRAY,
)  # fmt: skip
_TOOL_TURN = re.compile(r"<\|im_start\|>tool\b")
_USER_TURN = re.compile(r"<\|im_start\|>user\b(?=.{0,200}?<tool_response>)", re.DOTALL)

# The first rule that fits decides; one of another family that fits as well makes it unsure.
RULES: Sequence[Rule] = (
    Rule("deepseek", "DeepSeek's call tokens", ("<｜tool▁call▁begin｜>", "<｜tool▁sep｜>")),
    Rule("deepseek", "DeepSeek's DSML tags", ("｜DSML｜",)),
    Rule("deepseek", "DeepSeek's DSML tags", ("|DSML|",)),
    Rule("kimi", "Kimi's call tokens", ("<|tool_call_begin|>", "<|tool_call_argument_begin|>")),
    Rule("harmony", "harmony", ("<|channel|>", "<|message|>", "functions."), ("<atem:",)),
    Rule(
        "harmony",
        "harmony without recipients",
        ("<|channel|>", "<|message|>"),
        ("functions.", "<atem:"),
        "likely",
    ),
    Rule("gemma", "Gemma's call tokens", ("<|tool_call>", "call:")),
    Rule("gemma", "Gemma's channels", ("<|channel>",), ("<|tool_call>",), "likely"),
    Rule("minimax", "MiniMax's section", ("<minimax:tool_call>",)),
    Rule(
        "glm",
        "GLM's key and value pairs",
        ("<tool_call>", "<arg_key>", "<arg_value>"),
        ("<tool_calls>", "<tool_sep>"),
    ),
    Rule(
        "qwen3-coder",
        "Qwen3-Coder's function tags",
        ("<function=", "<parameter="),
        ("<seed:tool_call>",),
    ),
    Rule("gemini", "Gemini's code fence", ("```tool_code",)),
    Rule("pi-native", "call tags", ("<call:",)),
    Rule("anthropic", "Anthropic's section", ("<function_calls>", "<invoke name=")),
    Rule("anthropic", "Anthropic's section", (":function_calls>", ":invoke name="), ("<atem:",)),
    Rule(
        "xml",
        "invoke tags",
        ("<invoke name=",),
        ("<function_calls>", "<minimax:tool_call>", "<dots_function_call>", _M3_PREFIX),
        "likely",
    ),
    Rule(
        "qwen3",
        "JSON in tool_call tags, results in the user's turn",
        ("<tool_call>", '"arguments"', _USER_TURN),
        _NO_OBJECT,
        "likely",
    ),
    Rule(
        "hermes",
        "JSON in tool_call tags, results in a tool turn",
        ("<tool_call>", '"arguments"', _TOOL_TURN),
        _NO_OBJECT,
        "likely",
    ),
    Rule(
        "hermes",
        "JSON in tool_call tags, results elsewhere",
        ("<tool_call>", '"arguments"'),
        (*_NO_OBJECT, _USER_TURN, _TOOL_TURN),
        "likely",
    ),
    Rule(
        "hermes",
        "tool_call tags, and nothing that tells what stands in them",
        ("<tool_call>",),
        (*_NO_OBJECT, '"arguments"'),
        "unsure",
    ),
    # Families without a dialect.
    Rule(None, "Apertus", ("<|tools_prefix|>",)),
    Rule(None, "Cohere Command", ("<|START_ACTION|>",)),
    Rule(None, "dots", ("<dots_function_call>",)),
    Rule(None, "FunctionGemma", ("<start_function_call>",)),
    Rule(None, "GigaChat", ("｜GCML｜",)),
    Rule(None, "GigaChat", ("function call<|role_sep|>",)),
    Rule(None, "Granite 3", ("<|tool_call|>",)),
    Rule(None, "Granite 3", (_ARRAY,)),
    Rule(None, "Hunyuan", ("<tool_calls>", "<arg_key>")),
    Rule(None, "Inkling", ("<|content_invoke_tool_json|>",)),
    Rule(None, "InternLM", ("<|action_start|>", "<|plugin|>")),
    Rule(None, "IQuest", ("<iquest_tool_call>",)),
    Rule(None, "Jamba", ("<tool_calls>",), ("<invoke name=", "<tool_call>"), "likely"),
    Rule(None, "K2 Horizon", ("<ifm|tool_call",)),
    Rule(None, "Kimi K3", ("<|open|>", "<|close|>", "<|sep|>")),
    Rule(None, "LFM2", ("<|tool_call_start|>",)),
    Rule(None, "Llama 3", ("<|python_tag|>",)),
    Rule(None, "Llama 4", ("<|python_start|>",)),
    Rule(None, "MiniCPM", ("<function name=", "<param name=")),
    Rule(None, "MiniMax M3", (_M3_PREFIX,)),
    Rule(None, "Mistral", ("[TOOL_CALLS]",)),
    Rule(None, "Muse", ("<atem:",)),
    Rule(None, "Nemotron", ("<TOOLCALL>",)),
    Rule(None, "Olmo 3", ("<function_calls>",), ("<invoke name=",), "likely"),
    Rule(None, "Phi-4", ("functools[",)),
    Rule(None, "PLaMo", ("<|plamo:",)),
    Rule(None, "Seed-OSS", ("<seed:tool_call>",)),
    Rule(None, "Step3", ("<steptml:invoke",)),
)

_THINKING = ("<think>", "</think>", "<thinking>")
_TOOLS = re.compile(r"\btools?\b|\btool_calls?\b|\bfunctions?\b")


def detect_dialect(chat_template: str) -> Detection:
    """The dialect that a chat template (Jinja text) writes calls in.

    None where it writes none, or writes them in a spelling that no dialect reads; `reasons` tells
    which. A dialect that you registered is found by the openers of its grammar. Comments of the
    template do not count. Raises `TypeError` for anything but a str, such as the list of named
    templates that some models have.
    """
    if not isinstance(chat_template, str):
        raise TypeError(f"a chat template is a str, not {type(chat_template).__name__}")
    template = "".join(_outside_comments(chat_template)).replace(r"\"", '"')
    fitting = [rule for rule in RULES if _fits(rule, template)]
    if not any(rule.dialect for rule in fitting) and (found := _registered(template)):
        return found
    if not fitting:
        return _without_markers(template)
    first = fitting[0]
    rivals = [rule for rule in fitting[1:] if rule.dialect != first.dialect]
    reasons = [reason for rule in (first, *rivals) for reason in _reasons(rule, template)]
    return Detection(first.dialect, "unsure" if rivals else first.confidence, tuple(reasons))


def _outside_comments(template: str) -> Iterator[str]:
    at = 0
    while (start := template.find("{#", at)) >= 0:
        yield template[at:start]
        end = template.find("#}", start)
        if end < 0:
            return
        at = end + 2
    yield template[at:]


def _fits(rule: Rule, template: str) -> bool:
    held = all(_find(sign, template) for sign in rule.needs)
    return held and not any(_find(sign, template) for sign in rule.without)


def _find(sign: Sign, template: str) -> str:
    """The sign as it stands in the template, or the empty string."""
    if isinstance(sign, str):
        return sign if sign in template else ""
    found = sign.search(template)
    return found[0] if found else ""


def _reasons(rule: Rule, template: str) -> Iterator[str]:
    yield f"{rule.family}: it holds {', '.join(_find(sign, template) for sign in rule.needs)}"
    if rule.confidence != "certain":
        others = [sign for sign in rule.without if isinstance(sign, str)]
        yield f"it holds none of {', '.join(others)}"
    if not rule.dialect:
        yield f"no dialect reads the spelling of {rule.family}"


def _registered(template: str) -> Detection | None:
    """A dialect without a rule, by the openers that no dialect with a rule has."""
    ruled = {rule.dialect for rule in RULES}
    common = {text for name in ruled if name for text in _openers(name)}
    found: dict[str, str] = {}
    for name in list_dialects():
        if name not in ruled:
            own = _openers(name) - common
            if written := [text for text in own if text in template]:
                found[name] = max(written, key=len)
    if not found:
        return None
    best = max(found, key=lambda name: len(found[name]))
    reasons = [f"{name}: it holds {text}, which opens its calls" for name, text in found.items()]
    return Detection(best, "likely" if len(found) == 1 else "unsure", tuple(reasons))


def _openers(name: str) -> set[str]:
    """How calls and sections begin, as far as that is the same for all calls."""
    syntax = get_dialect(name).grammar
    markers = [form.open for form in syntax.forms() if form.open]
    markers += [section.open for section in syntax.sections]
    return {text for marker in markers for text in _beginnings(marker) if len(text) > 1}


def _beginnings(marker: grammar.Marker) -> Iterator[str]:
    match marker:
        case grammar.Exact():
            yield from marker.spellings
        case grammar.OpenTag():
            names = marker.names or ("",)
            yield from (head + name for head in marker.syntax.open for name in names)
        case grammar.AnyOf():
            for one in marker.markers:
                yield from _beginnings(one)


def _without_markers(template: str) -> Detection:
    thinking = [marker for marker in _THINKING if marker in template]
    reasons = [f"it holds {thinking[0]}, which the dialect `thinking` reads"] if thinking else []
    if named := _TOOLS.search(template):
        reasons.insert(0, f"it speaks of tools ({named[0]}), but holds no marker that is known")
        return Detection(None, "unsure", tuple(reasons))
    reasons.insert(0, "it does not speak of tools and holds no marker around calls")
    return Detection(None, "certain", tuple(reasons))

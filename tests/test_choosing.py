"""Choosing a dialect by a model's name and by its chat template."""

from __future__ import annotations

import json
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any

import pytest

import toolspeak
import toolspeak.registry
from support import CALL_DIALECTS, VECTORS, read_jsonl
from toolspeak.detection import _MODELS, RULES, Detection
from toolspeak.grammar import Call, Envelope, Grammar, Literal

TEMPLATES = Path(__file__).parent / "templates"


def template(name: str) -> str:
    return (TEMPLATES / f"{name}.jinja").read_text(encoding="utf-8")


# --- by name ------------------------------------------------------------------------------

PREFERRED = [r for r in read_jsonl(VECTORS / "render.jsonl") if r["fn"] == "preferred_dialect"]


@pytest.mark.parametrize("row", PREFERRED, ids=lambda row: row["args"]["model"])
def test_the_vectors(row: dict[str, Any]) -> None:
    assert toolspeak.preferred_dialect(row["args"]["model"]) == row["output"]


def test_there_are_vectors() -> None:
    assert len(PREFERRED) >= 6


FAMILIES = {
    "anthropic": """claude-3-opus us.anthropic.claude-sonnet-4-v1:0 Anthropic/Claude-Haiku-4.5""",
    "deepseek": """deepseek-ai/DeepSeek-V3 deepseek-ai/DeepSeek-R1-0528 deepseek-chat
        deepseek-ai/DeepSeek-V3.2-Exp DeepSeek-V4-Pro DeepSeek-R1-Distill-Qwen-32B""",
    "gemini": """gemini-2.5-pro models/gemini-3-flash google/gemini-2.0-flash-001""",
    "gemma": """google/gemma-4-27b-it gemma4:12b""",
    "glm": """zai-org/GLM-4.5-Air z-ai/glm-4.6 GLM-4.7-Flash zai.glm-5.3 poolside/Laguna-XS.2
        inclusionAI/Ling-3-flash""",
    "harmony": """gpt-5 gpt-4o openai/gpt-oss-120b openai.gpt-oss-20b-1:0 o1 o3 o4-mini
        ft:gpt-4o-mini:org::id chatgpt-4o-latest""",
    "hermes": """NousResearch/Hermes-3-Llama-3.1-8B NousResearch/Hermes-2-Pro-Mistral-7B
        LGAI-EXAONE/EXAONE-4.0-32B ibm-granite/granite-4.0-h-small
        baidu/ERNIE-4.5-21B-A3B-Thinking""",
    "kimi": """moonshotai/Kimi-K2-Instruct-0905 kimi-k2-thinking moonshotai/Kimi-K2.5""",
    "minimax": """MiniMaxAI/MiniMax-M2 minimax/minimax-m2.5 MiniMax-M2.7""",
    "qwen3": """Qwen/Qwen2.5-7B-Instruct Qwen/QwQ-32B Qwen/Qwen3-235B-A22B-Instruct-2507
        Qwen/Qwen3-Next-80B-A3B-Thinking unsloth/Qwen3-8B-GGUF qwen3:8b qwen-max""",
    "qwen3-coder": """Qwen/Qwen3-Coder-480B-A35B-Instruct qwen.qwen3-coder-30b qwen3-coder:30b
        Qwen/Qwen3-Coder-Next Qwen/Qwen3.5-397B-A17B qwen/qwen3.6-plus
        nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B stepfun-ai/Step-3.5-Flash
        XiaomiMiMo/MiMo-V2-Flash ibm-granite/granite-4.2-small""",
}


@pytest.mark.parametrize(("dialect", "models"), FAMILIES.items())
def test_families(dialect: str, models: str) -> None:
    for model in models.split():
        assert toolspeak.preferred_dialect(model, default=None) == dialect, model
        assert toolspeak.preferred_dialect(f" {model.upper()}\n") == dialect


# A family's name in another place, or another version of it, does not make a model one of it.
@pytest.mark.parametrize(
    "model",
    [
        "meta-llama/Llama-3.3-70B-Instruct", "mistralai/Mistral-Large-2411", "llama-3", "o1x",
        "qwen/llama-3", "deepseek/other", "EleutherAI/gpt-j-6b", "gpt2", "phi-4", "olmo-3-7b",
        "MiniMaxAI/MiniMax-M3", "moonshotai/Kimi-K3", "moonshotai/Kimi-VL-A3B-Thinking",
        "google/functiongemma-270m-it", "stepfun-ai/step3", "nvidia/Llama-3_3-Nemotron-Super-49B",
        "ibm-granite/granite-3.1-8b-instruct", "a-model-of-tomorrow",
    ],
)  # fmt: skip
def test_models_without_a_known_dialect(model: str) -> None:
    assert toolspeak.preferred_dialect(model) == "xml"
    assert toolspeak.preferred_dialect(model, default="hermes") == "hermes"
    with pytest.raises(toolspeak.UnknownModelError, match="no dialect is known for the model"):
        toolspeak.preferred_dialect(model, default=None)


def test_why_a_model_has_no_dialect() -> None:
    with pytest.raises(LookupError, match=r"no dialect reads the spelling of kimi-k3\*"):
        toolspeak.preferred_dialect("Kimi-K3", default=None)
    with pytest.raises(LookupError, match="no family has such a name"):
        toolspeak.preferred_dialect("nobody", default=None)


@pytest.mark.parametrize("model", ["", "  ", "/", "qwen//"])
def test_names_without_characters(model: str) -> None:
    if model.strip("/ "):
        assert toolspeak.preferred_dialect(model) == "qwen3"
    else:
        with pytest.raises(ValueError, match="no model's name"):
            toolspeak.preferred_dialect(model)


def test_the_table_of_models() -> None:
    globs = [glob for glob, _ in _MODELS]
    assert len(set(globs)) == len(globs)
    assert all(glob == glob.lower() for glob in globs)
    assert {dialect for _, dialect in _MODELS if dialect} <= set(toolspeak.list_dialects())


# --- by chat template: the templates ------------------------------------------------------

NAMES = sorted(path.stem for path in TEMPLATES.glob("*.jinja"))
PLAIN = [name for name in NAMES if name.startswith("plain-")]
CALLING = [name for name in NAMES if name not in PLAIN]
# Names of templates that are not those of their dialect.
OTHER_FORMS = {"deepseek-v3": "deepseek", "deepseek-dsml": "deepseek"}
SHARED_MARKERS = {"hermes", "qwen3", "xml"}


def test_each_dialect_has_a_template() -> None:
    assert {OTHER_FORMS.get(name, name) for name in CALLING} == set(CALL_DIALECTS)
    assert len(PLAIN) >= 3


@pytest.mark.parametrize("name", CALLING)
def test_a_template_tells_its_dialect(name: str) -> None:
    found = toolspeak.detect_dialect(template(name))
    assert found.dialect == OTHER_FORMS.get(name, name)
    assert found.confidence == ("likely" if name in SHARED_MARKERS else "certain")
    assert found.reasons
    assert all(found.reasons)


@pytest.mark.parametrize("name", PLAIN)
def test_a_plain_template_has_no_dialect(name: str) -> None:
    found = toolspeak.detect_dialect(template(name))
    assert (found.dialect, found.confidence) == (None, "certain")
    assert found.reasons[0] == "it does not speak of tools and holds no marker around calls"
    assert len(found.reasons) == (2 if name == "plain-thinking" else 1)


TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "search",
            "description": "Search.",
            "parameters": {
                "type": "object",
                "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}},
            },
        },
    }
]
ARGUMENTS = {"limit": 5, "query": "cats & dogs"}
CALL = {
    "id": "functions.search:0",
    "type": "function",
    "function": {"name": "search", "arguments": ARGUMENTS},
}
MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Find them."},
    {"role": "assistant", "content": "I look.", "tool_calls": [CALL]},
    {"role": "tool", "content": "found", "name": "search", "tool_call_id": "functions.search:0"},
]


@pytest.mark.parametrize("name", CALLING)
def test_the_dialect_reads_what_the_template_writes(name: str) -> None:
    jinja2 = pytest.importorskip("jinja2")
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True)
    environment.filters["tojson"] = json.dumps  # Jinja's own escapes for HTML
    written = environment.from_string(template(name))
    before, after = (
        written.render(messages=MESSAGES[:count], tools=TOOLS, bos_token="<s>") for count in (2, 3)
    )
    both = zip(before, after, strict=False)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], both))
    turn = after[shared:]
    dialect = toolspeak.detect_dialect(template(name)).dialect
    assert dialect
    (call,) = toolspeak.parse(turn, dialect, tools=TOOLS, repair=False).tool_calls
    assert (call.name, dict(call.arguments)) == ("search", ARGUMENTS)
    assert "found" in written.render(messages=MESSAGES, tools=TOOLS, bos_token="<s>")


# --- by chat template: what others share --------------------------------------------------


def tokens(*texts: str) -> str:
    return "{% for m in messages %}{{ '" + "' ~ m.content ~ '".join(texts) + "' }}{% endfor %}"


@pytest.mark.parametrize(
    ("family", "markers"),
    [
        ("Apertus", '<|tools_prefix|>[{" <|tools_suffix|>'),
        ("Cohere Command", "<|START_ACTION|>[ ]<|END_ACTION|>"),
        ("dots", '<dots_function_call> <invoke name=" <parameter name=" </dots_function_call>'),
        ("FunctionGemma", "<start_function_call>call: <escape> <end_function_call>"),
        ("GigaChat", '<｜GCML｜tool_calls> <｜GCML｜invoke name="'),
        ("Granite 3", '<|tool_call|> "arguments"'),
        ("Hunyuan", "<tool_calls> <tool_call> <tool_sep> <arg_key> <arg_value>"),
        ("Hunyuan", "<tool_calls> <tool_call> <arg_key> <arg_value>"),
        ("Inkling", '<|message_model|> <|content_invoke_tool_json|>{"name":'),
        ("InternLM", '<|action_start|> <|plugin|> "name"'),
        ("IQuest", "<iquest_tool_call> <arg_key> <arg_value>"),
        ("K2 Horizon", "<ifm|tool_calls> <ifm|tool_call> <ifm|arg_key>"),
        ("Kimi K3", '<|open|>call tool=" <|sep|> <|close|>call'),
        ("LFM2", "<|tool_call_start|>[ ]<|tool_call_end|>"),
        ("Llama 3", '<|python_tag|> {"name": , "parameters"'),
        ("Llama 4", "<|python_start|> <|python_end|>"),
        ("LongCat", '<longcat_tool_call> "name" "arguments"'),
        ("MiniCPM", '<function name=" <param name="'),
        ("MiniMax M3", ']<]minimax[>[<tool_call> ]<]minimax[>[<invoke name="'),
        ("Mistral", '[TOOL_CALLS] "name" "arguments" [ARGS]'),
        ("Muse", " to=functions. <|channel|> <|message|> <atem:function_calls> <atem:invoke"),
        ("Nemotron", '<TOOLCALL>[ "name" "arguments" ]</TOOLCALL>'),
        ("Phi-4", 'functools[ "name" "arguments"'),
        ("PLaMo", "<|plamo:begin_tool_request:plamo|>"),
        ("Seed-OSS", "<seed:tool_call> <function= <parameter= </seed:tool_call>"),
        ("Step3", '<｜tool_calls_begin｜> <｜tool_sep｜><steptml:invoke name="'),
    ],
)  # fmt: skip
def test_families_without_a_dialect(family: str, markers: str) -> None:
    found = toolspeak.detect_dialect(tokens(markers))
    assert (found.dialect, found.confidence) == (None, "certain")
    assert f"no dialect reads the spelling of {family}" in found.reasons


@pytest.mark.parametrize(
    ("dialect", "confidence", "markers"),
    [
        # All of these have <tool_call>.
        ("hermes", "likely", ['<tool_call>\\n{"name": "', '", "arguments": ', "</tool_call>"]),
        ("hermes", "likely", ["<|im_start|>tool", "<tool_call>", '"arguments"', "<tool_response>"]),
        ("hermes", "unsure", ["<tool_call>", "</tool_call>"]),
        ("qwen3", "likely", ["<tool_call>", '"arguments"', "<|im_start|>user\\n<tool_response>"]),
        ("glm", "certain", ["<tool_call>", "<arg_key>", "<arg_value>"]),
        ("qwen3-coder", "certain", ["<tool_call>", "<function=", "<parameter=", '"arguments"']),
        ("qwen3-coder", "certain", ["<tool_call>", "<function=", "<parameter=",
                                    "<|im_start|>tool_response"]),
        ("minimax", "certain", ["<minimax:tool_call>", '<invoke name="', '<parameter name="']),
        # These have invoke tags.
        ("xml", "likely", ['<invoke name="', '<parameter name="']),
        ("xml", "likely", ["<tool_calls>", '<invoke name="']),
        ("anthropic", "certain", ["<function_calls>", '<invoke name="']),
        ("anthropic", "certain", ["<x:function_calls>", '<x:invoke name="']),
        # DeepSeek's forms.
        ("deepseek", "certain", ["<｜DSML｜ calls>", '<｜DSML｜ invoke name="']),
        ("deepseek", "certain", ["<|DSML|tool_calls>", '<|DSML|invoke name="']),
        ("deepseek", "certain", ["<｜DSML｜invoke", "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>"]),
        # Bars on one side and on both.
        ("harmony", "certain", ["<|channel|>commentary to=functions.", "<|message|>"]),
        ("harmony", "likely", ["<|channel|>final", "<|message|>"]),
        ("gemma", "certain", ["<|tool_call>call:", "<|channel>thought"]),
        ("gemma", "likely", ["<|channel>thought", "<channel|>"]),
        ("gemma", "certain", ["<|tool_call>call:", "<|tool_call_begin|>"]),
        ("pi-native", "certain", ["<call:", "</call:"]),
    ],
)  # fmt: skip
def test_markers_that_families_share(dialect: str, confidence: str, markers: list[str]) -> None:
    found = toolspeak.detect_dialect(tokens(*markers))
    assert (found.dialect, found.confidence) == (dialect, confidence)


def test_granite_writes_an_array_in_the_tag() -> None:
    found = toolspeak.detect_dialect(tokens('<tool_call>[{"name": "', '", "arguments": '))
    assert (found.dialect, found.confidence) == (None, "certain")


UNSHARED = sorted(set(CALL_DIALECTS) - SHARED_MARKERS)


@pytest.mark.parametrize(("one", "other"), [*pairwise(UNSHARED), (UNSHARED[-1], UNSHARED[0])])
def test_markers_of_two_families_are_unsure(one: str, other: str) -> None:
    found = toolspeak.detect_dialect(template(one) + template(other))
    assert found.dialect in {one, other}
    assert found.confidence == "unsure"
    assert len(found.reasons) >= 2


def test_tools_without_a_known_marker() -> None:
    found = toolspeak.detect_dialect("{% if tools %}{{ tools | tojson }}{% endif %}")
    assert (found.dialect, found.confidence) == (None, "unsure")
    assert "tools" in found.reasons[0]


def test_an_empty_template() -> None:
    assert toolspeak.detect_dialect("").dialect is None


def test_comments_do_not_count() -> None:
    comment = "{# <｜DSML｜ <call: #}"
    assert toolspeak.detect_dialect(f"{comment}a{comment}").confidence == "certain"
    assert toolspeak.detect_dialect(f"{comment}<call:{comment}").dialect == "pi-native"
    assert toolspeak.detect_dialect("a{# <call:").dialect is None


def test_escaped_quotes() -> None:
    escaped = r'{{ "<tool_call>\n{\"name\": \"x\", \"arguments\": {}}" }}'
    assert toolspeak.detect_dialect(escaped).confidence == "likely"


@pytest.mark.parametrize("chat_template", [None, b"<call:", [{"name": "default", "template": ""}]])
def test_a_template_is_text(chat_template: Any) -> None:
    with pytest.raises(TypeError, match=f"not {type(chat_template).__name__}"):
        toolspeak.detect_dialect(chat_template)


# --- by chat template: the rules ----------------------------------------------------------


def test_the_rules_know_every_dialect() -> None:
    assert {rule.dialect for rule in RULES} - {None} == set(CALL_DIALECTS)
    assert all(rule.needs for rule in RULES)


@pytest.mark.parametrize("name", CALL_DIALECTS)
def test_a_rule_looks_for_what_its_dialect_writes(name: str) -> None:
    dialect = toolspeak.get_dialect(name)
    call = {"name": "f", "arguments": {"a": "x", "b": "y" * 300 + "\n"}}
    forms = [dialect, *(d for values in dialect.variants.values() for d in values.values())]
    written = [form.render_calls([call]) for form in forms]
    assert any(
        rule.dialect == name and all(isinstance(m, str) and m in text for m in rule.needs)
        for rule in RULES
        for text in [*written, dialect.guide]
    ) or name in {"hermes", "qwen3"}
    if name in {"hermes", "qwen3"}:
        assert all(marker in written[0] for marker in ("<tool_call>", '"arguments"'))


def test_a_registered_dialect_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    tag = Call(Literal("<longcat_tool_call>"), Literal("</longcat_tool_call>"), body=Envelope())
    renderer = toolspeak.get_dialect("hermes").renderer
    longcat = toolspeak.Dialect("longcat", Grammar(calls=(tag,)), renderer)
    shown = tokens("<longcat_tool_call>", '"name"', '"arguments"')
    assert toolspeak.detect_dialect(shown).dialect is None
    monkeypatch.setattr(toolspeak.registry, "_REGISTRY", dict(toolspeak.registry._REGISTRY))
    toolspeak.register(longcat)
    reason = "longcat: it holds <longcat_tool_call>, which opens its calls"
    assert toolspeak.detect_dialect(shown) == Detection("longcat", "likely", (reason,))
    assert toolspeak.detect_dialect(template("hermes")).dialect == "hermes"


# --- the command --------------------------------------------------------------------------


def detect(path: Path) -> tuple[int, str]:
    typer = pytest.importorskip("typer.testing")
    from toolspeak._cli.commands import app  # noqa: PLC0415 - needs typer

    result = typer.CliRunner().invoke(app, ["detect", str(path)])
    return result.exit_code, result.output


def test_the_command_reads_templates() -> None:
    assert detect(TEMPLATES / "kimi.jinja")[1].startswith("kimi (certain)\n  Kimi's call tokens: ")
    assert detect(TEMPLATES / "plain-llama.jinja")[1].startswith("none (certain)\n  it does not")


NAMED = [{"name": "default", "template": ""}, {"name": "tool_use", "template": template("glm")}]


@pytest.mark.parametrize(
    ("config", "first"),
    [
        ({"chat_template": template("glm")}, "glm (certain)"),
        ({"chat_template": NAMED}, "glm (certain)"),
        ({"chat_template": NAMED[:1]}, "none (certain)"),
        ({"model_max_length": 1}, "no chat_template in it"),
        ([1], "no chat_template in it"),
    ],
)
def test_the_command_reads_configurations(tmp_path: Path, config: Any, first: str) -> None:
    path = tmp_path / "tokenizer_config.json"
    path.write_text(json.dumps(config), encoding="utf-8")
    code, output = detect(path)
    assert first in output.splitlines()[0]
    assert code == (2 if first.startswith("no ") else 0)

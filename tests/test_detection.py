"""Detecting a dialect by a model's name and by its chat template."""

from __future__ import annotations

import json
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any

import pytest

import toolspeak
import toolspeak.registry
from support import CALL_DIALECTS, VECTORS, read_jsonl, spelled
from toolspeak.detection.by_model import _CALLESS, _MODELS, _UNREAD
from toolspeak.detection.other_families import OTHER_FAMILIES
from toolspeak.grammar import (
    Body,
    CallForm,
    Envelope,
    Exact,
    Grammar,
    Header,
    Json,
    Pairs,
    Quoted,
)
from toolspeak.written import Written

TEMPLATES = Path(__file__).parent / "templates"


def template(name: str) -> str:
    return (TEMPLATES / f"{name}.jinja").read_text(encoding="utf-8")


# --- by name ------------------------------------------------------------------------------

PREFERRED = [r for r in read_jsonl(VECTORS / "render.jsonl") if r["fn"] == "preferred_dialect"]


@pytest.mark.parametrize("row", PREFERRED, ids=lambda row: row["args"]["model"])
def test_the_vectors(row: dict[str, Any]) -> None:
    # They have a default for models that are not known.
    model = row["args"]["model"]
    assert toolspeak.preferred_dialect(model, default="xml").name == row["output"]


def test_there_are_vectors() -> None:
    assert len(PREFERRED) >= 6


FAMILIES = {
    "anthropic": """claude-3-opus us.anthropic.claude-sonnet-4-v1:0 Anthropic/Claude-Haiku-4.5""",
    "deepseek": """deepseek-ai/DeepSeek-V3 deepseek-ai/DeepSeek-R1-0528 deepseek-chat
        deepseek-ai/DeepSeek-V3.2-Exp DeepSeek-V4-Pro DeepSeek-R1-Distill-Qwen-32B
        deepseek-ai/DeepSeek-V3.1-Terminus deepseek-ai/DeepSeek-V3.2 deepseek-reasoner
        us.deepseek.r1-v1:0 deepseek.v3-v1:0 deepseek-ai/DeepSeek-V2.5 deepseek-v3p1""",
    "gemini": """gemini-2.5-pro models/gemini-3-flash google/gemini-2.0-flash-001""",
    "gemma": """google/gemma-4-27b-it gemma4:12b""",
    "glm": """zai-org/GLM-4.5-Air z-ai/glm-4.6 GLM-4.7-Flash zai.glm-5.3 poolside/Laguna-XS.2
        inclusionAI/Ling-3-flash zai-org/GLM-4.5V z-ai/glm-4.5-air:free zai-org/GLM-5 zai-glm-4.6
        accounts/fireworks/models/glm-4p7""",
    "harmony": """gpt-5 gpt-4o openai/gpt-oss-120b openai.gpt-oss-20b-1:0 o1 o3 o4-mini
        ft:gpt-4o-mini:org::id chatgpt-4o-latest""",
    "hermes": """NousResearch/Hermes-3-Llama-3.1-8B NousResearch/Hermes-2-Pro-Mistral-7B
        NousResearch/Hermes-4-70B hermes3:8b NousResearch/DeepHermes-3-Mistral-24B-Preview
        LGAI-EXAONE/EXAONE-4.0-32B ibm-granite/granite-4.0-h-small
        baidu/ERNIE-4.5-21B-A3B-Thinking""",
    "kimi": """moonshotai/Kimi-K2-Instruct-0905 kimi-k2-thinking moonshotai/Kimi-K2.5
        moonshotai/Kimi-Linear-48B-A3B-Instruct""",
    "minimax": """MiniMaxAI/MiniMax-M2 minimax/minimax-m2.5 MiniMax-M2.7 minimax.minimax-m2""",
    "qwen3": """Qwen/Qwen2.5-7B-Instruct Qwen/QwQ-32B Qwen/Qwen3-235B-A22B-Instruct-2507
        Qwen/Qwen3-Next-80B-A3B-Thinking unsloth/Qwen3-8B-GGUF qwen3:8b qwen3-max qwen-3-32b
        Qwen/Qwen2.5-Coder-32B-Instruct""",
    "qwen3-coder": """Qwen/Qwen3-Coder-480B-A35B-Instruct qwen.qwen3-coder-30b qwen3-coder:30b
        Qwen/Qwen3-Coder-Next Qwen/Qwen3.5-397B-A17B qwen/qwen3.6-plus qwen-3-coder-480b
        nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B stepfun-ai/Step-3.5-Flash
        XiaomiMiMo/MiMo-V2-Flash ibm-granite/granite-4.2-small""",
}


@pytest.mark.parametrize(("dialect", "models"), FAMILIES.items())
def test_families(dialect: str, models: str) -> None:
    for model in models.split():
        assert toolspeak.preferred_dialect(model) is toolspeak.get_dialect(dialect), model
        assert (
            toolspeak.preferred_dialect(f" {model.upper()}\n", default="thinking").name == dialect
        )


# A family's name in another place, or another generation of it, does not make a model one of it.
UNREAD = {
    "GLM before 4.5": """THUDM/GLM-4-9B-0414 zai-org/GLM-4-32B-0414 THUDM/GLM-Z1-32B-0414
        THUDM/glm-4-9b-chat glm-4-plus glm-4 glm4:9b THUDM/GLM-4.1V-9B-Thinking
        THUDM/chatglm3-6b""",
    "MiniMax before M2": """MiniMaxAI/MiniMax-M1-80k minimax/minimax-m1 MiniMaxAI/MiniMax-Text-01
        MiniMax-VL-01 minimax/minimax-01""",
    "MiniMax M3": "MiniMaxAI/MiniMax-M3",
    "Kimi K3": "moonshotai/Kimi-K3",
    "Claude before 3": "claude-2.1 anthropic.claude-instant-v1",
    "Llama 3": """meta-llama/Llama-3.3-70B-Instruct llama-3 meta.llama3-1-70b-instruct-v1:0
        qwen/llama-3""",
    "Llama 4": "meta-llama/Llama-4-Scout-17B-16E-Instruct",
    "Mistral": "mistralai/Mistral-Large-2411 mistralai/Magistral-Small-2506 mixtral:8x7b",
    "FunctionGemma": "google/functiongemma-270m-it",
    "Step3": "stepfun-ai/step3",
    "Nemotron": "nvidia/Llama-3_3-Nemotron-Super-49B-v1_5 nvidia/NVIDIA-Nemotron-Nano-9B-v2",
    "Granite 3": "ibm-granite/granite-3.1-8b-instruct",
    "Olmo 3": "olmo-3-7b",
}
CALLESS = {
    "Gemma before 4": """google/gemma-3-27b-it google/gemma-2-9b-it gemma3:4b google/gemma-3n-E4B-it
        google/gemma-7b-it""",
    "Kimi-VL": "moonshotai/Kimi-VL-A3B-Thinking",
    "Qwen before 2.5": "Qwen/Qwen2-7B-Instruct Qwen/Qwen1.5-14B-Chat",
}
UNKNOWN = """o1x deepseek/other EleutherAI/gpt-j-6b gpt2 phi-4 a-model-of-tomorrow
    deepseek-ai/DeepSeek-V2-Chat deepseek-ai/deepseek-coder-33b-instruct zai-org/GLM-7
    MiniMax-M9 moonshotai/Kimi-K9 Qwen/Qwen9-8B qwen-plus teknium/OpenHermes-2.5-Mistral-7B"""


def without_a_dialect(model: str, why: str) -> None:
    with pytest.raises(toolspeak.UnknownModelError) as error:
        toolspeak.preferred_dialect(model)
    assert str(error.value) == f"no dialect is known for the model {model!r}: {why}"
    assert isinstance(error.value, LookupError)
    assert toolspeak.preferred_dialect(model, default="xml").name == "xml"


@pytest.mark.parametrize(("family", "models"), UNREAD.items())
def test_spellings_that_no_dialect_reads(family: str, models: str) -> None:
    for model in models.split():
        without_a_dialect(model, f"no dialect reads the spelling of {family}")


@pytest.mark.parametrize(("family", "models"), CALLESS.items())
def test_generations_without_calls(family: str, models: str) -> None:
    for model in models.split():
        without_a_dialect(model, f"{family} has no spelling of its own for calls")


@pytest.mark.parametrize("model", UNKNOWN.split())
def test_models_that_are_not_known(model: str) -> None:
    without_a_dialect(model, "no family has such a name, as far as its generations are known")


def test_a_default_is_a_name_or_a_dialect() -> None:
    own = toolspeak.Dialect("own", toolspeak.get_dialect("hermes").grammar)
    assert toolspeak.preferred_dialect("nobody", default=own) is own
    assert toolspeak.preferred_dialect("nobody", default="hermes") is toolspeak.get_dialect(
        "hermes"
    )
    assert toolspeak.preferred_dialect("gpt-oss-20b", default=own).name == "harmony"
    with pytest.raises(toolspeak.UnknownDialectError, match="hermse"):
        toolspeak.preferred_dialect("nobody", default="hermse")


@pytest.mark.parametrize("nothing", ["", "  ", "/", "//"])
def test_names_without_characters(nothing: str) -> None:
    assert toolspeak.preferred_dialect(f"qwen3{nothing}").name == "qwen3"
    with pytest.raises(ValueError, match="no model's name"):
        toolspeak.preferred_dialect(nothing, default="xml")


def test_the_tables_of_models() -> None:
    globs = [glob for table in (_MODELS, _UNREAD, _CALLESS) for glob, _ in table]
    assert len(set(globs)) == len(globs)
    assert all(glob == glob.lower() for glob in globs)
    assert {dialect for _, dialect in _MODELS} <= set(toolspeak.list_dialects())


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


def opens_calls_in(name: str, markers: str) -> bool:
    """Whether one of the markers opens a call of this dialect, and of no other family."""
    openers = [call.open for call in toolspeak.get_dialect(name).grammar.calls if call.open]
    own = {text for opener in openers for text in spelled(opener)} - SHARED_OPENERS
    return bool(own & set(markers.split()))


SHARED_OPENERS = {"<tool_call>", "<|channel|>"}


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
        ("MiniCPM", '<function name=" <param name="'),
        ("MiniMax M3", ']<]minimax[>[<tool_call> ]<]minimax[>[<invoke name="'),
        ("Mistral", '[TOOL_CALLS] "name" "arguments" [ARGS]'),
        ("Muse", " to=functions. <|message|> <atem:function_calls> <atem:invoke <atem:parameter"),
        ("Nemotron", '<TOOLCALL>[ "name" "arguments" ]</TOOLCALL>'),
        ("Phi-4", 'functools[ "name" "arguments"'),
        ("PLaMo", "<|plamo:begin_tool_request:plamo|>"),
        ("Seed-OSS", "<seed:tool_call> <function= <parameter= </seed:tool_call>"),
        ("Step3", '<｜tool_calls_begin｜> <｜tool_sep｜><steptml:invoke name="'),
    ],
)  # fmt: skip
def test_families_without_a_dialect(family: str, markers: str) -> None:
    found = toolspeak.detect_dialect(tokens(markers))
    if opened_by := [name for name in CALL_DIALECTS if opens_calls_in(name, markers)]:
        assert found.dialect in opened_by  # the family has got a dialect
        return
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
        ("xml", "likely", ["<tool_calls>", '<invoke name="', '<parameter name="']),
        ("anthropic", "certain", ["<function_calls>", '<invoke name="', '<parameter name="']),
        ("anthropic", "certain", ["<x:function_calls>", '<x:invoke name="', '<x:parameter name="']),
        # DeepSeek's forms.
        ("deepseek", "certain", ["<｜DSML｜ calls>", "<｜DSML｜ invoke", "<｜DSML｜ parameter"]),
        ("deepseek", "certain", ["<|DSML|tool_calls>", "<|DSML|invoke", "<|DSML|parameter"]),
        ("deepseek", "certain", ["<｜DSML｜invoke", "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>"]),
        # Bars on one side and on both.
        ("harmony", "certain", ["<|start|>assistant<|channel|>commentary to=functions.",
                                "<|message|>"]),
        ("harmony", "certain", ["<|channel|>commentary to=functions.", "<|message|>"]),
        ("harmony", "likely", ["<|channel|>final", "<|message|>"]),
        ("gemma", "certain", ["<|tool_call>call:", '<|"|>', "<|channel>thought"]),
        ("gemma", "likely", ["<|channel>thought", "<channel|>"]),
        ("gemma", "likely", ["<|tool_call>call:", "<|channel>thought"]),
        ("gemma", "certain", ["<|tool_call>call:", '<|"|>', "<|tool_call_begin|>"]),
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


# --- by chat template: what the records say ------------------------------------------------

TWO_CALLS = [{"name": "search", "arguments": {"query": "a", "limit": 1}}] * 2


def written_by(dialect: toolspeak.Dialect) -> str:
    """A template that holds what the dialect writes."""
    calls = dialect.render_calls(TWO_CALLS, tools=TOOLS)
    results = ""
    if dialect.results is not None:
        before, after = dialect.turns.tool
        results = before + dialect.render_results([RESULT]) + after
    return f"{{% if tools %}}{calls}{{% endif %}}\n{results}"


RESULT = toolspeak.ToolResult(id="functions.search:0", name="search", text="found")


@pytest.mark.parametrize("name", CALL_DIALECTS)
def test_what_a_dialect_writes_is_detected(name: str) -> None:
    found = toolspeak.detect_dialect(written_by(toolspeak.get_dialect(name)))
    assert found.dialect == name
    assert found.confidence == ("likely" if name in SHARED_MARKERS else "certain")


def house(body: Body, **changes: Any) -> toolspeak.Dialect:
    form = CallForm(
        Exact("<house_call>"),
        Exact("</house_call>"),
        body=body,
        **changes,
    )
    return toolspeak.Dialect("house", Grammar(calls=(form,)))


NAMED_BEFORE = {"name": Header(ends=Exact("<house_sep>"))}
WRITTEN = Written(open="<house_call>", close="</house_call>")
WRITTEN_NAMED = Written(open="<house_call>{name}<house_sep>", close="</house_call>")
HOUSES = {
    "only read": house(Envelope()),
    "envelope": house(Envelope(), written=WRITTEN),
    "json": house(Json(), **NAMED_BEFORE, written=WRITTEN_NAMED),
    "quoted": house(Quoted("<q>"), **NAMED_BEFORE, written=WRITTEN_NAMED),
    "pairs": house(
        Pairs(Exact("<k>"), Exact("</k>"), Exact("<v>"), Exact("</v>")),
        **NAMED_BEFORE,
        written=WRITTEN_NAMED.replace(value=("<k>{key}</k><v>", "</v>")),
    ),
}


@pytest.mark.parametrize("shape", HOUSES)
def test_a_registered_dialect_is_found(shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    dialect = HOUSES[shape]
    shown = (
        tokens("<house_call>", '"name"', '"arguments"', "</house_call>")
        if shape == "only read"
        else written_by(dialect)
    )
    assert toolspeak.detect_dialect(shown).dialect is None
    monkeypatch.setattr(toolspeak.registry, "_REGISTRY", dict(toolspeak.registry._REGISTRY))
    toolspeak.register(dialect)
    found = toolspeak.detect_dialect(shown)
    assert (found.dialect, found.confidence) == ("house", "certain")
    assert found.reasons[0].startswith("house: it holds <house_call>")
    assert toolspeak.detect_dialect(template("hermes")).dialect == "hermes"


PUT_TOGETHER = """
    {% set ns = '｜DSML｜' %}{{ '<' ~ ns ~ 'tool_calls>' }}
    {{- '<' + ns + 'invoke name=\\"' + name + '\\">' -}}{{ '<' ~ ns ~ 'parameter name=' ~ k }}
"""
PUT_TOGETHER_BEFORE = """
    {%- set ns = '｜DSML｜' -%}{%- set invoke = '<' + ns + "invoke" -%}
    {{ invoke }} <｜DSML｜tool_calls> {{ '<' ~ ns }}{{ 'parameter' }}
"""


@pytest.mark.parametrize("chat_template", [PUT_TOGETHER, PUT_TOGETHER_BEFORE])
def test_markers_that_are_put_together(chat_template: str) -> None:
    found = toolspeak.detect_dialect(chat_template)
    assert (found.dialect, found.confidence) == ("deepseek", "certain")


@pytest.mark.parametrize(
    "chat_template",
    [
        "{% set a = '<call' %}{% set a = '<tool' %}{{ a ~ ':' }}",  # which of the two?
        "{% set a = '<call' if b else '' %}{{ a ~ ':' }}",
        "{% set a = b %}{% set b = a %}{{ a ~ b ~ '<call' ~ c ~ ':' }}",
        "{{ '<call' ~ x.y ~ ':' }}",
        "{{ '<call' }} {{ ':' }}",
        "{{ '<call ",
    ],
)
def test_strings_that_are_not_the_same_for_all(chat_template: str) -> None:
    assert toolspeak.detect_dialect(chat_template).dialect is None


# A statement writes nothing, and a name may be bound anew.
@pytest.mark.parametrize(
    "chat_template",
    [
        "{% if message.role == 'functools' %}[{{ tools }}]{% endif %}",
        "{% set a = '<' %}{% for a in tools %}{{ a }}|python_tag|>{% endfor %}",
        "{% set a = '<' %}{% macro m(a) %}{{ a }}|python_tag|>{% endmacro %}",
        "{% set a = '<' %}{% set a, b = c %}{{ a }}|python_tag|>",
        "{% set a = '<' %}{% set a %}x{% endset %}{{ a }}|python_tag|>",
    ],
)
def test_texts_that_do_not_stand_side_by_side(chat_template: str) -> None:
    found = toolspeak.detect_dialect(chat_template)
    assert found.dialect is None
    assert not any("it holds" in reason for reason in found.reasons)


def test_a_marker_that_is_named_but_not_written_beside_a_bracket() -> None:
    found = toolspeak.detect_dialect("{% set open = '<tool_call>' %}[{{ tools | tojson }}]")
    assert (found.dialect, found.confidence) == ("hermes", "unsure")


@pytest.mark.parametrize("is_written", [True, False])
def test_a_registered_dialect_of_a_known_family(
    is_written: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = "[TOOL_CALLS]"
    written = Written(open=mark, close="</s>") if is_written else None
    form = CallForm(Exact(mark), Exact("</s>"), Envelope(), written=written)
    shown = tokens(mark, '"name"', '"arguments"')
    assert toolspeak.detect_dialect(shown).dialect is None
    monkeypatch.setattr(toolspeak.registry, "_REGISTRY", dict(toolspeak.registry._REGISTRY))
    toolspeak.register(toolspeak.Dialect("my-mistral", Grammar(calls=(form,))))
    found = toolspeak.detect_dialect(shown)
    assert found.dialect == "my-mistral"
    assert not any("no dialect reads" in reason for reason in found.reasons)


@pytest.mark.parametrize(
    "chat_template",
    ["{% if available_tools %}# Tools{{ available_tools }}{% endif %}", "[AVAILABLE_TOOLS]{{ t }}"],
)
def test_tools_under_other_names(chat_template: str) -> None:
    assert toolspeak.detect_dialect(chat_template).confidence == "unsure"


def test_reasons_say_what_is_so() -> None:
    found = toolspeak.detect_dialect('<tool_call>{"name": x, "arguments": y}</tool_call>')
    assert found.reasons == (
        'hermes: it holds <tool_call>, "arguments"',
        "these marks are known to glm, qwen3, qwen3-coder as well",
    )


# Strings of strings do not grow without end.
def test_strings_that_double() -> None:
    lines = ["{% set a0 = '<call:' %}"]
    lines += [f"{{% set a{n + 1} = a{n} ~ a{n} %}}" for n in range(60)]
    assert toolspeak.detect_dialect("".join([*lines, "{{ a60 }}{{ a3 }}"])).dialect == "pi-native"


def test_families_without_a_dialect_are_not_those_of_a_dialect() -> None:
    families = [family for family, _ in OTHER_FAMILIES]
    assert not set(families) & set(CALL_DIALECTS)
    assert all(texts and all(texts) for _, texts in OTHER_FAMILIES)


# --- the command --------------------------------------------------------------------------


def detect(*arguments: Path | str) -> tuple[int, str]:
    typer = pytest.importorskip("typer.testing")
    from toolspeak._cli.commands import app  # noqa: PLC0415 - needs typer

    result = typer.CliRunner().invoke(app, ["detect", *map(str, arguments)])
    return result.exit_code, result.output


def test_the_command_reads_templates() -> None:
    assert detect(TEMPLATES / "kimi.jinja")[1].startswith("kimi (certain)\n  kimi: it holds <|tool")
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


def test_the_command_reads_names() -> None:
    assert detect("--model", "zai-org/GLM-4.6") == (0, "glm\n")
    code, output = detect("--model", "THUDM/GLM-4-9B-0414")
    assert (code, output.count("\n")) == (2, 1)
    assert "no dialect reads the spelling of GLM before 4.5" in output
    assert detect("--model", " /")[0] == 2


def test_the_command_takes_a_file_or_a_name() -> None:
    for arguments in ((), (TEMPLATES / "kimi.jinja", "--model", "glm-4.6")):
        assert detect(*arguments) == (2, "toolspeak: detect takes a FILE or --model NAME\n")

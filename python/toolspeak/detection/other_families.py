"""Families whose spelling no dialect reads, by the marks that their templates hold.

They are here so that what they share with others is not taken for a dialect. A family that gets a
dialect leaves this table.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["OTHER_FAMILIES"]

OTHER_FAMILIES: Sequence[tuple[str, tuple[str, ...]]] = (
    ("Apertus", ("<|tools_prefix|>",)),
    ("Cohere Command", ("<|START_ACTION|>",)),
    ("dots", ("<dots_function_call>", "<invoke", "<parameter")),
    ("FunctionGemma", ("<start_function_call>",)),
    ("GigaChat", ("<｜GCML｜",)),
    ("GigaChat", ("function call<|role_sep|>",)),
    ("Granite 3", ("<|tool_call|>",)),
    ("Granite 3", ("<tool_call>[",)),
    ("Granite 3", ("<tool_call> [",)),
    ("Hunyuan", ("<tool_calls>", "<tool_call>", "<arg_key>", "<arg_value>")),
    ("Inkling", ("<|content_invoke_tool_json|>",)),
    ("InternLM", ("<|action_start|>", "<|plugin|>")),
    ("IQuest", ("<iquest_tool_call>", "<arg_key>", "<arg_value>")),
    ("Jamba", ("<tool_calls>",)),
    ("K2 Horizon", ("<ifm|tool_call",)),
    ("Kimi K3", ("<|open|>", "<|close|>", "<|sep|>")),
    ("LFM2", ("<|tool_call_start|>",)),
    ("Llama 3", ("<|python_tag|>",)),
    ("Llama 4", ("<|python_start|>",)),
    ("MiniCPM", ("<function name=", "<param name=")),
    ("MiniMax M3", ("]<]minimax[>[<tool_call>", "]<]minimax[>[<invoke")),
    ("Mistral", ("[TOOL_CALLS]",)),
    ("Muse", ("<|message|>", "<atem:function_calls>", "<atem:invoke", "<atem:parameter")),
    ("Nemotron", ("<TOOLCALL>",)),
    ("Olmo 3", ("<function_calls>",)),
    ("Phi-4", ("functools[",)),
    ("PLaMo", ("<|plamo:",)),
    ("Seed-OSS", ("<seed:tool_call>", "<function=", "<parameter=")),
    ("Step3", ("<｜tool_calls_begin｜>", "<steptml:invoke")),
)
"""A family's name, and the marks that all occur in its templates."""

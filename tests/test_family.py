"""Facts of the models that speak a dialect fit what the dialect is."""

from __future__ import annotations

import pytest

import toolspeak
from support import CALL_DIALECTS

# Dialects that no model was trained on, and one whose models' tokens are not public.
NO_TOKENIZER = {"xml", "pi-native", "anthropic"}


@pytest.mark.parametrize("name", sorted(set(CALL_DIALECTS) - NO_TOKENIZER))
def test_a_family_has_stop_tokens_and_sources(name: str) -> None:
    family = toolspeak.get_dialect(name).family
    assert family.stop
    assert family.sources
    assert all(source.startswith("https://") for source in family.sources)


@pytest.mark.parametrize("name", CALL_DIALECTS)
def test_its_tokens_are_markers_of_the_dialect(name: str) -> None:
    dialect = toolspeak.get_dialect(name)
    probes = [toolspeak.ToolResult("", "f", "x")]
    shown = f"{dialect.grammar!r}{dialect.render_results(probes)}"
    for token in dialect.family.tokens:
        is_tag = token.strip("</>") in shown  # grammars name tags without their brackets
        assert token in shown or is_tag, token

"""xml: bare `<invoke>` tags, one call per line, no section around them.

`tagset="dsml"` writes the tags in DeepSeek's DSML spelling instead, which needs its section.
"""

from __future__ import annotations

from toolspeak.dialect import Dialect
from toolspeak.dialects._tagged import TaggedRenderer, dsml_grammar, tagged_grammar
from toolspeak.writing.text import load_guide

__all__ = ["DIALECT", "TAGSETS", "XmlRenderer"]

TAGSETS = ("xml", "dsml")


class XmlRenderer(TaggedRenderer):
    """Renders xml; `tagset` is one of `TAGSETS`, anything else is a `ValueError`."""

    def __init__(self, tagset: str = "xml") -> None:
        if tagset == "xml":
            super().__init__()
        elif tagset == "dsml":
            super().__init__(
                section="tool_calls", prefix="｜DSML｜", line="\n", marked=True, thinking="think"
            )
        else:
            raise ValueError(f"unknown tagset {tagset!r}: expected one of {', '.join(TAGSETS)}")


_DSML = Dialect(
    name="xml-dsml",
    grammar=dsml_grammar(),
    renderer=XmlRenderer("dsml"),
    guide=load_guide("xml-dsml"),
    summary="invoke tags in DSML spelling",
)

DIALECT = Dialect(
    name="xml",
    grammar=tagged_grammar(
        ("function_calls", "tool_calls"), thinking=("thinking", "think", "scratchpad")
    ),
    renderer=XmlRenderer(),
    guide=load_guide("xml"),
    summary="bare invoke tags with parameter tags",
    variants={"tagset": {"dsml": _DSML}},
)

"""toolspeak reads and writes the ways in which language models spell tool calls in plain text.

dialect = toolspeak.get_dialect("hermes")
scanner = dialect.scanner(tools=tools)
for chunk in stream:
    for event in scanner.feed(chunk):
        ...
for event in scanner.flush():
    ...
"""

from importlib import import_module
from typing import TYPE_CHECKING

from toolspeak._core import (
    Scanner,
    Stopped,
    Text,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    ToolAbort,
    ToolArgDelta,
    ToolEnd,
    ToolStart,
    __version__,
)

if TYPE_CHECKING:
    from toolspeak.constrain.constraint import Constraint
    from toolspeak.detection import Confidence, Detection, detect_dialect, preferred_dialect
    from toolspeak.dialect import Dialect
    from toolspeak.errors import (
        ConstraintError,
        GrammarError,
        RenderError,
        ResponseTemplateError,
        ScannerClosedError,
        ToolspeakError,
        UnknownDialectError,
        UnknownModelError,
        UntrustedMarkerError,
    )
    from toolspeak.events import Encoding, Event, Reason
    from toolspeak.messages.values import (
        Block,
        Message,
        TextBlock,
        ThinkingBlock,
        ToolCall,
        ToolResult,
    )
    from toolspeak.options import Limits, ScanOptions
    from toolspeak.outputs.assembler import Assembler
    from toolspeak.outputs.parse import parse, parse_many
    from toolspeak.registry import get_dialect, list_dialects, register
    from toolspeak.response_template import from_response_template, to_response_template
    from toolspeak.tools.tool import Example, Tool
    from toolspeak.tools.tool_set import ToolSet
    from toolspeak.writing.untrusted import FoundMarker

__all__ = [
    "Assembler",
    "Block",
    "Confidence",
    "Constraint",
    "ConstraintError",
    "Detection",
    "Dialect",
    "Encoding",
    "Event",
    "Example",
    "FoundMarker",
    "GrammarError",
    "Limits",
    "Message",
    "Reason",
    "RenderError",
    "ResponseTemplateError",
    "ScanOptions",
    "Scanner",
    "ScannerClosedError",
    "Stopped",
    "Text",
    "TextBlock",
    "ThinkingBlock",
    "ThinkingDelta",
    "ThinkingEnd",
    "ThinkingStart",
    "Tool",
    "ToolAbort",
    "ToolArgDelta",
    "ToolCall",
    "ToolEnd",
    "ToolResult",
    "ToolSet",
    "ToolStart",
    "ToolspeakError",
    "UnknownDialectError",
    "UnknownModelError",
    "UntrustedMarkerError",
    "__version__",
    "detect_dialect",
    "from_response_template",
    "get_dialect",
    "list_dialects",
    "parse",
    "parse_many",
    "preferred_dialect",
    "register",
    "to_response_template",
]

# A program that reads calls needs neither renderers nor the reading of schemas: each module is
# imported when something of it is first used.
_MODULES = {
    "detection": ("Confidence", "Detection", "detect_dialect", "preferred_dialect"),
    "dialect": ("Dialect",),
    "options": ("Limits", "ScanOptions"),
    "events": ("Encoding", "Event", "Reason"),
    "constrain.constraint": ("Constraint",),
    "errors": (
        "ConstraintError",
        "GrammarError",
        "RenderError",
        "ResponseTemplateError",
        "ScannerClosedError",
        "ToolspeakError",
        "UnknownDialectError",
        "UnknownModelError",
        "UntrustedMarkerError",
    ),
    "messages.values": (
        "Block",
        "Message",
        "TextBlock",
        "ThinkingBlock",
        "ToolCall",
        "ToolResult",
    ),
    "outputs.assembler": ("Assembler",),
    "outputs.parse": ("parse", "parse_many"),
    "registry": ("get_dialect", "list_dialects", "register"),
    "response_template": ("from_response_template", "to_response_template"),
    "tools.tool": ("Example", "Tool"),
    "tools.tool_set": ("ToolSet",),
    "writing.untrusted": ("FoundMarker",),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


_SUBMODULES = frozenset(
    {"dialects", "grammar", "reading", *(module.partition(".")[0] for module in _MODULES)}
)

if not TYPE_CHECKING:  # a type checker would take every name for one that exists

    def __getattr__(name: str) -> object:
        if name in _HOMES:
            value = getattr(import_module(f"toolspeak.{_HOMES[name]}"), name)
        elif name in _SUBMODULES:
            value = import_module(f"toolspeak.{name}")
        else:
            raise AttributeError(f"module 'toolspeak' has no attribute {name!r}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*__all__, *_SUBMODULES, *(name for name in globals() if name[:2] == "__")})

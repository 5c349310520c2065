"""toolspeak reads and writes the ways in which language models spell tool calls in plain text.

dialect = toolspeak.get_dialect("hermes")
scanner = dialect.scanner(tools=tools)
for chunk in stream:
    for event in scanner.feed(chunk):
        ...
for event in scanner.flush():
    ...
"""

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
)
from toolspeak.assembler import Assembler
from toolspeak.choosing import Detection, detect_dialect, preferred_dialect
from toolspeak.dialect import Dialect, Limits, get_dialect, list_dialects, register
from toolspeak.dialects import BUILT_IN
from toolspeak.errors import (
    GrammarError,
    RenderError,
    ScannerClosedError,
    ToolspeakError,
    UnknownDialectError,
    UnknownModelError,
    UntrustedMarkerError,
)
from toolspeak.injection import FoundMarker
from toolspeak.messages import Message, ToolCall, ToolResult
from toolspeak.parsing import parse, parse_many
from toolspeak.schema import ToolSet
from toolspeak.tools import Example, Tool

__all__ = [
    "Assembler",
    "Detection",
    "Dialect",
    "Example",
    "FoundMarker",
    "GrammarError",
    "Limits",
    "Message",
    "RenderError",
    "Scanner",
    "ScannerClosedError",
    "Stopped",
    "Text",
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
    "detect_dialect",
    "get_dialect",
    "list_dialects",
    "parse",
    "parse_many",
    "preferred_dialect",
    "register",
]

for _dialect in BUILT_IN:
    register(_dialect)

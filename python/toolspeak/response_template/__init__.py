"""`response_template`s of Hugging Face tokenizers: read as dialects, and written of dialects.

Such a template says how `transformers` turns a model's output into a message: fields between
literal texts or regular expressions.
https://huggingface.co/docs/transformers/chat_response_parsing
"""

from __future__ import annotations

from toolspeak.response_template.reading import from_response_template
from toolspeak.response_template.writing import to_response_template

__all__ = ["from_response_template", "to_response_template"]

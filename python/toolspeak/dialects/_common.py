"""What many families share: turns whose results go to the user, `<think>` blocks."""

from __future__ import annotations

from toolspeak.grammar import Exact, Thinking
from toolspeak.written import CHATML

__all__ = ["RESULTS_FROM_USER", "THINK"]

RESULTS_FROM_USER = CHATML.replace(tool=CHATML.user)
"""ChatML turns, results in a turn of the user."""

THINK = Thinking(Exact("<think>"), Exact("</think>"), ("<think>\n", "\n</think>"))
"""Thinking between `<think>` tags on their own lines."""

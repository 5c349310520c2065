"""Choosing a dialect by the marks in a model's chat template.

A template is searched for the marks that dialects write around calls (`marks`), and for those of
families that no dialect reads. A mark inside a longer one is not there. What explains most of the
marks is what the template writes.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, Literal, TypeAlias

from toolspeak.detection.marks import (
    Mark,
    Signature,
    opening_marks,
    other_family,
    signatures,
    thinking_marks,
)
from toolspeak.detection.other_families import OTHER_FAMILIES
from toolspeak.detection.template_text import written_text
from toolspeak.dialect import Dialect
from toolspeak.dialects import BUILT_IN
from toolspeak.record import Record
from toolspeak.registry import get_dialect, list_dialects

__all__ = ["Confidence", "Detection", "detect_dialect"]

Confidence: TypeAlias = Literal["certain", "likely", "unsure"]
"""How sure a detection is.

`"certain"`: no other dialect writes these marks, or there is no sign of tools. `"likely"`: another
dialect writes them too, and what stands around them, or does not, decides; or some marks of a
dialect are missing. `"unsure"`: there are marks of several families, or tools but no mark that
tells.
"""


class Detection(Record):
    """What a chat template's marks say: a dialect's name, or None, how sure that is, and why."""

    dialect: str | None
    confidence: Confidence
    reasons: tuple[str, ...]


Span: TypeAlias = tuple[int, int]
"""Where a mark stands in a template."""


class Known(Record):
    """What detection looks for: signatures (of dialects that write, too), and dialects' marks."""

    signatures: tuple[Signature, ...]
    written: dict[Dialect, Signature]
    calls: dict[Dialect, tuple[Mark, ...]]
    thinking: dict[Dialect, tuple[Mark, ...]]

    def marks(self) -> set[Mark]:
        """All marks."""
        own = [*self.calls.values(), *self.thinking.values()]
        signed = [signature.marks for signature in self.signatures]
        return {mark for marks in (*own, *signed) for mark in marks}


class Template:
    """A chat template and the marks in it."""

    def __init__(self, text: str, marks: Iterable[Mark]) -> None:
        self.text = text
        found = {mark: {hit.span() for hit in mark.pattern.finditer(text)} for mark in marks}
        outermost = _outermost(span for spans in found.values() for span in spans)
        self.spans = {mark: spans & outermost for mark, spans in found.items()}

    def covered(self, marks: Iterable[Mark]) -> set[Span]:
        """Where the marks stand."""
        return {span for mark in marks for span in self.spans[mark]}

    def texts(self, spans: Iterable[Span]) -> list[str]:
        """What stands in these places, each text once."""
        return list(dict.fromkeys(self.text[start:end] for start, end in sorted(spans)))

    def holds(self, signature: Signature) -> bool:
        """Whether all that the signature needs is there."""
        marks = all(self.spans[mark] for mark in signature.marks)
        return marks and all(word in self.text for word in signature.words)

    def share(self, signature: Signature) -> float:
        """How many of the signature's marks are there, of 1."""
        return sum(1 for mark in signature.marks if self.spans[mark]) / len(signature.marks)


def detect_dialect(chat_template: str) -> Detection:
    """The dialect that a chat template (Jinja text) writes calls in.

    None where it writes none, or writes them in a spelling that no dialect reads; `reasons` tells
    which. What is looked for comes from the records of all registered dialects. Comments of the
    template do not count. Raises `TypeError` for anything but a str, such as the list of named
    templates that some models have.
    """
    if not isinstance(chat_template, str):
        raise TypeError(f"a chat template is a str, not {type(chat_template).__name__}")
    text = written_text(chat_template)
    known = _known(tuple(get_dialect(name) for name in list_dialects()))
    template = Template(text, known.marks())
    held = [signature for signature in known.signatures if template.holds(signature)]
    if held:
        return _best(held, template, known)
    return _by_some_marks(template, known) or _without_marks(text)


@lru_cache(maxsize=4)
def _known(dialects: tuple[Dialect, ...]) -> Known:
    callers = [dialect for dialect in dialects if dialect.grammar.forms()]
    own = [signature for dialect in callers for signature in signatures(dialect)]
    built_in = [one for one in own if one.family in BUILT_IN]
    registered = [one for one in own if one.family not in BUILT_IN]
    others = [other_family(family, texts) for family, texts in OTHER_FAMILIES]
    return Known(
        # Where both explain as much, a dialect that was registered wins, since somebody meant it;
        # of others, that no dialect reads it promises less.
        signatures=(*registered, *others, *built_in),
        written={one.dialect: one for one in own if one.dialect and one.written},
        calls={dialect: opening_marks(dialect) for dialect in callers},
        thinking={dialect: thinking_marks(dialect) for dialect in callers},
    )


# --- marks in a template ------------------------------------------------------------------------


def _outermost(spans: Iterable[Span]) -> set[Span]:
    """The spans that lie in no longer one."""
    outermost: set[Span] = set()
    reached = 0
    for start, end in sorted(set(spans), key=lambda span: (span[0], -span[1])):
        if end > reached:
            outermost.add((start, end))
            reached = end
    return outermost


# --- what they mean -----------------------------------------------------------------------------


def _best(held: Sequence[Signature], template: Template, known: Known) -> Detection:
    """The signature that explains most; one that explains what it does not makes it unsure."""
    tied = _highest(held, lambda one: (one.written, len(one.marks)))
    best = _highest(tied, lambda one: _results_in_its_turns(one, tied, template))[0]
    explained = template.covered(best.marks)
    if best.dialect:
        explained |= template.covered(known.calls[best.dialect])
    rivals = [
        one
        for one in held
        if one.dialect != best.dialect and not template.covered(one.marks) <= explained
    ]
    reasons = [_reason(one, template) for one in (best, *rivals)]
    confidence: Confidence = "unsure" if rivals else "certain"
    if not rivals and (sharing := _sharing(best, template, known)):
        confidence = "likely"
        reasons.append(f"these marks are known to {', '.join(sharing)} as well")
    if best.dialect is None:
        reasons.append(f"no dialect reads the spelling of {best.family}")
    name = best.dialect.name if best.dialect else None
    return Detection(name, confidence, tuple(dict.fromkeys(reasons)))


def _highest(held: Sequence[Signature], rank: Callable[[Signature], Any]) -> list[Signature]:
    """Those of the highest rank, in their order."""
    ranks = [rank(one) for one in held]
    highest = max(ranks)
    return [one for one, its in zip(held, ranks, strict=True) if its == highest]


def _results_in_its_turns(one: Signature, rivals: Sequence[Signature], template: Template) -> int:
    """How often results begin in the turn that the dialect has them in.

    The turn is what stands last before them of all that opens turns of the rivals.
    """
    if one.dialect is None or one.dialect.results is None or len(rivals) == 1:
        return 0
    opens = {turn for rival in rivals if rival.dialect for turn in _turn_openers(rival.dialect)}
    turns = sorted(
        (hit.start(), turn)
        for turn in opens
        for hit in re.finditer(rf"{re.escape(turn)}(?!\w)", template.text)
    )
    result = one.dialect.results.each.partition("{")[0].strip()
    own = one.dialect.turns.tool[0].strip()
    if not result or not own:
        return 0
    before = [
        bisect_right(turns, (hit.start(), "")) - 1
        for hit in re.finditer(re.escape(result), template.text)
    ]
    return sum(1 for at in before if at >= 0 and turns[at][1] == own)


def _turn_openers(dialect: Dialect) -> set[str]:
    return {mark for mark in map(str.strip, dialect.turns.marks()) if len(mark) > 1}


def _sharing(best: Signature, template: Template, known: Known) -> list[str]:
    """The dialects that write these marks as well, or that read them where no dialect writes."""
    spans = template.covered(best.marks)
    if best.dialect is None:
        return [
            dialect.name for dialect, own in known.calls.items() if spans <= template.covered(own)
        ]
    return [
        dialect.name
        for dialect, one in known.written.items()
        if dialect != best.dialect and spans <= template.covered(one.marks)
    ]


def _reason(signature: Signature, template: Template) -> str:
    found = template.texts(template.covered(signature.marks))
    found += [word for word in signature.words if word in template.text]
    return f"{signature.family}: it holds {', '.join(found)}"


def _by_some_marks(template: Template, known: Known) -> Detection | None:
    """The dialect that alone has some of the marks; without one, whose calls lack the least."""
    spans = {
        dialect: template.covered((*one.marks, *known.thinking[dialect]))
        for dialect, one in known.written.items()
    }
    lone = {
        dialect: found - {span for other, its in spans.items() if other != dialect for span in its}
        for dialect, found in spans.items()
    }
    if owners := [dialect for dialect, found in lone.items() if found]:
        reasons = tuple(
            f"{dialect.name}: it holds {', '.join(template.texts(lone[dialect]))}, {_INCOMPLETE}"
            for dialect in owners
        )
        best = max(owners, key=lambda dialect: len(lone[dialect]))
        return Detection(best.name, "likely" if len(owners) == 1 else "unsure", reasons)
    begun = [one for one in known.written.values() if template.covered(one.marks)]
    if not begun:
        return None
    most = max(begun, key=template.share)
    return Detection(most.family, "unsure", (f"{_reason(most, template)}, {_INCOMPLETE}",))


_INCOMPLETE = "but not all that stands in calls"
_THINKING = ("<think>", "</think>", "<thinking>")
_TOOLS = re.compile(r"(?<![a-z])(?:tool_calls?|tools?|functions?)(?![a-z])", re.IGNORECASE)


def _without_marks(template: str) -> Detection:
    thinking = [marker for marker in _THINKING if marker in template]
    reasons = [f"it holds {thinking[0]}, which the dialect `thinking` reads"] if thinking else []
    if named := _TOOLS.search(template):
        reasons.insert(0, f"it speaks of tools ({named[0]}), but holds no marker that is known")
        return Detection(None, "unsure", tuple(reasons))
    reasons.insert(0, "it does not speak of tools and holds no marker around calls")
    return Detection(None, "certain", tuple(reasons))

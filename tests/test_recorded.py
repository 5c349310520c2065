"""Outputs of real models, as they came, read by an independent reference and by the scanner.

The reference splits the text at `<tool_call>` and reads the JSON value that each block begins with.
It knows nothing of broken blocks; those must be reported: aborted, or marked as repaired.
"""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest

import toolspeak
from support import (
    VECTORS,
    Row,
    aborts_of,
    calls_of,
    canonical,
    cuts,
    joined,
    large_rows,
    plain,
    random_cuts,
    read_jsonl,
    run,
    scan,
    scanner_of,
    text_of,
)

SAMPLE = read_jsonl(VECTORS / "recorded_hermes_sample.jsonl")
DECODER = json.JSONDecoder()
BLOCK = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)


def blocks_of(raw: str) -> list[str]:
    """What stands behind each opener, up to its closer, the next opener or the end."""
    return [part.partition("</tool_call>")[0] for part in raw.split("<tool_call>")[1:]]


def read_block(block: str) -> Row | None:
    """The call that the block's JSON value holds; what follows the value is noise."""
    try:
        value, _ = DECODER.raw_decode(block.lstrip())
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    name, arguments = value.get("name"), value.get("arguments")
    if not isinstance(name, str) or not isinstance(arguments, dict):
        return None
    return {"name": name, "arguments": arguments}


def is_whole(block: str) -> bool:
    """Whether name and arguments can be read one by one in a block that as a whole is no JSON.

    A scanner may read such a call as it stands or report it; both lose nothing.
    """
    starts = [re.search(rf'"{key}"\s*:\s*', block) for key in ("name", "arguments")]
    try:
        values = [DECODER.raw_decode(block, start.end())[0] for start in starts if start]
    except ValueError:
        return False
    return [type(value) for value in values] == [str, dict]


def reference(raw: str) -> tuple[list[Row], int, int]:
    """The valid calls in order; how many blocks are broken, and how many are so in part only."""
    blocks = blocks_of(raw)
    invalid = [block for block in blocks if read_block(block) is None]
    partly = sum(map(is_whole, invalid))
    valid = [call for block in blocks if (call := read_block(block))]
    return valid, len(invalid) - partly, partly


def is_subsequence(part: list[str], whole: list[str]) -> bool:
    rest = iter(whole)
    return all(item in rest for item in part)


def check(raw: str, events: list[Any]) -> None:
    """The scanner found what the reference found, and said so where a block was broken."""
    valid, broken, partly = reference(raw)
    wanted = [canonical(call) for call in valid]
    found = [canonical(call) for call in calls_of(events)]
    repaired = [e for e in events if isinstance(e, toolspeak.ToolEnd) and e.repaired]
    reported = len(repaired) + len(aborts_of(events))
    assert is_subsequence(wanted, found), "a valid call was not found"
    assert broken <= reported <= broken + partly, "broken blocks and reports differ in number"
    assert len(found) + len(aborts_of(events)) == len(wanted) + broken + partly
    assert "<tool_call>" not in text_of(events)
    assert "</tool_call>" not in text_of(events)


def check_text(raw: str, events: list[Any]) -> None:
    """Text outside balanced blocks is the visible text, unchanged."""
    if BLOCK.sub("", raw).find("tool_call>") < 0 and "<think" not in raw:
        assert text_of(events) == BLOCK.sub("", raw)


@pytest.mark.parametrize("row", [pytest.param(row, id=row["id"]) for row in SAMPLE])
def test_sample(row: Row) -> None:
    raw = row["raw"]
    whole = scan("hermes", raw)
    check(raw, whole)
    check_text(raw, whole)
    for cut, pieces in cuts(raw):
        assert joined(run(scanner_of("hermes"), pieces)) == joined(whole), cut


def test_parse_is_the_same_as_scanning() -> None:
    messages = toolspeak.parse_many([row["raw"] for row in SAMPLE], "hermes")
    for row, message in zip(SAMPLE, messages, strict=True):
        events = scan("hermes", row["raw"])
        found = [{"name": c.name, "arguments": plain(c.arguments)} for c in message.tool_calls]
        assert canonical(found) == canonical(calls_of(events))
        assert message.text == text_of(events)
        assert len(message.aborted) == len(aborts_of(events))


def test_all_recorded_outputs() -> None:
    rows = large_rows("recorded/hermes.jsonl")
    assert len(rows) == 3400
    faults = []
    for row in rows:
        pieces = random_cuts(row["raw"], random.Random(row["id"]))
        events = run(scanner_of("hermes"), pieces)
        try:
            check(row["raw"], events)
            check_text(row["raw"], events)
        except AssertionError as error:
            faults.append(f"{row['id']}: {str(error).splitlines()[0]}")
    assert not faults, f"{len(faults)} of {len(rows)} rows:\n" + "\n".join(faults[:40])

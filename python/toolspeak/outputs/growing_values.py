"""Values that are still being written: a tree that grows at its end, and looks at it that stay.

A look costs what has come since the last one. What was looked at does not change afterwards: a
string, list or dict that is still open and that somebody else still holds is copied before it
grows, and nothing else is.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

__all__ = ["Tree"]


class _Open:
    """A list or dict that grows; `key` is the member of the dict that grows."""

    __slots__ = ("key", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        self.key = ""

    def put(self, value: Any) -> None:
        if isinstance(self.value, dict):
            self.value[self.key] = value
        else:
            self.value.append(value)

    def replace(self, value: Any) -> None:
        """Puts `value` in the place of what was put last."""
        if isinstance(self.value, dict):
            self.value[self.key] = value
        else:
            self.value[-1:] = [value]

    def references(self) -> int:
        return sys.getrefcount(self.value)


# What is counted where nobody else holds the value: that differs between interpreters.
_ALONE = _Open([]).references()


class Tree:
    """A dict that grows at its end.

    The innermost open list or dict takes what comes; the dict itself is never closed.
    """

    __slots__ = ("_has_string", "_is_shown", "_open", "_pieces", "_string")

    def __init__(self) -> None:
        self._open = [_Open({})]
        self._has_string = False
        self._string = ""
        self._pieces: list[str] = []
        self._is_shown = False

    def look(self) -> dict[str, Any]:
        """What there is so far. It is the caller's to keep, not to change."""
        self._write_string()
        self._is_shown = True
        return self._open[0].value  # type: ignore[no-any-return]

    def key(self, key: str) -> None:
        """The next value is this member's."""
        self._end_string()
        self._open[-1].key = key

    def put(self, value: Any) -> None:
        """A value that is complete, or a list or dict that `enter` is to fill."""
        self._end_string()
        self._own()
        self._open[-1].put(value)

    def enter(self, value: list[Any] | dict[str, Any]) -> None:
        """Puts an empty list or dict, which takes what comes next."""
        self.put(value)
        self._open.append(_Open(value))

    def leave(self) -> None:
        """The innermost list or dict is complete."""
        self._end_string()
        if len(self._open) > 1:
            self._open.pop()

    def leave_all(self) -> None:
        """Everything but the dict itself is complete."""
        self._end_string()
        del self._open[1:]

    def begin_string(self) -> None:
        """A string, still empty, which grows by `more`."""
        self.put("")
        self._has_string = True

    def more(self, text: str) -> None:
        """More of the string."""
        self._pieces.append(text)

    def update(self, members: Mapping[str, Any]) -> None:
        """Members that are complete."""
        for key, value in members.items():
            self.key(key)
            self.put(value)

    def _write_string(self) -> None:
        if self._has_string and self._pieces:
            self._own()
            string, self._string = self._string, ""
            self._open[-1].replace("")
            # A local variable that alone holds the string: then it is not copied, in CPython.
            string += "".join(self._pieces)
            self._pieces.clear()
            self._open[-1].replace(string)
            self._string = string

    def _end_string(self) -> None:
        self._write_string()
        self._has_string = False
        self._string = ""

    def _own(self) -> None:
        """Copies of the open lists and dicts those that were shown and that somebody still has.

        From the outside in: a copy holds what is in it once more, so that it is copied as well.
        """
        if not self._is_shown:
            return
        self._is_shown = False
        around: _Open | None = None
        for inner in self._open:
            if inner.references() > _ALONE + (around is not None):
                inner.value = inner.value.copy()
                if around is not None:
                    around.replace(inner.value)
            around = inner

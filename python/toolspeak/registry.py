"""The dialects by name: those that toolspeak brings along, and those that users register.

A dialect of toolspeak's own is a module of `toolspeak.dialects` that is imported when the dialect
is first asked for.
"""

from __future__ import annotations

from importlib import import_module

from toolspeak.dialect import Dialect
from toolspeak.dialects import BUILT_IN
from toolspeak.errors import UnknownDialectError

__all__ = ["find_dialect", "get_dialect", "list_dialects", "register"]

_REGISTRY: dict[str, Dialect] = {}


def register(dialect: Dialect, *, replace: bool = False) -> Dialect:
    """Makes a dialect known by its name, and returns it.

    Compiles its grammar, and has it read what it writes, so that a bad one raises `GrammarError`
    here. Raises `ValueError` if the name is taken, unless `replace` is set.
    """
    if not isinstance(dialect, Dialect):
        raise TypeError(f"register takes a Dialect, not {type(dialect).__name__}")
    if not replace and (dialect.name in _REGISTRY or dialect.name in BUILT_IN):
        raise _taken(dialect)
    dialect._compiled()
    if dialect.renderer is None:
        dialect.writer.check()
    if replace:
        _REGISTRY[dialect.name] = dialect
    elif _REGISTRY.setdefault(dialect.name, dialect) is not dialect:
        raise _taken(dialect)  # by another thread, while the grammar was compiled
    return dialect


def get_dialect(name: str, **options: str) -> Dialect:
    """The dialect with this name, with its own options set: `get_dialect("xml", tagset="dsml")`.

    Raises `UnknownDialectError`, a `KeyError`, which lists near names, and what
    `Dialect.with_options` raises.
    """
    dialect = _named(str(name))
    return dialect.with_options(**options) if options else dialect


def _named(name: str) -> Dialect:
    found = _REGISTRY.get(name)
    if found is not None:
        return found
    if name in BUILT_IN:
        module = import_module(f"toolspeak.dialects.{BUILT_IN[name]}")
        return _REGISTRY.setdefault(name, module.DIALECT)
    raise _unknown(name)


def find_dialect(dialect: str | Dialect) -> Dialect:
    """A dialect from itself or its name."""
    return dialect if isinstance(dialect, Dialect) else get_dialect(dialect)


def list_dialects() -> list[str]:
    """The names of all registered dialects, sorted."""
    return sorted({*BUILT_IN, *_REGISTRY})


def _taken(dialect: Dialect) -> ValueError:
    return ValueError(f"a dialect {dialect.name!r} is registered; pass replace=True to replace it")


def _unknown(name: str) -> UnknownDialectError:
    import difflib  # noqa: PLC0415 - for this message only

    names = list_dialects()
    near = difflib.get_close_matches(str(name), names, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    return UnknownDialectError(
        f"no dialect is called {name!r}; {hint}there are: {', '.join(names)}"
    )

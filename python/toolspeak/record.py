"""Records: frozen objects with named fields, written like dataclasses.

`dataclasses` builds each class by compiling code, and its import takes longer than all else that
reading needs: a process would pay tens of milliseconds for its first scanner. A record takes its
fields from the annotations of its class, and is compared, hashed, shown and matched by them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from inspect import Signature

    from typing_extensions import Self, dataclass_transform
else:

    def dataclass_transform(**_: Any) -> Any:
        """Tells type checkers that subclasses are made like dataclasses."""
        return lambda cls: cls


__all__ = ["Record"]


class _Signature:
    """What `inspect.signature` says of a record; made when it is asked for, as few programs do."""

    def __get__(self, record: Record | None, cls: type[Record]) -> Signature:
        from inspect import Parameter, Signature  # noqa: PLC0415

        kind = Parameter.KEYWORD_ONLY if cls._by_name_only else Parameter.POSITIONAL_OR_KEYWORD
        hints: dict[str, Any] = {}
        for base in reversed(cls.__mro__):
            hints.update(getattr(base, "__annotations__", {}))
        empty = Parameter.empty
        parameters = [
            Parameter(name, kind, default=getattr(cls, name, empty), annotation=hints[name])
            for name in cls.field_names
        ]
        return Signature(parameters)


@dataclass_transform(frozen_default=True)
class Record:
    """The base of records. A subclass may check its fields in `check`, when it is made.

    Raises `TypeError` for a field that is missing, unknown or given twice.
    """

    field_names: ClassVar[tuple[str, ...]] = ()
    _by_name_only: ClassVar[bool] = False
    __signature__ = _Signature()

    def __init_subclass__(cls, *, kw_only: bool = False) -> None:
        hints = cls.__annotations__.items()
        own = [name for name, hint in hints if "ClassVar" not in str(hint)]
        for name in own:
            if hasattr(Record, name):
                raise TypeError(f"{cls.__name__}: a field {name!r} would hide what records have")
        # A field that is annotated anew stays in its place.
        cls.field_names = tuple(dict.fromkeys((*cls.field_names, *own)))
        cls._by_name_only = kw_only
        # Fields that are given by name only are matched by name only.
        type.__setattr__(cls, "__match_args__", () if kw_only else cls.field_names)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        cls = type(self)
        names = () if cls._by_name_only else cls.field_names
        if len(args) > len(names):
            raise TypeError(f"{cls.__name__} takes at most {len(names)} fields without a name")
        given = dict(zip(names, args, strict=False))
        for name, value in kwargs.items():
            if name not in cls.field_names:
                known = ", ".join(cls.field_names)
                raise TypeError(f"{cls.__name__} has no field {name!r}; it has {known}")
            if name in given:
                raise TypeError(f"{cls.__name__}: {name!r} is given twice")
            given[name] = value
        for name in cls.field_names:
            if name not in given and not hasattr(cls, name):
                raise TypeError(f"{cls.__name__} needs {name!r}")
        self.__dict__.update(given)
        self.check()

    def check(self) -> None:
        """Raises an error if the fields do not fit."""

    def replace(self, **changes: Any) -> Self:
        """The same record with other fields."""
        return type(self)(**{**self._fields(), **changes})

    __replace__ = replace  # for copy.replace

    def values(self) -> tuple[Any, ...]:
        """The fields' values, in order."""
        return tuple([getattr(self, name) for name in self.field_names])

    def _fields(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.field_names}

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be deleted")

    def __reduce__(self) -> tuple[Any, ...]:
        return _remade, (type(self), self._fields())

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self.values() == other.values()

    def __hash__(self) -> int:
        return hash((type(self), *self.values()))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self._fields().items())
        return f"{type(self).__name__}({fields})"


def _remade(cls: type[Record], fields: dict[str, Any]) -> Record:
    return cls(**fields)

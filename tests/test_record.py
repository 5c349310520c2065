"""Records: frozen objects with named fields."""

from __future__ import annotations

import copy
import inspect
import pickle
import typing
from collections.abc import Callable
from typing import ClassVar

import pytest

from toolspeak.record import Record


class Point(Record):
    kind: ClassVar[str] = "point"
    x: int
    y: int = 0


class Named(Record, kw_only=True):
    name: str = ""

    def check(self) -> None:
        if not isinstance(self.name, str):
            raise TypeError("a name is a str")


class Raised(Point):
    shared: typing.ClassVar[str] = "of the class, however that is spelled"
    y: int = 7
    z: int = 0


def test_a_subclass_has_the_fields_of_its_base_first_and_each_once() -> None:
    assert Raised.field_names == ("x", "y", "z")
    assert repr(Raised(1)) == "Raised(x=1, y=7, z=0)"
    assert Raised(1, 2, 3) == Raised(x=1, y=2, z=3)


def test_fields_are_given_by_place_or_name() -> None:
    assert (Point(1).x, Point(1).y, Point(x=1, y=2).y) == (1, 0, 2)
    assert Point.field_names == ("x", "y")
    assert Named(name="a").name == "a"


def test_wrong_fields_are_told() -> None:
    cases: tuple[tuple[Callable[..., object], str], ...] = (
        (Point, "needs 'x'"),
        (lambda: Point(1, 2, 3), "at most 2"),  # type: ignore[call-arg]
        (lambda: Point(1, z=3), "no field 'z'; it has x, y"),  # type: ignore[call-arg]
        (lambda: Point(1, x=2), "'x' is given twice"),  # type: ignore[misc]
        (lambda: Named("a"), "at most 0"),  # type: ignore[call-arg]
        (lambda: Named(name=1), "a name is a str"),  # type: ignore[arg-type]
    )
    for wrong, told in cases:
        with pytest.raises(TypeError, match=told):
            wrong()


def test_a_signature_tells_the_fields_and_their_defaults() -> None:
    assert str(inspect.signature(Raised)) == "(x: 'int', y: 'int' = 7, z: 'int' = 0)"
    assert str(inspect.signature(Named)) == "(*, name: 'str' = '')"


def test_no_field_hides_what_records_have() -> None:
    with pytest.raises(TypeError, match="a field 'values' would hide"):

        class Hiding(Record):
            values: int  # type: ignore[assignment]


def test_records_are_frozen() -> None:
    point = Point(1)
    with pytest.raises(AttributeError, match="frozen"):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(AttributeError, match="frozen"):
        del point.x
    assert point.replace(x=2) == Point(2)
    assert point.x == 1


def test_records_are_compared_shown_and_matched_by_their_fields() -> None:
    assert Point(1) == Point(1, 0) != Point(1, 1)
    assert Point(1) != (1, 0)
    assert len({Point(1), Point(1), Point(2)}) == 2
    assert repr(Point(1)) == "Point(x=1, y=0)"
    match Point(1, 2):
        case Point(x, y):
            assert (x, y) == (1, 2)
    for same in (
        pickle.loads(pickle.dumps(Point(1))),
        copy.copy(Point(1)),
        copy.deepcopy(Point(1)),
    ):
        assert same == Point(1)

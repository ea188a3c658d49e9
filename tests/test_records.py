"""What `records.NamedTuple` makes is what `typing.NamedTuple` makes."""

from __future__ import annotations

import copy
import pickle
from typing import Any
from typing import NamedTuple as Usual

import pytest

from shoal.records import NamedTuple


class Point(NamedTuple):
    """A point."""

    x: int
    y: int = 2
    name: str = ""

    @property
    def sum(self) -> int:
        return self.x + self.y

    def __str__(self) -> str:
        return f"({super().__len__()}: {self.x})"


class Same(Usual):
    x: int
    y: int = 2
    name: str = ""


class Made(NamedTuple):
    a: int
    b: str = "b"


class Written(NamedTuple):
    a: int

    def __repr__(self) -> str:
        return "mine"


def test_it_is_a_tuple_with_names() -> None:
    point = Point(1, name="p")
    assert point == (1, 2, "p") == Same(1, name="p") and hash(point) == hash((1, 2, "p"))
    assert (point.x, point.sum, str(point), Point.__doc__) == (1, 3, "(3: 1)", "A point.")
    assert repr(point) == repr(Same(1, name="p")).replace("Same", "Point")
    assert point._replace(x=5)._asdict() == {"x": 5, "y": 2, "name": "p"}
    assert (Point._fields, Point._field_defaults) == (Same._fields, Same._field_defaults)
    assert isinstance(point, tuple) and not hasattr(point, "__dict__")


def test_it_is_matched_by_position() -> None:
    match Point(3):
        case Point(3, y):
            assert y == 2
        case _:
            pytest.fail("not matched")


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda item: pickle.loads(pickle.dumps(item))])
def test_it_can_be_copied_and_sent(copied: Any) -> None:
    again = copied(Point(1, 4))
    assert type(again) is Point and again == Point(1, 4)


def test_it_can_first_be_made_of_a_row() -> None:
    made = Made._make([1, "c"])
    assert type(made) is Made and made.b == "c" and Made(2).b == "b"


def test_what_a_class_writes_itself_counts() -> None:
    assert repr(Written(1)) == "mine"


@pytest.mark.parametrize(("given", "named"), [((), {}), ((1, 2, "", 4), {}), ((1,), {"x": 1}), ((1,), {"z": 1})])
def test_wrong_arguments_are_refused(given: tuple[Any, ...], named: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        Point(*given, **named)
    with pytest.raises(TypeError):
        Same(*given, **named)

"""Records to plain data and back."""

import marshal
from fractions import Fraction

import pytest
from attrs import frozen

from llmplan.cache.records import Packing


@frozen
class Leaf:
    value: float | None
    names: tuple[str, ...] = ()


@frozen
class Branch:
    leaves: dict[str, Leaf]
    raw: tuple = ()


PACKING = Packing([Leaf, Branch])


@pytest.mark.parametrize(
    "value",
    [
        1.5,
        ("a", ("b", None)),
        Leaf(float("inf"), ("x",)),
        (Leaf(None), Leaf(2.0)),
        Branch({"b": Leaf(1.0), "a": Leaf(2.0)}, raw=(0, "Leaf")),
        (Fraction(1, 3), Leaf(1.0)),
    ],
)
def test_round_trip(value):
    packed = marshal.loads(marshal.dumps(PACKING.pack(value)))
    assert PACKING.unpack(packed) == value


def test_the_order_of_a_dict_stays():
    found = PACKING.unpack(PACKING.pack(Branch({"b": Leaf(1.0), "a": Leaf(2.0)})))
    assert list(found.leaves) == ["b", "a"]


def test_other_classes_do_not_come_back():
    with pytest.raises(IndexError):
        PACKING.unpack([2, "/"])

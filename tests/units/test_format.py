"""Numbers as digits."""

from __future__ import annotations

import math

import pytest

from llmplan.units.amount import INFORMATION, Amount, Unit
from llmplan.units.format import compact, fixed, places
from llmplan.units.measure import Measure


def test_decimals_are_fixed_and_no_zero_is_negative() -> None:
    assert [fixed(value, 1) for value in (-0.04, -0.0, 27.94, 1234.56, -2.0)] == [
        "0.0",
        "0.0",
        "27.9",
        "1,234.6",
        "-2.0",
    ]
    assert fixed(2.5, 0) == "2" and fixed(0.994, 2) == "0.99"


@pytest.mark.parametrize(("value", "expected"), [(70.6, 1), (9.763, 2), (0.95, 3), (100.0, 0), (0.0, 0), (math.inf, 0)])
def test_decimals_show_three_digits(value: float, expected: int) -> None:
    assert places(value) == places(-value) == expected


def test_large_counts_have_their_magnitude() -> None:
    assert [compact(value) for value in (0, 27.94, 1_234, 1.5e12, 7e9, 2.04e6)] == [
        "0", "27.9", "1,230", "1.5T", "7B", "2.04M",
    ]  # fmt: skip


def test_amounts_beside_one_another_have_as_many_decimals() -> None:
    gigabyte = Unit("GB", 1e9, True, fixed=True)
    sizes = [Amount(value, Measure(INFORMATION), gigabyte) for value in (37e9, 0.04e9, 122.94e9)]
    assert [size.fixed(1) for size in sizes] == ["37.0 GB", "0.0 GB", "122.9 GB"]
    assert Amount("bf16").fixed(1) == "bf16"

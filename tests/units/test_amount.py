"""Numbers as people read them."""

from __future__ import annotations

import pytest

from llmplan.check import library
from llmplan.units.amount import Amount, Unit
from llmplan.units.measure import Measure

TIME = Measure((("Time", 1),))
BYTES = Measure((("Information", 1),))


@pytest.mark.parametrize(
    ("value", "measure", "unit", "text"),
    [
        (2400.0, TIME, "min", "40 min"),
        (2400.0, TIME, "mins", "40 min"),
        (172_800.0, TIME, "day", "2 days"),
        (86400.0, TIME, "day", "1 day"),
        (86400.0, TIME, "s", "24 hours"),
        (86400.0 * 60, TIME, "days", "60 days"),
        (86400.0 * 15, TIME, "hours", "360 hours"),
        (3.0, TIME, "days", "3 s"),  # too small a number of days to read
        (86400.0 * 400, TIME, "ms", "400 days"),
        (80 * 2.0**30, BYTES, "GiB", "80 GiB"),
        (80e9, BYTES, "GB", "80 GB"),
        (80e9, BYTES, "byte", "80 GB"),
    ],
)
def test_the_authors_unit_while_the_number_is_of_a_size_to_read(value, measure, unit, text):
    assert Amount(value, measure, Unit.of(unit, measure, library.load()[0].units)).exact() == text


@pytest.mark.parametrize(
    ("unit", "number", "text"),
    [
        ("GPU*hour", 80_000, "80,000 GPU-hours"),
        ("GPU*hours", 80_000, "80,000 GPU-hours"),  # GPU-hourss before
        ("GPU*days", 24, "1 GPU-day"),
        ("GPU*day", 48, "2 GPU-days"),
        ("GPU*h", 5, "5 GPU-h"),
        ("GPU*min", 5, "300 GPU-min"),
    ],
)
def test_products_of_units_are_in_the_plural_once(unit, number, text):
    table = library.load()[0].units
    measure = table.parse(unit)[1]
    assert Amount(3600.0 * number, measure, Unit.of(unit, measure, table)).short() == text


@pytest.mark.parametrize("unit", ["PB^30", "B^30/PB^30", "us^70", "year^50"])
def test_units_beyond_what_a_float_holds(unit):
    table = library.load()[0].units
    measure = Measure((("Information", 30),))
    assert Amount(1.0, measure, Unit.of(unit, measure, table)).exact()


@pytest.mark.parametrize(
    ("value", "other", "told"),
    [
        (-0.0235 * 365.25 * 86400, 3 * 365.25 * 86400, ("−8.58", "days")),
        (-160.0, 5 * 3600.0, ("−2.67", "min")),
        (-38.0, 300.0, ("−0.633", "min")),
        (3.1 * 86400, 40 * 86400.0, ("+3.1", "days")),
        (0.0, 5 * 3600.0, ("0", "hours")),
    ],
)
def test_a_small_difference_of_time_has_a_unit_of_its_own(value: float, other: float, told: tuple[str, str]) -> None:
    assert Amount(value, TIME).beside(Amount(other, TIME)).signed(3) == told

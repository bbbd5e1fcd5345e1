"""Ranges whose ends read the same with the digits of their place: further digits, or one value."""

from __future__ import annotations

from llmplan.units.amount import Amount, Range, Unit
from llmplan.units.measure import REAL, Measure

TIME = Measure((("Time", 1),))
PERCENT = Unit("", 0.01, True, fixed=True, suffix="%")
DAY = 86400.0


def near(low: float, high: float) -> Range:
    return Range(Amount(low, REAL, PERCENT), Amount(high, REAL, PERCENT))


def test_ends_that_read_the_same_have_further_digits() -> None:
    close = near(0.4266, 0.4274)
    assert (close.short(), close.exact(), close.rough(2)) == ("42.66% – 42.74%",) * 3
    assert close.ends() == "42.66% – 42.74%" and close.apart() == ("42.66%", "42.74%")
    days = Range(Amount(55.951 * DAY, TIME), Amount(55.953 * DAY, TIME))
    assert days.exact() == "55.951 – 55.953 days" and days.ends(2) == "55.951 – 55.953"


def test_ends_that_no_digits_tell_apart_are_one_value() -> None:
    same = near(0.427, 0.427 + 1e-12)
    assert (same.short(), same.exact(), same.rough(), same.ends()) == ("42.7%",) * 4


def test_ends_that_differ_keep_their_digits() -> None:
    apart = near(0.4166, 0.4274)
    assert (apart.short(), apart.exact(), apart.ends(2)) == ("41.7% – 42.7%", "41.66% – 42.74%", "42% – 43%")

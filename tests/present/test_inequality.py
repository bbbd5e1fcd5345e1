"""Every printed comparison is true: where a requirement fails, its sign is the opposite one."""

from __future__ import annotations

import operator

from hypothesis import given
from hypothesis import strategies as st

from llmplan.present.words.en.labels import SIGNS, inequality
from llmplan.units.amount import Amount
from llmplan.units.measure import Measure

COMPARES = {SIGNS[name]: getattr(operator, name) for name in SIGNS}
NUMBERS = st.one_of(st.integers(-50, 50).map(float), st.floats(-1e6, 1e6))


@given(NUMBERS, st.sampled_from(sorted(SIGNS)), NUMBERS)
def test_what_is_printed_is_true(left: float, operation: str, right: float) -> None:
    first, second = Amount(left, Measure()), Amount(right, Measure())
    said = inequality(first, operation, second, Amount.short)
    sign = next(one for one in said.split() if one in COMPARES)
    before, after = said.split(f" {sign} ")
    compares = COMPARES[sign]
    assert compares(0, 0) if before == after else compares(left, right), said
    if before != after:
        assert (sign == SIGNS[operation]) == getattr(operator, operation)(left, right)


def test_a_missed_limit_is_not_said_to_hold() -> None:
    days = [Amount(float(value), Measure()) for value in (31, 30)]
    assert inequality(days[0], "le", days[1], Amount.short) == "31 > 30"
    assert inequality(days[1], "le", days[0], Amount.short) == "30 ≤ 31"
    assert inequality(days[0], "eq", days[1], Amount.short) == "31 ≠ 30"

"""Sums of deviations: the same on numbers, arrays and intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmplan.operations import OPERATIONS
from llmplan.operations.chances import below, deviate, shares
from llmplan.system.arrays import operate
from llmplan.system.integral import Integral

TOGETHER = OPERATIONS["together"]
ENDS = st.floats(0.0, 2.0)


@given(st.lists(st.tuples(st.floats(-4.0, 4.0), ENDS, ENDS, ENDS, ENDS), min_size=1, max_size=8))
def test_arrays_are_numbers(rows):
    with np.errstate(all="ignore"):
        found = operate("together", [np.array(column) for column in zip(*rows)])
    assert found.tolist() == pytest.approx([TOGETHER.scalar(*row) for row in rows], abs=1e-12)


@given(st.floats(-4.0, 4.0), st.floats(0.0, 3.0), st.lists(ENDS, min_size=4, max_size=6).filter(lambda e: len(e) != 5))
def test_a_larger_gap_is_less_likely(gap, more, ends):
    low, high = TOGETHER.scalar(gap + more, *ends), TOGETHER.scalar(gap, *ends)
    assert 0.0 <= low <= high <= 1.0
    value, slopes = TOGETHER.interval((gap, gap + more), *((end, end) for end in ends))
    assert value == (low, high) and slopes[0][1] == 0.0
    assert TOGETHER.interval((gap, gap), *((end, end + 1.0) for end in ends))[0] == (0.0, 1.0)


def test_a_sensitivity_is_a_quotient_of_differences():
    args = (0.1, 0.3, 0.2, 0.5, 0.4)
    step = TOGETHER.scalar(0.1 + 1e-6, *args[1:]) - TOGETHER.scalar(*args)
    assert TOGETHER.move(args, (1.0, 0.0, 0.0, 0.0, 0.0)) == pytest.approx(step / 1e-6, rel=1e-3)


def test_without_a_number_there_is_none():
    assert math.isnan(TOGETHER.scalar(math.nan, 1.0, 1.0, 1.0, 1.0))


@given(st.floats(1e-6, 1 - 1e-6))
def test_a_deviate_is_where_its_share_is_below(share):
    assert below(deviate(share)) == pytest.approx(share, abs=1e-9)


@pytest.mark.parametrize("dimensions", [1, 2, 3, 5])
def test_points_are_spread_evenly(dimensions):
    """In every box that begins at 0 there are as many as its volume says."""
    points = np.array(shares(dimensions, 509))
    for corner in np.random.default_rng(1).random((50, dimensions)):
        assert (points < corner).all(axis=1).mean() == pytest.approx(corner.prod(), abs=0.03)


def test_a_quantile_costs_more_than_a_probability():
    """All of its points are evaluated for each value: what advice may cost counts that."""
    quantile, truth = (Integral(kind, (True,), (), 0, (("exp", (0,), ()),), 1) for kind in ("quantile", "truth"))
    assert quantile.weight > 4 * truth.weight
    assert quantile.value([0.5]) == pytest.approx(1.0, abs=1e-3)

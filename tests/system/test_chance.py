"""The probability of a comparison: its closed form, and what must hold of it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from llmplan.system.chance import likelihood
from llmplan.system.graph import Graph

POSITIVE = st.floats(1e-3, 1e3)
LOW, HIGH = st.floats(0.2, 0.99), st.floats(1.01, 5.0)


def chance(left: float, right: float, *bands: tuple[float, float], strict: bool = False) -> float:
    """P(left <= right) where each band multiplies the left side."""
    graph = Graph()
    sides = graph.const(left), graph.const(right)
    ends = [tuple((graph.const(left * factor), sides[1]) for factor in band) for band in bands]
    found = graph.constant(likelihood(graph, "lt" if strict else "le", sides, ends))
    assert found is not None
    return found


def test_the_ends_of_a_band_are_its_10_and_90_per_cent_points() -> None:
    assert chance(1.0, 1.23, (0.86, 1.23)) == pytest.approx(0.9, abs=1e-12)
    assert chance(1.0, 0.86, (0.86, 1.23)) == pytest.approx(0.1, abs=1e-12)


def test_it_is_the_distribution_of_t_with_4_degrees_of_freedom() -> None:
    """Against the integral of its density."""
    x = np.linspace(-60, 60, 2_000_001)
    density = 3 / 8 * (1 + x**2 / 4) ** -2.5
    total = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2 * (x[1] - x[0]))])
    for factor in (0.7, 0.9, 1.05, 1.3, 2.0):
        band = 0.8, 1.25
        scale = math.log(1.25) / 1.5332062740589438
        wanted = np.interp(math.log(factor) / scale, x, total)
        assert chance(1.0, factor, band) == pytest.approx(wanted, abs=1e-4)


@pytest.mark.parametrize("strict", [False, True])
def test_where_nothing_is_uncertain_it_is_0_or_1(strict: bool) -> None:
    assert chance(1.0, 2.0, strict=strict) == chance(1.0, 2.0, (1.0, 1.0), strict=strict) == 1.0
    assert chance(2.0, 1.0, strict=strict) == 0.0
    assert chance(1.0, 1.0, strict=strict) == float(not strict)


@settings(max_examples=200)
@given(POSITIVE, POSITIVE, POSITIVE, LOW, HIGH)
def test_between_0_and_1_one_half_at_the_median_and_rising_with_the_bound(value, first, second, low, high):
    found = [chance(value, bound, (low, high)) for bound in sorted((first, second))]
    assert 0.0 <= found[0] <= found[1] <= 1.0
    assert chance(value, value, (low, high)) == 0.5
    assert all((bound < value) == (part < 0.5) or bound == value for bound, part in zip(sorted((first, second)), found))


@settings(max_examples=200)
@given(POSITIVE, POSITIVE, LOW, HIGH, LOW, HIGH)
def test_more_uncertainty_moves_it_towards_one_half(value, bound, low, high, low2, high2):
    assume(not math.isclose(value, bound))
    one, two = chance(value, bound, (low, high)), chance(value, bound, (low, high), (low2, high2))
    assert abs(two - 0.5) <= abs(one - 0.5) + 1e-12


@settings(max_examples=100)
@given(POSITIVE, POSITIVE, LOW, HIGH)
def test_both_sides_together_are_certain(value, bound, low, high):
    """What multiplies both sides alike does not matter."""
    graph = Graph()
    sides = graph.const(value), graph.const(bound)
    ends = tuple((graph.const(value * factor), graph.const(bound * factor)) for factor in (low, high))
    found = graph.constant(likelihood(graph, "le", sides, [ends]))
    assert found == pytest.approx(float(value <= bound), abs=1e-9)


def test_sides_that_are_not_positive_are_compared_by_their_difference() -> None:
    graph = Graph()
    zero = graph.const(0.0)
    sides = graph.const(-2.0), zero
    found = graph.constant(likelihood(graph, "le", sides, [((graph.const(-3.0), zero), (graph.const(0.0), zero))]))
    assert found == pytest.approx(0.9)

"""The probability of a comparison of products of bands: its closed form, and what must hold of it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from llmplan.operations.chances import deviate
from llmplan.system.chance import likelihood
from llmplan.system.draws import Draws
from llmplan.system.graph import Graph
from llmplan.system.powers import product

POSITIVE = st.floats(1e-3, 1e3)
LOW, HIGH = st.floats(0.2, 0.99), st.floats(1.01, 5.0)


def chance(left: float, right: float, *bands: tuple[float, float], strict: bool = False, power: float = 1.0) -> float:
    """P(left <= right) where each band multiplies the left side."""
    graph, draws = Graph(), Draws()
    sides = [graph.const(left), graph.const(right)]
    for at, ends in enumerate(bands):
        factor = draws.factor(graph, f"b{at}", *map(graph.const, ends))
        sides[0] = graph.add("mul", sides[0], graph.add("pow", factor, graph.const(power)))
    first, second = (product(graph, side, draws.factors, {}) for side in sides)
    assert first is not None and second is not None
    found = graph.constant(likelihood(graph, "lt" if strict else "le", (first, second), draws.factors))
    assert found is not None
    return found


def test_the_ends_of_a_band_are_its_10_and_90_per_cent_points() -> None:
    assert chance(1.0, 1.23, (0.86, 1.23)) == pytest.approx(0.9, abs=1e-12)
    assert chance(1.0, 0.86, (0.86, 1.23)) == pytest.approx(0.1, abs=1e-12)
    assert chance(-1.0, -1.23, (0.86, 1.23)) == pytest.approx(0.1, abs=1e-12)
    assert chance(1.0, 1 / 0.86, (0.86, 1.23), power=-1.0) == pytest.approx(0.9, abs=1e-12)
    assert chance(1.0, 1.23**2, (0.86, 1.23), power=2.0) == pytest.approx(0.9, abs=1e-12)


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
        assert np.interp(deviate(wanted), x, total) == pytest.approx(wanted, abs=1e-4)


@pytest.mark.parametrize("strict", [False, True])
def test_where_nothing_is_uncertain_it_is_0_or_1(strict: bool) -> None:
    assert chance(1.0, 2.0, strict=strict) == chance(1.0, 2.0, (1.0, 1.0), strict=strict) == 1.0
    assert chance(2.0, 1.0, strict=strict) == 0.0
    assert chance(1.0, 1.0, strict=strict) == float(not strict)


def test_sides_of_different_signs_stay_apart() -> None:
    assert chance(-1.0, 0.0, (0.5, 2.0)) == chance(-1.0, 3.0, (0.5, 2.0)) == chance(0.0, 3.0, (0.5, 2.0)) == 1.0
    assert chance(1.0, -1.0, (0.5, 2.0)) == 0.0


@settings(max_examples=200)
@given(POSITIVE, POSITIVE, POSITIVE, LOW, HIGH)
def test_between_0_and_1_one_half_at_the_median_and_rising_with_the_bound(value, first, second, low, high):
    found = [chance(value, bound, (low, high)) for bound in sorted((first, second))]
    assert 0.0 <= found[0] <= found[1] <= 1.0
    assert chance(value, value, (low, high)) == 0.5
    assert all((bound < value) == (part < 0.5) or bound == value for bound, part in zip(sorted((first, second)), found))


@settings(max_examples=100)
@given(POSITIVE, POSITIVE, LOW, LOW)
def test_more_uncertainty_moves_it_towards_one_half(value, bound, low, low2):
    """Of bands whose halves are alike: those of others also move the median."""
    assume(not math.isclose(value, bound))
    one, two = chance(value, bound, (low, 1 / low)), chance(value, bound, (low, 1 / low), (low2, 1 / low2))
    assert abs(two - 0.5) <= abs(one - 0.5) + 1e-3


@pytest.mark.parametrize("bands", [2, 3])
def test_several_bands_are_a_sum_of_deviations(bands: int) -> None:
    dice = np.random.default_rng(2)
    ends = [(0.7, 1.2), (0.9, 1.6), (0.8, 1.1)][:bands]
    logs = np.zeros(400_000)
    for low, high in ends:
        t = dice.standard_t(4, len(logs)) / 1.5332062740589438
        logs += t * np.where(t > 0, math.log(high), -math.log(low))
    for bound in (0.6, 0.9, 1.1, 1.5, 2.5):
        assert chance(1.0, bound, *ends) == pytest.approx((logs <= math.log(bound)).mean(), abs=0.003)


@settings(max_examples=100)
@given(POSITIVE, POSITIVE, LOW, HIGH)
def test_both_sides_together_are_certain(value, bound, low, high):
    """What multiplies both sides alike does not matter."""
    graph, draws = Graph(), Draws()
    factor = draws.factor(graph, "b", graph.const(low), graph.const(high))
    sides = [product(graph, graph.add("mul", graph.const(side), factor), draws.factors, {}) for side in (value, bound)]
    assert graph.constant(likelihood(graph, "le", tuple(sides), draws.factors)) == float(value <= bound)

"""Equations with 0 on one side, under a condition or beside others: no root is lost to rounding."""

from __future__ import annotations

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.thorough import examples

QUIET = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


@pytest.mark.quick(4)
@pytest.mark.parametrize(
    ("equation", "root"),
    [
        ("x * x - 6 * x + 8 == 0", 4),
        ("0 == 8 + x * x - 6 * x", 4),
        ("x ^ 3 - 5 * x == 0", math.sqrt(5)),
        ("(x - 2) * (x - 3.3) == 0", 3.3),
        ("x * x - 4.2 * x + 4.41 == 0", 2.1),
        ("(x - 3.3) ^ 2 == 0", 3.3),
        ("abs(x - 3.3) == 0", 3.3),
        ("5 * (x - 3.3) / x == 0", 3.3),
        ("sqrt(x) - 1.3 == 0", 1.69),
        ("ln(x) - 1 == 0", math.e),
        ("-(x - 3.3) == 0", 3.3),
        ("x - 3.3 <= 0", 3.3),
        ("0 <= 3 - x ^ 3", 3 ** (1 / 3)),
    ],
)
def test_the_largest_root_is_found(plans, equation, root):
    solution = plans.solve(f"let x = ? in 0.5..10.0\nrequire r: {equation}\nmaximize x\n")
    assert solution.status == "solved", solution.diagnostics
    assert solution.values["x"].value == pytest.approx(root, rel=1e-7)
    assert all(result.holds is not False for result in solution.requirements)


@given(st.lists(st.integers(1, 90), min_size=1, max_size=3, unique=True), st.booleans())
@settings(max_examples=examples(20, 0.25), deadline=None, suppress_health_check=QUIET)
@pytest.mark.slow
def test_roots_of_polynomials_written_out(plans, tenths, least):
    roots = [tenth / 10 for tenth in tenths]
    factors = [1.0]
    for root in roots:  # the coefficients, the constant first
        factors = [low - root * high for low, high in zip([0.0, *factors], [*factors, 0.0])]
    terms = " + ".join(f"({factor:.12f}) * x ^ {power}" for power, factor in enumerate(factors))
    goal = "minimize" if least else "maximize"
    solution = plans.solve(f"let x = ? in 0.05..9.5\nrequire r: {terms} == 0\n{goal} x\n")
    assert solution.status == "solved", solution.diagnostics
    wanted = min(roots) if least else max(roots)
    assert solution.values["x"].value == pytest.approx(wanted, rel=1e-4)


def test_exact_sums_are_zero_within_the_tolerance(plans):
    solution = plans.solve("let x = ? in 1..3\nrequire z: 0.1 * x + 0.2 - 0.5 == 0\n")
    assert solution.values["x"].value == 3


def test_an_equation_under_a_condition_is_solved(plans):
    text = "let x = ? in 0.5..10.0\nlet y = ? in [1, 3]\nrequire r: x ^ 3 + x == 7 when y >= 2\nmaximize y\n"
    solution = plans.solve(text)
    x = solution.values["x"].value
    assert solution.values["y"].value == 3
    assert x**3 + x == pytest.approx(7)


def test_one_of_two_equations_is_solved(plans):
    text = "let x = ? in 0.5..10.0\nrequire r: x ^ 3 + x == 7 or x == 9.33\n"
    assert plans.solve(text + "maximize x\n").values["x"].value == pytest.approx(9.33)
    least = plans.solve(text + "minimize x\n").values["x"].value
    assert least**3 + least == pytest.approx(7)

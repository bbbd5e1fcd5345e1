"""Random plans with ranges: no sample leaves what is shown, and what is certain holds at every sample."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from llmplan.present import screen
from llmplan.present.context import Context
from tests import told
from tests.thorough import examples

QUIET = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
SLACK = 1e-9


@st.composite
def ranged_plans(draw):
    """Ranges, unknowns over small grids, a value of both, certain and other bounds, and an objective."""
    ranges = {}
    for number in range(draw(st.integers(1, 2))):
        low, expected, high = sorted(draw(st.lists(st.integers(-4, 8), min_size=3, max_size=3)))
        ranges[f"r{number}"] = (low, expected, high)
    grid = {
        f"x{number}": values
        for number, values in enumerate(
            draw(st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=3, unique=True), min_size=1, max_size=2))
        )
    }
    names = [*ranges, *grid]

    def term():
        return draw(
            st.sampled_from([*names, "2", "(r0 * x0)", "(x0 - r0)", "max(r0, x0)", "min(r0, 3)", "abs(r0 - 2)"])
        )

    def expression():
        text = term()
        for _ in range(draw(st.integers(0, 2))):
            text += f" {draw(st.sampled_from(('+', '-', '*')))} {term()}"
        return text

    bounds = [
        (expression(), draw(st.sampled_from(("<=", ">="))), draw(st.integers(-10, 60)), draw(st.booleans()))
        for _ in range(draw(st.integers(1, 2)))
    ]
    return ranges, grid, expression(), bounds, expression()


def written(made):
    ranges, grid, value, bounds, goal = made
    lines = [f"let {name} = {low}..{expected}..{high}" for name, (low, expected, high) in ranges.items()]
    lines += [f"let {name} = ? in {values}" for name, values in grid.items()]
    lines += [f"let value = {value}"]
    lines += [
        f"require {'certain ' if certain else ''}b{number}: {side} {op} {limit}"
        for number, (side, op, limit, certain) in enumerate(bounds)
    ]
    return "\n".join([*lines, f"minimize {goal}", ""])


def value_of(text, point):
    return eval(text, {"abs": abs, "max": max, "min": min}, point)  # made above


def holds(bound, point, slack=0.0):
    side, op, limit, _ = bound
    value = value_of(side, point)
    return value <= limit + slack if op == "<=" else value >= limit - slack


def samples(ranges, per_range=5):
    """Points of the box: a grid with its corners, and random ones between."""
    axes = [[low + (high - low) * i / (per_range - 1) for i in range(per_range)] for low, _, high in ranges.values()]
    dice = random.Random(7)
    inner = [[dice.uniform(low, high) for low, _, high in ranges.values()] for _ in range(20)]
    return [dict(zip(ranges, values)) for values in [*itertools.product(*axes), *inner]]


@given(ranged_plans())
@settings(max_examples=examples(25, 0.2), deadline=None, suppress_health_check=QUIET)
@pytest.mark.slow
def test_samples_stay_inside_and_certain_bounds_hold_at_each(plans, made):
    ranges, grid, value, bounds, goal = made
    solution = plans.solve(written(made))
    if any(d.code == "E0406" for d in solution.diagnostics):
        return
    expected = {name: middle for name, (_, middle, _) in ranges.items()}
    points = [dict(zip(grid, values)) for values in itertools.product(*grid.values())]
    everywhere = samples(ranges)

    def feasible(point, slack):
        return all(
            holds(bound, expected | point)
            and (not bound[3] or all(holds(bound, at | point, slack) for at in everywhere))
            for bound in bounds
        )

    allowed = [point for point in points if feasible(point, SLACK)]
    if solution.status != "solved":
        assert solution.status == "infeasible"
        assert not allowed
        return
    found = {name: solution.values[name].value for name in grid}
    assert found in allowed
    assert value_of(goal, expected | found) == min(value_of(goal, expected | point) for point in allowed)
    shown = solution.values["value"]
    low, high = (shown.value, shown.value) if shown.low is None else (shown.low, shown.high)
    for at in everywhere:
        assert low - SLACK <= value_of(value, at | found) <= high + SLACK
    certainty = {result.name: result.certainty for result in solution.requirements}
    for number, bound in enumerate(bounds):
        if certainty[f"b{number}"] == "certain":
            assert all(holds(bound, at | found, SLACK) for at in everywhere)


def test_what_must_be_certain_is_held_between_the_ends_too(plans):
    solution = plans.solve(
        "let r = 0..1..4\nlet x = ? in 0..4\nrequire certain apart: (r - 2) ^ 2 + x >= 1\nminimize x\n"
    )
    assert solution.values["x"].value == 1
    (apart,) = (result for result in solution.requirements if result.name == "apart")
    assert apart.certainty == "certain"


def test_the_worst_corner_of_what_is_never_below_a_constant(plans):
    """The gap to a constant is one side alone, which the graph then has no other node for."""
    solution = plans.solve("let x = -2..1..3\nrequire certain r: max(x * x * x, 1) > 0\nshow x\n")
    (r,) = (result for result in solution.requirements if result.name == "r")
    assert (r.certainty, told.case(r)) == ("certain", "1 > 0 in the worst case")


@pytest.mark.advice
def test_what_is_not_certain_and_must_be_does_not_hold(plans):
    solution = plans.solve("let r = 0..10\nlet x = ? in [1, 2]\nrequire certain small: x * r <= 8\n")
    assert solution.status == "infeasible"
    assert solution.values["x"].value == 1  # nearer at the bad end, though not as expected
    (small,) = (result for result in solution.requirements if result.name == "small")
    assert (small.holds, small.certainty, small.slack) == (False, "no", -2.0)
    assert told.case(small) == "10 > 8 in the worst case"
    assert [hint.text for one in solution.diagnostics for hint in one.hints] == [
        "1: `require certain small: x * r <= 10` instead of 8"
    ]


@pytest.mark.parametrize("goal", ["minimize x", "maximize x"])
def test_a_sweep_holds_certain_bounds_as_solve_does(plans, goal):
    text = f"let r = 0..1..4\nlet n = 1\nlet x = ? in 0..4\nrequire certain apart: (r - 2) ^ 2 + x >= n\n{goal}\n"
    for n in (1, 2):
        assert plans.solve(text.replace("n = 1", f"n = {n}")).values["x"].value == (n if goal == "minimize x" else 4)


@pytest.mark.parametrize(
    ("spread", "side"),
    [
        ("-1..1..2", "mod(3, c)"),
        ("0..1..2", "mod(3, c)"),
        ("-1..1..2", "c / c"),
        ("-0.7..1..1.9", "c / c"),
        ("-1..1..2", "(c - 0.7) / (c - 0.7)"),
    ],
)
def test_what_has_no_value_somewhere_in_the_ranges_cannot_be_certain(plans, spread, side):
    solution = plans.solve(f"let c = {spread}\nlet u = ? in [1, 2]\nrequire certain r: {side} <= 5 * u\nminimize u\n")
    (result,) = (result for result in solution.requirements if result.name == "r")
    assert solution.status == "infeasible"
    assert (result.holds, result.verdict) == (False, "no")


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("bound", "case", "slack"),
    [
        ("u >= j - 8", "2 ≥ 2 in the worst case", 0.0),
        ("j - 8 <= u", "2 ≤ 2 in the worst case", 0.0),
        ("j + 1 > j - u", "1 > -2 in the worst case", 3.0),  # one point for both sides
        ("(j - 4) ^ 2 + u >= 1", "(5 - 4) ^ 2 + u", None),  # the worst case is at no corner: the expected values
    ],
)
def test_what_is_certain_shows_the_values_of_its_worst_case(plans, bound, case, slack):
    solution = plans.solve(f"let j = 0..5..10\nlet u = ? in [1, 2]\nrequire certain r: {bound}\nmaximize u\n")
    (result,) = (result for result in solution.requirements if result.name == "r")
    assert (result.holds, result.certainty) == (True, "certain")
    if slack is None:
        assert not result.sides.worst
    else:
        assert result.slack == slack
        assert told.case(result) == case


def test_the_screen_shows_the_worst_case_of_what_must_be_certain(plans):
    shown = screen.render(
        Context(plans.solve("let j = 0..5..10\nlet u = ? in [1, 2]\nrequire certain r: u >= j - 8\n")), 100
    )
    assert "safe  2 ≥ 2 in the worst case, at the limit" in shown
    shown = screen.render(
        Context(plans.solve("let j = 0..3..10\nlet u = ? in [1, 2]\nrequire certain r: u * j <= 8\n")), 100
    )
    assert "no  10 > 8 in the worst case, 2 over" in shown

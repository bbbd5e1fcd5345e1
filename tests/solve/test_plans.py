"""Random plans against trying every point one by one; relaxations checked by solving; hostile plans."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.hanging import ends
from tests.thorough import examples

QUIET = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
OPERATIONS = ("+", "-", "*")


@st.composite
def small_plans(draw):
    """Lets over small grids, sums and products of them, bounds and an objective: text, grid, sides, goal."""
    domains = draw(st.lists(st.lists(st.integers(0, 6), min_size=1, max_size=4, unique=True), min_size=1, max_size=3))
    names = [f"x{i}" for i in range(len(domains))]

    def expression():
        parts = draw(st.lists(st.sampled_from([*names, "1", "2", "3"]), min_size=1, max_size=3))
        text = parts[0]
        for part in parts[1:]:
            text += f" {draw(st.sampled_from(OPERATIONS))} {part}"
        return text

    lines = [f"let {name} = ? in {domain}" for name, domain in zip(names, domains)]
    bounds = []
    for number in range(draw(st.integers(0, 3))):
        side, op, bound = expression(), draw(st.sampled_from(("<=", ">=", "=="))), draw(st.integers(-4, 20))
        bounds.append((side, op, bound))
        lines.append(f"require r{number}: {side} {op} {bound}")
    goal = expression()
    lines.append(f"minimize {goal}")
    return "\n".join(lines) + "\n", dict(zip(names, domains)), bounds, goal


def holds(bound, point):
    side, op, limit = bound
    value = eval(side, {}, point)  # made above of names, digits and + - *
    return value <= limit if op == "<=" else value >= limit if op == ">=" else value == limit


def points(grid):
    return [dict(zip(grid, values)) for values in itertools.product(*grid.values())]


@given(small_plans())
@settings(max_examples=examples(30, 0.2), deadline=None, suppress_health_check=QUIET)
@pytest.mark.slow
def test_solve_never_breaks_a_requirement_and_never_misses_a_better_point(plans, made):
    text, grid, bounds, goal = made
    solution = plans.solve(text)
    if any(d.code == "E0406" for d in solution.diagnostics):
        return
    feasible = [point for point in points(grid) if all(holds(bound, point) for bound in bounds)]
    if not feasible:
        assert solution.status in ("infeasible", "error")
        return
    assert solution.status == "solved", solution.diagnostics
    found = {name: solution.values[name].value for name in grid}
    assert all(holds(bound, found) for bound in bounds)
    assert eval(goal, {}, found) == min(eval(goal, {}, point) for point in feasible)


@given(small_plans())
@settings(max_examples=examples(30, 0.2), deadline=None, suppress_health_check=QUIET)
@pytest.mark.slow
@pytest.mark.advice
def test_relaxed_bounds_work_and_are_the_nearest(plans, made):
    text, grid, bounds, _ = made
    solution = plans.solve(text)
    if solution.status != "infeasible":
        return
    for relaxation in solution.relaxations:
        if relaxation.kind != "requirement" or relaxation.beside:
            continue
        number = int(relaxation.name[1:])
        value = relaxation.values[0].number
        changed = [(side, op, value if i == number else limit) for i, (side, op, limit) in enumerate(bounds)]
        assert any(all(holds(bound, point) for bound in changed) for point in points(grid))
        side, _, limit = bounds[number]
        nearer = [
            other for point in points(grid)
            if all(holds(bound, point) for i, bound in enumerate(bounds) if i != number)
            for other in [eval(side, {}, point)] if abs(other - limit) < abs(value - limit) - 1e-9
        ]  # fmt: skip
        assert not nearer


@given(small_plans())
@settings(max_examples=examples(30, 0.2), deadline=None, suppress_health_check=QUIET)
@pytest.mark.slow
def test_the_conflict_is_one_and_dropping_any_of_it_leaves_a_plan(plans, made):
    text, grid, bounds, _ = made
    solution = plans.solve(text)
    if solution.status != "infeasible":
        assert solution.conflict == ()
        return
    fighting = [bounds[int(name[1:])] for name in solution.conflict]
    assert not any(all(holds(bound, point) for bound in fighting) for point in points(grid))
    for dropped in fighting:
        rest = [bound for bound in fighting if bound is not dropped]
        assert any(all(holds(bound, point) for bound in rest) for point in points(grid))


def test_the_answer_names_the_conflict_and_not_what_the_nearest_plan_violates(plans):
    text = "let x = ? in 1..10\nrequire a: x <= 3\nrequire b: x >= 5\nrequire c: x >= 7\n"
    solution = plans.solve(text)
    assert solution.conflict == ("a", "b")
    assert [r.name for r in solution.requirements if r.holds is False] == ["a"]
    solution = plans.solve("let x = ? in 1..10\nrequire a: x > 10\nrequire b: x < 1\n")
    assert solution.conflict == ("a",)
    assert any("`b` cannot be satisfied either" in d.notes for d in solution.diagnostics)


@st.composite
def preferring_plans(draw):
    """A small plan with preferences of different weights, some of them equal and some 0."""
    text, grid, bounds, goal = draw(small_plans())
    names = list(grid)
    wishes = [
        (
            (
                f"{draw(st.sampled_from(names))} {draw(st.sampled_from(OPERATIONS))} "
                f"{draw(st.sampled_from([*names, '2']))}"
            ),
            draw(st.sampled_from(("<=", ">=", "=="))),
            draw(st.integers(-2, 9)),
            draw(st.sampled_from(("", "0", "0.5", "1", "3"))),
        )
        for _ in range(draw(st.integers(1, 4)))
    ]
    lines = [
        f"prefer w{number}: {side} {op} {limit}" + (f" weight {weight}" if weight else "")
        for number, (side, op, limit, weight) in enumerate(wishes)
    ]
    return text + "\n".join(lines) + "\n", grid, bounds, goal, wishes


@pytest.mark.slow
@given(preferring_plans())
@settings(max_examples=examples(20, 0.25), deadline=None, suppress_health_check=QUIET)
def test_the_weight_of_met_preferences_comes_first_then_the_objective(plans, made):
    text, grid, bounds, goal, wishes = made
    solution = plans.solve(text)
    if solution.status != "solved":
        return
    feasible = [point for point in points(grid) if all(holds(bound, point) for bound in bounds)]

    def rank(point):
        met = sum(float(weight or 1) for side, op, limit, weight in wishes if holds((side, op, limit), point))
        return -met, eval(goal, {}, point)

    found = {name: solution.values[name].value for name in grid}
    assert rank(found) == min(map(rank, feasible))
    said = {result.name: result.holds for result in solution.preferences if result.origin == "plan"}
    assert said == {f"w{number}": holds(wish[:3], found) for number, wish in enumerate(wishes)}
    unmet = [d.message for d in solution.diagnostics if d.code == "W0606"]
    assert len(unmet) == list(said.values()).count(False)


HOSTILE = {
    "huge domains": "let a = ? in 1..1_000_000\nlet b = ? in 1..1_000_000\nrequire a * b == 7\nminimize a\n",
    "one huge domain": "let a = ? in 1..100_000_000_000\nrequire a >= 7\nminimize a\n",
    "contradictory equations": "let a = ? in 0..10\nrequire a == 3\nrequire a == 4\n",
    "a circle of equations": "let a = ? in 0.0..10.0 \nlet b = ? in 0.0..10.0\nrequire a == b\nrequire b == a\n",
    "no number": "let a = ? in [-1, -2]\nrequire sqrt(a) >= 0\nminimize sqrt(a)\n",
    "divides by zero": "let a = ? in [0, 0]\nrequire 1 / a >= 0\nminimize 1 / a\n",
    "divides by zero somewhere": "let a = ? in -3..3\nrequire 6 / a == 2\n",
    "overflows": "let a = ? in [1e300, 1e308]\nrequire a ^ 3 >= 0\nminimize a ^ 3\n",
    "units overflow": "let a = ? in [1e300 TB, 1e305 TB]\nrequire a <= 1 TB\n",
    "tiny steps": "let a = ? in 0..1 step 1e-12\nrequire a >= 0.5\n",
    "three continuous": "let a = ? in 0.0..1.0\nlet b = ? in 0.0..1.0\nlet c = ? in 0.0..1.0\nrequire a + b + c == 1\n",
    "a wide sweep": "let a = 1\nrequire a >= 0\nsweep a in 1..1_000_000_000\n",
}


@pytest.mark.parametrize("name", [pytest.param("huge domains", marks=pytest.mark.slow), *list(HOSTILE)[1:]])
@pytest.mark.advice
def test_hostile_plans_end_soon_and_say_something(plans, name):
    with ends():
        solution = plans.solve(HOSTILE[name], limit=None)
    if solution.status != "solved":
        assert any(d.severity == "error" for d in solution.diagnostics)

"""What must be certain holds at every point of the ranges: also its `when`, and where a side has a pole."""

from __future__ import annotations

import itertools
import random

import pytest

from tests.thorough import SEED, many


def test_when_is_judged_at_every_point(plans):
    text = "let k = 1..2..10\nlet u = ? in [1, 2]\nrequire certain r: u == 2 when k >= 5\nminimize u\n"
    solution = plans.solve(text)
    assert solution.values["u"].value == 2.0
    (rule,) = (one for one in solution.requirements if one.name == "r")
    assert rule.holds and rule.verdict == "safe"
    assert plans.solve(text.replace("1..2..10", "1..2..4")).values["u"].value == 1.0


def test_when_between_the_corners(plans):
    """At no corner, nor as expected, the condition applies: only inside."""
    text = "let k = 0..0..10\nlet u = ? in [1, 2]\nrequire certain r: u == 2 when abs(k - 6.5) < 0.4\nminimize u\n"
    assert plans.solve(text).values["u"].value == 2.0


@pytest.mark.parametrize("bound", ["3", "1_020_000_000"])
@pytest.mark.advice
def test_a_pole_has_no_bound(plans, bound):
    text = f"let a = -1..0.5..1\nrequire certain r: 1/a <= {bound}\nshow 1/a\nshow a\n"
    solution = plans.solve(text)
    (rule,) = (one for one in solution.requirements if one.name == "r")
    assert solution.status == "infeasible" and not solution.relaxations
    assert rule.holds is False and "no bound" in rule.undefined
    assert "would do" not in str(solution.diagnostics)


def test_a_pole_that_no_grid_meets(plans):
    text = "let a = 0..0.5..1\nlet u = ? in [0, 5]\nrequire certain r: 1/(a - 0.7071 + u) <= 1e6\nminimize u\n"
    assert plans.solve(text).values["u"].value == 5.0


def test_a_shown_value_without_bounds_says_so(plans):
    solution = plans.solve("let a = -1..0.5..1\nlet b = 0..1..2\nshow 1/a\nshow ln(b)\nshow a\n")
    assert [row.bounded for row in solution.shown] == [False, False, True]
    assert [one.code for one in solution.diagnostics] == ["W0608", "W0608"]


def test_an_open_value_that_plays_no_part(plans):
    text = "let k = 7..9..100\nrequire r: k > 1 or hardware.gpus < 5 GPUs\n"
    assert plans.solve(text).status == "solved"


def test_infinity_equals_nothing(plans):
    text = "let x = ? in [1e200, 1e201]\nrequire r: x*x*x == x*x*x*2\nminimize x\n"
    solution = plans.solve(text)
    assert solution.status == "infeasible"


TIE = ["let a = ? in [3, 1, 2]", "let b = ? in [3, 1, 2]", "require r: a + b == 4", "minimize a * b - a * b"]


@pytest.mark.slow
def test_ties_do_not_depend_on_the_order_of_statements(plans):
    answers = set()
    for order in itertools.permutations(TIE):
        values = plans.solve("\n".join(order) + "\n").values
        answers.add((values["a"].value, values["b"].value))
    assert answers == {(3.0, 1.0)}


@pytest.mark.quick(2)
@pytest.mark.parametrize("seed", range(SEED, SEED + many(8, 30, 300)))
def test_permuted_plans_have_the_same_answer(plans, seed):
    dice = random.Random(seed)
    names = ["d", "a", "c", "b"][: dice.randint(2, 4)]
    lines = [f"let {name} = ? in {dice.sample(range(6), dice.randint(2, 4))}" for name in names]
    for at in range(dice.randint(1, 2)):
        first, second = dice.choices(names, k=2)
        lines.append(f"require r{at}: {first} + {second} {dice.choice(('<=', '>=', '=='))} {dice.randint(1, 8)}")
    lines.append(f"minimize max({', '.join(dice.choices(names, k=2))})")
    found = set()
    for _ in range(3):
        dice.shuffle(lines)
        solution = plans.solve("\n".join(lines) + "\n")
        found.add((solution.status, *((name, solution.values[name].value) for name in names)))
    assert len(found) == 1, (seed, lines)


@pytest.mark.quick(3)
@pytest.mark.parametrize("seed", range(SEED, SEED + many(10, 30, 300)))
def test_certain_rules_hold_at_samples_and_the_next_better_answer_does_not(plans, seed):
    """Against all candidates, each tried at many points of the range."""
    dice = random.Random(seed)
    low, high = sorted(dice.sample(range(-4, 9), 2))
    middle = dice.uniform(low, high)
    side = dice.choice(("k * u", "abs(k - u)", "max(k, u)", "k^2 - u", "min(k * u, 9)"))
    when, bound = dice.choice(("k >= 2", "u >= 3", "abs(k) <= 1", "k * u > 4")), dice.randint(-2, 20)
    text = f"let k = {low}..{middle:.3f}..{high}\nlet u = ? in 1..6\n"
    text += f"require certain r: {side} <= {bound} when {when}\nminimize u\n"
    points = [low + (high - low) * at / 2000 for at in range(2001)]
    python = {name: part.replace("^", "**") for name, part in (("side", side), ("when", when))}

    def holds(u, slack):
        names = {"abs": abs, "max": max, "min": min, "u": u}
        return all(
            not eval(python["when"], names, {"k": k}) or eval(python["side"], names, {"k": k}) <= bound + slack
            for k in points
        )

    solution = plans.solve(text)
    if solution.status == "solved":
        u = int(solution.values["u"].value)
        assert holds(u, 1e-6), (seed, text)
    else:
        u = 7
    assert not any(holds(tried, -1e-6) for tried in range(1, u)), (seed, text)

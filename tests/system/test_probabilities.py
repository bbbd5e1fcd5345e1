"""A chance over ranges: lowered once with the ranges as variables, and the same as lowered anew at each point."""

from __future__ import annotations

import pytest

from llmplan.system.chance import points_of
from llmplan.system.probabilities import Probabilities

slow = pytest.mark.slow

OWN = """quantity low: Real = 0.5
quantity high: Real = 2
@within(low, high)
quantity work: s = 10 s
kind shop {
    pieces: Int = 3..5..9
    price: Real = 1..4
}
shop { price = 1..2..4 }
"""

PLAN = """model "llama-7b"
dataset { tokens = 1T, sequence_length = 2048 }
hardware { gpu = "A100-SXM4-80GB", gpus = 64 }
training { global_batch = 4M tokens, micro_batch = 1, recompute = full }
"""

OPEN = """kind shop { staff: Int in 1..50 = 4
    pieces: Int = 10 }
shop { staff = ? in 1..50 step 1 }
quantity low: Real = 0.8
quantity high: Real = 1.25
@within(low, high)
quantity work: s = (if size > 2.5 then 3 * size else size ^ 2) * 10 s / shop.staff
let size = 1..2..4
require sure: chance(work <= 6 s) >= 80%
require likely: chance(work * size <= 30 s) >= 60%
minimize shop.staff
"""

EVENTS = [
    "let x = 1..2..4\nshow chance(x <= 3)",
    "let x = 1..2..4\nshow chance(3 >= x) + chance(x < 2)",
    "let x = 1..2..4\nlet y = 0..5..10\nshow chance(x + y <= 7)\nshow chance(y <= 3)\nshow chance(x * y <= 7)",
    "let x = 1..2..4\nshow chance(x * work <= 25 s)\nshow chance(20 s <= work * x <= 30 s)",
    "let x = 1..2..4\nshow chance((if x > 2 then work else 12 s) <= 15 s)",
    "let x = 1..2..4\nshow chance(x * 2 s <= work)\nshow chance(ln(x - 2) <= 0.3)\nshow chance(1 / (x - 2) <= 1)",
    "let x = -1..2..4\nshow chance(x ^ 3 - floor(x) <= 2)\nshow chance(work * x <= 0 s)",
    "let x = 1..2..4\nlet y = 2 * x\nshow chance(x + y <= 7)\nshow chance(min(x, y) <= 7 - max(x, y))",
    "let x = 1..2..4\nshow chance(3 <= 4)\nshow chance(work <= 12 s)",
    "let y = 3..4..9\nlet x = 1..2..4\nshow chance((if x > 3 then y else 5) <= 6)",
    (
        "show chance(shop.price <= 3)\nshow chance(shop.pieces <= 6)\n"
        "show chance(shop.pieces * work * shop.price <= 150 s)"
    ),
    pytest.param(
        "let n = 1..2..4\nshop.pieces = 2 * n + 1\nshow chance(shop.pieces <= 6)\n"
        "show chance(shop.pieces * work <= 60 s)",
        marks=slow,
    ),
    pytest.param(
        "quantity one: Real = chance(work * x <= 15 s)\nlet x = 1..2..4\nshow one * x\nshow chance(one * x <= 1.5)",
        marks=slow,
    ),
]

TIED = [
    "let a = 1..2\nlet b = a..3\nshow chance(b <= 2)\nshow chance(a + b <= 4)",
    "let a = 1..2\nlet b = 0..1..2 * a\nshow chance(b * work <= 12 s)",
]


@pytest.fixture
def counted(monkeypatch):
    """How many comparisons were lowered with their bands, and how often not at once."""
    found = {"lowered": 0, "anew": 0}
    by_bands, anew = Probabilities.by_bands, Probabilities.point_by_point

    def lowered(self, *args):
        found["lowered"] += 1
        return by_bands(self, *args)

    def at_points(self, *args):
        found["anew"] += 1
        return anew(self, *args)

    monkeypatch.setattr(Probabilities, "by_bands", lowered)
    monkeypatch.setattr(Probabilities, "point_by_point", at_points)
    return found


def _anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Probabilities, "_at_once", lambda *args: None)


@pytest.mark.parametrize("text", EVENTS)
def test_it_is_the_mean_of_what_is_lowered_at_each_point(plans, counted, monkeypatch, text):
    at_once = plans.shown(f"{OWN}{text}\n")
    assert not counted["anew"] and counted["lowered"]
    _anew(monkeypatch)
    assert at_once == pytest.approx(plans.shown(f"{OWN}{text}\n"), rel=1e-12)


@pytest.mark.parametrize("text", TIED)
def test_a_range_that_decides_the_ends_of_another_is_put_in_at_each_point(plans, counted, monkeypatch, text):
    found = plans.shown(f"{OWN}{text}\n")
    assert counted["anew"]
    _anew(monkeypatch)
    assert found == plans.shown(f"{OWN}{text}\n")


def test_it_is_the_mean_of_plans_whose_inputs_are_the_points(plans):
    (found,) = plans.shown(f"{OWN}let x = 1..2..4\nshow chance(x * work <= 25 s)\n")
    points = [1 + 3 * point["x"] for point in points_of({"x": (1.0, 4.0)}, [2.0])]
    each = "".join(f"show chance({x!r} * work <= 25 s)\n" for x in points)
    assert found == pytest.approx(sum(plans.shown(OWN + each)) / len(points), rel=1e-12)


@slow
def test_with_something_left_open(plans, counted, monkeypatch):
    def told():
        solution = plans.solve(OPEN)
        chances = [rule.chance for rule in solution.requirements if rule.origin == "plan"]
        return solution.status, solution.values["shop.staff"].value, chances

    status, staff, chances = told()
    assert status == "solved" and not counted["anew"]
    assert all(0.6 <= chance < 1.0 for chance in chances)
    _anew(monkeypatch)
    assert told() == (status, staff, pytest.approx(chances, rel=1e-12))


def test_a_comparison_over_ranges_is_lowered_a_few_times(plans, counted):
    """As expected and with the ranges as variables, as the plan is checked and as it is shown: not at each point."""
    plans.shown(f"{OWN}let x = 1..2..4\nlet y = 1..2..4\nshow chance(x * work <= 25 s)\nshow chance(x + y <= 5)\n")
    assert 4 <= counted["lowered"] <= 12 and not counted["anew"]


@slow
@pytest.mark.parametrize(
    ("path", "range"), [("dataset.sequence_length", "1024..2048"), ("adapter.dropout", "10%..50%")]
)
def test_a_range_that_memory_depends_on_takes_few_lowerings(plans, counted, path, range):
    assert plans.solve(PLAN, settings=((path, range),)).status == "solved"
    assert counted["lowered"] < 100 and not counted["anew"]

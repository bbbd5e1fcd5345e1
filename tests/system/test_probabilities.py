"""A chance is the probability: against a sample of the distribution that `docs/language.md` states.

A thorough run tries more events, a long one two thousand against a million draws each; see `tests/thorough.py`.
"""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from llmplan.emit import solution_json
from llmplan.present import screen
from llmplan.present.context import Context
from llmplan.system import lattice
from llmplan.system.probabilities import Probabilities
from tests.system.random_events import MEANING, case
from tests.thorough import LONG, SEED, many

slow = pytest.mark.slow

OWN = """quantity low: Real = 0.8
quantity high: Real = 1.5
@within(low, high)
quantity a: Real = 4
@within(low, high)
quantity b: Real = 4
let x = 1..2..4
let y = 0..5..10
"""
EVENTS = {
    "a <= 5": lambda s: s["a"] <= 5,
    "(if a > 6.5 then 1 else 2) <= 1": lambda s: s["a"] > 6.5,
    "mod(a, 2) <= 1": lambda s: s["a"] % 2 <= 1,
    "abs(a - 4) <= 0.5": lambda s: abs(s["a"] - 4) <= 0.5,
    "max(a, b) <= 5": lambda s: np.maximum(s["a"], s["b"]) <= 5,
    "min(a, b) <= 3.5": lambda s: np.minimum(s["a"], s["b"]) <= 3.5,
    "a + b <= 9": lambda s: s["a"] + s["b"] <= 9,
    "a * b <= 20": lambda s: s["a"] * s["b"] <= 20,
    "a ^ 2 / b <= 5": lambda s: s["a"] ** 2 / s["b"] <= 5,
    "a * x <= 10": lambda s: s["a"] * s["x"] <= 10,
    "a * b * x <= y ^ 2": lambda s: s["a"] * s["b"] * s["x"] <= s["y"] ** 2,
    "x + y <= 7": lambda s: s["x"] + s["y"] <= 7,
    "x <= 3": lambda s: s["x"] <= 3,
    "1 / (x - 2) <= 1": lambda s: 1 / (s["x"] - 2) <= 1,
    "3 <= a <= 5": lambda s: (s["a"] >= 3) & (s["a"] <= 5),
    "3 <= a <= b": lambda s: (s["a"] >= 3) & (s["a"] <= s["b"]),
    "y - 2 * a <= -x": lambda s: s["y"] - 2 * s["a"] <= -s["x"],
    "5 - a >= 0": lambda s: s["a"] <= 5,
    "-a <= -5": lambda s: s["a"] >= 5,
}
SAME = [
    ("a <= 5", "5 - a >= 0", "-a >= -5", "a + 3 <= 8", "ln(a) <= ln(5)", "a^4 <= 625", "1/a >= 0.2", "ceil(a) <= 5"),
    ("a > 4.2", "(if a > 4.2 then 1 else 2) <= 1", "floor(a / 4.2 - 1) >= 0", "a - 4.2 > 0"),
    ("abs(a - 4) <= 0.5", "(a - 4)^2 <= 0.25", "3.5 <= a <= 4.5", "max(a - 4, 4 - a) <= 0.5"),
    ("max(a, b) <= 5", "max(b, a) <= 5", "5 - max(a, b) >= 0"),
    ("a * b <= 20", "ln(a) + ln(b) <= ln(20)", "a <= 20 / b", "sqrt(a * b) <= sqrt(20)", "a * b - 20 <= 0"),
    ("x * a <= 10", "x <= 10 / a", "x * a - 10 <= 0", "ln(x) + ln(a) <= ln(10)"),
]


@pytest.fixture(scope="module")
def sample():
    dice = np.random.default_rng(5)
    count = 400_000
    factors = []
    for _ in range(2):
        t = dice.standard_t(4, count)
        factors.append(np.exp(t / 1.5332062740589438 * np.where(t > 0, np.log(1.5), -np.log(0.8))))
    u, v = dice.random((2, count))
    return {
        "a": 4 * factors[0],
        "b": 4 * factors[1],
        "x": np.where(u < 0.5, 1 + 2 * u, 2 + (2 * u - 1) * 2),
        "y": 10 * v,
    }


def test_events_of_every_kind(plans, sample):
    found = plans.shown(OWN + "".join(f"show chance({event})\n" for event in EVENTS))
    wanted = [holds(sample).mean() for holds in EVENTS.values()]
    assert dict(zip(EVENTS, found)) == pytest.approx(dict(zip(EVENTS, wanted)), abs=0.004)


@pytest.mark.parametrize("spellings", SAME)
def test_spellings_of_one_event_give_one_figure(plans, spellings):
    found = plans.shown(OWN + "".join(f"show chance({event})\n" for event in spellings))
    assert found == pytest.approx([found[0]] * len(found), abs=2e-4)


@pytest.mark.quick(10)
@pytest.mark.parametrize("seed", [*range(SEED, SEED + many(60, 150, 2000)), 8_350_707])  # a rare tail of three bands
def test_random_events(plans, seed):
    made = case(seed)
    event = f"{made.side.text()} <= {made.other.text()}"
    (found,) = plans.shown(f"{made.declared()}show chance({event})\n")
    count = 10**6 if LONG else 10**5
    with np.errstate(all="ignore"):
        drawn = made.sample(count, seed + 1)
        holds = MEANING["<="](made.side.value(drawn), made.other.value(drawn))
    share = float(np.broadcast_to(holds, (count,)).mean())
    assert found == pytest.approx(share, abs=0.005 + 3 * (share * (1 - share) / count) ** 0.5), (seed, event)


@pytest.mark.quick(5)
@pytest.mark.parametrize("seed", range(SEED, SEED + many(20, 60, 600)))
def test_random_quantiles(plans, seed):
    """What jumps or stays has a quantile too: as much as the share is at most there, and no more below."""
    made, share = case(seed), random.Random(seed).choice((0.05, 0.2, 0.5, 0.9, 0.95))
    count = 10**5
    with np.errstate(all="ignore"):
        drawn = np.broadcast_to(made.side.value(made.sample(count, seed + 1)), (count,))
    drawn = np.where(np.isnan(drawn), np.inf, drawn)  # what has no value is not below any
    (found,) = plans.shown(f"{made.declared()}show quantile({made.side.text()}, {share})\n")
    error = 0.005 + 3 * (share * (1 - share) / count) ** 0.5
    if found is None or math.isnan(found):
        assert np.isfinite(drawn).mean() <= share + error, (seed, made)
        return
    slack = 1e-6 * max(1.0, abs(found))
    assert (drawn < found - slack).mean() - error <= share <= (drawn <= found + slack).mean() + error, (seed, made)


def test_an_error_that_is_not_small_is_told(plans, monkeypatch):
    text = OWN + "require r: max(a, b) * x <= y + 5\n"
    told = solution_json.as_json(plans.solve(text), ())["requirements"]
    assert all("chance_error" not in one for one in told)
    monkeypatch.setattr(lattice, "MOST", 1)
    monkeypatch.setattr(lattice, "_line_points", lambda *args: (lattice.PARTS, 4, 34))
    solution = plans.solve(text + "# again\n")
    (one,) = (one for one in solution_json.as_json(solution, ())["requirements"] if one["name"] == "r")
    assert one["chance_error"] > 0.005 and " ± " in screen.render(Context(solution), 100)


TIED = {
    "let a1 = 1..2\nlet b1 = a1..3\nshow chance(b1 <= 2)": lambda u, v: (1 + u) + v * (3 - (1 + u)) <= 2,
    "let a1 = 1..2\nlet b1 = 0..1..2 * a1\nshow chance(b1 <= 1.5)": (
        lambda u, v: np.where(v < 0.5, 2 * v, 1 + (2 * v - 1) * (2 * (1 + u) - 1)) <= 1.5
    ),
}


@pytest.mark.parametrize("text", TIED)
def test_a_range_may_end_at_another(plans, text):
    (found,) = plans.shown(f"{text}\n")
    u, v = np.random.default_rng(3).random((2, 400_000))
    assert found == pytest.approx(TIED[text](u, v).mean(), abs=0.004)


def test_the_members_of_a_quantity_have_one_factor(plans):
    text = """enum E { p, q }
quantity low: Real = 0.8
quantity high: Real = 1.5
@within(low, high)
quantity w[e: E]: Real = if e == p then 4 else 2
show chance(w[p] <= 5)
show chance(w[p] + w[q] <= 7.5)
show chance(w[p] >= 2 * w[q])
"""
    assert plans.shown(text) == pytest.approx([0.7769, 0.7769, 1.0], abs=1e-3)


def test_a_chance_inside_another_is_a_number(plans):
    text = "quantity one: Real = chance(a <= 5)\nshow one\nshow chance(one * a <= 4)\nshow chance(0.77692 * a <= 4)\n"
    first, second, third = plans.shown(OWN + text)
    assert first == pytest.approx(0.77692, abs=1e-4) and second == pytest.approx(third, abs=1e-4)


def test_whole_quantities_and_domains_do_not_confine_what_is_measured(plans):
    text = (
        "quantity low: Real = 0.8\nquantity high: Real = 1.5\n@within(low, high)\nquantity n: Int = 4\n"
        "@within(low, high)\nquantity s: Real in 0..1 = 0.9\nshow chance(n <= 5)\nshow chance(s * 1.0 <= 1.125)\n"
    )
    assert plans.shown(text) == pytest.approx([0.7769, 0.7769], abs=1e-3)


QUANTITIES = ["a", "a * b", "a + b", "a * x", "x + y", "-a", "max(a, b)", "a ^ 2 / b", "1 / a"]


@pytest.mark.parametrize("share", [0.1, 0.5, 0.93])
def test_a_quantile_is_where_its_share_is(plans, share):
    found = plans.shown(OWN + "".join(f"show quantile({each}, {share})\n" for each in QUANTITIES))
    events = [f"{each} <= {value!r}".replace("<= -", "<= 0 - ") for each, value in zip(QUANTITIES, found)]
    chances = plans.shown(OWN + "".join(f"show chance({event})\n" for event in events))
    assert chances == pytest.approx([share] * len(events), abs=0.003)


def test_a_quantile_without_uncertainty_is_the_value(plans):
    assert plans.shown(f"{OWN}show quantile(3 + 4, 20%)\n") == [7.0]


def test_a_quantile_can_be_required_and_is_lowered_where_it_is_open(plans):
    text = OPEN.replace("chance(EVENT) >= 80%", "quantile(work, 80%) <= 6 s")
    least = plans.solve(OPEN.replace("EVENT", "work <= 6 s")).values["shop.staff"].value
    assert plans.solve(text).values["shop.staff"].value == least


OPEN = """kind shop { staff: Int in 1..50 = 4
    pieces: Int = 10 }
shop { staff = ? in 1..50 step 1 }
quantity low: Real = 0.8
quantity high: Real = 1.25
@within(low, high)
quantity work: s = (if size > 2.5 then 3 * size else size ^ 2) * 10 s / shop.staff
let size = 1..2..4
require sure: chance(EVENT) >= 80%
minimize shop.staff
"""


@pytest.mark.quick(2)
@pytest.mark.parametrize("event", ["work <= 6 s", "work + 1 s * size <= 8 s", "ceil(work / 1 s) <= 6"])
def test_what_is_left_open_is_the_least_with_the_chance(plans, event):
    solution = plans.solve(OPEN.replace("EVENT", event))
    staff = solution.values["shop.staff"].value
    chances = []
    for tried in (staff - 1, staff):
        fixed = OPEN.replace("EVENT", event).replace("? in 1..50 step 1", str(int(tried)))
        chances += plans.shown(f"{fixed}show chance({event})\n")
    assert solution.status == "solved" and chances[0] < 0.8 <= chances[1]


def test_a_chance_is_lowered_once_for_what_is_uncertain(plans, monkeypatch):
    lowered = []
    probability = Probabilities._probability

    def counted(self, *args):
        lowered.append(args)
        return probability(self, *args)

    monkeypatch.setattr(Probabilities, "_probability", counted)
    plans.shown(f"{OWN}show chance(x * a <= 25)\nshow chance(x + y <= 5)\n")
    assert 2 <= len(lowered) <= 6

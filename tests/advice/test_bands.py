"""Bands of measured values: carried into every result, each requirement with its chance and the word for it."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llmplan.uncertainty.bands import around

pytestmark = pytest.mark.usefixtures("no_advice")

PLAN = """model "llama-7b"
dataset { tokens = 1T, sequence_length = 2048 }
hardware { gpu = "A100-SXM4-80GB", gpus = 96 }
parallelism { zero_stage = 1 }
training { global_batch = 4M tokens, micro_batch = 2, recompute = none }
"""

OWN = """quantity low: Real = 0.5
quantity high: Real = 2
quantity wide: Real = 4
@within(low, high)
quantity work: s = 10 s
@within(low, wide)
quantity rate: Real = 3
quantity both: s = work * rate
quantity twice: s = 2 * work
quantity rest: s = 25 s - work
"""


def test_what_depends_on_step_time_has_its_band(plans):
    values = plans.solve(PLAN + "show time\n").values
    low, high = values["step.low"].value, values["step.high"].value
    for name in ("step_time", "time", "gpu_hours", "cost"):
        found = values[name]
        assert found.model_low == pytest.approx(found.value * low) and found.model_high == pytest.approx(
            found.value * high
        )
    faster = values["mfu"]
    assert faster.model_low == pytest.approx(faster.value / high) and faster.model_high == pytest.approx(
        faster.value / low
    )
    memory = values["memory.total"]
    assert memory.model_low < memory.value < memory.model_high
    for name in ("train_flops", "memory.weights", "hardware.gpus", "step.low"):
        assert values[name].model_low is None and values[name].model_high is None


def test_a_band_stands_above_any_formula(plans):
    own = "quantity work: s when hardware.gpus > 1 = 10 s\n"
    own += "@within(low, high)\nquantity work: s when hardware.gpus == 1 = 5 s\n"
    text = "quantity low: Real = 0.5\nquantity high: Real = 2\n" + own + "hardware.gpus = 1\nshow work\n"
    found = plans.solve(text).values["work"]
    assert (found.model_low, found.model_high) == (pytest.approx(2.5), pytest.approx(10.0))


def test_a_range_makes_a_requirement_uncertain(plans):
    text = "let rest = 5 s..25 s\nrequire soon: rest <= 20 s\nrequire late: rest <= 30 s\nshow rest\n"
    soon, late = (result for result in plans.solve(text).requirements if result.origin == "plan")
    assert soon.chance == pytest.approx(0.75, abs=0.01) and soon.verdict == "likely"
    assert late.chance is None and late.verdict == "safe"


@pytest.mark.slow
def test_an_assumed_rate_has_none(plans):
    values = plans.solve(PLAN + "assume mfu = 40%\nshow time\n").values
    assert values["time"].value is not None and values["time"].model_low is None


def test_bands_are_independent(plans):
    values = plans.solve(OWN + "show both\nshow twice\nshow rest\n").values
    below, above = math.hypot(math.log(2), math.log(2)), math.hypot(math.log(2), math.log(4))
    assert values["both"].model_low == pytest.approx(30 * math.exp(-below))
    assert values["both"].model_high == pytest.approx(30 * math.exp(above))
    assert (values["twice"].model_low, values["twice"].model_high) == (pytest.approx(10.0), pytest.approx(40.0))
    # Larger work is less rest.
    assert (values["rest"].model_low, values["rest"].model_high) == (pytest.approx(5.0), pytest.approx(20.0))


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("bound", "verdict"), [("25 days", "no"), ("28.5 days", "tight"), ("30 days", "likely"), ("40 days", "safe")]
)
def test_the_word_for_a_requirement(plans, bound, verdict):
    solution = plans.solve(f"{PLAN}require deadline: time <= {bound}\nrequire few: hardware.gpus <= 96\n")
    deadline, few = solution.requirements[:2]
    assert deadline.planned.verdict == verdict and deadline.planned.chance is not None
    assert deadline.holds == (deadline.planned.chance >= 0.5)
    assert (few.chance, few.verdict, few.planned, few.on) == (None, "safe", None, "planned")


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("bound", "verdict"), [("35 days", "no"), ("38 days", "tight"), ("50 days", "likely"), ("70 days", "safe")]
)
def test_the_word_for_a_requirement_on_the_calendar(plans, bound, verdict):
    deadline = plans.solve(f"{PLAN}require deadline: wall_time <= {bound}\n").requirements[0]
    assert deadline.verdict == verdict and deadline.holds == (deadline.chance >= 0.5)
    assert (deadline.on, deadline.stated, deadline.calendar) == ("calendar", "calendar", None)
    assert deadline.planned.chance > 0.9 and deadline.planned.compared.subject == "time"


def test_a_chance_rises_with_its_bound_and_is_one_half_at_the_value(plans):
    time = plans.solve(PLAN + "show time\n").values["time"].value
    bounds = [time * factor for factor in (0.01, 0.5, 0.8, 0.95, 1.0, 1.05, 1.3, 2.0, 100.0)]
    found = plans.shown(PLAN + "".join(f"show chance(time <= {bound!r} s)\n" for bound in bounds))
    assert found == sorted(found) and len(set(found)) == len(found)
    assert 0 <= found[0] < 0.01 and found[4] == pytest.approx(0.5, abs=1e-6) and 0.99 < found[-1] <= 1


@pytest.mark.slow
def test_a_chance_is_solved_for(plans):
    text = PLAN.replace("gpus = 96", "gpus = ? in 8..256 step 8") + "minimize hardware.gpus\n"
    expected = plans.solve(text + "require deadline: time <= 30 days\n")
    surely = plans.solve(text + "require deadline: chance(time <= 30 days) >= 90%\n")
    assert surely.values["hardware.gpus"].value > expected.values["hardware.gpus"].value
    assert surely.values["time"].model_high <= 30 * 86400
    fewer = plans.solve(
        text.replace("8..256 step 8", f"[{surely.values['hardware.gpus'].value - 8}]")
        + "require deadline: chance(time <= 30 days) >= 90%\n"
    )
    assert fewer.status == "infeasible"
    # The requirement on a chance has that chance where every step runs as planned, and the calendar's word.
    deadline = surely.requirements[0]
    assert deadline.planned.chance >= 0.9 > deadline.chance and (deadline.on, deadline.verdict) == ("calendar", "no")


def test_a_chain_is_what_both_ends_leave(plans):
    rows = plans.shown(
        OWN + "show chance(8 s <= work <= 15 s)\nshow chance(work <= 15 s)\nshow chance(work < 8 s)\n"
        "show chance(work >= 8 s)\nshow chance(1 s < work) + chance(1 s >= work)\nshow chance(work > 15 s > 8 s)\n"
    )
    between, below_high, below_low, above_low, whole, above_high = rows
    assert between == pytest.approx(below_high - below_low)
    assert below_low + above_low == pytest.approx(1.0) and whole == pytest.approx(1.0)
    assert above_high == pytest.approx(1 - below_high)


def test_a_band_is_not_made_from_a_chance(plans):
    looped = OWN.replace("quantity low: Real = 0.5", "quantity low: Real = chance(work <= 15 s)")
    assert plans.codes(looped + "show work\nshow chance(work <= 12 s)\n") == ["E0206"]


@pytest.mark.parametrize(
    ("line", "code", "at"),
    [
        ("show chance(work == 3 s)", "E0303", "work == 3 s"),
        ("show chance(work)", "E0303", "work"),
        ("show chance(work <= 3 s and rate <= 2)", "E0303", "work <= 3 s and rate <= 2"),
        ("show chance(chance(work <= 3 s) <= 0.5)", "E0303", "chance(work <= 3 s) <= 0.5"),
        ("show chance(work <= 3 GB)", "E0301", "work"),
        ("fn f(x: s) -> Real = chance(x <= 3 s)\nshow f(2 s)", "E0303", "x <= 3 s"),
        ("@within(low)\nquantity q: Real = 1", "E0310", "@within(low)"),
        ("@within(low, nowhere)\nquantity q: Real = 1", "E0310", "nowhere"),
        ("@within(low, work)\nquantity q: Real = 1", "E0310", "work"),
    ],
)
def test_what_is_no_event_and_no_band(plans, line, code, at):
    assert plans.error(f"{OWN}{line}\n") == (code, at)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("show chance(chance(work <= 3 s) <= 0.5)", "a chance inside a chance"),
        ("show chance(quantile(work, 90%) <= 3 s)", "a quantile inside a chance"),
        ("show quantile(quantile(work, 90%), 10%)", "a quantile inside a quantile"),
    ],
)
def test_what_is_measured_is_named_inside_what_is_measured(plans, line, words):
    (problem,) = (one for one in plans.check(f"{OWN}{line}\n") if one.severity == "error")
    assert problem.message == f"expected values, found {words}"


@given(st.floats(0.1, 1e6), st.lists(st.tuples(st.floats(0.3, 1.0), st.floats(1.0, 3.0)), min_size=1, max_size=4))
def test_a_band_holds_the_value_and_widens_with_each_further_one(value, factors):
    pairs = [(value * low, value * high) for low, high in factors]
    widest = (value, value)
    for count in range(1, len(pairs) + 1):
        ends = around(value, pairs[:count]) or (value, value)
        assert ends[0] <= widest[0] * (1 + 1e-12) and ends[1] >= widest[1] * (1 - 1e-12)
        assert ends[0] <= value <= ends[1]
        widest = ends


def test_ranges_of_the_plan_count(plans):
    """Half of the mass of 1..2..4 lies evenly below 2, half above."""
    text = "let x = 1..2..4\nlet y = 0..5..10\n"
    rows = plans.shown(
        text
        + "show chance(x <= 2)\nshow chance(x <= 1.5)\nshow chance(x <= 3)\nshow chance(x <= 5)\n"
        + "show chance(x + y <= 7)\n"
    )
    assert rows[:4] == pytest.approx([0.5, 0.25, 0.75, 1.0], abs=0.006)
    points = [1 + u if u < 1 else 2 * u for u in (2 * (i + 0.5) / 400 for i in range(400))]
    assert rows[4] == pytest.approx(sum((7 - x) / 10 for x in points) / 400, abs=0.03)


@pytest.mark.slow
def test_a_range_that_a_requirement_needs_is_no_certainty(plans):
    text = (
        PLAN.replace("gpus = 96", "gpus = ? in 8..256 step 8") + "assume mfu = 35%..40%..45%\nminimize hardware.gpus\n"
    )
    solution = plans.solve(text + "require deadline: chance(time <= 30 days) >= 90%\n")
    gpus = solution.values["hardware.gpus"].value
    expected = plans.solve(text + "require deadline: time <= 30 days\n").values["hardware.gpus"].value
    assert expected < gpus and 0.9 <= solution.requirements[0].planned.chance < 1.0

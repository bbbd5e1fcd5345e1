"""Sweeps, scenarios, trade-offs and the next best layouts of whole plans."""

from __future__ import annotations

import pytest

from llmplan import api
from tests import told

pytestmark = pytest.mark.usefixtures("no_advice")

PLAN = """model "llama-7b"
dataset {
    tokens = 100B
    sequence_length = 2048
}
hardware {
    gpu = "A100-SXM4-80GB"
    gpus = 64
}
parallelism.tensor = ?
parallelism.zero_stage = ?
training {
    precision = bf16
    global_batch = 1024 sequences
    micro_batch = ?
    recompute = ?
}
require deadline: time <= 6 days
minimize time
"""


def table(plans, text, **options):
    found, diagnostics = api.sweep(plans.path, text=text, **options)
    assert not [d for d in diagnostics if d.severity == "error"], diagnostics
    return found


@pytest.mark.slow
def test_each_point_is_what_solving_it_gives(plans):
    line = 'sweep hardware.gpu in ["A100-SXM4-80GB", "H100-SXM5-80GB"], hardware.gpus in [32, 64]'
    found = table(plans, f"{PLAN}{line}\n")
    assert found.axes == ("hardware.gpu", "hardware.gpus")
    assert [tuple(one.value for one in row.at) for row in found.rows] == [
        ("A100-SXM4-80GB", 32), ("A100-SXM4-80GB", 64), ("H100-SXM5-80GB", 32), ("H100-SXM5-80GB", 64),
    ]  # fmt: skip
    for row in found.rows:
        values = [("hardware.gpu", row.at[0].value), ("hardware.gpus", str(row.at[1].value))]
        alone = plans.solve(PLAN, settings=values)
        assert row.status == alone.status
        if alone.status == "solved":
            assert row.results["time"].value == pytest.approx(alone.values["time"].value)
            assert {path: amount.value for path, amount in row.unknowns.items()} == {
                unknown.path: unknown.value.value for unknown in alone.unknowns if unknown.asked
            }


def test_a_point_without_a_plan_says_why_and_the_best_one_is_marked(plans):
    found = table(plans, PLAN + "sweep hardware.gpus in 16..64 step 16\n")
    first, last = found.rows[0], found.rows[-1]
    assert first.status == "infeasible" and told.reason(first) == "violates deadline: 15.8 days, at most 6 days asked"
    assert last.best and not any(row.best for row in found.rows[:-1])


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("varying", "best"),
    [
        ("sweep dataset.tokens in [50B, 100B]", 0),
        ("sweep hardware.price in [1 USD/GPU/hour, 2 USD/GPU/hour]", 0),
        ("sweep training.precision in [bf16, fp16]", 2),
        ('scenario "half" { dataset.tokens = 50B }', 0),
        ('scenario "more" { hardware.gpus = 128 }', 1),
    ],
)
def test_rows_that_differ_in_what_is_asked_have_no_best_one(plans, varying, best):
    text = PLAN.replace("zero_stage = ?", "zero_stage = 1").replace("recompute = ?", "recompute = full")
    text = text.replace("micro_batch = ?", "micro_batch = 1").replace("require deadline: time <= 6 days", varying)
    solution = plans.solve(text, tables=True)
    rows = (solution.sweep or solution.scenarios).rows
    assert sum(row.best for row in rows) == best


def test_stronger_layers_win_over_a_sweep(plans):
    found = table(plans, PLAN + "sweep dataset.tokens in [50B, 100B]\n", settings=[("dataset.tokens", "10B")])
    assert len({row.results["time"].value for row in found.rows}) == 1


def test_a_sweep_may_give_what_the_plan_leaves_out(plans):
    text = PLAN.replace('    gpu = "A100-SXM4-80GB"\n', "")
    assert any(d.code == "E0401" for d in plans.solve(text).diagnostics)
    found = table(plans, text + 'sweep hardware.gpu in ["H100-SXM5-80GB"]\n')
    assert found.rows[0].status == "solved"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("sweep hardware.gpux in [1, 2]", "E0202"),
        ("sweep time in [1 day, 2 days]", "E0202"),
        ("sweep dataset.tokens in 1B..100B", "E0303"),
        ("sweep hardware.gpus in [8 days]", "E0302"),
        ("sweep hardware.gpus in [8], hardware.gpus in [16]", "E0203"),
        ("pareto time", "E0303"),
        ("pareto time, cost, memory.total", "E0303"),
    ],
)
def test_mistakes(plans, line, code):
    assert code in plans.codes(PLAN + line + "\n")


@pytest.mark.slow
def test_nothing_to_sweep_and_too_much(plans):
    assert [d.code for d in api.sweep(plans.path, text=PLAN)[1] if d.severity == "error"] == ["E0401"]
    text = PLAN + "sweep hardware.gpus in 1..1_000_000\n"
    found, diagnostics = api.sweep(plans.path, text=text)
    assert found is None and diagnostics[-1].code == "E0404"


@pytest.mark.slow
def test_all_scenarios_are_compared_and_the_plan_itself_with_them(plans):
    text = PLAN + 'scenario "more" { dataset.tokens = 1T }\nscenario "wide" { parallelism.tensor = 4 }\n'
    found = plans.solve(text, tables=True).scenarios
    assert [row.at[0].value for row in found.rows] == [None, "more", "wide"]
    assert [row.status for row in found.rows] == ["solved", "infeasible", "solved"]
    assert found.rows[2].unknowns["parallelism.tensor"].value == 4
    chosen = plans.solve(text, tables=True, scenario="wide").scenarios
    assert chosen == found


@pytest.mark.slow
@pytest.mark.advice
def test_the_next_best_layouts_say_what_they_give_up(plans):
    solution = plans.solve(PLAN)
    first, *others = solution.alternatives
    assert {name: one.value for name, one in first.settings} == {u.path: u.value.value for u in solution.unknowns}
    assert first.loss is None
    assert others and all(other.loss for other in others)
    times = [dict(one.results)["time"] for one in solution.alternatives]
    assert len({one.settings for one in solution.alternatives}) == len(solution.alternatives) > 3
    assert times[0].exact() == solution.values["time"].text


@pytest.mark.slow
@pytest.mark.advice
def test_the_front_holds_the_best_of_each_and_nothing_between_is_worse(plans):
    plan = PLAN + "waive fits_surely\n"
    solution = plans.solve(plan.replace("minimize time", "pareto time, memory.total"))
    assert solution.values["time"].text == dict(solution.front[0].results)["time"].exact()
    least = plans.solve(plan.replace("minimize time", "minimize memory.total"))
    assert dict(solution.front[-1].results)["memory.total"].exact() == least.values["memory.total"].text
    largest = plans.solve(plan.replace("minimize time", "pareto time, -memory.total")).front
    assert dict(largest[0].results)["time"].exact() == solution.values["time"].text


@pytest.mark.advice
def test_the_front_is_of_what_meets_the_preferences_best(plans):
    plan = "let x = ? in 1..6\nlet y = ? in 1..6\nrequire x + y == 7\npareto x, y\n"
    assert [dict(one.settings)["x"].exact() for one in plans.solve(plan).front] == ["1", "2", "3", "4", "5", "6"]
    solution = plans.solve(plan + "prefer few: x >= 3\n")
    assert [dict(one.settings)["x"].exact() for one in solution.front] == ["3", "4", "5", "6"]
    assert solution.values["x"].value == 3


@pytest.mark.slow
def test_preferences_come_before_objectives_and_objectives_in_order(plans):
    lines = "prefer slim: memory.total <= 40 GB weight 2\nprefer wide: parallelism.tensor == 1\n"
    preferred = plans.solve(PLAN + lines)
    met = {preference.name: preference.holds for preference in preferred.preferences}
    assert met["slim"] is True
    fastest = plans.solve(PLAN)
    assert preferred.values["time"].value >= fastest.values["time"].value
    second = plans.solve(PLAN.replace("minimize time", "minimize parallelism.zero_stage\nminimize time"))
    stages = [
        stage
        for stage in range(4)
        if plans.solve(PLAN.replace("zero_stage = ?", f"zero_stage = {stage}")).status == "solved"
    ]
    assert second.values["parallelism.zero_stage"].value == stages[0]


def test_a_point_without_a_value_says_what_it_lacks(plans):
    card = 'entry gpu "Mine" like "A100-SXM4-80GB" { memory = 80 GB }\n'
    bare = 'entry gpu "Bare" { memory = 80 GB, peak_bf16 = 300 TFLOP/s }\n'
    grid = 'sweep hardware.gpu in ["Mine", "Bare"]\n'
    (lacking,) = (row for row in table(plans, card + bare + PLAN + grid).rows if told.point(row) == ("Bare",))
    assert told.reason(lacking) == 'violates deadline: "Bare" has no bandwidth'


def test_what_is_stronger_than_a_sweep_leaves_one_point_of_it(plans):
    text = PLAN + 'sweep hardware.gpus in [16, 32], mfu in [30%, 40%]\nassume mfu = 35%\nscenario "s" { mfu = 45% }\n'
    assert [told.point(row) for row in table(plans, text, scenario="s").rows] == [
        ("16 GPUs", "45%"),
        ("32 GPUs", "45%"),
    ]
    assert [told.point(row)[0] for row in table(plans, text, settings=[("hardware.gpus", "64")]).rows] == [
        "64 GPUs",
        "64 GPUs",
    ]

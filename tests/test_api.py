"""The compiler as functions."""

from __future__ import annotations

import pytest

from llmplan import api
from llmplan.load.files import Unreadable

PLAN = """\
## How many?
let most = 30 days
model "llama-7b"
dataset { tokens = 1T, sequence_length = 2048 }
hardware { gpu = "A100-SXM4-80GB", gpus = ? in 64..256 step 8 }
training { precision = bf16, global_batch = 4M tokens }
assume mfu = 40%
require deadline: time <= most
minimize hardware.gpus
scenario "hurry" { most = 20 days }
"""


def solve(plans, **options):
    return plans.solve(PLAN, limit=10**8, **options)


def gpus(solution) -> object:
    return solution.values["hardware.gpus"].value


def test_solve(plans):
    solution = solve(plans)
    assert solution.status == "solved" and solution.title == "How many?"
    assert gpus(solution) == 128  # 4.1e22 FLOP at 40 % of 312 TFLOP/s
    assert solution.values["time"].value <= 30 * 86400
    assert {r.name: r.holds for r in solution.requirements}["deadline"] is True
    assert [u.path for u in solution.unknowns if u.asked] == ["hardware.gpus"]
    assert [o.text for o in solution.objectives] == ["hardware.gpus"]


@pytest.mark.slow
def test_variations(plans):
    assert gpus(solve(plans, scenario="hurry")) == 192
    assert gpus(solve(plans, settings=[("most", "15 days")])) is not None
    assert solve(plans, settings=[("most", "1 day")]).status == "infeasible"
    assert gpus(solve(plans, scenario="hurry", settings=[("most", "30 days")])) == 128
    assert solve(plans, scenario="nothing").status == "error"


def test_check_solves_nothing(plans):
    assert plans.check(PLAN) == []
    assert plans.check("require 1 > 2") == []


def test_the_limit(plans):
    assert [d.code for d in plans.solve(PLAN, limit=10).diagnostics if d.severity == "error"] == ["E0404"]


def test_a_plan_that_cannot_be_read(tmp_path):
    with pytest.raises(Unreadable):
        api.check(str(tmp_path / "missing.plan"))


@pytest.mark.slow
def test_comments_and_spelling_do_not_change_the_hash(plans):
    spelt = PLAN.replace("4M tokens", "4_000_000 tokens").replace("## How many?\n", "# other\n")
    assert solve(plans).plan_hash == plans.solve(spelt, limit=10**8).plan_hash
    assert solve(plans).plan_hash != plans.solve(PLAN.replace("1T", "2T"), limit=10**8).plan_hash


@pytest.mark.slow
def test_the_same_twice(plans):
    # Written out: a slope that does not exist is NaN, which is not equal to itself.
    assert repr(solve(plans)) == repr(solve(plans))


@pytest.mark.slow
def test_explain(plans):
    _, steps = api.explain(plans.path, "time", text=PLAN)
    assert steps[0].name == "time" and steps[0].formula and steps[0].origin is not None
    assert any(step.name == "tokens_total" and step.depth > 0 for step in steps)
    solution, steps = api.explain(plans.path, "timee", text=PLAN)
    assert steps == [] and [d.code for d in solution.diagnostics if d.severity == "error"] == ["E0201"]
    for name in ("most", "hardware.gpus", "mfu", "deadline", "memory.total", "hardware.gpu", "training.precision"):
        _, steps = api.explain(plans.path, name, text=PLAN, depth=0)
        assert [step.name for step in steps] == [name]

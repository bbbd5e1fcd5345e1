"""A rate that is assumed: which layout is taken, what is said of the estimate, what is no advice."""

from __future__ import annotations

import pytest

from llmplan import api
from llmplan.answer.schema.solution import Solution
from tests.std.answers import number

PLAN = """model "llama-7b"
dataset { tokens = 1T, sequence_length = 2048 }
hardware { gpu = "A100-SXM4-80GB", gpus = 64 }
training.global_batch = 4M tokens
"""


def solved(more: str) -> Solution:
    return api.solve("-", text=PLAN + more)


def layout(solution: Solution) -> list[object]:
    paths = ("parallelism.zero_stage", "training.micro_batch", "training.recompute")
    return [solution.values[path].value for path in paths]


def test_the_layout_is_the_one_that_is_estimated_to_be_fastest() -> None:
    assumed, estimated = solved("assume mfu = 40%\nemit deepspeed\n"), solved("emit deepspeed\nminimize time\n")
    assert layout(assumed) == layout(estimated) != [3, 1, "full"]
    assert number(assumed, "mfu") == 0.4
    assert number(assumed, "step.estimated_mfu") == pytest.approx(number(estimated, "mfu"))


@pytest.mark.parametrize("asked", ["time == 2 weeks", "cost <= 100 kUSD"])
def test_what_is_as_planned_is_told_on_the_calendar_where_nothing_is_judged(asked: str) -> None:
    text = 'model.params = ? in 1B..100B\ndataset.tokens = 100B\nhardware { gpu = "H100-SXM5-80GB", gpus = 64 }\n'
    solution = api.solve("-", text=f"{text}assume mfu = 40%\nrequire {asked}\nmaximize model.params\n")
    assert 1.25 < number(solution, "wall_time") / number(solution, "time") < 1.35
    assert 1.25 < number(solution, "wall_cost") / number(solution, "cost") < 1.35


def remarks(solution: Solution) -> list[str]:
    return [one.otherwise for one in solution.preferences if one.name == "assumption_near" and one.otherwise]


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("assumption", "remark"),
    [
        ("mfu = 50%", ""),
        ("mfu = 20%", "assumed 20% MFU; this layout is estimated at "),
        ("tokens_per_second_per_gpu = 1000 tokens/s/GPU", "MFU; this layout is estimated at "),
    ],
)
def test_an_estimate_far_from_the_assumption_is_said(assumption: str, remark: str) -> None:
    found = remarks(solved(f"assume {assumption}\n"))
    assert len(found) == bool(remark) and remark in "".join(found)


def test_it_is_said_where_the_assumption_stands() -> None:
    (note,) = [d for d in solved("assume step_time = 90 s\nwaive mfu_seen\n").diagnostics if "estimated" in d.message]
    assert note.span is not None and note.span.text == "90 s"


def test_nothing_is_said_without_an_assumption() -> None:
    assert "assumption_near" not in {one.name for one in solved("minimize time\n").preferences}


@pytest.mark.slow
@pytest.mark.advice
def test_no_advice_changes_the_format_that_an_utilisation_is_assumed_for() -> None:
    late = 'training.precision = bf16\nhardware.gpu = "H100-SXM5-80GB"\nrequire time <= 10 days\n'
    for rate, named in (("mfu = 40%", False), ("hfu = 40%", False)):
        text = PLAN.replace("A100-SXM4-80GB", "H100-SXM5-80GB") + late.replace('hardware.gpu = "H100-SXM5-80GB"\n', "")
        solution = api.solve("-", text=f"{text}assume {rate}\n")
        assert solution.status == "infeasible" and solution.relaxations
        assert ("training.precision" in {one.name for one in solution.relaxations}) == named

"""`measured`: an earlier run, whose inputs are checked as a scenario's and whose readings as the quantities that were
read."""

from __future__ import annotations

import pytest

from llmplan import api
from llmplan.request import Request

PLAN = """model "llama-7b"
hardware { gpu = "A100-SXM4-80GB", gpus = 64 }
dataset { tokens = 1T tokens, sequence_length = 2048 }
training { global_batch = 1024 sequences, micro_batch = 4, recompute = selective }
parallelism { tensor = 2, zero_stage = 1 }
show model.params_total
"""


def codes(statement: str, plan: str = PLAN) -> list[str]:
    return [one.code for one in api.check(Request("a.plan", f"{plan}{statement}\n"))]


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ("hardware.gpus = 32, step_time = 4.11 s, memory.reserved = 61.2 GiB", []),
        ('model = "llama-13b", training.global_batch = 64 sequences, step_time = 1 minute', []),
        ("tokens_per_second_per_gpu = 6_630 token/s/GPU, mfu = 40%, wall_time = 3 days", []),
        ("hardware.gpus = 32", ["W0621"]),
        ("hardware.gpu_count = 32, step_time = 1 s", ["E0202"]),
        ("step_time = 4.11 GB", ["E0302"]),
        ("step_time = 1 s, step_time = 2 s", ["E0203"]),
        ("step_tim = 1 s", ["E0202", "W0621"]),
        ("training.precision = odd, step_time = 1 s", ["E0201"]),
        ("step.compute = 1 s", ["E0214"]),
        ("steps = 4", ["E0214"]),
    ],
)
def test_it_is_checked(settings: str, found: list[str]) -> None:
    assert sorted(codes(f'measured "first day" {{ {settings} }}')) == found


def test_two_of_one_name_are_a_mistake_and_the_word_is_free() -> None:
    one = 'measured "a" { step_time = 1 s }\n'
    assert "E0203" in codes(one + one)
    assert codes("let measured = 3\nshow measured") == []


@pytest.mark.parametrize(
    ("plan", "statement", "needs"),
    [
        (PLAN.replace("tensor = 2", "tensor = ?"), "step_time = 9 s", "parallelism.tensor"),
        (PLAN.replace("global_batch = 1024 sequences, ", ""), "step_time = 9 s", ""),
        ('model "llama-7b"\nshow model.params_total\n', "step_time = 9 s", "hardware.gpu"),
    ],
)
def test_a_run_says_what_the_plan_leaves_open(plan: str, statement: str, needs: str) -> None:
    told = [d for d in api.check(Request("a.plan", f'{plan}measured "a" {{ {statement} }}\n')) if d.code == "W0621"]
    assert [needs in d.message for d in told] == [True] if needs else told == []
    assert "W0621" not in codes(f'measured "a" {{ {statement}, parallelism.tensor = 4 }}', PLAN)

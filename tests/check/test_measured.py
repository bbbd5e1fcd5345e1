"""`measured`: an earlier run, whose inputs are checked as a scenario's and whose readings as the quantities that were
read; it moves nothing."""

from __future__ import annotations

import pytest

from llmplan import api
from llmplan.request import Request

PLAN = 'model "llama-7b"\nhardware { gpu = "A100-SXM4-80GB", gpus = 64 }\nshow model.params_total\n'


def codes(statement: str) -> list[str]:
    return [one.code for one in api.check(Request("a.plan", f"{PLAN}{statement}\n"))]


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ("hardware.gpus = 32, step_time = 4.11 s, memory.reserved = 61.2 GiB", ["W0621"]),
        ('model = "llama-13b", training.global_batch = 4 sequences, step_time = 1 minute', ["W0621"]),
        ("tokens_per_second_per_gpu = 6_630 token/s/GPU, mfu = 40%, wall_time = 3 days", ["W0621"]),
        ("hardware.gpus = 32", ["W0621"]),
        ("hardware.gpu_count = 32, step_time = 1 s", ["E0202", "W0621"]),
        ("step_time = 4.11 GB", ["E0302", "W0621"]),
        ("step_time = 1 s, step_time = 2 s", ["E0203", "W0621"]),
        ("step_tim = 1 s", ["E0202", "W0621"]),
        ("training.precision = odd, step_time = 1 s", ["E0201", "W0621"]),
    ],
)
def test_it_is_checked(settings: str, found: list[str]) -> None:
    assert sorted(codes(f'measured "first day" {{ {settings} }}')) == found


def test_two_of_one_name_are_a_mistake_and_the_word_is_free() -> None:
    one = 'measured "a" { step_time = 1 s }\n'
    assert "E0203" in codes(one + one)
    assert codes("let measured = 3\nshow measured") == []


def test_it_moves_nothing() -> None:
    measured = 'measured "a" { hardware.gpus = 8, training.precision = fp32, step_time = 99 s }\n'
    plain, beside = (api.solve(Request("a.plan", PLAN + more)) for more in ("", measured))
    assert {name: one.value for name, one in plain.values.items()} == {
        name: one.value for name, one in beside.values.items()
    }

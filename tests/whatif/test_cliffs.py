"""Rules of the library that make an answer jump: what lies beyond, and the change that gets it."""

from __future__ import annotations

import re

import pytest

from llmplan import api

PLAN = """model "llama-13b"
dataset {{ tokens = 1T, sequence_length = 2048 }}
hardware {{ gpu = "A100-SXM4-80GB", gpus = ? }}
parallelism {{ framework = deepspeed, zero_stage = 2 }}
training {{ global_batch = 4M tokens, micro_batch = 1, recompute = none }}
require deadline: time <= {days} days
minimize hardware.gpus
"""


def solve(days: float, more: str = ""):
    return api.solve("-", text=PLAN.format(days=days) + more)


@pytest.mark.slow
def test_the_neighbour_is_named_with_the_change_that_gets_it():
    solution = solve(10)
    (note,) = solution.notes
    found = re.fullmatch(
        r"hardware\.gpus = ([\d,]+) GPUs would do with training\.global_batch = (\S+M tokens) \(`batch_near`\)", note
    )
    assert found is not None, note
    gpus, batch = found[1].replace(",", ""), found[2]
    assert int(gpus) < 0.95 * solution.values["hardware.gpus"].value
    settings = [("hardware.gpus", gpus), ("training.global_batch", batch)]
    changed = api.solve("-", text=PLAN.format(days=10), settings=settings)
    assert changed.status == "solved"
    assert api.solve("-", text=PLAN.format(days=10), settings=settings[:1]).status == "infeasible"


@pytest.mark.parametrize(("days", "more"), [(30, ""), (10, "waive batch_near\n")])
def test_without_a_jump_nothing_is_said(days, more):
    assert solve(days, more).notes == ()

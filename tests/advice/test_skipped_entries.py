"""Entries with which what is optimised has no value are named, with why; others are not."""

from __future__ import annotations

import pytest

from llmplan import api
from tests.present.answers import notes

PLAN = """model "llama-2-7b"
adapter.method = lora
dataset {{ tokens = 20M, sequence_length = 2048 }}
hardware {{ gpu = ? in ["RTX-4090", "L40S", "H100-SXM5-80GB"], gpus = 8 }}
training {{ micro_batch = 1, recompute = full, global_batch = 256 sequences }}
parallelism.zero_stage = 0
{goal}
"""


def skipped(goal: str) -> list[str]:
    solution = api.solve("-", text=PLAN.format(goal=goal))
    assert solution.status == "solved"
    return [note for note in notes(solution) if note.startswith("not considered")]


def test_what_has_no_price_is_named_where_cost_decides():
    assert skipped("minimize cost") == ['not considered: RTX-4090 (`cost`: "RTX-4090" has no price)']


@pytest.mark.slow
@pytest.mark.parametrize("goal", ["minimize time", "minimize cost\nhardware.price = 2 USD/GPU/hour"])
def test_what_is_considered_is_not(goal):
    assert skipped(goal) == []

"""Rules of the library that make an answer jump: what lies beyond, and the change that gets it."""

from __future__ import annotations

import re

import pytest

from llmplan import api
from tests.present.answers import notes

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
    (note,) = notes(solution)
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


@pytest.mark.parametrize(("days", "more"), [pytest.param(30, "", marks=pytest.mark.slow), (10, "waive batch_near\n")])
def test_without_a_jump_nothing_is_said(days, more):
    assert notes(solve(days, more)) == []


WHOLE = """model "llama-3.1-70b"
dataset { tokens = 1T, sequence_length = 8192 }
hardware { gpu = "H100-SXM5-80GB", gpus = ? }
parallelism { framework = megatron, tensor = 8, pipeline = 20, zero_stage = 1 }
training { global_batch = 8M tokens, micro_batch = 1, recompute = none }
require deadline: time <= 30 days
minimize hardware.gpus
"""


@pytest.mark.slow
def test_whole_replicas_name_the_degree_that_gets_the_neighbour():
    solution = api.solve("-", text=WHOLE)
    (note,) = notes(solution)
    found = re.fullmatch(
        r"hardware\.gpus = (\d+) GPUs would do with (parallelism\.\w+) = (\d+) \(`data_parallel`\)", note
    )
    assert found is not None and int(found[1]) < 0.95 * solution.values["hardware.gpus"].value, note
    changed = api.solve("-", text=WHOLE, settings=[("hardware.gpus", found[1]), (found[2], found[3])])
    assert changed.status == "solved"


NODES = """model "llama-2-7b"
dataset { tokens = 100B, sequence_length = 4096 }
hardware { gpu = "A100-SXM4-80GB", gpus = ? in 1..64 }
training { global_batch = 1M tokens }
require deadline: time <= 28 days
minimize hardware.gpus
emit deepspeed
"""

HEADS = """model "qwen2.5-7b"
dataset { tokens = 100B, sequence_length = 4096 }
hardware { gpu = "A100-SXM4-40GB", gpus = ? }
parallelism { framework = megatron, tensor = ? in [1, 2, 3, 4, 8], zero_stage = 1 }
training { global_batch = 1M tokens, recompute = none, micro_batch = 4 }
minimize hardware.gpus
"""


@pytest.mark.parametrize(
    ("text", "rule"), [(NODES, "nodes_are_whole"), pytest.param(HEADS, "heads_divide", marks=pytest.mark.slow)]
)
def test_a_rule_that_no_change_meets_names_the_neighbour_and_no_other_model(text, rule):
    (note,) = notes(api.solve("-", text=text))
    found = re.fullmatch(rf"hardware\.gpus = (\d+) GPUs would do but for `{rule}`", note)
    assert found is not None, note
    settings = [("hardware.gpus", found[1])]
    assert api.solve("-", text=text, settings=settings).status == "infeasible"
    assert api.solve("-", text=f"{text}waive {rule}\n", settings=settings).status == "solved"

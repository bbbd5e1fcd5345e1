"""What DeepSpeed's configuration says of experts, and what it refuses."""

from __future__ import annotations

import json

import pytest

from llmplan import api
from llmplan.emit.render import render

PLAN = """dataset { tokens = 1B, sequence_length = 2048 tokens }
hardware { gpu = "A100-SXM4-80GB", gpus = 8 }
training { global_batch = 64 sequences, micro_batch = 2, recompute = full }
"""


@pytest.mark.parametrize(
    ("model", "stage", "option", "classes"),
    [
        ("olmoe-1b-7b", 3, "", ["OlmoeSparseMoeBlock"]),
        pytest.param("mixtral-8x22b", 3, "", ["MixtralSparseMoeBlock"], marks=pytest.mark.slow),  # by the one that it is like
        pytest.param("deepseekmoe-16b", 3, ' { leaf_module = "Mine" }', ["Mine"], marks=pytest.mark.slow),
        pytest.param("olmoe-1b-7b", 2, "", None, marks=pytest.mark.slow),
        pytest.param("llama-7b", 3, "", None, marks=pytest.mark.slow),
    ],
)
def test_experts_are_gathered_whole(model: str, stage: int, option: str, classes: list[str] | None) -> None:
    text = f'model "{model}" {{ layers = 2 }}\n{PLAN}parallelism.zero_stage = {stage}\nemit deepspeed{option}\n'
    solution = api.solve("-", text=text)
    files, problems = render(solution)
    assert not problems, problems
    said = json.loads(files["ds_config.json"])["zero_optimization"].get("leaf_module")
    assert said == (None if classes is None else {"classes": classes})


@pytest.mark.slow
def test_the_report_says_which_models_are_split() -> None:
    text = f'model "llama-7b" {{ layers = 2 }}\n{PLAN}parallelism {{ zero_stage = 3, tensor = 2 }}\nemit deepspeed\n'
    files, problems = render(api.solve("-", text=text))
    assert not problems, problems
    assert "tensor_parallel.partition_config" in files["report.md"] and "DeepSpeed 0.19.8" in files["report.md"]
    assert "the same batches" in files["report.md"]


def test_a_class_that_nobody_knows_is_asked_for() -> None:
    text = f'model "deepseekmoe-16b" {{ layers = 2 }}\n{PLAN}parallelism.zero_stage = 3\nemit deepspeed\n'
    solution = api.solve("-", text=text)
    assert solution.status == "infeasible"
    assert [found.name for found in solution.requirements if found.holds is False] == ["deepspeed_leaf"]


@pytest.mark.usefixtures("no_advice")
def test_what_deepspeed_does_not_offload_is_refused_before_anything_is_emitted() -> None:
    text = f'model "llama-7b" {{ layers = 2 }}\n{PLAN}parallelism {{ framework = deepspeed, zero_stage = %s, offload = all }}\n'
    solution = api.solve("-", text=text % 1)
    assert [one.name for one in solution.requirements if one.holds is False] == ["deepspeed_offload"]
    assert api.solve("-", text=text % "?").values["parallelism.zero_stage"].value == 3

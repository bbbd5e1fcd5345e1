"""A framework is what it can run: layouts are judged where a plan names it, swept or searched too, without `emit`."""

from pathlib import Path

import pytest

from llmplan import api

PLAN = """model "llama-2-13b"
dataset { tokens = 100B, sequence_length = 4096 }
hardware { gpu = "A100-SXM4-80GB", gpus = 64 }
training.global_batch = 1024 sequences
"""
OPEN = PLAN + "parallelism { zero_stage = ?, tensor = ?, pipeline = ? }\nminimize time\n"
SPLIT = PLAN + "parallelism { zero_stage = 3, pipeline = 2 }\n"

MODELS = """model = ? in [{models}]
dataset {{ tokens = 100B, sequence_length = 4096 }}
hardware {{ gpu = "H100-SXM5-80GB", gpus = 128 }}
training.global_batch = 1024 sequences
maximize model.params_total
emit torchtitan
"""


@pytest.fixture(autouse=True)
def quickly(no_advice: None) -> None:
    """These tests look at answers alone."""


def failing(text: str) -> dict[str, str | None]:
    solution = api.solve("-", text=text)
    return {found.name: found.otherwise for found in solution.requirements if found.holds is False}


def found(text: str) -> dict[str, object]:
    solution = api.solve("-", text=text)
    assert solution.status == "solved", solution.diagnostics
    return {unknown.path: unknown.value.amount.value for unknown in solution.unknowns}


@pytest.mark.parametrize("framework", ["fsdp", "megatron", "deepspeed", "torchtitan"])
def test_a_swept_framework_is_given_what_it_can_run(framework: str, tmp_path: Path) -> None:
    plan = tmp_path / "a.plan"
    plan.write_text(OPEN + f"sweep parallelism.framework in [{framework}]\n")
    (row,) = api.sweep(str(plan))[0].rows
    stage, stages = (row.unknowns[f"parallelism.{name}"].value for name in ("zero_stage", "pipeline"))
    assert stages == 1 or (framework != "fsdp" and stage <= 1)


def test_a_search_over_frameworks_leaves_out_what_none_can_run() -> None:
    open_framework = "parallelism.framework = ? in [deepspeed, fsdp]\nminimize time\n"
    assert list(failing(SPLIT + open_framework)) != []
    assert (
        found(SPLIT.replace("zero_stage = 3", "zero_stage = 1") + open_framework)["parallelism.framework"]
        == "deepspeed"
    )


def test_what_is_refused_names_the_software() -> None:
    said = failing(SPLIT + "parallelism.framework = deepspeed\n")
    assert said == {"deepspeed_pipeline_sharding": "DeepSpeed has no pipeline of 2 stages at ZeRO stage 3"}


def test_a_framework_that_nobody_named_and_a_stack_say_themselves_what_they_do() -> None:
    assert failing(SPLIT) == {}
    assert failing(SPLIT + 'stack "megatron-deepspeed"\n') == {}


def test_what_hangs_on_an_open_model_is_judged_for_each() -> None:
    assert found(MODELS.format(models='"llama-3.1-8b", "llama-7b"'))["model"] == "llama-3.1-8b"
    unnamed = 'entry model "own" like "llama-3.1-8b" { layers = 40 }\n'
    assert found(unnamed + MODELS.format(models='"llama-3.1-8b", "own"'))["model"] == "llama-3.1-8b"
    refused = failing(unnamed + MODELS.format(models='"own"'))
    assert "torchtitan_assets" in refused

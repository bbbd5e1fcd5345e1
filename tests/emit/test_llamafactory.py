"""LLaMA-Factory's file: the plan's numbers under its names, and what it cannot do."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from llmplan import api
from llmplan.answer.schema.solution import Solution
from llmplan.check import library
from llmplan.emit.render import render
from tests.emit import telling

PLAN = """model "llama-3.1-8b"
dataset { tokens = 1B, sequence_length = 2048 tokens }
hardware { gpu = "A100-SXM4-80GB", gpus = 8 }
training { global_batch = 64 sequences, micro_batch = 2, recompute = full }
"""
ALONE = "parallelism { zero_stage = 0, framework = ddp }\n"
DEEPSPEED = "parallelism { zero_stage = 2, framework = deepspeed }\n"
TARGET = 'emit llamafactory { dataset = "d", template = "llama3", output = "o" }\n'


def solved(more: str, target: str = TARGET, *settings: tuple[str, str]) -> Solution:
    return api.solve("-", text=PLAN + more + target, settings=settings)


def written(more: str, target: str = TARGET) -> dict[str, Any]:
    solution = solved(more, target)
    assert solution.status == "solved", [d.message for d in solution.diagnostics]
    files, problems = render(solution)
    assert not problems and "ds_config.json" not in files
    assert '-m llamafactory.launcher "$here/llamafactory.yaml" "$@"' in files["launch.sh"]
    found: dict[str, Any] = yaml.safe_load(files["llamafactory.yaml"])
    return found


def test_adapters_beside_a_quantised_base() -> None:
    found = written(DEEPSPEED + 'adapter { method = qlora, rank = 16, targets = ["q_proj", "v_proj"] }\n')
    assert (found["stage"], found["finetuning_type"], found["lora_rank"]) == ("sft", "lora", 16)
    assert (found["quantization_bit"], found["double_quantization"]) == (4, True)
    assert found["lora_target"] == "q_proj,v_proj" and found["cutoff_len"] == 2048
    assert found["deepspeed"]["train_micro_batch_size_per_gpu"] == "auto"
    assert found["disable_gradient_checkpointing"] is False and "gradient_checkpointing" not in found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task", "stage", "loss", "samples"),
    [
        ("dpo", "dpo", "sigmoid", 1),
        ("ipo", "dpo", "ipo", 1),
        ("orpo", "dpo", "orpo", 1),
        ("simpo", "dpo", "simpo", 1),
        ("kto", "kto", None, 2),
    ],
)
def test_preferences(task: str, stage: str, loss: str | None, samples: int) -> None:
    found = written(f"{DEEPSPEED}training.task = {task}\nadapter.method = lora\n")
    assert (found["stage"], found.get("pref_loss")) == (stage, loss)
    assert found["per_device_train_batch_size"] == samples and "packing" not in found


@pytest.mark.slow
def test_a_run_by_epochs() -> None:
    text = PLAN.replace("tokens = 1B", "samples = 1000, mean_length = 300 tokens")
    solution = api.solve("-", text=text + DEEPSPEED + "adapter.method = lora\n" + TARGET)
    found = yaml.safe_load(render(solution)[0]["llamafactory.yaml"])
    assert found["num_train_epochs"] == 3 and "max_steps" not in found and isinstance(found["warmup_steps"], int)


REFUSED: dict[str, Any] = {
    "llamafactory_alone": (DEEPSPEED + "emit accelerate\n", TARGET),
    "llamafactory_framework": ("parallelism { zero_stage = 3, framework = fsdp }\n", TARGET),
    "llamafactory_context": ("parallelism { zero_stage = 3, framework = deepspeed, context = 2 }\n", TARGET),
    "llamafactory_replicas": ("parallelism { zero_stage = 3, framework = deepspeed, replicas = 2 }\n", TARGET),
    "llamafactory_weights": (DEEPSPEED + "model.layers = 16\n", TARGET),
    "llamafactory_dataset": (DEEPSPEED, 'emit llamafactory { template = "t" }\n'),
    "llamafactory_evaluation": (DEEPSPEED + "training.evaluation_batch = 8 sequences\n", TARGET),
    "llamafactory_precision": (DEEPSPEED, TARGET, ("training.precision", "fp8"), ("hardware.gpu", '"H100-SXM5-80GB"')),
    "llamafactory_kernels": (DEEPSPEED + "training.loss = linear\n", TARGET),
    "llamafactory_update": (ALONE + "adapter.method = lora\ntraining.update = foreach\n", TARGET),
    "llamafactory_weights_dtype": (ALONE + "training.parameter_dtype = bf16\n", TARGET),
    "llamafactory_adapter": (DEEPSPEED + "adapter { method = lora, base_bytes = 1 bytes/parameter }\n", TARGET),
    "llamafactory_rows": (DEEPSPEED + "dataset.batching = grouped\n", TARGET),
    "llamafactory_reference": (DEEPSPEED + "training.task = dpo\nreference.place = precomputed\n", TARGET),
    "llamafactory_mismatched": (DEEPSPEED + "training.task = kto\n", TARGET, ("training.micro_batch", "1")),
    "method_written": (DEEPSPEED + "training.task = reward\n", TARGET),
}


@pytest.mark.quick(2)
@pytest.mark.usefixtures("no_advice")
@pytest.mark.parametrize("name", REFUSED)
def test_what_it_cannot_do_is_a_requirement(name: str) -> None:
    assert telling.names(solved(*REFUSED[name]), name)


def test_each_requirement_is_tried() -> None:
    own = {name for name in library.load()[0].rules if name.startswith("llamafactory_")}
    assert set(REFUSED) == own | {"method_written"}

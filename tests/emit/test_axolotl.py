"""Axolotl's file: the plan's numbers under its names, and what it cannot do."""

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
DEEPSPEED = "parallelism { zero_stage = 2, framework = deepspeed }\n"
SHARDED = "parallelism { zero_stage = 3, framework = fsdp }\n"
ALONE = "parallelism { zero_stage = 0, framework = ddp }\n"
TARGET = 'emit axolotl { dataset = "d", type = "alpaca", output = "o" }\n'


def solved(more: str, target: str = TARGET, *settings: tuple[str, str]) -> Solution:
    return api.solve("-", text=PLAN + more + target, settings=settings)


def written(more: str) -> dict[str, Any]:
    solution = solved(more)
    assert solution.status == "solved", [d.message for d in solution.diagnostics]
    files, problems = render(solution)
    assert not problems and "ds_config.json" not in files
    assert '-m axolotl.cli.train "$here/axolotl.yaml" "$@"' in files["launch.sh"]
    found: dict[str, Any] = yaml.safe_load(files["axolotl.yaml"])
    return found


def test_adapters_beside_a_quantised_base() -> None:
    found = written(DEEPSPEED + "adapter { method = qlora, rank = 16 }\n")
    assert (found["adapter"], found["load_in_4bit"], found["lora_r"]) == ("qlora", True, 16)
    assert found["lora_target_linear"] is True and "lora_target_modules" not in found
    assert (found["micro_batch_size"], found["sequence_len"], found["sample_packing"]) == (2, 2048, True)
    assert found["deepspeed"]["zero_optimization"]["stage"] == 2 and found["datasets"] == [
        {"path": "d", "type": "alpaca"}
    ]


@pytest.mark.slow
def test_all_weights_are_sharded() -> None:
    found = written(SHARDED)
    assert found["fsdp_version"] == 2 and found["fsdp_config"]["reshard_after_forward"] is True
    assert found["fsdp_config"]["activation_checkpointing"] is True and found["gradient_checkpointing"] is False
    assert "adapter" not in found


@pytest.mark.slow
def test_kernels_of_liger() -> None:
    found = written(DEEPSPEED + "training { kernels = fused, loss = linear }\nadapter.method = lora\n")
    assert found["plugins"] == ["axolotl.integrations.liger.LigerPlugin"]
    assert found["liger_rms_norm"] and found["liger_fused_linear_cross_entropy"] and "liger_cross_entropy" not in found


REFUSED: dict[str, Any] = {
    "axolotl_alone": (DEEPSPEED + "emit accelerate\n", TARGET),
    "axolotl_task": (DEEPSPEED + "training.task = dpo\n", TARGET),
    "axolotl_context": ("parallelism { zero_stage = 3, framework = deepspeed, context = 2 }\n", TARGET),
    "axolotl_replicas": ("parallelism { zero_stage = 3, framework = fsdp, replicas = 2 }\n", TARGET),
    "axolotl_model": (DEEPSPEED + "model.layers = 16\n", TARGET),
    "axolotl_dataset": (DEEPSPEED, 'emit axolotl { type = "alpaca" }\n'),
    "axolotl_evaluation": (DEEPSPEED + "training.evaluation_batch = 8 sequences\n", TARGET),
    "axolotl_precision": (DEEPSPEED, TARGET, ("training.precision", "fp8"), ("hardware.gpu", '"H100-SXM5-80GB"')),
    "axolotl_loss": (DEEPSPEED + "training { kernels = compiled, loss = linear }\n", TARGET),
    "axolotl_update": (ALONE + "adapter.method = lora\ntraining.update = foreach\n", TARGET),
    "axolotl_weights": (ALONE, TARGET),
    "axolotl_adapter": (DEEPSPEED + "adapter { method = lora, base_bytes = 1 bytes/parameter }\n", TARGET),
    "axolotl_rows": (DEEPSPEED + "dataset.batching = grouped\n", TARGET),
}


@pytest.mark.quick(2)
@pytest.mark.usefixtures("no_advice")
@pytest.mark.parametrize("name", REFUSED)
def test_what_it_cannot_do_is_a_requirement(name: str) -> None:
    assert telling.names(solved(*REFUSED[name]), name)


def test_each_requirement_is_tried() -> None:
    assert set(REFUSED) == {name for name in library.load()[0].rules if name.startswith("axolotl_")}

"""trainer.yaml: what the Trainer of Lightning is told, and which plans it has no keys for."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pytest
import yaml

from llmplan import api
from llmplan.emit.render import render

PLAN = """model "llama-7b" { layers = 8 }
dataset { tokens = 1B, sequence_length = 1024 tokens }
hardware { gpu = "H100-SXM5-80GB", gpus = 16 }
training { global_batch = 256 sequences, micro_batch = 2, recompute = full }
emit lightning
"""
SHARDED, ALONE = "parallelism.zero_stage = 3", "parallelism.zero_stage = 0"


@lru_cache
def files(*more: str) -> dict[str, str]:
    solution = api.solve("-", text=PLAN + "\n".join(more))
    assert solution.status == "solved", [d.message for d in solution.diagnostics]
    written, problems = render(solution)
    assert not [p for p in problems if p.severity == "error"], problems
    return written


def trainer(*more: str) -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load(files(*more)["trainer.yaml"])["trainer"]
    return read


def test_a_module_shards_itself_within_the_strategy() -> None:
    told = trainer(SHARDED)
    assert (told["devices"], told["num_nodes"]) == (8, 2)
    assert told["strategy"]["class_path"] == "ModelParallelStrategy"
    assert told["strategy"]["init_args"]["data_parallel_size"] == 16
    assert told["precision"] == "32-true", "the policy of `fully_shard` says what is computed in"
    assert told["accumulate_grad_batches"] == 256 // 2 // 16
    report = files(SHARDED)["report.md"]
    assert "param_dtype=torch.bfloat16, reduce_dtype=torch.float32" in report
    assert "Save a checkpoint every" not in report, "the Trainer does"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("precision", "said"), [("bf16", "bf16-mixed"), ("fp16", "16-mixed"), ("fp32", "32-true"), ("tf32", "32-true")]
)
def test_replicas_of_the_whole_model(precision: str, said: str) -> None:
    told = trainer(ALONE, f"training.precision = {precision}")
    assert (told["strategy"]["class_path"], told["precision"]) == ("DDPStrategy", said)


def test_it_goes_on_from_its_last_checkpoint() -> None:
    document = yaml.safe_load(files(SHARDED)["trainer.yaml"])
    (saving,) = document["trainer"]["callbacks"]
    assert document["ckpt_path"] == "last" and saving["init_args"]["save_last"] == "link"
    assert saving["init_args"]["save_top_k"] == -1


@pytest.mark.slow
def test_what_is_logged_and_kept() -> None:
    assert trainer(SHARDED)["logger"] is False
    more = ('launch { log_to = wandb, run_name = "r" }', 'lightning { output = "o: [p] #", checkpoints = 3 }')
    told = trainer(SHARDED, *more)
    assert told["logger"] == {"class_path": "WandbLogger", "init_args": {"save_dir": "o: [p] #", "name": "r"}}
    assert told["callbacks"][0]["init_args"]["dirpath"] == "o: [p] #/checkpoints"
    assert told["callbacks"][0]["init_args"]["save_top_k"] == 3
    assert trainer(SHARDED, "launch.log_to = tensorboard")["logger"]["class_path"] == "TensorBoardLogger"


REFUSED = [
    (("parallelism { framework = deepspeed, zero_stage = 3 }",), "lightning_framework"),
    (("parallelism { framework = ddp, zero_stage = 2 }",), "lightning_zero"),
    ((SHARDED, "parallelism.tensor = 2"), "lightning_tensor"),
    ((SHARDED, "parallelism.context = 2"), "lightning_tensor"),
    ((SHARDED, "parallelism.pipeline = 2"), "lightning_pipeline"),
    ((SHARDED, "parallelism.expert_tensor = 2"), "lightning_expert"),
    ((SHARDED, "parallelism.replicas = 2"), "lightning_replicas"),
    (("parallelism { zero_stage = 2, reshard = true }",), "lightning_reshard"),
    ((SHARDED, "parallelism.sync_each_batch = false"), "lightning_sync"),
    ((SHARDED, "parallelism.offload = all"), "lightning_offload"),
    ((SHARDED, "adapter.method = lora"), "lightning_adapter"),
    ((SHARDED, "training.precision = fp8"), "lightning_precision"),
    ((SHARDED, "training.precision = fp16"), "lightning_precision"),
    ((SHARDED, "training.gradient_dtype = bf16"), "lightning_weights"),
    ((ALONE, "training.reduce_dtype = bf16"), "lightning_reduce"),
    ((SHARDED, "parallelism.prefetch = false"), "lightning_overlap"),
    ((SHARDED, "emit accelerate"), "lightning_alone"),
]


@pytest.mark.parametrize(
    ("more", "name"),
    [pytest.param(*case, marks=[pytest.mark.slow] * (place > 3)) for place, case in enumerate(REFUSED)],
)
@pytest.mark.usefixtures("no_advice")
def test_what_it_has_no_key_for(more: tuple[str, ...], name: str) -> None:
    solution = api.solve("-", text=PLAN + "\n".join(more))
    assert solution.status in ("infeasible", "error")
    assert name in str(solution.diagnostics), [d.message for d in solution.diagnostics]

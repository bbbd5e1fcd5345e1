"""One course of the learning rate and one optimizer, whatever stack a plan is written for."""

from __future__ import annotations

import json
from typing import Any

import pytest

from llmplan import api
from llmplan.emit.render import render

PLAN = """model "llama-7b"
dataset {{ tokens = 10B, sequence_length = 2048 tokens }}
hardware {{ gpu = "H100-SXM5-80GB", gpus = 64 }}
parallelism {{ zero_stage = {stage} }}
training {{ global_batch = 256 sequences, micro_batch = 1, recompute = full, {training} }}
emit {emits}
"""
TRAINER = 'huggingface { model = "m", dataset = "d", output = "o" }'


def written(emits: str, training: str = "", stage: int = 3) -> dict[str, str]:
    solution = api.solve("-", text=PLAN.format(emits=emits, training=training or "precision = bf16", stage=stage))
    assert solution.status == "solved", [one.message for one in solution.diagnostics]
    files, problems = render(solution)
    assert not problems, problems
    return files


def exported(files: dict[str, str]) -> dict[str, str]:
    lines = (line for line in files["launch.sh"].splitlines() if line.startswith("export LLMPLAN_"))
    return dict(line.removeprefix("export LLMPLAN_").split("=", 1) for line in lines)


def test_all_stacks_train_alike() -> None:
    """A tenth of the rate is left, and 0.95 decays the second moment, in pre-training."""
    deepspeed = json.loads(written("deepspeed")["ds_config.json"])
    assert deepspeed["optimizer"]["params"]["betas"] == [0.9, 0.95] and deepspeed["optimizer"]["params"]["eps"] == 1e-8
    assert deepspeed["scheduler"]["params"]["cos_min_ratio"] == 0.1
    said = exported(written("accelerate"))
    assert (said["BETA1"], said["BETA2"], said["EPSILON"]) == ("0.9", "0.95", "1e-08")
    assert (said["RATE_SCHEDULE"], said["LOWEST_RATE"]) == ("cosine", "0.1")
    trainer = json.loads(written(TRAINER)["training_args.json"])
    assert (trainer["adam_beta1"], trainer["adam_beta2"], trainer["adam_epsilon"]) == (0.9, 0.95, 1e-8)
    assert trainer["lr_scheduler_type"] == "cosine_with_min_lr"
    assert trainer["lr_scheduler_kwargs"] == {"min_lr_rate": 0.1}
    megatron = written("megatron", stage=1)["megatron.args"].splitlines()
    assert {"--adam-beta2 0.95", "--min-lr 3e-05", "--lr-decay-style cosine"} <= set(megatron)
    titan = pytest.importorskip("tomllib").loads(written("torchtitan")["torchtitan.toml"])
    assert (titan["optimizer"]["beta2"], titan["optimizer"]["eps"]) == (0.95, 1e-8)
    assert titan["lr_scheduler"]["min_lr_factor"] == 0.1


@pytest.mark.slow
def test_a_rate_that_falls_at_the_end_alone() -> None:
    """19,074 steps, of which the last 1,908 fall."""
    wsd = "rate_schedule = wsd, lowest_rate = 0.05"
    trainer = json.loads(written(TRAINER, wsd)["training_args.json"])
    assert trainer["lr_scheduler_type"] == "warmup_stable_decay"
    assert trainer["lr_scheduler_kwargs"] == {"num_decay_steps": 1908, "decay_type": "linear", "min_lr_ratio": 0.05}
    megatron = written("megatron", wsd, stage=1)["megatron.args"].splitlines()
    assert {"--lr-decay-style WSD", "--lr-wsd-decay-style linear", "--lr-wsd-decay-iters 1908"} <= set(megatron)
    titan = pytest.importorskip("tomllib").loads(written("torchtitan", wsd)["torchtitan.toml"])["lr_scheduler"]
    assert (titan["decay_type"], titan["decay_ratio"], titan["min_lr_factor"]) == ("linear", 0.100031, 0.05)
    assert exported(written("accelerate\nparallelism.framework = fsdp", wsd))["DECAY_STEPS"] == "1908"
    refused = api.solve("-", text=PLAN.format(emits="deepspeed", training=wsd, stage=3)).diagnostics
    assert any("deepspeed_rate" in one.message for one in refused)


@pytest.mark.parametrize(("momentum", "numbers"), [(0.9, 1), (0, 0)])
def test_sgd_keeps_what_is_written(momentum: float, numbers: int) -> None:
    training = f"optimizer = sgd, momentum = {momentum}"
    solution = api.solve("-", text=PLAN.format(emits="deepspeed", training=training, stage=0))
    kept = solution.values["training.optimizer_numbers"].value
    assert kept == numbers * float(solution.values["model.params_total"].value or 0)
    config = json.loads(written("deepspeed", training)["ds_config.json"])["optimizer"]
    assert config["type"] == "SGD" and config["params"]["momentum"] == momentum and "betas" not in config["params"]


@pytest.mark.slow
@pytest.mark.parametrize("momentum", [0.9, 0])
def test_sgd_of_other_stacks(momentum: float) -> None:
    training = f"optimizer = sgd, momentum = {momentum}"
    arguments: dict[str, Any] = json.loads(
        written(TRAINER, training + ", master_dtype = none").get("training_args.json", "{}")
    )
    assert (arguments["optim"], arguments["optim_args"]) == ("sgd", f"momentum={momentum}")
    assert f"--sgd-momentum {momentum}" in written("megatron", training, stage=1)["megatron.args"].splitlines()
    assert exported(written("accelerate", training))["MOMENTUM"] == f"{momentum}"


FORMER = [
    ("megatron", "lowest_rate = 0.2", "training.lowest_rate = 0.2"),
    ("torchtitan", "adam_beta2 = 0.9", "training.beta2 = 0.9"),
    ("deepspeed", "schedule = linear", "training.rate_schedule = linear"),
    ("huggingface", "schedule = constant", "training.rate_schedule = constant"),
]


@pytest.mark.parametrize(("target", "option", "now"), FORMER)
def test_what_was_an_option_of_one_target(target: str, option: str, now: str) -> None:
    for text in (f"emit {target} {{ {option} }}", f"emit {target}\n{target}.{option}"):
        found = next(one for one in api.check("-", text=text) if one.code == "E0202")
        edited = text
        for edit in sorted(found.hints[0].edits, key=lambda one: -one.span.start):
            edited = edited[: edit.span.start] + edit.text + edited[edit.span.end :]
        assert now in edited.splitlines() and "E0202" not in [one.code for one in api.check("-", text=edited)]

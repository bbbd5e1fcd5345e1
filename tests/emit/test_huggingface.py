"""The arguments of the Trainer and of TRL: the plan's numbers under the trainers' names, and what neither can do."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from llmplan import api
from llmplan.answer.schema.solution import Solution
from llmplan.check import library
from llmplan.emit.render import render

PLAN = """model "llama-7b"
dataset { tokens = 1B, sequence_length = 2048 tokens }
hardware { gpu = "A100-SXM4-80GB", gpus = 8 }
training { global_batch = 64 sequences, micro_batch = 2, recompute = full }
"""
WHAT = 'model = "a/b", dataset = "c/d", output = "runs/it\'s"'
TRAINER, TRL = f"emit huggingface {{ {WHAT} }}\n", f"emit huggingface {{ trainer = trl, {WHAT} }}\n"


def solved(more: str, *settings: tuple[str, str]) -> Solution:
    return api.solve("-", text=PLAN + more, settings=settings)


def files(more: str, *settings: tuple[str, str]) -> dict[str, str]:
    solution = solved(more, *settings)
    assert solution.status == "solved", [d.message for d in solution.diagnostics]
    written, problems = render(solution)
    assert not problems, problems
    return written


def arguments(written: dict[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = (
        yaml.safe_load(written["sft.yaml"]) if "sft.yaml" in written else json.loads(written["training_args.json"])
    )
    return found


def test_the_plan_is_what_the_trainer_does() -> None:
    written = files("parallelism { zero_stage = 3 }\n" + TRAINER)
    assert "sft.yaml" not in written and "ds_config.json" not in written and "accelerate.yaml" not in written
    found = arguments(written)
    assert (found["per_device_train_batch_size"], found["gradient_accumulation_steps"]) == (2, 4)
    assert (found["max_steps"], found["output_dir"], found["bf16"]) == (7630, "runs/it's", True)
    assert found["fsdp"] is True and found["fsdp_config"]["reshard_after_forward"] is True
    # FSDP recomputes its own layers; both at once would recompute twice.
    assert found["fsdp_config"]["activation_checkpointing"] is True and found["gradient_checkpointing"] is False
    # Otherwise FSDP keeps all gradients whole until the last micro-batch.
    assert found["accelerator_config"] == {"gradient_accumulation_kwargs": {"sync_each_batch": True}}
    assert 'export LLMPLAN_TRAINING_ARGS="$here/training_args.json"\n' in written["launch.sh"]


def test_deepspeed_takes_what_the_arguments_say() -> None:
    found = arguments(files("parallelism { zero_stage = 2, framework = deepspeed }\n" + TRAINER))
    inside = found["deepspeed"]
    assert inside["train_micro_batch_size_per_gpu"] == inside["gradient_accumulation_steps"] == "auto"
    assert inside["gradient_clipping"] == inside["bf16"]["enabled"] == inside["optimizer"]["params"]["lr"] == "auto"
    assert "scheduler" not in inside and found["lr_scheduler_type"] == "cosine_with_min_lr"
    assert inside["zero_optimization"]["stage"] == 2 and "fsdp" not in found


@pytest.mark.slow
def test_a_file_for_deepspeed_where_it_is_named() -> None:
    written = files("parallelism { zero_stage = 2 }\nemit deepspeed\n" + TRAINER)
    assert json.loads(written["ds_config.json"]) == arguments(written)["deepspeed"]
    alone = files("parallelism { zero_stage = 2 }\nemit deepspeed { trainer = huggingface }\n")
    assert json.loads(alone["ds_config.json"])["bf16"] == {"enabled": "auto"}


@pytest.mark.slow
@pytest.mark.parametrize("target", [TRAINER, TRL], ids=["transformers", "trl"])
def test_samples_are_seen_as_often_as_planned(target: str) -> None:
    """Alpaca by TRL: `max_steps: 9750`, of full sequences, packed its 52,000 samples of 150 tokens some 41 times."""
    text = PLAN.replace("tokens = 1B,", "samples = 52_000,") + "parallelism { zero_stage = 3 }\n" + target

    def written(*settings: tuple[str, str]) -> dict[str, Any]:
        return arguments(render(api.solve("-", text=text, settings=settings))[0])

    for length in ((), (("dataset.mean_length", "150 tokens"),)):
        found = written(*length)
        assert found["num_train_epochs"] == 3 and "max_steps" not in found
        # A tenth of the steps, however many the data makes.
        assert found["warmup_steps"] == pytest.approx(0.1, rel=0.02)
    assert written(("dataset.epochs", "0.5"))["num_train_epochs"] == 0.5
    assert written(("training.warmup", "7 steps"))["warmup_steps"] == 7
    steps = written(("training.steps", "500 steps"))
    assert steps["max_steps"] == 500 and steps["warmup_steps"] == 50 and "num_train_epochs" not in steps


@pytest.mark.slow
def test_adapters_by_trl() -> None:
    written = files(
        'parallelism { zero_stage = 0 }\nadapter { method = qlora, targets = ["q_proj", "v_proj"], rank = 8 }\n' + TRL
    )
    found = arguments(written)
    assert (found["use_peft"], found["lora_r"], found["lora_alpha"], found["lora_dropout"]) == (True, 8, 16, 0.0)
    assert (
        found["lora_target_modules"] == ["q_proj", "v_proj"] and found["load_in_4bit"] and found["use_bnb_nested_quant"]
    )
    assert (found["dtype"], found["max_length"], found["packing"]) == ("bfloat16", 2048, True)
    assert (found["model_name_or_path"], found["dataset_name"]) == ("a/b", "c/d")
    assert "What the training script must do" not in written["report.md"]


@pytest.mark.slow
def test_all_weights_by_trl() -> None:
    found = arguments(files("model.layers = 4\nparallelism { zero_stage = 0 }\n" + TRL))
    assert found["dtype"] == "float32" and "use_peft" not in found and found["ddp_find_unused_parameters"] is False
    assert found["gradient_checkpointing"] is True and found["learning_rate"] == 2e-5  # fine-tuning


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task", "script", "samples", "loss"),
    [
        ("dpo", "dpo", 4, ["sigmoid"]),
        ("ipo", "dpo", 4, ["ipo"]),
        ("kto", "kto", 8, None),
        ("reward", "reward", 4, None),
    ],
)
def test_preferences_by_trl(task: str, script: str, samples: int, loss: list[str] | None) -> None:
    """A plan counts sequences, and the software pairs of them."""
    more = f"training.task = {task}\nmodel.layers = 4\nparallelism {{ zero_stage = 0 }}\n"
    written = files(more + TRL, ("training.micro_batch", "8"))
    found = yaml.safe_load(written[f"{script}.yaml"])
    assert found["per_device_train_batch_size"] == samples and found.get("loss_type") == loss
    assert "packing" not in found and found.get("precompute_ref_log_probs") is (False if script != "reward" else None)
    assert f"-m trl.scripts.{script} --config" in written["launch.sh"] and "sft.yaml" not in written


@pytest.mark.slow
def test_weights_are_split_in_groups() -> None:
    text = files("parallelism { zero_stage = 3, replicas = 2 }\n" + TRAINER)["launch.sh"]
    assert (
        "export PARALLELISM_CONFIG_DP_REPLICATE_SIZE=2\n" in text
        and "export PARALLELISM_CONFIG_DP_SHARD_SIZE=4\n" in text
    )


@pytest.mark.slow
def test_sequences_are_shared_between_ranks_of_deepspeed() -> None:
    written = files("parallelism { zero_stage = 3, framework = deepspeed, context = 2 }\n" + TRL)
    assert "export PARALLELISM_CONFIG_SP_SIZE=2\n" in written["launch.sh"]
    assert "export PARALLELISM_CONFIG_DP_SHARD_SIZE=4\n" in written["launch.sh"]
    found = arguments(written)
    assert found["deepspeed"]["sequence_parallel_size"] == 2 and found["gradient_accumulation_steps"] * 2 * 4 == 64


@pytest.mark.slow
def test_a_run_goes_on_from_its_last_whole_checkpoint(tmp_path: Path) -> None:
    text = files("parallelism { zero_stage = 0 }\nadapter.method = lora\n" + TRL)["launch.sh"]
    (tmp_path / "launch.sh").write_text(text)
    (tmp_path / "torchrun").write_text('#!/usr/bin/env bash\nprintf "%s|" "$@"\n')
    (tmp_path / "torchrun").chmod(0o755)

    def started() -> str:
        environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
        done = subprocess.run(
            ["bash", "launch.sh", "--seed", "1"],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.partition("|-m|")[2]

    assert started() == f"trl.scripts.sft|--config|{tmp_path}/sft.yaml|--seed|1|"
    for step, whole in ((9, True), (10, True), (11, False)):
        folder = tmp_path / "runs" / "it's" / f"checkpoint-{step}"
        folder.mkdir(parents=True)
        if whole:
            (folder / "trainer_state.json").touch()
    assert started().endswith("/sft.yaml|--resume_from_checkpoint|runs/it's/checkpoint-10|--seed|1|")


REFUSED = {
    "huggingface_expert": ('model "mixtral-8x7b"', "parallelism { zero_stage = 3, expert = 8 }"),
    "huggingface_weights": ('model "llama-7b" { layers = 16 }', "parallelism { zero_stage = 3 }"),
    "huggingface_dataset": ("", "parallelism { zero_stage = 3 }"),
    "huggingface_framework": ("", "parallelism { zero_stage = 1, framework = megatron }"),
    "huggingface_pipeline": ("", "parallelism { zero_stage = 3, pipeline = 2 }"),
    "huggingface_tensor": ("", "parallelism { zero_stage = 2, framework = deepspeed, tensor = 2 }"),
    "huggingface_context": ("", "parallelism { zero_stage = 3, context = 2 }"),
    "huggingface_recompute": ("", "parallelism { zero_stage = 3 }\ntraining.recompute_layers = 8"),
    "huggingface_kernels": ("", "parallelism { zero_stage = 3 }\ntraining.cuda_graphs = step"),
    "huggingface_loss": ("", "parallelism { zero_stage = 3 }\ntraining.loss = in_place"),
    "huggingface_optimizer": ("", "parallelism { zero_stage = 3 }\ntraining.optimizer = muon"),
    "huggingface_update": ("", "parallelism { zero_stage = 3 }\ntraining.update = single"),
    "huggingface_schedule": (
        "",
        "parallelism { zero_stage = 3 }\ntraining { rate_schedule = linear, lowest_rate = 0.1 }",
    ),
    "huggingface_states": ("", "parallelism { zero_stage = 3 }\ntraining.optimizer_dtype = bf16"),
    "huggingface_master": (
        "",
        "model.layers = 4\nparallelism { zero_stage = 0 }\ntraining { parameter_dtype = bf16, master_dtype = fp32 }",
    ),
    "accelerate_precision": (
        "",
        'parallelism { zero_stage = 3 }\ntraining.precision = fp8\nhardware.gpu = "H100-SXM5-80GB"',
    ),
    "activations_stay": ("", "parallelism { zero_stage = 3 }\ntraining.activation_offload = 0.5"),
}


@pytest.mark.parametrize(
    "name", ["huggingface_expert", *(pytest.param(name, marks=pytest.mark.slow) for name in list(REFUSED)[1:])]
)
def test_what_the_trainer_cannot_do_is_a_requirement(name: str) -> None:
    model, more = REFUSED[name]
    text = PLAN.replace('model "llama-7b"', model or 'model "llama-7b"')
    if "hardware.gpu" in more:
        text, more = text.replace("A100-SXM4-80GB", "H100-SXM5-80GB"), more.rpartition("\n")[0]
    missing = {"huggingface_weights": 'model = "a/b", ', "huggingface_dataset": 'dataset = "c/d", '}
    trainer = TRAINER.replace(missing.get(name, "-"), "")
    solution = api.solve("-", text=f"{text}{more}\n{trainer}")
    # Where the text decides it, nothing is searched first.
    said = " ".join(found.message for found in solution.diagnostics if found.code == "E0406")
    failing = [found.name for found in solution.requirements if found.holds is False]
    assert solution.status == ("error" if said else "infeasible")
    assert name in failing or f"`{name}`" in said


UNTOLD = [
    ("huggingface_model", "training.dropout = 0.1"),
    ("huggingface_tokenizer", 'huggingface.tokenizer = "x"'),
    ("huggingface_model", "training.attention_8bit = true"),
    ("huggingface_restarts", "launch.restarts = 1"),
    ("huggingface_reference", "training.task = kto\nreference.precision = bf16"),
    ("huggingface_padding", "training.task = kto\ndataset.batching = packed"),
    ("huggingface_model", "training.gradient_fusion = true"),
    ("launch_rest", "training.recompute_norms = true"),
    ("huggingface_adapter", "adapter { method = lora, base_bytes = 4 bytes/param }"),
    ("huggingface_adapter", "adapter.method = qlora\ntraining.parameter_dtype = bf16"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "more"), UNTOLD)
def test_what_trl_is_told_by_no_key(name: str, more: str) -> None:
    solution = solved(f"parallelism {{ zero_stage = 3 }}\n{more}\n{TRL}")
    assert [found.name for found in solution.requirements if found.holds is False] == [name]


def test_each_requirement_is_tried() -> None:
    known = {name for name in library.load()[0].rules if name.startswith("huggingface_") and "_script_" not in name}
    tried = {*REFUSED, *(name for name, _ in UNTOLD)}
    assert known == {name for name in tried if name in known} | {"huggingface_steps", "huggingface_mismatched"}


@pytest.mark.slow
def test_kto_compares_with_other_samples_of_a_micro_batch() -> None:
    alone = solved("training.task = kto\nparallelism { zero_stage = 3 }\n" + TRL, ("training.micro_batch", "1"))
    assert [told.name for told in alone.requirements if told.holds is False] == ["huggingface_mismatched"]


@pytest.mark.slow
def test_a_tokenizer_of_its_own() -> None:
    named = "parallelism { zero_stage = 3 }\n" + TRL.replace("trainer = trl", 'trainer = trl, tokenizer = "x"')
    answer = solved(named)
    assert [told.name for told in answer.requirements if told.holds is False] == ["huggingface_tokenizer"]
    files, problems = render(solved(f"{named}\nwaive huggingface_tokenizer\n"))
    assert problems == [] and "tokenizer" not in files["sft.yaml"]


@pytest.mark.slow
def test_steps_are_known_before_anything_is_solved() -> None:
    text = PLAN.replace("tokens = 1B, ", "") + "parallelism { zero_stage = 3 }\n"
    assert [found.code for found in api.check("-", text=text + TRAINER) if found.severity == "error"] == ["E0406"]
    assert [found.code for found in api.check("-", text=text + TRL) if "`dataset.tokens`" in " ".join(found.notes)] == [
        "E0406"
    ]


@pytest.mark.slow
def test_steps_that_are_given_need_no_data() -> None:
    text = PLAN.replace("tokens = 1B, ", "") + "training.steps = 500\nparallelism { zero_stage = 3 }\n" + TRAINER
    solution = api.solve("-", text=text)
    assert arguments(render(solution)[0])["max_steps"] == 500


@pytest.mark.slow
def test_the_catalog_knows_the_name_on_the_hub() -> None:
    what = 'trainer = trl, dataset = "c/d", output = "e"'
    solution = solved(f"parallelism {{ zero_stage = 3 }}\nemit huggingface {{ {what} }}\n")
    hub = solution.values["model.hub"].value
    assert isinstance(hub, str) and hub
    assert yaml.safe_load(render(solution)[0]["sft.yaml"])["model_name_or_path"] == hub

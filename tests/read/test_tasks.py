"""Runs by preferences, rewards and rollouts are told from fine-tuning, however their software says it."""

from __future__ import annotations

import pytest

from llmplan import importing
from tests.read.told import of, reading, said

LLAMAFACTORY = "model_name_or_path: a/b\ntemplate: llama3\nfinetuning_type: lora\ncutoff_len: 2048\n"
AXOLOTL = "base_model: a/b\nsequence_len: 4096\nmicro_batch_size: 2\nadapter: lora\nlora_r: 32\n"
TRL = "--model_name_or_path a/b --dataset_name c/d --per_device_train_batch_size 2 --output_dir o"
SWIFT = "--model a/b --train_type full --dataset d --max_length 2048 --deepspeed zero3"


@pytest.mark.parametrize(
    ("lines", "task"),
    [
        ("stage: sft", "finetune"),
        ("stage: pt", None),
        ("stage: dpo", "dpo"),
        ("stage: dpo\npref_loss: orpo", "orpo"),
        ("stage: kto", "kto"),
        ("stage: ppo", "ppo"),
        ("stage: rm", "reward"),
    ],
)
def test_stages_of_llamafactory(lines: str, task: str | None) -> None:
    assert said(reading(a_yaml=f"{LLAMAFACTORY}{lines}\n"), "training.task") == task


@pytest.mark.parametrize(
    ("lines", "task"),
    [("rl: dpo", "dpo"), ("rl: simpo", "simpo"), ("rl: grpo", "grpo"), ("reward_model: true", "reward")],
)
def test_methods_of_axolotl(lines: str, task: str) -> None:
    assert said(reading(a_yaml=f"{AXOLOTL}{lines}\n"), "training.task") == task
    assert said(reading(a_yaml=f"{AXOLOTL}rl:\n"), "training.task") is None


@pytest.mark.parametrize(
    ("command", "task"),
    [
        (f"swift rlhf --rlhf_type kto {SWIFT}", "kto"),
        (f"swift rlhf {SWIFT}", "dpo"),
        (f"swift rlhf --rlhf_type rm {SWIFT}", "reward"),
        (f"swift dpo {SWIFT}", "dpo"),
        (f"swift sft {SWIFT}", None),
        ("megatron rlhf --rlhf_type dpo --load a-mcore --micro_batch_size 1 --max_length 8192", "dpo"),
        (f"trl sft {TRL}", "finetune"),
        (f"trl dpo {TRL}", "dpo"),
        (f"trl grpo {TRL}", "grpo"),
        (f"trl reward {TRL}", "reward"),
        (f"accelerate launch --num_processes 8 examples/scripts/dpo.py {TRL}", "dpo"),
        (f"accelerate launch --num_processes 8 dpo/run_sft.py {TRL}", "finetune"),
        (f"torchrun --nproc_per_node 8 -m trl.scripts.kto {TRL}", "kto"),
        (f"python scripts/run_orpo.py {TRL}", "orpo"),
        (f"python reward_modeling.py {TRL}", "reward"),
        ("deepspeed --num_gpus 8 train_dpo.py --model_name_or_path a/b --max_length 1024", "dpo"),
        ("tune run --nproc_per_node 2 lora_dpo_distributed --config llama3_1/8B_lora_dpo", "dpo"),
        ("tune run ppo_full_finetune_single_device --config mistral/7B_full_ppo_low_memory", "ppo"),
        ("torchrun --nproc_per_node 8 -m verl.trainer.fsdp_sft_trainer model.partial_pretrain=a/b", "finetune"),
    ],
)
def test_commands_and_scripts(command: str, task: str | None) -> None:
    assert said(of({"run.sh": command}), "training.task") == task


@pytest.mark.parametrize(
    ("calls", "task"),
    [
        ("DPOConfig(output_dir='o')\nDPOTrainer(model=m, args=a)", "dpo"),
        ("TrainingArguments(per_device_train_batch_size=1)\nDPOTrainer(m, None, beta=0.1)", "dpo"),
        ("OnlineDPOConfig(per_device_train_batch_size=1)", "rl"),
        ("GRPOConfig(per_device_train_batch_size=4)\nGRPOTrainer(reward_funcs=f)", "grpo"),
        ("RewardTrainer(model='a/b')", "reward"),
    ],
)
def test_classes_of_trl(calls: str, task: str) -> None:
    assert said(reading(a_py=f"import trl\n{calls}\n"), "training.task") == task


def test_keys_that_only_such_runs_have() -> None:
    text = "model_name_or_path: a/b\nper_device_train_batch_size: 2\noutput_dir: o\n"
    assert said(reading(a_yaml=f"{text}loss_type: sigmoid\n"), "training.task") == "dpo"
    assert said(reading(a_yaml=f"{text}loss_type: nll\n"), "training.task") == "finetune"
    assert said(reading(a_yaml=f"{text}precompute_ref_log_probs: true\n"), "training.task") == "dpo"


def test_the_verdict_is_refused_by_the_name_that_says_it(tmp_path) -> None:
    file = tmp_path / "train.sh"
    file.write_text(f"accelerate launch --num_processes 8 examples/grpo.py {TRL} --max_length 512\n", encoding="utf-8")
    found = [one for one in importing.imported([str(file)], whole=True).diagnostics if one.code == "E0511"]
    assert [one.message.partition(":")[0] for one in found] == ["`examples/grpo.py`"]


def test_a_verdict_names_the_keys_that_it_does_not_count(tmp_path) -> None:
    file = tmp_path / "train.sh"
    file.write_text(
        f"accelerate launch train.py {TRL} --neftune_noise_alpha 5 --odd_key 1 --logging_steps 5\n", encoding="utf-8"
    )

    def noted(whole: bool) -> list[str]:
        found = importing.imported([str(file)], whole=whole).diagnostics
        return [note.partition(" `")[2] for one in found if one.code == "W0623" for note in one.notes]

    assert noted(True) == ["neftune_noise_alpha`: noise on embeddings", "odd_key`: not understood"]
    assert not noted(False)  # `import` lists them in the plan


def test_a_verdict_names_what_no_catalog_has(tmp_path) -> None:
    file = tmp_path / "job.sh"
    start = "#!/bin/bash\n#SBATCH --nodes=1\n#SBATCH --gres=gpu:oddcard:8\n"
    file.write_text(f"{start}torchrun --nproc_per_node 8 train.py {TRL}\n", encoding="utf-8")
    (found,) = [one for one in importing.imported([str(file)], whole=True).diagnostics if one.code == "W0623"]
    assert "no gpu of this name" in found.notes[0]

"""Configurations where a command takes a plan: judged as they are, changed where they stand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from llmplan.cli import run

FSDP = """distributed_type: FSDP
fsdp_config: {fsdp_version: 2, fsdp_reshard_after_forward: true}
mixed_precision: bf16
num_processes: 8
"""
ARGUMENTS = {
    "model_name_or_path": "meta-llama/Llama-3.1-8B",
    "dataset_name": "a/b",
    "output_dir": "out",
    "bf16": True,
    "per_device_train_batch_size": 1,
    "gradient_checkpointing": True,
    "max_length": 4096,
    "max_steps": 100,
}
LORA = ARGUMENTS | {"use_peft": True, "lora_r": 16, "use_liger_kernel": True, "eval_strategy": "steps"}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_run_is_judged_by_the_files_that_it_has(capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever llmplan could write for it."""
    Path("args.json").write_text(json.dumps(ARGUMENTS | {"optim": "adafactor"}))
    Path("fsdp.yaml").write_text(FSDP)
    assert run(["check", "args.json", "fsdp.yaml", "--gpu", "H100"]) == 0
    assert run(["compile", "args.json", "fsdp.yaml", "--gpu", "H100", "-o", "out"]) == 3
    assert "huggingface_update" in capsys.readouterr().err


def test_a_change_that_needs_a_new_key_is_made(capsys: pytest.CaptureFixture[str]) -> None:
    Path("lora.json").write_text(json.dumps(LORA, indent=2))
    command = ["solve", "lora.json", "--gpus", "1", "--gpu", "RTX-4090"]
    assert run(command) == 3
    assert "1: `lora.json: + per_device_eval_batch_size: 1`" in capsys.readouterr().err
    assert run([*command, "--fix", "--yes"]) == 0
    assert json.loads(Path("lora.json").read_text()) == {"per_device_eval_batch_size": 1, **LORA}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.sh", "NPROC_PER_NODE=8 swift sft --model Qwen/Qwen2.5-14B --train_type full --max_length 2048"),
        ("a.yaml", "model_name_or_path: Qwen/Qwen2.5-14B\nstage: sft\nfinetuning_type: full\ncutoff_len: 2048\n"),
        ("a.yaml", "base_model: Qwen/Qwen2.5-14B\nsequence_len: 2048\nmicro_batch_size: 1\noptimizer: adamw_torch\n"),
    ],
)
def test_what_shards_nothing_is_not_searched(name: str, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(name).write_text(text)
    assert run(["check", name, "--gpu", "A100-80GB", "--gpus", "8"]) == 3
    assert "fits no " in capsys.readouterr().out

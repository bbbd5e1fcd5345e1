"""Runs whose speed nobody can tell: padded samples of unknown length, and more than the peak of the planned cards."""

from __future__ import annotations

from pathlib import Path

import pytest

from llmplan.cli import run
from tests.logs import synthetic

CONFIG = """model_name_or_path: meta-llama/Llama-3.1-8B
max_length: 4096
packing: false
per_device_train_batch_size: 4
gradient_accumulation_steps: 2
bf16: true
gradient_checkpointing: true
max_steps: 300
output_dir: out
dataset_name: trl-lib/Capybara
"""
ARGUMENTS = ["--gpu", "H100", "--gpus", "8"]
FAST = """model "llama-3-8b"
dataset { tokens = 1T, sequence_length = 8192 }
hardware { gpu = "H100-SXM5-80GB", gpus = 64 }
parallelism { tensor = 2, pipeline = 1, zero_stage = 1 }
training { precision = bf16, global_batch = 512 sequences, micro_batch = 1, recompute = selective }
"""
pytestmark = pytest.mark.usefixtures("no_advice")


def log(memory: str = "") -> str:
    lines = []
    for step in range(1, 301):
        seconds = int(1.7 * step)
        lines.append(f"{{'loss': 1.2,{memory} 'learning_rate': 1e-05, 'epoch': {step / 300:.2f}}}")
        lines.append(f"\r{step // 3:3d}%|##   | {step}/300 [{seconds // 60:02d}:{seconds % 60:02d}<10:00,  1.70s/it]")
    return "\n".join(lines) + "\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sft.yaml").write_text(CONFIG)
    (tmp_path / "run.log").write_text(log())
    return tmp_path


def test_padded_samples_of_unknown_length_have_no_speed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["verify", "sft.yaml", "run.log"], ["calibrate", "run.log", "sft.yaml"]):
        assert run([*command, *ARGUMENTS]) == 1
        told = capsys.readouterr()
        assert "E0517" in told.err and "dataset.mean_length" in told.err and "mfu" not in told.out
        assert run([*command, *ARGUMENTS, "--set", "dataset.mean_length=1000"]) == 0
        assert "step_time" in capsys.readouterr().out


def test_what_the_log_says_of_memory_is_compared_all_the_same(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "run.log").write_text(log(" 'memory/device_reserved (GiB)': 60.5,"))
    assert run(["verify", "sft.yaml", "run.log", *ARGUMENTS]) in (0, 3)
    told = capsys.readouterr()
    assert "W0629" in told.err and "memory.reserved" in told.out and "step_time" not in told.out


def test_a_speed_beyond_the_peak_is_of_another_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "sft.yaml").write_text(CONFIG.replace("packing: false", "packing: true"))
    for command in (["verify", "sft.yaml", "run.log"], ["calibrate", "run.log", "sft.yaml"]):
        assert run([*command, "--gpu", "A100", "--gpus", "8"]) == 1
        told = capsys.readouterr()
        assert "E0568" in told.err and "mfu" not in told.out
        assert "more than the planned 8 GPUs: `--gpus N`" in told.err and "dataset.mean_length" in told.err


def test_the_help_is_of_the_plan_that_is_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a plan `--gpus` is refused; what the log says itself is not asked for, nor the samples of a text."""
    made = synthetic.Made((9.0, *[0.9] * 40), batch=512, micro=1, length=8192, gpus=64, tensor=2, pipeline=1)
    (tmp_path / "run.log").write_bytes(synthetic.megatron(made).text)
    (tmp_path / "a.plan").write_text(FAST)
    assert run(["verify", str(tmp_path / "a.plan"), str(tmp_path / "run.log")]) == 1
    told = capsys.readouterr().err
    assert "E0568" in told and "--gpus" not in told and "hardware.gpus" not in told and "mean_length" not in told
    assert "`--set hardware.gpu=NAME`" in told

"""Questions of those on call: which file is the log, what nobody has said, when the run ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from llmplan.cli import run

BANNER = """***** Running training *****
  Instantaneous batch size per device = 2
  Total train batch size (w. parallel, distributed & accumulation) = 64
  Gradient Accumulation steps = 4
  Total optimization steps = 2,000
"""
DEEPSPEED = {
    "bf16": {"enabled": True},
    "zero_optimization": {"stage": 3},
    "train_micro_batch_size_per_gpu": 2,
    "gradient_accumulation_steps": 4,
}
MODEL = {
    "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
    "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256, "max_position_embeddings": 8192,
}  # fmt: skip
CONFIGS = ("ds_config.json", "config.json")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ds_config.json").write_text(json.dumps(DEEPSPEED))
    Path("config.json").write_text(json.dumps(MODEL))
    lines = []
    for step in range(1, 101):
        clock = int(step * 10.2)
        lines.append(f" 5%|#| {step}/2000 [{clock // 60:02d}:{clock % 60:02d}<3:00:00, 10.20s/it]")
        if step % 10 == 0:
            lines.append(f"{{'loss': 1.5, 'learning_rate': 1e-05, 'epoch': {step / 2000:.3f}}}")
    Path("run.log").write_text(BANNER + "\n".join(lines) + "\n")


def test_the_log_may_be_named_first_and_says_when_it_ends(capsys: pytest.CaptureFixture[str]) -> None:
    answers = []
    for files in (("run.log", *CONFIGS), (*CONFIGS, "run.log")):
        assert run(["verify", *files, "--gpu", "H100", "--gpus", "8"]) in (0, 3)
        answers.append(capsys.readouterr().out)
    assert answers[0] == answers[1]
    assert "after step 100 of 2,000 the rest takes 5.38 hours as seen" in answers[0]


def test_what_nobody_says_is_asked_for_before_runs_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify", *CONFIGS, "run.log", "--gpu", "H100"]) == 1
    assert "E0560" in (told := capsys.readouterr().err) and "`--gpus N`" in told


def test_a_file_without_a_model_says_what_that_means(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["calibrate", "run.log", "--gpu", "H100", "--gpus", "8"]) == 0
    out = capsys.readouterr().out
    assert "# Neither in the log nor in a plan: model, dataset.sequence_length." in out
    assert "taken from the plan that uses it" in out


@pytest.mark.parametrize(
    "command", [["verify", "ds_config.json", "run.log"], ["calibrate", "run.log", "ds_config.json"]]
)
def test_configurations_without_a_model_say_which_file_to_add(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """In the user's file, not in a line of the library's own."""
    assert run([*command, "--set", "dataset.sequence_length=4096"]) == 1
    told = capsys.readouterr().err
    assert "neither `run.log` nor `ds_config.json` says `hardware.gpu` and `model` of the run" in told
    assert "`--gpu NAME`" in told and "give the model's config.json" in told and "--> ds_config.json:1:1" in told
    hardware = ["--gpu", "H100", "--gpus", "8", "--set", "dataset.sequence_length=4096"]
    assert run([*command, *hardware]) == 1
    told = capsys.readouterr().err
    assert "says `model` of the run" in told and "-e:" not in told
    assert run([*command, *hardware, "--set", "model=llama-7b"]) in (0, 3)


def test_a_model_that_the_catalog_lacks_is_named_where_it_stands(capsys: pytest.CaptureFixture[str]) -> None:
    Path("train.yaml").write_text("sequence_len: 4096\nbase_model: my-org/secret-13b\nmicro_batch_size: 2\n")
    assert run(["verify", "train.yaml", "run.log", "--gpu", "H100", "--gpus", "8"]) == 1
    told = capsys.readouterr().err
    assert "has no model `my-org/secret-13b`" in told and "--> train.yaml:2:1" in told


def test_what_a_plan_leaves_out_is_as_the_log_says_or_named(capsys: pytest.CaptureFixture[str]) -> None:
    plan = 'model "llama-7b"\ndataset { sequence_length = 4096 }\nhardware { gpu = "H100-SXM5-80GB", gpus = 8 }\n'
    Path("train.plan").write_text(plan)
    assert run(["verify", "train.plan", "run.log"]) in (0, 3)
    assert "step_time" in capsys.readouterr().out
    state = [
        json.dumps({"loss": 1.5, "epoch": 0.1, "step": n, "memory(GiB)": 60.5, "train_speed(iter/s)": 0.1})
        for n in range(1, 90)
    ]
    Path("logging.jsonl").write_text("\n".join(state) + "\n")
    assert run(["verify", "train.plan", "logging.jsonl"]) in (0, 3)
    assert "W0638" in (told := capsys.readouterr().err) and "`training.global_batch`" in told
    Path("train.plan").write_text(plan.partition("\n")[2])
    assert run(["verify", "train.plan", "logging.jsonl"]) == 1
    told = capsys.readouterr().err
    assert "E0518" in told and "`--set model=llama-7b`" in told

"""`emit probe`: a few steps of the planned run, by what each framework is started with and by its changed files."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from llmplan import api
from llmplan.emit.render import render
from tests.emit.test_launch import PLAN
from tests.emit.test_launch import TARGETS as LAUNCHED

TARGETS = LAUNCHED | {"lightning": "lightning\nparallelism.zero_stage = 3\ntraining.checkpoint_interval = 1 h"}

STARTER = """#!/usr/bin/env bash
# Stands for torchrun and accelerate: its arguments, what it is told, and the files beside launch.sh.
folder="$(dirname "$(ls -dt "${TMPDIR}"/tmp.*/launch.sh | head -1)")"
printf '%s\\n' "$@" >>"$SEEN/arguments"
echo ---- >>"$SEEN/arguments"
env | grep '^LLMPLAN_' >>"$SEEN/environment"
cp "$folder"/* "$SEEN/"
exit "${FAILS:-0}"
"""
SHORT = {
    "megatron": ["--micro-batch-size", "1", "--exit-interval", "20", "--timing-log-level", "2"],
    "megatron_bridge": ["train.micro_batch_size=1", "train.exit_interval=20", "checkpoint.save=null"],
    "torchtitan": ["--training.steps", "20", "--checkpoint.no-enable", "--training.local_batch_size", "1"],
    "lightning": ["--trainer.max_steps", "--trainer.accumulate_grad_batches", "--trainer.enable_checkpointing", "32"],
    "trl": ["--max_steps", "20", "--per_device_train_batch_size", "1", "--save_strategy", "no"],
}


def texts(target: str, micro: int = 2, gpus: int = 8, probe: str = "") -> dict[str, str]:
    plan = PLAN.replace("micro_batch = 1", f"micro_batch = {micro}")
    plan = plan.format(emits=TARGETS[target], launch="", gpus=gpus) + f"emit probe {{ {probe} }}\n"
    solution = api.solve("-", text=plan)
    assert solution.status == "solved", [one.message for one in solution.diagnostics]
    written, problems = render(solution)
    assert not [one for one in problems if one.severity == "error"], problems
    return written


def launched(folder: Path, files: dict[str, str], **more: str) -> tuple[int, Path]:
    """The exit code of the probe, and a folder with what was seen of its launches."""
    for name, text in files.items():
        (folder / name).write_text(text)
    for name in ("torchrun", "accelerate"):
        (folder / "bin").mkdir(exist_ok=True)
        (folder / "bin" / name).write_text(STARTER)
        (folder / "bin" / name).chmod(0o755)
    seen, temporary = folder / "seen", folder / "temporary"
    seen.mkdir()
    temporary.mkdir()
    env = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "SEEN": str(seen), "TMPDIR": str(temporary)}
    env["LLMPLAN_ANY_MODEL"] = "1"
    done = subprocess.run(
        ["bash", str(folder / "probe.sh"), "train.py"],
        cwd=folder,
        env={**env, **more},
        capture_output=True,
        check=False,
    )
    assert not re.search(r"\brm\b", files["probe.sh"]), "no written script deletes anything"
    return done.returncode, seen


@pytest.mark.quick(3)
@pytest.mark.parametrize("target", TARGETS)
def test_the_launches_are_short_and_save_nothing(target: str, tmp_path: Path) -> None:
    files = texts(target)
    code, seen = launched(tmp_path, files)
    assert code == 0
    first, second = (seen / "arguments").read_text().removesuffix("----\n").split("----\n")
    for argument in SHORT.get(target, []):
        assert argument in second.split("\n"), second
    assert "micro-batch 2, global batch 256" in (tmp_path / "probe.log").read_text()
    assert "micro-batch 1, global batch 256" in (tmp_path / "probe-half.log").read_text()
    assert first != second or target not in SHORT
    if target in ("deepspeed", "accelerate", "trainer", "lightning"):
        told = (seen / "environment").read_text()
        assert told.count("LLMPLAN_STEPS=20\n") == 2 and "LLMPLAN_MICRO_BATCH=1\n" in told
        assert "LLMPLAN_GRAD_ACCUM=16\n" in told and "LLMPLAN_GRAD_ACCUM=32\n" in told
    if target == "megatron":
        lines = (seen / "megatron.args").read_text().splitlines()
        assert not {"--save", "--load"} & {line.split(" ")[0] for line in lines}
    for name in ("ds_config.json", "training_args.json", "megatron.args"):
        assert (tmp_path / name).exists() is (name in files)
        assert name not in files or (tmp_path / name).read_text() == files[name]


def test_deepspeed_times_its_parts(tmp_path: Path) -> None:
    _, seen = launched(tmp_path, texts("deepspeed"))
    config: dict[str, Any] = json.loads((seen / "ds_config.json").read_text())
    assert config["wall_clock_breakdown"] is True and config["steps_per_print"] == 1
    assert (config["train_micro_batch_size_per_gpu"], config["gradient_accumulation_steps"]) == (1, 32)


def test_the_trainer_saves_nothing(tmp_path: Path) -> None:
    _, seen = launched(tmp_path, texts("trainer"))
    arguments = json.loads((seen / "training_args.json").read_text())
    assert arguments["max_steps"] == 20 and arguments["save_strategy"] == "no" and arguments["logging_steps"] == 1
    assert (arguments["per_device_train_batch_size"], arguments["gradient_accumulation_steps"]) == (1, 32)


def test_lightning_is_given_a_callback_that_prints_times(tmp_path: Path) -> None:
    """With either of its names; the callbacks of the run, which save, have no place beside it."""
    _, seen = launched(tmp_path, texts("lightning"))
    arguments = (seen / "arguments").read_text()
    assert arguments.count('--trainer.callbacks\n[{"class_path": "llmplan_steps.Steps"}]\n') == 2
    compile((seen / "llmplan_steps.py").read_text(), "llmplan_steps.py", "exec")
    assert not (tmp_path / "llmplan_steps.py").exists()


TUNED = """model "llama-3.1-8b"
dataset {{ samples = 20_000, sequence_length = 4096, batching = packed }}
hardware {{ gpu = "H100-SXM5-80GB", gpus = 8 }}
training {{ task = finetune, precision = bf16, global_batch = 64 sequences, micro_batch = 2 }}
parallelism {{ framework = {framework}, zero_stage = {stage} }}
adapter {{ method = lora, rank = 16 }}
emit {emits}
emit probe
"""


@pytest.mark.parametrize(
    ("framework", "stage", "emits", "name", "batch"),
    [
        ("deepspeed", 1, 'llamafactory { model = "m/m", dataset = "d", template = "t" }', "llamafactory.yaml",
         "per_device_train_batch_size"),
        ("fsdp", 3, 'axolotl { model = "m/m", dataset = "d/d", type = "alpaca" }', "axolotl.yaml", "micro_batch_size"),
    ],
)  # fmt: skip
def test_files_of_fine_tuning_are_short_in_a_copy(
    framework: str, stage: int, emits: str, name: str, batch: str, tmp_path: Path
) -> None:
    """Each key once, and those of the run as they were; Axolotl, whose clock has whole seconds, runs for minutes."""
    yaml = pytest.importorskip("yaml")
    solution = api.solve("-", text=TUNED.format(framework=framework, stage=stage, emits=emits))
    files, problems = render(solution)
    assert name in files, (solution.diagnostics, problems)
    code, seen = launched(tmp_path, files)
    assert code == 0 and (tmp_path / name).read_text() == files[name]
    text = (seen / name).read_text()
    names = re.findall(r"^(\w+):", text, re.MULTILINE)
    assert len(names) == len(set(names)), names
    planned, probed = yaml.safe_load(files[name]), yaml.safe_load(text)
    assert (probed[batch], probed["gradient_accumulation_steps"]) == (1, 8)
    assert probed["save_strategy"] == "no" and probed["logging_steps"] == 1 and probed["output_dir"].endswith("/out")
    assert probed["max_steps"] == 20 if "llama" in name else 50 < probed["max_steps"] < 500
    assert probed["learning_rate"] == planned["learning_rate"] and "auto_resume_from_checkpoints" not in probed


def test_an_odd_micro_batch_has_no_half(tmp_path: Path) -> None:
    code, _ = launched(tmp_path, texts("deepspeed", micro=1))
    assert code == 0 and (tmp_path / "probe.log").exists() and not (tmp_path / "probe-half.log").exists()


@pytest.mark.parametrize("target", ["megatron", "megatron_bridge", "torchtitan"])
def test_the_logs_that_have_steps_are_named(target: str) -> None:
    """Both print steps on the last rank, which is on the last node, also without a pipeline."""
    script = texts(target, gpus=32)["probe.sh"]
    both = "calibrate probe.log probe.node3.log probe-half.log probe-half.node3.log "
    assert (script.count(both) == 2) is ("megatron" in target)
    assert ("probe.node3.log of the last node has the times" in script) is ("megatron" in target)
    assert "calibrate probe.log probe-half.log " in (script if target == "torchtitan" else texts(target)["probe.sh"])


def test_options_and_nodes(tmp_path: Path) -> None:
    files = texts("deepspeed", gpus=16, probe="steps = 50, half = false")
    assert "NODE_RANK=0 MASTER_ADDR=node-0 ./probe.sh train.py" in files["probe.sh"]
    code, seen = launched(tmp_path, files, NODE_RANK="1", MASTER_ADDR="node-0")
    assert code == 0 and "LLMPLAN_STEPS=50\n" in (seen / "environment").read_text()
    assert (tmp_path / "probe.node1.log").exists() and not (tmp_path / "probe-half.node1.log").exists()


def test_a_launch_that_fails_is_told_and_the_other_runs(tmp_path: Path) -> None:
    code, seen = launched(tmp_path, texts("deepspeed"), FAILS="7")
    assert code == 1 and (seen / "arguments").read_text().count("----") == 2


def test_alone_it_is_refused() -> None:
    text = PLAN.format(emits="probe", launch="", gpus=8)
    solution = api.solve("-", text=text)
    assert solution.status != "solved" and any("probe_target" in one.message for one in solution.diagnostics)


def test_the_run_is_not_changed_by_it() -> None:
    """All files but the probe's are as without it, but for the scripts that then save nothing in a probe."""
    plain, _ = render(api.solve("-", text=PLAN.format(emits=TARGETS["deepspeed"], launch="", gpus=8)))
    probed = texts("deepspeed", micro=1)
    for name in ("ds_config.json", "launch.sh"):
        assert probed[name] == plain[name]

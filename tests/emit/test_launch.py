"""What a plan says once of its launch, for whatever starts it: interface, restarts, name and logs of the run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import pytest
import yaml

from llmplan import api
from llmplan.emit.render import render

PLAN = """model "llama-7b"
dataset {{ tokens = 10B, sequence_length = 2048 tokens }}
hardware {{ gpu = "A100-SXM4-80GB", gpus = {gpus} }}
training {{ global_batch = 256 sequences, micro_batch = 1, recompute = none }}
emit {emits}
launch {{ {launch} }}
"""
HUB = 'model = "m", dataset = "d", output = "o"'
TARGETS = {
    "deepspeed": "deepspeed\nparallelism.zero_stage = 2",
    "accelerate": "accelerate\nparallelism { framework = fsdp, zero_stage = 3 }",
    "trainer": f"huggingface {{ {HUB} }}\nparallelism.zero_stage = 3",
    "trl": f"huggingface {{ trainer = trl, {HUB} }}\nparallelism.zero_stage = 3",
    "megatron": 'megatron { data = "d", tokenizer = "t" }\nparallelism.zero_stage = 1',
    "megatron_bridge": "megatron_bridge\nparallelism.zero_stage = 1",
    "torchtitan": "torchtitan\nparallelism.zero_stage = 3",
}


FURTHER = {
    "trainer on DeepSpeed": f"huggingface {{ {HUB} }}\nparallelism {{ framework = deepspeed, zero_stage = 3 }}",
}


@lru_cache
def files(target: str, launch: str = "", gpus: int = 16) -> dict[str, str]:
    solution = api.solve("-", text=PLAN.format(emits=(TARGETS | FURTHER)[target], launch=launch, gpus=gpus))
    assert solution.status == "solved", [d.message for d in solution.diagnostics]
    written, problems = render(solution)
    assert not [p for p in problems if p.severity == "error"], problems
    return written


def test_an_interface_is_named_or_left_with_a_reason() -> None:
    named = files("deepspeed", 'interface = "ib0"')["launch.sh"]
    assert 'export NCCL_SOCKET_IFNAME="${NCCL_SOCKET_IFNAME:-=ib0}"\n' in named
    assert 'export GLOO_SOCKET_IFNAME="${GLOO_SOCKET_IFNAME:-ib0}"\n' in named
    assert "NCCL chooses among the interfaces itself" in files("deepspeed")["launch.sh"]
    assert "NCCL" not in files("deepspeed", gpus=8)["launch.sh"]


STARTERS = [
    pytest.param(target, marks=[pytest.mark.slow] * (target != "deepspeed")) for target in TARGETS if target != "trl"
]


@pytest.mark.parametrize("target", STARTERS)
def test_nodes_that_start_again_meet_anew(target: str) -> None:
    script = files(target, "restarts = 3")["launch.sh"]
    assert "    --max_restarts 3 \\\n" in script and "    --rdzv_backend c10d \\\n" in script
    assert '"is_host=$((NODE_RANK == 0))"' in script and "TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1" in script
    assert "restarts" not in files(target)["launch.sh"] and "c10d" not in files(target)["launch.sh"]


def test_a_run_whose_name_begins_like_an_option_meets_too() -> None:
    """The name is that of the plan's file, where no other is given."""
    text = PLAN.format(emits=TARGETS["deepspeed"], launch="restarts = 3", gpus=16)
    script = render(api.solve("-mine.plan", text=text))[0]["launch.sh"]
    assert 'LLMPLAN_RUN_NAME="${LLMPLAN_RUN_NAME:--mine}"' in script
    assert '    --rdzv_id="$LLMPLAN_RUN_NAME" \\\n' in script


@pytest.mark.slow
def test_one_node_needs_no_meeting() -> None:
    script = files("deepspeed", "restarts = 3", gpus=8)["launch.sh"]
    assert "--max_restarts 3" in script and "c10d" not in script and "TORCH_DISABLE" not in script


@pytest.mark.slow
def test_trl_looks_for_its_checkpoint_once() -> None:
    text = PLAN.format(emits=TARGETS["trl"], launch="restarts = 1", gpus=16)
    assert any("`huggingface_restarts`" in d.message for d in api.solve("-", text=text).diagnostics)


def test_what_the_run_is_called() -> None:
    assert 'LLMPLAN_RUN_NAME="${LLMPLAN_RUN_NAME:-stdin}"' in files("deepspeed")["launch.sh"]
    assert 'LLMPLAN_RUN_NAME="${LLMPLAN_RUN_NAME:-run-7}"' in files("deepspeed", 'run_name = "run-7"')["launch.sh"]


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_what_is_logged_to(target: str) -> None:
    board, wandb = (files(target, f'log_to = {to}, run_name = "run-7"') for to in ("tensorboard", "wandb"))
    quiet = files(target)
    assert 'WANDB_NAME="${WANDB_NAME:-$LLMPLAN_RUN_NAME}"' in wandb["launch.sh"] and "WANDB" not in quiet["launch.sh"]
    if target == "deepspeed":
        boards, own, neither = (json.loads(each["ds_config.json"]) for each in (board, wandb, quiet))
        assert boards["tensorboard"] == {"enabled": True, "output_path": "tensorboard", "job_name": "run-7"}
        assert own["wandb"] == {"enabled": True} and not {"tensorboard", "wandb"} & {*neither}
    elif target in ("trainer", "trl"):
        name = "sft.yaml" if target == "trl" else "training_args.json"
        read = [yaml.safe_load(each[name]) for each in (board, wandb, quiet)]
        assert [each["report_to"] for each in read] == ["tensorboard", "wandb", "none"]
        assert [each.get("run_name") for each in read] == ["run-7", "run-7", None]
    elif target == "megatron":
        assert "--wandb-exp-name run-7\n" in wandb["megatron.args"] and "wandb" not in quiet["megatron.args"]
    elif target == "megatron_bridge":
        own, neither = (yaml.safe_load(each["bridge.yaml"])["logger"] for each in (wandb, quiet))
        assert own["wandb_exp_name"] == "run-7" and "wandb_exp_name" not in neither
    elif target == "torchtitan":
        assert "\nenable_wandb = true\n" in wandb["torchtitan.toml"].partition("[metrics]")[2]
        assert "WANDB_RUN_NAME" in wandb["launch.sh"] and "wandb" not in quiet["torchtitan.toml"]
    else:
        assert "Log to `wandb`" in wandb["report.md"] and "Log to" not in quiet["report.md"]


@pytest.mark.parametrize("option", ["interface", "run_name"])
@pytest.mark.parametrize("text", ["-x", "a b", "$(ls)", "a}; ls", "a\\nb", "`ls`", "a'b"])
def test_texts_that_are_more_than_a_word(option: str, text: str) -> None:
    found = api.check("-", text=PLAN.format(emits="deepspeed", launch=f'{option} = "{text}"', gpus=8))
    assert [one.code for one in found if one.severity == "error"] == ["E0305"]


def checked(target: str) -> dict[str, str]:
    """The packages whose installed release launch.sh looks up, each with the one that its files were checked with."""
    script = files(target)["launch.sh"]
    words = script.split("\npython3 - ", 1)[1].split(" >&2")[0].split()
    return dict(zip(words[::2], words[1::2], strict=True))


@pytest.mark.parametrize(
    ("target", "packages"),
    [
        ("deepspeed", {"deepspeed"}),
        pytest.param("accelerate", {"accelerate"}, marks=pytest.mark.slow),
        pytest.param("trainer", {"transformers"}, marks=pytest.mark.slow),
        pytest.param("trl", {"transformers", "trl"}, marks=pytest.mark.slow),
        pytest.param("trainer on DeepSpeed", {"deepspeed", "transformers"}, marks=pytest.mark.slow),
    ],
)
def test_the_releases_are_those_of_the_integration_tests(target: str, packages: set[str]) -> None:
    project = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    assert set(checked(target)) == packages
    for package, release in checked(target).items():
        assert f'"{package}=={release}"' in project


@pytest.mark.parametrize(
    ("release", "older"),
    [("0.9.8", True), ("0.19.7", True), ("0.19.8+cu128", False), ("0.20.0", False), ("1.0.0", False), ("", False)],
)
def test_an_older_release_is_told_and_the_run_starts(release: str, older: bool, tmp_path: Path) -> None:
    assert checked("deepspeed") == {"deepspeed": "0.19.8"}
    if release:
        (tmp_path / "deepspeed.dist-info").mkdir()
        (tmp_path / "deepspeed.dist-info" / "METADATA").write_text(f"Name: deepspeed\nVersion: {release}\n")
    for name, text in {"torchrun": "echo started", "python3": f'exec {sys.executable} "$@"'}.items():
        (tmp_path / name).write_text(f"#!/usr/bin/env bash\n{text}\n")
        (tmp_path / name).chmod(0o755)
    script = tmp_path / "launch.sh"
    script.write_text(files("deepspeed")["launch.sh"])
    environment = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(tmp_path), "NODE_RANK": "0", "MASTER_ADDR": "a"
    }  # fmt: skip
    done = subprocess.run(
        ["bash", str(script), "a.py"], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    said = f"launch.sh: deepspeed {release} is installed; the files were checked with 0.19.8\n" if older else ""
    assert (done.returncode, done.stdout, done.stderr) == (0, "started\n", said)


def test_without_python_nothing_is_said(tmp_path: Path) -> None:
    for name in ("bash", "dirname"):
        (tmp_path / name).symlink_to(next(p for p in (Path("/bin") / name, Path("/usr/bin") / name) if p.exists()))
    (tmp_path / "torchrun").write_text("#!/bin/bash\necho started\n")
    (tmp_path / "torchrun").chmod(0o755)
    (tmp_path / "launch.sh").write_text(files("deepspeed")["launch.sh"])
    done = subprocess.run(
        [str(tmp_path / "bash"), str(tmp_path / "launch.sh"), "a.py"],
        env={"PATH": str(tmp_path), "NODE_RANK": "0", "MASTER_ADDR": "a"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "started\n", "")

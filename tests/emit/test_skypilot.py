"""sky.yaml as SkyPilot's nodes run it: the files of the plan are written there, and launch.sh starts its part."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from llmplan import api
from llmplan.emit.render import render

PLAN = """model "llama-7b"
dataset { tokens = 10B, sequence_length = 2048 tokens }
hardware { gpu = "A100-SXM4-80GB", gpus = 16 }
parallelism { zero_stage = 3 }
training { global_batch = 256 sequences, micro_batch = 1, recompute = full }
"""
WHAT = 'script = "train it.py", arguments = "--data $(ls)", accelerator = "A100-80GB"'
STUB = """#!/usr/bin/env bash
{ printf "%s|" "$@"; echo; cat "$LLMPLAN_DEEPSPEED_CONFIG"; } >"$LOG"
"""


def files(options: str = WHAT, more: str = "") -> dict[str, str]:
    solution = api.solve("-", text=f"{PLAN}emit deepspeed, skypilot {{ {options} }}\n{more}")
    assert solution.status == "solved", [d.message for d in solution.diagnostics]
    written, problems = render(solution)
    assert not [p for p in problems if p.severity == "error"], problems
    return written


def task(options: str = WHAT, more: str = "") -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load(files(options, more)["sky.yaml"])
    return read


def test_a_node_starts_its_part(tmp_path: Path) -> None:
    written = files()
    (tmp_path / "torchrun").write_text(STUB)
    (tmp_path / "torchrun").chmod(0o755)
    environment = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}", "LOG": str(tmp_path / "log"), "TMPDIR": str(tmp_path),
        "SKYPILOT_NODE_RANK": "1", "SKYPILOT_NODE_IPS": "10.0.0.7\n10.0.0.8",
    }  # fmt: skip
    run = yaml.safe_load(written["sky.yaml"])["run"]
    done = subprocess.run(
        ["bash", "-c", run], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    said, _, config = (tmp_path / "log").read_text().partition("\n")
    assert "|--node_rank|1|--master_addr|10.0.0.7|" in said and said.endswith("|train it.py|--data|$(ls)|")
    assert config == written["ds_config.json"]


@pytest.mark.slow
def test_what_the_task_asks_for() -> None:
    asked = '''infra = "aws/us-east-1", spot = true, disk = 512.1 GB, image = "docker:a/b:1", idle = 10 minutes,
        requirements = "my requirements.txt", secrets = "HF_TOKEN, no", workdir = "-x"'''
    read = task(f"{WHAT}, {asked}", 'launch.run_name = "run_7..b"\n')
    assert (read["name"], read["num_nodes"], read["workdir"]) == ("run-7-b", 2, "./-x")
    assert read["resources"] == {
        "accelerators": "A100-80GB:8", "disk_size": 513, "infra": "aws/us-east-1", "use_spot": True,
        "network_tier": "best", "image_id": "docker:a/b:1", "autostop": {"idle_minutes": 10, "down": True},
    }  # fmt: skip
    assert read["secrets"] == {"HF_TOKEN": None, "no": None}
    assert read["setup"] == "pip install -r 'my requirements.txt'\n"


@pytest.mark.slow
def test_one_node_needs_no_network() -> None:
    assert task(more="hardware.nodes = 1\nhardware.gpus_per_node = 16\n")["resources"] == {
        "accelerators": "A100-80GB:16", "disk_size": 256,
    }  # fmt: skip


@pytest.mark.slow
def test_a_program_of_its_own_needs_no_script() -> None:
    text = PLAN.replace("zero_stage = 3", "zero_stage = 1")
    text += 'emit megatron { data = "d", tokenizer = "t" }, skypilot { accelerator = "A100-80GB" }\n'
    written, problems = render(api.solve("-", text=text))
    assert not [p for p in problems if p.severity == "error"]
    assert yaml.safe_load(written["sky.yaml"])["run"].splitlines()[-1] == 'bash "$here/launch.sh"'


HOSTILE = [
    (option, text)
    for option in ("accelerator", "infra", "secrets")
    for text in ("a: {x: y}", "a\\nrun: ls", "a'", '\\"', "a #", "$(a)", "-a", "a b")
]


@pytest.mark.parametrize(
    ("option", "text"), [pytest.param(*row, marks=[pytest.mark.slow] * (at % 6 > 0)) for at, row in enumerate(HOSTILE)]
)
def test_texts_that_are_more_than_a_name(option: str, text: str) -> None:
    written = text.replace("{", r"\{")
    what = WHAT if option != "accelerator" else 'script = "a.py"'
    found = api.check("-", text=f'{PLAN}emit deepspeed, skypilot {{ {what}, {option} = "{written}" }}\n')
    assert [one.code for one in found if one.severity == "error"] == ["E0305"]

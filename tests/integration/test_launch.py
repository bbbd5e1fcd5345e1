"""`launch.sh`: clean for shellcheck, right on every node, and safe whatever the plan holds."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from attrs import evolve

from tests.emit.samples import emitting, having, solution, value
from tests.integration.plans import ACCELERATE, made, tiny
from tests.integration.real import tool

pytestmark = pytest.mark.integration

LARGE = solution()
ALONE = emitting(LARGE, "deepspeed")
ONE_NODE = having(LARGE, value("hardware.gpus", 8.0), value("hardware.nodes", 1.0))


def launch(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run it with launchers that only say how they were called."""
    stubs = folder / "stubs"
    stubs.mkdir(exist_ok=True)
    for name in ("accelerate", "torchrun"):
        stub = stubs / name
        stub.write_text('#!/bin/sh\nprintf "%s\\n" "${0##*/}" "$@"\nenv | grep ^LLMPLAN_ | sort\n')
        stub.chmod(0o755)
    environment = {"PATH": f"{stubs}{os.pathsep}{os.environ['PATH']}", **variables}
    command = ["bash", str(folder / "launch.sh"), *arguments]
    return subprocess.run(command, check=False, env=environment, capture_output=True, text=True, timeout=120, cwd="/")


@pytest.mark.parametrize("name", [*ACCELERATE, "alone"])
def test_is_clean(name: str, tmp_path: Path) -> None:
    shellcheck = tool("shellcheck")  # skips without it
    files = ACCELERATE[name] if name in ACCELERATE else tiny(1, "deepspeed", "deepspeed")
    script = files(tmp_path) / "launch.sh"
    subprocess.run(["bash", "-n", script], check=True, timeout=120)
    done = subprocess.run(
        [shellcheck, "-o", "all", "-e", "SC2250", script], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


def test_starts_every_node(tmp_path: Path) -> None:
    folder = made(LARGE)(tmp_path)
    done = launch(folder, "train.py", "--name", "two words", NODE_RANK="3", MASTER_ADDR="host-0")
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert said[:2] == ["accelerate", "launch"]
    assert said[said.index("--machine_rank") + 1] == "3"
    assert said[said.index("--main_process_ip") + 1] == "host-0"
    assert said[said.index("--main_process_port") + 1] == "29500"
    assert said[said.index("--config_file") + 1] == str(folder / "accelerate.yaml")
    assert said[said.index("train.py") : said.index("train.py") + 3] == ["train.py", "--name", "two words"]
    assert "LLMPLAN_RECOMPUTE=full" in said and "LLMPLAN_MICRO_BATCH=4" in said


def test_deepspeed_alone_starts_by_torchrun(tmp_path: Path) -> None:
    folder = made(ALONE)(tmp_path)
    said = launch(folder, "train.py", NODE_RANK="10", MASTER_ADDR="host-0").stdout.splitlines()
    assert said[:11] == [
        "torchrun", "--nnodes", "11", "--nproc_per_node", "8", "--node_rank", "10",
        "--master_addr", "host-0", "--master_port", "29500",
    ]  # fmt: skip
    assert f"LLMPLAN_DEEPSPEED_CONFIG={folder / 'ds_config.json'}" in said


def test_one_node_needs_no_variables(tmp_path: Path) -> None:
    done = launch(made(ONE_NODE)(tmp_path), "train.py")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("variables", "complaint"),
    [
        ({"MASTER_ADDR": "host-0"}, "NODE_RANK"),
        ({"NODE_RANK": "0"}, "MASTER_ADDR"),
        ({"NODE_RANK": "11", "MASTER_ADDR": "host-0"}, "0 to 10"),
        ({"NODE_RANK": "-1", "MASTER_ADDR": "host-0"}, "0 to 10"),
        ({"NODE_RANK": "0 -o 1", "MASTER_ADDR": "host-0"}, "0 to 10"),
        ({"NODE_RANK": "", "MASTER_ADDR": "host-0"}, "NODE_RANK"),
    ],
)
def test_says_what_a_node_lacks(variables: dict[str, str], complaint: str, tmp_path: Path) -> None:
    done = launch(made(LARGE)(tmp_path), "train.py", **variables)
    assert done.returncode != 0 and complaint in done.stderr
    assert done.stdout == ""


def test_needs_a_training_script(tmp_path: Path) -> None:
    done = launch(made(ONE_NODE)(tmp_path))
    assert done.returncode == 2 and "usage" in done.stderr


@pytest.mark.parametrize("hostile", ["$(touch pwned)", "`touch pwned`", "a\ntouch pwned\n", "'; touch pwned; '", 'a"b'])
def test_text_of_a_plan_stays_text(hostile: str, tmp_path: Path) -> None:
    plan = evolve(having(ONE_NODE, value("training.recompute", hostile)), plan=f"{hostile}.plan")
    done = launch(made(plan)(tmp_path), "train.py")
    assert done.returncode == 0, done.stderr
    assert f"LLMPLAN_RECOMPUTE={hostile.splitlines()[0]}" in done.stdout
    assert not list(tmp_path.rglob("pwned")) and not Path("/pwned").exists()

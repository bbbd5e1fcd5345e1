"""The jobs for code hosts: their commands run as they stand, with stubs of the hosts' clients."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

FOLDER = Path(__file__).parents[2] / "docs" / "ci"
PLAN = """model "llama-7b"
dataset { tokens = 100B, sequence_length = 2048 }
hardware { gpu = "A100-SXM4-80GB", gpus = 128, price = 2 USD/GPU/hour }
training { precision = bf16, global_batch = 4M tokens, micro_batch = 2 }
parallelism { zero_stage = 1 }
require deadline: wall_time <= 45 days
emit deepspeed, report
"""
CLIENTS = {"github": "gh", "gitlab": "glab"}


def commands(host: str) -> list[str]:
    """The shell commands of a job, in their order, without the installation."""
    job = yaml.safe_load((FOLDER / f"{host}.yml").read_text(encoding="utf-8"))
    if host == "github":
        found = [step["run"] for step in job["jobs"]["diff"]["steps"] if "run" in step]
    else:
        found = [*job["plan"]["before_script"], *job["plan"]["script"]]
    assert found[0] == "pip install llmplan"
    return found[1:]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a plan and what it emits, whose main branch is known as `origin/main`, and stubs of clients."""
    folder = tmp_path / "a team's"
    (folder / "plans").mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    for client in CLIENTS.values():
        stub = tmp_path / "bin" / client
        stub.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{tmp_path}/called"\n')
        stub.chmod(0o755)
    (tmp_path / "bin" / "llmplan").symlink_to(Path(sys.executable).parent / "llmplan")
    (folder / "plans" / "run.plan").write_text(PLAN)
    run(folder, "git init -q -b main . && llmplan compile plans/run.plan")
    run(
        folder,
        "git add -A && git commit -qm first && git update-ref refs/remotes/origin/main main",
    )
    return folder


def run(folder: Path, command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PATH": f"{folder.parent / 'bin'}{os.pathsep}{os.environ['PATH']}",
        **{f"GIT_{who}_{what}": "a@b.example" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
        "PLAN": "plans/run.plan",
        "GITHUB_BASE_REF": "main",
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": "origin/main",
        "NUMBER": "7",
        "CI_MERGE_REQUEST_IID": "7",
        **variables,
    }
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize("host", CLIENTS)
def test_a_change_is_told_and_stopped_where_it_costs_too_much(host: str, repository: Path) -> None:
    check, diff = commands(host)
    assert run(repository, check).returncode == 0
    plan = repository / "plans" / "run.plan"
    plan.write_text(PLAN.replace("100B", "101B"))
    assert run(repository, check).returncode == 1  # the files beside the plan are older than it
    outcome = run(repository, diff)
    assert outcome.returncode == 0, outcome.stderr
    called = (repository.parent / "called").read_text()
    assert "7" in called.split("\n") and "wall_cost" in (called + (repository / "comment.md").read_text())
    plan.write_text(PLAN.replace("100B", "120B"))
    assert run(repository, diff).returncode == 4
    plan.write_text(PLAN.replace("45 days", "1 hour"))
    outcome = run(repository, diff)
    assert outcome.returncode == 3 and "no plan meets" in (repository / "comment.md").read_text()
    (repository.parent / "called").unlink()
    plan.write_text("model 7")
    outcome = run(repository, diff)
    assert outcome.returncode == 1 and "error[" in outcome.stderr and not (repository.parent / "called").exists()

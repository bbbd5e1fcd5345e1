"""`llmplan compile DIRECTORY`: all plans below it that emit files."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("no_advice")

PLAN = """model "llama-7b"
dataset { tokens = 100B, sequence_length = 2048 }
hardware { gpu = "A100-SXM4-80GB", gpus = 32 }
training.global_batch = 1024 sequences
"""
EMITS = PLAN + "emit report\n"


@pytest.fixture
def repository(write, tmp_path: Path) -> Path:
    """A repository with plans in folders of every sort, and one repository in another."""
    write("runs/a b.plan", EMITS)
    write("runs/größe/é.plan", EMITS.replace("\n", "\r\n"))
    write("runs/shared.plan", PLAN)
    write("runs/.hidden/c.plan", EMITS)
    write("runs/ignored/d.plan", EMITS)
    write("runs/inner/e.plan", EMITS)
    write("runs/inner/ignored/f.plan", EMITS)
    write(".gitignore", "ignored/\nbuild/\n")
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    for folder in (tmp_path, tmp_path / "runs" / "inner"):
        subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return tmp_path


def test_every_plan_that_emits_is_compiled(llmplan, repository: Path):
    outcome = llmplan("compile", "runs")
    assert outcome.code == 0
    assert outcome.err.startswith("without `emit`: runs/shared.plan\n")
    # The outer repository's rules do not hold in the inner one.
    compiled = ["a b.plan", "größe/é.plan", "inner/e.plan", "inner/ignored/f.plan"]
    assert [one for one in outcome.out.splitlines() if one.endswith(".plan:")] == [f"runs/{one}:" for one in compiled]
    assert sorted(path.parent.name for path in repository.glob("runs/**/report.md")) == ["a b", "e", "f", "é"]


def test_check_reports_what_is_outdated(llmplan, repository: Path):
    llmplan("compile", "runs")
    assert llmplan("compile", "--check", "runs").code == 0
    plan = repository / "runs" / "inner" / "e.plan"
    plan.write_text(EMITS.replace("gpus = 32", "gpus = 64"), encoding="utf-8")
    outcome = llmplan("compile", "--check", "runs")
    assert outcome.code == 1 and "hardware.gpus 32 GPUs → 64 GPUs" in outcome.out + outcome.err


def test_a_directory_without_any(llmplan, write):
    write("folder/other.plan", PLAN)
    outcome = llmplan("compile", "folder")
    assert outcome.code == 2 and "no plan below folder emits files" in outcome.err

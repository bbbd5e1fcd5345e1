"""What a plan emits is read back as a plan that emits the same bytes, but for the lines that name the plan."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

import llmplan
from tests.read.random_plans import TARGETS, random_plan
from tests.thorough import SEED, many

START = """model "llama-3.1-8b"
dataset { tokens = 10B, sequence_length = 4096 }
hardware { gpu = "H100-SXM5-80GB", gpus = 16 }
training { global_batch = 64 sequences, micro_batch = 2, recompute = full }
"""
LAYOUTS = {
    "accelerate with deepspeed": "parallelism { framework = deepspeed, zero_stage = 2, offload = optimizer }\n"
    "emit accelerate",
    "contexts of the Trainer": "parallelism { framework = deepspeed, zero_stage = 3, context = 2 }\n"
    'emit huggingface { dataset = "data", output = "out" }',
    "a team's log and network": "parallelism { zero_stage = 2 }\n"
    'emit deepspeed\nlaunch { log_to = wandb, interface = "eth0", run_name = "a", restarts = 2 }',
}
MANY = many(4, 60, 1200)


def emitted(text: str, folder: Path) -> dict[str, str] | None:
    """What a plan emits for software, by file, without the lines that name llmplan's plan; None where it refuses to."""
    folder.mkdir()
    (folder / "run.plan").write_text(text, encoding="utf-8")
    written = llmplan.compile(folder / "run.plan", into=folder / "out")
    if not written:
        assert {one.code for one in written.diagnostics if one.severity == "error"} <= {"E0402", "E0501"}
        return None
    files = [Path(file) for file in written.files if not file.endswith((".svg", ".md")) and file != "solution.json"]
    return {file.name: _without_its_name((folder / "out" / file).read_text(encoding="utf-8")) for file in files}


def _without_its_name(text: str) -> str:
    """Without the header, and the hash in it that ends the texts within a manifest."""
    lines = [line for line in text.split("\n") if "by llmplan" not in line]
    return re.sub(r"\bEND-[0-9a-f]{12}\b", "END", "\n".join(lines))


def round_trip(text: str, folder: Path) -> None:
    """Emits, reads and emits again, and reads that: the same bytes, and the same plan."""
    first = emitted(text, folder / "first")
    if first is None:
        return
    read = llmplan.read([folder / "first" / "out" / name for name in first])
    assert read, read.diagnostics
    again = emitted(f"{read.plan}waive fits\n", folder / "again")
    assert again == first, text
    other = llmplan.read([folder / "again" / "out" / name for name in again])
    assert _said(other.plan) == _said(read.plan)


def _said(plan: str) -> list[str]:
    """The lines of a plan without the places that its comments name."""
    return [line.partition("#")[0].rstrip() for line in plan.split("\n") if line.partition("#")[0].strip()]


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_same_bytes(layout: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_advice: None) -> None:
    monkeypatch.chdir(tmp_path)
    round_trip(START + LAYOUTS[layout] + "\n", tmp_path)


@pytest.mark.parametrize("seed", range(SEED, SEED + MANY))
def test_random_plans(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_advice: None) -> None:
    monkeypatch.chdir(tmp_path)
    round_trip(random_plan(Random(seed), TARGETS[seed % len(TARGETS)]), tmp_path)

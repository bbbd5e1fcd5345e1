"""`launch.sh` for TRL, and for the Trainer in a script of one's own, compares the model that is named with the plan."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.plans import written
from tests.integration.real import PROGRAMS, environment, needs

pytestmark = [pytest.mark.integration, pytest.mark.slow]

PLAN = """
model {{ layers = 2, hidden = 32, heads = 4, ffn = 64, gated_mlp = true, vocab = 64 }}
dataset {{ tokens = 1024, sequence_length = 16 }}
hardware {{ gpu = "RTX-4090", gpus = 2, gpus_per_node = 2 }}
parallelism {{ zero_stage = 0 }}
training {{ precision = bf16, micro_batch = 2, global_batch = 8 sequences }}
emit huggingface {{ trainer = {trainer}, model = "{model}", dataset = "data" }}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model in a folder that a shell would take apart, and in the cache of the Hub as `team/tiny`."""
    needs("torch", "transformers")
    place = tmp_path_factory.mktemp("it's $(touch here); made")
    subprocess.run([sys.executable, str(PROGRAMS / "make_llama.py"), str(place)], check=True, env=environment())
    kept = place / "hub" / "models--team--tiny"
    shutil.copytree(place / "model", kept / "snapshots" / "1234")
    (kept / "refs").mkdir()
    (kept / "refs" / "main").write_text("1234")
    return place


def launched(plan: str, place: Path, hub: Path, *settings: str, **more: str) -> tuple[int, str, str]:
    """Exit code, what was started, and what was said."""
    files = written(plan, *settings)(place)
    (place / "torchrun").write_text("#!/usr/bin/env bash\necho started\n")
    (place / "torchrun").chmod(0o755)
    path = f"{place}{os.pathsep}{environment()['PATH']}"
    variables = environment(**more) | {"PATH": path, "HF_HUB_CACHE": str(hub)}
    command = ["bash", str(files / "launch.sh"), *(() if "trl" in plan else ("train.py",))]
    done = subprocess.run(command, cwd=place, env=variables, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("trainer", ["trl", "transformers"])
def test_a_folder(trainer: str, folder: Path, tmp_path: Path) -> None:
    plan = PLAN.format(trainer=trainer, model=folder / "model")
    assert launched(plan, tmp_path, folder / "hub")[:2] == (0, "started\n")
    assert not (tmp_path / "here").exists()
    code, started, said = launched(plan, tmp_path, folder / "hub", "model.vocab=128")
    assert (code, started) == (3, "") and "is not the model that is planned" in said
    assert "it has    24736 parameters" in said and "the plan  28832 parameters" in said and "vocab_size 128" in said
    again = launched(plan, tmp_path, folder / "hub", "model.vocab=128", LLMPLAN_ANY_MODEL="1")
    assert again[:2] == (0, "started\n")


@pytest.mark.parametrize(
    "changed",
    [
        ("model.heads=8",),  # which leaves the number of parameters as it is
        ("model.tied_embeddings=true",),
        ("model.qkv_bias=true",),
    ],
)
def test_the_cache_of_the_hub(changed: tuple[str, ...], folder: Path, tmp_path: Path) -> None:
    code, started, said = launched(PLAN.format(trainer="trl", model="team/tiny"), tmp_path, folder / "hub", *changed)
    assert (code, started) == (3, "") and "team/tiny is not the model that is planned" in said


def test_what_is_as_planned_or_not_there(folder: Path, tmp_path: Path) -> None:
    plan = PLAN.format(trainer="trl", model="team/tiny")
    code, started, said = launched(plan, tmp_path, folder / "hub")
    assert (code, started) == (0, "started\n") and "compared" not in said
    code, started, said = launched(plan.replace("tiny", "other"), tmp_path, folder / "hub")
    assert (code, started) == (0, "started\n") and "team/other is not compared with the plan: OSError" in said

"""SkyPilot's own schema and task read sky.yaml, without a cloud.

SkyPilot pins other versions than the rest, so that it has an environment of its own, which `.ci/run` makes.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.integration.plans import ROOT, quantity, written
from tests.integration.real import PROGRAMS

OWN = ROOT / ".venv-skypilot"

pytestmark = [
    pytest.mark.integration,
    pytest.mark.slow,
    pytest.mark.skipif(
        not [*OWN.glob("lib/python*/site-packages/sky")], reason=f"no SkyPilot in {OWN.name}: .ci/run installs it"
    ),
]
PLAN = """model "llama-7b"
dataset {{ tokens = 10B, sequence_length = 2048 tokens }}
hardware {{ gpu = "A100-SXM4-80GB", gpus = {gpus} }}
model.layers = 8
parallelism {{ zero_stage = 3 }}
training {{ global_batch = 256 sequences, micro_batch = 1, recompute = full }}
emit deepspeed, skypilot {{ script = "train.py", accelerator = "A100-80GB", {options} }}
"""
ALL = """infra = "aws/us-east-1", spot = true, disk = 512 GB, image = "docker:nvcr.io/nvidia/pytorch:25.01-py3",
    requirements = "requirements.txt", secrets = "HF_TOKEN, WANDB_API_KEY", idle = 10 minutes, arguments = "-s 1" """


@pytest.mark.parametrize(("gpus", "options"), [(4, "disk = 512 GB"), (8, "disk = 512 GB"), (64, ALL)])
def test_a_task_is_accepted(gpus: int, options: str, tmp_path: Path) -> None:
    folder = written(PLAN.format(gpus=gpus, options=options))(tmp_path)
    command = [str(OWN / "bin" / "python"), str(PROGRAMS / "read_skypilot.py"), str(folder / "sky.yaml")]
    environment = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    seen = json.loads(done.stdout.strip().splitlines()[-1])
    nodes = quantity(folder, "hardware.nodes")
    assert seen["nodes"] == nodes and seen["disk"] == 512
    assert seen["accelerators"] == {"A100-80GB": quantity(folder, "hardware.gpus") // nodes}
    assert 'launch.sh" train.py' in seen["run"].splitlines()[-1]

"""job.sbatch under a Slurm made of stubs: what is started on which node, and what a text of the plan can not do."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from llmplan import api

PLAN = """model "llama-7b"
dataset {{ tokens = 10B, sequence_length = 2048 tokens }}
hardware {{ gpu = "A100-SXM4-80GB", gpus = 16 }}
parallelism {{ zero_stage = 2 }}
training {{ global_batch = 256 sequences, micro_batch = 1, recompute = full }}
emit deepspeed, slurm {{ {options} }}
"""
STUBS = {
    # Two nodes one after the other, as far as the command; options of srun are logged.
    "srun": """#!/usr/bin/env bash
while [[ "$1" == --* ]]; do echo "srun $1" >>"$LOG"; shift; done
for node in 0 1; do SLURM_NODEID=$node "$@"; done
""",
    "scontrol": """#!/usr/bin/env bash
if [[ "$2" == hostnames ]]; then printf "node-7\\nnode-8\\n"
else printf "JobId=1 JobName=a\\n   Command=%s x\\n" "$JOB"; fi
""",
    "torchrun": """#!/usr/bin/env bash
{ printf "%s|" torchrun "$MASTER_ADDR" "$LLMPLAN_MICRO_BATCH" "$@"; echo; } >>"$LOG"
""",
}


def job(tmp_path: Path, options: str) -> Path:
    plan = tmp_path / "a.plan"
    plan.write_text(PLAN.format(options=options))
    solution, written = api.compile(str(plan), out=str(tmp_path / "out"))
    assert not [d for d in (*solution.diagnostics, *written.diagnostics) if d.severity == "error"]
    return tmp_path / "out" / "job.sbatch"


def started(tmp_path: Path, options: str, *arguments: str) -> list[str]:
    script, stubs = job(tmp_path, options), tmp_path / "bin"
    stubs.mkdir()
    for name, text in STUBS.items():
        (stubs / name).write_text(text)
        (stubs / name).chmod(0o755)
    spool = tmp_path / "spool.sh"  # Slurm runs a copy
    spool.write_text(script.read_text())
    log = tmp_path / "log"
    environment = {
        "PATH": f"{stubs}:{os.environ['PATH']}", "LOG": str(log), "JOB": str(script), "SLURM_JOB_ID": "41",
        "SLURM_JOB_NODELIST": "node-[7-8]",
    }  # fmt: skip
    done = subprocess.run(
        ["bash", str(spool), *arguments], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return log.read_text().splitlines()


def test_each_node_has_its_number_and_the_first_is_met(tmp_path: Path) -> None:
    said = started(tmp_path, 'script = "train it.py", arguments = "--data /d; $(ls)"', "--seed", "1")
    runs = [line for line in said if line.startswith("torchrun")]
    assert [run.split("|")[1] for run in runs] == ["node-7", "node-7"]
    for number, run in enumerate(runs):
        assert f"|--node_rank|{number}|--master_addr|node-7|--master_port|20041|" in run
        assert run.endswith("|train it.py|--data|/d;|$(ls)|--seed|1|")


@pytest.mark.slow
def test_a_container(tmp_path: Path) -> None:
    said = started(tmp_path, 'script = "train.py", container = "nvcr.io/nvidia/pytorch:25.01", mounts = "/data:/data"')
    mounts = next(line for line in said if "mounts" in line)
    assert mounts.endswith(",/data:/data") and f"{tmp_path / 'out'}:{tmp_path / 'out'}," in mounts
    assert "srun --container-image=nvcr.io/nvidia/pytorch:25.01" in said


@pytest.mark.slow
def test_what_slurm_reads(tmp_path: Path) -> None:
    lines = (
        job(tmp_path, 'script = "train.py", partition = "gpu", time_limit = 2 days + 90 minutes')
        .read_text()
        .splitlines()
    )
    read = [line for line in lines if line.startswith("#SBATCH")]
    assert read[:4] == [
        f"#SBATCH --{said}" for said in ("job-name=a", "nodes=2", "ntasks-per-node=1", "gpus-per-node=8")
    ]
    assert {"#SBATCH --partition=gpu", "#SBATCH --time=2-01:30:00", "#SBATCH --requeue"} <= set(read)
    commands = [at for at, line in enumerate(lines) if line and not line.startswith("#")]
    assert max(at for at, line in enumerate(lines) if line.startswith("#SBATCH")) < commands[0]


@pytest.mark.slow
@pytest.mark.parametrize("hostile", ["gpu; rm -rf x", "a b", "gpu\\nrm x", "$(ls)"])
def test_a_partition_that_is_more_than_a_word(hostile: str, tmp_path: Path) -> None:
    plan = tmp_path / "a.plan"
    plan.write_text(PLAN.format(options=f'script = "t.py", partition = "{hostile}"'))
    solution, written = api.compile(str(plan), out=str(tmp_path / "out"))
    assert [d.code for d in (*solution.diagnostics, *written.diagnostics) if d.severity == "error"] == ["E0305"]


@pytest.mark.slow
def test_the_script_must_be_named(tmp_path: Path) -> None:
    plan = tmp_path / "a.plan"
    plan.write_text(PLAN.format(options=""))
    assert [d.message for d in api.check(str(plan)) if d.severity == "error"] == ["`emit slurm` needs `slurm.script`"]

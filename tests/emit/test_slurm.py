"""job.sbatch under a Slurm made of stubs: what is started on which node, and what a text of the plan can not do."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from llmplan import api

PLAN = """model "llama-7b"
dataset {{ tokens = 10B, sequence_length = 2048 tokens }}
hardware {{ gpu = "A100-SXM4-80GB", gpus = {gpus} }}
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
elif [[ "$1" == requeue ]]; then echo "requeue $2" >>"$LOG"
else printf "JobId=1 JobName=a\\n   Command=%s x\\n" "$JOB"; fi
""",
    "torchrun": """#!/usr/bin/env bash
{ printf "%s|" torchrun "$MASTER_ADDR" "$LLMPLAN_MICRO_BATCH" "$@"; echo; } >>"$LOG"
""",
}


def text(options: str, gpus: int = 16) -> str:
    return PLAN.format(options=options, gpus=gpus)


def job(tmp_path: Path, options: str, gpus: int = 16) -> Path:
    plan = tmp_path / "a.plan"
    plan.write_text(text(options, gpus))
    solution, written = api.compile(str(plan), out=str(tmp_path / "out"))
    assert not [d for d in (*solution.diagnostics, *written.diagnostics) if d.severity == "error"]
    return tmp_path / "out" / "job.sbatch"


def directives(tmp_path: Path, options: str, gpus: int = 16) -> set[str]:
    lines = job(tmp_path, options, gpus).read_text().splitlines()
    return {line.removeprefix("#SBATCH --") for line in lines if line.startswith("#SBATCH")}


def surroundings(tmp_path: Path, options: str, **other_stubs: str) -> tuple[Path, dict[str, str]]:
    """The copy of the script that Slurm runs, and the environment that it runs in."""
    script, stubs = job(tmp_path, options), tmp_path / "bin"
    stubs.mkdir()
    for name, stub in {**STUBS, **other_stubs}.items():
        (stubs / name).write_text(stub)
        (stubs / name).chmod(0o755)
    spool = tmp_path / "spool.sh"  # Slurm runs a copy
    spool.write_text(script.read_text())
    return spool, {
        "PATH": f"{stubs}:{os.environ['PATH']}", "LOG": str(tmp_path / "log"), "JOB": str(script), "SLURM_JOB_ID": "41",
        "SLURM_JOB_NODELIST": "node-[7-8]", "SLURM_CPUS_ON_NODE": "96", "HOME": str(tmp_path),
    }  # fmt: skip


def started(tmp_path: Path, options: str, *arguments: str) -> list[str]:
    spool, environment = surroundings(tmp_path, options)
    done = subprocess.run(
        ["bash", str(spool), *arguments], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return (tmp_path / "log").read_text().splitlines()


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


def test_a_whole_node_is_taken_with_all_that_it_has(tmp_path: Path) -> None:
    assert {"exclusive", "mem=0"} <= directives(tmp_path, 'script = "train.py"')
    assert "srun --cpus-per-task=96" in started(tmp_path, 'script = "train.py"')


@pytest.mark.slow
def test_a_part_of_a_node_is_taken_with_its_part(tmp_path: Path) -> None:
    read = directives(tmp_path, 'script = "train.py"', gpus=4)
    # Three times the memory of four A100, and at most 250 GB for each.
    assert {"cpus-per-task=32", "mem=953674M"} <= read and "exclusive" not in read
    assert "    --cpus-per-task=32 \\\n" in (tmp_path / "out" / "job.sbatch").read_text()


@pytest.mark.slow
def test_what_the_plan_asks_slurm_for(tmp_path: Path) -> None:
    asked = {
        "qos": "high",
        "constraint": "a100&[r1|r2]",
        "exclude": "node-[3,7-9]",
        "reservation": "r",
        "output": "%x-%j.out",
    }
    options = ", ".join(f'{name} = "{text}"' for name, text in asked.items())
    read = directives(
        tmp_path, f'script = "a.py", cpus_per_task = 64, memory = 900 GB/node, requeue = false, {options}'
    )
    assert {f"{name}={text}" for name, text in asked.items()} | {
        "cpus-per-task=64",
        "mem=858306M",
        "no-requeue",
    } <= read


def test_the_environment_is_prepared_before_the_start(tmp_path: Path) -> None:
    (tmp_path / "my venv").mkdir()
    (tmp_path / "my venv" / "activate").write_text('export LLMPLAN_MICRO_BATCH="$ABSENT"; echo ready >>"$LOG"\n')
    lines = r"export VENV=$HOME/my\n  source $HOME/link/activate  "
    (tmp_path / "link").symlink_to("my venv")
    said = started(tmp_path, f'script = "train.py", setup = "{lines}"')
    assert said[0] == "ready" and any(line.startswith("torchrun") for line in said)


def test_a_job_that_meets_its_limit_is_queued_again(tmp_path: Path) -> None:
    waits = """#!/usr/bin/env bash
echo running >>"$LOG"
until [[ "$(<"$LOG")" == *requeue* ]]; do sleep 0.05; done
exit 143
"""
    spool, environment = surroundings(tmp_path, 'script = "train.py", signal = 119.5 s', srun=waits)
    assert "#SBATCH --signal=B:USR1@120" in spool.read_text().splitlines()
    with subprocess.Popen(["bash", str(spool)], env=environment, stderr=subprocess.PIPE, text=True) as run:
        while run.poll() is None and not (tmp_path / "log").exists():
            time.sleep(0.02)
        run.send_signal(signal.SIGUSR1)
        _, told = run.communicate(timeout=60)
    assert (tmp_path / "log").read_text() == "running\nrequeue 41\n"
    assert run.returncode == 143 and "queued again" in told


def test_a_signal_needs_a_job_that_may_be_queued_again() -> None:
    for options in ("signal = 1 minute, requeue = false", "signal = 2 hours, time_limit = 1 hour"):
        solution = api.solve("-", text=text(f'script = "a", {options}'))
        assert [d.span.text for d in solution.diagnostics if d.severity == "error" and d.span]
        assert any("`slurm_signal`" in d.message for d in solution.diagnostics)


def test_a_program_of_its_own_needs_no_script() -> None:
    plan = text("").replace("deepspeed", 'megatron { data = "d", tokenizer = "t" }').replace("= 2", "= 1", 1)
    assert not [d for d in api.check("-", text=plan) if d.severity == "error"]


HOSTILE = [
    *(("partition", text) for text in ("gpu; rm -rf x", "a b", "gpu\\nrm x", "$(ls)")),
    *((option, text) for option in ("qos", "constraint", "exclude", "reservation", "output")
      for text in ("a b", "a\\n#SBATCH --wrap=x", "$(ls)", "`ls`", "a#b", "a'b", '\\"')),
    *(("setup", text) for text in (
        "rm -rf keep", "module load a; rm b", "export A=$(ls)", "source `ls`", "source -x", "module load a\\nrm -rf b",
        "source a | sh", "export A=\\\"b", "conda remove a", "module load a > b", "module load *", "exported a",
    )),
]  # fmt: skip


@pytest.mark.parametrize(
    ("option", "hostile"),
    [pytest.param(*row, marks=[pytest.mark.slow] * (at % 8 > 0)) for at, row in enumerate(HOSTILE)],
)
def test_a_text_that_is_more_than_its_word(option: str, hostile: str) -> None:
    found = api.check("-", text=text(f'script = "t.py", {option} = "{hostile}"'))
    assert [d.code for d in found if d.severity == "error"] == ["E0305"]


@pytest.mark.slow
def test_the_script_must_be_named() -> None:
    solution = api.solve("-", text=text(""))
    assert any("nothing says what the job is to start" in str(d.notes) for d in solution.diagnostics)

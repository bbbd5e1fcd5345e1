"""Templates compiled by a fork: the same files as without one, and no process left behind."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.forks import CORES, forks

ROOT = Path(__file__).resolve().parents[2]

CHILDREN = """
import os
from llmplan.emit import precompile
with precompile.compiling():
    precompile.begin('emit deepspeed', None)
    {inside}
try:
    os.waitpid(-1, os.WNOHANG)
    print("left a process")
except ChildProcessError:
    print("left none")
"""


def python(inside: str) -> list[str]:
    code = CHILDREN.format(inside=inside)
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ROOT)
    assert done.stderr == ""
    return done.stdout.splitlines()


@forks
def test_what_is_emitted_is_compiled_beside_and_nobody_is_left() -> None:
    said = python("print(*sorted({code.co_filename for code in precompile.finished().values()}), sep='\\n')")
    assert "templates/deepspeed/ds_config.json.j2" in said and "templates/report/report.md.j2" in said
    assert not any(line.startswith("templates/slurm/") for line in said)
    assert said[-1] == "left none"


@forks
def test_who_leaves_early_leaves_nobody() -> None:
    assert python("pass") == ["left none"]


def test_without_a_caller_nothing_begins() -> None:
    code = "from llmplan.emit import precompile; precompile.begin('emit deepspeed', None); print(precompile.finished())"
    assert (
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ROOT).stdout
        == "{}\n"
    )


@pytest.mark.slow
@forks
def test_the_files_are_those_of_one_core(tmp_path: Path) -> None:
    """With one core nothing is forked."""
    made = []
    for name, cores in (("one", {min(CORES)}), ("all", CORES)):
        environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / f"cache-{name}")}
        command = [
            sys.executable,
            "-m",
            "llmplan",
            "compile",
            str(ROOT / "plans" / "one_card.plan"),
            "-o",
            str(tmp_path / name),
        ]
        subprocess.run(
            command,
            env=environment,
            cwd=ROOT,
            check=True,
            capture_output=True,
            preexec_fn=lambda cores=cores: os.sched_setaffinity(0, cores),
        )
        made.append({file.name: file.read_bytes() for file in (tmp_path / name).iterdir()})
    assert made[0] == made[1] and "report.md" in made[0]

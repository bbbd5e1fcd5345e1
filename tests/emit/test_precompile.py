"""Templates compiled by a fork: the same files as without one, and no process left behind."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.forks import CORES, ROOT, forks, lines_of

COMPILING = """
from llmplan.emit import precompile
with precompile.compiling():
    precompile.begin('emit deepspeed', None)
    {inside}
"""


def python(inside: str) -> list[str]:
    return lines_of(COMPILING.format(inside=inside))


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
    assert lines_of(code) == ["{}", "left none"]


@pytest.mark.slow
@forks
def test_the_files_are_those_of_one_core(tmp_path: Path) -> None:
    """With one core nothing is forked."""
    made = []
    for name, cores in (("one", {min(CORES)}), ("all", CORES)):
        environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / f"cache-{name}")}
        plan, out = str(ROOT / "plans" / "one_card.plan"), str(tmp_path / name)
        subprocess.run(
            [sys.executable, "-m", "llmplan", "compile", plan, "-o", out],
            env=environment,
            cwd=ROOT,
            check=True,
            capture_output=True,
            preexec_fn=lambda cores=cores: os.sched_setaffinity(0, cores),
        )
        made.append({file.name: file.read_bytes() for file in (tmp_path / name).iterdir()})
    assert made[0] == made[1] and "report.md" in made[0]

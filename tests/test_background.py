"""Work done by a fork: its answer or none, never two, and no process left behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from llmplan import api
from llmplan.emit import environment
from tests.forks import CORES, ROOT, forks, lines_of

FORKING = """
import os, threading, time
os.environ["OPENBLAS_NUM_THREADS"] = {threads!r}
from llmplan.background import Fork
{before}
with Fork(lambda: {work}) as aside:
    {inside}
"""


def said(work: str, inside: str = "print(aside.result())", before: str = "", threads: str = "1") -> list[str]:
    return lines_of(FORKING.format(work=work, inside=inside, before=before, threads=threads))


@forks
@pytest.mark.parametrize(
    ("work", "answer"),
    [
        ("(1.5, 'two', [3])", "(1.5, 'two', [3])"),
        ("os.getpid() != os.getppid() and print('heard by nobody') or 7", "7"),
        pytest.param("1 / 0", "None", id="an error"),
        pytest.param("object()", "None", id="what is no plain data"),
        pytest.param("os.kill(os.getpid(), 9)", "None", id="killed"),
    ],
)
def test_an_answer_or_none(work: str, answer: str) -> None:
    assert said(work) == [answer, "left none"]


@pytest.mark.slow
@forks
def test_with_one_thread_of_numpy_too() -> None:
    assert said("[1]", before="import numpy") == ["[1]", "left none"]


@forks
def test_it_is_gone_at_the_end() -> None:
    assert said("time.sleep(50)", "pass") == ["left none"]


WAITING = "threading.Thread(target=time.sleep, args=(9,), daemon=True).start()"


@pytest.mark.parametrize(
    ("before", "threads"),
    [
        (WAITING, "1"),
        pytest.param(
            "import numpy",
            "2",
            marks=[pytest.mark.slow, pytest.mark.skipif(len(CORES) < 2, reason="one core has no pool of threads")],
        ),
    ],
)
def test_beside_other_threads_nothing_is_forked(before: str, threads: str) -> None:
    assert said("1", before=before, threads=threads) == ["None", "left none"]


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


@pytest.mark.slow
def test_templates_are_compiled_while_levers_are_awaited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []
    monkeypatch.setattr(environment, "compile_ahead", lambda emitted, templates: asked.append(emitted))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    api.compile(str(ROOT / "plans" / "one_card.plan"), out=str(tmp_path / "out"))
    assert [len(emitted) > 0 for emitted in asked] == [True]

"""docs/calibrate.md: what its first screen shows is what the command writes, and its tables have all that there is."""

from __future__ import annotations

import random
import re
import shlex
from pathlib import Path

import pytest

from llmplan.calibration import names
from llmplan.cli import run
from llmplan.logs.formula import FUNCTIONS
from llmplan.logs.mistakes import DECORATORS
from llmplan.logs.run import ROLES
from tests.logs import synthetic

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "calibrate.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
PLAN = """model "llama-7b"
dataset { tokens = 1T, sequence_length = 2048 }
hardware { gpu = "A100-SXM4-80GB", gpus = 64 }
parallelism { tensor = 1, zero_stage = 1 }
training { precision = bf16, global_batch = 1024 sequences, micro_batch = 4, recompute = selective }
require deadline: wall_time <= 120 days
"""


def log() -> bytes:
    draw = random.Random(7)
    seconds = [31.2, *[round(8.15 * draw.uniform(0.985, 1.015), 4) for _ in range(199)]]
    gib = 2.0**30
    made = synthetic.Made(
        tuple(seconds), 1024, 4, 2048, 64, tensor=2, pipeline=1, allocated=38.5 * gib, reserved=41.25 * gib, ranks=64
    )
    return synthetic.megatron(made).text


def test_the_screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run.log").write_bytes(log())
    Path("train.plan").write_text(PLAN)
    commands = re.findall(r"^\$ llmplan (.*)$", PAGE, re.MULTILINE)
    assert commands == ["calibrate run.log train.plan -o measured.plan"]
    assert run(commands[0].split()) == 0
    shown = re.search(r"^```console\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert shown is not None
    written = (
        f"$ llmplan {commands[0]}\n{capsys.readouterr().out}$ cat measured.plan\n{Path('measured.plan').read_text()}"
    )
    assert shown[1] == written
    assert run(["check", "measured.plan"]) == 0


def test_the_readme_goes_from_a_run_to_the_next_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    Path("run.log").write_bytes(log())
    Path("train.plan").write_text(PLAN)
    section = README.partition("## Measured at home")[2].partition("\n## ")[0]
    (block,) = re.findall(r"(?s)```console\n(.*?)```", section)
    for command, shown in re.findall(r"(?m)^\$ llmplan (.*)\n((?:(?!\$ ).*\n)*)", block):
        assert run(shlex.split(command)) == 0
        assert capsys.readouterr().out == shown, command


@pytest.mark.slow
def test_what_one_run_is_worth_is_as_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Written anew by `python benchmarks/measured_runs.py --write`."""
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks.measured_runs import CASES, measured_runs, page, table

    assert page(PAGE, table(*measured_runs(CASES))) == PAGE


def test_the_tables() -> None:
    text = PAGE.partition("## A format of one's own")[2]
    for name in DECORATORS - {"cite"}:
        assert f"`@{name}" in text, name
    for event, whats in ROLES.items():
        assert f"`{event}." in text, event
        for what in whats - {"is", "moment", "about", "windowed"}:
            assert f"`{what}`" in text, f"{event}.{what}"
    for name in FUNCTIONS:
        assert f"`{name}" in text, name


def test_the_software() -> None:
    for name in names():
        if name not in ("tracked values", "Hugging Face"):
            assert name.partition("_bench")[0].lower() in PAGE.lower(), name

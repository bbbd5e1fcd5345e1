"""What a screen and a derivation say of runs that were measured: also that they move nothing of a plan."""

from __future__ import annotations

from pathlib import Path

import pytest

from llmplan.cli import run
from tests.uncertainty.test_measured import FAR, PLAN

SAID = "not near this plan"
NEAR = 'measured "n" { step_time = 9 s, memory.reserved = 50 GiB }\n'


def answers(text: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    (folder / "a.plan").write_text(text, encoding="utf-8")
    said = []
    for command in (["solve"], ["explain"]):
        assert run([*command, str(folder / "a.plan"), *(["step_time"] if command == ["explain"] else [])]) == 0
        said.append(" ".join(capsys.readouterr().out.split()))
    return said[0], said[1]


def test_a_far_run_is_said_to_move_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    screen, derived = answers(f'{PLAN}measured "f" {{ {FAR}, step_time = 90 s }}\n', tmp_path, capsys)
    assert SAID in screen and "no measured run is near this plan" in derived
    assert "without what was measured" not in derived


def test_a_near_run_is_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    screen, derived = answers(PLAN + NEAR, tmp_path, capsys)
    assert SAID not in screen and 'without what was measured in "n"' in derived
    assert "memory.reserved 50 GiB" in screen

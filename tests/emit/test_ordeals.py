"""Killed, out of space, or eight at once: each file is the old or the new one, and nothing is left lying about."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FORKS = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that fork")
ORDEALS = {
    "killed_at_calls": (6, 10_000),
    "failed_at_calls": (6, 10_000),
    "killed_at_random": (2, 200),
    "no_space": (3, 10_000),
    "at_once": (2, 40),
}
"""How often each is gone through by default, and at most."""


def tried(folder: Path, seed: int, **ordeals: int) -> list[int]:
    """How often each ordeal was gone through; they fail by themselves."""
    asked = [f"{name}={times}" for name, times in ordeals.items()]
    command = [sys.executable, "-m", "tests.emit.ordeals", *asked, str(seed), str(folder)]
    done = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert not list(folder.iterdir())
    return [int(line) for line in done.stdout.split()]


@pytest.mark.slow
@FORKS
def test_some_of_each_ordeal(tmp_path: Path) -> None:
    few = {name: least for name, (least, _) in ORDEALS.items()}
    assert all(found >= least for found, least in zip(tried(tmp_path, 1, **few), few.values()))


@FORKS
@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 3])
@pytest.mark.parametrize("ordeal", ORDEALS)
def test_an_ordeal(ordeal: str, seed: int, tmp_path: Path) -> None:
    least, most = ORDEALS[ordeal]
    assert tried(tmp_path, seed, **{ordeal: most})[0] > least

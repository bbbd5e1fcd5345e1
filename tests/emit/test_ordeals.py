"""Killed, out of space, or eight at once: each file is the old or the new one, and nothing is left lying about."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.thorough import THOROUGH

ROOT = Path(__file__).resolve().parents[2]


def tried(ordeal: str, most: int, folder: Path, seed: int = 1) -> int:
    """How often an ordeal was gone through; it fails by itself."""
    command = [sys.executable, "-m", "tests.emit.ordeals", ordeal, str(most), str(seed), str(folder)]
    done = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


@pytest.mark.parametrize(
    "ordeal, sample, most",
    [("killed_at_calls", 12, 10_000), ("failed_at_calls", 12, 10_000), ("killed_at_random", 6, 200), ("no_space", 3, 10_000), ("at_once", 3, 40)],
)
def test_an_ordeal(ordeal: str, sample: int, most: int, tmp_path: Path) -> None:
    assert tried(ordeal, most if THOROUGH else sample, tmp_path) >= sample
    assert not list(tmp_path.iterdir())

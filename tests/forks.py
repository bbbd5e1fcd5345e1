"""What tests of second processes need: whether the system forks, and a program that tells whether one is left."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

CORES = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else {0}

forks = pytest.mark.skipif(not hasattr(os, "fork") or len(CORES) < 2, reason="needs a system that forks, and two cores")

_LEFT = """
import os
try:
    os.waitpid(-1, os.WNOHANG)
    print("left a process")
except ChildProcessError:
    print("left none")
"""


def lines_of(program: str) -> list[str]:
    """The lines that a program prints; the last one says whether it leaves a process behind: `left none`."""
    command = [sys.executable, "-c", f"{program}\n{_LEFT}"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert done.stderr == ""
    return done.stdout.splitlines()

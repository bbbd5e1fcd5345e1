"""The commands that people wait for at every save import nothing heavy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PLAN = ROOT / "plans" / "llama7b.plan"
HEAVY = ("sympy", "numpy", "jinja2", "mpmath")
REPORT = f"print('heavy:', [name for name in {HEAVY} if name in sys.modules])"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["solve", "--help"],
        ["check", str(PLAN)],
        ["explain", "E0301"],
        ["check", "missing.plan"],
        ["fmt", "--check", str(PLAN)],
    ],
)
def test_imports_nothing_heavy(arguments):
    script = f"import sys; from llmplan.cli import run; run({arguments!r}); {REPORT}"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "heavy: []"
    assert "E0901" not in done.stderr


def test_what_draws_is_not_loaded_for_the_next_command():
    script = "import sys, llmplan.cli.next_command; print('llmplan.present.svg.elements' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"

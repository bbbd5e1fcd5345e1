"""Every Python that llmplan promises to run on, where the machine has it: the same bytes as with this one.

Needs a package index; skips with the reason without.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.real import compiled, needs
from tests.integration.test_lowest_versions import LOWEST

PLANS = ("llama7b.plan", "questions/gpus_and_cost.plan")
OTHERS = [
    version for version in ("3.10", "3.11", "3.12", "3.13", "3.14") if version != "{}.{}".format(*sys.version_info)
]


def interpreter(version: str) -> str:
    """The newest of a version, also of those that pyenv keeps; skip if there is none."""
    kept = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"))
    for found in (shutil.which(f"python{version}"), *map(str, reversed(kept))):
        if found and not subprocess.run([found, "-c", "import venv"], capture_output=True, check=False).returncode:
            return found
    pytest.skip(f"there is no Python {version}")


@pytest.mark.slow
@pytest.mark.integration
@pytest.mark.parametrize("version", OTHERS)
def test_the_same_bytes(version: str, tmp_path: Path) -> None:
    needs("accelerate")  # where the integration is tested
    python = tmp_path / "own" / "bin" / "python"
    subprocess.run([interpreter(version), "-m", "venv", str(python.parents[1])], check=True)
    names = [each.partition("==")[0] for each in LOWEST]
    found = subprocess.run([python, "-m", "pip", "install", "-q", *names], capture_output=True, text=True, check=False)
    if found.returncode:
        pytest.skip(f"cannot be installed here: {(found.stderr.strip() or 'pip failed').splitlines()[-1]}")
    for number, plan in enumerate(PLANS):
        assert compiled(plan, tmp_path / f"{number}", python=str(python)) == compiled(plan, tmp_path / f"{number}-here")

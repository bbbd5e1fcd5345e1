"""llmplan with the lowest version of every package that it promises to work with: the same bytes as with the newest.

Needs a package index, and a Python for which all of these versions have a wheel; skips with the reason without.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.real import ROOT, compiled, needs

PROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
(_, LISTED) = re.findall(r"(?ms)^(dependencies) = \[(.*?)^\]", PROJECT)[0]
LOWEST = [f"{name}=={version}" for name, version in re.findall(r'"(\w+)>=([0-9.]+)', LISTED)]
PLANS = ("llama7b.plan", "one_card.plan", "questions/gpus_and_cost.plan")


@pytest.fixture(scope="module")
def lowest(tmp_path_factory) -> Path:
    """A folder with these versions, where the integration is tested: once in a run of `.ci/run`."""
    needs("accelerate")
    folder = tmp_path_factory.mktemp("lowest")
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--only-binary",
        ":all:",
        "--target",
        str(folder),
        *LOWEST,
    ]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    if found.returncode:
        pytest.skip(f"cannot be installed here: {(found.stderr.strip() or 'pip failed').splitlines()[-1]}")
    return folder


@pytest.mark.slow
@pytest.mark.integration
def test_these_versions_are_what_is_imported(lowest):
    code = "from importlib.metadata import version as v; import sys; print(*(f'{n}=={v(n)}' for n in sys.argv[1:]))"
    names = [each.partition("==")[0] for each in LOWEST]
    assert len(names) == LISTED.count(">=")
    found = subprocess.run(
        [sys.executable, "-c", code, *names],
        env={**os.environ, "PYTHONPATH": str(lowest)},
        capture_output=True,
        text=True,
        check=True,
    )
    for promised, imported in zip(LOWEST, found.stdout.split()):
        assert (imported + ".").startswith(promised + ".")


@pytest.mark.slow
@pytest.mark.integration
@pytest.mark.parametrize("plan", PLANS)
def test_the_lowest_versions_give_the_same_bytes(plan, lowest, tmp_path):
    assert compiled(plan, tmp_path / "low", [lowest]) == compiled(plan, tmp_path / "new")

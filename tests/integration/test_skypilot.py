"""SkyPilot accepts the target that `docs/extending.md` adds by a folder alone, written as the page says.

SkyPilot pins other versions than the rest, so that it has an environment of its own, which `.ci/run` makes.
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from llmplan import cli
from tests.docs.test_extending import recipes
from tests.integration.plans import ROOT, quantity
from tests.integration.real import PROGRAMS

OWN = ROOT / ".venv-skypilot"

pytestmark = [
    pytest.mark.integration,
    pytest.mark.slow,
    pytest.mark.skipif(
        not [*OWN.glob("lib/python*/site-packages/sky")], reason=f"no SkyPilot in {OWN.name}: .ci/run installs it"
    ),
]


def test_the_target_of_the_page_is_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plans").mkdir()
    shutil.copy(ROOT / "plans" / "llama7b.plan", tmp_path / "plans")
    commands = []
    for block in recipes()["A target"]:
        if block.language == "sh":
            commands += [shlex.split(line)[1:] for line in block.text.splitlines()]
        else:
            (tmp_path / block.file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / block.file).write_text(block.text, encoding="utf-8")
    (compiles,) = (words for words in commands if words[0] == "compile")
    assert cli.run(compiles) == 0
    folder = tmp_path / "sky"
    command = [str(OWN / "bin" / "python"), str(PROGRAMS / "read_skypilot.py"), str(folder / "sky.yaml")]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    seen = json.loads(done.stdout.strip().splitlines()[-1])
    nodes = quantity(folder, "hardware.nodes")
    assert seen["nodes"] == nodes and seen["disk"] == 512
    assert seen["accelerators"] == {"A100-80GB": quantity(folder, "hardware.gpus") // nodes}
    assert seen["run"].splitlines()[-1] == "bash launch.sh train.py"

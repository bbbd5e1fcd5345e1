"""`import` prints the same bytes in any folder, locale and time zone, and with any hash seed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "docs" / "example"
ELSEWHERE = (
    {"PYTHONHASHSEED": "1", "LC_ALL": "C", "TZ": "UTC"},
    {"PYTHONHASHSEED": "2", "LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8", "TZ": "Asia/Kathmandu", "PYTHONUTF8": "0"},
)


@pytest.mark.slow
@pytest.mark.parametrize("option", [(), ("--json",)])
def test_the_same_bytes(tmp_path: Path, option: tuple[str, ...]) -> None:
    said = []
    for folder, variables in zip(("one", "a larger ö"), ELSEWHERE):
        (tmp_path / folder).mkdir()
        names = sorted(path.name for path in EXAMPLE.iterdir() if path.suffix in (".json", ".sh"))
        for name in names:
            shutil.copy(EXAMPLE / name, tmp_path / folder / name)
        command = [sys.executable, "-m", "llmplan", "import", *names, *option]
        found = subprocess.run(
            command, cwd=tmp_path / folder, env={**os.environ, **variables}, capture_output=True, check=True
        )
        said.append((found.stdout, found.stderr))
    assert said[0] == said[1] and said[0][0]

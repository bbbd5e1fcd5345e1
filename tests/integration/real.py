"""Running the real software on emitted files, each time in a process of its own.

It is not imported into the tests: it warns, patches itself and takes seconds to load.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

PROGRAMS = Path(__file__).parent / "programs"
ROOT = Path(__file__).parents[2]


def needs(*modules: str) -> None:
    """Skip where the extra `integration` is not installed."""
    for module in modules:
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed: pip install -e '.[integration]'")


def tool(name: str, where: str = "pip install -e '.[integration]'") -> str:
    """A command of the interpreter's own environment, or of the system; skip if there is none."""
    found = shutil.which(name, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
    if found is None:
        pytest.skip(f"{name} is not installed: {where}")
    return found


def environment(**more: str) -> dict[str, str]:
    """Of a process that runs on CPUs and finds this interpreter's commands first."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    on_cpu = {"DS_ACCELERATOR": "cpu", "ACCELERATE_TORCH_DEVICE": "cpu", "OMP_NUM_THREADS": "1", "PATH": path}
    on_cpu["HF_HUB_OFFLINE"] = "1"  # models and data lie in folders
    mine = {name: value for name, value in os.environ.items() if not name.startswith(("ACCELERATE_", "LLMPLAN_"))}
    return {**mine, **on_cpu, **more}


def read(program: str, *arguments: str | Path, python: str | Path = sys.executable, timeout: float = 300) -> Any:
    """What a program of this folder prints about a file; its last line is JSON."""
    command = [str(python), str(PROGRAMS / program), *map(str, arguments)]
    done = subprocess.run(command, check=False, env=environment(), capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.strip().splitlines()[-1])


def read_each(
    program: str, *arguments: str | Path, cases: Sequence[Any], folder: Path, python: str | Path = sys.executable
) -> list[dict[str, Any]]:
    """What a program, whose last argument is a file of cases, says of each."""
    place = folder / "cases.json"
    place.write_text(json.dumps(cases), encoding="utf-8")
    found: list[dict[str, Any]] = read(program, *arguments, place, python=python, timeout=1200)
    assert len(found) == len(cases)
    return found


def free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def compiled(
    plan: str, out: Path, before: Sequence[Path] = (), python: str = sys.executable
) -> tuple[str, dict[str, bytes]]:
    """What `compile` of a plan that ships prints, and the files that it writes, by an interpreter and packages that
    come first.
    """
    out.mkdir()
    kept = {"XDG_CACHE_HOME": str(out / "cache"), "XDG_STATE_HOME": str(out / "state")}
    found = subprocess.run(
        [python, "-m", "llmplan", "compile", "-o", "written", str(ROOT / "plans" / plan)],
        cwd=out, env={**os.environ, **kept, "PYTHONPATH": os.pathsep.join(map(str, [*before, ROOT]))},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    return found.stdout, {file.name: file.read_bytes() for file in sorted((out / "written").iterdir())}

"""A broken installation is told apart from a mistake in the plan and from one in llmplan."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import llmplan
from llmplan.emit import targets
from llmplan.installation import Broken, about, unreadable

HOME = Path(llmplan.__file__).resolve().parent
PARTS = ("grammar", "plans", "templates")


def run(folder: Path, *command: str, without: str = "") -> subprocess.CompletedProcess[str]:
    """A command of a copy of llmplan in a folder, in a process of its own; perhaps without a package."""
    code = f"import sys; sys.path[0] = {str(folder)!r}\n"
    code += f"sys.modules[{without!r}] = None\n" if without else ""
    code += "import llmplan; assert llmplan.__file__.startswith(sys.path[0]), llmplan.__file__\n"
    code += "from llmplan.__main__ import main; main()"
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
    return subprocess.run(
        [sys.executable, "-c", code, *command],
        cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    shutil.copytree(HOME, tmp_path / "llmplan", ignore=shutil.ignore_patterns("__pycache__", *PARTS))
    for part in PARTS:
        shutil.copytree(HOME / part if (HOME / part).is_dir() else HOME.parent / part, tmp_path / part)
    (tmp_path / "a.plan").write_text('model "llama-7b"\nhardware { gpus = 8 }\nshow memory.weights\n')
    return tmp_path


def damaged(name: str, folder: Path) -> None:
    """Removes a file or folder, or with `=` writes something else."""
    path, equals, text = name.partition("=")
    if equals:
        (folder / path).write_bytes(text.encode("latin-1"))
    elif (folder / path).is_dir():
        shutil.rmtree(folder / path)
    else:
        (folder / path).unlink()


@pytest.mark.slow
@pytest.mark.parametrize("command", ["check", "solve", "compile"])
@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ("grammar", "cannot read `grammar/plan.lark`: no such file or directory"),
        ("grammar/plan.lark=\xff", "cannot read `grammar/plan.lark`: it is not UTF-8"),
        ("grammar/plan.lark=start: nothing", "`grammar/plan.lark` is not the grammar: "),
        ("plans", "cannot read `plans/std`: no such file or directory"),
        ("plans/catalog", "cannot read `plans/catalog`: no such file or directory"),
        ("plans/std/memory.plan=\xff", "cannot read `plans/std/memory.plan`: it is not UTF-8"),
        ("templates", "cannot read `templates`: no such file or directory"),
        ("templates/deepspeed", "`templates/deepspeed` is missing, or its `target.json`"),
        ("templates/report/target.json", "`templates/report` is missing, or its `target.json`"),
        ("llmplan/check/checker.py", "the module `llmplan.check.checker` is missing"),
    ],
)
def test_a_part_is_missing_or_damaged(copied: Path, damage: str, said: str, command: str) -> None:
    damaged(damage, copied)
    found = run(copied, command, "a.plan")
    assert found.returncode == 2
    assert found.stderr.startswith(f"error[E0902]: the installation of llmplan is broken: {said}")
    assert "Traceback" not in found.stderr and "E0901" not in found.stderr


@pytest.mark.parametrize(
    "package", ["click", *(pytest.param(name, marks=pytest.mark.slow) for name in ("attrs", "lark", "numpy"))]
)
def test_a_package_is_missing(tmp_path: Path, package: str) -> None:
    (tmp_path / "a.plan").write_text("let x = ? in 1..100000\nrequire r: x * x >= 50\nminimize x\n")
    code = f"import sys; sys.modules[{package!r}] = None; from llmplan.__main__ import main; main()"
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    command = [sys.executable, "-c", code, "solve", "a.plan"]
    found = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr.startswith(
        f"error[E0902]: the installation of llmplan is broken: the package `{package}` is missing\n"
    )


def test_only_what_is_known_to_be_the_installation() -> None:
    assert about(ValueError("x")) is None
    assert about(ImportError("cannot import name", name="llmplan.api")) is None
    assert about(FileNotFoundError(2, "No such file", "x.plan")) is None
    assert "cannot read `plans/std`: no such" in (
        about(unreadable("plans/std", FileNotFoundError(2, "No such file"))) or ""
    )
    assert about(Broken("x"))


def test_a_target_that_is_missing_is_none_that_never_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "shipped", lambda: ["accelerate", "launch", "report"])
    with pytest.raises(Broken, match="`templates/axolotl` is missing"):
        targets.load()

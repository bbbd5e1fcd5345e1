"""One key for all that is kept: whatever the program that made it has changed, it is made anew."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import llmplan
from llmplan.cache import key as keys
from llmplan.cache.key import key, stamps

ROOT = Path(__file__).resolve().parent.parent
SORTS = {"check", "derivation", "files", "grammar", "library", "solve", "tables"}
"""Everything that is kept on disk, by the name that its file begins with."""

PLAN = """model from "config.json"
hardware { gpus = 8, gpu = "A100-SXM4-80GB" }
assume mfu = 40%
dataset.tokens = ?
require deadline: time == 30 days
emit report
"""
CONFIG = {"model_type": "llama", "hidden_size": 512, "intermediate_size": 1376, "num_attention_heads": 8,
          "num_hidden_layers": 4, "vocab_size": 32000, "max_position_embeddings": 512}  # fmt: skip


class Copy:
    """A copy of the installation, with a cache of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("llmplan", "grammar", "plans", "templates"):
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        (folder / "pyproject.toml").touch()
        (folder / "a.plan").write_text(PLAN, encoding="utf-8")
        (folder / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        state = {"XDG_CACHE_HOME": str(self.folder / "cache"), "XDG_STATE_HOME": str(self.folder / "state")}
        environment = {**os.environ, **state, "PYTHONPATH": str(self.folder)}
        command = [sys.executable, "-m", "llmplan", *arguments]
        return subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False, timeout=100
        )

    def kept(self) -> set[str]:
        return {file.name for file in (self.folder / "cache" / "llmplan").iterdir()}

    def edit(self, file: str, before: str, after: str) -> None:
        path = self.folder / file
        text = path.read_text(encoding="utf-8")
        assert before in text
        path.write_text(text.replace(before, after), encoding="utf-8")


@pytest.mark.slow
def test_a_changed_operation_is_told_of_by_a_library_that_was_sound(tmp_path: Path) -> None:
    """`sqrt` takes no plain number any more, as `plans/std/time.plan` gives it."""
    copy = Copy(tmp_path)
    for command in ("check", "compile"):
        done = copy.run(command, "a.plan")
        assert done.returncode == 0, done.stderr
    first = copy.kept()
    assert {name.rpartition("-")[0] for name in first} == SORTS

    copy.edit("llmplan/operations/arithmetic.py", "OPERATIONS = (\n", "# as it was\nOPERATIONS = (\n")
    for command in ("check", "compile"):
        assert copy.run(command, "a.plan").returncode == 0
    assert {name.rpartition("-")[0] for name in copy.kept() - first} == SORTS

    copy.edit(
        "llmplan/operations/arithmetic.py",
        "if any(exponent % 2 for _, exponent in measure.dims):",
        "if not measure.dims:",
    )
    done = copy.run("check", "a.plan")
    assert done.returncode == 1 and re.search(r"error\[E030\d\].*\n.*plans/std/", done.stderr), done.stderr


@pytest.mark.parametrize("file", ["operations/arithmetic.py", "api.py", "diagnostics/pages/E0101.md"])
def test_a_key_names_every_file_of_the_program(file: str) -> None:
    path = Path(llmplan.__file__).parent / file
    assert f"{path} {path.stat().st_size} {path.stat().st_mtime_ns}" in keys.program().splitlines()
    assert f"{ROOT / 'grammar' / 'plan.lark'} " in keys.program()


def test_another_program_has_other_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key("a", 1)
    assert before == key("a", 1) != key("a", 2) and key(("a", 1)) != before
    monkeypatch.setattr(keys, "program", lambda: "another")
    assert key("a", 1) != before


def test_no_other_function_makes_a_key() -> None:
    """mypy lets a cache have no other; this shows that nobody makes one by hand."""
    makers = []
    for file in sorted(Path(llmplan.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            called = node.func if isinstance(node, ast.Call) else None
            if getattr(called, "id", getattr(called, "attr", "")) == "Key":
                makers.append(file.name)
    assert makers == ["key.py"]


def test_stamps(tmp_path: Path) -> None:
    (tmp_path / "sub" / "__pycache__").mkdir(parents=True)
    (tmp_path / "sub" / "__pycache__" / "a.pyc").touch()
    (tmp_path / "sub" / "b").write_text("x", encoding="utf-8")
    (tmp_path / "a").write_text("y", encoding="utf-8")
    first = stamps(tmp_path)
    assert [line.split()[0] for line in first] == [str(tmp_path / "a"), str(tmp_path / "sub" / "b")]
    assert stamps(tmp_path / "a") == first[:1]
    os.utime(tmp_path / "a", (1, 1))
    assert stamps(tmp_path)[0] != first[0] and stamps(tmp_path)[1] == first[1]

"""The note that a repository's `.gitignore` leaves out the folder of the written files."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from llmplan import api
from llmplan.emit.ignored import ignored

FILES = {"launch.sh": "#!/bin/sh\n"}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("lines", "folder", "line"),
    [
        ("build/", "plans/build/7b", "build/"),
        ("# build/\n\n", "build/7b", None),
        ("/build", "build/7b", "/build"),
        ("/build", "plans/build/7b", None),
        ("plans/*/7b", "plans/build/7b", "plans/*/7b"),
        ("**/out", "a/b/out", "**/out"),
        ("bu?ld", "build", "bu?ld"),
        ("b*\n!build", "build", None),
        ("build/\n!build/7b/", "build/7b", "build/"),
        ("builds", "build", None),
    ],
)
def test_lines(repository: Path, lines: str, folder: str, line: str | None) -> None:
    (repository / ".gitignore").write_text(lines)
    note = ignored(repository / folder, folder, FILES)
    assert (note is None) == (line is None)
    if note is not None:
        assert note.code == "W0619" and f"`{line}` in `.gitignore`" in note.message
    if shutil.which("git"):
        shutil.rmtree(repository / ".git")
        subprocess.run(["git", "init", "-q", str(repository)], check=True)
        (repository / folder).mkdir(parents=True)
        (repository / folder / "launch.sh").write_text("")
        told = subprocess.run(["git", "-C", str(repository), "check-ignore", "-q", f"{folder}/launch.sh"], check=False)
        assert (told.returncode == 0) == (line is not None)


def test_a_file_further_down_and_outside_a_repository(
    repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    (repository / "plans").mkdir()
    (repository / "plans/.gitignore").write_text("build\n")
    note = ignored(repository / "plans/build/7b", "plans/build/7b", FILES)
    assert note is not None and "`plans/.gitignore`" in note.message
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / ".gitignore").write_text("build\n")
    assert ignored(elsewhere / "build", "build", FILES) is None


def test_a_compile_says_so_once(repository: Path) -> None:
    (repository / ".gitignore").write_text("build/\n")
    plan = repository / "a.plan"
    plan.write_text('model "llama-7b"\nshow model.params_total\nemit report { pictures = none }\n')
    codes = [[one.code for one in api.compile(str(plan))[1].diagnostics] for _ in range(2)]
    assert codes == [["W0619"], []]

"""Files in their folder: all or none, nobody's work overwritten, nothing outside touched."""

from __future__ import annotations

import errno
import json
import os
import stat
from pathlib import Path

import pytest

from llmplan.answer.schema.solution import Solution
from llmplan.diagnostics import Diagnostic
from llmplan.emit import write as writing
from llmplan.emit.folder import Folder
from llmplan.emit.render import render
from tests.emit.samples import emitting, having, solution, value

LLAMA = solution()
LARGER = having(LLAMA, value("hardware.gpus", 96.0, "96 GPUs", "GPU"), value("hardware.nodes", 12.0, "12 nodes"))


def texts(plan: Solution) -> dict[str, str]:
    files, problems = render(plan)
    assert not problems
    return files


WRITTEN = frozenset(texts(LLAMA))


def write(folder: Path, contents: dict[str, str], force: bool = False) -> list[Diagnostic]:
    return list(writing.write(Folder(folder, names=WRITTEN), contents, force).problems)


def check(folder: Path, contents: dict[str, str], plan: Solution) -> list[Diagnostic]:
    return [*writing.check(Folder(folder, names=WRITTEN), contents, plan).problems]


def codes(problems: list[Diagnostic]) -> list[str]:
    return [problem.code for problem in problems]


def state(folder: Path) -> dict[str, bytes]:
    """Everything below a folder, hidden files too."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_writes_all_files(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    assert write(folder, texts(LLAMA)) == []
    assert state(folder) == {name: text.encode() for name, text in texts(LLAMA).items()}
    assert (folder / "launch.sh").stat().st_mode & stat.S_IXUSR
    assert not (folder / "report.md").stat().st_mode & stat.S_IXUSR


def test_a_second_run_changes_nothing(tmp_path: Path) -> None:
    write(tmp_path, texts(LLAMA))
    before = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert write(tmp_path, texts(LLAMA)) == []
    assert {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before


def test_its_own_files_are_replaced(tmp_path: Path) -> None:
    write(tmp_path, texts(LLAMA))
    assert write(tmp_path, texts(LARGER)) == []
    assert state(tmp_path) == {name: text.encode() for name, text in texts(LARGER).items()}


def test_what_is_no_longer_emitted_goes(tmp_path: Path) -> None:
    write(tmp_path, texts(LLAMA))
    (tmp_path / "notes.txt").write_text("mine")
    assert write(tmp_path, texts(emitting(LLAMA, "report"))) == []
    assert {name for name in state(tmp_path) if not name.endswith(".svg")} == {
        "notes.txt",
        "report.md",
        "solution.json",
    }


@pytest.mark.parametrize("name", ["ds_config.json", "launch.sh", "solution.json"])
def test_an_edited_file_is_kept(name: str, tmp_path: Path) -> None:
    write(tmp_path, texts(LLAMA))
    (tmp_path / name).write_text((tmp_path / name).read_text().replace("4", "5", 1))
    before = state(tmp_path)
    problems = write(tmp_path, texts(LARGER))
    assert codes(problems) == ["E0503"]
    assert name in problems[0].message and "edited after it was generated" in problems[0].message
    assert state(tmp_path) == before
    assert write(tmp_path, texts(LARGER), force=True) == []
    assert state(tmp_path) == {name: text.encode() for name, text in texts(LARGER).items()}


def test_a_foreign_file_is_kept(tmp_path: Path) -> None:
    (tmp_path / "report.md").write_text("mine")
    problems = write(tmp_path, texts(LLAMA))
    assert codes(problems) == ["E0503"] and "not written by llmplan" in problems[0].message
    assert state(tmp_path) == {"report.md": b"mine"}


@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff", b'{"lock": 3}', b'{"lock": {"files": []}}', b"[" * 100_000])
def test_a_solution_json_of_somebody_else(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "solution.json").write_bytes(content)
    assert codes(write(tmp_path, texts(LLAMA))) == ["E0503"]
    assert state(tmp_path) == {"solution.json": content}
    assert codes(check(tmp_path, texts(LLAMA), LLAMA))


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    target.write_text("mine")
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "report.md").symlink_to(target)
    assert codes(write(folder, texts(LLAMA))) == ["E0503"]
    assert write(folder, texts(LLAMA), force=True) == []
    assert target.read_text() == "mine" and not (folder / "report.md").is_symlink()


def test_a_linked_folder_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real", target_is_directory=True)
    assert write(tmp_path / "link", texts(LLAMA)) == []
    assert (tmp_path / "real" / "report.md").is_file()


def test_a_lock_names_nothing_outside(tmp_path: Path) -> None:
    """The list of files to remove comes from a file that anybody can edit."""
    victim = tmp_path / "victim"
    victim.write_text("")
    folder = tmp_path / "out"
    write(folder, texts(LLAMA))
    document = json.loads((folder / "solution.json").read_text())
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    document["lock"]["files"]["../victim"] = empty
    (folder / "solution.json").write_text(json.dumps(document))
    assert write(folder, texts(LARGER), force=True) == []
    assert victim.exists()


@pytest.mark.parametrize("at", [1, 2, 5, *(pytest.param(at, marks=pytest.mark.slow) for at in (3, 4, 6, 7))])
@pytest.mark.parametrize("call", ["replace", "fsync", "unlink", "link"])
def test_a_failure_leaves_everything_as_it_was(
    call: str, at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, texts(LLAMA))
    before = state(tmp_path)
    smaller = texts(emitting(LARGER, "deepspeed"))
    real, count = getattr(os, call), 0

    def failing(*args: object, **kwargs: object) -> object:
        nonlocal count
        count += 1
        if count == at:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), args[0] if isinstance(args[0], str) else None)
        return real(*args, **kwargs)

    monkeypatch.setattr(os, call, failing)
    problems = write(tmp_path, smaller)
    monkeypatch.undo()
    if problems:
        assert codes(problems) == ["E0505"] and "No space left" in problems[0].message
        assert state(tmp_path) == before
    else:
        # There were fewer calls than `at`, or hard links failed and copies were made instead.
        assert count < at or call in ("link", "unlink")
        # A temporary file that cannot be removed stays.
        left = {name: content for name, content in state(tmp_path).items() if not name.endswith((".old", ".new"))}
        assert left == {name: text.encode() for name, text in smaller.items()}


def test_an_interrupt_leaves_everything_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, texts(LLAMA))
    before = state(tmp_path)
    real, count = os.replace, 0

    def interrupted(*args: str) -> None:
        nonlocal count
        count += 1
        if count == 3:
            raise KeyboardInterrupt
        real(*args)

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path, texts(LARGER))
    assert state(tmp_path) == before


def test_a_failure_makes_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    assert codes(write(tmp_path / "a" / "b", texts(LLAMA))) == ["E0505"]
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    problems = write(tmp_path / "out", texts(LLAMA))
    assert codes(problems) == ["E0505"]
    assert (tmp_path / "out").read_text() == "mine"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_not_writable(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert codes(write(tmp_path, texts(LLAMA))) == ["E0505"]
    tmp_path.chmod(0o700)

"""Whose an output folder is: one plan's, whose files alone are ever replaced or removed."""

from __future__ import annotations

import errno
import json
import os
import socket
import stat
from pathlib import Path

import pytest
from attrs import evolve

from llmplan.answer.schema.solution import Solution
from llmplan.emit import exclusive
from llmplan.emit.folder import Folder
from llmplan.emit.render import render
from llmplan.emit.solution_json import NAME, digest, sealed
from llmplan.emit.targets import written
from llmplan.emit.write import Outcome, check, write
from llmplan.source import Source, Span
from tests.emit.samples import PLAN, emitting, solution
from tests.hanging import ends

LLAMA = solution()
OTHER = evolve(LLAMA, plan="plans/other.plan")
INTO = Source("plans/other.plan", 'emit report into "cfg"\n')
AT = Span(INTO, 17, 22)


def texts(plan: Solution) -> dict[str, str]:
    files, problems = render(plan)
    assert not problems
    return files


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project root with both plans in it."""
    for plan in (LLAMA, OTHER):
        (tmp_path / plan.plan).parent.mkdir(exist_ok=True)
        (tmp_path / plan.plan).write_text("")
    return tmp_path


def at(folder: Path, root: Path | None = None) -> Folder:
    return Folder(folder, "cfg", root, None, "cfg" if root else "", AT if root else None, written())


def state(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def forge(folder: Path, **files: str) -> None:
    """Has an intact `solution.json` vouch for more files: it is committed, and anybody may edit it."""
    document = json.loads((folder / NAME).read_text())
    document["lock"]["files"] |= {name.replace("_", "."): digest(text) for name, text in files.items()}
    (folder / NAME).write_text(sealed(document))


def test_a_second_plan_is_refused_by_name(project: Path) -> None:
    folder = project / "cfg"
    assert write(at(folder, project), texts(LLAMA)) == Outcome()
    before = state(folder)
    for force in (False, True):
        (problem,) = write(at(folder, project), texts(OTHER), force).problems
        assert problem.code == "E0509" and PLAN in problem.message and problem.span == AT
    assert check(at(folder, project), texts(OTHER), OTHER).problems == (problem,)
    assert state(folder) == before


def test_the_edit_gives_the_plan_a_folder_of_its_own(project: Path) -> None:
    folder = project / "cfg"
    write(at(folder, project), texts(LLAMA))
    (problem,) = write(at(folder, project), texts(OTHER)).problems
    (edit,) = problem.hints[0].edits
    assert (edit.span, edit.text) == (AT, '"cfg/other"')
    assert write(at(folder / "other", project), texts(OTHER)) == Outcome()
    # A third plan of that name is not sent where the second writes.
    third = evolve(LLAMA, plan="elsewhere/other.plan")
    (problem,) = write(at(folder, project), texts(third)).problems
    assert problem.hints[0].edits[0].text == '"cfg/other-2"'


def test_a_folder_outside_the_project_belongs_to_one_plan_too(project: Path, tmp_path_factory) -> None:
    folder = tmp_path_factory.mktemp("elsewhere")
    write(at(folder), texts(LLAMA))
    (project / LLAMA.plan).unlink()
    (problem,) = write(evolve(at(folder), root=project), texts(OTHER)).problems
    assert problem.code == "E0509" and problem.span is None and "`-o`" in problem.hints[0].text


def test_a_renamed_plan_keeps_its_folder(project: Path) -> None:
    folder = project / "cfg"
    write(at(folder, project), texts(LLAMA))
    (project / LLAMA.plan).unlink()
    smaller = texts(emitting(OTHER, "report"))
    done = write(at(folder, project), smaller)
    assert done.problems == () and set(done.removed) == {"ds_config.json", "accelerate.yaml", "launch.sh"}
    assert state(folder) == smaller


def test_a_plan_of_the_project_around_is_not_gone(project: Path) -> None:
    """Each calls its plans by their path from its own root."""
    inner = project / "inner"
    folder = inner / "cfg"
    write(at(folder, project), texts(LLAMA))
    (problem,) = write(at(folder, inner), texts(OTHER)).problems
    assert problem.code == "E0509"


def test_a_project_root_made_later_changes_no_owner(project: Path) -> None:
    """`git init` above a plan gives it another name, and it is the same plan."""
    plan = project / "plans" / "other.plan"
    folder = project / "plans" / "cfg"
    write(evolve(at(folder, project / "plans"), plan=plan), texts(evolve(LLAMA, plan="other.plan")))
    assert write(evolve(at(folder, project), plan=plan), texts(OTHER)).problems == ()
    # Nor does a root that the plan lies outside of, from which it has no name but that from the working folder.
    elsewhere = evolve(at(folder, project / "elsewhere"), plan=plan)
    assert write(elsewhere, texts(evolve(LLAMA, plan="../plans/other.plan"))).problems == ()
    assert write(evolve(at(folder, project), plan=plan), texts(OTHER)).problems == ()
    # To another plan it is as owned as before.
    assert [one.code for one in write(at(folder, project), texts(LLAMA)).problems] == ["E0509"]


@pytest.mark.parametrize("text", ["[" * 900 + "0," * 1_000_000 + "0" + "]" * 900, "[" + "{}," * 5_600_000 + "{}]"])
def test_a_record_that_would_take_long_is_none(text: str, tmp_path: Path) -> None:
    write(at(tmp_path), texts(LLAMA))
    (tmp_path / NAME).write_text('{"plan": "x.plan", "lock": {"files": {"solution.json": ""}}, "more": ' + text + "}\n")
    with ends():
        assert check(at(tmp_path), texts(LLAMA), LLAMA).problems


def test_standard_input_is_not_gone(project: Path) -> None:
    write(at(project / "cfg", project), texts(evolve(LLAMA, plan="<stdin>")))
    (problem,) = write(at(project / "cfg", project), texts(OTHER)).problems
    assert problem.code == "E0509"


@pytest.mark.parametrize("plan", ["\x1b[31m\n", "x" * 100_000, 7, None, "../" * 5000, "\0"])
def test_the_name_of_the_owner_may_be_anything(plan: object, project: Path) -> None:
    folder = project / "cfg"
    write(at(folder, project), texts(LLAMA))
    document = json.loads((folder / NAME).read_text())
    document["plan"] = plan
    (folder / NAME).write_text(sealed(document))
    for problem in write(at(folder), texts(OTHER)).problems:
        assert problem.code == "E0509" and problem.message.isprintable() and len(problem.message) < 1000


def test_each_removal_is_said(tmp_path: Path) -> None:
    write(at(tmp_path), texts(LLAMA))
    done = write(at(tmp_path), texts(emitting(LLAMA, "report")))
    assert set(done.removed) == {"ds_config.json", "accelerate.yaml", "launch.sh"} and not done.left
    assert {name for name in state(tmp_path) if not name.endswith(".svg")} == {"report.md", NAME}


@pytest.mark.parametrize("force", [False, True])
def test_only_what_a_target_writes_is_removed(force: bool, tmp_path: Path) -> None:
    write(at(tmp_path), texts(LLAMA))
    (tmp_path / "train.py").write_text("print(1)\n")
    forge(tmp_path, train_py="print(1)\n", missing_py="")
    done = write(at(tmp_path), texts(LLAMA), force)
    assert done == Outcome((), (), (("train.py", "no target writes a file of that name"),))
    assert (tmp_path / "train.py").read_text() == "print(1)\n"


def test_what_was_edited_is_not_removed(tmp_path: Path) -> None:
    write(at(tmp_path), texts(LLAMA))
    edited = tmp_path / "ds_config.json"
    edited.write_text(edited.read_text() + "mine\n")
    before, smaller = state(tmp_path), texts(emitting(LLAMA, "report"))
    (problem,) = write(at(tmp_path), smaller).problems
    assert (
        problem.code == "E0503"
        and "ds_config.json" in problem.message
        and "leaves it as it is" in problem.hints[0].text
    )
    assert [one.code for one in check(at(tmp_path), smaller, LLAMA).problems if "ds_config" in one.message] == ["E0503"]
    assert state(tmp_path) == before
    done = write(at(tmp_path), smaller, force=True)
    assert done.left == (("ds_config.json", "it was edited after it was generated"),)
    assert state(tmp_path) == {**smaller, "ds_config.json": edited.read_text()}


def test_an_edited_record_removes_nothing(tmp_path: Path) -> None:
    write(at(tmp_path), texts(LLAMA))
    (tmp_path / NAME).write_text((tmp_path / NAME).read_text().replace('"schema": 2', '"schema": 3'))
    smaller = texts(emitting(LLAMA, "report"))
    done = write(at(tmp_path), smaller, force=True)
    assert not done.removed and {file for file, _ in done.left} == {"ds_config.json", "accelerate.yaml", "launch.sh"}


@pytest.mark.parametrize("name", ["report.md", NAME, "launch.sh"])
@pytest.mark.parametrize("sort", ["pipe", "folder", "socket"])
def test_what_is_no_file_is_left_alone(name: str, sort: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    if sort == "pipe":
        os.mkfifo(name)
    elif sort == "folder":
        os.mkdir(name)
    else:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(name)
    kind = stat.S_IFMT(os.lstat(name).st_mode)
    for force in (False, True):
        (problem,) = write(at(tmp_path), texts(LLAMA), force).problems
        assert problem.code == "E0503" and f"cfg/{name} is " in problem.message
    assert "E0503" in [one.code for one in check(at(tmp_path), texts(LLAMA), LLAMA).problems]
    assert [path.name for path in tmp_path.iterdir()] == [name] and stat.S_IFMT(os.lstat(name).st_mode) == kind


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no devices")
@pytest.mark.parametrize("name", ["report.md", NAME])
def test_a_link_to_a_device_is_not_read(name: str, tmp_path: Path) -> None:
    (tmp_path / name).symlink_to("/dev/zero")
    assert [one.code for one in write(at(tmp_path), texts(LLAMA)).problems] == ["E0503"]
    assert "E0503" in [one.code for one in check(at(tmp_path), texts(LLAMA), LLAMA).problems]


def test_check_shows_nothing_of_a_file_that_llmplan_did_not_write(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hunter2\n")
    (tmp_path / "launch.sh").symlink_to(secret)
    (tmp_path / "report.md").write_text("hunter2\n")
    problems = check(at(tmp_path), texts(LLAMA), LLAMA).problems
    assert [one.code for one in problems].count("E0503") == 2
    assert "hunter2" not in str(problems)


def test_a_huge_file_is_not_read_whole(tmp_path: Path) -> None:
    for name in ("report.md", NAME):
        with open(tmp_path / name, "wb") as file:
            file.truncate(1 << 40)
    assert [one.code for one in write(at(tmp_path), texts(LLAMA)).problems] == ["E0503", "E0503"]


def test_a_folder_that_another_process_keeps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exclusive, "PATIENCE", 0.05)
    with exclusive.held(tmp_path) as alone:
        assert alone
        (problem,) = write(at(tmp_path), texts(LLAMA)).problems
        assert problem.code == "E0505" and "another process has kept it" in problem.message
        assert [one.code for one in check(at(tmp_path), texts(LLAMA), LLAMA).problems] == ["E0505"]
    assert write(at(tmp_path), texts(LLAMA)) == Outcome()
    with exclusive.shared(tmp_path):
        assert check(at(tmp_path), texts(LLAMA), LLAMA).problems == ()


def test_a_file_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody can be kept out, so what looks left over may be another's at this moment."""

    def none(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(exclusive.fcntl, "flock", none)
    (tmp_path / ".report.md.0123abcd.new").write_text("")
    assert write(at(tmp_path), texts(LLAMA)) == Outcome()
    assert (tmp_path / ".report.md.0123abcd.new").exists()


def test_only_leftovers_of_llmplan_are_cleaned_up(tmp_path: Path) -> None:
    ours = [".report.md.0123abcd.new", ".launch.sh.89abcdef.old"]
    others = [
        ".train.py.0123abcd.new",
        ".report.md.new",
        "report.md.0123abcd.new",
        ".report.md.0123ABCD.new",
        ".report.md.swp",
    ]
    for name in (*ours, *others):
        (tmp_path / name).write_text("")
    (tmp_path / ".ds_config.json.0123abcd.new").mkdir()
    write(at(tmp_path), texts(LLAMA))
    assert {*os.listdir(tmp_path)} == {*others, ".ds_config.json.0123abcd.new", *texts(LLAMA)}


def test_a_link_to_nothing_as_output_folder(tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to("nowhere")
    assert [one.code for one in write(at(tmp_path / "out"), texts(LLAMA)).problems] == ["E0505"]
    assert os.listdir(tmp_path) == ["out"]

"""Where a plan may write: inside its project, at a path that means what it seems to mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from llmplan.load.files import inside, project_root
from llmplan.load.output_dir import refused

EMIT = "emit report into"


def said(plans, into: str, **options: object) -> tuple[str, str, str]:
    """The only error of a plan with an `into`: its code, the text it points at and why."""
    (found,) = (d for d in plans.check(f'show 1\n{EMIT} "{into}"', **options) if d.severity == "error")
    assert found.hints and found.span is not None
    return found.code, found.span.text, found.message.partition("`: ")[2]


@pytest.fixture
def project(plans, tmp_path: Path) -> Path:
    """The folder of a plan in a project."""
    (tmp_path / "project" / "plans").mkdir(parents=True)
    (tmp_path / "project" / "pyproject.toml").write_text("")
    plans.path = str(tmp_path / "project" / "plans" / "test.plan")
    return tmp_path / "project"


@pytest.mark.parametrize(
    "into", ["configs", "configs/7b", ".", "..", "../shared/cfg", "./a/../b", "a.b", "a~b", "größe"]
)
def test_inside_the_project(into: str, plans, project: Path) -> None:
    assert plans.codes(f'show 1\n{EMIT} "{into}"') == []


@pytest.mark.parametrize("into", ["../..", "../../outside", "/etc", "a/../../../x", "/"])
def test_outside_the_project(into: str, plans, project: Path) -> None:
    code, text, why = said(plans, into)
    assert (code, text) == ("E0508", f'"{into}"') and "outside the project root" in why


def test_the_command_line_says_what_the_project_is(plans, project: Path) -> None:
    line = f'show 1\n{EMIT} "../../outside"'
    assert plans.codes(line) == ["E0508"]
    assert plans.codes(line, root=str(project.parent)) == []


@pytest.mark.parametrize(
    "into", ["../.git", "../.git/hooks", "../.GIT/x", "../a/.git", "../repo.git/hooks", "../repo.git"]
)
def test_not_among_the_files_of_git(into: str, plans, project: Path) -> None:
    for part in ("HEAD", "objects", "refs"):
        (project / "repo.git" / part).mkdir(parents=True)
    assert said(plans, into) == ("E0508", f'"{into}"', "git keeps its own files there")


def test_a_link_to_the_files_of_git(plans, project: Path) -> None:
    (project / ".git" / "hooks").mkdir(parents=True)
    (project / "plans" / "build").symlink_to("../.git/hooks")
    assert said(plans, "build")[2] == "git keeps its own files there"


@pytest.mark.parametrize("into", ["link", "link/deeper", "../plans/link"])
def test_a_link_that_leads_out(into: str, plans, project: Path) -> None:
    (project / "plans" / "link").symlink_to(project.parent)
    assert said(plans, into)[2] == "a symbolic link leads out of the project"


def test_a_link_that_stays(plans, project: Path) -> None:
    (project / "out").mkdir()
    (project / "plans" / "link").symlink_to("../out")
    assert plans.codes(f'show 1\n{EMIT} "link"') == []


@pytest.mark.parametrize(
    "into, why, better",
    [
        ("~/configs", "`~` is not expanded", "configs"),
        ("~", "`~` is not expanded", None),
        ("~user/x", "`~` is not expanded", "x"),
        ("a\\\\b", "it contains a backslash", "a/b"),
        ("a\\nb", "it contains a character that cannot be seen", None),
        ("C:/x", "it names a drive", None),
        ("../.github/workflows", "other programs keep their settings in hidden folders", None),
        (".ssh", "other programs keep their settings in hidden folders", None),
        ("CON", "it names no folder on Windows", None),
        ("x. ", "it names no folder on Windows", None),
        ("", "expected a path as plain text", None),
        ("{hardware.gpus}", "values cannot stand in it", None),
    ],
)
def test_what_means_another_folder_than_it_seems_to(into: str, why: str, better: str | None, plans) -> None:
    (found,) = (d for d in plans.check(f'show 1\n{EMIT} "{into}"') if d.severity == "error")
    assert found.code == "E0508" and found.message.endswith(why) and "\n" not in found.message
    edits = [edit.text for hint in found.hints for edit in hint.edits]
    assert edits == ([f'"{better}"'] if better else [])
    if better:
        assert plans.codes(f'show 1\n{EMIT} "{better}"') == []


def test_the_usual_folder_follows_no_link_out(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "plans").mkdir(parents=True)
    plan = str(project / "plans" / "a.plan")
    assert refused(plan, "", None, project) is None
    (project / "plans" / "build").symlink_to(tmp_path)
    wrong = refused(plan, "", None, project)
    assert wrong is not None and wrong.code == "E0508" and "symbolic link" in wrong.message


def test_the_usual_folder_of_a_plan_outside_the_root(tmp_path: Path) -> None:
    (tmp_path / "library").mkdir()
    assert refused(str(tmp_path / "a.plan"), "", None, tmp_path / "library") is None


def test_the_whole_machine_is_no_project() -> None:
    root = project_root(Path("/somewhere.plan"))
    assert root == Path("/")
    assert not inside(Path("/etc/passwd"), root) and inside(Path("/other.plan"), root)
    for into in ("etc", ".", "/home", "tmp/x"):
        wrong = refused("/somewhere.plan", into, None, root)
        assert wrong is not None and wrong.code == "E0508"
    assert refused("/somewhere.plan", "", None, root) is None


def test_a_mark_in_the_root_of_the_machine_does_not_count(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    exists = Path.exists
    monkeypatch.setattr(Path, "exists", lambda path: str(path) == "/pyproject.toml" or exists(path))
    assert project_root(tmp_path / "a.plan") == tmp_path

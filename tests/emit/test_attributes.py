"""The note that generated pictures should be marked in the repository that they come into."""

from __future__ import annotations

from pathlib import Path

import pytest

from llmplan import api
from llmplan.emit.attributes import unmarked

FILES = {"step.svg": "<svg/>", "report.md": "x", "solution.json": "{}"}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    return tmp_path


def test_said_where_pictures_come_for_the_first_time(repository: Path) -> None:
    folder = repository / "build" / "plan"
    found = unmarked(folder, FILES, "solution.json")
    assert found is not None and (found.code, found.severity) == ("W0616", "note")
    assert "`*.svg linguist-generated` and `solution.json linguist-generated`" in found.hints[0].text
    folder.mkdir(parents=True)
    (folder / "step.svg").write_text("<svg/>")
    assert unmarked(folder, FILES, "solution.json") is None


def test_not_said_where_it_is_no_use(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = repository / "build"
    assert unmarked(folder, {"report.md": "x"}, "solution.json") is None
    assert unmarked(tmp_path_factory.mktemp("elsewhere") / "build", FILES, "solution.json") is None
    (repository / ".gitattributes").write_text("*.svg linguist-generated\n")
    assert unmarked(folder, FILES, "solution.json") is None


@pytest.mark.parametrize("name", ["of itself", "none"])
@pytest.mark.advice
def test_a_compile_says_so_once(name: str, repository: Path) -> None:
    plan = repository / "a.plan"
    option = " { pictures = none }" if name == "none" else ""
    plan.write_text(
        f'model {{ params = 7B }}\ndataset.tokens = 1T\nhardware {{ gpu = "A100-SXM4-80GB", gpus = ? }}\n'
        f"training.precision = bf16\nassume mfu = 45%\nrequire time <= 30 days\nminimize hardware.gpus\nemit "
        f"report{option}\n"
    )
    codes = []
    for _ in range(2):
        _, written = api.compile(str(plan))
        codes.append([one.code for one in written.diagnostics])
    report = (repository / "build/a/report.md").read_text()
    if name == "none":
        assert codes == [[], []]
        assert not [file for file in written.files if file.endswith(".svg")] and ".svg" not in report
    else:
        assert codes == [["W0616"], []]
        assert "deadline.svg" in written.files and "](deadline.svg)" in report

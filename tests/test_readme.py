"""What the README shows is what there is."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from llmplan import api
from llmplan.cli import group
from llmplan.emit.render import render
from llmplan.emit.targets import targets

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_plan_is_the_example():
    plan = (ROOT / "plans" / "llama7b.plan").read_text(encoding="utf-8")
    assert f"```\n{plan}```\n" in README


@pytest.mark.slow
def test_the_answer_and_the_picture_are_those_of_the_example(monkeypatch):
    """Both are written anew with `LLMPLAN_UPDATE=1`."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "80")
    printed = CliRunner().invoke(group, ["solve", "plans/llama7b.plan"]).stdout
    answer = printed.partition("\nresults")[0].rstrip("\n") + "\n"
    files, problems = render(api.solve("plans/llama7b.plan", tables=True))
    assert not problems
    shown = re.search(
        r"(?s)`llmplan solve plans/llama7b.plan` answers[^`]*```\n(.*?)```\n\n!\[[^]]*\]\((\S+)\)", README
    )
    assert shown is not None
    picture = ROOT / shown[2]
    if os.environ.get("LLMPLAN_UPDATE"):
        (ROOT / "README.md").write_text(README[: shown.start(1)] + answer + README[shown.end(1) :], encoding="utf-8")
        picture.write_text(files["deadline.svg"], encoding="utf-8")
    else:
        assert shown[1] == answer
        assert picture.read_text(encoding="utf-8") == files["deadline.svg"]


def test_quick_start_has_two_commands_that_stand_alone():
    section = re.split(r"^## ", README, flags=re.MULTILINE)
    (quick,) = [part for part in section if part.startswith("Quick start")]
    first, second = re.findall(r"^```sh\n(.*?)^```", quick, flags=re.MULTILINE | re.DOTALL)
    for block in (first, second):
        assert block.startswith("[ -x .venv/bin/pip ] || python3 -m venv .venv\n")
    assert "llmplan compile plans/llama7b.plan" in first and "pytest" in second


def test_every_command_is_described():
    described = set(re.findall(r"^\| `llmplan (\w+)", README, flags=re.MULTILINE))
    assert described == set(group.commands)


def test_every_target_is_listed():
    listed = set(re.findall(r"^\| `(\w+)` \| `\w+\.\w+`", README, flags=re.MULTILINE))
    assert listed == set(targets())


def test_links_lead_somewhere():
    for document in ("README.md", "CONTRIBUTING.md"):
        text = (ROOT / document).read_text(encoding="utf-8")
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", text):
            assert (ROOT / target).exists(), target


@pytest.mark.slow
def test_the_way_from_configurations_is_as_shown(monkeypatch, tmp_path):
    """The example's files are read, the plan is committed and changed, and each command prints what is shown."""
    for file in (ROOT / "docs" / "example").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    (section,) = [part for part in re.split(r"^## ", README, flags=re.MULTILINE) if part.startswith("From the files")]
    for block in re.findall(r"(?s)```console\n(.*?)```", section):
        for command, shown in re.findall(r"(?m)^\$ llmplan (.*)\n((?:(?!\$ ).*\n)*)", block):
            printed = CliRunner().invoke(group, command.split()).stdout
            assert printed.startswith(shown) and (shown or "wrote to run" in printed), command
        plan = tmp_path / "train.plan"
        if not (tmp_path / ".git").exists():
            for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "one"]):
                subprocess.run([*git, *arguments], check=True)
            plan.write_text(plan.read_text(encoding="utf-8").replace("zero_stage = 2", "zero_stage = 3"), "utf-8")


def test_the_answers_on_fine_tuning_are_those_of_the_questions(monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "80")
    (section,) = [part for part in re.split(r"^## ", README, flags=re.MULTILINE) if part.startswith("Fine-tuning")]
    plan = (ROOT / "plans" / "questions" / "lengths.plan").read_text(encoding="utf-8")
    assert f"```\n{plan[plan.index('model ') :]}```\n" in section
    for command, shown in re.findall(r"(?s)\$ llmplan ([^\n]*)\n(.*?)```", section):
        assert CliRunner().invoke(group, command.split()).stdout.startswith(shown), command

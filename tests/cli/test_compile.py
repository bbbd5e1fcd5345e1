"""`llmplan compile` in a folder that others use too: nobody's file lost, and each removal said."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path

import pytest

from llmplan.emit.solution_json import digest, sealed

pytestmark = pytest.mark.usefixtures("no_advice")

PLAN = """
model "llama-7b"
dataset { tokens = 1T, sequence_length = 2048 }
hardware { gpu = "A100-SXM4-80GB", gpus = 64 }
training { global_batch = 4M tokens, micro_batch = 1, recompute = full }
emit deepspeed, report
"""


SLOW = pytest.mark.slow


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def plan(write) -> str:
    write("pyproject.toml", "")
    return write("a.plan", PLAN)


def forge(folder: Path, name: str, text: str) -> None:
    """`solution.json` lies among the project's files, and whoever edits it can give it a sound hash."""
    document = json.loads((folder / "solution.json").read_text())
    document["lock"]["files"][name] = digest(text)
    (folder / "solution.json").write_text(sealed(document))


@pytest.mark.parametrize(
    "into", ["../../outside", "/tmp/outside", ".git/hooks", "~/configs", "a\\\\b", "a\\nb", "link/x"]
)
def test_a_plan_writes_nowhere_but_in_its_project(into, llmplan, write, tmp_path):
    write("project/pyproject.toml", "")
    (tmp_path / "project" / "link").symlink_to(tmp_path)
    name = write("project/a.plan", f'{PLAN.strip()} into "{into}"\n')
    before = contents(tmp_path)
    for command in (
        ["check"],
        ["compile"],
        ["compile", "--force"],
        ["compile", "--check"],
        ["compile", "-o", "elsewhere"],
    ):
        outcome = llmplan(*command, name)
        assert outcome.code == 1 and "E0508" in outcome.err and "help:" in outcome.err
    assert contents(tmp_path) == before and set(os.listdir(tmp_path)) == {"project"}


@pytest.mark.slow
def test_a_link_made_after_the_answer_was_kept(llmplan, write, plan, tmp_path, monkeypatch):
    from llmplan import answer_cache

    monkeypatch.setattr(answer_cache, "KEPT", 4)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    name = write("b.plan", f'{PLAN.strip()} into "cfg"\n')
    assert llmplan("compile", name).code == 0
    shutil.rmtree(tmp_path / "cfg")
    (tmp_path / "cfg").symlink_to(tmp_path.parent)
    outcome = llmplan("compile", name)
    assert outcome.code == 1 and "E0508" in outcome.err and "b.plan:5:29" in outcome.err


@pytest.mark.slow
def test_the_command_line_may_name_any_folder_but_git_s(llmplan, plan, tmp_path, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    assert llmplan("compile", plan, "-o", elsewhere).code == 0
    assert (elsewhere / "report.md").exists()
    outcome = llmplan("compile", plan, "-o", ".git/hooks")
    assert outcome.code == 1 and "E0508" in outcome.err and not (tmp_path / ".git").exists()
    (tmp_path / "loop").symlink_to("loop")
    assert llmplan("compile", plan, "-o", "loop/x").code == 1


@pytest.mark.parametrize(
    "how", [pytest.param("at once", marks=SLOW), pytest.param("one after the other", marks=SLOW), "-o"]
)
def test_two_plans_and_one_folder(how, llmplan, write, plan, tmp_path):
    into = "" if how == "-o" else ' into "cfg"'
    first = write("first.plan", f"{PLAN.strip()}{into}\n")
    second = write("second.plan", f"{PLAN.strip().replace('micro_batch = 1', 'micro_batch = 2')}{into}\n")
    options = ["-o", "cfg"] if how == "-o" else []
    if how == "at once":
        outcome = llmplan("compile", first, second)
    else:
        assert llmplan("compile", first, *options).code == 0
        outcome = llmplan("compile", second, *options)
    assert outcome.code == 1 and "E0509" in outcome.err and "first.plan" in outcome.err
    assert json.loads((tmp_path / "cfg" / "ds_config.json").read_text())["train_micro_batch_size_per_gpu"] == 1
    if not options:
        assert 'into "cfg/second"' in outcome.err
        write("second.plan", (tmp_path / "second.plan").read_text().replace('"cfg"', '"cfg/second"'))
        assert llmplan("compile", first, second).code == 0


@pytest.mark.parametrize("options", [pytest.param(["--force"], marks=SLOW), []])
@pytest.mark.slow
def test_a_file_that_llmplan_cannot_have_written_is_never_removed(options, llmplan, plan, tmp_path):
    llmplan("compile", "-o", "s", plan)
    for name in ("train.py", "notes.txt"):
        (tmp_path / "s" / name).write_text("mine\n")
        forge(tmp_path / "s", name, "mine\n")
    outcome = llmplan("compile", "-o", "s", *options, plan)
    assert outcome.code == 0 and "left s/train.py: no target writes a file of that name" in outcome.out
    assert {"train.py", "notes.txt"} <= set(os.listdir(tmp_path / "s"))


@pytest.mark.slow
def test_each_removal_is_said(llmplan, write, plan, tmp_path):
    llmplan("compile", "-o", "q", plan)
    write("a.plan", PLAN.replace("deepspeed, ", ""))
    check = llmplan("compile", "--check", "-o", "q", plan)
    assert check.code == 1 and "ds_config.json, launch.sh no longer emitted" in check.err
    outcome = llmplan("compile", "-o", "q", plan)
    assert outcome.code == 0 and "removed q/ds_config.json: no longer emitted" in outcome.out
    assert {name for name in os.listdir(tmp_path / "q") if not name.endswith(".svg")} == {"report.md", "solution.json"}


def test_a_check_of_a_plan_that_has_become_infeasible_says_that_its_files_are_out_of_date(llmplan, write, tmp_path):
    """It said that they were up to date."""
    write("pyproject.toml", "")
    asked = PLAN.replace("emit deepspeed", "require deadline: time <= 300 days\nemit deepspeed")
    plan = write("a.plan", asked)
    assert llmplan("compile", plan).code == 0
    before = contents(tmp_path)
    check = llmplan("compile", "--check", plan, "--set", "hardware.gpus=8")
    assert check.code == 3 and "E0502" not in check.err and "up to date" not in check.out
    told = next(line for line in check.out.splitlines() if line.startswith("out of date in build/a: "))
    assert {"report.md", "solution.json"} <= set(told.partition(": ")[2].split(", "))
    assert "remove" not in f"{check.out}{check.err}" and contents(tmp_path) == before


@SLOW
def test_removals_in_json(llmplan, write, plan, tmp_path):
    llmplan("compile", "-o", "q", plan)
    write("a.plan", PLAN.replace("deepspeed, ", ""))
    printed = json.loads(llmplan("compile", "-o", "q", "--json", plan).out)
    assert set(printed["removed"]) == {"ds_config.json", "launch.sh"}
    assert {name for name in os.listdir(tmp_path / "q") if not name.endswith(".svg")} == {"report.md", "solution.json"}


@SLOW
def test_force_removes_nothing_that_was_edited(llmplan, write, plan, tmp_path):
    llmplan("compile", "-o", "q", plan)
    edited = tmp_path / "q" / "ds_config.json"
    edited.write_text(edited.read_text() + "x\n")
    write("a.plan", PLAN.replace("deepspeed, ", ""))
    assert "E0503" in llmplan("compile", "-o", "q", plan).err
    outcome = llmplan("compile", "--force", "-o", "q", plan)
    assert outcome.code == 0 and "left q/ds_config.json: it was edited after it was generated" in outcome.out
    assert edited.read_text().endswith("x\n")


@pytest.mark.parametrize("name", ["solution.json", "ds_config.json"])
@pytest.mark.parametrize("options", [[], ["--check"], pytest.param(["--force"], marks=SLOW)])
@pytest.mark.slow
def test_a_pipe_in_the_way_is_not_waited_for(options, name, llmplan, plan, tmp_path):
    (tmp_path / "o").mkdir()
    os.mkfifo(tmp_path / "o" / name)
    started = time.monotonic()
    outcome = llmplan("compile", "-o", "o", *options, plan)
    assert outcome.code == 1 and f"E0503]: o/{name} is not a regular file" in outcome.err
    assert time.monotonic() - started < 30  # for ever before
    assert os.listdir(tmp_path / "o") == [name]


@pytest.mark.parametrize("make", [pytest.param(os.mkfifo, marks=SLOW), lambda path: Path(path).write_text("mine")])
def test_an_output_folder_that_is_none(make, llmplan, write, plan, tmp_path):
    make(str(tmp_path / "build"))
    outcome = llmplan("compile", plan)
    assert outcome.code == 1 and "E0505" in outcome.err
    assert llmplan("compile", "--check", plan).code == 1


@pytest.mark.slow
def test_departures_are_said(llmplan, write, tmp_path):
    write("pyproject.toml", "")
    write("base.plan", "require budget: cost <= 1 USD\n")
    plan = write("a.plan", f'use "base.plan"\n{PLAN}waive budget because "granted"\n')
    for command in ("solve", "compile"):
        out = llmplan(command, plan).out
        assert "waived" in out and "a.plan:8" in out and "granted" in out
    report = (tmp_path / "build" / "a" / "report.md").read_text()
    assert "ⓘ waived: granted" in report
    document = json.loads((tmp_path / "build" / "a" / "solution.json").read_text())
    assert [one["name"] for one in document["waived"]] == ["budget"]
    for command in ("check", "solve", "compile"):
        outcome = llmplan(command, "--no-waive", plan)
        assert outcome.code == 1 and "E0211" in outcome.err

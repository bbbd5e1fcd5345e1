"""`--fix`: what a hint suggests is what stands in the file afterwards, and nothing else is written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

QUOTED = Path(__file__).parents[1] / "errors" / "E0310_quoted.plan"
WRONG = """model "lama-7b"  # stays
dataset { tokns = 1T, sequence_length = 4K }
hardware { gpu = "A100-SXM4-80GB", gpus = "64" }
show model.params_total
"""
RIGHT = """model "llama-7b"  # stays
dataset { tokens = 1T, sequence_length = 4Ki }
hardware { gpu = "A100-SXM4-80GB", gpus = 64 }
show model.params_total
"""
INFEASIBLE = """model { params = 7B }
dataset.tokens = 1T
hardware { gpu = "A100-SXM4-80GB", gpus = 64 }
assume mfu = 40%
require deadline: time <= 30 days
"""


def test_check_applies_what_it_suggests(llmplan, write, tmp_path):
    plan = write("a.plan", WRONG)
    outcome = llmplan("check", "--fix", "--yes", plan)
    assert (
        outcome.code == 0
        and outcome.out.startswith("--- a.plan\n+++ a.plan\n")
        and outcome.out.endswith("a.plan: ok\n")
    )
    assert (tmp_path / "a.plan").read_text() == RIGHT
    assert [path.name for path in tmp_path.iterdir()] == ["a.plan"]


def test_fix_takes_arguments_out_of_quotes(llmplan, write, tmp_path):
    plan = write("a.plan", QUOTED.read_text())
    outcome = llmplan("check", "--fix", "--yes", plan)
    fixed = (tmp_path / "a.plan").read_text()
    assert "E0310" not in outcome.err
    assert '@prefixes(k, M) @names("metres")' in fixed and "@example(twice(2 USD), 4 USD)" in fixed
    assert "@compared(1, 2) @within(low, high)" in fixed and "@unit(%)" in fixed


def test_fix_writes_a_label_only_where_one_alone_can_be_meant(llmplan, write, tmp_path):
    text = (
        "hardware { gpus = 8, price = 98.32 USD/hour, mtbf = 4, host_memory = 16 GB/GPU }\nshow hardware.host_memory\n"
    )
    outcome = llmplan("check", "--fix", "--yes", write("a.plan", text))
    assert outcome.code == 1 and outcome.err.count("E0311") == 1 and outcome.err.count("E0304") == 1
    assert (tmp_path / "a.plan").read_text() == text.replace("16 GB/GPU", "16 GB/node")


def test_what_has_no_edit_stays(llmplan, write, tmp_path):
    plan = write("a.plan", "require 3 days <= 3 GB\nlet x = 3 dayss\n")
    outcome = llmplan("check", "--fix", "--yes", plan)
    assert outcome.code == 1 and "E0301" in outcome.err and "E0204" not in outcome.err
    assert (tmp_path / "a.plan").read_text() == "require 3 days <= 3 GB\nlet x = 3 days\n"


def test_nothing_but_the_named_plan_is_written(llmplan, write, tmp_path):
    used = 'model "lama-7b"\n'
    write("used.plan", used)
    plan = write("a.plan", 'use "used.plan"\nshow model.params_total\n')
    assert llmplan("check", "--fix", "--yes", plan).code == 1
    assert (tmp_path / "used.plan").read_text() == used
    assert llmplan("check", "--fix", "--yes", "-e", 'model "lama-7b"').code == 1
    assert {path.name for path in tmp_path.iterdir()} == {"a.plan", "used.plan"}


@pytest.mark.parametrize("number", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_solve_applies_the_change_of_a_number(llmplan, write, tmp_path, number):
    plan = write("a.plan", INFEASIBLE)
    first = llmplan("solve", plan)
    assert first.code == 3 and (tmp_path / "a.plan").read_text() == INFEASIBLE
    outcome = llmplan("solve", "--fix", str(number), "--yes", plan)
    assert outcome.code == 0 and outcome.out.startswith("--- a.plan\n+++ a.plan\n")
    changed = (tmp_path / "a.plan").read_text()
    assert changed != INFEASIBLE and len(changed.splitlines()) == len(INFEASIBLE.splitlines())
    assert llmplan("solve", plan).code == 0


@pytest.mark.slow
def test_no_such_change(llmplan, write, tmp_path):
    plan = write("a.plan", INFEASIBLE)
    for arguments in (("solve", "--fix", "99", plan), ("solve", "--fix", "1", "-e", INFEASIBLE)):
        outcome = llmplan(*arguments)
        assert outcome.code == 2 and "--fix" in outcome.err
    assert (tmp_path / "a.plan").read_text() == INFEASIBLE


@pytest.mark.slow
def test_a_used_file_is_changed_only_inside_the_root(llmplan, write, tmp_path):
    bound = "require deadline: time <= 30 days\n"
    write("team.plan", bound)
    own = INFEASIBLE.replace(bound, "")
    plan = write("a.plan", f'use "team.plan"\n{own}')
    number = re.search(r"help: (\d): `require deadline: time <= ", llmplan("solve", plan).err)
    assert number is not None
    outcome = llmplan("solve", "--fix", number[1], "--yes", plan)
    assert outcome.code == 0 and "+require deadline: time <= " in outcome.out
    assert (tmp_path / "team.plan").read_text() != bound and (
        tmp_path / "a.plan"
    ).read_text() == f'use "team.plan"\n{own}'


def test_what_is_not_given_is_added_at_the_end(llmplan, write, tmp_path):
    text = """enum Speed { slow, fast }
kind belt {
    @lever
    speed: Speed = slow
}
quantity made: Int = match belt.speed { slow => 1, fast => 3 }
require enough: made >= 2"""
    plan = write("a.plan", text)
    first = llmplan("solve", plan)
    assert "help: 1: `belt.speed = fast` instead of slow" in first.err
    assert llmplan("solve", "--fix", "1", "--yes", plan).code == 0
    assert (tmp_path / "a.plan").read_text() == f"{text}\nbelt.speed = fast\n"


def test_nothing_is_written_without_a_yes(llmplan, write, tmp_path):
    for command, text in (("check", WRONG), ("solve", INFEASIBLE)):
        plan = write("a.plan", text)
        outcome = llmplan(command, "--fix", plan)
        assert outcome.code in (1, 3) and outcome.out.startswith("--- a.plan\n+++ a.plan\n@@ ")
        assert "apply?" not in outcome.err and "\nfound\n" not in outcome.out
        for answer in (b"", b"n\n", b"\n"):
            outcome = llmplan(command, "--fix", plan, stdin=answer, terminal=True)
            assert "apply? [y/N] " in outcome.err
            assert (tmp_path / "a.plan").read_text() == text
        assert llmplan(command, "--fix", plan, stdin=b"y\n", terminal=True).code == 0
        assert (tmp_path / "a.plan").read_text() != text


def test_the_word_after_fix_is_a_number_or_the_plan(llmplan, write):
    plan = write("a.plan", INFEASIBLE)
    assert llmplan("solve", "--fix", "x", plan).code == 2
    assert llmplan("solve", plan, "--fix").out == llmplan("solve", plan, "--fix", "1").out != ""


def test_a_plan_that_is_met_has_nothing_to_change(llmplan, write, tmp_path):
    text = INFEASIBLE.replace("gpus = 64", "gpus = 512")
    outcome = llmplan("solve", "--fix", "99", "--yes", write("a.plan", text))
    assert outcome.code == 0 and "--fix: nothing to change" in outcome.err
    assert (tmp_path / "a.plan").read_text() == text


@pytest.mark.slow
@pytest.mark.advice
@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_a_change_of_configurations_is_one_of_their_files(llmplan, write, tmp_path, number):
    example = Path(__file__).parents[2] / "docs" / "example"
    files = [
        write(path.name, path.read_text()) for path in sorted(example.iterdir()) if path.suffix in (".json", ".sh")
    ]
    before = {path.name: path.read_text() for path in tmp_path.iterdir()}
    outcome = llmplan("solve", *files, "--gpu", "A100-SXM4-80GB", "--fix", str(number), "--yes")
    after = {path.name: path.read_text() for path in tmp_path.iterdir()}
    changed = [name for name in before if before[name] != after[name]]
    assert set(after) == set(before)
    assert outcome.code == 0 and changed  # two where one change moves a key of each
    assert all("--- " + name in outcome.out for name in changed) and "No plan meets" not in outcome.out
    assert llmplan("solve", *files, "--gpu", "A100-SXM4-80GB").code == 0

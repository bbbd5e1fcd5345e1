"""`--table` and `--csv` of `solve` and `compile`: a row for each of several plans."""

from __future__ import annotations

import csv
import io
import os

import pytest

pytestmark = pytest.mark.usefixtures("no_advice")

PLAN = """model "llama-7b"
dataset { tokens = 100B, sequence_length = 2048 }
hardware { gpu = "A100-SXM4-80GB", gpus = 32 }
training.global_batch = 1024 sequences
require deadline: time <= 3 weeks
require budget: cost <= 90 kUSD
"""


@pytest.fixture
def plans(write) -> list[str]:
    write("pyproject.toml", "")
    return [write("a.plan", PLAN), write("b.plan", PLAN.replace("3 weeks", "1 day"))]


def test_a_row_for_each_plan(llmplan, plans):
    outcome = llmplan("solve", "--table", *plans)
    heads, units, first, second, *_ = outcome.out.splitlines()
    assert heads.split() == [
        "plan",
        "status",
        "gpus",
        "time",
        "wall_time",
        "cost",
        "wall_cost",
        "memory.total",
        "verdict",
    ]
    assert units.split() == ["[GPUs]", "[weeks]", "[weeks]", "[kUSD]", "[kUSD]", "[GB]"]
    assert first.split()[:3] == ["a.plan", "solved", "32"] and "safe" in first
    assert second.split()[:4] == ["b.plan", "infeasible", "violates", "deadline:"]
    assert outcome.code == 3 and "E0402" not in outcome.err


def test_csv_has_the_same_columns_and_the_ends_of_those_on_the_calendar(llmplan, plans):
    outcome = llmplan("solve", "--table", "--csv", *plans)
    good, bad = csv.DictReader(io.StringIO(outcome.out))
    assert [name.partition(" [")[0] for name in good] == [
        "plan", "status", "hardware.gpus", "time", "wall_time", "wall_time low", "wall_time high", "cost", "wall_cost",
        "wall_cost low", "wall_cost high", "memory.total", "verdict", "chance", "reason",
    ]  # fmt: skip
    assert (good["plan"], good["status"], good["hardware.gpus [GPU]"]) == ("a.plan", "solved", "32")
    assert float(good["wall_time low [weeks]"]) < float(good["wall_time [weeks]"])
    assert float(good["cost [kUSD]"]) < 90 and good["verdict"] == "safe"
    assert bad["status"] == "infeasible" and bad["reason"] and not bad["time [weeks]"]


def test_the_exit_code_is_the_gravest(llmplan, write, plans):
    wrong = write("wrong.plan", 'modl "x"\n')
    assert llmplan("solve", "--table", plans[0]).code == 0
    outcome = llmplan("solve", "--table", *plans, wrong)
    assert outcome.code == 1 and "E0201" in outcome.err
    assert outcome.out.splitlines()[4].split()[:2] == ["wrong.plan", "error"]
    outcome = llmplan("solve", "--table", wrong, "absent.plan", plans[1])
    assert outcome.code == 2 and "E0507" in outcome.err
    assert [line.split()[0] for line in outcome.out.splitlines()[1:4]] == ["wrong.plan", "absent.plan", "b.plan"]


def test_results_that_no_plan_has_are_no_columns(llmplan, write):
    outcome = llmplan("solve", "--table", write("x.plan", "let x = 1\nrequire x <= 2\nshow x\n"))
    assert outcome.code == 0 and outcome.out.splitlines()[0].split() == ["plan", "status", "verdict"]


def test_a_name_that_steers_a_terminal_stays_in_its_row(llmplan, write):
    name = write("a\x1b[31m\nb.plan", PLAN)
    for options in (["--csv"], []):
        out = llmplan("solve", "--table", *options, name).out
        assert "\x1b" not in out and "\na\\u001b[31m\\u000ab.plan" in out


@pytest.mark.parametrize(
    "options", [["--csv"], ["--table", "--json"], ["--table", "--fix"], [], ["--table", "--fix", "2"]]
)
def test_options_that_do_not_go_together(options, llmplan, plans):
    outcome = llmplan("solve", *plans, *options)
    assert outcome.code == 2 and not outcome.out and "Usage: llmplan solve" in outcome.err


@pytest.mark.slow
def test_compile_writes_and_says_so_below_its_table(llmplan, plans, tmp_path):
    for plan in plans:
        (tmp_path / plan).write_text((tmp_path / plan).read_text() + "emit report\n")
    outcome = llmplan("compile", "--table", *plans)
    assert outcome.code == 3 and outcome.out.splitlines()[2].split()[:2] == ["a.plan", "solved"]
    assert "\nwrote to build/a: " in outcome.out and "\nwrote to build/b: " in outcome.out
    assert {"report.md", "solution.json"} <= set(os.listdir(tmp_path / "build" / "b"))
    checked = llmplan("compile", "--table", "--check", "--csv", "--set", "hardware.gpus=64", plans[0])
    assert checked.code == 1 and "E0502" in checked.err and checked.out.startswith("plan,status,")

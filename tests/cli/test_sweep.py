"""`llmplan sweep`: the table as text, CSV and JSON, and its exit codes."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest

PLAN = b"""model "llama-7b"
dataset.tokens = 100B
dataset.sequence_length = 2048
hardware.gpu = "A100-SXM4-80GB"
training.global_batch = 1024 sequences
assume mfu = 40%
require deadline: time <= 15 days
minimize cost
sweep hardware.gpus in [16, 32, 64]
"""


def test_text_has_a_row_for_each_point_and_the_reason_of_those_without_a_plan(llmplan):
    outcome = llmplan("sweep", "-", stdin=PLAN)
    lines = outcome.out.splitlines()
    assert outcome.code == 0 and lines[0].split()[:2] == ["gpus", "time"] and lines[1].split()[0] == "[GPUs]"
    assert lines[2].endswith("violates deadline: 23.9 days, at most 15 days asked")
    assert [line.split()[0] for line in lines[3:5]] == ["32", "64"]
    later = llmplan("sweep", "-", stdin=PLAN.replace(b"15 days", b"20 days")).out.splitlines()
    assert sum(line.endswith("as good as any") for line in later) == 2


def test_a_file_has_the_whole_table(llmplan):
    plan = PLAN.replace(b"require deadline", b"hardware.price = 2 USD/GPU/hour..3 USD/GPU/hour\nrequire deadline")
    in_file, wide, usual = (llmplan("sweep", "-", stdin=plan, columns=columns).out for columns in (None, 1000, 80))
    assert in_file == wide != usual


def test_ends_on_the_calendar_have_the_digits_of_solve(llmplan):
    plan = PLAN.replace(b"sweep hardware.gpus in [16, 32, 64]", b"hardware.gpus = 32")
    solved = llmplan("solve", "-", stdin=plan).out
    swept = llmplan("sweep", "-", stdin=plan + b"sweep training.micro_batch in [1]\n").out
    (ends,) = re.findall(r"in [0-9.]+ days on the calendar \(([0-9.]+ – [0-9.]+)\)", solved)
    assert f"({ends})" in swept


def test_a_single_one_is_written_as_one(llmplan):
    plan = PLAN.replace(b"time <= 15 days", b"time <= 900 days").replace(b"[16, 32, 64]", b"[1, 2]")
    plan = plan.replace(b'"llama-7b"', b'"llama-3.2-1b"')
    out = llmplan("sweep", "-", stdin=plan, columns=40).out
    assert "gpus = 1 GPU:" in out and "gpus = 2 GPUs:" in out


def test_csv_is_in_the_units_of_the_plan(llmplan):
    outcome = llmplan("sweep", "-", "--csv", stdin=PLAN)
    rows = list(csv.DictReader(io.StringIO(outcome.out)))
    assert [row["hardware.gpus [GPU]"] for row in rows] == ["16", "32", "64"]
    assert [row["status"] for row in rows] == ["infeasible", "solved", "solved"]
    assert float(rows[2]["time [days]"]) * 2 == pytest.approx(float(rows[1]["time [days]"]))
    assert float(rows[1]["wall_time low [days]"]) < float(rows[1]["wall_time [days]"])
    assert rows[0]["time [days]"] == "" and rows[0]["reason"]


def test_json(llmplan):
    document = json.loads(llmplan("sweep", "-", "--json", stdin=PLAN).out)
    assert document["schema"] == 1 and document["axes"] == ["hardware.gpus"]
    point = document["points"][2]
    assert point["at"] == {"hardware.gpus": 64} and point["status"] == "solved"
    assert point["results"]["time"]["unit"] == "s"


def test_exit_codes(llmplan):
    hopeless = PLAN.replace(b"15 days", b"1 s")
    assert llmplan("sweep", "-", stdin=hopeless).code == 3
    assert llmplan("sweep", "-", stdin=PLAN.replace(b"sweep", b"#")).code == 1
    assert llmplan("sweep", "-", "--csv", "--json", stdin=PLAN).code == 2
    assert llmplan("sweep", "absent.plan").code == 2


@pytest.mark.parametrize("command", ["check", "solve", "compile", "sweep"])
def test_too_many_points_are_an_error_for_every_command(llmplan, write, command, tmp_path):
    """`compile` left the sweep out without a word."""
    plan = write("a.plan", "let x = 1\nsweep x in 1..12_500\nshow x\n")
    outcome = llmplan(command, plan)
    assert outcome.code == 1 and outcome.err.startswith("error[E0404]: the plan sweeps more than 10,000 points\n")
    assert [path.name for path in tmp_path.iterdir()] == ["a.plan"]


@pytest.mark.slow
def test_columns_are_in_the_units_that_were_asked_for(llmplan):
    asked = PLAN + b"show time in hours\nshow cost / dataset.tokens in USD/Ttoken\nshow cost in kUSD\n"
    row = list(csv.DictReader(io.StringIO(llmplan("sweep", "-", "--csv", stdin=asked).out)))[2]
    base = list(csv.DictReader(io.StringIO(llmplan("sweep", "-", "--csv", stdin=PLAN).out)))[2]
    assert float(row["time [hours]"]) == pytest.approx(float(base["time [days]"]) * 24)
    assert float(row["cost [kUSD]"]) == pytest.approx(float(base["cost [USD]"]) / 1000)
    assert float(row["cost / dataset.tokens [USD/Ttoken]"]) == pytest.approx(float(base["cost [USD]"]) * 10)
    out = llmplan("sweep", "-", stdin=asked).out
    assert "hours" in out and "kUSD" in out
    found = json.loads(llmplan("sweep", "-", "--json", stdin=asked).out)["points"][2]["results"]
    assert found["time"] == {"value": pytest.approx(float(base["time [days]"]) * 86400), "unit": "s"}


def test_a_quantity_and_its_counterpart_on_the_calendar_are_in_one_unit(llmplan):
    """A requirement's unit was that of the planned column alone."""
    asked = PLAN.replace(b"15 days", b"6 weeks") + b"require budget: cost <= 400 kUSD\n"
    lines = llmplan("sweep", "-", stdin=asked).out.splitlines()
    units = dict(zip(lines[0].split(), lines[1].split()))
    assert units["time"] == units["wall_time"] == "[weeks]"
    costs = next(line for line in lines if line.startswith("In every row: "))
    assert " cost = " in costs and costs.count(" kUSD") == 2 and " wall_cost = " in costs
    shown = PLAN.replace(b"require deadline: time <= 15 days", b"show wall_time in weeks")
    lines = llmplan("sweep", "-", stdin=shown).out.splitlines()
    units = dict(zip(lines[0].split(), lines[1].split()))
    assert units["time"] == units["wall_time"] == "[weeks]"


def test_a_row_that_fails_on_the_calendar_is_not_best(llmplan):
    """As planned it meets the requirement, and is as cheap as the others."""
    plan = PLAN.replace(b"mfu = 40%", b"mfu = 38%..40%..42%")  # a rate without a range is not judged
    table = llmplan("sweep", "-", stdin=plan).out.splitlines()
    rows = {line.split()[0]: line for line in table[2:5]}
    assert " no" in rows["32"] and rows["64"].endswith(" best")
    points = json.loads(llmplan("sweep", "-", "--json", stdin=plan).out)["points"]
    assert [point["best"] for point in points] == [False, False, True]


@pytest.mark.slow
def test_what_is_swept_needs_no_value_of_its_own(llmplan, write, tmp_path):
    swept = PLAN.decode().partition("sweep")[0].replace('hardware.gpu = "A100-SXM4-80GB"', "hardware.gpus = 64")
    plan = write("a.plan", swept + 'sweep hardware.gpu in ["A100-SXM4-80GB", "H100-SXM5-80GB"]\nemit report\n')
    assert llmplan("check", plan).out == "a.plan: ok\n"
    best = next(line.split()[0] for line in llmplan("sweep", plan).out.splitlines() if line.endswith("best"))
    solved = llmplan("solve", plan)
    assert solved.code == 0 and "the best of 2 points" in solved.out and solved.out.startswith(f"64 {best} ")
    assert llmplan("compile", plan).code == 0
    assert f"64 {best} " in (tmp_path / "build/a/report.md").read_text()


def test_the_front_is_printed(llmplan):
    plan = PLAN.partition(b"minimize")[0] + b"hardware.gpus = ? in [32, 64, 128]\npareto hardware.gpus, time\n"
    out = llmplan("solve", "-", stdin=plan).out
    front = out[out.index("  GPUs ") :].splitlines()
    assert out.startswith("3 plans trade `hardware.gpus` for `time`, from 32 GPUs and ")
    assert [line.split()[0] for line in front[1:4]] == ["32", "64", "128"]


def test_check_and_solve_look_at_the_same_plan(llmplan, write):
    """What is swept and has a value besides is not needed to be right at a point of the sweep alone."""
    wrong = PLAN.decode().replace("sweep", "hardware.gpus = 0\nsweep")
    codes = {command: llmplan(command, write("wrong.plan", wrong)).code for command in ("check", "solve")}
    assert codes == {"check": 1, "solve": 1}

"""plans/published: each is solved, says its source, and its hours are the published ones."""

from __future__ import annotations

import re

import pytest

from benchmarks import evidence, published
from llmplan import api

RUNS = {published.file_of(run): run for run in evidence.records(evidence.RUNS)}
PLANS = sorted(published.FOLDER.glob("*.plan"))
LINES = 15


def solved(path):
    solution = api.solve(str(path), tables=False)
    assert solution.status == "solved", [found.message for found in solution.diagnostics]
    # A plan to start from has no remark, but that on a utilisation that few runs have reached.
    remarks = {one.name for one in solution.preferences if one.holds is False}
    assert remarks <= {"mfu_seen"}, remarks
    wall = solution.values["wall_gpu_hours"]
    assert wall.model_low < solution.values["gpu_hours"].value < wall.value < wall.model_high
    return solution


def test_one_is_solved():
    """A quick one; all of them in the slow tests."""
    days = solved(published.FOLDER / "nanogpt_124m.plan").values["wall_time"].value / 86400
    assert 2 < days < 8  # four were published


@pytest.mark.slow
@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.stem)
def test_all_are_solved(path):
    solved(path)


def test_there_are_enough_and_each_is_of_a_record():
    assert len(PLANS) >= 12 and set(PLANS) <= set(RUNS)


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.stem)
def test_what_a_plan_states_is_what_was_published(path):
    text, run = path.read_text(encoding="utf-8"), RUNS[path]
    first, second, *rest = text.splitlines()
    assert len(text.splitlines()) <= LINES
    assert re.fullmatch(r"## .*\?", first)
    hours, days, source = re.fullmatch(
        r"## Published: ([\d,]+) GPU-hours(?:, ([\d.]+) days)? \((.+)\)\.", second
    ).groups()
    assert float(hours.replace(",", "")) == pytest.approx(run["gpu_hours"])
    assert (days and float(days)) == run.get("days") and source
    if "gpus" in run:
        assert f"gpus = {run['gpus']} " in text
    else:
        assert "not printed" in rest[0]
    assert f'"{run["gpu"].replace(" ", "-")}"' in text


def test_the_table_has_every_plan():
    table = (published.FOLDER / "README.md").read_text(encoding="utf-8")
    assert all(f"]({path.name})" in table and published.question(path) in table for path in PLANS)

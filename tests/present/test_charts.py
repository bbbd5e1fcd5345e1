"""Charts as records: the figures of the answer, whole, and nothing where there is nothing to show."""

from __future__ import annotations

import math

import pytest
from attrs import evolve

from llmplan import api
from llmplan.answer.schema.charts import CurvePoint
from llmplan.present.charts.deadline import deadline
from llmplan.present.charts.layout import layout
from llmplan.present.charts.memory import memory
from llmplan.present.charts.records import ticks
from llmplan.present.charts.run import run
from llmplan.present.charts.scatter import sweep
from llmplan.present.charts.stages import stages
from llmplan.present.charts.step import step
from llmplan.present.context import Context
from llmplan.units.amount import Range
from tests import told
from tests.present.plans import CASES, QUICK, solved


def texts(point: CurvePoint) -> tuple[str, ...]:
    result = "" if point.result is None else point.result.rough()
    return point.amount.exact(), result, told.WORDS.chance(point.chance)


@pytest.mark.parametrize("name", CASES)
def test_a_curve_has_the_points_of_the_answer(name: str) -> None:
    solution = solved(name)
    curve, chart = solution.curve, deadline(Context(solution, told.WORDS))
    few = curve is not None and sum(point.value is not None for point in curve.points) < 2
    assert (chart is None) == (curve is None or few)
    if chart is None or curve is None:
        return
    solutions = [point for point in curve.points if point.value is not None]
    assert [(point.x, point.y) for point in chart.series[0].points] == [(point.at, point.value) for point in solutions]
    answer, *others = chart.marks
    assert (answer.point.x, answer.point.y) == (curve.points[curve.chosen].at, curve.points[curve.chosen].value)
    assert [mark.point.x for mark in others] == [
        curve.points[place].at for place in (curve.safe,) if place is not None and place != curve.chosen
    ]
    assert chart.limit.value == curve.limit and curve.requirement in chart.limit.label
    for axis, values in (
        (chart.x, [point.x for one in chart.series for point in one.points]),
        (chart.y, [point.y for one in chart.series for point in one.points]),
    ):
        assert all(axis.span[0] * axis.size <= value <= axis.span[1] * axis.size for value in values)
    assert chart.y.span[0] <= 0
    if chart.counted:  # no tick where there is no plan
        assert {tick * chart.x.size for tick in chart.x.ticks} == {point.at for point in solutions}
    for one in chart.series:
        inside = {point.x: point.y for point in one.points}
        for band in one.bands:
            assert all(low <= inside[x] <= high for x, low, high in band.ends)
    assert all(text in chart.alt for point in solutions for text in texts(point))


def test_where_no_plan_is_the_line_has_a_gap_that_is_told() -> None:
    solution = solved(QUICK)
    assert solution.curve is not None
    gap = evolve(solution.curve.points[0], result=None)
    curve = evolve(solution.curve, points=(gap, *solution.curve.points[1:]))
    chart = deadline(Context(evolve(solution, curve=curve), told.WORDS))
    assert chart is not None and len(chart.series[0].points) == len(solution.curve.points) - 1
    assert "at 1 more values no plan" in chart.foot and gap.amount.exact() not in chart.alt


@pytest.mark.parametrize("name", CASES)
def test_bars_of_memory_are_the_answer_and_its_neighbours(name: str) -> None:
    solution = solved(name)
    chart = memory(Context(solution, told.WORDS))
    if chart is None:
        return
    total = solution.values["memory.total"]
    first, *others = chart.bars
    assert first.end == total.value and first.ends == (
        None if total.band is None else (total.model_low, total.model_high)
    )
    for bar in others:
        (neighbour,) = (
            neighbour
            for neighbour in solution.neighbours[1:]
            if bar.label == f"{neighbour.name.rpartition('.')[2]} {neighbour.amount.exact()}"
        )
        assert bar.end == neighbour.values["memory.total"]
        over = chart.limit is not None and bar.end > chart.limit.value
        assert bool(bar.faults) == bool(neighbour.breaks or neighbour.misses or over)
        assert all(requirement in bar.faults for requirement in neighbour.breaks)
    for bar in chart.bars:
        assert math.fsum(segment.size for segment in bar.segments) == pytest.approx(bar.end, rel=1e-9)
    assert ["✗" in bar.faults for bar in chart.bars] == sorted("✗" in bar.faults for bar in chart.bars)
    assert chart.limit is not None and chart.limit.value <= solution.values["gpu.memory"].value


@pytest.mark.parametrize("name", CASES)
def test_a_step_falls_from_the_peak_to_its_time(name: str) -> None:
    solution = solved(name)
    chart = step(Context(solution, told.WORDS))
    if chart is None:
        return
    whole = solution.values["step_time"].value
    assert chart.whole.value == whole
    assert math.fsum(fall.value for fall in chart.falls) == pytest.approx(whole, rel=1e-9)
    small = [fall for fall in chart.falls if abs(fall.value) < 0.01 * whole]
    assert small in ([], [chart.falls[-1]])
    assert f"of which {100 * solution.values['mfu'].value:.0f}%" in chart.title


@pytest.mark.parametrize("name", CASES)
def test_parts_add_up(name: str) -> None:
    solution = solved(name)
    assert {"memory.total", "step_time", "step.compute"} <= set(solution.parts)
    for whole, parts in solution.parts.items():
        values = [solution.values[part].value for part, _ in parts]
        if solution.values[whole].value is not None and None not in values:
            assert math.fsum(values) == pytest.approx(solution.values[whole].value, rel=1e-9), whole


def test_a_run_ends_where_nine_of_ten_measured_ones_do() -> None:
    """The ends over the plan's own ranges are no share of runs."""
    solution = solved(QUICK)
    wall = solution.values["wall_time"]
    assert wall.band is not None
    narrow = evolve(wall, spread=Range(wall.amount, evolve(wall.amount, value=1.01 * wall.amount.number)))
    for value in (wall, narrow):
        chart = run(Context(evolve(solution, values={**solution.values, "wall_time": value}), told.WORDS))
        assert chart is not None and chart.ends == (wall.model_low, wall.model_high)
    failures, saves = chart.events
    between, until = solution.values["job_mtbf"].value, wall.amount.number
    assert failures.at == tuple(between * place for place in range(1, int(until / between) + 1))
    assert saves.at[0] > 0 and saves.at[-1] <= until and len(saves.at) <= 60


@pytest.mark.slow
def test_a_sweep_is_drawn_by_what_differs() -> None:
    """By the number of GPUs where the cost is the same with each of them."""
    solution = solved("ranges")
    table = solution.sweep
    assert table is not None
    cost = table.rows[0].results["wall_cost"]
    same = evolve(table, rows=tuple(evolve(row, results={**row.results, "wall_cost": cost}) for row in table.rows))
    chart = sweep(Context(evolve(solution, sweep=same), told.WORDS))
    assert chart is not None and [point.point.x for point in chart.points] == [row.at[0].number for row in table.rows]
    assert [point.point.y for point in chart.points] == [row.results["wall_time"].number for row in table.rows]
    assert chart.title.count(chart.points[0].label) == 1 and chart.x.unit == "GPUs"


@pytest.mark.slow
def test_parts_of_a_stage_add_up_to_its_peak() -> None:
    solution = solved("405b")
    chart = stages(Context(solution, told.WORDS))
    assert chart is not None
    assert {bar.end for bar in chart.bars} == {
        solution.values[f"memory_of[{stage}]"].value for stage in ("first", "second", "last")
    }
    assert chart.bars[0].end == solution.values["memory.total"].value
    whole = memory(Context(solution, told.WORDS))
    assert whole is not None and chart.limit == whole.limit
    for bar in chart.bars:
        assert len(bar.segments) > 3
        assert math.fsum(segment.size for segment in bar.segments) == pytest.approx(bar.end, rel=1e-9)


def test_a_run_in_which_hardly_anything_fails_has_no_row_of_failures() -> None:
    solution = solved(QUICK)
    between = solution.values["job_mtbf"]
    rare = evolve(between, amount=evolve(between.amount, value=1e12))
    chart = run(Context(evolve(solution, values={**solution.values, "job_mtbf": rare}), told.WORDS))
    assert chart is not None and len(chart.events) == 1 and not chart.foot


def test_without_parts_there_is_nothing_to_show() -> None:
    bare = evolve(solved(QUICK), parts={}, curve=None)
    assert [chart(Context(bare, told.WORDS)) for chart in (deadline, memory, step)] == [None, None, None]


def test_numbers_along_an_axis() -> None:
    assert ticks(0, 9.7) == [0, 2, 4, 6, 8, 10]
    assert ticks(23.1, 42.9) == [20, 25, 30, 35, 40, 45]
    assert ticks(0.0, 0.7, 8) == [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
    for low, high in ((0, 1e-9), (-3.2, 7), (1e12, 3e12), (99.9, 100.1), (5, 5)):
        marks = ticks(low, high)
        assert marks[0] <= low and marks[-1] >= high and 2 <= len(marks) <= 9


def test_a_replica_is_on_as_many_gpus_as_share_its_experts() -> None:
    text = """model "mixtral-8x7b"
dataset { tokens = 10B, sequence_length = 4096 }
hardware { gpu = "H100-SXM5-80GB", gpus = 64 }
parallelism { tensor = 1, pipeline = 2, expert = 8, zero_stage = 1, framework = megatron }
training { precision = bf16, global_batch = 1024 sequences, micro_batch = 1, recompute = full }
show time
"""
    chart = layout(Context(api.solve("a.plan", text=text)))
    assert chart is not None and chart.title.startswith("16 GPUs hold a replica (tensor 1, pipeline 2, expert 8)")
    assert [cell for _, cell in chart.rows[0]] == [f"0·e{rank}" for rank in range(8)]

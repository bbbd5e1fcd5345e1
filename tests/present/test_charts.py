"""Charts as records: the figures of the answer, whole, and nothing where there is nothing to show."""

from __future__ import annotations

import math

import pytest
from attrs import evolve

from llmplan.answer.schema.charts import CurvePoint
from llmplan.present.charts.deadline import deadline
from llmplan.present.charts.memory import memory
from llmplan.present.charts.records import ticks
from llmplan.present.charts.step import step
from llmplan.present.context import Context
from tests import told
from tests.present.plans import CASES, QUICK, solved


def texts(point: CurvePoint) -> tuple[str, ...]:
    result = "" if point.result is None else point.result.exact()
    return point.amount.exact(), result, told.WORDS.chance(point.chance)


@pytest.mark.parametrize("name", CASES)
def test_a_curve_has_the_points_of_the_answer(name: str) -> None:
    solution = solved(name)
    curve, chart = solution.curve, deadline(Context(solution, told.WORDS))
    assert (chart is None) == (curve is None)
    if chart is None or curve is None:
        return
    solutions = [point for point in curve.points if point.value is not None]
    assert [(point.x, point.y) for point in chart.points] == [(point.at, point.value) for point in solutions]
    answer, *others = chart.marks
    assert (answer.point.x, answer.point.y) == (curve.points[curve.chosen].at, curve.points[curve.chosen].value)
    assert [mark.point.x for mark in others] == [
        curve.points[place].at for place in (curve.safe,) if place is not None and place != curve.chosen
    ]
    assert chart.limit.value == curve.limit and curve.requirement in chart.limit.label
    for axis, values in (
        (chart.x, [point.x for point in chart.points]),
        (chart.y, [point.y for point in chart.points]),
    ):
        assert all(axis.ticks[0] * axis.size <= value <= axis.ticks[-1] * axis.size for value in values)
    for band in chart.bands:
        inside = {point.x: point.y for point in chart.points}
        assert all(low <= inside[x] <= high for x, low, high in band.ends)
    assert all(text in chart.alt for point in solutions for text in texts(point))


def test_where_no_plan_is_the_line_has_a_gap_that_is_told() -> None:
    solution = solved(QUICK)
    assert solution.curve is not None
    gap = evolve(solution.curve.points[0], result=None)
    curve = evolve(solution.curve, points=(gap, *solution.curve.points[1:]))
    chart = deadline(Context(evolve(solution, curve=curve), told.WORDS))
    assert chart is not None and len(chart.points) == len(solution.curve.points) - 1
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
        assert bar.end == neighbour.values["memory.total"] and bool(bar.faults) == bool(neighbour.breaks)
        assert all(requirement in bar.faults for requirement in neighbour.breaks)
    for bar in chart.bars:
        assert math.fsum(segment.size for segment in bar.segments) == pytest.approx(bar.end, rel=1e-9)
    assert [bool(bar.faults) for bar in chart.bars] == sorted(bool(bar.faults) for bar in chart.bars)
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

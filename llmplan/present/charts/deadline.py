"""What an input decides: the plan solved again at each of its values, against the limit of a requirement.

Input: the curve of an answer. Output: a line, the bands around it, the limit, the answer, and the nearest value that is
safe; nothing where no requirement of the author depends on an input.
"""

from __future__ import annotations

from typing import Literal

from llmplan.beside import Curve, CurvePoint
from llmplan.present.charts.records import Axis, Band, Limit, LineChart, Mark, Point
from llmplan.present.values import text
from llmplan.present.words import charts_en as words
from llmplan.solution import Solution

_ROWS, _COLUMNS = 6, 8
"""Ticks upwards and across at most."""


def deadline(answer: Solution, *, subject: str) -> LineChart | None:
    """The chart of the curve; `subject`: the entry that the plan is about, by the name of its input."""
    curve = answer.curve
    if curve is None:
        return None
    solved = [point for point in curve.points if point.value is not None]
    title = words.by(curve.result.name, curve.input.name)
    limit = words.limit(curve.requirement, curve.operation, curve.limit_text)
    chosen = curve.points[curve.chosen]
    marks = [_mark("answer", chosen, curve)]
    if curve.safe is not None and curve.safe != curve.chosen:
        marks.append(_mark("safe", curve.points[curve.safe], curve))
    bands = _bands(solved)
    heights = [curve.limit, *(y for band in bands for _, *ends in band.ends for y in ends)]
    points = tuple(Point(point.at, point.value) for point in solved if point.value is not None)
    unit = solved[-1].text.partition(" ")[2] if curve.input.size == 1 else curve.input.unit
    said = [words.point(point.text, point.value_text, _verdict(point, curve), point.chance_text) for point in solved]
    return LineChart(
        title=words.among(title, text(answer, subject)),
        alt=words.curve_alt(title, said, limit, chosen.text),
        foot=words.curve_foot(curve.again, len(curve.points) - len(solved)),
        x=Axis.around((point.x for point in points), _COLUMNS, unit, curve.input.size),
        y=Axis.around([*heights, *(point.y for point in points)], _ROWS, curve.result.unit, curve.result.size),
        points=points,
        bands=bands,
        limit=Limit(curve.limit, limit),
        marks=tuple(marks),
    )


def _bands(points: list[CurvePoint]) -> tuple[Band, ...]:
    """The wider band first, as the narrower one lies over it; one that is known at a single point has no width."""
    stated = tuple((p.at, p.low, p.high) for p in points if p.low is not None and p.high is not None)
    measured = tuple(
        (p.at, p.model_low, p.model_high) for p in points if p.model_low is not None and p.model_high is not None
    )
    bands = Band("stated", words.PLAN_RANGES, stated), Band("measured", words.MEASURED_RUNS, measured)
    return tuple(band for band in bands if len(band.ends) > 1)


def _mark(kind: Literal["answer", "safe"], point: CurvePoint, curve: Curve) -> Mark:
    assert point.value is not None
    label = words.answer(point.text) if kind == "answer" else words.safe(point.text)
    note = words.noted(point.value_text, words.judged(_verdict(point, curve), point.chance_text))
    return Mark(kind, Point(point.at, point.value), label, note)


def _verdict(point: CurvePoint, curve: Curve) -> str:
    """Empty where it says nothing: one value alone meets an equation."""
    return "" if curve.operation == "eq" and not point.chance_text else point.verdict or ""

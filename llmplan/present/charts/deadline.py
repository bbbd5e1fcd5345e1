"""What an input decides: the plan solved again at each of its values, against the limit of a requirement.

Input: the context of a solution, which has the curve. Output: a line, the bands around it, the limit, the answer, and
the nearest value that is safe; nothing where no requirement of the author depends on an input.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from llmplan.answer.schema.charts import Curve, CurvePoint
from llmplan.present import names
from llmplan.present.charts.records import Axis, Band, Limit, LineChart, Mark, Point
from llmplan.present.context import Context
from llmplan.present.words.en import Words

_ROWS, _COLUMNS = 6, 8
"""Ticks upwards and across at most."""


def deadline(context: Context) -> LineChart | None:
    """The chart of the curve."""
    words, curve = context.words, context.answer.curve
    if curve is None:
        return None
    solved = [point for point in curve.points if point.result is not None]
    points = tuple(map(_point, solved))
    title = words.by_input(curve.result.name, curve.input.name)
    limit = words.limit_line(curve.requirement, curve.operation, curve.limit_amount.exact())
    chosen = curve.points[curve.chosen]
    marks = [_mark(words, "answer", chosen, curve)]
    if curve.safe is not None and curve.safe != curve.chosen:
        marks.append(_mark(words, "safe", curve.points[curve.safe], curve))
    bands = _bands(words, solved)
    heights = [
        curve.limit,
        *(point.y for point in points),
        *(y for band in bands for _, *ends in band.ends for y in ends),
    ]
    said = [words.curve_point(*_texts(point), _verdict(point, curve), words.chance(point.chance)) for point in solved]
    return LineChart(
        title=words.among(title, context.text(names.GPU)),
        alt=words.curve_alt(title, said, limit, chosen.amount.exact()),
        foot=words.curve_foot(curve.again, len(curve.points) - len(solved)),
        x=Axis.around([point.x for point in points], _COLUMNS, _unit(curve, solved[-1]), curve.input.size),
        y=Axis.around(heights, _ROWS, curve.result.unit, curve.result.size),
        points=points,
        bands=bands,
        limit=Limit(curve.limit, limit),
        marks=tuple(marks),
    )


def _unit(curve: Curve, last: CurvePoint) -> str:
    """That of the input: of what is counted as it stands behind the last number, `GPU` of one and `GPUs` of several."""
    written = last.amount.written()
    return curve.input.unit if curve.input.size != 1 or isinstance(written, str) else written.unit


def _bands(words: Words, points: Sequence[CurvePoint]) -> tuple[Band, ...]:
    """The wider band first, as the narrower one lies over it; one that is known at a single point has no width."""
    stated = tuple((p.at, p.low, p.high) for p in points if p.low is not None and p.high is not None)
    measured = tuple(
        (p.at, p.model_low, p.model_high) for p in points if p.model_low is not None and p.model_high is not None
    )
    bands = Band("stated", words.plan_ranges, stated), Band("measured", words.measured_runs, measured)
    return tuple(band for band in bands if len(band.ends) > 1)


def _mark(words: Words, kind: Literal["answer", "safe"], point: CurvePoint, curve: Curve) -> Mark:
    input_, value = _texts(point)
    label = words.answer_mark(input_) if kind == "answer" else words.safe_mark(input_)
    return Mark(
        kind,
        _point(point),
        label,
        words.noted(value, words.verdict_of_a_point(_verdict(point, curve), words.chance(point.chance))),
    )


def _point(point: CurvePoint) -> Point:
    assert point.result is not None
    return Point(point.at, point.result.number)


def _texts(point: CurvePoint) -> tuple[str, str]:
    """The input and the result."""
    assert point.result is not None
    return point.amount.exact(), point.result.exact()


def _verdict(point: CurvePoint, curve: Curve) -> str:
    """Empty where it says nothing: one value alone meets an equation."""
    return "" if curve.operation == "eq" and point.chance is None else point.verdict or ""

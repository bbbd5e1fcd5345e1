"""What an input decides: the plan solved again at each of its values, against the limit of a requirement.

Input: the context of a solution, which has the curve. Output: what is limited, on the calendar and as planned where
there are both, with its bands, the limit, the answer, and the nearest value that is safe; nothing where no requirement
of the author depends on an input, or where it has one value alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from llmplan.answer.schema.charts import Curve, CurvePoint
from llmplan.present import names
from llmplan.present.blocks import plain
from llmplan.present.charts.records import Axis, Band, Limit, LineChart, Mark, Point, Series
from llmplan.present.context import Context
from llmplan.present.words.en import Words
from llmplan.units.amount import Amount

_ROWS, _COLUMNS = 6, 6
"""Ticks upwards and across at most."""


def deadline(context: Context) -> LineChart | None:
    """The chart of the curve."""
    words, curve = context.words, context.answer.curve
    if curve is None:
        return None
    solved = [point for point in curve.points if point.result is not None]
    if len(solved) < 2:
        return None
    limit = words.limit_line(curve.requirement, curve.operation, curve.limit_amount.exact())
    chosen = curve.points[curve.chosen]
    marks = [_mark(words, "answer", chosen, curve)]
    if curve.safe is not None and curve.safe != curve.chosen:
        marks.append(_mark(words, "safe", curve.points[curve.safe], curve))
    series = tuple(_series(context, curve, solved))
    heights = [
        0.0,
        curve.limit,
        *(point.y for one in series for point in one.points),
        *(y for one in series for band in one.bands for _, *ends in band.ends for y in ends),
    ]
    said = [words.curve_point(*_texts(point), _verdict(point, curve), words.chance(point.chance)) for point in solved]
    title = words.by_input(plain(words.axis(curve.result.name, first=True)), _name(context, curve.input.name))
    unit, across = _unit(curve, solved[-1]), [point.at for point in solved]
    counted = all(_whole(point.amount) for point in solved)
    return LineChart(
        title=words.curve_title(title, context.text(names.GPU), [(mark.label, mark.note) for mark in marks]),
        alt=words.curve_alt(title, said, limit, chosen.amount.exact()),
        foot=words.curve_foot(curve.again, len(curve.points) - len(solved)),
        x=Axis.through(across, unit, curve.input.size)
        if counted
        else Axis.around(across, _COLUMNS, unit, curve.input.size),
        y=Axis.around(heights, _ROWS, curve.result.unit, curve.result.size),
        counted=counted,
        series=series,
        limit=Limit(curve.limit, limit),
        marks=tuple(marks),
    )


def _name(context: Context, name: str) -> str:
    """What people call a quantity or an input."""
    return plain(context.words.axis(name))


def _whole(amount: Amount) -> bool:
    return amount.measure is not None and amount.measure.whole and amount.number == round(amount.number)


def _unit(curve: Curve, last: CurvePoint) -> str:
    """That of the input: of what is counted as it stands behind the last number, `GPU` of one and `GPUs` of several."""
    written = last.amount.written()
    return curve.input.unit if curve.input.size != 1 or isinstance(written, str) else written.unit


def _series(context: Context, curve: Curve, points: Sequence[CurvePoint]) -> Iterator[Series]:
    """What is judged, then what is planned where that is something else."""
    words = context.words
    stated = tuple((p.at, p.low, p.high) for p in points if p.low is not None and p.high is not None)
    measured = tuple(
        (p.at, p.model_low, p.model_high) for p in points if p.model_low is not None and p.model_high is not None
    )
    # The wider band first, as the narrower one lies over it.
    bands = Band("stated", words.plan_ranges, stated), Band("measured", words.measured_runs, measured)
    planned = [(p, p.planned) for p in points if p.planned is not None]
    label = words.on_the_calendar_series if planned else _name(context, curve.result.name)
    yield Series("judged", label, tuple(map(_point, points)), tuple(band for band in bands if band.ends))
    if planned:
        ends = tuple(
            (p.at, p.planned_low, p.planned_high)
            for p, _ in planned
            if p.planned_low is not None and p.planned_high is not None
        )
        band = (Band("measured", words.measured_runs, ends),) if ends else ()
        yield Series("planned", words.planned_series, tuple(Point(p.at, one.number) for p, one in planned), band)


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
    return point.amount.exact(), point.result.rough()


def _verdict(point: CurvePoint, curve: Curve) -> str:
    """Empty where it says nothing: one value alone meets an equation."""
    return "" if curve.operation == "eq" and point.chance is None else point.verdict or ""

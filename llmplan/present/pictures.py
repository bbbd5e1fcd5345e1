"""The pictures of an answer: which there are, and each of them drawn.

Input: the context of a solution. Output: the text of a file, or nothing where a picture has nothing to show. `CHARTS`
lists the function that makes each chart and the function that draws it. `emit/` asks for pictures by name, as files of
the report are templates of a line, `{{ picture("deadline", option("pictures")) }}`: another template laid over it takes
a picture's place, and one that gives nothing makes no file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from attrs import frozen

from llmplan.present.charts.deadline import deadline
from llmplan.present.charts.layout import layout
from llmplan.present.charts.memory import memory
from llmplan.present.charts.ranges import ranges
from llmplan.present.charts.records import Chart
from llmplan.present.charts.run import run
from llmplan.present.charts.scatter import pareto, sweep
from llmplan.present.charts.stages import stages
from llmplan.present.charts.step import step
from llmplan.present.context import Context
from llmplan.present.localize import localized
from llmplan.present.svg.bars import grid, stacked, tornado, waterfall
from llmplan.present.svg.lines import lines
from llmplan.present.svg.scatter import scatter

Shown = TypeVar("Shown", bound=Chart)


@frozen
class Picture:
    """A picture by its name: the chart of an answer, None with nothing to show, and its drawing."""

    name: str
    chart: Callable[[Context], Chart | None]
    draw: Callable[[Any], str]


def _picture(name: str, chart: Callable[[Context], Shown | None], draw: Callable[[Shown], str]) -> Picture:
    """A picture whose drawing takes the very chart that it has: the type checker sees to it."""
    return Picture(name, chart, draw)


CHARTS = (
    _picture("deadline", deadline, lines),
    _picture("pareto", pareto, scatter),
    _picture("sweep", sweep, scatter),
    _picture("run", run, waterfall),
    _picture("ranges", ranges, tornado),
    _picture("memory", memory, stacked),
    _picture("stages", stages, stacked),
    _picture("step", step, waterfall),
    _picture("layout", layout, grid),
)

FORMS = ("svg", "none")
"""In what form pictures may be asked for."""


def picture(context: Context, name: str, form: str) -> str:
    """A picture as SVG; empty where it has nothing to show, or where `form` is `none`.

    Raises:
        ValueError: There is not a picture of this name, or not this form.
    """
    chosen = next((one for one in CHARTS if one.name == name), None)
    if chosen is None:
        raise ValueError(f"`{name}` is not a picture: {', '.join(one.name for one in CHARTS)}")
    if form not in FORMS:
        raise ValueError(f"`{form}` is not a form of pictures: {', '.join(FORMS)}")
    chart = chosen.chart(context) if form == "svg" else None
    return "" if chart is None else chosen.draw(localized(chart, context.words))

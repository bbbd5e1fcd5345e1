"""The pictures of an answer: which there are, and each of them drawn.

Input: an answer. Output: the text of a file, or nothing where a picture has nothing to show. `CHARTS` is the list: what
a picture shows, and how that is drawn. `emit/` asks for pictures by name, as files of the report are templates of a
line, `{{ picture("deadline", option("pictures")) }}`: another template laid over it takes a picture's place, and one
that gives nothing makes no file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from attrs import frozen

from llmplan.answer.schema.solution import Solution
from llmplan.present.charts.deadline import deadline
from llmplan.present.charts.memory import memory
from llmplan.present.charts.records import Chart
from llmplan.present.charts.step import step
from llmplan.present.svg.bars import stacked, waterfall
from llmplan.present.svg.lines import lines
from llmplan.present.words import words_of
from llmplan.present.words.en import Words

Shown = TypeVar("Shown", bound=Chart)


@frozen
class Picture:
    """A picture by its name: the chart of an answer in some words, None with nothing to show, and its drawing."""

    name: str
    chart: Callable[[Solution, Words], Chart | None]
    draw: Callable[[Any], str]


def _picture(name: str, chart: Callable[[Solution, Words], Shown | None], draw: Callable[[Shown], str]) -> Picture:
    """A picture whose drawing takes the very chart that it has: the type checker sees to it."""
    return Picture(name, chart, draw)


CHARTS = (
    _picture("deadline", deadline, lines),
    _picture("memory", memory, stacked),
    _picture("step", step, waterfall),
)

FORMS = ("svg", "none")
"""In what form pictures may be asked for."""


def picture(answer: Solution, name: str, form: str) -> str:
    """A picture as SVG; empty where it has nothing to show, or where `form` is `none`.

    Raises:
        ValueError: There is not a picture of this name, or not this form.
    """
    chosen = next((one for one in CHARTS if one.name == name), None)
    if chosen is None:
        raise ValueError(f"`{name}` is not a picture: {', '.join(one.name for one in CHARTS)}")
    if form not in FORMS:
        raise ValueError(f"`{form}` is not a form of pictures: {', '.join(FORMS)}")
    chart = chosen.chart(answer, words_of()) if form == "svg" else None
    return "" if chart is None else chosen.draw(chart)

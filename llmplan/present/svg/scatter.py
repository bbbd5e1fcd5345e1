"""Charts of plans by two results, each a point with its name."""

from __future__ import annotations

from llmplan.present.charts.records import Scatter
from llmplan.present.svg import elements as draw

_LEAST_LEFT, _RIGHT = 74, draw.WIDTH - draw.MARGIN - 4
_PLOT = 230
_COLOURS = {"answer": draw.BLUE, "other": draw.GREY, "failing": draw.RED}
_HIGH = 13
"""The height of a name."""


def scatter(chart: Scatter) -> str:
    """The SVG of a scatter. A name that has no room stands nowhere: the report's table has all of them."""
    start = draw.head(chart) + 34
    bottom = start + _PLOT
    left = draw.beside(chart.y, _LEAST_LEFT)
    across, up = draw.scale(chart.x, left, _RIGHT), draw.scale(chart.y, bottom, start)
    elements = [
        draw.axis_up(chart.y, left, _RIGHT, start, bottom),
        draw.text(draw.MARGIN, start - 14, chart.y.unit, _RIGHT - draw.MARGIN, color=draw.GREY),
        draw.axis_across(chart.x, left, _RIGHT, start, bottom),
        draw.line(left, bottom, _RIGHT, bottom),
    ]
    taken: list[tuple[float, float, float, float]] = []
    places = [(point, across.at(point.point.x), up.at(point.point.y)) for point in chart.points]
    taken += [(x - 6, y - 6, x + 6, y + 6) for _, x, y in places]
    for point, x, y in sorted(places, key=lambda one: one[0].kind != "answer"):
        colour, radius = _COLOURS[point.kind], "6" if point.kind == "answer" else "4"
        elements.append(f'<circle cx="{draw.px(x)}" cy="{draw.px(y)}" r="{radius}" fill="{colour}"/>')
        words = f"✗ {point.label}" if point.kind == "failing" else point.label
        wide = draw.width(words, draw.SIZE, point.kind == "answer")
        middle = max(left + 2, min(x - wide / 2, _RIGHT - wide))
        for at, top in ((x + 9, y - 7), (x - 9 - wide, y - 7), (middle, y - 22), (middle, y + 9)):
            box = (at, top, at + wide, top + _HIGH)
            inside = box[0] >= left + 2 and box[2] <= _RIGHT and box[1] >= start - 8 and box[3] <= bottom - 2
            if inside and not any(_meet(box, other) for other in taken):
                taken.append(box)
                elements.append(draw.text(at, top + 11, words, wide + 1, color=colour, bold=point.kind == "answer"))
                break
    elements += draw.foot(chart.foot, bottom + 48)
    return draw.document(chart, bottom + 45 + draw.foot_height(chart.foot), elements)


def _meet(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]

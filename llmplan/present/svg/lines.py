"""Charts of what an input decides: its points with what they may be off, the limit, and what is marked of it.

Between two values of a count there is nothing, so its points stand alone, each with a whisker; of any other input they
are a line with a band around it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from llmplan.present.charts.records import Band, LineChart, Point, Series
from llmplan.present.svg import elements as draw

_LEAST_LEFT, _RIGHT = 46, draw.WIDTH - draw.MARGIN - 4
_PLOT = 210
"""The height of a plot."""

_ROW = 17
"""From one line of a key to the next."""

_ASIDE = 6
"""Of a count, how far what is planned stands beside what is judged."""

_COLOURS = {"answer": draw.BLUE, "safe": draw.GREEN}
_SERIES = {"judged": draw.BLUE, "planned": draw.GREY}
_BANDS = {"measured": ("#ddf0ff", "4 3"), "stated": ("#f1ebfd", "1 3")}
_STATED = "#c9b6f2"

Placed = Callable[[float, float], Point]


def lines(chart: LineChart) -> str:
    """The SVG of the chart."""
    top = draw.head(chart) + 4
    keys = [*_marks_said(chart, top), *_series_said(chart, top + _ROW * len(chart.marks))]
    start = top + _ROW * (len(chart.marks) + _series_rows(chart)) + 30
    bottom = start + _PLOT
    left = draw.beside(chart.y, _LEAST_LEFT)
    across, up = draw.scale(chart.x, left, _RIGHT), draw.scale(chart.y, bottom, start)

    def placed(x: float, y: float) -> Point:
        return Point(across.at(x), up.at(y))

    limit = up.at(chart.limit.value)
    marked = [mark.point.x for mark in chart.marks]
    elements = [
        *keys,
        draw.axis_up(chart.y, left, _RIGHT, start, bottom),
        draw.text(draw.MARGIN, start - 10, chart.y.unit, 120, color=draw.GREY),
        draw.axis_across(chart.x, left, _RIGHT, bottom, bottom, marked),
        draw.line(left, bottom, _RIGHT, bottom),
        *([] if chart.counted else [_area(band, placed) for band in chart.series[0].bands]),
        *(
            part
            for one in reversed(chart.series)
            for part in (_counted(one, placed) if chart.counted else _continuous(one, placed))
        ),
        draw.line(left, limit, _RIGHT, limit, draw.RED, "8 4", "1.5"),
        *(_sign(mark.kind, placed(mark.point.x, mark.point.y)) for mark in chart.marks),
        draw.over(_RIGHT, limit - 6, chart.limit.label, _RIGHT - left, draw.RED),
        *draw.foot(chart.foot, bottom + 48),
    ]
    return draw.document(chart, bottom + 45 + draw.foot_height(chart.foot), elements)


def _marks_said(chart: LineChart, y: float) -> Iterator[str]:
    """The answer, and what is safe, each with its sign."""
    for row, mark in enumerate(chart.marks):
        place = Point(draw.MARGIN + 6.0, y + _ROW * row + 10)
        said = f"{mark.label}: {mark.note}" if mark.note else mark.label
        words = draw.text(draw.MARGIN + 20, place.y + 4, said, draw.WIDTH - 2 * draw.MARGIN - 20, bold=True)
        yield draw.group([_sign(mark.kind, place), words])


def _series_rows(chart: LineChart) -> int:
    return sum(1 + (len(one.bands) > 1) for one in chart.series)


def _series_said(chart: LineChart, y: float) -> Iterator[str]:
    """What each series is, and its bands."""
    row = 0
    for one in chart.series:
        for number, band in enumerate(reversed(one.bands or (None,))):
            x, at = draw.MARGIN + 6.0, y + _ROW * row + 10
            row += 1
            signs = [] if band is None else [_whisker(x, at - 6, at + 6, _look(one, band))]
            signs += [_dot(Point(x, at), one)] if number == 0 else []
            said = [one.label] if number == 0 else []
            said += [band.label] if band is not None else []
            room = draw.WIDTH - 2 * draw.MARGIN - 20
            yield draw.group([*signs, draw.text(draw.MARGIN + 20, at + 4, ", ".join(said), room, color=draw.GREY)])


def _counted(series: Series, placed: Placed) -> Iterator[str]:
    """Points with whiskers."""
    aside = _ASIDE if series.kind == "planned" else 0
    for band in series.bands:
        whiskers = []
        for x, low, high in band.ends:
            first, last = placed(x, high), placed(x, low)
            whiskers.append(_whisker(first.x + aside, first.y, last.y, _look(series, band)))
        yield draw.group(whiskers)
    places = [placed(point.x, point.y) for point in series.points]
    yield draw.group(_dot(Point(place.x + aside, place.y), series) for place in places)


def _area(band: Band, placed: Placed) -> str:
    """What a band covers, which lies below all lines and points."""
    outline = [placed(x, high) for x, _, high in band.ends], [placed(x, low) for x, low, _ in reversed(band.ends)]
    points = _pairs([place for edge in outline for place in edge])
    return draw.group([f'<polygon points="{points}" fill="{_BANDS[band.kind][0]}"/>'])


def _continuous(series: Series, placed: Placed) -> Iterator[str]:
    """A line with the edges of its bands."""
    colour = _SERIES[series.kind]
    for band in series.bands:
        edges = [placed(x, low) for x, low, _ in band.ends], [placed(x, high) for x, _, high in band.ends]
        dashed = f'stroke="{colour}" stroke-dasharray="{_BANDS[band.kind][1]}"'
        yield draw.group(_path(edge, dashed) for edge in edges)
    places = [placed(point.x, point.y) for point in series.points]
    yield draw.group([_path(places, f'stroke="{colour}" stroke-width="2"'), *(_dot(place, series) for place in places)])


def _look(series: Series, band: Band) -> tuple[str, str]:
    return (_STATED, "5") if band.kind == "stated" else (_SERIES[series.kind], "1.5")


def _whisker(x: float, top: float, bottom: float, look: tuple[str, str]) -> str:
    colour, thick = look
    ends = [draw.line(x - 3, y, x + 3, y, colour, thick="1.5") for y in (top, bottom)] if thick == "1.5" else []
    return "".join([draw.line(x, top, x, bottom, colour, thick=thick), *ends])


def _sign(kind: str, place: Point) -> str:
    colour, edge = _COLOURS[kind], 'stroke="#ffffff" stroke-width="1.5"'
    if kind == "answer":
        return f'<circle cx="{draw.px(place.x)}" cy="{draw.px(place.y)}" r="6" fill="{colour}" {edge}/>'
    corner = f'x="{draw.px(place.x - 5)}" y="{draw.px(place.y - 5)}"'
    return f'<rect {corner} width="10" height="10" fill="{colour}" {edge}/>'


def _dot(place: Point, series: Series) -> str:
    colour = _SERIES[series.kind]
    look = f'fill="{colour}"' if series.kind == "judged" else f'fill="#ffffff" stroke="{colour}" stroke-width="1.5"'
    return f'<circle cx="{draw.px(place.x)}" cy="{draw.px(place.y)}" r="3" {look}/>'


def _path(points: Iterable[Point], look: str) -> str:
    return f'<polyline points="{_pairs(points)}" fill="none" {look}/>'


def _pairs(points: Sequence[Point] | Iterable[Point]) -> str:
    return " ".join(f"{draw.px(point.x)},{draw.px(point.y)}" for point in points)

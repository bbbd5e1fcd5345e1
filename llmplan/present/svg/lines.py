"""Charts of a line: its points, the bands around it, the limit, and what is marked of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from llmplan.present.charts.records import Band, LineChart, Mark, Point
from llmplan.present.svg import elements as draw

_HEIGHT = 392
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 836, 132, 332
_NOTES = (58, 94)
"""Above the plot, the lines on which notes of marks stand: one for each of two."""

_NOTE_ROOM = 220
_LABEL_ROOM = 240
"""What the label of the limit takes of the plot, at one of its ends."""

_LATE = 620
"""From here on a note has no room to its right."""

_EARLY = 330
"""Up to here one to its right leaves room for another to the left of `_LATE`."""

_LEGEND = 374
_LOOKS = {"measured": ("#ddf0ff", draw.BLUE, "4 3"), "stated": ("#f1ebfd", draw.VIOLET, "1 3")}
_COLOURS = {"answer": draw.BLUE, "safe": draw.GREEN}


def lines(chart: LineChart) -> str:
    """The SVG of a chart of a line."""
    across, up = draw.scale(chart.x, _LEFT, _RIGHT), draw.scale(chart.y, _BOTTOM, _TOP)

    def placed(x: float, y: float) -> Point:
        return Point(across.at(x), up.at(y))

    points = [placed(point.x, point.y) for point in chart.points]
    marks = [(mark, placed(mark.point.x, mark.point.y)) for mark in chart.marks]
    limit = up.at(chart.limit.value)
    bands = {
        band.kind: _band(band, [(placed(x, low), placed(x, high)) for x, low, high in band.ends])
        for band in chart.bands
    }
    return draw.document(
        chart,
        _HEIGHT,
        [
            draw.axis_up(chart.y, _LEFT, _RIGHT, _TOP, _BOTTOM),
            draw.text(_LEFT - 8, _TOP - 14, chart.y.unit, 54, "end", draw.GREY),
            draw.axis_across(chart.x, _LEFT, _RIGHT, _BOTTOM, _BOTTOM),
            draw.line(_LEFT, _BOTTOM, _RIGHT, _BOTTOM),
            *(bands.get(kind, "") for kind in ("stated", "measured")),  # the narrower one over the wider
            draw.line(_LEFT, limit, _RIGHT, limit, draw.RED, "8 4", "1.5"),
            _path(points, f'stroke="{draw.BLUE}" stroke-width="2"'),
            *(_dot(point, "2.5", draw.BLUE) for point in points),
            _limit_label(chart, limit, [place.x for _, place in marks]),
            *_marks(marks),
            *_legend(chart),
        ],
    )


def _band(band: Band, ends: Sequence[tuple[Point, Point]]) -> str:
    fill, stroke, dash = _LOOKS[band.kind]
    lower, upper = [low for low, _ in ends], [high for _, high in ends]
    edge = f'stroke="{stroke}" stroke-dasharray="{dash}"'
    area = f'<polygon points="{_pairs([*upper, *reversed(lower)])}" fill="{fill}"/>'
    return draw.group([area, _path(upper, edge), _path(lower, edge)])


def _limit_label(chart: LineChart, y: float, marks: Sequence[float]) -> str:
    """Where the line is far from the limit, and no mark's leader in the way."""
    met = chart.points[-1].y <= chart.limit.value
    away = max(marks) > _RIGHT - _LABEL_ROOM if met else min(marks) < _LEFT + _LABEL_ROOM
    right = met != away
    x, anchor = (_RIGHT - 4, "end") if right else (_LEFT + 6, "start")
    return draw.text(x, y + 15 if away else y - 6, chart.limit.label, _LABEL_ROOM - 4, anchor, draw.RED, halo=True)


def _marks(marks: Sequence[tuple[Mark, Point]]) -> Iterator[str]:
    """Each with a leader to its note, which stands where the other's has room too."""
    first, last = min(place.x for _, place in marks), max(place.x for _, place in marks)
    apart = last >= _LATE and first < _EARLY
    for mark, place in marks:
        leftwards = last >= _LATE and not (apart and place.x == first)
        row = _NOTES[0] if (place.x == last) == (leftwards and not apart) else _NOTES[1]
        x, anchor = (place.x - 6, "end") if leftwards else (place.x + 6, "start")
        colour = _COLOURS[mark.kind]
        yield draw.group([
            draw.line(place.x, row - 10, place.x, place.y, colour),
            _sign(mark, place),
            draw.text(x, row, mark.label, _NOTE_ROOM, anchor, colour, bold=True, halo=True),
            draw.text(x, row + 15, mark.note, _NOTE_ROOM, anchor, draw.GREY, halo=True),
        ])  # fmt: skip


def _sign(mark: Mark, place: Point) -> str:
    colour, edge = _COLOURS[mark.kind], ' stroke="#ffffff" stroke-width="1.5"'
    if mark.kind == "answer":
        return _dot(place, "6", colour, edge)
    corner = f'x="{draw.px(place.x - 5)}" y="{draw.px(place.y - 5)}"'
    return f'<rect {corner} width="10" height="10" fill="{colour}"{edge}/>'


def _legend(chart: LineChart) -> Iterator[str]:
    """What each band is, the narrower one first, and behind them how to read the chart."""
    x = float(draw.MARGIN)
    for band in reversed(chart.bands):
        fill, stroke, dash = _LOOKS[band.kind]
        box = f'<rect x="{draw.px(x)}" y="{_LEGEND - 10}" width="18" height="12" fill="{fill}"'
        label = draw.text(x + 24, _LEGEND, band.label, 400, color=draw.GREY)
        yield draw.group([f'{box} stroke="{stroke}" stroke-dasharray="{dash}"/>', label])
        x += 40 + 0.9 * draw.width(band.label, draw.SIZE)
    yield draw.text(x, _LEGEND, chart.foot, draw.WIDTH - draw.MARGIN - x, color=draw.GREY)


def _path(points: Iterable[Point], look: str) -> str:
    return f'<polyline points="{_pairs(points)}" fill="none" {look}/>'


def _pairs(points: Iterable[Point]) -> str:
    return " ".join(f"{draw.px(point.x)},{draw.px(point.y)}" for point in points)


def _dot(place: Point, radius: str, colour: str, edge: str = "") -> str:
    return f'<circle cx="{draw.px(place.x)}" cy="{draw.px(place.y)}" r="{radius}" fill="{colour}"{edge}/>'

"""Charts of bars from left to right: stacked ones below one another, and a waterfall.

What a bar is stands above its beginning, what it comes to above its end: the bars have the whole width of a panel.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from llmplan.operations.numbers import total
from llmplan.present.charts.records import Bar, Event, Fall, Grid, Limit, StackedBars, Tornado, Waterfall
from llmplan.present.svg import elements as draw

_LEFT, _RIGHT = draw.MARGIN + 4, draw.WIDTH - draw.MARGIN - 8
_ROOM = draw.WIDTH - 2 * draw.MARGIN
_STACK = 16
"""The height of a stacked bar; below its texts, from one to the next `_NEXT_STACK`."""

_NEXT_STACK = 46
_FAULTS = 17
"""What a line takes that says what is wrong with a bar."""

_NUMBERED = 18
"""From this width on a piece carries its number in the legend."""

_KEY = 34
"""In the legend, what a sign takes beside its label."""

_FALL = 10
"""The height of a step of a waterfall, from one to the next `_NEXT_FALL`."""

_NEXT_FALL = 33
_APART = 6
"""The room below the whole for its ends, where anything is drawn below it."""


def stacked(chart: StackedBars) -> str:
    """The SVG of stacked bars."""
    top = draw.head(chart) + 6
    scale = draw.scale(chart.x, _LEFT, _RIGHT)
    places, bottom = [], float(top)
    for bar in chart.bars:
        bottom += 0 if _beside(bar) else _FAULTS
        places.append(bottom)
        bottom += _NEXT_STACK
    elements = [draw.hatches(), draw.axis_across(chart.x, _LEFT, _RIGHT, top + 2, bottom)]
    for number, (bar, place) in enumerate(zip(chart.bars, places)):
        elements += _stack(bar, place, scale, number == 0)
    y = bottom + 46
    if chart.limit:
        x = scale.at(chart.limit.value)
        elements += [draw.line(x, place + 17, x, place + _STACK + 23, draw.RED, "", "2") for place in places]
        elements += _limit_key(chart.limit, y)
        y += 20
    used = sorted({segment.part for bar in chart.bars for segment in bar.segments})
    rows = list(_legend_rows(chart.parts, used))
    for number, row in enumerate(rows):
        elements += _legend(chart.parts, row, y + 19 * number)
    y += 19 * len(rows)
    elements += draw.foot(chart.foot, y)
    return draw.document(chart, y + draw.foot_height(chart.foot) - (3 if chart.foot else 9), elements)


def _beside(bar: Bar) -> bool:
    """Whether what is wrong with a bar has room beside its texts; else it has a line of its own."""
    texts = [text for text in (bar.label, bar.text, bar.faults) if text]
    return not bar.faults or sum(draw.width(text, draw.SIZE) + 7 for text in texts) <= _ROOM


def _stack(bar: Bar, y: float, scale: draw.Scale, first: bool) -> Iterator[str]:
    right, beside = draw.WIDTH - draw.MARGIN, _beside(bar)
    wide = draw.width(bar.faults, draw.SIZE) + 6 if bar.faults and beside else 0.0
    line = y + 12 if beside else y + 12 - _FAULTS
    said = draw.fit(bar.text, _ROOM / 2.2, draw.SIZE, first)
    room = _ROOM - draw.width(said, draw.SIZE, first) - wide - 8
    yield draw.text(draw.MARGIN, line, bar.label, room, bold=first)
    yield draw.text(right - wide, line, said, _ROOM / 2, "end", bold=first)
    if bar.faults:
        yield draw.text(right, y + 12, bar.faults, _ROOM, "end", draw.RED)
    run, top = 0.0, y + 18
    for segment in bar.segments:
        x1, x2 = scale.at(run), scale.at(run + segment.size)
        yield draw.part(x1, top, x2 - x1, _STACK, segment.part)
        if x2 - x1 >= _NUMBERED:
            yield draw.numeral((x1 + x2) / 2, top + 12.5, segment.part)
        run += segment.size
    if bar.ends is not None:
        yield draw.ends(scale.at(bar.ends[0]), scale.at(bar.ends[1]), y + 39)


def _legend_rows(parts: Sequence[str], used: Sequence[int]) -> Iterator[list[int]]:
    """The parts that are drawn, as many in a row as have room."""
    row: list[int] = []
    for part in used:
        wide = total(_KEY + draw.width(parts[one], draw.SIZE) for one in (*row, part))
        if row and wide > _ROOM:
            yield row
            row = []
        row.append(part)
    if row:
        yield row


def _legend(parts: Sequence[str], row: Sequence[int], y: float) -> Iterator[str]:
    """The number and the name of each part, in one line."""
    x = float(draw.MARGIN)
    for part in row:
        yield draw.part(x, y - 12, 15, 15, part)
        yield draw.numeral(x + 7.5, y, part)
        yield draw.text(x + 20, y, parts[part], _ROOM - 20, color=draw.GREY)
        x += _KEY + min(draw.width(parts[part], draw.SIZE), _ROOM - 20)


def waterfall(chart: Waterfall) -> str:
    """The SVG of a waterfall."""
    top = draw.head(chart) + 4
    scale = draw.scale(chart.x, _LEFT, _RIGHT)
    y = top + _NEXT_FALL * len(chart.falls)
    bottom = y + _NEXT_FALL * (1 + len(chart.events)) + (_APART if chart.events else 0)
    elements = [draw.axis_across(chart.x, _LEFT, _RIGHT, top + 2, bottom)]
    run = 0.0
    for number, fall in enumerate(chart.falls):
        elements += _fall(fall, run, top + _NEXT_FALL * number, scale)
        run += fall.value
    for number, event in enumerate(chart.events, 1):
        elements += _event(event, y + _NEXT_FALL * number + _APART, scale)
    elements += _bounds(chart, scale, top + 14, y + _NEXT_FALL)
    start, end = scale.at(0.0), scale.at(chart.whole.value)
    elements += [
        draw.text(draw.MARGIN, y + 12, chart.whole.label, _ROOM / 2, bold=True),
        draw.text(draw.WIDTH - draw.MARGIN, y + 12, chart.whole.text, _ROOM / 2, "end", bold=True),
        draw.bar(start, y + 17, end - start, _FALL, draw.INK),
    ]
    below = bottom + 46
    if chart.limit:
        elements += _limit_key(chart.limit, below)
        below += 20
    elements += draw.foot(chart.foot, below)
    return draw.document(chart, below - 3 + draw.foot_height(chart.foot), elements)


def _limit_key(limit: Limit, y: float) -> Iterator[str]:
    """What the red line is."""
    yield draw.line(draw.MARGIN + 7, y - 11, draw.MARGIN + 7, y + 2, draw.RED, "", "2")
    yield draw.text(draw.MARGIN + 19, y, limit.label, _ROOM - 19, color=draw.RED)


def _event(event: Event, y: float, scale: draw.Scale) -> Iterator[str]:
    """A mark for each time, as high as a bar."""
    label = draw.fit(event.label, _ROOM / 3, draw.SIZE)
    yield draw.text(draw.MARGIN, y + 12, label, _ROOM / 3 + 1)
    yield draw.text(draw.WIDTH - draw.MARGIN, y + 12, event.text, _ROOM - draw.width(label, draw.SIZE) - 8, "end")
    for x in map(scale.at, event.at):
        yield draw.line(x, y + 17, x, y + 17 + _FALL, draw.INK, thick="1")


def _bounds(chart: Waterfall, scale: draw.Scale, top: int, bottom: int) -> Iterator[str]:
    """The ends between which the whole may lie, below its bar, and the limit, which crosses the bars and no text."""
    if chart.ends is not None:
        yield draw.ends(scale.at(chart.ends[0]), scale.at(chart.ends[1]), bottom - 3)
    if chart.limit is not None:
        x = scale.at(chart.limit.value)
        for y in range(top, bottom, _NEXT_FALL):
            yield draw.line(x, y, x, y + _FALL + 6, draw.RED, "", "2")


def tornado(chart: Tornado) -> str:
    """The SVG of a tornado."""
    top = draw.head(chart) + 4
    scale = draw.scale(chart.x, _LEFT, _RIGHT)
    bottom = top + _NEXT_FALL * len(chart.bars)
    elements = [draw.axis_across(chart.x, _LEFT, _RIGHT, top + 2, bottom)]
    middle = scale.at(chart.middle.value)
    for number, bar in enumerate(chart.bars):
        y = top + _NEXT_FALL * number
        x1, x2 = scale.at(bar.low), scale.at(bar.high)
        said = draw.width(bar.text, draw.SIZE)
        elements += [
            draw.text(draw.MARGIN, y + 12, bar.label, _ROOM - said - 8),
            draw.text(draw.WIDTH - draw.MARGIN, y + 12, bar.text, _ROOM / 2, "end"),
            draw.bar(x1, y + 17, max(x2 - x1, 1), _FALL, draw.BLUE),
            draw.line(middle, y + 14, middle, y + 30, draw.INK, thick="2"),
        ]
        if chart.limit is not None:
            limit = scale.at(chart.limit.value)
            elements.append(draw.line(limit, y + 14, limit, y + 30, draw.RED, thick="2"))
    y = bottom + 46
    keys = [(chart.middle.label, draw.INK)] + ([(chart.limit.label, draw.RED)] if chart.limit is not None else [])
    x = float(draw.MARGIN)
    for label, colour in keys:
        elements.append(draw.line(x + 7, y - 11, x + 7, y + 2, colour, "", "2"))
        elements.append(draw.text(x + 19, y, label, _ROOM / 2 - 24, color=colour))
        x += _ROOM / 2
    elements += draw.foot(chart.foot, y + 20)
    return draw.document(chart, y + 17 + draw.foot_height(chart.foot), elements)


def grid(chart: Grid) -> str:
    """The SVG of GPUs in their nodes."""
    top, left = draw.head(chart) + 8, draw.MARGIN + 152
    wide = max(map(len, chart.rows))
    cell = min(30.0, (draw.WIDTH - draw.MARGIN - left) / wide)
    elements = [draw.hatches()]
    for number, (label, row) in enumerate(zip(chart.labels, chart.rows)):
        y = top + 30 * number
        elements.append(draw.text(draw.MARGIN, y + 17, label, 146))
        for place, (group, words) in enumerate(row):
            x = left + cell * place
            elements.append(draw.part(x, y, cell - 3, 24, group))
            elements.append(draw.lettered(x + cell / 2 - 1.5, y + 16.5, words, cell - 3, group))
    y = top + 30 * len(chart.rows) + 18
    elements += draw.foot(chart.foot, y)
    return draw.document(chart, y + draw.foot_height(chart.foot) - 3, elements)


def _fall(fall: Fall, run: float, y: float, scale: draw.Scale) -> Iterator[str]:
    """A step from where those before it end, and where the next one begins."""
    reached = run + fall.value
    x1, x2 = scale.at(min(run, reached)), scale.at(max(run, reached))
    said = draw.width(fall.text, draw.SIZE)
    yield draw.text(draw.MARGIN, y + 12, fall.label, _ROOM - said - 8)
    yield draw.text(draw.WIDTH - draw.MARGIN, y + 12, fall.text, _ROOM / 2, "end")
    yield draw.bar(x1, y + 17, max(x2 - x1, 1), _FALL, draw.BLUE, hollow=fall.value < 0)
    x = scale.at(reached)
    yield draw.line(x, y + 17 + _FALL, x, y + 23 + _FALL, draw.GREY)

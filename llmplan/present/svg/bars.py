"""Charts of bars from left to right: stacked ones below one another, and a waterfall."""

from __future__ import annotations

from collections.abc import Iterator

from llmplan.operations.numbers import total
from llmplan.present.charts.records import Bar, Fall, StackedBars, Waterfall
from llmplan.present.svg import elements as draw

_STACK = 24
"""The height of a stacked bar, from one to the next `_NEXT_STACK`."""

_NEXT_STACK = 40
_STACKS_LEFT, _STACKS_RIGHT, _STACKS_TOP = 216, 640, 48
_BESIDE = 664
_NUMBERED = 16
"""From this width on a piece carries its number in the legend."""

_LEGEND_ROOM = draw.WIDTH - 2 * draw.MARGIN
_KEY, _SLOT = 31, 110
"""In the legend, what a sign takes, and its label at most where all have room."""

_FALL = 22
"""The height of a step of a waterfall, from one to the next `_NEXT_FALL`."""

_NEXT_FALL = 32
_FALLS_LEFT, _FALLS_RIGHT, _FALLS_TOP = 320, 706, 46


def stacked(chart: StackedBars) -> str:
    """The SVG of stacked bars."""
    scale = draw.scale(chart.x, _STACKS_LEFT, _STACKS_RIGHT)
    bottom = _STACKS_TOP + _NEXT_STACK * len(chart.bars)
    height = bottom + (92 if chart.limit else 74)
    elements = [draw.axis_across(chart.x, _STACKS_LEFT, _STACKS_RIGHT, _STACKS_TOP - 8, bottom)]
    for number, bar in enumerate(chart.bars):
        elements += _stack(bar, _STACKS_TOP + _NEXT_STACK * number, scale, number == 0)
    if chart.limit:
        x = scale.at(chart.limit.value)
        elements.append(draw.line(x, _STACKS_TOP - 8, x, bottom + 22, draw.RED, "8 4", "1.5"))
        elements.append(draw.text(x, bottom + 34, chart.limit.label, 200, "middle", draw.RED))
    elements += _legend(chart.parts, height - 34)
    foot = draw.text(draw.MARGIN, height - 12, chart.foot, _LEGEND_ROOM, color=draw.GREY) if chart.foot else ""
    return draw.document(chart, height, [*elements, foot])


def _stack(bar: Bar, y: float, scale: draw.Scale, first: bool) -> Iterator[str]:
    yield draw.text(_STACKS_LEFT - 10, y + 16, bar.label, _STACKS_LEFT - 26, "end", bold=first)
    run = 0.0
    for segment in bar.segments:
        x1, x2 = scale.at(run), scale.at(run + segment.size)
        yield draw.bar(x1, y, x2 - x1, _STACK, _fill(segment.part))
        if x2 - x1 >= _NUMBERED:
            yield _numeral((x1 + x2) / 2, y + 16, segment.part)
        run += segment.size
    if bar.ends is not None:
        x1, x2 = map(scale.at, bar.ends)
        yield draw.line(x1, y + 28, x2, y + 28, draw.INK, thick="1.5")
        yield draw.line(x1, y + 25, x1, y + 31, draw.INK, thick="1.5")
        yield draw.line(x2, y + 25, x2, y + 31, draw.INK, thick="1.5")
    yield draw.text(_BESIDE, y + (11 if bar.faults else 16), bar.text, 186, bold=first)
    if bar.faults:
        yield draw.text(_BESIDE, y + 25, bar.faults, 186, color=draw.RED, size=draw.NUMERAL)


def _legend(parts: tuple[str, ...], y: float) -> Iterator[str]:
    """The number and the name of each part, in one line."""
    wide = total(_KEY + draw.width(label, draw.SIZE) for label in parts)
    slot = _SLOT if wide <= _LEGEND_ROOM else _LEGEND_ROOM / len(parts) - _KEY
    x = float(draw.MARGIN)
    for part, label in enumerate(parts):
        yield draw.bar(x, y - 11, 14, 14, _fill(part))
        yield _numeral(x + 7, y, part)
        yield draw.text(x + 19, y, label, slot, color=draw.GREY)
        x += _KEY + min(draw.width(label, draw.SIZE), slot)


def waterfall(chart: Waterfall) -> str:
    """The SVG of a waterfall."""
    scale = draw.scale(chart.x, _FALLS_LEFT, _FALLS_RIGHT)
    bottom = _FALLS_TOP + _NEXT_FALL * (len(chart.falls) + 1)
    elements = [draw.axis_across(chart.x, _FALLS_LEFT, _FALLS_RIGHT, _FALLS_TOP - 6, bottom)]
    run = 0.0
    for number, fall in enumerate(chart.falls):
        elements += _fall(fall, run, _FALLS_TOP + _NEXT_FALL * number, scale, number)
        run += fall.value
    start, end, y = scale.at(0.0), scale.at(chart.whole.value), bottom - _NEXT_FALL
    elements += [
        draw.text(_FALLS_LEFT - 10, y + 15, chart.whole.label, _FALLS_LEFT - 26, "end", bold=True),
        draw.bar(start, y, end - start, _FALL, draw.INK),
        draw.text(end + 8, y + 15, chart.whole.text, draw.WIDTH - 14 - end, bold=True),
        draw.text(draw.MARGIN, bottom + 36, chart.foot, _LEGEND_ROOM, color=draw.GREY),
    ]
    return draw.document(chart, bottom + 48, elements)


def _fall(fall: Fall, run: float, y: float, scale: draw.Scale, number: int) -> Iterator[str]:
    """A step from where those before it end, and the leader to the next one."""
    reached = run + fall.value
    x1, x2 = scale.at(min(run, reached)), scale.at(max(run, reached))
    lines = draw.wrap(fall.label, _FALLS_LEFT - 26, draw.SIZE)
    for place, words in enumerate(lines):
        below = 15 if len(lines) == 1 else 9 + 14 * place
        yield draw.text(_FALLS_LEFT - 10, y + below, words, _FALLS_LEFT - 26, "end")
    back = fall.value < 0
    yield draw.bar(x1, y, max(x2 - x1, 1), _FALL, draw.INK if back else _fill(number), hollow=back)
    yield draw.text(x2 + 8, y + 15, fall.text, draw.WIDTH - 14 - x2)
    x = scale.at(reached)
    yield draw.line(x, y + _FALL, x, y + _NEXT_FALL, draw.GREY, "2 2")


def _fill(part: int) -> str:
    return draw.FILLS[part % len(draw.FILLS)]


def _numeral(x: float, y: float, part: int) -> str:
    """The number of a part, on its fill."""
    return draw.text(x, y, str(part + 1), 16, "middle", "#ffffff", size=draw.NUMERAL)

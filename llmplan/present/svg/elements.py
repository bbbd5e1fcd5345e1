"""What charts are drawn with: the panel, texts, lines, bars, scales and axes.

Input: records and coordinates in pixels. Output: elements as text, one a line; those that belong together are a group,
which ends with an empty line. Whatever stands in a text, it stays text and within its room. No font is measured: widths
are those of a wide one, so that what fits here fits wherever it is shown. A panel is as wide as a page on a phone, so
that no text gets smaller than 9 pixels there, and is shown larger elsewhere. Colours of texts have a contrast of at
least 4.5:1 on what they stand on. Parts are told apart by lightness, and every other one by hatching too, so that they
are for people who do not see colours, and in print.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from attrs import frozen

from llmplan.escape import visible_line
from llmplan.operations.numbers import total
from llmplan.present.charts.records import Axis, Chart
from llmplan.present.svg.escape import xml
from llmplan.units.format import compact, fixed

WIDTH = 480
MARGIN = 12
SHOWN = 1.3
"""How much larger than its own pixels a panel is shown where there is room."""

SIZE, HEADING, NUMERAL = 12, 14, 12
"""Sizes of fonts: at 368 pixels, the room on a phone of 400, the smallest is 9.2 pixels high."""

_TITLE = 18
"""From one line of a title to the next."""

INK, GREY, LINE, RULE = "#1f2328", "#57606a", "#8c959f", "#e3e7eb"
BLUE, GREEN, RED, VIOLET = "#0969da", "#1a7f37", "#cf222e", "#8250df"
FILLS = ("#024d80", "#98b5de", "#4480bd", "#1366a5", "#c0d0eb", "#6f9ad0", "#e7ecf5", "#023457")
"""A ladder of lightness, 10 apart in L*, in an order in which what mostly stands side by side is far apart."""

_DARK = ("#024d80", "#4480bd", "#1366a5", "#023457")
"""Those on which a text is white."""

_FONTS = "-apple-system, 'Segoe UI', Helvetica, Arial, sans-serif"

_NARROW, _NARROW_EM = frozenset(" !'(),-./:;I[]fijlrt|·"), 0.42
_WIDE_EM = {"M": 1.0, "W": 1.0, "m": 1.0, "w": 0.85, "%": 1.0, "@": 1.0, "…": 1.0, "—": 1.0}
_SMALL_EM, _LARGE_EM, _FULL_EM = 0.645, 0.84, 1.05
_BOLD = 1.1
_CJK = 0x2FFF
"""What comes after this character is as wide as it is high."""


@frozen
class Scale:
    """Where a value lies in pixels, between those of two others."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def scale(axis: Axis, start: float, end: float) -> Scale:
    """That of an axis, for values in base units."""
    low, high = axis.span
    return Scale(low * axis.size, high * axis.size, start, end)


def px(value: float) -> str:
    """A coordinate in tenths of a pixel."""
    return fixed(value, 1).replace(",", "")


def width(text: str, size: float, bold: bool = False) -> float:
    """About how wide a text is at a font size, rather more than less."""
    return total(map(_em, text)) * size * (_BOLD if bold else 1.0)


def fit(text: str, room: float, size: float, bold: bool = False) -> str:
    """As much of a text as has room, with an ellipsis where it is cut."""
    whole = visible_line(text)
    if width(whole, size, bold) <= room:
        return whole
    kept = whole
    while kept and width(kept + "…", size, bold) > room:
        kept = kept[:-1]
    return kept.rstrip() + "…"


def wrap(text: str, room: float, size: float, most: int = 2) -> list[str]:
    """A text in at most so many lines that have room, the last one cut where there are too few."""
    lines: list[str] = []
    for word in visible_line(text).split():
        if lines and (len(lines) == most or width(f"{lines[-1]} {word}", size) <= room):
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return [fit(line, room, size) for line in lines]


def group(elements: Iterable[str]) -> str:
    """Elements that belong together; an empty line where there are none."""
    return "".join(f"{element}\n" for element in elements)


def head(chart: Chart) -> int:
    """Where what stands below the title of a chart begins."""
    return 14 + _TITLE * len(_title(chart))


def _title(chart: Chart) -> list[str]:
    return wrap(chart.title, WIDTH - 2 * MARGIN, HEADING * _BOLD, 3)


def document(chart: Chart, height: float, elements: Iterable[str]) -> str:
    """A chart in its panel, with its title above and its description for those who cannot see it."""
    tall = px(height)
    start = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{px(WIDTH * SHOWN)}" height="{px(height * SHOWN)}" '
        f'viewBox="0 0 {WIDTH} {tall}" role="img" aria-labelledby="title desc" font-family="{_FONTS}" '
        f'font-size="{SIZE}" fill="{INK}">'
    )
    top = (
        start,
        f'<title id="title">{xml(chart.title)}</title>',
        f'<desc id="desc">{xml(chart.alt)}</desc>',
        f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{px(height - 1)}" rx="6" fill="#ffffff" stroke="#d0d7de"/>',
        *(
            text(MARGIN, 22 + _TITLE * row, words, WIDTH - 2 * MARGIN, size=HEADING, bold=True)
            for row, words in enumerate(_title(chart))
        ),
    )
    return "\n".join([group(top), *elements, "</svg>"])


def foot(words: str, y: float) -> list[str]:
    """How to read a chart, in three lines at most, the first at `y`."""
    lines = wrap(words, WIDTH - 2 * MARGIN, SIZE, 3) if words else []
    return [text(MARGIN, y + 15 * row, line, WIDTH - 2 * MARGIN, color=GREY) for row, line in enumerate(lines)]


def foot_height(words: str) -> float:
    return 15.0 * len(wrap(words, WIDTH - 2 * MARGIN, SIZE, 3)) if words else 0.0


def hatches() -> str:
    """The looks of the parts that are hatched."""
    stroke = '<line x1="0" y1="0" x2="0" y2="5" stroke="#ffffff" stroke-width="1.6" stroke-opacity="0.55"/>'
    size = 'width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"'
    patterns = (
        f'<pattern id="hatch{number}" {size}><rect width="5" height="5" fill="{fill}"/>{stroke}</pattern>'
        for number, fill in enumerate(FILLS)
        if number % 2
    )
    return group(["<defs>", *patterns, "</defs>"])


def part(x: float, y: float, width: float, height: float, number: int) -> str:
    """A piece of a bar, in the look of a part that is counted from 0; every other one is hatched."""
    fill = f"url(#hatch{number % len(FILLS)})" if number % 2 else _fill(number)
    place = f'x="{px(x)}" y="{px(y)}" width="{px(width)}" height="{px(height)}"'
    return f'<rect {place} fill="{fill}" stroke="{INK}" stroke-width="0.6"/>'


def numeral(x: float, y: float, number: int) -> str:
    """The number of a part, on its fill."""
    return lettered(x, y, str(number + 1), 18, number)


def lettered(x: float, y: float, words: str, room: float, number: int) -> str:
    """A text on the fill of a part, without its hatching."""
    fill = _fill(number)
    said = text(x, y, words, room, "middle", "#ffffff" if fill in _DARK else INK, size=NUMERAL)
    wide = min(width(words, NUMERAL) + 3, room)
    plate = f'<rect x="{px(x - wide / 2)}" y="{px(y - 11)}" width="{px(wide)}" height="13" fill="{fill}"/>'
    return f"{plate}{said}" if number % 2 else said


def _fill(number: int) -> str:
    return FILLS[number % len(FILLS)]


def text(
    x: float, y: float, words: str, room: float, anchor: str = "start", color: str = "", size: int = SIZE,
    bold: bool = False,
) -> str:  # fmt: skip
    """A text that is cut where it has not so much room."""
    attributes = {
        "text-anchor": anchor if anchor != "start" else "",
        "font-size": str(size) if size != SIZE else "",
        "font-weight": "600" if bold else "",
        "fill": color,
    }
    return f'<text x="{px(x)}" y="{px(y)}"{_said(attributes)}>{xml(fit(words, room, size, bold))}</text>'


def over(x: float, y: float, words: str, room: float, color: str) -> str:
    """A text that ends at `x`, readable over lines."""
    wide = width(fit(words, room, SIZE), SIZE)
    place = f'x="{px(x - wide - 2)}" y="{px(y - 11)}" width="{px(wide + 4)}" height="15"'
    return f'<rect {place} fill="#ffffff" fill-opacity="0.85"/>{text(x, y, words, room, "end", color)}'


def line(x1: float, y1: float, x2: float, y2: float, color: str = LINE, dash: str = "", thick: str = "") -> str:
    attributes = _said({"stroke": color, "stroke-width": thick, "stroke-dasharray": dash})
    return f'<line x1="{px(x1)}" y1="{px(y1)}" x2="{px(x2)}" y2="{px(y2)}"{attributes}/>'


def ends(first: float, last: float, y: float) -> str:
    """A line between two ends, each with a stroke across."""
    strokes = "".join(f"M{px(x)},{px(y - 3)}V{px(y + 3)}" for x in (first, last))
    return f'<path d="M{px(first)},{px(y)}H{px(last)}{strokes}" stroke="{INK}" stroke-width="1.5"/>'


def bar(x: float, y: float, width: float, height: float, fill: str, hollow: bool = False) -> str:
    """A bar; `hollow` for what is taken off."""
    solid = {"fill": fill, "stroke": "#ffffff", "stroke-width": "0.6"}
    look = {"fill": "#ffffff", "stroke": fill, "stroke-dasharray": "3 2"} if hollow else solid
    return f'<rect x="{px(x)}" y="{px(y)}" width="{px(width)}" height="{px(height)}"{_said(look)}/>'


def box(x: float, y: float, width: float, height: float, edge: str) -> str:
    """A white box with an edge, for a text in it."""
    look = _said({"rx": "4", "fill": "#ffffff", "stroke": edge})
    return f'<rect x="{px(x)}" y="{px(y)}" width="{px(width)}" height="{px(height)}"{look}/>'


def axis_across(axis: Axis, left: float, right: float, top: float, bottom: float, first: Iterable[float] = ()) -> str:
    """Numbers below a plot with rules through it, the unit below the last ones.

    Args:
        first: Ticks, in base units, whose numbers are written even where others then have no room.
    """
    place = scale(axis, left, right)
    wanted = {value / axis.size for value in first}
    taken: list[tuple[float, float]] = []
    elements, numbers = [], []
    for tick in sorted(axis.ticks, key=lambda tick: not any(abs(tick - one) <= 1e-9 * abs(one) for one in wanted)):
        x, words = place.at(tick * axis.size), compact(tick)
        half = width(words, SIZE) / 2
        middle = min(max(x, left + half - _ASIDE), right - half + _ASIDE)
        if all(middle + half + 4 <= start or middle - half - 4 >= end for start, end in taken):
            taken.append((middle - half, middle + half))
            numbers.append((middle, words))
            elements.append(line(x, top, x, bottom, RULE))
    elements += [text(x, bottom + 15, words, 110, "middle", GREY) for x, words in sorted(numbers)]
    if axis.unit:
        elements.append(text(right, bottom + 29, axis.unit, right - left, "end", GREY))
    return group(elements)


_ASIDE = 8
"""How far the number of a tick at an end may reach beyond the plot."""


def beside(axis: Axis, least: float) -> float:
    """Where a plot begins that has the numbers of an axis on its left, no further left than `least`."""
    return max(least, MARGIN / 2 + _GAP + max(width(compact(tick), SIZE) for tick in axis.ticks))


_GAP = 8
"""Between the number of a tick and the plot beside it."""


def axis_up(axis: Axis, left: float, right: float, top: float, bottom: float) -> str:
    """Numbers beside a plot with rules through it; the unit stands elsewhere."""
    place = scale(axis, bottom, top)
    elements = []
    for tick in axis.ticks:
        y = place.at(tick * axis.size)
        elements += [line(left, y, right, y, RULE), text(left - _GAP, y + 4, compact(tick), left, "end", GREY)]
    return group(elements)


def _said(attributes: dict[str, str]) -> str:
    """Attributes that have a value, in their order."""
    return "".join(f' {name}="{value}"' for name, value in attributes.items() if value)


def _em(char: str) -> float:
    if char in _NARROW:
        return _NARROW_EM
    if char in _WIDE_EM:
        return _WIDE_EM[char]
    if char.isascii():
        return _SMALL_EM if char.islower() or char.isdigit() else _LARGE_EM
    if unicodedata.east_asian_width(char) in "WF" or ord(char) > _CJK:
        return _FULL_EM
    return _LARGE_EM

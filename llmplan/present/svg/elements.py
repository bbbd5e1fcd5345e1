"""What charts are drawn with: the panel, texts, lines, bars, scales and axes.

Input: records and coordinates in pixels. Output: elements as text, one a line; those that belong together are a group,
which ends with an empty line. Whatever stands in a text, it stays text and within its room. No font is measured: widths
are those of a wide one, so that what fits here fits wherever it is shown. Colours have a contrast of at least 4.5:1 on
white, but for rules, which are thin and grey.
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

WIDTH = 860
MARGIN = 16
SIZE, HEADING, NUMERAL = 12, 15, 11
"""Sizes of fonts."""

INK, GREY, LINE, RULE = "#1f2328", "#57606a", "#8c959f", "#e3e7eb"
BLUE, GREEN, RED, VIOLET = "#0969da", "#1a7f37", "#cf222e", "#8250df"
FILLS = (BLUE, VIOLET, "#1b7c83", "#9a6700", "#bf3989", "#bc4c00", GREY, "#24292f", GREEN, "#953800")

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
    return Scale(axis.ticks[0] * axis.size, axis.ticks[-1] * axis.size, start, end)


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


def document(chart: Chart, height: int, elements: Iterable[str]) -> str:
    """A chart in its panel, with its title above and its description for those who cannot see it."""
    start = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
        f'role="img" aria-labelledby="title desc" font-family="{_FONTS}" font-size="{SIZE}" fill="{INK}">'
    )
    head = (
        start,
        f'<title id="title">{xml(chart.title)}</title>',
        f'<desc id="desc">{xml(chart.alt)}</desc>',
        f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="6" fill="#ffffff" stroke="#d0d7de"/>',
        text(MARGIN, 26, chart.title, WIDTH - 2 * MARGIN, size=HEADING, bold=True),
    )
    return "\n".join([group(head), *elements, "</svg>"])


def text(
    x: float, y: float, words: str, room: float, anchor: str = "start", color: str = "", size: int = SIZE,
    bold: bool = False, halo: bool = False,
) -> str:  # fmt: skip
    """A text that is cut where it has not so much room; `halo`: readable over lines."""
    attributes = {
        "text-anchor": anchor if anchor != "start" else "",
        "font-size": str(size) if size != SIZE else "",
        "font-weight": "600" if bold else "",
        "fill": color,
        **(dict(zip(("stroke", "stroke-width", "paint-order"), ("#ffffff", "3", "stroke"))) if halo else {}),
    }
    return f'<text x="{px(x)}" y="{px(y)}"{_said(attributes)}>{xml(fit(words, room, size, bold))}</text>'


def line(x1: float, y1: float, x2: float, y2: float, color: str = LINE, dash: str = "", thick: str = "") -> str:
    attributes = _said({"stroke": color, "stroke-width": thick, "stroke-dasharray": dash})
    return f'<line x1="{px(x1)}" y1="{px(y1)}" x2="{px(x2)}" y2="{px(y2)}"{attributes}/>'


def bar(x: float, y: float, width: float, height: float, fill: str, hollow: bool = False) -> str:
    """A bar; `hollow` for what is taken off."""
    solid = {"fill": fill, "stroke": "#ffffff", "stroke-width": "0.6"}
    look = {"fill": "#ffffff", "stroke": fill, "stroke-dasharray": "3 2"} if hollow else solid
    return f'<rect x="{px(x)}" y="{px(y)}" width="{px(width)}" height="{px(height)}"{_said(look)}/>'


def box(x: float, y: float, width: float, height: float, edge: str) -> str:
    """A white box with an edge, for a text in it."""
    look = _said({"rx": "4", "fill": "#ffffff", "stroke": edge})
    return f'<rect x="{px(x)}" y="{px(y)}" width="{px(width)}" height="{px(height)}"{look}/>'


def axis_across(axis: Axis, left: float, right: float, top: float, bottom: float) -> str:
    """Numbers below a plot with rules through it, the unit behind the last one."""
    place = scale(axis, left, right)
    elements = []
    for tick in axis.ticks:
        x, last = place.at(tick * axis.size), tick == axis.ticks[-1]
        unit = f" {axis.unit}" if last and axis.unit else ""
        elements.append(line(x, top, x, bottom, RULE))
        words = compact(tick) + unit
        elements.append(text(x + 16 if last else x, bottom + 16, words, 110, "end" if last else "middle", GREY))
    return group(elements)


def axis_up(axis: Axis, left: float, right: float, top: float, bottom: float) -> str:
    """Numbers beside a plot with rules through it; the unit stands elsewhere."""
    place = scale(axis, bottom, top)
    elements = []
    for tick in axis.ticks:
        y = place.at(tick * axis.size)
        elements += [line(left, y, right, y, RULE), text(left - 8, y + 4, compact(tick), 60, "end", GREY)]
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

"""What pictures are drawn with: text that stays text and in its box, round numbers along an axis, fixed decimals.

Input are values and texts of a solution, output pieces of SVG. The same values give the same bytes everywhere: no font
is measured; widths are those of a wide one, so that what fits here fits wherever it is shown.
"""

from __future__ import annotations

import math
import re
import unicodedata
from html import escape

from llmplan.operations.numbers import total
from llmplan.units.format import number
from llmplan.visible import visible_line

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NARROW, _NARROW_EM = frozenset(" !'(),-./:;I[]fijlrt|·"), 0.42
_WIDE_EM = {"M": 1.0, "W": 1.0, "m": 1.0, "w": 0.85, "%": 1.0, "@": 1.0, "…": 1.0, "—": 1.0}
_SMALL_EM, _LARGE_EM, _FULL_EM = 0.645, 0.84, 1.05
_BOLD = 1.1


def xml(text: object) -> str:
    """Text of an element or an attribute, whatever stands in it; what XML cannot hold is a replacement character."""
    return escape(_NO_XML.sub("\ufffd", visible_line(str(text))), quote=True)


def width(text: str, size: float, bold: bool = False) -> float:
    """About how wide a text is at a font size, rather more than less."""
    return total(map(_em, text)) * size * (_BOLD if bold else 1.0)


def fit(text: object, room: float, size: float, bold: bool = False) -> str:
    """As much of a text as has room, with an ellipsis where it is cut."""
    whole = visible_line(str(text))
    if width(whole, size, bold) <= room:
        return whole
    kept = whole
    while kept and width(kept + "…", size, bold) > room:
        kept = kept[:-1]
    return kept.rstrip() + "…"


def wrap(text: object, room: float, size: float, most: int = 2) -> list[str]:
    """A text in at most so many lines that have room, the last one cut where there are too few."""
    lines: list[str] = []
    for word in visible_line(str(text)).split():
        if lines and (len(lines) == most or width(f"{lines[-1]} {word}", size) <= room):
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return [fit(line, room, size) for line in lines]


def px(value: float) -> str:
    """A coordinate in tenths of a pixel."""
    return decimal(value, 1).replace(",", "")


def short(value: float) -> str:
    """A number to three significant digits, counts of millions and more with their magnitude: `27.9`, `1.5T`."""
    for name, size in (("T", 1e12), ("B", 1e9), ("M", 1e6)):
        if abs(value) >= size:
            return f"{number(_round(value / size), 3)}{name}"
    return number(_round(value), 3)


def places(value: float, digits: int = 3) -> int:
    """The decimals that show a number to so many significant digits; others beside it take as many."""
    return max(0, digits - 1 - math.floor(math.log10(abs(value)))) if value and math.isfinite(value) else 0


def decimal(value: float, places: int) -> str:
    """A number with so many decimals, and no negative zero."""
    text = f"{value:,.{places}f}"
    return text.lstrip("-") if not float(text.replace(",", "")) else text


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers from at most `low` to at least `high`, evenly spaced."""
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        high = low + max(abs(low), 1.0)
    rough = (high - low) / max(1, most - 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(
        (factor * power for factor in (1.0, 2.0, 2.5, 5.0, 10.0) if factor * power >= rough * (1 - 1e-9)), 10.0 * power
    )
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [_round(place * step, 12) for place in range(first, last + 1)]


def _em(char: str) -> float:
    if char in _NARROW:
        return _NARROW_EM
    if char in _WIDE_EM:
        return _WIDE_EM[char]
    if char.isascii():
        return _SMALL_EM if char.islower() or char.isdigit() else _LARGE_EM
    if unicodedata.east_asian_width(char) in "WF" or ord(char) > 0x2FFF:
        return _FULL_EM
    return _LARGE_EM


def _round(value: float, digits: int = 3) -> float:
    return float(f"{value:.{digits - 1}e}") if math.isfinite(value) else value


PICTURES = {"width": width, "fit": fit, "wrap": wrap, "ticks": ticks, "places": places}
"""What templates may call to draw."""

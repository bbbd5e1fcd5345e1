"""Numbers as people read them: `29.9 days`, `81.6 GB`, `1T tokens`, `4.04e22 FLOP`."""

from __future__ import annotations

import math
from fractions import Fraction

from llmplan.units.measure import Measure
from llmplan.units.table import UnitTable, UnknownUnit, plural

_TIME = (
    ("year", 730 * 86400.0, 365 * 86400.0),
    ("day", 2 * 86400.0, 86400.0),
    ("hour", 2 * 3600.0, 3600.0),
    ("min", 120.0, 60.0),
    ("s", 1.0, 1.0),
    ("ms", 1e-3, 1e-3),
    ("us", 0.0, 1e-6),
)
_MAGNITUDES = (("T", 1e12), ("B", 1e9), ("M", 1e6))
_LEAST, _MOST = 0.1, 1e5  # numbers in between are read easily
_PREFIXES = (("P", 1e15), ("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3))


def number(value: float, digits: int = 4) -> str:
    """A number with thousands separators, to `digits` significant digits unless it is whole."""
    if not math.isfinite(value):
        return "undefined" if value != value else ("infinity" if value > 0 else "-infinity")
    if value == math.floor(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    magnitude = math.floor(math.log10(abs(value))) if value else 0
    if magnitude >= 15 or magnitude < -4:
        mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
        return f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"
    text = f"{value:,.{max(0, digits - 1 - magnitude)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _scaled(value: float, scales: tuple[tuple[str, float], ...]) -> tuple[str, float]:
    for name, size in scales:
        if abs(value) >= size:
            return name, value / size
    return "", value


def quantity(value: float, measure: Measure, table: UnitTable, unit: str = "") -> str:
    """A value in base units with a readable unit.

    Args:
        value: In base units.
        measure: Its measure.
        table: The units of the program.
        unit: The unit that its declaration or author used. A compound one is kept, a simple one
            too if it is none of the base units and the number is of a size to read; else the unit is
            chosen by the size of the number.
    """
    if not math.isfinite(value):
        return number(value)
    dims = dict(measure.dims)
    if measure.dims in ((("Time", 1),), (("Information", 1),)):
        by_author = _by_author(value, measure, table, unit)
        if by_author is not None:
            return by_author
    if measure.dims == (("Time", 1),) and (not measure.labels or unit in ("", "s")):
        return _time(value)
    if measure.dims == (("Information", 1),):
        name, scaled = _scaled(value, _PREFIXES)
        return f"{number(scaled)} {name}B" if name else f"{number(value)} bytes"
    if measure.dims == (("Compute", 1),):
        name, scaled = _scaled(value, _PREFIXES) if abs(value) < 1e18 else ("", value)
        return f"{number(scaled)} {name}FLOP"
    if measure.dims in ((("Token", 1),), (("Parameter", 1),)):
        magnitude, scaled = _scaled(value, _MAGNITUDES)
        return f"{number(scaled)}{magnitude} {'tokens' if 'Token' in dims else 'parameters'}"
    if not dims and len(measure.labels) == 1 and measure.labels[0][1] == 1:
        label = measure.labels[0][0]
        return f"{number(value)} {label if value == 1 else plural(label)}"
    if measure.plain:
        return number(value)
    shown = unit or table.base(measure)
    try:
        factor, _ = table.parse(shown)
    except UnknownUnit:
        factor = Fraction(1)
    first = shown.split("/")[0].split("*")[0].split("^")[0]
    if first in ("byte", "FLOP", "bit", "W", "J") and shown != first and shown[len(first)] != "^":
        name, scaled = _scaled(_over(value, factor), _PREFIXES)
        bare = "B" if first == "byte" and name else first
        return f"{number(scaled)} {name}{bare}{shown[len(first) :]}"
    return f"{number(_over(value, factor))} {shown}"


def _over(value: float, factor: Fraction) -> float:
    """A value in a unit of some size, which may itself be beyond what a float holds."""
    try:
        return value / float(factor)
    except (OverflowError, ZeroDivisionError):
        pass
    try:
        return float(Fraction(value) / factor) if math.isfinite(value) else value
    except OverflowError:
        return math.copysign(math.inf, value)


def _by_author(value: float, measure: Measure, table: UnitTable, unit: str) -> str | None:
    """A value in the unit that its author chose, a single word, if the number is of a size to read."""
    word = table.words.get(unit)
    if word is None or word.measure != measure or word.factor == 1:
        return None
    scaled = _over(value, word.factor)
    if scaled and not _LEAST <= abs(scaled) < _MOST:
        return None
    text, many = number(scaled), f"{word.name}s"
    return f"{text} {many if text != '1' and many in table.words else word.name}"


def _time(value: float) -> str:
    for name, least, size in _TIME if value else ():
        if abs(value) >= least:
            scaled = number(value / size)
            plural = "s" if name in ("year", "day", "hour") and scaled != "1" else ""
            return f"{scaled} {name}{plural}"
    return "0 s"


def in_unit(value: float, unit: str, table: UnitTable) -> str:
    """A value in base units shown in exactly the unit that was asked for."""
    factor, _ = table.parse(unit)
    scaled = number(_over(value, factor))
    return f"{scaled}%" if unit == "%" else f"{scaled} {unit}"

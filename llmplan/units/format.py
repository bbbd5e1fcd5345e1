"""Numbers as digits: to significant digits, with fixed decimals or a magnitude; and division by a unit's size."""

from __future__ import annotations

import math


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


def over(value: float, factor: float) -> float:
    """A value in a unit of some size, which may exceed the range of a float."""
    return value / factor if factor else math.copysign(math.inf, value)


def fixed(value: float, places: int) -> str:
    """A number with so many decimals, without a negative zero."""
    text = f"{value:,.{places}f}"
    return text.lstrip("-") if not float(text.replace(",", "")) else text


def places(value: float, digits: int = 3) -> int:
    """The number of decimals that show a number to so many significant digits, also for numbers beside it."""
    return max(0, digits - 1 - math.floor(math.log10(abs(value)))) if value and math.isfinite(value) else 0


def compact(value: float, digits: int = 3) -> str:
    """A number to so many significant digits, from a million on with its magnitude: `27.9`, `1.5T`."""
    for name, size in (("T", 1e12), ("B", 1e9), ("M", 1e6)):
        if abs(value) >= size:
            return f"{number(_rounded(value / size, digits), digits)}{name}"
    return number(_rounded(value, digits), digits)


def _rounded(value: float, digits: int) -> float:
    return float(f"{value:.{digits - 1}e}") if math.isfinite(value) else value

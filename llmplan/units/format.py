"""Numbers as digits with thousands separators, and division by the size of a unit."""

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
    """A value in a unit of some size, which may itself be beyond what a float holds."""
    return value / factor if factor else math.copysign(math.inf, value)

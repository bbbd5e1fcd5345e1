"""Amounts from texts, for records that tests make by hand: `amount("29.91 days")`."""

from __future__ import annotations

import re

from llmplan.check import library
from llmplan.units.amount import Amount, Range, Unit
from llmplan.units.measure import Measure, Scalar
from llmplan.units.table import UnknownUnit

_TEXT = re.compile(r"(-?[\d,]*\.?\d+(?:e-?\d+)?)([TBM%]?)(?: (\D.*))?")
_SIZES = {"": 1.0, "T": 1e12, "B": 1e9, "M": 1e6, "%": 0.01}


def amount(text: str, value: Scalar = None) -> Amount:
    """The amount that is written like this; a name is its own text.

    Args:
        value: What it is in base units; else what the text says.
    """
    match = _TEXT.fullmatch(text)
    if match is None or isinstance(value, (bool, str)):
        return Amount(value if value is not None else text)
    digits, suffix, unit = float(match[1].replace(",", "")), match[2], match[3] or ""
    factor, measure = 1.0, Measure()
    try:
        size, measure = library.load()[0].units.parse(unit) if unit else (1, measure)
        factor = float(size)
    except UnknownUnit:
        pass
    factor *= _SIZES[suffix]
    number = digits * factor if value is None else value
    size = number / digits if digits else factor
    return Amount(
        number, measure, Unit(unit, size, True, fixed=True, suffix=suffix, base=library.load()[0].units.base(measure))
    )


def between(text: str) -> Range:
    """`26.6 .. 35.9 days`."""
    low, _, high = text.partition(" .. ")
    unit = high.partition(" ")[2]
    return Range(amount(low if " " in low else f"{low} {unit}"), amount(high))

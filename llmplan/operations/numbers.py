"""Shared by the records: equality of numbers within a tolerance, NaN, and intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import reduce
from operator import add

TOLERANCE = 1e-9
"""Relative tolerance of `==`, `<=` and `>=`; `<` and `>` are strict beyond it."""

Interval = tuple[float, float]
Ranged = tuple[Interval, tuple[Interval, ...]]
"""An interval that contains every value of an operation, and for each argument one that contains its slope."""

EVERYTHING: Interval = (-math.inf, math.inf)
ZERO: Interval = (0.0, 0.0)
ONE: Interval = (1.0, 1.0)
NOWHERE: Interval = (math.nan, math.nan)
"""The values of an operation that may have none inside the box."""


def close(a: float, b: float) -> bool:
    """Whether two numbers are equal for the language; infinity, which stands for a number too large, equals nothing."""
    size = max(abs(a), abs(b))
    return (a == b or abs(a - b) <= TOLERANCE * size) and size < math.inf


def defined(function: Callable[..., float]) -> Callable[..., float]:
    """The function with NaN where Python raises."""

    def safe(*args: float) -> float:
        try:
            return function(*args)
        except (ZeroDivisionError, ValueError, OverflowError):
            return math.nan

    return safe


def each(function: Callable[[float], float], a: Interval) -> Interval:
    """A function applied to the two ends."""
    return function(a[0]), function(a[1])


def _product(a: float, b: float) -> float:
    return 0.0 if a == 0.0 or b == 0.0 else a * b  # 0 times infinity is 0 here


def times(a: Interval, b: Interval) -> Interval:
    corners = [_product(x, y) for x in a for y in b]
    return min(corners), max(corners)


def plus(a: Interval, b: Interval) -> Interval:
    low, high = a[0] + b[0], a[1] + b[1]
    return (-math.inf if low != low else low), (math.inf if high != high else high)


def minus(a: Interval) -> Interval:
    return -a[1], -a[0]


def hull(*parts: Interval) -> Interval:
    return min(part[0] for part in parts), max(part[1] for part in parts)


def reciprocal(a: Interval) -> Interval:
    """`NOWHERE` if 0 lies inside; infinite at an end that is 0."""
    low, high = a
    if low < 0.0 < high or low == high == 0.0:
        return NOWHERE
    return (1 / high if high else -math.inf), (1 / low if low else math.inf)


def rising(
    function: Callable[[float], float], slope: Callable[[float], float], start: float = -math.inf
) -> Callable[[Interval], Ranged]:
    """The rule of a rising function whose slope is itself monotone; `start` is where it begins to have values."""
    slope = defined(slope)

    def rule(a: Interval) -> Ranged:
        if a[0] < start:
            return NOWHERE, (EVERYTHING,)
        (low, high), steep = each(function, a), each(slope, a)
        ends = [math.inf if end != end else end for end in steep]
        value = (-math.inf if low != low else low), (math.inf if high != high else high)
        return value, ((min(ends), max(ends)),)

    return rule


def total(numbers: Iterable[float]) -> float:
    """Their sum in order: `sum` rounds differently from Python 3.12 on, and an answer must not."""
    return reduce(add, numbers, 0.0)

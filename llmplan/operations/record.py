"""What an operation of the language is: one frozen record, which every stage reads instead of a table of its own.

The checker reads the unit rule, the graph the function on numbers, the search the one on arrays, ranges
and proofs of direction the one on intervals, sensitivities the slope at a point, closed forms the
inverse, the reference the LaTeX. Neither numpy nor sympy is imported here: a function of theirs is
named, or takes the module as its first argument.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol

from attrs import frozen

from llmplan.units.measure import Measure

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


class Algebra(Protocol):
    """Where an inverse is built: the graph, or expressions of sympy."""

    def add(self, op: str, *args: Any) -> Any: ...
    def const(self, value: float) -> Any: ...


Undo = Callable[[Algebra, Any, Any], Any]
"""An argument of an operation, from the operation's value and the other argument, if it has two."""


@frozen
class UnitRule:
    """What measures the arguments of a function may have, and which its value has.

    Attributes:
        result: The measure of the value by that of the argument; None where the argument will not
            do. Where there is no function, the value has the measure of the first argument.
        wants: What an argument that will not do should have been.
        alike: How arguments meet that must be of one measure; there may be any number of them.
        remainder: Whether labels may differ between two arguments of one dimension.
        keeps_unit: Whether the value is shown in the unit of the argument.
    """

    result: Callable[[Measure], Measure | None] | None = None
    wants: str = ""
    alike: str = ""
    remainder: bool = False
    keeps_unit: bool = False


@frozen
class Operation:
    """One operation.

    Attributes:
        name: As the graph calls it, and the language too where there is a unit rule.
        arity: How many arguments it has.
        scalar: On single numbers; NaN where it has no value.
        array: The same on arrays: a function of numpy by its name, or one that is given numpy first.
        interval: On intervals, none of which is NaN: what contains its values and slopes; the values are
            `NOWHERE` if it may have none inside. The sign of a slope is the direction of an argument.
        move: How fast the value begins to change, from the arguments and how fast they do; of a
            truth value 1 if it turns. None where the slopes of `interval` at a point say it.
        inverse: For each argument how it is found from the value; empty if it cannot be.
        neutral: For each argument the number beside which the other one is the value.
        algebra: On expressions of sympy: an operator, or the name of a function there; None if it has no such.
        zero_at_zero: Whether it is 0 where its argument is, and only there.
        truths: Whether `array` takes truth values as they are, not as numbers.
        tabled: Whether the functions take a table of numbers before the arguments.
        units: How a call is checked; None if there is a sign or a word for it instead.
        latex: What stands before and behind the arguments; without it the name does.
    """

    name: str
    arity: int
    scalar: Callable[..., float]
    array: str | Callable[..., Any]
    interval: Callable[..., Ranged]
    move: Callable[..., float] | None = None
    inverse: tuple[Undo | None, ...] = ()
    neutral: tuple[float | None, ...] = ()
    algebra: str | Callable[..., Any] | None = None
    zero_at_zero: bool = False
    truths: bool = False
    tabled: bool = False
    units: UnitRule | None = None
    latex: tuple[str, str] | None = None


def close(a: float, b: float) -> bool:
    """Whether two numbers are equal for the language."""
    # Without the upper bound infinity would be close to every number.
    return a == b or abs(a - b) <= TOLERANCE * max(abs(a), abs(b)) < math.inf


def meet(a: float, b: float) -> bool:
    """The same, with infinity close to every number: where branches meet."""
    return a == b or abs(a - b) <= TOLERANCE * max(abs(a), abs(b))


def partial(function: Callable[..., float]) -> Callable[..., float]:
    """The function with NaN where Python raises."""

    def safe(*args: float) -> float:
        try:
            return function(*args)
        except (ZeroDivisionError, ValueError, OverflowError):
            return math.nan

    return safe


def whole_part(a: Any) -> Any:
    """What was rounded to a whole number on arrays: NaN where it is infinite, as there is no such number."""
    return a + (a - a)


# Intervals


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
    slope = partial(slope)

    def rule(a: Interval) -> Ranged:
        if a[0] < start:
            return NOWHERE, (EVERYTHING,)
        low, high = function(a[0]), function(a[1])
        ends = [math.inf if end != end else end for end in map(slope, a)]
        value = (-math.inf if low != low else low), (math.inf if high != high else high)
        return value, ((min(ends), max(ends)),)

    return rule

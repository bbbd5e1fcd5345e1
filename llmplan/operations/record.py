"""An operation of the language: one frozen record, which every stage reads instead of a table of its own.

The checker reads the unit rule, the graph the function on numbers, the search the one on arrays, ranges
and proofs of direction the one on intervals, sensitivities the slope at a point, closed forms the
inverse, the reference the LaTeX. Neither numpy nor sympy is imported here: a function of theirs is
named, or takes the module as its first argument.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from attrs import frozen

from llmplan.operations.numbers import Ranged
from llmplan.units.measure import Measure


class Algebra(Protocol):
    """Where an inverse is built: the graph, or expressions of sympy."""

    def add(self, op: str, *args: Any) -> Any: ...
    def const(self, value: float) -> Any: ...


Undo = Callable[[Algebra, Any, Any], Any]
"""An argument of an operation, from the operation's value and the other argument, if it has two."""


@frozen
class UnitRule:
    """The measures that the arguments of a function may have, and that of its value.

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
        positive: Whether it is never negative, though the inverse takes negative numbers.
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
    positive: bool = False
    truths: bool = False
    tabled: bool = False
    units: UnitRule | None = None
    latex: tuple[str, str] | None = None

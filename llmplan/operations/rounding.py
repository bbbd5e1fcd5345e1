"""Whole numbers: rounding, remainders, and tests for whole numbers and for NaN.

To a sensitivity rounding counts as smooth: of `ceil(tokens / batch)` the slope along `tokens` is that
of the quotient.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from llmplan.operations.arithmetic import divide
from llmplan.operations.numbers import (
    EVERYTHING,
    NOWHERE,
    ONE,
    TOLERANCE,
    ZERO,
    Interval,
    Ranged,
    close,
    defined,
    hull,
    rising,
)
from llmplan.operations.record import Operation, UnitRule
from llmplan.units.measure import Measure


def _rounds(a: Any) -> Any:
    return a + (a - a)  # NaN where it is infinite: there is no such whole number


def _floor(x: float) -> float:
    return math.floor(x + abs(x) * TOLERANCE)


def _floors(np: Any, a: Any) -> Any:
    return _rounds(np.floor(a + np.abs(a) * TOLERANCE))


def _rounded(name: str, function: Any, array: Any, latex: tuple[str, str] | None) -> Operation:
    def counted(measure: Measure) -> Measure | None:
        return None if measure.dims else Measure((), measure.labels, whole=True)

    scalar = defined(function)
    steps = rising(scalar, lambda x: 0.0)

    def interval(a: Interval) -> Ranged:
        value, _ = steps(a)
        return value, (ZERO if value[0] == value[1] else (0.0, math.inf),)

    return Operation(
        name, 1, scalar, array, interval, move=lambda args, moves: moves[0], latex=latex,
        units=UnitRule(counted, "a number without a dimension", keeps_unit=True),
    )  # fmt: skip


def _mod(a: float, b: float) -> float:
    return a - b * _floor(a / b)


def _mods(np: Any, a: Any, b: Any) -> Any:
    return a - b * _floors(np, divide(np, a, b))


def _remainder(a: Interval, b: Interval) -> Ranged:
    (low, high), d = a, b[0]
    if d <= 0.0 <= b[1]:
        return NOWHERE, (EVERYTHING, EVERYTHING)
    if d == b[1] and d > 0.0:
        if math.isfinite(low) and math.isfinite(high) and _floor(low / d) == _floor(high / d):
            return (_mod(low, d), _mod(high, d)), (ONE, ZERO)
        return (0.0, d), (EVERYTHING, ZERO)
    return hull(ZERO, b), (EVERYTHING, EVERYTHING)


def _remains(args: Sequence[float], moves: Sequence[float]) -> float:
    return moves[0] - (math.floor(args[0] / args[1]) * moves[1] if moves[1] else 0.0)


def _whole(a: float) -> float:
    return float(math.isfinite(a) and close(a, math.floor(a + 0.5)))


def _wholes(np: Any, a: Any) -> Any:
    nearest = np.floor(a + 0.5)
    return np.isfinite(a) & (
        (a == nearest) | (np.abs(a - nearest) <= TOLERANCE * np.maximum(np.abs(a), np.abs(nearest)))
    )


def _is_whole(a: Interval) -> Ranged:
    return ((_whole(a[0]),) * 2, (ZERO,)) if a[0] == a[1] else ((0.0, 1.0), (EVERYTHING,))


def _is_finite(a: Interval) -> Ranged:
    # An infinite end is a pole at an end of the box, or a box without end: no value between is infinite.
    return (ONE if all(map(math.isfinite, a)) else (0.0, 1.0)), (ZERO,)


OPERATIONS = (
    # Float noise must not lift 0.1 * 3 * 10 to the next whole number.
    _rounded(
        "ceil",
        lambda a: math.ceil(a - abs(a) * TOLERANCE),
        lambda np, a: _rounds(np.ceil(a - np.abs(a) * TOLERANCE)),
        (r"\left\lceil ", r" \right\rceil"),
    ),
    _rounded("floor", _floor, _floors, (r"\left\lfloor ", r" \right\rfloor")),
    _rounded("round", lambda a: math.floor(a + 0.5), lambda np, a: _rounds(np.floor(a + 0.5)), None),
    Operation("mod", 2, defined(_mod), _mods, _remainder, move=_remains, units=UnitRule(remainder=True)),
    Operation("whole", 1, _whole, _wholes, _is_whole),
    Operation("finite", 1, lambda a: float(math.isfinite(a)), "isfinite", _is_finite),
)

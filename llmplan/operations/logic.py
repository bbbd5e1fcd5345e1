"""Comparisons and what joins them: operations whose values are 1, 0 or none."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from llmplan.operations.numbers import EVERYTHING, ONE, TOLERANCE, ZERO, Interval, Ranged, close, minus
from llmplan.operations.record import Operation

_UP: Interval = (0.0, math.inf)


def truth(a: Any) -> Any:
    """True where an array is 1; 0 and NaN are False."""
    return a if a.dtype == bool else a == 1.0


def without(np: Any, absent: Any, values: Any) -> Any:
    """An array with NaN where it has no value."""
    return np.where(absent, np.nan, values) if absent.any() else values


def _near(np: Any, a: Any, b: Any) -> Any:
    scale = TOLERANCE * np.maximum(np.abs(a), np.abs(b))
    # Infinity, which stands for a number too large, equals nothing.
    return ((a == b) | (np.abs(a - b) <= scale)) & (scale < np.inf)


def _comparison(
    name: str,
    scalar: Callable[[float, float], float],
    array: Callable[..., Any],
    turns: Callable[[float, float], bool],
    slopes: tuple[Interval, Interval] | None = None,
) -> Operation:
    """`turns`: whether moves of two equal arguments change the answer; `slopes`: for a monotone comparison."""

    def interval(a: Interval, b: Interval) -> Ranged:
        corners = {scalar(x, y) for x in a for y in b}
        single = a[0] == a[1] and b[0] == b[1]
        apart = a[1] < b[0] or b[1] < a[0]
        if len(corners) == 1 and (slopes is not None or single or apart):
            value = corners.pop()
            return (value, value), (ZERO, ZERO)
        return (0.0, 1.0), slopes or (EVERYTHING, EVERYTHING)

    def move(args: Sequence[float], moves: Sequence[float]) -> float:
        return float(close(*args) and turns(*moves))

    return Operation(name, 2, scalar, array, interval, move=move)


def _joined(name: str, scalar: Callable[[float, float], float], array: Callable[..., Any], pick: Any) -> Operation:
    def interval(a: Interval, b: Interval) -> Ranged:
        low, high = pick(a[0], b[0]), pick(a[1], b[1])
        return (low, high), (ZERO if low == high else _UP,) * 2

    return Operation(name, 2, scalar, array, interval, move=_turned(scalar), truths=True)


def _turned(scalar: Callable[..., float]) -> Callable[[Sequence[float], Sequence[float]], float]:
    """Whether a truth value turns where those that it is made of do."""

    def move(args: Sequence[float], moves: Sequence[float]) -> float:
        return float(scalar(*(float(arg != turn) for arg, turn in zip(args, moves))) != scalar(*args))

    return move


def _not(a: float) -> float:
    return math.nan if a != a else float(a == 0.0)


def _nots(np: Any, a: Any) -> Any:
    return ~a if a.dtype == bool else np.where(np.isnan(a), np.nan, a == 0.0)


_GROWS = minus(_UP), _UP
EQUATIONS = (
    _comparison("eq", lambda a, b: float(close(a, b)), _near, lambda a, b: a != b),
    _comparison(
        "ne", lambda a, b: float(a == a and b == b and a != b and not close(a, b)),
        lambda np, a, b: ~(np.isnan(a) | np.isnan(b) | (a == b) | _near(np, a, b)), lambda a, b: a != b,
    ),
    _comparison(
        "lt", lambda a, b: float(a < b and not close(a, b)),
        lambda np, a, b: (a < b) & ~_near(np, a, b), lambda a, b: a < b, _GROWS,
    ),
    _comparison(
        "le", lambda a, b: float(a < b or close(a, b)),
        lambda np, a, b: (a < b) | _near(np, a, b), lambda a, b: a > b, _GROWS,
    ),
)  # fmt: skip

OPERATIONS = (
    *EQUATIONS,
    _joined("and", lambda a, b: float(bool(a == 1.0 and b == 1.0)), lambda np, a, b: truth(a) & truth(b), min),
    _joined("or", lambda a, b: float(bool(a == 1.0 or b == 1.0)), lambda np, a, b: truth(a) | truth(b), max),
    Operation("not", 1, _not, _nots, lambda a: ((1.0 - a[1], 1.0 - a[0]), (minus(ONE),)), _turned(_not), truths=True),
)

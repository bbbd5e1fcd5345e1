"""Operations that take one of several: the least, the greatest, a branch, a row of a table.

To a sensitivity, where two branches meet, as they do on the stages of a pipeline that hold the same,
the one counts that is taken next.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from llmplan.operations.logic import truth, without
from llmplan.operations.numbers import EVERYTHING, NOWHERE, ONE, ZERO, Interval, Ranged, close, hull, minus
from llmplan.operations.record import Operation, UnitRule

_SOME: Interval = (0.0, 1.0)


def _extreme(name: str, pick: Any, array: str) -> Operation:
    least = name == "min"

    def scalar(a: float, b: float) -> float:
        return math.nan if a != a or b != b else float(pick(a, b))

    def interval(a: Interval, b: Interval) -> Ranged:
        value = pick(a[0], b[0]), pick(a[1], b[1])
        if a[1] < b[0]:
            return value, (ONE, ZERO) if least else (ZERO, ONE)
        if b[1] < a[0]:
            return value, (ZERO, ONE) if least else (ONE, ZERO)
        return value, (_SOME, _SOME)

    def move(args: Sequence[float], moves: Sequence[float]) -> float:
        if not close(*args):
            return moves[0] if (args[0] < args[1]) == least else moves[1]
        return math.nan if any(map(math.isnan, moves)) else float(pick(moves))

    return Operation(
        name, 2, scalar, array, interval, move=move,
        units=UnitRule(alike="compared"), latex=(rf"\{name}\left( ", r" \right)"),
    )  # fmt: skip


def _absolute(a: Interval) -> Ranged:
    low, high = a
    if low >= 0.0:
        return a, (ONE,)
    if high <= 0.0:
        return minus(a), (minus(ONE),)
    return (0.0, max(-low, high)), ((-1.0, 1.0),)


def _turns_back(args: Sequence[float], moves: Sequence[float]) -> float:
    return abs(moves[0]) if args[0] == 0.0 else math.copysign(1.0, args[0]) * moves[0]


def _select(c: float, a: float, b: float) -> float:
    return math.nan if c != c else (a if c == 1.0 else b)


def _selects(np: Any, c: Any, a: Any, b: Any) -> Any:
    chosen = np.where(truth(c), a, b)
    return chosen if c.dtype == bool else without(np, np.isnan(c), chosen)


def _branch(c: Interval, a: Interval, b: Interval) -> Ranged:
    """A branch may be `NOWHERE`: the values are those of the other one then."""
    if c == ONE:
        return a, (ZERO, ONE, ZERO)
    if c == ZERO:
        return b, (ZERO, ZERO, ONE)
    branches = [branch for branch in (a, b) if branch[0] == branch[0]]
    value = hull(*branches) if branches and c[0] == c[0] else NOWHERE
    return value, (EVERYTHING, _SOME, _SOME)


def _switches(args: Sequence[float], moves: Sequence[float]) -> float:
    here, there = (1, 2) if args[0] == 1.0 else (2, 1)
    if not moves[0]:
        return moves[here]
    return moves[there] if close(args[here], args[there]) else math.nan


def _row(table: Sequence[float], index: float) -> float:
    """`table[index]`; NaN outside."""
    return table[int(index)] if 0 <= index < len(table) else math.nan


def _rows(np: Any, table: Sequence[float], index: Any) -> Any:
    inside = (index >= 0) & (index < len(table))
    place = np.where(inside, index, len(table))
    return np.array([*table, math.nan])[place.astype(np.intp)]


def _some_rows(table: Sequence[float], a: Interval) -> Ranged:
    entries = [y for i, y in enumerate(table) if a[0] <= i <= a[1] and y == y]
    if not entries:
        return NOWHERE, (EVERYTHING,)
    return (min(entries), max(entries)), (ZERO if len(entries) == 1 else EVERYTHING,)


def _halves(table: Sequence[float]) -> tuple[Sequence[float], Sequence[float]]:
    half = len(table) // 2
    return table[:half], table[half:]


def _between(table: Sequence[float], x: float) -> float:
    """Linear between the points, clamped at the ends. `table` holds the xs, then the ys."""
    xs, ys = _halves(table)
    if x != x:
        return math.nan
    if x <= xs[0]:
        return ys[0]
    for left, right, low, high in zip(xs, xs[1:], ys, ys[1:]):
        if x <= right:
            return low + (high - low) * (x - left) / (right - left)
    return ys[-1]


def _betweens(np: Any, table: Sequence[float], x: Any) -> Any:
    xs, ys = map(np.array, _halves(table))
    if len(xs) == 1:
        return np.where(np.isnan(x), np.nan, ys[0])
    right = np.clip(np.searchsorted(xs, x, side="left"), 1, len(xs) - 1)
    left = right - 1
    inner = ys[left] + (ys[right] - ys[left]) * (x - xs[left]) / (xs[right] - xs[left])
    return np.where(x <= xs[0], ys[0], np.where(x > xs[-1], ys[-1], inner))


def _along(table: Sequence[float], a: Interval) -> Ranged:
    xs, ys = _halves(table)
    low, high = a
    inner = [y for x, y in zip(xs, ys) if low <= x <= high]
    values = [_between(table, low), _between(table, high), *inner]
    slopes = [0.0] if low < xs[0] or high > xs[-1] else []
    for left, right, p, q in zip(xs, xs[1:], ys, ys[1:]):
        if left <= high and right >= low:
            slopes.append((q - p) / (right - left))
    return (min(values), max(values)), ((min(slopes), max(slopes)) if slopes else ZERO,)


def _goes_on(table: Sequence[float], args: Sequence[float], moves: Sequence[float]) -> float:
    xs, ys = _halves(table)
    for left, right, low, high in zip(xs, xs[1:], ys, ys[1:]):
        if left <= args[0] < right if moves[0] > 0.0 else left < args[0] <= right:
            return moves[0] * (high - low) / (right - left)
    return 0.0


OPERATIONS = (
    _extreme("min", min, "minimum"),
    _extreme("max", max, "maximum"),
    Operation(
        "abs", 1, abs, "abs", _absolute, move=_turns_back, zero_at_zero=True,
        units=UnitRule(), latex=(r"\left\lvert ", r" \right\rvert"),
    ),
    Operation("select", 3, _select, _selects, _branch, move=_switches, truths=True),
    Operation("table", 1, _row, _rows, _some_rows, move=lambda table, args, moves: 0.0, tabled=True),
    Operation("interpolate", 1, _between, _betweens, _along, move=_goes_on, tabled=True),
)  # fmt: skip

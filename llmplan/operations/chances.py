"""Probabilities: the distribution of measured values, sums of independent deviations, and integrals over events.

A measured quantity with a band lies between two factors of the computed one in eight cases of ten. The logarithm of
the factor follows Student's t with 4 degrees of freedom on each side of its median, which is 0, scaled so that the
ends of the band are its 10 % and 90 % points.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Protocol

from llmplan.operations.numbers import EVERYTHING, ZERO, Interval, Ranged, total
from llmplan.operations.record import Operation

TENTH = 1.5332062740589438
"""The 90 % point of Student's t with 4 degrees of freedom."""

MIDPOINTS = 64
"""The points of the mean over the narrower one of two deviations."""

POINTS = 509
"""The points of the mean over all deviations but the widest, if there are more than two."""

STEP = 1e-4
"""The relative step of the difference quotients of a probability."""


class Integral(Protocol):
    """What an `integral` node computes from the values that it depends on."""

    @property
    def unbounded(self) -> bool:
        """Whether it is a value of any size, not a probability."""

    def value(self, args: Sequence[float]) -> float: ...
    def values(self, args: Sequence[Any]) -> Any: ...


QUANTILE = 2**14
"""The points at which a quantile is evaluated."""


def below(z: float) -> float:
    """The share of Student's t with 4 degrees of freedom below a value."""
    if math.isinf(z):
        return float(z > 0.0)
    a = z / math.sqrt(4.0 + z * z)
    return 0.5 + 0.75 * (a - a * a * a / 3.0)


def deviate(share: float) -> float:
    """The value of Student's t with 4 degrees of freedom below which a share of it lies."""
    a = 4.0 * share * (1.0 - share)
    if not 0.0 < a < 1.0:
        return 0.0 if a == 1.0 else math.copysign(math.inf, share - 0.5) if a == 0.0 else math.nan
    root = math.sqrt(a)
    return math.copysign(2.0 * math.sqrt(max(0.0, math.cos(math.acos(root) / 3.0) / root - 1.0)), share - 0.5)


def first_primes(count: int) -> list[int]:
    """The first prime numbers, whose roots no small numbers relate."""
    found: list[int] = []
    number = 2
    while len(found) < count:
        if all(number % prime for prime in found):
            found.append(number)
        number += 1
    return found


def shares(dimensions: int, count: int) -> list[tuple[float, ...]]:
    """Points of the unit cube, evenly spread in all coordinates together: the same every time.

    The first coordinate has equal steps; those of the others are square roots of primes.
    """
    steps = [1.0 / count, *map(math.sqrt, first_primes(dimensions - 1))]
    return [tuple((0.5 / count + point * step) % 1.0 for step in steps) for point in range(count)]


@lru_cache(maxsize=8)
def _deviates(dimensions: int) -> list[tuple[float, ...]]:
    count = MIDPOINTS if dimensions == 1 else POINTS if dimensions else 1
    return [tuple(map(deviate, point)) for point in (shares(dimensions, count) if dimensions else [()])]


def _together(gap: float, *ends: float) -> float:
    """The probability that deviations do not add up to more than `-gap`.

    Args:
        ends: Of each deviation how far its 90 % and its 10 % point are from the median, neither negative.
    """
    if gap != gap or any(end != end for end in ends):
        return math.nan
    *others, (up, down) = sorted(zip(ends[::2], ends[1::2]), key=lambda pair: pair[0] + pair[1])
    found = []
    for point in _deviates(len(others)):
        rest = -gap - total(t * (ahead if t > 0.0 else back) / TENTH for t, (ahead, back) in zip(point, others))
        scale = up if rest > 0.0 else down
        found.append(below(TENTH * rest / scale) if scale else float(rest >= 0.0))
    return total(found) / len(found)


def _togethers(np: Any, gap: Any, *ends: Any) -> Any:
    gap, *bands = np.broadcast_arrays(gap, *ends)
    stacked = np.stack(bands).reshape((len(bands) // 2, 2, *gap.shape))  # of no points too
    order = np.argsort(stacked.sum(axis=1), axis=0, kind="stable")
    stacked = np.take_along_axis(stacked, order[:, None], axis=0)
    *others, (up, down) = stacked
    points = _deviates(len(others))
    found = np.zeros(gap.shape)
    for point in points:
        rest = -gap
        for t, (ahead, back) in zip(point, others):
            rest = rest - t * (ahead if t > 0.0 else back) / TENTH
        scale = np.where(rest > 0.0, up, down)
        z = np.divide(TENTH * rest, scale)
        a = np.where(np.isinf(z), np.sign(z), z / np.sqrt(4.0 + z * z))
        found = found + np.where(scale == 0.0, rest >= 0.0, 0.5 + 0.75 * (a - a * a * a / 3.0))
    return np.where(np.isnan(gap), np.nan, found / len(points))


def _fall(gap: Interval, *ends: Interval) -> Ranged:
    slopes = ((-math.inf, 0.0), *(ZERO if end[0] == end[1] else EVERYTHING for end in ends))
    if any(end[0] != end[1] for end in ends):
        return (0.0, 1.0), slopes
    numbers = [end[0] for end in ends]
    return (_together(gap[1], *numbers), _together(gap[0], *numbers)), slopes


def _quotient(function: Callable[..., float]) -> Callable[[Sequence[float], Sequence[float]], float]:
    """How fast a smooth function begins to change."""

    def move(args: Sequence[float], moves: Sequence[float]) -> float:
        size = max(abs(arg) for arg in args) or 1.0
        step = STEP * size / max(map(abs, moves))
        there = [[arg + side * step * by for arg, by in zip(args, moves)] for side in (1.0, -1.0)]
        return (function(*there[0]) - function(*there[1])) / (2.0 * step)

    return move


def _integral_moves(table: Integral, args: Sequence[float], moves: Sequence[float]) -> float:
    return _quotient(lambda *values: table.value(values))(args, moves)


OPERATIONS = (
    Operation("together", 3, _together, _togethers, _fall, move=_quotient(_together)),
    Operation(
        "integral", 1, lambda table, *args: table.value(args), lambda np, table, *args: table.values(args),
        lambda table, *args: (EVERYTHING if table.unbounded else (0.0, 1.0), (EVERYTHING,) * len(args)),
        move=_integral_moves, tabled=True,
    ),
)  # fmt: skip

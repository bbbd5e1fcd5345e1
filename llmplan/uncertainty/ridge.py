"""The arithmetic of `llmplan.uncertainty.measured`: a ridge regression of the logarithms of constants on readings.

Input: readings with their slopes, and which constants their runs share. Output: what each reading adds to each
constant.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from attrs import evolve, frozen

SIGMAS = 2.5
"""The width of a prior is so many standard deviations of the logarithm."""

_PARALLEL = 1e-3
"""Up to this share of the largest slope two readings say the same."""


@frozen
class Reading:
    """What was read of a run, or several readings that say the same.

    Attributes:
        run: The number of its run.
        error: The logarithm of what was read over what the library says.
        slopes: Its logarithm's derivatives by the logarithms of the constants.
        noise: The standard deviation of such readings.
    """

    run: int
    error: float
    slopes: tuple[float, ...]
    noise: float


@frozen
class Kernel:
    """Which constants runs share.

    Attributes:
        variances: Of each constant.
        shares: By the quantity that says how far a run is like a plan, its weight; for constants without such a one.
        own: Of each constant the quantity that says it for this one alone, or empty.
    """

    variances: tuple[float, ...]
    shares: Mapping[str, float]
    own: tuple[str, ...]

    def parts(self, number: int) -> Mapping[str, float]:
        """The quantities that say how far a constant is shared, with their weights."""
        return {self.own[number]: 1.0} if self.own[number] else self.shares

    def common(self, first: Sequence[float], second: Sequence[float]) -> dict[str, float]:
        """The covariance of two readings by their slopes, as parts: each holds where their runs are alike in it."""
        found: dict[str, float] = {}
        for number, variance in enumerate(self.variances):
            product = first[number] * second[number] * variance
            for part, weight in self.parts(number).items() if product else ():
                found[part] = found.get(part, 0.0) + weight * product
        return found


Sameness = Mapping[str, tuple[tuple[str, float | None], ...]]
"""Of a run: by quantity with `@alike` the values of what has to be the same."""


def inverse_of(readings: Sequence[Reading], kernel: Kernel, same: Sequence[Sameness]) -> list[list[float]]:
    """The inverse of the covariance of readings."""
    matrix = []
    for first in readings:
        row = []
        for second in readings:
            parts = kernel.common(first.slopes, second.slopes)
            alike = (same[first.run][part] == same[second.run][part] for part in parts)
            row.append(math.fsum(value for value, holds in zip(parts.values(), alike) if holds))
        matrix.append(row)
    for number, reading in enumerate(readings):
        matrix[number][number] += reading.noise**2
    return _inverted(matrix)


def amounts(readings: Sequence[Reading], kernel: Kernel, inverse: Sequence[Sequence[float]]) -> list[list[float]]:
    """Of each constant, by reading, what this adds to the constant's logarithm in a plan that is alike."""
    weights = [math.fsum(entry * one.error for entry, one in zip(row, readings)) for row in inverse]
    return [
        [variance * reading.slopes[number] * weight for reading, weight in zip(readings, weights)]
        for number, variance in enumerate(kernel.variances)
    ]


def _inverted(matrix: Sequence[Sequence[float]]) -> list[list[float]]:
    """The inverse of a positive definite matrix, by elimination."""
    size = len(matrix)
    rows = [[*row, *(float(at == number) for at in range(size))] for number, row in enumerate(matrix)]
    for pivot in range(size):
        rows[pivot] = [value / rows[pivot][pivot] for value in rows[pivot]]
        for number, row in enumerate(rows):
            if number != pivot and row[pivot]:
                rows[number] = [value - row[pivot] * above for value, above in zip(row, rows[pivot])]
    return [row[size:] for row in rows]


def distinct(readings: Sequence[Reading]) -> list[Reading]:
    """Readings of one run, of which several that say the same, as a time and a rate, are one: their mean."""
    groups: list[list[Reading]] = []
    for one in readings:
        turned = one
        if next((slope for slope in one.slopes if slope), 0.0) < 0.0:
            turned = evolve(one, error=-one.error, slopes=tuple(-slope for slope in one.slopes))
        group = next((group for group in groups if _parallel(group[0], turned)), None)
        if group is None:
            groups.append([turned])
        else:
            group.append(turned)
    return [
        evolve(
            group[0], error=math.fsum(one.error for one in group) / len(group), noise=min(one.noise for one in group)
        )
        for group in groups
    ]


def _parallel(first: Reading, second: Reading) -> bool:
    largest = max(map(abs, first.slopes))
    return all(abs(a - b) <= _PARALLEL * largest for a, b in zip(first.slopes, second.slopes))

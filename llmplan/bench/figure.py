"""One measured figure: the median of repetitions after a warm-up, with how far they scatter.

Input: something to be timed, and a clock. Output: figures in base units.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median

from attrs import frozen

WARM_UP = 5
REPETITIONS = 20
STEADY = 0.03
"""A spread above this share is measured again."""

AGAIN = 3
"""How often at most."""


@frozen
class Figure:
    """What was measured: a rate or a time.

    Attributes:
        spread: How far the inner eight tenths of the repetitions are apart, as a share of the median.
        count: Of repetitions.
    """

    value: float
    spread: float
    count: int

    def over(self, work: float) -> Figure:
        """The rate of so much work in this time."""
        return Figure(work / self.value, self.spread, self.count)


def timed(
    run: Callable[[], None],
    seconds: Callable[[Callable[[], None]], float],
    agreed: Callable[[float], float] = lambda spread: spread,
) -> Figure:
    """The time of something, measured again while it scatters.

    Args:
        seconds: Runs it once, to its end, and tells how long that took.
        agreed: The widest spread of all that take part, who have to measure equally often.
    """
    for _ in range(WARM_UP):
        seconds(run)
    best: Figure | None = None
    for _ in range(AGAIN):
        times = sorted(seconds(run) for _ in range(REPETITIONS))
        tenth = len(times) // 10
        middle = median(times)
        figure = Figure(middle, agreed((times[-1 - tenth] - times[tenth]) / middle), len(times))
        if best is None or figure.spread < best.spread:
            best = figure
        if best.spread <= STEADY:
            break
    assert best is not None
    return best


def line(points: list[tuple[float, float]]) -> tuple[float, float]:
    """Latency in seconds and bandwidth in bytes a second of transfers, each its bytes and its seconds.

    Least squares of the relative error, so that small transfers tell the latency and large ones the bandwidth.
    """
    weights = [1 / seconds**2 for _, seconds in points]
    total = sum(weights)
    sizes, times = zip(*points)
    mean_size = sum(w * x for w, x in zip(weights, sizes)) / total
    mean_time = sum(w * y for w, y in zip(weights, times)) / total
    above = sum(w * (x - mean_size) * (y - mean_time) for w, x, y in zip(weights, sizes, times))
    below = sum(w * (x - mean_size) ** 2 for w, x in zip(weights, sizes))
    slope = above / below
    return max(0.0, mean_time - slope * mean_size), 1 / slope

"""Whether verdicts on deadlines come true: published whole runs against deadlines set around their published hours.

Input: published over planned hours of runs by family. Each family is judged by the median and the 80 % band of the
other families, as `run.realised` in plans/std/time.plan would state them without it, at deadlines from a third to three
times the published hours. Output: by verdict, the mean chance that is stated and the share of deadlines that were met;
each family counts as much as any other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from benchmarks.whole_runs import quantile
from llmplan.system.chance import TENTH
from llmplan.uncertainty.bands import LIKELY, SAFE

CLASSES = (("safe", SAFE, math.inf), ("likely", LIKELY, SAFE), ("tight or no", 0.0, LIKELY))
"""Verdicts with the chances that they stand for."""

DEADLINES = [3 ** (step / 10) for step in range(-10, 11)]
"""Deadlines as multiples of the published hours: a run meets those from 1."""


def deadlines(ratios: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Stated chances against deadlines met, by verdict; and how often the bands of the other families hold a run.

    Args:
        ratios: Published over planned hours of the runs of each family.
    """
    judged = [one for name in ratios for one in _judged(name, ratios)]
    classes = []
    for verdict, low, high in CLASSES:
        inside = [one for one in judged if low <= one[0] < high]
        weight = math.fsum(one[2] for one in inside)
        classes.append(
            {
                "verdict": verdict,
                "count": len(inside),
                "stated": math.fsum(one[0] * one[2] for one in inside) / weight,
                "met": math.fsum(one[1] * one[2] for one in inside) / weight,
            }
        )
    return {"classes": classes, "first": DEADLINES[0], "last": DEADLINES[-1]}


def _judged(name: str, ratios: Mapping[str, Sequence[float]]) -> Iterator[tuple[float, bool, float]]:
    """For each run of a family and each deadline: its chance, whether the run met it, and the weight."""
    others = [median(values) for other, values in ratios.items() if other != name]
    middle, low, high = median(others), quantile(others, 0.1), quantile(others, 0.9)
    for ratio in ratios[name]:
        for deadline in DEADLINES:
            spare = math.log(ratio * deadline / middle)
            width = math.log(high / middle) if spare > 0 else math.log(middle / low)
            yield _chance(spare / width), deadline >= 1, 1 / len(ratios[name])


def _chance(spare: float) -> float:
    """The chance of a limit, as `chance` computes it (Student's t with 4 degrees of freedom).

    Args:
        spare: The distance to the limit, in half-widths of the 80 % band.
    """
    z = TENTH * spare
    a = z / math.sqrt(4 + z * z)
    return 0.5 + 0.75 * (a - a**3 / 3)

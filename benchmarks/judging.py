"""How predictions are judged: errors, pairs that are ordered rightly, regret, bands, and which runs belong together.

Takes rows (benchmarks/joined.py) with the logarithms of predicted over measured, and gives figures. Everything here
knows neither who predicted nor how, so that llmplan and other tools are judged by the same functions.

A pair is two rows of one group, model and accelerator whose times per token differ by more than 5 %; equal predictions
count half. Regret is how much slower the layout that would be picked is than the best that was measured, in each cell
of at least three layouts of one model, machine, batch of tokens and precision.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np

from benchmarks.joined import Row

Array = np.ndarray

DATA = Path(__file__).resolve().parent / "data"
CASES = DATA / "cases.jsonl"
"""The published runs that llmplan ships."""

TESTS = "megatron-lm-ci"
APART = 1.05
"""Times that are closer are level: repeats of one configuration scatter by as much."""


def family(group: str) -> str:
    """Groups of one source: what a new stack would not share."""
    for name in ("mbridge", "llmfoundry", "bigscience", "bloom", "nemo-2", "torchtitan", "mlperf", "megatron-lm-ci"):
        if group.startswith(name):
            return name
    return group


def quantiles(errors: Iterable[float]) -> tuple[int, float, float, float]:
    """How many, the median and nine of ten of the sizes of relative errors, and their median with sign."""
    relative = [math.expm1(error) for error in errors]
    sizes = sorted(map(abs, relative))
    if not sizes:
        return 0, math.nan, math.nan, math.nan
    return (
        len(sizes),
        float(np.median(sizes)),
        sizes[min(len(sizes) - 1, int(0.9 * len(sizes)))],
        float(np.median(relative)),
    )


def ordered(rows: Sequence[Row], errors: Sequence[float] | Array) -> dict[str, list[float]]:
    """For each group with pairs, 1 for a pair that is ordered rightly, 0 for one that is not, 0.5 for a tie."""
    right: dict[str, list[float]] = defaultdict(list)
    cells: dict[tuple[str, str, str], list[tuple[float, float]]] = defaultdict(list)
    for row, error in zip(rows, errors):
        if not row.group.startswith(TESTS):
            cells[row.group, row.model, row.gpu].append((row.per_token, row.per_token * math.exp(error)))
    for (group, _, _), found in cells.items():
        for (a, p), (b, q) in combinations(found, 2):
            if abs(math.log(a / b)) > math.log(APART):
                same = abs(p / q - 1) < 1e-9
                right[group].append(0.5 if same else float((a < b) == (p < q)))
    return dict(right)


def pairs(rows: Sequence[Row], errors: Sequence[float] | Array) -> tuple[float, float, float]:
    """Shares of pairs that are ordered rightly: of all, on average over groups, and without vTrain and BLOOM."""
    right = ordered(rows, errors)
    noisy = ("vtrain", "bloom")
    everything = [value for values in right.values() for value in values]
    quiet = [value for group, values in right.items() if not group.startswith(noisy) for value in values]
    if not quiet:
        return (float(np.mean(everything)) if everything else math.nan), math.nan, math.nan
    groups = float(np.mean([np.mean(values) for values in right.values()]))
    return float(np.mean(everything)), groups, float(np.mean(quiet))


def apart(rows: Sequence[Row], errors: Sequence[float] | Array) -> float:
    """The factor between the errors of two rows of one group, model and accelerator, in eight of ten such pairs.

    Each group counts once, however many rows it has; NaN without any pair.
    """
    cells: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for row, error in zip(rows, errors):
        if not row.group.startswith(TESTS):
            cells[row.group, row.model, row.gpu].append(error)
    gaps: dict[str, list[float]] = defaultdict(list)
    for (group, _, _), found in cells.items():
        gaps[group] += [abs(a - b) for a, b in combinations(found, 2)]
    weighed = sorted((gap, 1 / len(values)) for values in gaps.values() for gap in values)
    if not weighed:
        return math.nan
    sums = np.cumsum([weight for _, weight in weighed])
    return math.exp(weighed[int(np.searchsorted(sums, 0.8 * sums[-1]))][0])


def regrets(rows: Sequence[Row], errors: Sequence[float] | Array) -> dict[tuple[object, ...], float]:
    """The regret in each cell of at least three layouts."""
    cells: dict[tuple[object, ...], list[tuple[float, float, tuple[object, ...]]]] = defaultdict(list)
    for row, error in zip(rows, errors):
        if not row.group.startswith(TESTS):
            cells[row.cell].append((row.per_token * math.exp(error), row.per_token, row.layout))
    found = {}
    for cell, values in cells.items():
        if len({layout for _, _, layout in values}) >= 3:
            best = min(measured for _, measured, _ in values)
            found[cell] = min(values)[1] / best - 1
    return found


def regret(rows: Sequence[Row], errors: Sequence[float] | Array) -> tuple[int, float, float, str]:
    """How many cells, the mean and the largest regret, and the cell of the largest."""
    found = regrets(rows, errors)
    if not found:
        return 0, math.nan, math.nan, ""
    value, cell = max((value, str(cell)) for cell, value in found.items())
    return len(found), float(np.mean(list(found.values()))), value, cell


BAND = 0.1, 0.9
"""Quantiles that are stated as a band of eight in ten."""

POWER = -0.5
"""A row counts by this power of the rows of its part: neither a table of many decides alone, nor one of two as much."""


def weights(keys: Array) -> Array:
    """What each row counts, by the part that it belongs to."""
    sizes = Counter(keys.tolist())
    return np.array([sizes[key] ** POWER for key in keys.tolist()])


def band(keys: Array, errors: Array) -> tuple[float, float]:
    """The ends of measured over predicted."""
    order = np.argsort(-errors)
    counts = weights(keys)[order]
    shares = (np.cumsum(counts) - counts / 2) / counts.sum()
    low, high = np.exp(np.interp(BAND, shares, -errors[order]))
    return float(low), float(high)


def covered(keys: Array, errors: Array) -> float:
    """The share of rows within the band that all other parts' errors give."""
    inside = []
    for part in sorted(set(keys)):
        low, high = band(keys[keys != part], errors[keys != part])
        inside += [low <= ratio <= high for ratio in np.exp(-errors[keys == part])]
    return float(np.mean(inside))

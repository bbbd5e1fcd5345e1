"""Why nothing is feasible: a second pass that looks at every condition on every candidate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import numpy as np

from llmplan.operations.logic import truth
from llmplan.solve import pool
from llmplan.solve.discrete.grid import GridEvaluator
from llmplan.solve.discrete.loop_order import PORTION
from llmplan.solve.discrete.search import axes_of, point_at
from llmplan.solve.effort import ENDLESS, Effort
from llmplan.solve.order import Found, costs_of, pick, score_of
from llmplan.solve.outcome import Conflict
from llmplan.solve.vector import Array
from llmplan.system.evaluate import evaluate
from llmplan.system.system import Condition, System

_ENUMERATED = 3
"""Sets up to this size are tried one by one; beyond it an irreducible set has to do."""

_ORIGINS = ("plan", "used", "library", "type", "domain")


def diagnose(
    system: System, requirements: Sequence[Condition], effort: Effort = ENDLESS, portion: int = PORTION
) -> Conflict:
    """Counts, a smallest conflicting set and the nearest point of a system without a feasible point.

    Args:
        system: Its continuous unknowns must not be reached by what is evaluated here.
        requirements: What must hold.
        effort: Whom to tell; bounds do not matter.
        portion: See `llmplan.solve.discrete.search.search`.
    """
    scan = _Scan(system, requirements, portion)
    met = [0] * len(requirements)
    patterns: Counter[int] = Counter()
    nearest: Found | None = None
    taken = 0

    def take(found: tuple[list[int], Counter[int], Found]) -> bool:
        nonlocal nearest, taken
        for number, count in enumerate(found[0]):
            met[number] += count
        patterns.update(found[1])
        if nearest is None or found[2].better_than(nearest):
            nearest = found[2]
        taken += 1
        effort.tell(scan.points * taken // len(scan.parts), scan.points, "layouts")
        return False

    pool.run(scan, len(scan.parts), take)
    assert nearest is not None
    return conflict_of(system, requirements, met, patterns, point_at(system, nearest.places))


class _Scan:
    """Every requirement on every candidate, in parts. It can be pickled, and is then set up anew."""

    def __init__(self, system: System, requirements: Sequence[Condition], portion: int) -> None:
        self._arguments = (system, requirements, portion)
        self._system = system
        self._requirements = requirements
        sides = [
            side
            for c in requirements
            if c.left is not None and c.right is not None
            for side in (c.left, c.right)
        ]
        judged = [c.node for c in (*requirements, *system.preferences)]
        self._sweep = GridEvaluator(
            system.graph, axes_of(system, {}), (), judged + sides + [o.node for o in system.objectives]
        )
        self.points = sum(self._sweep.points(step) for step in self._sweep.slices)
        self.parts = self._sweep.parts(portion)

    def __reduce__(self) -> tuple[type[_Scan], tuple[object, ...]]:
        return _Scan, self._arguments

    def part(self, number: int) -> tuple[list[int], Counter[int], Found]:
        """How many candidates meet each requirement, which fail together, and the nearest candidate."""
        met = [0] * len(self._requirements)
        patterns: Counter[int] = Counter()
        nearest: Found | None = None
        part = self.parts[number]
        for block in self._sweep.blocks(part.fixed, part.run):
            failed = failures(block.values, self._requirements, block.count)
            for place, array in enumerate(failed):
                met[place] += block.count - int(np.count_nonzero(array))
            patterns.update(failure_patterns(failed, block.count))
            costs = [
                *nearness(block.values, self._requirements, failed, block.count),
                -score_of(block.values, self._system.preferences),
                *costs_of(block.values, self._system.objectives),
            ]
            found = pick(self._sweep, block, np.zeros(()), costs)
            if nearest is None or found.better_than(nearest):
                nearest = found
        assert nearest is not None
        return met, patterns, nearest


def conflict_of(
    system: System,
    requirements: Sequence[Condition],
    met: Sequence[int],
    patterns: Counter[int],
    nearest: dict[int, float],
) -> Conflict:
    """Puts the diagnosis together.

    Args:
        system: The system.
        requirements: What was required.
        met: How many candidates meet each of them.
        patterns: How many candidates fail which of them, as bit masks.
        nearest: The nearest point.
    """
    values = evaluate(system.graph, nearest, [c.node for c in requirements])
    return Conflict(
        tuple(met),
        tuple(number for number, count in enumerate(met) if count == 0),
        smallest_conflict(requirements, patterns),
        nearest,
        tuple(number for number, c in enumerate(requirements) if values[c.node] != 1.0),
        sum(patterns.values()),
    )


def failures(values: Mapping[int, Array], requirements: Sequence[Condition], count: int) -> list[Array]:
    """For each requirement at which of `count` points it fails."""
    return [np.broadcast_to(~truth(values[c.node]), count) for c in requirements]


def failure_patterns(failed: Sequence[Array], count: int) -> dict[int, int]:
    """Which sets of conditions fail together, as bit masks, and for how many points."""
    words = []
    for start in range(0, len(failed), 63):
        word = np.zeros(count, np.int64)
        for bit, array in enumerate(failed[start : start + 63]):
            word |= array.astype(np.int64) << bit
        words.append(word)
    if len(words) == 1:
        single, counts = np.unique(words[0], return_counts=True)
        rows = single[:, None]
    else:
        columns, counts = np.unique(np.stack(words), axis=1, return_counts=True)
        rows = columns.T
    return {sum(int(word) << 63 * k for k, word in enumerate(row)): int(n) for row, n in zip(rows, counts)}


def nearness(
    values: Mapping[int, Array], requirements: Sequence[Condition], failed: Sequence[Array], count: int
) -> list[Array]:
    """How many requirements fail at each point, and the sum of their relative violations."""
    number: Array = np.zeros(count)
    distance: Array = np.zeros(count)
    for condition, array in zip(requirements, failed):
        number += array
        distance += array * _relative(values, condition)
    return [number, distance]


def _relative(values: Mapping[int, Array], condition: Condition) -> Array:
    """How far the sides are apart relative to the larger one, at most 1; 1 without two numbers."""
    if condition.left is None or condition.right is None:
        return np.ones(())
    left, right = values[condition.left], values[condition.right]
    with np.errstate(all="ignore"):
        apart = np.abs(left - right) / np.maximum(np.abs(left), np.abs(right))
    return np.where(apart <= 1.0, apart, 1.0)


def smallest_conflict(requirements: Sequence[Condition], patterns: Iterable[int]) -> tuple[int, ...]:
    """A set of conditions that no candidate meets as a whole, and none smaller if it has up to 4.

    Args:
        requirements: In the order of the bits.
        patterns: For each kind of candidate, a bit for every condition that fails.

    Returns:
        Indices in ascending order. Dropping any one lets some candidate meet the rest.
    """
    kinds = list(patterns)
    everything = (1 << len(kinds)) - 1
    met = []
    for number in range(len(requirements)):
        met.append(int("0" + "".join("0" if kind >> number & 1 else "1" for kind in kinds), 2))
    # The author's own requirements are what he can change, so sets of them come first.
    order = sorted(
        (number for number in range(len(met)) if met[number] != everything),
        key=lambda number: _ORIGINS.index(requirements[number].origin),
    )
    kept = list(order)
    for number in reversed(order):
        rest = everything
        for other in kept:
            if other != number:
                rest &= met[other]
        if rest == 0:
            kept.remove(number)
    for size in range(1, min(len(kept) - 1, _ENUMERATED) + 1):
        for some in combinations(order, size):
            rest = everything
            for number in some:
                rest &= met[number]
            if rest == 0:
                return tuple(sorted(some))
    return tuple(sorted(kept))

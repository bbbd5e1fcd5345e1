"""Why no point is feasible: a second pass that evaluates every condition on every candidate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from functools import partial, reduce
from itertools import combinations
from operator import and_

import numpy as np
from attrs import define, field

from llmplan.operations.logic import truth
from llmplan.solve.continuous.scan import LineScan
from llmplan.solve.discrete.grid import GridEvaluator
from llmplan.solve.discrete.loop_order import PORTION, axes_of
from llmplan.solve.effort import ENDLESS, Effort
from llmplan.solve.found import point_at
from llmplan.solve.order import Coordinates, Ranked, best, costs_of
from llmplan.solve.outcome import Conflict
from llmplan.solve.workers import results
from llmplan.system.arrays import Array
from llmplan.system.evaluate import evaluate
from llmplan.system.system import Condition, System

_ENUMERATED = 3
"""Sets up to this size are tried one by one; beyond that the result is an irreducible set, not a smallest one."""

_MOST_CONFLICTS = 4

_ORIGINS = ("plan", "used", "library", "type", "domain")


@define
class Failures:
    """The violations at the candidates of a search, or of a part of it.

    Attributes:
        patterns: The sets of requirements that fail together at some candidate, as bit masks.
        nearest: The candidate that violates the fewest requirements, then the one with the smallest violations; both
            are its first costs.
        partly: Whether a continuous unknown has more jumps than were sampled.
    """

    patterns: set[int] = field(factory=set)
    nearest: Ranked | None = None
    partly: bool = False

    def look(
        self,
        system: System,
        requirements: Sequence[Condition],
        values: Mapping[int, Array],
        coordinates: Coordinates,
        count: int,
    ) -> None:
        """Adds candidates, given the values of their nodes and their coordinates.

        Only those with the fewest violations are compared any further: on a large grid they are few.
        """
        failed = [~truth(values[c.node]) for c in requirements]
        kinds, kind_of = _patterns(failed, count)
        self.patterns.update(kinds)
        fewest = min(map(int.bit_count, kinds))
        if self.nearest is not None and self.nearest.costs[0] < fewest:
            return
        rows = np.flatnonzero(kind_of([kind for kind in kinds if kind.bit_count() == fewest]))

        def here(node: int) -> Array:
            return _at(values[node], rows)

        nodes = [one.node for one in system.preferences] + [one.node for one in system.objectives]
        apart = _apart(here, requirements, [_at(array, rows) for array in failed], len(rows))
        costs = [np.asarray(float(fewest)), apart, *costs_of({node: here(node) for node in nodes}, system)]
        self.join(Failures(set(), best(costs, lambda chosen: coordinates(rows[chosen]), len(rows))[0]))

    def join(self, later: Failures) -> None:
        """Adds the results of a later part."""
        self.patterns |= later.patterns
        self.partly |= later.partly
        if self.nearest is None or later.nearest is not None and later.nearest.better_than(self.nearest):
            self.nearest = later.nearest

    def conflict(self, system: System, requirements: Sequence[Condition]) -> Conflict:
        """The diagnosis of a system all of whose candidates have been added."""
        assert self.nearest is not None
        point = point_at(system, self.nearest.places)
        always = reduce(and_, self.patterns)
        independent = independent_conflicts(requirements, self.patterns)
        return Conflict(
            tuple(number for number in range(len(requirements)) if always >> number & 1),
            independent[0],
            point,
            violated_at(system, requirements, point),
            self.partly,
            independent[1:],
        )


def violated_at(system: System, requirements: Sequence[Condition], point: Mapping[int, float]) -> tuple[int, ...]:
    """Indices of the requirements that do not hold at a point."""
    values = evaluate(system.graph, point, [c.node for c in requirements])
    return tuple(number for number, c in enumerate(requirements) if values[c.node] != 1.0)


def diagnose_grid(
    system: System, requirements: Sequence[Condition], effort: Effort = ENDLESS, portion: int = PORTION
) -> Conflict:
    """The unsatisfiable requirements, a minimal conflicting set and the nearest point of an infeasible system.

    Nothing evaluated here may depend on its continuous unknowns. The effort receives progress, but its bounds are
    ignored; for `portion` see `llmplan.solve.discrete.search.search`.
    """
    return grid_failures(system, requirements, effort, portion).conflict(system, requirements)


def grid_failures(
    system: System, requirements: Sequence[Condition], effort: Effort = ENDLESS, portion: int = PORTION
) -> Failures:
    """The violations at every candidate, see `diagnose_grid`."""
    job = GridDiagnosis(system, requirements, portion)
    seen, parts = Failures(), len(job.parts)
    with closing(results(job, parts)) as seen_in_parts:
        for number, part in enumerate(seen_in_parts, 1):
            seen.join(part)
            effort.tell(job.points * number // parts, job.points, "layouts")
    return seen


def line_failures(
    system: System, requirements: Sequence[Condition], unknown: int, effort: Effort = ENDLESS
) -> Failures:
    """The violations in a system with one continuous unknown: the candidates represent its intervals.

    Raises:
        OverLimit: See `llmplan.solve.continuous.scan.LineScan`.
    """
    seen = Failures()
    for values, places, count, partly in LineScan(system, requirements, unknown, effort).candidates():
        seen.look(system, requirements, values, places, count)
        seen.partly |= partly
    return seen


class GridDiagnosis:
    """Every requirement at every candidate, in parts. Can be pickled; is set up again when unpickled."""

    def __init__(self, system: System, requirements: Sequence[Condition], portion: int) -> None:
        self._arguments = (system, requirements, portion)
        self._system, self._requirements = system, requirements
        sides = [side for c in requirements for side in (c.left, c.right) if side is not None]
        judged = [c.node for c in (*requirements, *system.preferences)]
        targets = judged + sides + [o.node for o in system.objectives]
        self._grid = GridEvaluator(system.graph, axes_of(system, {}), (), targets)
        self.points = sum(self._grid.points(step) for step in self._grid.slices)
        self.parts = self._grid.parts(portion)

    def __reduce__(self) -> tuple[type[GridDiagnosis], tuple[object, ...]]:
        return GridDiagnosis, self._arguments

    def part(self, number: int) -> Failures:
        seen, part = Failures(), self.parts[number]
        for block in self._grid.blocks(part.fixed, part.run):
            places = partial(self._grid.places, block)
            seen.look(self._system, self._requirements, block.values, places, block.count)
        return seen


_WORD = 63
"""The bits of a whole number of numpy that can be set."""


def _patterns(failed: Sequence[Array], count: int) -> tuple[list[int], Callable[[Sequence[int]], Array]]:
    """The sets of conditions that fail together, as bit masks, and a function that says where some of them do."""
    words = [_word(failed[start : start + _WORD], count) for start in range(0, len(failed), _WORD)]
    if len(words) == 1:  # usually, and then `unique` is much faster than over columns
        return np.unique(words[0]).tolist(), lambda some: np.isin(words[0], np.array(some, words[0].dtype))
    distinct, numbers = np.unique(np.stack(words), axis=1, return_inverse=True)
    kinds = [sum(word << _WORD * k for k, word in enumerate(column)) for column in distinct.T.tolist()]
    return kinds, lambda some: np.isin(numbers.reshape(-1), [kinds.index(kind) for kind in some])


def _word(failed: Sequence[Array], count: int) -> Array:
    """For each point a number whose bits are the conditions that fail there."""
    narrow = next(kind for kind in (np.int8, np.int16, np.int32, np.int64) if len(failed) < np.iinfo(kind).bits)
    word = np.zeros(count, narrow)
    for bit, array in enumerate(failed):
        word |= array.astype(narrow) << narrow(bit)
    return word


def _at(array: Array, rows: Array) -> Array:
    """Some rows of an array; a single number stands for all."""
    return array if array.ndim == 0 else array[rows]


def _apart(
    here: Callable[[int], Array], requirements: Sequence[Condition], failed: Sequence[Array], count: int
) -> Array:
    """The sum of the relative violations at each point."""
    total: Array = np.zeros(count)
    for condition, array in zip(requirements, failed):
        if array.any():
            total = total + array * _relative(here, condition)
    return total


def _relative(here: Callable[[int], Array], condition: Condition) -> Array:
    """The distance between the sides relative to the larger one, at most 1; 1 if there are no two numbers."""
    if condition.left is None or condition.right is None:
        return np.ones(())
    left, right = here(condition.left), here(condition.right)
    with np.errstate(all="ignore"):
        apart = np.abs(left - right) / np.maximum(np.abs(left), np.abs(right))
    return np.where(apart <= 1.0, apart, 1.0)


def independent_conflicts(requirements: Sequence[Condition], patterns: Iterable[int]) -> tuple[tuple[int, ...], ...]:
    """Disjoint sets of conditions that no candidate meets together, the smallest first."""
    left = set(patterns)
    found: list[tuple[int, ...]] = []
    while not found or (0 not in left and len(found) < _MOST_CONFLICTS):
        found.append(smallest_conflict(requirements, left))
        rest = ~sum(1 << number for number in found[-1])
        left = {kind & rest for kind in left}
    return tuple(found)


def smallest_conflict(requirements: Sequence[Condition], patterns: Iterable[int]) -> tuple[int, ...]:
    """A minimal set of conditions that no candidate meets together, as indices; of minimum size up to 4.

    If any one is dropped, some candidate meets the rest. `patterns` has a number for each kind of candidate, with a bit
    set for every requirement that fails.
    """
    kinds = list(patterns)
    everything = (1 << len(kinds)) - 1
    met = [
        int("0" + "".join("0" if kind >> number & 1 else "1" for kind in kinds), 2)
        for number in range(len(requirements))
    ]
    # The author can change his own requirements, so sets of them come first.
    order = sorted(
        (number for number in range(len(met)) if met[number] != everything),
        key=lambda number: _ORIGINS.index(requirements[number].origin),
    )

    def clash(numbers: Iterable[int]) -> bool:
        return reduce(and_, (met[number] for number in numbers), everything) == 0

    kept = list(order)
    for number in reversed(order):
        if clash(other for other in kept if other != number):
            kept.remove(number)
    for size in range(1, min(len(kept) - 1, _ENUMERATED) + 1):
        for some in combinations(order, size):
            if clash(some):
                return tuple(sorted(some))
    return tuple(sorted(kept))

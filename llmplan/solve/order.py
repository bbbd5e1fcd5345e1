"""The order of points: the only place where points are compared.

A point has costs, the most important first, and lower is better: minus the weight of the preferences that are met, then
the objectives. They decide in this order; two costs that differ by less than a relative 1e-9 are equal, as they differ
only by rounding. Ties in all of them are broken by the positions of the values in their domains, unknown by unknown, so
that the answer is the same on every run. A missing value costs an infinite amount.

The same definition is implemented for two points (`Ranked.better_than`), for many (`best`) and for the Pareto front
(`Front`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cmp_to_key
from math import isfinite

import numpy as np
from attrs import define, field, frozen

from llmplan.operations import TOLERANCE
from llmplan.operations.logic import truth
from llmplan.system.arrays import Array
from llmplan.system.system import Condition, Objective, System

Coordinates = Callable[[Array], Mapping[int, Array]]
"""The positions of some points, given as indices, by unknown. Ties are broken in the order of the unknowns there."""


def slack(cost: float) -> float:
    """The tolerance within which two costs are equal."""
    return TOLERANCE * abs(cost) if isfinite(cost) else 0.0


def no_worse(costs: Array, bound: Array, tolerance: float = TOLERANCE) -> Array:
    """Where costs are less than or equal to a bound, which is one for each element or one for all."""
    found: Array = costs <= bound + np.where(np.isfinite(bound), tolerance * np.abs(bound), 0.0)
    return found


@frozen
class Ranked:
    """A point with its costs.

    Attributes:
        costs: The most important first.
        places: By unknown, the position of its value in its domain, or the value itself if it is continuous; ties are
            broken in this order.
        intervals: The feasible intervals of the continuous unknown, with the other unknowns as here.
        partly: Whether the continuous unknown has more jumps than were sampled; `edge`: whether it is at one.
    """

    costs: tuple[float, ...]
    places: dict[int, float]
    intervals: tuple[tuple[float, float], ...] = ()
    partly: bool = False
    edge: bool = False

    def better_than(self, other: Ranked) -> bool:
        decided = prefers(self.costs, other.costs)
        return tuple(self.places.values()) < tuple(other.places.values()) if decided is None else decided


def prefers(costs: Sequence[float], others: Sequence[float]) -> bool | None:
    """Whether the first costs are better than the second, None if they are equal."""
    for mine, theirs in zip(costs, others):
        if mine != theirs and not abs(mine - theirs) <= slack(theirs):
            return mine < theirs
    return None


def ordered(points: Sequence[Ranked]) -> list[Ranked]:
    """Points, the best first."""

    def compare(a: Ranked, b: Ranked) -> int:
        return -1 if a.better_than(b) else 1

    return sorted(points, key=cmp_to_key(compare))


def costs_of(values: Mapping[int, Array], system: System) -> list[Array]:
    """The costs of points, given the values of the system's preferences and objectives."""
    return [-score_of(values, system.preferences), *objective_costs(values, system.objectives)]


def score_of(values: Mapping[int, Array], preferences: Sequence[Condition]) -> Array:
    """The sum of the weights of the preferences that are met; a single number if it is the same for all points."""
    score: Array = np.zeros(())
    for preference in preferences:
        if preference.weight:
            score = score + truth(values[preference.node]) * preference.weight
    return score


def objective_costs(values: Mapping[int, Array], objectives: Sequence[Objective]) -> list[Array]:
    """The objectives as costs; a missing value is worse than any other."""
    # A point where one of the author's objectives has no value is infeasible already.
    costs = [values[objective.node] * float(objective.sense) for objective in objectives]
    return [np.where(np.isnan(cost), np.inf, cost) for cost in costs]


def best(
    costs: Sequence[Array], coordinates: Coordinates, count: int, wanted: int = 1, last: Ranked | None = None
) -> list[Ranked]:
    """The best of many points, in no particular order.

    Args:
        costs: One for each point, or a single number for all.
        last: A point to compete with: points that are certainly worse may be left out.
    """
    rows: Array = np.arange(count)
    if last is not None:
        rows = rows[_may_compete(costs, last)]
        if not len(rows):
            return []
    return ranked(costs, coordinates, first_rows(costs, coordinates, rows, wanted))


def ranked(costs: Sequence[Array], coordinates: Coordinates, rows: Array) -> list[Ranked]:
    """The points in some rows, with their costs."""
    places = coordinates(rows)
    return [
        Ranked(
            tuple(float(cost if cost.ndim == 0 else cost[row]) for cost in costs),
            {unknown: array[number].item() for unknown, array in places.items()},
        )
        for number, row in enumerate(rows.tolist())
    ]


def first_rows(costs: Sequence[Array], coordinates: Coordinates, rows: Array, wanted: int) -> Array:
    """The best of some rows of costs, in no particular order; all rows if there are no more than are wanted.

    The most important cost comes first; a single number is the same for all rows.
    """
    for number, cost in enumerate(costs):
        if len(rows) <= wanted:
            return rows
        if cost.ndim == 0:
            continue
        mine = cost[rows]
        bound = float(mine.min() if wanted == 1 else np.partition(mine, wanted - 1)[wanted - 1])
        width = slack(bound)
        less = mine < bound - width
        sure, rows = rows[less], rows[(mine <= bound + width) & ~less]
        if len(sure):
            rest = first_rows(costs[number + 1 :], coordinates, rows, wanted - len(sure))
            return np.concatenate([sure, rest])
    if len(rows) > wanted and (keys := [*coordinates(rows).values()]):
        rows = rows[np.lexsort(keys[::-1])]
    return rows[:wanted]


def _may_compete(costs: Sequence[Array], last: Ranked) -> Array | slice:
    """Where the first cost that varies within a block is no worse than the point's."""
    for cost, bound in zip(costs, last.costs):
        if cost.ndim:
            return no_worse(cost, np.asarray(bound))
        if abs(float(cost) - bound) > slack(bound):
            return slice(None) if float(cost) < bound else slice(0)
    return slice(None)


@define
class Front:
    """The Pareto front: points that no other dominates in two objectives, in ascending order of the first.

    Preferences decide before objectives: only points that meet them best count, as for the answer. In both columns of
    costs lower is better, and so it is in `missed`, the preference cost that all of these points share; for `places`
    see `Ranked`.
    """

    costs: Array = field(factory=lambda: np.empty((0, 2)))
    places: dict[int, Array] = field(factory=dict)
    missed: float = np.inf

    def add(self, costs: Sequence[Array], places: Mapping[int, Array], count: int, missed: Array) -> None:
        """Adds points; `missed` is the preference cost of each."""
        mine = np.stack([np.broadcast_to(cost, count) for cost in costs], axis=1)
        missed = np.where(np.isfinite(mine).all(axis=1), np.broadcast_to(missed, count), np.inf)
        least = float(missed.min(initial=np.inf))
        if not no_worse(np.asarray(self.missed), np.asarray(least)):
            self.costs, self.places, self.missed = np.empty((0, 2)), {}, least
        chosen = np.flatnonzero(no_worse(missed, np.asarray(self.missed)) & np.isfinite(missed))
        rows = chosen[_undominated(mine[chosen])]
        both = np.concatenate([self.costs, mine[rows]])
        every = {
            unknown: np.concatenate([self.places[unknown], array[rows]]) if self.places else array[rows]
            for unknown, array in places.items()
        }
        kept = _undominated(both)
        self.costs = both[kept]
        self.places = {unknown: array[kept] for unknown, array in every.items()}


def _undominated(costs: Array) -> Array:
    """Indices of the points that no other dominates, in ascending order of the first cost; one of several equals."""
    rows = np.lexsort((_coarse(costs[:, 1]), _coarse(costs[:, 0])))
    rows = rows[np.isfinite(costs[rows]).all(axis=1)]
    second = costs[rows, 1]
    before = np.concatenate([[np.inf], np.minimum.accumulate(second)[:-1]])[: len(second)]
    with np.errstate(invalid="ignore"):
        better = second < before - TOLERANCE * np.abs(second)
    kept: Array = rows[better]
    return kept


def _coarse(cost: Array) -> Array:
    """Rounded, so that points equal up to rounding keep their order."""
    mantissa, exponent = np.frexp(cost)
    rounded: Array = np.ldexp(np.round(mantissa * 2.0**36), exponent - 36)
    return rounded

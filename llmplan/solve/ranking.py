"""Which points of a search are kept beside the best one: the next best, and the best trade-offs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite

import numpy as np
from attrs import define, field

from llmplan.operations import TOLERANCE
from llmplan.solve.vector import Array


def first_rows(costs: Sequence[Array], places: Sequence[Array], rows: Array, count: int) -> Array:
    """The best of some rows: by each cost in turn, equal within the tolerance, then by place.

    Args:
        costs: The most important first; a single number is the same for all.
        places: By which ties are broken, the first coordinate first.
        rows: Indices into the costs.
        count: How many are wanted.

    Returns:
        As many indices, or all if there are fewer; in no particular order.
    """
    for number, cost in enumerate(costs):
        if len(rows) <= count:
            return rows
        if cost.ndim == 0:
            continue
        mine = cost[rows]
        bound = float(np.partition(mine, count - 1)[count - 1])
        slack = TOLERANCE * abs(bound) if isfinite(bound) else 0.0
        better, equal = mine < bound - slack, (mine >= bound - slack) & (mine <= bound + slack)
        if slack == 0.0:
            better, equal = mine < bound, mine == bound
        sure = rows[better]
        rest = first_rows(costs[number + 1 :], places, rows[equal], count - len(sure))
        return np.concatenate([sure, rest])
    if len(rows) > count and places:
        order = np.lexsort([place[rows] for place in reversed(places)])
        rows = rows[order]
    return rows[:count]


@define
class Front:
    """Points than which no other is better in one of two objectives and as good in the other.

    Attributes:
        costs: Two columns, each so that less is better, in ascending order of the first.
        places: By unknown the place of its value, in the same order.
    """

    costs: Array = field(factory=lambda: np.empty((0, 2)))
    places: dict[int, Array] = field(factory=dict)

    def add(self, costs: Sequence[Array], places: Mapping[int, Array], count: int) -> None:
        """Takes the points of a block into account."""
        mine = np.stack([np.broadcast_to(cost, count) for cost in costs], axis=1)
        rows = _undominated(mine)
        both = np.concatenate([self.costs, mine[rows]])
        every = {
            unknown: np.concatenate([self.places[unknown], array[rows]]) if self.places else array[rows]
            for unknown, array in places.items()
        }
        kept = _undominated(both)
        self.costs = both[kept]
        self.places = {unknown: array[kept] for unknown, array in every.items()}


def _undominated(costs: Array) -> Array:
    """Indices of the points that no other dominates, in ascending order of the first cost; one of equals."""
    order = np.lexsort((_coarse(costs[:, 1]), _coarse(costs[:, 0])))
    finite = np.isfinite(costs[order]).all(axis=1)
    order = order[finite]
    second = costs[order, 1]
    before = np.concatenate([[np.inf], np.minimum.accumulate(second)[:-1]])[: len(second)]
    with np.errstate(invalid="ignore"):
        better = second < before - TOLERANCE * np.abs(second)
    kept: Array = order[better]
    return kept


def _coarse(cost: Array) -> Array:
    """Without the last digits, so that of points that are equal but for rounding the earlier comes first."""
    mantissa, exponent = np.frexp(cost)
    rounded: Array = np.ldexp(np.round(mantissa * 2.0**36), exponent - 36)
    return rounded

"""What is better: a larger sum of weights of the preferences that are met, then the objectives in order
(equal within a relative 1e-9), last the earlier value in its domain, unknown by unknown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, isfinite

import numpy as np
from attrs import frozen

from llmplan.operations import TOLERANCE
from llmplan.operations.logic import truth
from llmplan.solve.discrete.block import Block
from llmplan.solve.discrete.grid import GridEvaluator
from llmplan.solve.vector import Array
from llmplan.system.system import Condition, Objective

SAME_SCORE = 1e-12


@frozen
class Found:
    """A feasible point with what makes it better or worse than others.

    Attributes:
        places: For each unknown the place of its value in its domain.
        score: Sum of the weights of the preferences that are met.
        costs: The objectives, each so that less is better.
    """

    places: dict[int, int]
    score: float
    costs: tuple[float, ...]

    def better_than(self, other: Found) -> bool:
        if abs(self.score - other.score) > SAME_SCORE:
            return self.score > other.score
        for mine, theirs in zip(self.costs, other.costs):
            # An infinite cost is tied with nothing but itself.
            if mine != theirs and not abs(mine - theirs) <= TOLERANCE * abs(theirs) < inf:
                return mine < theirs
        return sorted(self.places.items()) < sorted(other.places.items())


def score_of(values: Mapping[int, Array], preferences: Sequence[Condition]) -> Array:
    """Sum of the weights of the preferences that are met, a single number if all points agree."""
    score: Array = np.zeros(())
    for preference in preferences:
        score = score + truth(values[preference.node]) * (preference.weight or 0.0)
    return score


def costs_of(values: Mapping[int, Array], objectives: Sequence[Objective]) -> list[Array]:
    """The objectives so that less is better; without a value is worse than everything."""
    # A point where an objective of the author has no value is infeasible already.
    costs = [values[objective.node] * float(objective.sense) for objective in objectives]
    return [np.where(np.isnan(cost), np.inf, cost) for cost in costs]


def tied(cost: Array, bound: float) -> Array:
    """Where a cost is as good as a bound, within the tolerance."""
    good: Array = cost <= bound + TOLERANCE * abs(bound) if isfinite(bound) else cost == bound
    return good


def best_rows(costs: Sequence[Array], count: int) -> Array:
    """Indices of the points that are best in all of `costs`, in order of importance."""
    left: Array = np.arange(count)
    for cost in costs:
        if cost.ndim and len(left) > 1:
            mine = cost[left]
            left = left[tied(mine, float(mine.min()))]
    return left


def earliest(ties: Sequence[Array]) -> int:
    """Index of the least of some points, the first coordinate first; 0 without coordinates."""
    return int(np.lexsort(ties[::-1])[0]) if ties else 0


def pick(sweep: GridEvaluator, block: Block, score: Array, costs: Sequence[Array]) -> Found:
    """The best point of a block."""
    left = best_rows([-score, *costs], block.count)
    places = {
        axis.unknown: axis.places[block.positions(k)[left]]
        for k, axis in enumerate(sweep.axes)
        if axis.unknown >= 0
    }
    at = earliest([places[unknown] for unknown in sorted(places)])
    chosen = left[at]
    return Found(
        {unknown: int(array[at]) for unknown, array in places.items()},
        float(score if score.ndim == 0 else score[chosen]),
        tuple(float(cost if cost.ndim == 0 else cost[chosen]) for cost in costs),
    )

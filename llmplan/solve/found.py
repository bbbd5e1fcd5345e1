"""The results of a search: one record that both engines fill, part by part, and that the later passes read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, isfinite

import numpy as np
from attrs import define, field

from llmplan.solve.order import Front, Ranked, ordered
from llmplan.system.arrays import Array
from llmplan.system.system import System, Unknown


@define
class Found:
    """The results of a search, or of a part of it.

    Attributes:
        top: The best points, the best first, as many as were asked for; empty if nothing is feasible.
        front: The best trade-offs between the two objectives of `System.front`, if they were asked for.
        feasible: The number of feasible points; with a continuous unknown, of feasible settings of the others.
        spread: The least and the largest cost of each objective over the feasible points.
        seen: For each discrete unknown, by position in its domain, whether some feasible point has that value; without
            the unknowns that a search along a continuous unknown does not depend on.
        complete: False if the search ended early.
    """

    top: list[Ranked] = field(factory=list)
    front: Front = field(factory=Front)
    feasible: int = 0
    spread: list[tuple[float, float]] = field(factory=list)
    seen: dict[int, Array] = field(factory=dict)
    complete: bool = True

    @classmethod
    def nothing(cls, system: System, unknowns: Sequence[int]) -> Found:
        """Empty results of a search over some discrete unknowns."""
        seen = {unknown: np.zeros(len(system.unknowns[unknown].values or ()), bool) for unknown in unknowns}
        return cls(spread=[(inf, -inf)] * len(system.objectives), seen=seen)

    def rank(self, points: Sequence[Ranked], keep: int) -> None:
        """Adds points that may be among the best."""
        if points:
            self.top = ordered([*self.top, *points])[:keep]

    def widen(self, costs: Sequence[Array]) -> None:
        """Widens the spread of the objectives by the costs of feasible points."""
        self.spread = [
            (min(low, float(cost.min())), max(high, float(cost.max()))) for (low, high), cost in zip(self.spread, costs)
        ]

    def join(self, later: Found, keep: int) -> None:
        """Adds the results of a later part."""
        self.rank(later.top, keep)
        if len(later.front.costs):
            missed = np.asarray(later.front.missed)
            self.front.add(list(later.front.costs.T), later.front.places, len(later.front.costs), missed)
        self.feasible += later.feasible
        self.spread = [
            (min(low, lower), max(high, higher)) for (low, high), (lower, higher) in zip(self.spread, later.spread)
        ]
        for unknown, values in later.seen.items():
            self.seen[unknown] |= values
        self.complete &= later.complete

    @property
    def varies(self) -> bool:
        """Whether there is more than one feasible point."""
        intervals = [point.intervals for point in self.top]
        return self.feasible > 1 or any(len(some) > 1 or high > low for some in intervals for low, high in some)

    def front_points(self, system: System) -> list[dict[int, float]]:
        """The points of the front."""
        return [
            point_at(system, {unknown: column[row].item() for unknown, column in self.front.places.items()})
            for row in range(len(self.front.costs))
        ]


def point_at(system: System, places: Mapping[int, float]) -> dict[int, float]:
    """The value of every unknown at a point, see `Ranked.places`; a default for an unknown that decides nothing."""
    return {index: _value(unknown, places.get(index)) for index, unknown in enumerate(system.unknowns)}


def _value(unknown: Unknown, place: float | None) -> float:
    if unknown.values is not None:
        return unknown.values[0 if place is None else int(place)]
    if place is not None:
        return place
    return next((end for end in (unknown.low, unknown.high) if isfinite(end)), 0.0)

"""The next smaller and larger feasible value of an unknown, with the others free."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import define

from llmplan.operations.logic import truth
from llmplan.solve.discrete.search import ordered_first
from llmplan.solve.dispatch import find, points
from llmplan.solve.effort import Budget, Effort, OverLimit
from llmplan.solve.found import Found, point_at
from llmplan.solve.outcome import Neighbour, Neighbours
from llmplan.solve.vector import evaluate_rows
from llmplan.system.system import Condition, System
from llmplan.units.measure import Measure

BUDGET = 2_000_000
"""The most points to evaluate for all the neighbours of a solution together."""


def beside(
    system: System, requirements: Sequence[Condition], continuous: int | None, found: Found, effort: Effort
) -> dict[int, Neighbours]:
    """The neighbours of every discrete unknown that the plan asks for and whose values are numbers.

    The search result (`found`) records which values are feasible, which saves searching again. Once the effort's budget
    is spent, the other unknowns stay fixed.
    """
    finder = _Finder(system, requirements, continuous, found, effort.budget)
    first = ordered_first(system)
    neighbours = {}
    for index, unknown in enumerate(system.unknowns):
        values = unknown.values
        if values is None or not unknown.asked or not isinstance(unknown.type, Measure) or index not in found.seen:
            continue
        places = sorted(range(len(values)), key=lambda place: values[place])
        here = places.index(int(found.top[0].places[index]))
        below, above = places[:here][::-1], places[here + 1 :]
        if index == first and not any(p.weight for p in system.preferences):
            # The objective is the unknown itself, so every better value is known to be infeasible.
            below, above = ([], above) if system.objectives[0].sense > 0 else (below, [])
        neighbours[index] = Neighbours(finder.side(index, below), finder.side(index, above))
    return neighbours


@define
class _Finder:
    system: System
    requirements: Sequence[Condition]
    continuous: int | None
    found: Found
    along: Budget | None
    budget: int = BUDGET

    def side(self, unknown: int, places: Sequence[int]) -> Neighbour | None:
        """The first feasible value among `places` of an unknown, which come nearest first."""
        seen = self.found.seen[unknown]
        cost = points(self.system, self.requirements, self.continuous) // len(seen)
        for place in places:
            if self.found.complete and not seen[place]:
                continue
            if cost > self.budget:
                return self._with_others_fixed(unknown, places)
            self.budget -= cost
            try:
                effort = Effort(budget=self.along)
                found = find(self.system, self.requirements, self.continuous, effort, allowed={unknown: [place]})
            except OverLimit:
                return self._with_others_fixed(unknown, places)
            if found.top:
                return self._neighbour(unknown, found.top[0].places)
        return None

    def _with_others_fixed(self, unknown: int, places: Sequence[int]) -> Neighbour | None:
        values = self.system.unknowns[unknown].values or ()
        best = self.found.top[0].places
        columns = {index: np.asarray(value) for index, value in point_at(self.system, best).items()}
        columns[unknown] = np.array([values[place] for place in places])
        holds = np.ones(len(places), bool)
        for array in evaluate_rows(self.system.graph, [c.node for c in self.requirements], columns).values():
            holds &= truth(np.asarray(array))
        if not holds.any():
            return None
        return self._neighbour(unknown, {**best, unknown: places[int(np.argmax(holds))]})

    def _neighbour(self, unknown: int, places: dict[int, float]) -> Neighbour:
        point = point_at(self.system, places)
        return Neighbour(point[unknown], point)

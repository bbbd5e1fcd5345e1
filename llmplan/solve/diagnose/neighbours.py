"""The next smaller and larger feasible value of an unknown, the others free to follow."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from attrs import define

from llmplan.operations.logic import truth
from llmplan.solve.continuous.scan import Along, Scan
from llmplan.solve.discrete.search import Search, ordered_first, point_at, search
from llmplan.solve.effort import ENDLESS
from llmplan.solve.order import Found
from llmplan.solve.outcome import Neighbour, Neighbours
from llmplan.solve.vector import Array, evaluate_rows
from llmplan.system.system import Condition, System
from llmplan.units.measure import Measure

BUDGET = 2_000_000
"""Points that all the neighbours of a solution together may cost."""


@define
class _Finder:
    system: System
    requirements: Sequence[Condition]
    done: Search
    best: Found
    budget: int = BUDGET

    def side(self, unknown: int, places: Sequence[int]) -> Neighbour | None:
        """The first feasible among `places` of an unknown, which come nearest first."""
        sizes = [len(u.values) for u in self.system.unknowns if u.values is not None]
        cost = prod(sizes) // len(self.system.unknowns[unknown].values or (0,))
        for place in places:
            if self.done.complete and place not in self.done.seen[unknown]:
                continue
            if cost > self.budget:
                return self._with_others_fixed(unknown, places)
            self.budget -= cost
            found = search(self.system, self.requirements, {unknown: [place]}).best
            if found is not None:
                return self._neighbour(unknown, found.places, False)
        return None

    def _with_others_fixed(self, unknown: int, places: Sequence[int]) -> Neighbour | None:
        columns: dict[int, Array] = {}
        for index, place in self.best.places.items():
            values = self.system.unknowns[index].values or ()
            columns[index] = np.asarray(values[place], np.float64)
        values = self.system.unknowns[unknown].values or ()
        columns[unknown] = np.array([values[place] for place in places])
        gates = [condition.node for condition in self.requirements]
        holds = np.ones(len(places), bool)
        for array in evaluate_rows(self.system.graph, gates, columns).values():
            holds &= truth(np.asarray(array))
        if not holds.any():
            return None
        place = places[int(np.flatnonzero(holds)[0])]
        return self._neighbour(unknown, {**self.best.places, unknown: place}, True)

    def _neighbour(self, unknown: int, places: dict[int, int], others_fixed: bool) -> Neighbour:
        point = point_at(self.system, places)
        return Neighbour(point[unknown], point, others_fixed)


def neighbours(
    system: System, requirements: Sequence[Condition], done: Search, best: Found
) -> dict[int, Neighbours]:
    """The neighbours of every asked discrete unknown whose values are numbers.

    Args:
        system: The system that was searched.
        requirements: What must hold.
        done: The search, whose record of feasible values saves searching again.
        best: The point whose neighbours are wanted.
    """
    finder = _Finder(system, requirements, done, best)
    first = ordered_first(system)
    found = {}
    for index, unknown in enumerate(system.unknowns):
        values = unknown.values
        if values is None or not unknown.asked or not isinstance(unknown.type, Measure):
            continue
        order = sorted(range(len(values)), key=lambda place: values[place])
        here = order.index(best.places[index])
        below, above = order[:here][::-1], order[here + 1 :]
        if index == first and not any(p.weight for p in system.preferences):
            # The objective is the unknown: what would be better was found to be infeasible.
            below, above = ([], above) if system.objectives[0].sense > 0 else (below, [])
        found[index] = Neighbours(finder.side(index, below), finder.side(index, above))
    return found


def neighbours_along(
    system: System, requirements: Sequence[Condition], scan: Scan, open_: int, cost: float
) -> dict[int, Neighbours]:
    """The same beside a continuous unknown, which follows too.

    Args:
        system: The system that was searched.
        requirements: What must hold.
        scan: The search, which saw every setting.
        open_: The continuous unknown.
        cost: Points that the search looked at.
    """
    best = scan.top[0].point
    found = {}
    for index, unknown in enumerate(system.unknowns):
        values = unknown.values
        if values is None or not unknown.asked or not isinstance(unknown.type, Measure) or index not in scan.seen:
            continue
        works = sorted(value for value, seen in zip(values, scan.seen[index].tolist()) if seen)
        sides = []
        for beside in ([v for v in works if v < best[index]][-1:], [v for v in works if v > best[index]][:1]):
            point = None
            if beside and cost / len(values) <= BUDGET:
                allowed = {index: [values.index(beside[0])]}
                point = Along(system, requirements, open_, ENDLESS, allowed).scan().top[0].point
            sides.append(Neighbour(beside[0], point or {**best, index: beside[0]}, point is None) if beside else None)
        found[index] = Neighbours(*sides)
    return found

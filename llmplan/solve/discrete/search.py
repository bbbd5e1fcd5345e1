"""Exhaustive search: the best feasible point of a product of discrete domains.

The product is gone through in parts, see `llmplan.solve.pool`; what each saw is joined in their
order, so that the same is found on one core and on several.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cmp_to_key
from itertools import accumulate
from math import inf, isfinite, prod

import numpy as np
from attrs import define, evolve, field

from llmplan.operations import TOLERANCE
from llmplan.solve import pool
from llmplan.solve.discrete.block import Block
from llmplan.solve.discrete.grid import GridEvaluator
from llmplan.solve.discrete.loop_order import CELLS, PORTION, Axis
from llmplan.solve.effort import ENDLESS, Effort, OverLimit
from llmplan.solve.order import SAME_SCORE, Found, costs_of, pick, score_of
from llmplan.solve.ranking import Front, first_rows
from llmplan.solve.vector import Array
from llmplan.system.system import Condition, System, Unknown


@define
class Search:
    """What a search saw, or a part of it.

    Attributes:
        best: None if nothing is feasible.
        entered: How many steps of the outermost axis were looked at.
        feasible: Feasible points among them.
        complete: False if it ended early.
        spread: For each objective its least and its largest value over the feasible points.
        seen: For each unknown, by place in its domain, whether some feasible point has that value.
        top: The best points, the best first, as many as were asked for; `front` the best trade-offs.
    """

    best: Found | None = None
    entered: int = 0
    feasible: int = 0
    complete: bool = True
    spread: list[tuple[float, float]] = field(factory=list)
    seen: dict[int, Array] = field(factory=dict)
    top: list[Found] = field(factory=list)
    front: Front = field(factory=Front)

    def join(self, later: Search, keep: int) -> None:
        """Takes a part into account that comes after what was seen so far."""
        if later.best is not None and (self.best is None or later.best.better_than(self.best)):
            self.best = later.best
        self.entered = later.entered
        self.feasible += later.feasible
        self.spread = [
            (min(low, lower), max(high, higher))
            for (low, high), (lower, higher) in zip(self.spread, later.spread)
        ]
        for unknown, values in later.seen.items():
            self.seen[unknown] |= values
        self.top = sorted([*self.top, *later.top], key=cmp_to_key(_compare))[:keep]
        if len(later.front.costs):
            self.front.add(list(later.front.costs.T), later.front.places, len(later.front.costs))


def resting(unknown: Unknown) -> float:
    """The value of an unknown that decides nothing: the first of its domain."""
    if unknown.values is not None:
        return unknown.values[0]
    return next((end for end in (unknown.low, unknown.high) if isfinite(end)), 0.0)


def point_at(system: System, places: Mapping[int, int]) -> dict[int, float]:
    """The point with the discrete unknowns at some places and the others at rest."""
    return {
        index: unknown.values[places[index]] if unknown.values and index in places else resting(unknown)
        for index, unknown in enumerate(system.unknowns)
    }


def ordered_first(system: System) -> int | None:
    """The discrete unknown that is the first objective itself, so that the search can end early."""
    if not system.objectives:
        return None
    node = system.graph[system.objectives[0].node]
    if node.op != "unknown":
        return None
    unknown = int(node.value or 0)
    return None if system.unknowns[unknown].values is None else unknown


def axes_of(system: System, allowed: Mapping[int, Sequence[int]], first: int | None = None) -> list[Axis]:
    """The axes of the discrete unknowns.

    Args:
        system: Whose unknowns.
        allowed: For some unknowns the places that are to be tried, instead of all.
        first: An unknown whose values are to come in the order of the first objective.
    """
    axes = []
    for index, unknown in enumerate(system.unknowns):
        if unknown.values is None:
            continue
        places = np.array(allowed.get(index, range(len(unknown.values))), np.intp)
        values = np.array(unknown.values, np.float64)[places]
        if index == first:
            order = np.argsort(values * system.objectives[0].sense, kind="stable")
            places, values = places[order], values[order]
        axes.append(Axis(index, values, places))
    return axes


def search(
    system: System,
    requirements: Sequence[Condition],
    allowed: Mapping[int, Sequence[int]] | None = None,
    effort: Effort = ENDLESS,
    keep: int = 0,
    cells: int = CELLS,
    portion: int = PORTION,
) -> Search:
    """Searches the product of the domains of all discrete unknowns.

    Args:
        system: Its continuous unknowns must not be reached by what is evaluated here.
        requirements: What must hold, see `llmplan.solve.passes.requirements_of`.
        allowed: See `axes_of`.
        effort: With a budget it uses one core.
        keep: How many of the best points are wanted; with them come the best trade-offs.
        cells: Points of a block, see `GridEvaluator`.
        portion: Points of a part; what is found may depend on it within the tolerance of a tie.

    Raises:
        OverLimit: if the limit or the budget is not enough.
    """
    scan = _Scan(system, requirements, allowed or {}, keep, cells, portion, effort.limit)
    scan.effort = effort
    result = scan.nothing()
    parts, taken = scan.parts, 0

    def take(found: Search) -> bool:
        nonlocal taken
        result.join(found, keep)
        taken += 1
        effort.tell(scan.points * taken // len(parts), scan.points, "layouts")
        closes = taken == len(parts) or parts[taken].first != parts[taken - 1].first
        return closes and scan.ended(result)

    pool.run(scan, scan.count, take, alone=effort.budget is not None)
    result.complete = result.entered == len(scan.sweep.slices)
    if not result.complete and not scan.ended(result):
        raise OverLimit
    result.feasible *= scan.copies
    result.seen = {
        axis.unknown: np.sort(axis.places[result.seen[axis.unknown]])
        for axis in scan.sweep.axes
        if axis.unknown >= 0
    }
    result.seen.update((axis.unknown, np.sort(axis.places)) for axis in scan.idle)
    if result.best is not None:
        free = {axis.unknown: int(axis.places.min()) for axis in scan.idle}
        result.best = evolve(result.best, places={**result.best.places, **free})
        result.top = [evolve(found, places={**found.places, **free}) for found in result.top]
        alike = {unknown: np.full(len(result.front.costs), place) for unknown, place in free.items()}
        result.front.places.update(alike)
    return result


class _Scan:
    """A search in parts. It can be pickled, and is then set up anew.

    Attributes:
        idle: The axes that nothing depends on; `copies` is the number of their points.
        parts: All there are, of which `count` are within the limit; `points` is the number of their points.
    """

    def __init__(
        self,
        system: System,
        requirements: Sequence[Condition],
        allowed: Mapping[int, Sequence[int]],
        keep: int,
        cells: int,
        portion: int,
        limit: float,
    ) -> None:
        self._arguments = (system, requirements, allowed, keep, cells, portion, limit)
        self.effort = ENDLESS
        self._system = system
        self._keep = keep
        self._preferences = [p for p in system.preferences if p.weight]
        self._full = sum(p.weight or 0.0 for p in self._preferences)
        gates = [condition.node for condition in requirements]
        targets = [p.node for p in self._preferences] + [o.node for o in system.objectives]
        first = ordered_first(system)
        self._ordered = first is not None and not (keep and system.front)
        axes = axes_of(system, allowed, first)
        reach = 0
        for node in gates + targets:
            reach |= system.graph.reach(node)
        self.idle = [axis for axis in axes if not reach >> axis.unknown & 1]
        self.sweep = GridEvaluator(
            system.graph, [axis for axis in axes if reach >> axis.unknown & 1], gates, targets, first, cells
        )
        self.copies = prod(len(axis.values) for axis in self.idle)
        scanned = list(accumulate(self.sweep.points(step) * self.copies for step in self.sweep.slices))
        self.points = scanned[-1]
        self._steps = sum(points <= limit for points in scanned)
        self.parts = self.sweep.parts(portion)
        self.count = self.parts.before(self._steps)

    def __reduce__(self) -> tuple[type[_Scan], tuple[object, ...]]:
        return _Scan, self._arguments

    def nothing(self) -> Search:
        """What is seen before the first part."""
        seen = {axis.unknown: np.zeros(len(axis.values), bool) for axis in self.sweep.axes}
        return Search(spread=[(inf, -inf)] * len(self._system.objectives), seen=seen)

    def ended(self, found: Search) -> bool:
        """True if nothing that comes later can be better: the first objective is in order."""
        return self._ordered and found.best is not None and found.best.score >= self._full - SAME_SCORE

    def part(self, number: int) -> Search:
        part = self.parts[number]
        found = self.nothing()
        runs = [part.run] if part.fixed else [(step,) for step in part.run[: self._steps - part.first]]
        for count, run in enumerate(runs):
            for block in self.sweep.blocks(part.fixed, run, self.effort.spend):
                self._look(block, found)
            found.entered = part.first + count + 1
            if not part.fixed and self.ended(found):
                break
        return found

    def _look(self, block: Block, result: Search) -> None:
        """Takes the feasible points of a block into account."""
        result.feasible += block.count
        for k, axis in enumerate(self.sweep.axes):
            seen = result.seen[axis.unknown]
            if not seen.all():
                seen[block.positions(k)] = True
        costs = costs_of(block.values, self._system.objectives)
        for number, cost in enumerate(costs):
            low, high = result.spread[number]
            result.spread[number] = (min(low, float(cost.min())), max(high, float(cost.max())))
        score = score_of(block.values, self._preferences)
        found = pick(self.sweep, block, score, costs)
        if result.best is None or found.better_than(result.best):
            result.best = found
        if self._keep:
            self._rank(block, [-score, *costs], result)

    def _rank(self, block: Block, costs: Sequence[Array], result: Search) -> None:
        """Takes the points of a block into account that are not the best but worth knowing."""
        rows: Array = np.arange(block.count)
        if len(result.top) == self._keep:
            rows = rows[_may_compete(costs, result.top[-1])]
        axes = [(axis, k) for k, axis in enumerate(self.sweep.axes) if axis.unknown >= 0]
        axes.sort(key=lambda item: item[0].unknown)
        if len(rows):
            # A tie is broken by place, for which the places of all rows would be needed; few blocks get here.
            places = [axis.places[block.positions(k)] for axis, k in axes]
            for row in first_rows(costs, places, rows, self._keep).tolist():
                at = {axis.unknown: int(array[row]) for (axis, _), array in zip(axes, places)}
                numbers = [float(cost if cost.ndim == 0 else cost[row]) for cost in costs]
                result.top.append(Found(at, -numbers[0], tuple(numbers[1:])))
            result.top.sort(key=cmp_to_key(_compare))
            del result.top[self._keep :]
        if self._system.front:
            by_unknown = {axis.unknown: axis.places[block.positions(k)] for axis, k in axes}
            result.front.add(costs_of(block.values, self._system.front), by_unknown, block.count)


def _may_compete(costs: Sequence[Array], worst: Found) -> Array | slice:
    """Where the first cost that differs within a block is as good as that of a point."""
    for cost, bound in zip(costs, (-worst.score, *worst.costs)):
        slack = TOLERANCE * abs(bound) if isfinite(bound) else 0.0
        if cost.ndim:
            good: Array = cost <= bound + slack
            return good
        if abs(float(cost) - bound) > slack:
            return slice(None) if float(cost) < bound else slice(0)
    return slice(None)


def _compare(a: Found, b: Found) -> int:
    return -1 if a.better_than(b) else 1



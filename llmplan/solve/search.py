"""Exhaustive search: the best feasible point of a product of discrete domains.

Better is: a larger sum of weights of the preferences that are met, then the objectives in order
(equal within a relative 1e-9), last the earlier value in its domain, unknown by unknown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cmp_to_key
from math import inf, isfinite, prod
from time import monotonic

import numpy as np
from attrs import define, evolve, field, frozen

from llmplan.solve.block import Block
from llmplan.solve.ranking import Front, first_rows
from llmplan.solve.schedule import CELLS, Axis
from llmplan.solve.sweep import Sweep
from llmplan.solve.vector import Array, truth
from llmplan.system.graph import TOLERANCE
from llmplan.system.system import Condition, Objective, System, Unknown

_SAME_SCORE = 1e-12


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
        if abs(self.score - other.score) > _SAME_SCORE:
            return self.score > other.score
        for mine, theirs in zip(self.costs, other.costs):
            # An infinite cost is tied with nothing but itself.
            if mine != theirs and not abs(mine - theirs) <= TOLERANCE * abs(theirs) < inf:
                return mine < theirs
        return sorted(self.places.items()) < sorted(other.places.items())


@define
class Search:
    """What a search saw.

    Attributes:
        best: None if nothing is feasible.
        scanned: Points of the steps that were entered.
        feasible: Feasible points among them.
        complete: False if it ended early.
        spread: For each objective its least and its largest value over the feasible points.
        seen: For each unknown, by place in its domain, whether some feasible point has that value.
        top: The best points, the best first, as many as were asked for; `front` the best trade-offs.
    """

    best: Found | None = None
    scanned: int = 0
    feasible: int = 0
    complete: bool = True
    spread: list[tuple[float, float]] = field(factory=list)
    seen: dict[int, Array] = field(factory=dict)
    top: list[Found] = field(factory=list)
    front: Front = field(factory=Front)


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


class OverLimit(Exception):
    """More points would have to be looked at than the limit allows."""


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
    limit: float = inf,
    cells: int = CELLS,
    keep: int = 0,
    until: float = inf,
) -> Search:
    """Searches the product of the domains of all discrete unknowns.

    Args:
        system: Its continuous unknowns must not be reached by what is evaluated here.
        requirements: What must hold, see `llmplan.solve.solve.requirements_of`.
        allowed: See `axes_of`.
        limit: The largest number of points to scan.
        cells: Points of a block, see `Sweep`.
        keep: How many of the best points are wanted; with them come the best trade-offs.
        until: When to give up, by `time.monotonic`.

    Raises:
        OverLimit: if the limit or the time is not enough.
    """
    gates = [condition.node for condition in requirements]
    preferences = [p for p in system.preferences if p.weight]
    targets = [p.node for p in preferences] + [o.node for o in system.objectives]
    first = ordered_first(system)
    axes = axes_of(system, allowed or {}, first)
    reach = 0
    for node in gates + targets:
        reach |= system.graph.reach(node)
    idle = [axis for axis in axes if not reach >> axis.unknown & 1]
    sweep = Sweep(
        system.graph, [axis for axis in axes if reach >> axis.unknown & 1], gates, targets, first, cells
    )
    copies = prod(len(axis.values) for axis in idle)
    result = Search(spread=[(inf, -inf)] * len(system.objectives))
    result.seen = {axis.unknown: np.zeros(len(axis.values), bool) for axis in sweep.axes}
    full = sum(p.weight or 0.0 for p in preferences)
    for number, step in enumerate(sweep.slices):
        result.scanned += sweep.points(step) * copies
        if result.scanned > limit or monotonic() > until:
            raise OverLimit
        for block in sweep.blocks(step):
            if monotonic() > until:
                raise OverLimit
            _look(system, preferences, sweep, block, result, keep)
        ordered = first is not None and not (keep and system.front)
        ended = ordered and result.best is not None and result.best.score >= full - _SAME_SCORE
        if ended and number + 1 < len(sweep.slices):
            result.complete = False
            break
    result.feasible *= copies
    result.seen = {
        axis.unknown: np.sort(axis.places[result.seen[axis.unknown]])
        for axis in sweep.axes
        if axis.unknown >= 0
    }
    result.seen.update((axis.unknown, np.sort(axis.places)) for axis in idle)
    if result.best is not None:
        free = {axis.unknown: int(axis.places.min()) for axis in idle}
        result.best = evolve(result.best, places={**result.best.places, **free})
        result.top = [evolve(found, places={**found.places, **free}) for found in result.top]
        alike = {unknown: np.full(len(result.front.costs), place) for unknown, place in free.items()}
        result.front.places.update(alike)
    return result


def _look(
    system: System, preferences: Sequence[Condition], sweep: Sweep, block: Block, result: Search, keep: int
) -> None:
    """Takes the feasible points of a block into account."""
    result.feasible += block.count
    for k, axis in enumerate(sweep.axes):
        seen = result.seen[axis.unknown]
        if not seen.all():
            seen[block.positions(k)] = True
    costs = costs_of(block.values, system.objectives)
    for number, cost in enumerate(costs):
        low, high = result.spread[number]
        result.spread[number] = (min(low, float(cost.min())), max(high, float(cost.max())))
    score = score_of(block.values, preferences)
    found = pick(sweep, block, score, costs)
    if result.best is None or found.better_than(result.best):
        result.best = found
    if keep:
        _keep(system, sweep, block, [-score, *costs], result, keep)


def _keep(
    system: System, sweep: Sweep, block: Block, costs: Sequence[Array], result: Search, keep: int
) -> None:
    """Takes the points of a block into account that are not the best but worth knowing."""
    rows: Array = np.arange(block.count)
    if len(result.top) == keep:
        rows = rows[_may_compete(costs, result.top[-1])]
    axes = [(axis, k) for k, axis in enumerate(sweep.axes) if axis.unknown >= 0]
    axes.sort(key=lambda item: item[0].unknown)
    if len(rows):
        # A tie is broken by place, for which the places of all rows would be needed; few blocks get here.
        places = [axis.places[block.positions(k)] for axis, k in axes]
        for row in first_rows(costs, places, rows, keep).tolist():
            at = {axis.unknown: int(array[row]) for (axis, _), array in zip(axes, places)}
            numbers = [float(cost if cost.ndim == 0 else cost[row]) for cost in costs]
            result.top.append(Found(at, -numbers[0], tuple(numbers[1:])))
        result.top.sort(key=cmp_to_key(_compare))
        del result.top[keep:]
    if system.front:
        by_unknown = {axis.unknown: axis.places[block.positions(k)] for axis, k in axes}
        result.front.add(costs_of(block.values, system.front), by_unknown, block.count)


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


def pick(sweep: Sweep, block: Block, score: Array, costs: Sequence[Array]) -> Found:
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

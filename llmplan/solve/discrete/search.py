"""Exhaustive search: the best feasible points of a product of discrete domains.

The product is searched in parts, see `llmplan.solve.workers`; their results are joined in order, so that the result is
the same on one core and on several.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import partial
from itertools import accumulate
from math import prod

import numpy as np

from llmplan.operations.numbers import total
from llmplan.solve.discrete.block import Block
from llmplan.solve.discrete.grid import GridEvaluator
from llmplan.solve.discrete.loop_order import CELLS, PORTION, axes_of
from llmplan.solve.effort import ENDLESS, Effort, OverLimit
from llmplan.solve.found import Found
from llmplan.solve.order import best, costs_of, objective_costs, slack
from llmplan.solve.workers import results
from llmplan.system.system import Condition, System


def search(
    system: System,
    requirements: Sequence[Condition],
    allowed: Mapping[int, Sequence[int]] | None = None,
    effort: Effort = ENDLESS,
    keep: int = 1,
    cells: int = CELLS,
    portion: int = PORTION,
) -> Found:
    """Searches the product of the domains of all discrete unknowns.

    Args:
        system: Nothing evaluated here may depend on its continuous unknowns.
        allowed: See `axes_of`.
        effort: If it has a budget, the search uses one core.
        keep: The number of best points wanted; from 2 on the best trade-offs are recorded too.
        cells: Points of a block, see `GridEvaluator`.
        portion: Points of a part; within the tolerance of a tie the result may depend on it.

    Raises:
        OverLimit: The limit or the budget is not enough.
    """
    job = GridSearch(system, requirements, allowed or {}, keep, cells, portion, effort.limit)
    job.effort = effort
    if job.points > effort.limit and not job.ordered:
        raise OverLimit
    found, parts = job.nothing(), job.parts
    with closing(results(job, job.count, alone=effort.budget is not None)) as seen_in_parts:
        for number, part in enumerate(seen_in_parts, 1):
            found.join(part, keep)
            effort.tell(job.points * number // len(parts), job.points, "layouts")
            # Within a step of the outermost axis the first objective is the same, so later objectives may still decide.
            closes = number == len(parts) or parts[number].first != parts[number - 1].first
            if closes and job.ended(found):
                found.complete &= number == len(parts)
                break
        else:
            if job.count < len(parts) or not found.complete:
                raise OverLimit
    found.feasible *= job.copies
    # If nothing depends on an unknown, all of its values are equally good: the first is taken.
    for axis in job.idle if found.feasible else ():
        found.seen[axis.unknown][axis.places] = True
        first = int(axis.places.min())
        for point in found.top:
            point.places[axis.unknown] = first
        found.front.places[axis.unknown] = np.full(len(found.front.costs), first)
    return found


def ordered_first(system: System) -> int | None:
    """The discrete unknown that is itself the first objective, so that the search can end early."""
    node = system.graph[system.objectives[0].node] if system.objectives else None
    if node is None or node.op != "unknown":
        return None
    unknown = int(node.value or 0)
    return None if system.unknowns[unknown].values is None else unknown


class GridSearch:
    """A search in parts. Can be pickled; is set up again when unpickled.

    Attributes:
        ordered: True if points come in the order of the first objective, so that the search can end early.
        idle: The axes that nothing depends on; `copies` is the number of their points.
        parts: All parts, of which `count` are within the limit; `points` is the number of their points.
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
        self._system, self._keep = system, keep
        self._full = -total(p.weight or 0.0 for p in system.preferences)
        gates = [condition.node for condition in requirements]
        targets = [p.node for p in system.preferences if p.weight] + [o.node for o in system.objectives]
        self._front = system.front if keep > 1 else ()
        first = ordered_first(system)
        self.ordered = first is not None and not self._front
        axes = axes_of(system, allowed, first)
        reach = system.graph.reached(gates + targets)
        self.idle = [axis for axis in axes if not reach >> axis.unknown & 1]
        used = [axis for axis in axes if reach >> axis.unknown & 1]
        self._grid = GridEvaluator(system.graph, used, gates, targets, first, cells)
        self.copies = prod(len(axis.values) for axis in self.idle)
        scanned = list(accumulate(self._grid.points(step) * self.copies for step in self._grid.slices))
        self.points = scanned[-1]
        self._steps = sum(points <= limit for points in scanned)
        self.parts = self._grid.parts(portion)
        self.count = self.parts.before(self._steps)

    def __reduce__(self) -> tuple[type[GridSearch], tuple[object, ...]]:
        return GridSearch, self._arguments

    def nothing(self) -> Found:
        """Empty results, before the first part."""
        axes = [*self._grid.axes, *self.idle]
        return Found.nothing(self._system, [axis.unknown for axis in axes if axis.unknown >= 0])

    def ended(self, found: Found) -> bool:
        """True if no later point can be better, because the first objective is in order."""
        return self.ordered and bool(found.top) and found.top[0].costs[0] <= self._full + slack(self._full)

    def part(self, number: int) -> Found:
        part = self.parts[number]
        found = self.nothing()
        steps = part.run if part.fixed else part.run[: self._steps - part.first]
        for run in [steps] if part.fixed else [(step,) for step in steps]:
            if not part.fixed and self.ended(found):
                found.complete = False
                return found
            for block in self._grid.blocks(part.fixed, run, self.effort.spend):
                self._look(block, found)
        found.complete = len(steps) == len(part.run)
        return found

    def _look(self, block: Block, found: Found) -> None:
        """Adds the feasible points of a block."""
        found.feasible += block.count
        for k, axis in enumerate(self._grid.axes):
            if axis.unknown >= 0 and np.count_nonzero(seen := found.seen[axis.unknown]) < len(axis.values):
                seen[axis.places[block.positions(k)]] = True
        costs = costs_of(block.values, self._system)
        found.widen(costs[1:])
        last = found.top[-1] if len(found.top) == self._keep else None
        found.rank(best(costs, partial(self._grid.places, block), block.count, self._keep, last), self._keep)
        if self._front:
            trade_offs = objective_costs(block.values, self._front)
            found.front.add(trade_offs, self._grid.places(block), block.count, costs[0])

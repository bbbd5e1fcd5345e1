"""One continuous unknown, for every setting of the discrete ones.

For each setting the places where a condition begins or ceases to hold are bracketed on a grid over the domain and
narrowed by bisection. These, the grid points and the midpoints between them are the candidates: between two
neighbours no condition changes. The objectives are compared on the feasible candidates, ends included, and each is
refined by golden-section search beside its best candidate. Every answer has been evaluated and found feasible.
Bracketing, choosing and refining share the arrays of candidates, so they stay together in this module, which is
longer than most.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from attrs import define, evolve, frozen

from llmplan.operations import TOLERANCE
from llmplan.operations.logic import truth
from llmplan.solve.continuous.crossings import compared, crossings
from llmplan.solve.continuous.edges import Edge
from llmplan.solve.continuous.jumps import Mesh, steps
from llmplan.solve.continuous.line_search import Line, bisect, grid, minimise
from llmplan.solve.discrete.grid import GridEvaluator
from llmplan.solve.discrete.loop_order import axes_of
from llmplan.solve.effort import ENDLESS, Effort, OverLimit
from llmplan.solve.found import Found
from llmplan.solve.order import (
    Coordinates,
    Ranked,
    first_rows,
    no_worse,
    objective_costs,
    ordered,
    ranked,
    score_of,
)
from llmplan.system.arrays import Array
from llmplan.system.system import Condition, System

_POINTS = 1 << 17
"""Grid points that are evaluated at once: enough settings to make a step of bisection pay."""

_FAR = 3.0
"""A search ends early if its first settings predict so many times its budget: later ones may cost less."""

ROUNDING = 1e-14
"""Costs that differ by less lie on one flat stretch. A smooth minimum is flat within the tolerance too, and moving to
the end of that would lose half of its digits.
"""


@frozen
class _Settings:
    """Some settings of the discrete unknowns: lines and, by unknown (ascending), the positions of their values."""

    line: Line
    places: dict[int, Array]
    count: int


@define
class _Candidates:
    """Points on the lines of some settings, sorted by setting (a row) and value.

    For the settings in `partly`, not every jump is among them.
    """

    rows: Array
    x: Array
    values: dict[int, Array]
    feasible: Array
    partly: Array


class LineScan:
    """The scan along one continuous unknown, for a system in which nothing depends on another continuous one.

    The effort's limit is on settings times grid points. For `allowed` see `axes_of`.
    """

    def __init__(
        self,
        system: System,
        requirements: Sequence[Condition],
        unknown: int,
        effort: Effort = ENDLESS,
        allowed: Mapping[int, Sequence[int]] | None = None,
    ) -> None:
        self._system, self._requirements = system, requirements
        self._unknown, self._effort = unknown, effort
        self._count: int | None = None
        graph = system.graph
        weighed = [preference for preference in system.preferences if preference.weight]
        self._moving = [c for c in (*requirements, *weighed) if graph.reach(c.node) >> unknown & 1]
        self._still = [c for c in requirements if not graph.reach(c.node) >> unknown & 1]
        self._grid = grid(system.unknowns[unknown])
        judged = [*requirements, *system.preferences]
        sides = [side for c in judged for side in (c.left, c.right) if side is not None]
        self._judged = [c.node for c in judged] + [o.node for o in system.objectives]
        self._roots = self._judged + sides
        looked_at = {node for c in requirements for node in compared(graph, c, unknown)}
        self._steps = steps(graph, self._judged, unknown, looked_at)
        reach = graph.reached(self._roots)
        self._axes = [axis for axis in axes_of(system, allowed or {}) if reach >> axis.unknown & 1]

    def scan(self, keep: int = 1) -> Found:
        """The best feasible points, each from a different setting; if several are wanted, with the Pareto front.

        Raises:
            OverLimit: There are too many settings, or the budget is spent.
        """
        found = Found.nothing(self._system, [axis.unknown for axis in self._axes])
        for settings in self._settings(self._still):
            candidates = self._candidates(settings)
            if candidates.feasible.any():
                top, candidates = self._choose(settings, candidates, keep)
                found.rank(top, keep)
                self._note(found, settings, candidates, keep)
        if self._steps and found.top:
            edge = Edge(self._system, self._requirements, self._unknown, self._steps, self._grid, self._effort.spend)
            found.top = ordered([edge.nearest(point) for point in found.top])
        return found

    def candidates(self) -> Iterator[tuple[dict[int, Array], Coordinates, int, bool]]:
        """All candidates, feasible or not, in blocks.

        Each block has the values of all judged nodes, the coordinates, the number of candidates, and whether there are
        more jumps than were sampled.
        """
        for settings in self._settings([]):
            candidates = self._candidates(settings)
            values = settings.line.probe(self._roots, candidates.rows)(candidates.x)
            coordinates = self._coordinates(settings, candidates.rows, candidates.x)
            yield values, coordinates, len(candidates.x), bool(candidates.partly.any())

    def _settings(self, gates: Sequence[Condition]) -> Iterator[_Settings]:
        """The settings where the gates hold, in blocks."""
        graph, spend = self._system.graph, self._effort.spend
        cells = max(1, _POINTS // len(self._grid))
        evaluator = GridEvaluator(graph, self._axes, [gate.node for gate in gates], (), cells=cells)
        scanned = entered = settings = 0
        begun = self._left()
        points = sum(evaluator.points(step) for step in evaluator.slices)
        for step in evaluator.slices:
            for block in evaluator.blocks((), (step,), spend):
                scanned += block.count * len(self._grid)
                if scanned > self._effort.limit:
                    raise OverLimit
                places = evaluator.places(block)
                line = Line(graph, self._unknown, evaluator.values(block), self._roots, spend)
                yield _Settings(line, places, block.count)
                settings += block.count
                self._project(gates, (begun - self._left()) / settings, begun, points)
            entered += evaluator.points(step)
            self._effort.tell(entered, points, "layouts")

    def _left(self) -> float:
        """The evaluations that the budget still allows."""
        return math.inf if self._effort.budget is None else self._effort.budget.left

    def _project(self, gates: Sequence[Condition], each: float, begun: float, points: int) -> None:
        """Raises OverLimit if the settings cost so much each that the budget would not be enough by far."""
        if not each * points > _FAR * begun:
            return
        if self._count is None:  # the number of settings that pass, which costs little
            evaluator = GridEvaluator(self._system.graph, self._axes, [gate.node for gate in gates], ())
            self._count = sum(block.count for step in evaluator.slices for block in evaluator.blocks((), (step,)))
        if each * self._count > _FAR * begun:
            raise OverLimit

    def _coordinates(self, settings: _Settings, rows: Array, x: Array) -> Coordinates:
        """Coordinates of points on lines: rows, and values of the continuous unknown, which breaks ties last."""
        return lambda chosen: {
            **{unknown: places[rows[chosen]] for unknown, places in settings.places.items()},
            self._unknown: x[chosen],
        }

    def _note(self, found: Found, settings: _Settings, candidates: _Candidates, keep: int) -> None:
        """Records the feasible candidates of a block."""
        rows = np.unique(candidates.rows[candidates.feasible])
        found.feasible += len(rows)
        for unknown, places in settings.places.items():
            found.seen[unknown][places[rows]] = True
        feasible = np.flatnonzero(candidates.feasible)
        found.widen([cost[feasible] for cost in objective_costs(candidates.values, self._system.objectives)])
        if keep > 1 and self._system.front:
            costs = [cost[feasible] for cost in objective_costs(candidates.values, self._system.front)]
            coordinates = self._coordinates(settings, candidates.rows, candidates.x)
            missed = np.broadcast_to(self._cost(candidates.values, 0), len(candidates.x))[feasible]
            found.front.add(costs, coordinates(feasible), len(feasible), missed)

    def _cost(self, values: dict[int, Array], number: int) -> Array:
        """The costs to compare: first the preferences that are met, then the objectives."""
        if number == 0:
            return -score_of(values, self._system.preferences)
        return objective_costs(values, self._system.objectives[number - 1 : number])[0]

    def _candidates(self, settings: _Settings) -> _Candidates:
        """All candidates of some settings, judged."""
        line, count = settings.line, settings.count
        every = np.arange(count)
        rows, x = [np.repeat(every, len(self._grid))], [np.tile(self._grid, count)]
        marked = [np.zeros(count * len(self._grid), bool)]
        mesh = Mesh(line, self._grid, count)
        mesh.seek(self._steps)
        rows.append(mesh.row)
        x.append(mesh.x)
        marked.append(np.ones(len(mesh.row), bool))
        for condition in self._moving:
            for at, points in crossings(self._system.graph, mesh, condition, self._unknown):
                rows.append(at)
                x.append(points)
                marked.append(np.ones(len(at), bool))
        row, point, mark = np.concatenate(rows), np.concatenate(x), np.concatenate(marked)
        order = np.lexsort((point, row))
        row, point, mark = row[order], point[order], mark[order]
        beside = (row[1:] == row[:-1]) & (mark[1:] | mark[:-1]) & (point[1:] > point[:-1])
        middle = (point[:-1] + point[1:])[beside] / 2
        rows_, x_ = np.concatenate([row, row[:-1][beside]]), np.concatenate([point, middle])
        return self._judge(line, rows_, x_, mesh.partly)

    def _judge(self, line: Line, rows: Array, x: Array, partly: Array) -> _Candidates:
        order = np.lexsort((x, rows))
        rows, x = rows[order], x[order]
        values = _long(line.probe(self._judged, rows)(x), len(x))
        feasible = np.ones(len(x), bool)
        for condition in self._requirements:
            feasible &= truth(values[condition.node])
        return _Candidates(rows, x, values, feasible, partly)

    def _choose(self, settings: _Settings, candidates: _Candidates, keep: int) -> tuple[list[Ranked], _Candidates]:
        """The best point in each of the best settings, refined objective by objective, and all candidates."""
        graph = self._system.graph
        active = candidates.feasible
        least: list[Array] = []
        for number in range(1 + len(self._system.objectives)):
            if number:
                node = graph[self._system.objectives[number - 1].node]
                if node.reach >> self._unknown & 1 and node.op != "unknown":
                    candidates, active = self._refine(settings.line, candidates, active, least)
            cost = np.broadcast_to(self._cost(candidates.values, number), len(candidates.x))
            lowest = np.full(settings.count, np.inf)
            np.minimum.at(lowest, candidates.rows[active], cost[active])
            least.append(lowest)
            active = active & no_worse(cost, lowest[candidates.rows])
            if number < len(self._system.objectives):
                candidates, active = self._ends(settings.line, candidates, active, least)
        left = np.flatnonzero(active)
        left = left[np.unique(candidates.rows[left], return_index=True)[1]]
        rows = candidates.rows[left]
        coordinates = self._coordinates(settings, rows, candidates.x[left])
        costs = [lowest[rows] for lowest in least]
        chosen = first_rows(costs, coordinates, np.arange(len(rows)), keep)
        return [
            evolve(point, intervals=self._intervals(candidates, row), partly=bool(candidates.partly[row]))
            for point, row in zip(ranked(costs, coordinates, chosen), rows[chosen].tolist())
        ], candidates

    def _refine(
        self, line: Line, candidates: _Candidates, active: Array, least: Sequence[Array]
    ) -> tuple[_Candidates, Array]:
        """Adds the best point of the next objective beside each setting's best candidate."""
        number = len(least)
        cost = np.broadcast_to(self._cost(candidates.values, number), len(candidates.x))
        at = np.flatnonzero(active)
        at = at[np.lexsort((cost[at], candidates.rows[at]))]
        at = at[np.unique(candidates.rows[at], return_index=True)[1]]

        def end(step: int) -> Array:
            beside = np.clip(at + step, 0, len(candidates.x) - 1)
            usable = active[beside] & (candidates.rows[beside] == candidates.rows[at])
            return np.where(usable, candidates.x[beside], candidates.x[at])

        low, high = end(-1), end(1)
        if not (wide := high > low).any():
            return candidates, active
        rows, low, high = candidates.rows[at][wide], low[wide], high[wide]
        probe = line.probe(self._judged, rows)

        def penalised(x: Array) -> Array:
            values = _long(probe(x), len(x))
            return np.where(self._as_good(values, least, rows), self._cost(values, number), np.inf)

        points = minimise(penalised, low, high)
        both = np.concatenate([candidates.rows, rows]), np.concatenate([candidates.x, points])
        joined = self._judge(line, *both, candidates.partly)
        return joined, joined.feasible & self._as_good(joined.values, least, joined.rows)

    def _ends(
        self, line: Line, candidates: _Candidates, active: Array, least: Sequence[Array]
    ) -> tuple[_Candidates, Array]:
        """Adds the ends of the stretch with the best costs compared so far, on which the next cost decides."""
        rows = candidates.rows
        both = (rows[1:] == rows[:-1]) & candidates.feasible[1:] & candidates.feasible[:-1]
        turns = np.flatnonzero(both & (active[1:] != active[:-1]))
        if not len(turns):
            return candidates, active
        row, probe = rows[turns], line.probe(self._judged, rows[turns])

        def good(x: Array) -> Array:
            return np.broadcast_to(self._as_good(_long(probe(x), len(x)), least, row, ROUNDING), len(x))

        low, high = bisect(good, candidates.x[turns], candidates.x[turns + 1])
        x = np.concatenate([candidates.x, low, high])
        joined = self._judge(line, np.concatenate([rows, row, row]), x, candidates.partly)
        return joined, joined.feasible & self._as_good(joined.values, least, joined.rows)

    def _as_good(
        self, values: dict[int, Array], least: Sequence[Array], rows: Array, tolerance: float = TOLERANCE
    ) -> Array:
        """Where all requirements hold and the costs compared so far equal the setting's best."""
        good: Array = np.ones((), bool)
        for condition in self._requirements:
            good = good & truth(values[condition.node])
        for number, best in enumerate(least):
            good = good & no_worse(self._cost(values, number), best[rows], tolerance)
        return good

    def _intervals(self, candidates: _Candidates, row: int) -> tuple[tuple[float, float], ...]:
        mine = candidates.rows == row
        feasible = np.concatenate([[False], candidates.feasible[mine], [False]])
        begins, ends = feasible[1:-1] & ~feasible[:-2], feasible[1:-1] & ~feasible[2:]
        x = candidates.x[mine]
        intervals = zip(x[begins].tolist(), x[ends].tolist())
        # The solution of an equation is one point, not an interval as wide as the tolerance.
        return tuple((low, low if high - low <= TOLERANCE * abs(low) else high) for low, high in intervals)


def _long(values: Mapping[int, Array], count: int) -> dict[int, Array]:
    """The values broadcast to one for each point."""
    return {node: np.broadcast_to(array, count) for node, array in values.items()}

"""One continuous unknown, for every setting of the discrete ones.

For each setting the places where a condition begins or ceases to hold are bracketed on a grid over
the domain and narrowed by bisection. These, the points of the grid and the middles between them
are the candidates: between two neighbours no condition changes. The objectives are compared on the
feasible ones, ends included, and each is refined by golden section beside its best candidate.
Nothing is ever answered that was not evaluated and found feasible.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cmp_to_key, partial

import numpy as np
from attrs import define, field, frozen

from llmplan.operations import TOLERANCE
from llmplan.operations.logic import truth
from llmplan.solve.continuous.crossings import breakpoints
from llmplan.solve.continuous.line_search import Line, grid, minimise
from llmplan.solve.diagnose.conflict import conflict_of, failure_patterns, failures, nearness
from llmplan.solve.discrete.grid import GridEvaluator
from llmplan.solve.discrete.search import axes_of, point_at
from llmplan.solve.effort import Effort, OverLimit
from llmplan.solve.order import best_rows, costs_of, earliest, score_of
from llmplan.solve.outcome import Conflict
from llmplan.solve.ranking import Front, first_rows
from llmplan.solve.vector import Array
from llmplan.system.system import Condition, System

_POINTS = 1 << 17
"""Points of the grid that are evaluated at once: enough settings that a step of bisection pays."""


@frozen
class Continuum:
    """The best point of a system with one continuous unknown.

    Attributes:
        point: Value of every unknown.
        key: What it is compared by: met preferences (negative), the objectives, places, the value.
        intervals: Feasible intervals of the continuous unknown at the chosen setting.
    """

    point: dict[int, float]
    key: tuple[float, ...]
    intervals: tuple[tuple[float, float], ...]


@define
class Scan:
    """What a search along a continuous unknown saw.

    Attributes:
        top: The best points of different settings, the best first; empty if nothing is feasible.
        front: The best trade-offs; the place of the continuous unknown is its value.
        feasible: Settings with a feasible point.
        spread: For each objective its least and its largest value over the feasible candidates.
        seen: For each discrete unknown, by place in its domain, whether some feasible point has that value.
    """

    top: list[Continuum] = field(factory=list)
    front: Front = field(factory=Front)
    feasible: int = 0
    spread: list[tuple[float, float]] = field(factory=list)
    seen: dict[int, Array] = field(factory=dict)

    @property
    def varies(self) -> bool:
        """Whether there is more than one feasible point."""
        wide = any(high > low for found in self.top for low, high in found.intervals)
        return self.feasible > 1 or any(len(found.intervals) > 1 for found in self.top) or wide


@define
class _Candidates:
    """Points on the lines of some settings, sorted by setting and value."""

    rows: Array
    x: Array
    values: dict[int, Array]
    feasible: Array


class Along:
    """The search along one continuous unknown.

    Args:
        system: With exactly this continuous unknown among those that anything depends on.
        requirements: What must hold.
        unknown: Its index.
        effort: Its limit is on settings times points of the grid.
        allowed: For some discrete unknowns the places that are to be tried, instead of all.
    """

    def __init__(
        self,
        system: System,
        requirements: Sequence[Condition],
        unknown: int,
        effort: Effort,
        allowed: Mapping[int, Sequence[int]] | None = None,
    ) -> None:
        self._system = system
        self._requirements = requirements
        self._unknown = unknown
        graph = system.graph
        self._moving = [c for c in requirements if graph.reach(c.node) >> unknown & 1]
        self._still = [c for c in requirements if not graph.reach(c.node) >> unknown & 1]
        self._grid = grid(system.unknowns[unknown].low, system.unknowns[unknown].high)
        self._effort = effort
        self._allowed = allowed or {}
        judged = [*requirements, *system.preferences]
        sides = [
            side for c in judged if c.left is not None and c.right is not None for side in (c.left, c.right)
        ]
        self._roots = [c.node for c in judged] + sides + [o.node for o in system.objectives]
        self._judged = [c.node for c in judged] + [o.node for o in system.objectives]

    @property
    def grid_points(self) -> int:
        """How many points the grid over the domain has."""
        return len(self._grid)

    def scan(self, keep: int = 1) -> Scan:
        """The best feasible points.

        Args:
            keep: How many are wanted, each of another setting; from 2 on with the best trade-offs.

        Raises:
            OverLimit: if there are too many settings or the budget is spent.
        """
        result = Scan(spread=[(np.inf, -np.inf)] * len(self._system.objectives))
        compared = len(self._system.objectives) + 1
        order = cmp_to_key(partial(_order, compared))
        for places, columns, count in self._settings([c.node for c in self._still]):
            line = Line(self._system.graph, self._unknown, columns, self._roots, self._effort.spend)
            found = self._candidates(line, count)
            if not found.feasible.any():
                continue
            best, found = self._choose(line, found, places, count, keep)
            result.top = sorted([*result.top, *best], key=order)[:keep]
            self._note(result, found, places, keep)
        return result

    def _note(self, result: Scan, found: _Candidates, places: dict[int, Array], keep: int) -> None:
        """Takes the feasible candidates of a block into account."""
        rows = np.unique(found.rows[found.feasible])
        result.feasible += len(rows)
        for unknown, array in places.items():
            size = len(self._system.unknowns[unknown].values or ())
            result.seen.setdefault(unknown, np.zeros(size, bool))[array[rows]] = True
        for number, cost in enumerate(costs_of(found.values, self._system.objectives)):
            mine = np.broadcast_to(cost, len(found.x))[found.feasible]
            low, high = result.spread[number]
            result.spread[number] = min(low, float(mine.min())), max(high, float(mine.max()))
        if keep > 1 and self._system.front:
            at = np.flatnonzero(found.feasible)
            costs = [np.broadcast_to(c, len(found.x))[at] for c in costs_of(found.values, self._system.front)]
            every = {unknown: array[found.rows[at]] for unknown, array in places.items()}
            result.front.add(costs, {**every, self._unknown: found.x[at]}, len(at))

    def front_point(self, front: Front, row: int) -> dict[int, float]:
        """The point of a front at a row."""
        at = {unknown: int(array[row]) for unknown, array in front.places.items() if unknown != self._unknown}
        return {**point_at(self._system, at), self._unknown: float(front.places[self._unknown][row])}

    def diagnose(self) -> Conflict:
        """Why there is none."""
        patterns: Counter[int] = Counter()
        met = [0] * len(self._requirements)
        nearest: tuple[tuple[float, ...], dict[int, float]] | None = None
        for places, columns, count in self._settings([]):
            line = Line(self._system.graph, self._unknown, columns, self._roots, self._effort.spend)
            found = self._candidates(line, count)
            size = len(found.x)
            values = line.probe(self._roots, found.rows)(found.x)
            failed = failures(values, self._requirements, size)
            for number, array in enumerate(failed):
                met[number] += size - int(np.count_nonzero(array))
            patterns.update(failure_patterns(failed, size))
            every = [self._cost(values, number) for number in range(1 + len(self._system.objectives))]
            costs = [*nearness(values, self._requirements, failed, size), *every]
            left = best_rows(costs, size)
            at = left[earliest([*self._places_at(places, found.rows[left]), found.x[left]])]
            key = tuple(float(cost if cost.ndim == 0 else cost[at]) for cost in costs)
            if nearest is None or _before(key, nearest[0], len(key)):
                nearest = key, self._point(places, int(found.rows[at]), float(found.x[at]))
        assert nearest is not None
        return conflict_of(self._system, self._requirements, met, patterns, nearest[1])

    def _cost(self, values: dict[int, Array], number: int) -> Array:
        """What is compared: first the preferences that are met, then the objectives."""
        if number == 0:
            return -score_of(values, self._system.preferences)
        return costs_of(values, self._system.objectives[number - 1 : number])[0]

    def _places_at(self, places: dict[int, Array], rows: Array) -> list[Array]:
        return [places[unknown][rows] for unknown in sorted(places)]

    def _settings(self, gates: Sequence[int]) -> Iterator[tuple[dict[int, Array], dict[int, Array], int]]:
        """Places and values of the discrete unknowns where the gates hold, in blocks."""
        system = self._system
        reach = 0
        for node in self._roots:
            reach |= system.graph.reach(node)
        axes = [axis for axis in axes_of(system, self._allowed) if reach >> axis.unknown & 1]
        sweep = GridEvaluator(system.graph, axes, gates, (), cells=max(1, _POINTS // len(self._grid)))
        scanned = entered = 0
        points = sum(sweep.points(step) for step in sweep.slices)
        for step in sweep.slices:
            for block in sweep.blocks((), (step,), self._effort.spend):
                scanned += block.count * len(self._grid)
                if scanned > self._effort.limit:
                    raise OverLimit
                places = {
                    axis.unknown: axis.places[block.positions(k)]
                    for k, axis in enumerate(sweep.axes)
                    if axis.unknown >= 0
                }
                columns = {
                    axis.unknown: axis.values[block.positions(k)]
                    for k, axis in enumerate(sweep.axes)
                    if axis.unknown >= 0
                }
                yield places, columns, block.count
            entered += sweep.points(step)
            self._effort.tell(entered, points, "layouts")

    def _candidates(self, line: Line, count: int) -> _Candidates:
        """All candidates of some settings, judged."""
        every = np.arange(count)
        rows, x = [np.repeat(every, len(self._grid))], [np.tile(self._grid, count)]
        marked = [np.zeros(count * len(self._grid), bool)]
        for condition in self._moving:
            for at, points in breakpoints(self._system.graph, line, condition, self._unknown, every, self._grid):
                rows.append(at)
                x.append(points)
                marked.append(np.ones(len(at), bool))
        row, point, mark = np.concatenate(rows), np.concatenate(x), np.concatenate(marked)
        order = np.lexsort((point, row))
        row, point, mark = row[order], point[order], mark[order]
        beside = (row[1:] == row[:-1]) & (mark[1:] | mark[:-1]) & (point[1:] > point[:-1])
        middle = (point[:-1] + point[1:])[beside] / 2
        return self._judge(line, np.concatenate([row, row[:-1][beside]]), np.concatenate([point, middle]))

    def _judge(self, line: Line, rows: Array, x: Array) -> _Candidates:
        order = np.lexsort((x, rows))
        rows, x = rows[order], x[order]
        values = line.probe(self._judged, rows)(x)
        values = {node: np.broadcast_to(array, len(x)) for node, array in values.items()}
        feasible = np.ones(len(x), bool)
        for condition in self._requirements:
            feasible &= truth(values[condition.node])
        return _Candidates(rows, x, values, feasible)

    def _choose(
        self, line: Line, found: _Candidates, places: dict[int, Array], count: int, keep: int
    ) -> tuple[list[Continuum], _Candidates]:
        """The best point of each of the best settings, refined objective by objective, and all candidates."""
        graph = self._system.graph
        active = found.feasible
        least: list[Array] = []
        for number in range(1 + len(self._system.objectives)):
            if number:
                node = graph[self._system.objectives[number - 1].node]
                if node.reach >> self._unknown & 1 and node.op != "unknown":
                    found, active = self._refine(line, found, active, least)
            cost = np.broadcast_to(self._cost(found.values, number), len(found.x))
            best = np.full(count, np.inf)
            np.minimum.at(best, found.rows[active], cost[active])
            least.append(best)
            active = active & _tied(cost, best[found.rows])
        at = np.flatnonzero(active)
        first = at[np.unique(found.rows[at], return_index=True)[1]]
        rows, x = found.rows[first], found.x[first]
        ties = [*self._places_at(places, rows), x]
        chosen = first_rows([best[rows] for best in least], ties, np.arange(len(rows)), keep)
        return [
            Continuum(
                self._point(places, int(rows[k]), float(x[k])),
                (*(float(best[rows[k]]) for best in least), *(float(array[k]) for array in ties)),
                self._intervals(found, int(rows[k])),
            )
            for k in chosen.tolist()
        ], found

    def _refine(
        self, line: Line, found: _Candidates, active: Array, least: Sequence[Array]
    ) -> tuple[_Candidates, Array]:
        """Adds for each setting the best point of the next objective beside its best candidate."""
        number = len(least)
        cost = np.broadcast_to(self._cost(found.values, number), len(found.x))
        at = np.flatnonzero(active)
        at = at[np.lexsort((cost[at], found.rows[at]))]
        at = at[np.unique(found.rows[at], return_index=True)[1]]

        def end(step: int) -> Array:
            beside = np.clip(at + step, 0, len(found.x) - 1)
            usable = active[beside] & (found.rows[beside] == found.rows[at])
            return np.where(usable, found.x[beside], found.x[at])

        low, high = end(-1), end(1)
        wide = high > low
        if not wide.any():
            return found, active
        rows, low, high = found.rows[at][wide], low[wide], high[wide]
        probe = line.probe(self._judged, rows)

        def penalised(x: Array) -> Array:
            values = {node: np.broadcast_to(array, len(x)) for node, array in probe(x).items()}
            return np.where(self._as_good(values, least, rows), self._cost(values, number), np.inf)

        points = minimise(penalised, low, high)
        joined = self._judge(line, np.concatenate([found.rows, rows]), np.concatenate([found.x, points]))
        return joined, joined.feasible & self._as_good(joined.values, least, joined.rows)

    def _as_good(self, values: dict[int, Array], least: Sequence[Array], rows: Array) -> Array:
        """Where everything required holds, and what was compared already is as good as the setting's best."""
        good: Array = np.ones((), bool)
        for condition in self._requirements:
            good = good & truth(values[condition.node])
        for number, best in enumerate(least):
            good = good & _tied(self._cost(values, number), best[rows])
        return good

    def _intervals(self, found: _Candidates, row: int) -> tuple[tuple[float, float], ...]:
        mine = found.rows == row
        intervals: list[tuple[float, float]] = []
        open_ = False
        for x, feasible in zip(found.x[mine].tolist(), found.feasible[mine].tolist()):
            if feasible:
                low = intervals.pop()[0] if open_ else x
                intervals.append((low, x))
            open_ = feasible
        # What an equation leaves is one point, not the width of the tolerance.
        return tuple(
            (low, low) if high - low <= TOLERANCE * abs(low) else (low, high) for low, high in intervals
        )

    def _point(self, places: dict[int, Array], row: int, x: float) -> dict[int, float]:
        at = {unknown: int(array[row]) for unknown, array in places.items()}
        return {**point_at(self._system, at), self._unknown: x}


def _tied(cost: Array, best: Array) -> Array:
    """Where costs are as good as their setting's best, within the tolerance."""
    with np.errstate(invalid="ignore"):
        good: Array = np.where(np.isfinite(best), cost <= best + TOLERANCE * np.abs(best), cost == best)
    return good


def _before(mine: Sequence[float], other: Sequence[float], compared: int) -> bool:
    """Whether a key is less: the first `compared` numbers within the tolerance, the rest exactly."""
    for a, b in zip(mine[:compared], other):
        if a != b and not abs(a - b) <= TOLERANCE * abs(b) < np.inf:
            return a < b
    return tuple(mine[compared:]) < tuple(other[compared:])


def _order(compared: int, a: Continuum, b: Continuum) -> int:
    return -1 if _before(a.key, b.key, compared) else 1

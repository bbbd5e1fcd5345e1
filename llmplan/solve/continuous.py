"""One continuous unknown, for every setting of the discrete ones.

For each setting the places where a condition begins or ceases to hold are bracketed on a grid over
the domain and narrowed by bisection. These, the points of the grid and the middles between them
are the candidates: between two neighbours no condition changes. The objectives are compared on the
feasible ones, ends included, and each is refined by golden section beside its best candidate.
Nothing is ever answered that was not evaluated and found feasible.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from attrs import define, frozen

from llmplan.solve.conflict import conflict_of, failure_patterns, failures, nearness
from llmplan.solve.line import Line, bisect, grid, minimise
from llmplan.solve.outcome import Conflict
from llmplan.solve.search import OverLimit, axes_of, best_rows, costs_of, earliest, point_at, score_of, tied
from llmplan.solve.sweep import Sweep
from llmplan.solve.vector import Array, truth
from llmplan.system.graph import TOLERANCE, Graph
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
        limit: The largest number of settings times points of the grid.
    """

    def __init__(self, system: System, requirements: Sequence[Condition], unknown: int, limit: float) -> None:
        self._system = system
        self._requirements = requirements
        self._unknown = unknown
        graph = system.graph
        self._moving = [c for c in requirements if graph.reach(c.node) >> unknown & 1]
        self._still = [c for c in requirements if not graph.reach(c.node) >> unknown & 1]
        self._grid = grid(system.unknowns[unknown].low, system.unknowns[unknown].high)
        self._limit = limit
        self.feasible = 0
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

    def best(self) -> Continuum | None:
        """The best feasible point, None if there is none.

        Raises:
            OverLimit: if there are too many settings.
        """
        best: Continuum | None = None
        for places, columns, count in self._settings([c.node for c in self._still]):
            line = Line(self._system.graph, self._unknown, columns, self._roots)
            found = self._candidates(line, count)
            self.feasible += len(np.unique(found.rows[found.feasible]))
            if not found.feasible.any():
                continue
            mine = self._choose(line, found, places)
            if best is None or _before(mine.key, best.key, len(self._system.objectives) + 1):
                best = mine
        return best

    def diagnose(self) -> Conflict:
        """Why there is none."""
        patterns: Counter[int] = Counter()
        met = [0] * len(self._requirements)
        nearest: tuple[tuple[float, ...], dict[int, float]] | None = None
        for places, columns, count in self._settings([]):
            line = Line(self._system.graph, self._unknown, columns, self._roots)
            found = self._candidates(line, count)
            size = len(found.x)
            values = line.probe(self._roots, found.rows)(found.x)
            failed = failures(values, self._requirements, size)
            for number, array in enumerate(failed):
                met[number] += size - int(np.count_nonzero(array))
            patterns.update(failure_patterns(failed, size))
            costs = [*nearness(values, self._requirements, failed, size), *self._costs(values)]
            left = best_rows(costs, size)
            at = left[earliest([*self._places_at(places, found.rows[left]), found.x[left]])]
            key = tuple(float(cost if cost.ndim == 0 else cost[at]) for cost in costs)
            if nearest is None or _before(key, nearest[0], len(key)):
                nearest = key, self._point(places, int(found.rows[at]), float(found.x[at]))
        assert nearest is not None
        return conflict_of(self._system, self._requirements, met, patterns, nearest[1])

    def _costs(self, values: dict[int, Array]) -> list[Array]:
        """What is compared: the preferences that are met, then the objectives."""
        return [-score_of(values, self._system.preferences), *costs_of(values, self._system.objectives)]

    def _places_at(self, places: dict[int, Array], rows: Array) -> list[Array]:
        return [places[unknown][rows] for unknown in sorted(places)]

    def _settings(self, gates: Sequence[int]) -> Iterator[tuple[dict[int, Array], dict[int, Array], int]]:
        """Places and values of the discrete unknowns where the gates hold, in blocks."""
        system = self._system
        reach = 0
        for node in self._roots:
            reach |= system.graph.reach(node)
        axes = [axis for axis in axes_of(system, {}) if reach >> axis.unknown & 1]
        sweep = Sweep(system.graph, axes, gates, (), cells=max(1, _POINTS // len(self._grid)))
        scanned = 0
        for step in sweep.slices:
            for block in sweep.blocks(step):
                scanned += block.count * len(self._grid)
                if scanned > self._limit:
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

    def _candidates(self, line: Line, count: int) -> _Candidates:
        """All candidates of some settings, judged."""
        every = np.arange(count)
        rows, x = [np.repeat(every, len(self._grid))], [np.tile(self._grid, count)]
        marked = [np.zeros(count * len(self._grid), bool)]
        for condition in self._moving:
            for at, points in self._breakpoints(line, condition, every):
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

    def _breakpoints(self, line: Line, condition: Condition, every: Array) -> Iterator[tuple[Array, Array]]:
        """Where a condition begins or ceases to hold: both ends of every narrowed bracket."""
        roots, holds = _predicate(self._system.graph, condition)
        on_grid = holds(line.probe(roots, every[:, None])(self._grid[None, :]))
        on_grid = np.broadcast_to(on_grid, (len(every), len(self._grid)))
        row, cell = np.nonzero(on_grid[:, 1:] != on_grid[:, :-1])
        low, high = self._grid[cell], self._grid[cell + 1]
        dips = list(self._dips(line, condition, every))
        for at, points, left, right in dips:
            yield at, points
            row = np.concatenate([row, at, at])
            low, high = np.concatenate([low, left, points]), np.concatenate([high, points, right])
        probe = line.probe(roots, row)
        changes = holds(probe(low)) != holds(probe(high))
        row, low, high = row[changes], low[changes], high[changes]
        probe = line.probe(roots, row)
        low, high = bisect(lambda x: np.broadcast_to(holds(probe(x)), len(x)), low, high)
        yield row, low
        yield row, high

    def _dips(
        self, line: Line, condition: Condition, every: Array
    ) -> Iterator[tuple[Array, Array, Array, Array]]:
        """Points between those of the grid where a violated condition comes nearest to holding."""
        if condition.left is None or condition.right is None or condition.op == "ne":
            return
        sides = (condition.left, condition.right)

        def gap(values: dict[int, Array]) -> Array:
            return values[sides[0]] - values[sides[1]]

        with np.errstate(all="ignore"):
            gaps = gap(line.probe(sides, every[:, None])(self._grid[None, :]))
            gaps = np.broadcast_to(gaps, (len(every), len(self._grid)))
            if condition.op in ("ge", "gt"):
                sign = np.full(gaps.shape, -1.0)
            elif condition.op == "eq":
                sign = np.sign(gaps)
            else:
                sign = np.ones(gaps.shape)
            bad = gaps * sign
            here, before, after = bad[:, 1:-1], bad[:, :-2], bad[:, 2:]
            dip = (here > 0) & (before > here) & (after >= here)
            row, cell = np.nonzero(dip)
            if not len(row):
                return
            signs = sign[:, 1:-1][row, cell]
            probe = line.probe(sides, row)
            left, right = self._grid[cell], self._grid[cell + 2]
            yield row, minimise(lambda x: gap(probe(x)) * signs, left, right), left, right

    def _choose(self, line: Line, found: _Candidates, places: dict[int, Array]) -> Continuum:
        """The best of the candidates, refined objective by objective."""
        graph = self._system.graph
        active = found.feasible
        least: list[float] = []
        for number in range(1 + len(self._system.objectives)):
            if number:
                node = graph[self._system.objectives[number - 1].node]
                if node.reach >> self._unknown & 1 and node.op != "unknown":
                    found, active = self._refine(line, found, active, least)
            cost = np.broadcast_to(self._costs(found.values)[number], len(found.x))
            least.append(float(cost[active].min()))
            active = active & tied(cost, least[-1])
        at = np.flatnonzero(active)
        ties = [*self._places_at(places, found.rows[at]), found.x[at]]
        first = earliest(ties)
        chosen = at[first]
        row = int(found.rows[chosen])
        key = (*least, *(float(array[first]) for array in ties))
        return Continuum(self._point(places, row, float(found.x[chosen])), key, self._intervals(found, row))

    def _refine(
        self, line: Line, found: _Candidates, active: Array, least: Sequence[float]
    ) -> tuple[_Candidates, Array]:
        """Adds for each setting the best point of the next objective beside its best candidate."""
        number = len(least)
        cost = self._costs(found.values)[number]
        at = np.flatnonzero(active)
        at = at[np.lexsort((cost[at], found.rows[at]))]
        at = at[np.unique(found.rows[at], return_index=True)[1]]

        def end(step: int) -> Array:
            beside = np.clip(at + step, 0, len(found.x) - 1)
            usable = active[beside] & (found.rows[beside] == found.rows[at])
            return np.where(usable, found.x[beside], found.x[at])

        rows = found.rows[at]
        probe = line.probe(self._judged, rows)

        def penalised(x: Array) -> Array:
            values = {node: np.broadcast_to(array, len(x)) for node, array in probe(x).items()}
            return np.where(self._as_good(values, least), self._costs(values)[number], np.inf)

        points = minimise(penalised, end(-1), end(1))
        joined = self._judge(line, np.concatenate([found.rows, rows]), np.concatenate([found.x, points]))
        return joined, joined.feasible & self._as_good(joined.values, least)

    def _as_good(self, values: dict[int, Array], least: Sequence[float]) -> Array:
        """Where everything required holds, and what was compared already is as good as the best."""
        good: Array = np.ones((), bool)
        for condition in self._requirements:
            good = good & truth(values[condition.node])
        for cost, bound in zip(self._costs(values), least):
            good = good & tied(cost, bound)
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


def _predicate(graph: Graph, condition: Condition) -> tuple[tuple[int, ...], Callable[[dict[int, Array]], Array]]:
    """What changes where a condition begins or ceases to hold, and the nodes that it is computed from.

    For `<=`, `>=` and `==` that is the exact order of the sides, so that the answer is the root and
    not the end of the tolerance beyond it. A condition with a guard is more than its sides.
    """
    left, right = condition.left, condition.right
    guarded = set(graph[condition.node].args) != {left, right}
    if left is None or right is None or guarded or condition.op not in ("le", "ge", "eq"):
        return (condition.node,), lambda values: truth(values[condition.node])
    low, high = (right, left) if condition.op == "ge" else (left, right)
    return (low, high), lambda values: values[low] <= values[high]


def _before(mine: Sequence[float], other: Sequence[float], compared: int) -> bool:
    """Whether a key is less: the first `compared` numbers within the tolerance, the rest exactly."""
    for a, b in zip(mine[:compared], other):
        if a != b and not abs(a - b) <= TOLERANCE * abs(b) < np.inf:
            return a < b
    return tuple(mine[compared:]) < tuple(other[compared:])

"""The edge of a jump: moves an answer closer to it if not every jump was sampled, and to the roundest number beside it.

Input: the best point of a scan along one unknown. Output: a point beside it, or the same answer at another point that
was evaluated too. No answer gets worse by more than the tolerance, and none becomes infeasible.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from attrs import evolve, frozen

from llmplan.operations import TOLERANCE
from llmplan.operations.logic import truth
from llmplan.solve.continuous.jumps import MOST, Brackets, Step, Values, between, levels
from llmplan.solve.continuous.line_search import Line, bisect
from llmplan.solve.order import Ranked, costs_of, first_rows, prefers, ranked
from llmplan.system.arrays import Array
from llmplan.system.system import Condition, System

_NEAR = 4 * TOLERANCE
"""How far from a jump, relatively, its edges may lie: the tolerance of the language shifts them."""

_DIGITS = range(8, 13)


_ROUNDS = 10
"""How many times the search zooms in around a point if not every jump was sampled."""

_BEYOND = 3  # points on either side reach past both sides of a jump and the midpoint beside it


@frozen
class Edge:
    """The results of a scan, moved along its line: the other unknowns keep their values.

    Attributes:
        steps: The operations that jump.
        grid: The points of the unknown where the search began.
        spend: Called with the evaluations done; may raise.
    """

    system: System
    requirements: Sequence[Condition]
    unknown: int
    steps: Sequence[Step]
    grid: Array
    spend: Callable[[float], None]

    def nearest(self, best: Ranked) -> Ranked:
        """An answer at the edge of a jump that is as good or better, in the roundest number; else the same answer."""
        columns = {
            index: np.array([(self.system.unknowns[index].values or ())[int(place)]])
            for index, place in best.places.items()
            if index != self.unknown
        }
        judged = [c.node for c in (*self.requirements, *self.system.preferences)]
        judged += [o.node for o in self.system.objectives]
        line = Line(self.system.graph, self.unknown, columns, judged, self.spend)
        return self._settled(line, judged, self._closer(line, judged, best) if best.partly else best)

    def _judge(self, line: Line, judged: Sequence[int], x: Array) -> tuple[dict[int, Array], Array]:
        values = line.probe(judged, np.zeros(1, np.intp))(x)
        good = np.ones(len(x), bool)
        for condition in self.requirements:
            good &= truth(values[condition.node])
        return values, good

    def _closer(self, line: Line, judged: Sequence[int], best: Ranked) -> Ranked:
        """The best of the jumps around an answer, zooming in round by round."""
        last = len(self.grid) - 1
        for _ in range(_ROUNDS):
            before = best
            best = self._closer_between(line, judged, best, self.grid[0], self.grid[-1])
            cell = int(np.searchsorted(self.grid, best.places[self.unknown]))
            best = self._closer_between(line, judged, best, self.grid[max(cell - 2, 0)], self.grid[min(cell + 1, last)])
            if best is before:
                break
        return best

    def _closer_between(self, line: Line, judged: Sequence[int], best: Ranked, low: float, high: float) -> Ranked:
        x = best.places[self.unknown]
        for _ in range(_ROUNDS):
            points = self._around(line, judged, float(low), x, float(high))
            values, good = self._judge(line, judged, points)
            left = np.flatnonzero(good)
            costs = [np.broadcast_to(cost, len(points))[left] for cost in costs_of(values, self.system)]

            def coordinates(chosen: Array) -> dict[int, Array]:
                return {self.unknown: points[left][chosen]}  # noqa: B023

            found = ranked(costs, coordinates, first_rows(costs, coordinates, np.arange(len(left)), 1))
            if not found or prefers(found[0].costs, best.costs) is not True:
                break
            x = found[0].places[self.unknown]
            best = evolve(best, costs=found[0].costs, places={**best.places, self.unknown: x})
            place = int(np.searchsorted(points, x))
            low, high = points[max(place - _BEYOND, 0)], points[min(place + _BEYOND, len(points) - 1)]
        return best

    def _around(self, line: Line, judged: Sequence[int], low: float, x: float, high: float) -> Array:
        """Points at the jumps between a point and two others, where feasibility changes, and between all of these."""
        points = [np.array([low, x, high])]
        for step in self.steps:
            level = partial(_levels, line, step, step.level)
            left, right = np.array([low, x]), np.array([x, high])
            found = Brackets(np.arange(2), left, right, level(left), level(right))
            number, sought, _ = levels(found, MOST, MOST)
            row = np.zeros(len(number), np.intp)
            points += between(line, step, row, left[number], right[number], sought)[1:]
        at = np.unique(np.concatenate(points))
        at = np.unique(np.concatenate([at, (at[1:] + at[:-1]) / 2]))
        good = self._judge(line, judged, at)[1]
        turns = np.flatnonzero(good[1:] != good[:-1])
        ends = bisect(lambda some: self._judge(line, judged, some)[1], at[turns], at[turns + 1])
        return np.unique(np.concatenate([at, *ends]))

    def _settled(self, line: Line, judged: Sequence[int], best: Ranked) -> Ranked:
        """An answer at a jump, moved to the exact position of the jump, or to a number with fewer digits there.

        It stays where it is if nothing jumps nearby, or no point as good is feasible there.
        """
        x, domain = best.places[self.unknown], self.system.unknowns[self.unknown]
        low, high = max(domain.low, x - _NEAR * abs(x)), min(domain.high, x + _NEAR * abs(x))
        meant = [one for step in self.steps for one in _edges(line, step, step.exact, low, high)]
        points = [x, *meant, *(one for step in self.steps for one in _edges(line, step, step.level, low, high))]
        if len(points) == 1:
            return best
        aim = min(meant, key=lambda one: abs(one - x), default=x)
        points += [one for digits in _DIGITS for near in {x, aim} for one in _decimals(near, digits)]
        tried = np.array([one for one in points if low <= one <= high])
        values, good = self._judge(line, judged, tried)
        for cost, bound in zip(costs_of(values, self.system), best.costs):
            slack = 2 * TOLERANCE * abs(bound) if np.isfinite(bound) else 0.0
            good &= cost <= bound + slack
        fitting = [float(one) for one in tried[good]]
        plainest = min(fitting, key=lambda one: (len(repr(one)), abs(one - aim), one), default=x)
        return evolve(best, places={**best.places, self.unknown: plainest}, edge=True)


def _levels(line: Line, step: Step, level: Callable[[Values], Array], x: Array) -> Array:
    with np.errstate(all="ignore"):
        found = np.asarray(level(line.probe(step.roots, np.zeros(1, np.intp))(x)), np.float64)
    return np.broadcast_to(found, len(x))


def _edges(line: Line, step: Step, level: Callable[[Values], Array], low: float, high: float) -> list[float]:
    """The two neighbouring points between which a level changes, if it does."""
    at = partial(_levels, line, step, level)
    first = at(np.array([low]))
    if at(np.array([high])) == first or not np.isfinite(first):
        return []
    ends = bisect(lambda x: at(x) == first, np.array([low]), np.array([high]))
    return [float(end[0]) for end in ends]


def _decimals(x: float, digits: int) -> list[float]:
    """The nearest number with so many digits, and its neighbours below and above."""
    if not x:
        return []
    nearest = float(f"{x:.{digits - 1}e}")
    step = 10.0 ** (np.floor(np.log10(abs(x))) + 1 - digits)
    return [float(f"{nearest + turn * step:.{digits - 1}e}") for turn in (-1, 0, 1)]

"""The edge of a jump: nearer to it where not every jump was sought, and the plainest of the points at it.

Input is what a scan along one unknown has chosen; output are points beside it, or the same answer at another point
that was evaluated as well. No answer gets worse by more than the tolerance, and none infeasible.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import evolve

from llmplan.operations import TOLERANCE
from llmplan.operations.logic import truth
from llmplan.solve.continuous.jumps import MOST, Brackets, Step, between, levels
from llmplan.solve.continuous.line_search import Line, bisect
from llmplan.solve.order import Ranked, costs_of
from llmplan.solve.vector import Array
from llmplan.system.system import Condition, System

_NEAR = 4 * TOLERANCE
"""How far from a jump, relatively, its edges may lie: the language's tolerance shifts them."""

_DIGITS = range(8, 13)


def jumps_beside(line: Line, steps: Sequence[Step], row: Array, low: Array, x: Array, high: Array) -> tuple[Array, Array]:
    """Points at the jumps between points and their neighbours on both sides: rows and values."""
    rows, points = [np.empty(0, np.intp)], [np.empty(0)]
    for step in steps:
        left, right = np.concatenate([low, x]), np.concatenate([x, high])
        both = np.concatenate([row, row])
        probe = line.probe(step.roots, both)
        with np.errstate(all="ignore"):
            before, after = (np.broadcast_to(step.level(probe(at)), len(at)).astype(float) for at in (left, right))
        differs = (before != after) & (right - left > _NEAR / 1e4 * np.abs(right))
        if not differs.any():
            continue
        found = Brackets(both[differs], left[differs], right[differs], before[differs], after[differs])
        number, level, _ = levels(found, MOST)
        at, lower, upper = between(line, step, found.row[number], found.low[number], found.high[number], level)
        rows += [at, at]
        points += [lower, upper]
    return np.concatenate(rows), np.concatenate(points)


def settled(
    system: System, requirements: Sequence[Condition], unknown: int, steps: Sequence[Step], best: Ranked
) -> Ranked:
    """An answer at a jump, moved to where the jump is meant to be, or to a number with fewer digits there.

    Where nothing jumps nearby, or nothing as good is feasible there, it stays.
    """
    x, domain = best.places[unknown], system.unknowns[unknown]
    columns = {
        index: np.array([(system.unknowns[index].values or ())[int(place)]])
        for index, place in best.places.items()
        if index != unknown
    }
    judged = [c.node for c in (*requirements, *system.preferences)] + [o.node for o in system.objectives]
    line = Line(system.graph, unknown, columns, judged, lambda cost: None)
    low, high = max(domain.low, x - _NEAR * abs(x)), min(domain.high, x + _NEAR * abs(x))
    meant = [one for step in steps for one in _edges(line, step, step.exact, low, high)]
    points = [x, *meant, *(one for step in steps for one in _edges(line, step, step.level, low, high))]
    if len(points) == 1:
        return best
    aim = min(meant, key=lambda one: abs(one - x), default=x)
    points += [one for digits in _DIGITS for near in {x, aim} for one in _decimals(near, digits)]
    tried = np.array([one for one in points if low <= one <= high])
    values = line.probe(judged, np.zeros(len(tried), np.intp))(tried)
    good = np.ones(len(tried), bool)
    for condition in requirements:
        good &= truth(values[condition.node])
    for cost, bound in zip(costs_of(values, system), best.costs):
        slack = 2 * TOLERANCE * abs(bound) if np.isfinite(bound) else 0.0
        good &= cost <= bound + slack
    fitting = [float(one) for one in tried[good]]
    plainest = min(fitting, key=lambda one: (len(repr(one)), abs(one - aim), one), default=x)
    return evolve(best, places={**best.places, unknown: plainest})


def _edges(line: Line, step: Step, level: object, low: float, high: float) -> list[float]:
    """Both sides of where a level changes between two points."""
    probe = line.probe(step.roots, np.zeros(1, np.intp))

    def at(x: Array) -> Array:
        with np.errstate(all="ignore"):
            return np.broadcast_to(np.asarray(level(probe(x)), np.float64), len(x))  # type: ignore[operator]

    first = at(np.array([low]))
    if at(np.array([high])) == first or not np.isfinite(first):
        return []
    ends = bisect(lambda x: at(x) == first, np.array([low]), np.array([high]))
    return [float(end[0]) for end in ends]


def _decimals(x: float, digits: int) -> list[float]:
    """The numbers with so many digits below and above one."""
    if not x:
        return []
    nearest = float(f"{x:.{digits - 1}e}")
    step = 10.0 ** (np.floor(np.log10(abs(x))) + 1 - digits)
    return [float(f"{nearest + turn * step:.{digits - 1}e}") for turn in (-1, 0, 1)]

"""Where, along one continuous unknown, a condition begins or ceases to hold.

Found between neighbouring points of a grid at which it differs, and where a condition that is violated
on the grid comes nearest to holding between its points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from llmplan.solve.line import Line, bisect, minimise
from llmplan.solve.vector import Array, truth
from llmplan.system.graph import Graph
from llmplan.system.system import Condition


def breakpoints(
    graph: Graph, line: Line, condition: Condition, every: Array, points: Array
) -> Iterator[tuple[Array, Array]]:
    """Where a condition begins or ceases to hold: rows, and both ends of every narrowed bracket.

    Args:
        graph: Where the condition stands.
        line: With the settings.
        condition: The unknown of the line is in it.
        every: The rows of all settings.
        points: A grid over the domain.
    """
    roots, holds = _predicate(graph, condition)
    on_grid = holds(line.probe(roots, every[:, None])(points[None, :]))
    on_grid = np.broadcast_to(on_grid, (len(every), len(points)))
    row, cell = np.nonzero(on_grid[:, 1:] != on_grid[:, :-1])
    low, high = points[cell], points[cell + 1]
    dips = list(_dips(line, condition, every, points))
    for at, lowest, left, right in dips:
        yield at, lowest
        row = np.concatenate([row, at, at])
        low, high = np.concatenate([low, left, lowest]), np.concatenate([high, lowest, right])
    probe = line.probe(roots, row)
    changes = holds(probe(low)) != holds(probe(high))
    row, low, high = row[changes], low[changes], high[changes]
    probe = line.probe(roots, row)
    low, high = bisect(lambda x: np.broadcast_to(holds(probe(x)), len(x)), low, high)
    yield row, low
    yield row, high


def _dips(
    line: Line, condition: Condition, every: Array, points: Array
) -> Iterator[tuple[Array, Array, Array, Array]]:
    """Points between those of the grid where a violated condition comes nearest to holding."""
    if condition.left is None or condition.right is None or condition.op == "ne":
        return
    sides = (condition.left, condition.right)

    def gap(values: dict[int, Array]) -> Array:
        return values[sides[0]] - values[sides[1]]

    with np.errstate(all="ignore"):
        gaps = gap(line.probe(sides, every[:, None])(points[None, :]))
        gaps = np.broadcast_to(gaps, (len(every), len(points)))
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
        left, right = points[cell], points[cell + 2]
        yield row, minimise(lambda x: gap(probe(x)) * signs, left, right), left, right


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

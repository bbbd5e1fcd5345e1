"""Crossings: where a condition begins or ceases to hold along one continuous unknown.

They lie between neighbouring grid points at which one of its comparisons differs, and where a comparison that is
violated on the grid comes closest to holding between grid points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from attrs import frozen

from llmplan.operations import COMPARISONS
from llmplan.operations.logic import truth
from llmplan.solve.continuous.jumps import Mesh
from llmplan.solve.continuous.line_search import Line, bisect, minimise
from llmplan.system.arrays import Array
from llmplan.system.graph import Graph
from llmplan.system.system import Condition

_LOGIC = ("and", "or", "not")


@frozen
class _Predicate:
    """A predicate on the values of some nodes that is true on one side of a point and false on the other.

    `sides` are the smaller and the larger side, and whether they must be equal; None if the predicate has no sides.
    """

    roots: tuple[int, ...]
    holds: Callable[[dict[int, Array]], Array]
    sides: tuple[int, int, bool] | None = None


def crossings(graph: Graph, mesh: Mesh, condition: Condition, unknown: int) -> Iterator[tuple[Array, Array]]:
    """Where a condition begins or ceases to hold: rows, and both ends of every narrowed bracket.

    The condition must depend on the line's unknown; the mesh must cover the whole domain for every setting.
    """
    for predicate in _predicates(graph, condition.node, unknown):
        yield from _brackets(mesh, predicate)


def compared(graph: Graph, condition: Condition, unknown: int) -> set[int]:
    """The comparisons of a condition that `crossings` checks."""
    return {node for node, _ in _comparisons(graph, condition.node, unknown)}


def _brackets(mesh: Mesh, predicate: _Predicate) -> Iterator[tuple[Array, Array]]:
    line = mesh.line
    found = mesh.changes(predicate.roots, predicate.holds)
    row, low, high = found.row, found.low, found.high
    if (dips := _dips(line, predicate, np.arange(mesh.count), mesh.grid)) is not None:
        dipping, lowest, left, right = dips
        yield dipping, lowest
        row = np.concatenate([row, dipping, dipping])
        low, high = np.concatenate([low, left, lowest]), np.concatenate([high, lowest, right])
    probe = line.probe(predicate.roots, row)
    changes = predicate.holds(probe(low)) != predicate.holds(probe(high))
    row, low, high = row[changes], low[changes], high[changes]
    probe = line.probe(predicate.roots, row)
    low, high = bisect(lambda x: np.broadcast_to(predicate.holds(probe(x)), len(x)), low, high)
    yield row, low
    yield row, high


def _dips(line: Line, predicate: _Predicate, rows: Array, points: Array) -> tuple[Array, Array, Array, Array] | None:
    """Where a violated comparison comes closest to holding between grid points: rows, points and both ends."""
    if predicate.sides is None:
        return None
    low, high, equal = predicate.sides

    def gap(values: dict[int, Array]) -> Array:
        return values[low] - values[high]

    with np.errstate(all="ignore"):
        gaps = gap(line.probe((low, high), rows[:, None])(points[None, :]))
        gaps = np.broadcast_to(gaps, (len(rows), len(points)))
        sign = np.sign(gaps) if equal else np.ones(gaps.shape)
        bad = gaps * sign
        here, before, after = bad[:, 1:-1], bad[:, :-2], bad[:, 2:]
        row, cell = np.nonzero((here > 0) & (before > here) & (after >= here))
        if not len(row):
            return None
        signs = sign[:, 1:-1][row, cell]
        probe = line.probe((low, high), row)
        left, right = points[cell], points[cell + 2]
        return row, minimise(lambda x: gap(probe(x)) * signs, left, right), left, right


def _predicates(graph: Graph, root: int, unknown: int) -> Iterator[_Predicate]:
    """The comparisons in a condition, and the condition itself if it is more than one comparison.

    `<=`, `>=` and `==` are taken without the tolerance, so that the answer is the root and not the end of the tolerance
    beyond it; `==` yields both orders of its sides, as a side that jumps may keep its value for a while.
    """
    for node, args in _comparisons(graph, root, unknown):
        yield from _comparison(graph[node].op, node, args)
    if graph[root].op not in COMPARISONS:
        yield _Predicate((root,), lambda values: truth(values[root]))


def _comparisons(graph: Graph, root: int, unknown: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    pending, seen = [root], {root}
    while pending:
        node = pending.pop()
        op, args = graph[node].op, graph[node].args
        if not graph.reach(node) >> unknown & 1:
            continue
        if op in _LOGIC:
            pending += [arg for arg in args if arg not in seen]
            seen.update(args)
        elif op in COMPARISONS:
            yield node, args


def _comparison(op: str, node: int, args: tuple[int, ...]) -> Iterator[_Predicate]:
    low, high = args
    if op == "ne":
        yield _Predicate((node,), lambda values: truth(values[node]))
    elif op == "lt":
        yield _Predicate((node, low, high), lambda values: truth(values[node]), (low, high, False))
    else:
        yield _Predicate((low, high), lambda values: values[low] <= values[high], (low, high, op == "eq"))
        if op == "eq":
            yield _Predicate((low, high), lambda values: values[low] >= values[high])

"""Exact one-sided derivatives at one point: how nodes of a graph change as one unknown begins to grow.

Rounding to whole numbers counts as smooth: the slope of `ceil(tokens / batch)` along `tokens` is that of the quotient.
If two branches of `min` or `max` are equal, as for pipeline stages with equal load, the branch taken next counts, and
likewise if a condition changes there. If the value jumps to the right, the slope to the left is used.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from llmplan.operations import OPERATIONS
from llmplan.operations.numbers import total
from llmplan.system.evaluate import ancestors
from llmplan.system.graph import Graph, Node


def slopes(graph: Graph, roots: Iterable[int], values: Mapping[int, float], unknown: int) -> dict[int, float]:
    """The derivative of each root along an unknown; NaN if the root jumps on both sides.

    `values` are those of the roots and all nodes that they depend on, as `llmplan.system.evaluate.evaluate` returns
    them.
    """
    roots = tuple(roots)
    right = _moves(graph, roots, values, unknown, 1.0)
    if all(map(math.isfinite, right.values())):
        return right
    left = _moves(graph, roots, values, unknown, -1.0)
    return {root: slope if math.isfinite(slope) else -left[root] for root, slope in right.items()}


def _moves(
    graph: Graph, roots: tuple[int, ...], values: Mapping[int, float], unknown: int, direction: float
) -> dict[int, float]:
    """The rate of change of the roots as the unknown moves in a direction."""
    found: dict[int, float] = {}
    for index in ancestors(graph, roots):
        node = graph[index]
        if node.op == "unknown":
            found[index] = direction if node.value == unknown else 0.0
        elif node.reach >> unknown & 1:
            moves = [found.get(arg, 0.0) for arg in node.args]
            found[index] = _move(node, [values[arg] for arg in node.args], moves) if any(moves) else 0.0
    return {root: found.get(root, 0.0) for root in roots}


def _move(node: Node, args: list[float], moves: list[float]) -> float:
    """The rate of change of a node whose arguments change at the rates in `moves`.

    For a truth value 1 if it changes; NaN if the value jumps.
    """
    operation = OPERATIONS[node.op]
    table = (node.table,) if node.table else ()
    try:
        if operation.move is not None:
            return operation.move(*table, args, moves)
        _, slopes = operation.interval(*table, *((arg, arg) for arg in args))
    except (ZeroDivisionError, ValueError, OverflowError):
        return math.nan
    # An argument that jumps does not matter if the slope along it is 0.
    parts = [(slope, move) for slope, move in zip(slopes, moves) if move and slope != (0.0, 0.0)]
    if any(low != high for (low, high), _ in parts):
        return math.nan
    return total(low * move for (low, _), move in parts)

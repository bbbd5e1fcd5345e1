"""The value of nodes at one point, in plain Python: for single points, where numpy does not pay off."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping, Sequence

from llmplan.system.graph import Graph, Node

_KEPT = 64
"""The number of evaluation orders that a graph caches: the same few roots are evaluated at many points."""


def ancestors(graph: Graph, roots: Iterable[int], leaves: Container[int] = ()) -> Sequence[int]:
    """The nodes that `roots` depend on, themselves included, in evaluation order.

    The search does not descend below `leaves`.
    """
    if leaves:
        return _order(graph, roots, leaves)
    key = tuple(roots)
    found = graph.orders.get(key)
    if found is None:
        if len(graph.orders) >= _KEPT:
            graph.orders.clear()
        found = graph.orders[key] = tuple(_order(graph, key, ()))
    return found


def _order(graph: Graph, roots: Iterable[int], leaves: Container[int]) -> list[int]:
    nodes = graph.nodes
    needed: set[int] = set()
    pending = list(roots)
    while pending:
        node = pending.pop()
        if node not in needed:
            needed.add(node)
            if node not in leaves:
                pending.extend(nodes[node].args)
    return sorted(needed)


def value_of(node: Node, args: list[float], point: Mapping[int, float]) -> float:
    """The value of one operation; NaN for an unknown without a value in `point`."""
    if node.op == "const":
        return math.nan if node.value is None else node.value
    if node.op == "unknown":
        return point.get(int(node.value or 0), math.nan)
    if node.op == "named":
        return args[0]
    return node.apply(args)


def evaluate(
    graph: Graph, point: Mapping[int, float], roots: Iterable[int], known: Mapping[int, float] | None = None
) -> dict[int, float]:
    """Values of `roots` and of all nodes that they depend on.

    Args:
        point: Index of an unknown to its value in base units.
        known: Values of nodes that are given, not computed.
    """
    given = known or {}
    values: dict[int, float] = {}
    for index in ancestors(graph, roots, given):
        if index in given:
            values[index] = given[index]
        else:
            node = graph[index]
            values[index] = value_of(node, [values[arg] for arg in node.args], point)
    return values

"""Nodes as products of the factors of bands: the value of a node without them, and the power of each.

A sum, or the greatest of several, is such a product too if all its parts have the same powers.
"""

from __future__ import annotations

from collections.abc import Mapping

from llmplan.system.evaluate import ancestors
from llmplan.system.graph import Graph

Powers = tuple[tuple[int, float], ...]
"""Nodes of factors with their powers, none of which is 0, in the order of the nodes."""

Product = tuple[int, Powers]
"""A node that depends on no factor, and the powers of the factors."""

_ALIKE = ("add", "sub", "min", "max")


def product(graph: Graph, root: int, factors: Mapping[int, object], known: dict[int, Product | None]) -> Product | None:
    """A node as such a product, None if it is not one; the results for all nodes on the way are added to `known`."""
    for index in ancestors(graph, (root,), known):
        if index not in known:
            known[index] = _product(graph, index, factors, known)
    return known[root]


def _product(
    graph: Graph, index: int, factors: Mapping[int, object], known: dict[int, Product | None]
) -> Product | None:
    node = graph[index]
    if index in factors:
        return graph.const(1.0), ((index, 1.0),)
    if not graph.varies(index) or node.op == "unknown":
        return index, ()
    args = [known[arg] for arg in node.args]
    parts = [arg for arg in args if arg is not None]
    if len(parts) < len(args):
        return None
    values = [part[0] for part in parts]
    powers = [dict(part[1]) for part in parts]
    if not any(powers):
        return index, ()
    if node.op in ("mul", "div"):
        sign = 1.0 if node.op == "mul" else -1.0
        names = sorted(powers[0].keys() | powers[1].keys())
        found = {name: powers[0].get(name, 0.0) + sign * powers[1].get(name, 0.0) for name in names}
    elif node.op in ("neg", "abs"):
        found = powers[0]
    elif node.op == "sqrt":
        found = {name: power / 2.0 for name, power in powers[0].items()}
    elif node.op == "pow" and (exponent := graph.constant(node.args[1])) is not None:
        found = {name: power * exponent for name, power in powers[0].items()}
    elif node.op in _ALIKE or (node.op == "select" and not powers[0]):
        alike = [parts[1:], parts][node.op in _ALIKE]
        several = [dict(part[1]) for part in alike if not _nothing(graph, part[0])]
        if any(power != several[0] for power in several):
            return None
        found = several[0] if several else {}
    else:
        return None
    return graph.add(node.op, *values), tuple((name, power) for name, power in found.items() if power)


def _nothing(graph: Graph, value: int) -> bool:
    """Whether a node is 0 or has no value, and is so with every factor."""
    constant = graph.constant(value)
    return constant is not None and (constant == 0.0 or constant != constant)

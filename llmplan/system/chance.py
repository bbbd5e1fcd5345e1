"""The probability of a comparison whose sides are products of the factors of bands, as nodes of the graph.

The logarithm of the ratio of such sides is that of their computed values plus the deviations of the bands, each times
its power. For one band this is its distribution at the threshold; for several, that of a sum.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

from llmplan.operations.chances import TENTH
from llmplan.system.graph import Graph
from llmplan.system.powers import Product

Ends = tuple[int, int]
"""How far the 90 % and the 10 % point of a deviation are from its median."""


def likelihood(
    graph: Graph, operation: str, sides: tuple[Product, Product], factors: Mapping[int, tuple[str, int, int]]
) -> int:
    """The probability that the first side is the smaller one.

    Args:
        operation: `lt` or `le`, which matters only for sides without uncertainty.
        factors: As in `Draws`.
    """
    (smaller, first), (larger, second) = sides
    certain = graph.add(operation, smaller, larger)
    powers = dict(first)
    for factor, power in second:
        powers[factor] = powers.get(factor, 0.0) - power
    ends = [_ends(graph, factors[factor][1:], power) for factor, power in sorted(powers.items()) if power]
    if not ends:
        return certain
    zero = graph.const(0.0)
    ratio = graph.add("div", smaller, larger)
    gap = graph.add("ln", ratio)
    # Of two negative sides the smaller one is farther from 0.
    turned = graph.add("lt", smaller, zero)
    gap = graph.add("select", turned, graph.add("neg", gap), gap)
    ends = [(graph.add("select", turned, down, up), graph.add("select", turned, up, down)) for up, down in ends]
    found = _one(graph, gap, ends[0]) if len(ends) == 1 else graph.add("together", gap, *chain(*ends))
    # Sides of different signs stay so.
    return graph.add("select", graph.add("lt", zero, ratio), found, certain)


def _ends(graph: Graph, ends: tuple[int, ...], power: float) -> Ends:
    """The ends of a deviation times a power."""
    up, down = (graph.add("mul", end, graph.const(abs(power))) for end in ends)
    return (up, down) if power > 0.0 else (down, up)


def _one(graph: Graph, gap: int, ends: Ends) -> int:
    """The probability that one deviation is at most `-gap`: the distribution of Student's t, in closed form."""
    zero = graph.const(0.0)
    scale = graph.add("select", graph.add("le", gap, zero), *ends)
    z = graph.add("div", graph.add("mul", graph.const(-TENTH), gap), scale)
    root = graph.add("sqrt", graph.add("add", graph.const(4.0), graph.add("mul", z, z)))
    a = graph.add("div", z, root)
    cube = graph.add("div", graph.add("mul", a, graph.add("mul", a, a)), graph.const(3.0))
    part = graph.add("mul", graph.const(0.75), graph.add("sub", a, cube))
    found = graph.add("add", graph.const(0.5), part)
    # A band may be open to one side only.
    return graph.add("select", graph.add("lt", zero, scale), found, graph.add("le", gap, zero))

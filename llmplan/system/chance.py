"""The probability of a comparison: the gap between its sides, relative to the spread of measured values.

A measured quantity with a band lies between two factors of the computed one in eight cases of ten. The event is lowered
again with each such quantity at either end; the resulting change in the logarithm of the ratio of the sides is the
band's deviation. Bands are independent: deviations are added in quadrature. The logarithm then follows Student's t with
4 degrees of freedom on each side of its median, scaled so that the ends of the band are its 10 % and 90 % points.
Sides that are not both positive are compared by their difference instead.

If inputs are ranges, the probability is the mean over points in them, each range independent of the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from llmplan.system.graph import Graph

TENTH = 1.5332062740589438
"""The 90 % point of Student's t with 4 degrees of freedom."""

Pair = tuple[int, int]
"""The node of the side that must be the smaller one, and that of the other."""


def likelihood(graph: Graph, operation: str, sides: Pair, bands: Sequence[tuple[Pair, Pair]]) -> int:
    """The probability that the first side is the smaller one.

    Args:
        operation: `lt` or `le`, which matters only for sides without uncertainty.
        bands: For each quantity with a band, the sides with that quantity at the low and at the high end.
    """
    certain = graph.add(operation, *sides)
    moving = [ends for ends in bands if any(end != sides for end in ends)]
    if not moving:
        return certain
    zero = graph.const(0.0)
    positive = graph.add("and", *(graph.add("lt", zero, side) for side in sides))
    gap = _gap(graph, sides, positive)
    up, down = [], []
    for ends in moving:
        first, second = (graph.add("sub", _gap(graph, end, positive), gap) for end in ends)
        up.append(graph.add("max", zero, graph.add("max", first, second)))
        down.append(graph.add("min", zero, graph.add("min", first, second)))
    favourable = graph.add("le", gap, zero)
    scale = graph.add("select", favourable, _together(graph, up), _together(graph, down))
    return graph.add("select", graph.add("lt", zero, scale), _distribution(graph, gap, scale), certain)


POINTS = 127
"""The number of sample points in the ranges of a plan."""


def points_of(ends: Mapping[str, tuple[float, float]], middles: Sequence[float | None]) -> list[dict[str, float]]:
    """The points of some ranges over which a mean is taken, each as the fraction of the way between its ends.

    Half of a range's mass lies evenly below its expected value, half above. The points are a lattice whose steps are
    powers
    of a generalised golden ratio: the same every time, and evenly spread in each range and in all of them together.
    """
    ratio = 2.0
    for _ in range(60):  # the root of x^(d+1) = x + 1
        ratio = (1.0 + ratio) ** (1.0 / (len(ends) + 1))
    steps = [1.0 / POINTS, *((1.0 / ratio) ** at for at in range(1, len(ends)))]
    found = []
    for point in range(POINTS):
        shares = [(0.5 / POINTS + point * step) % 1.0 for step in steps]
        at = zip(ends.items(), middles, shares)
        found.append({name: _share(low, middle, high, share) for (name, (low, high)), middle, share in at})
    return found


def _share(low: float, middle: float | None, high: float, mass: float) -> float:
    """The quantile of a range for a share of its mass, as the fraction of the way from its low to its high end."""
    part = 0.5 if middle is None or high == low else (middle - low) / (high - low)
    return 2.0 * mass * part if mass < 0.5 else part + (2.0 * mass - 1.0) * (1.0 - part)


def mean(graph: Graph, nodes: Sequence[int]) -> int:
    """The mean of some nodes."""
    total = nodes[0]
    for node in nodes[1:]:
        total = graph.add("add", total, node)
    return total if len(nodes) == 1 else graph.add("div", total, graph.const(float(len(nodes))))


def _gap(graph: Graph, sides: Pair, positive: int) -> int:
    """How far the first side exceeds the other: the logarithm of their ratio, or their difference."""
    ratio = graph.add("ln", graph.add("div", *sides))
    return graph.add("select", positive, ratio, graph.add("sub", *sides))


def _together(graph: Graph, deviations: Sequence[int]) -> int:
    """Combines independent deviations in quadrature."""
    squares = [graph.add("mul", one, one) for one in deviations]
    total = squares[0]
    for _, further in pairwise(squares):
        total = graph.add("add", total, further)
    return graph.add("sqrt", total)


def _distribution(graph: Graph, gap: int, scale: int) -> int:
    """The cumulative distribution of Student's t with 4 degrees of freedom, in closed form."""
    z = graph.add("div", graph.add("mul", graph.const(-TENTH), gap), scale)
    root = graph.add("sqrt", graph.add("add", graph.const(4.0), graph.add("mul", z, z)))
    a = graph.add("div", z, root)
    cube = graph.add("div", graph.add("mul", a, graph.add("mul", a, a)), graph.const(3.0))
    part = graph.add("mul", graph.const(0.75), graph.add("sub", a, cube))
    return graph.add("add", graph.const(0.5), part)

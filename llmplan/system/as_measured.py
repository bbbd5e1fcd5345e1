"""Nodes of quantities that measured runs move.

Input: the node of a quantity by the library's formula, what the runs do to it, and how near the plan is to each.
Output: another node; the same one where no run is near.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist

from llmplan.check.program import Holding, Moved, Narrowed, Near, Opened, Shifted
from llmplan.system.graph import Graph

_TENTH = NormalDist().inv_cdf(0.9)
"""How many standard deviations an end of a band is from the middle."""


def as_measured(graph: Graph, near: Callable[[Near], int], value: int, moved: Moved) -> int:
    """A quantity as measured runs move it.

    Args:
        near: The node of how near the plan is to a run.
        value: The node by the library's formula.
    """
    match moved:
        case Shifted(runs):
            return _shifted(graph, value, [(near(one), amount) for one, amount in runs])
        case Narrowed(runs, inverse, least):
            return _narrowed(graph, value, [near(one) for one in runs], inverse, least)
        case Holding(runs):
            for one in runs:
                value = graph.add("or", value, graph.add("lt", graph.const(0.0), near(one)))
            return value
        case Opened(index):
            return graph.add("mul", value, graph.add("exp", graph.unknown(index)))


def _shifted(graph: Graph, value: int, runs: list[tuple[int, float]]) -> int:
    """A constant times the exponential of what all runs say."""
    moved = graph.const(0.0)
    for near, amount in runs:
        moved = graph.add("add", moved, graph.add("mul", near, graph.const(amount)))
    return value if graph.constant(moved) == 0.0 else graph.add("mul", value, graph.add("exp", moved))


def _narrowed(graph: Graph, value: int, runs: list[int], inverse: tuple[tuple[float, ...], ...], least: float) -> int:
    """An end of a band: its logarithm's variance without what the runs know of it.

    What two parts of a variance have in common with the readings is `s' M^-1 s` with s what each shares with the plan.
    """
    known = graph.const(0.0)
    for row, first in zip(inverse, runs):
        for entry, second in zip(row, runs):
            product = graph.add("mul", graph.add("mul", first, second), graph.const(entry))
            known = graph.add("add", known, product)
    if graph.constant(known) == 0.0:
        return value
    logarithm = graph.add("ln", value)
    deviation = graph.add("div", logarithm, graph.const(_TENTH))
    before = graph.add("mul", deviation, deviation)
    floor = graph.add("min", before, graph.const(least * least))
    after = graph.add("max", graph.add("sub", before, known), floor)
    narrower = graph.add("exp", graph.add("mul", logarithm, graph.add("sqrt", graph.add("div", after, before))))
    return graph.add("select", graph.add("eq", before, graph.const(0.0)), value, narrower)

"""Ranges through a graph: bounds of a node if some inputs may lie anywhere between two ends.

Every node gets an interval that contains all its values and, for each input, an interval that contains its slope. If a
slope keeps its sign over the whole box, the extremes lie at corners and are exact; otherwise the box is halved a
limited number of times, and the remaining interval is a safe bound. The sign of a slope over the domains of all
unknowns is also the proof that a node grows or falls.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from attrs import frozen

from llmplan.operations import OPERATIONS
from llmplan.operations.numbers import EVERYTHING, NOWHERE, ONE, ZERO, Interval, plus, times
from llmplan.system.evaluate import ancestors, evaluate
from llmplan.system.graph import Graph, Node
from llmplan.system.system import Unknown

BOXES = 64
"""The most parts into which a box is divided for one node."""

KEPT = 2 * BOXES
"""The number of parts whose results are kept for further nodes: with one input, all nodes have the same parts."""


@frozen
class Ranged:
    """The interval of a node's values and those of its slopes along some inputs.

    Attributes:
        absent: Whether it may have no value; if that changes along an input, nothing is known about the slope.
    """

    value: Interval
    slopes: tuple[Interval, ...]
    absent: bool = False


Parts = dict[tuple[Interval, ...], dict[int, Ranged]]
"""The known intervals of nodes over each part of a box."""


def bounds(
    graph: Graph, node: int, box: Sequence[Interval], known: Parts | None = None, boxes: int = BOXES
) -> Interval | None:
    """An interval that contains every value of a node over a box of the unknowns; None if it may have no value.

    Args:
        known: Results for other nodes of the graph, on which this one may depend; new results are added.
        boxes: The most parts into which the box is divided.
    """
    known = {} if known is None else known
    order = ancestors(graph, (node,))
    low, high = math.inf, -math.inf
    pending = [tuple(box)]
    spent = 1
    while pending:
        part = pending.pop()
        there = known.get(part, {})
        if len(known) < KEPT:
            known[part] = there
        ranged = _spread(graph, order, part, range(len(part)), there)[node]
        if ranged.absent:
            return None
        if all(_sign(slope) is not None for slope in ranged.slopes):
            found = _corners(graph, node, part, ranged.slopes)
        elif spent < boxes and (halves := _halve(part, ranged.slopes)) is not None:
            pending += halves
            spent += 1
            continue
        else:
            found = ranged.value
        if found[0] != found[0] or found[1] != found[1]:
            return None
        low, high = min(low, found[0]), max(high, found[1])
    return low, high


def domains(unknowns: Iterable[Unknown]) -> list[Interval]:
    """The box in which some unknowns lie."""
    return [(u.low, u.high) if u.values is None else (min(u.values), max(u.values)) for u in unknowns]


def is_positive(graph: Graph, node: int, box: Sequence[Interval]) -> bool:
    """Whether a node is proved to have no negative value over a box."""
    return _spread(graph, ancestors(graph, (node,)), box, ())[node].value[0] >= 0.0


def directions(graph: Graph, roots: Iterable[int], unknown: int, unknowns: Sequence[Unknown]) -> dict[int, int | None]:
    """By node below the roots: 1 if it never falls as the unknown grows, -1 if it never grows, 0 if it is constant.

    None if the direction is not proved. A truth value that grows is one that can only become true.
    """
    spread = _spread(graph, ancestors(graph, roots), domains(unknowns), (unknown,))
    return {node: _sign(ranged.slopes[0]) for node, ranged in spread.items()}


def _sign(slope: Interval) -> int | None:
    if slope == ZERO:
        return 0
    return 1 if slope[0] >= 0.0 else -1 if slope[1] <= 0.0 else None


def _corners(graph: Graph, node: int, box: Sequence[Interval], slopes: Sequence[Interval]) -> Interval:
    rising = [slope[0] >= 0.0 for slope in slopes]
    least = {i: ends[0] if up else ends[1] for i, (ends, up) in enumerate(zip(box, rising))}
    most = {i: ends[1] if up else ends[0] for i, (ends, up) in enumerate(zip(box, rising))}
    return evaluate(graph, least, (node,))[node], evaluate(graph, most, (node,))[node]


def _halve(box: tuple[Interval, ...], slopes: Sequence[Interval]) -> list[tuple[Interval, ...]] | None:
    """The box halved along the widest input whose slope has no definite sign; None if there is none."""
    open_axes = [i for i, slope in enumerate(slopes) if _sign(slope) is None and box[i][0] < box[i][1]]
    if not open_axes:
        return None
    axis = max(open_axes, key=lambda i: (box[i][1] - box[i][0]) / (abs(box[i][0]) + abs(box[i][1])))
    middle = (box[axis][0] + box[axis][1]) / 2
    lower, upper = list(box), list(box)
    lower[axis], upper[axis] = (box[axis][0], middle), (middle, box[axis][1])
    return [tuple(lower), tuple(upper)]


def _spread(
    graph: Graph,
    order: Sequence[int],
    box: Sequence[Interval],
    axes: Sequence[int],
    known: dict[int, Ranged] | None = None,
) -> dict[int, Ranged]:
    """The intervals of nodes over a box, and of their slopes along some of its axes; added to `known`."""
    flat = (ZERO,) * len(axes)
    found = {} if known is None else known
    for index in order:
        if index in found:
            continue
        node = graph[index]
        if node.op == "unknown":
            at = int(node.value or 0)
            # What is open and not among the axes may be anything.
            inside = box[at] if at < len(box) else EVERYTHING
            found[index] = Ranged(inside, tuple(ONE if axis == at else ZERO for axis in axes))
        elif not node.reach:
            number = graph.constant(index)
            value = math.nan if number is None else number
            found[index] = Ranged((value, value), flat, value != value)
        else:
            found[index] = _apply(node, [found[arg] for arg in node.args])
    return found


def _apply(node: Node, args: list[Ranged]) -> Ranged:
    table = (node.table,) if node.table else ()
    values = [arg.value for arg in args]
    if node.op != "select" and any(low != low for low, _ in values):
        value, slopes = NOWHERE, (EVERYTHING,) * len(args)
    else:
        value, slopes = OPERATIONS[node.op].interval(*table, *values)
    # A branch that is never taken does not count, whatever its values.
    needed = [(a, s) for a, s in zip(args, slopes) if node.op != "select" or s != ZERO]
    along = []
    for axis in range(len(args[0].slopes)):
        total = ZERO
        for arg, slope in needed:
            part = arg.slopes[axis]
            if part != ZERO:
                comes_and_goes = arg.absent and part == EVERYTHING
                total = plus(total, EVERYTHING if comes_and_goes else times(slope, part))
        along.append(total)
    return Ranged(value, tuple(along), value[0] != value[0] or any(arg.absent for arg, _ in needed))

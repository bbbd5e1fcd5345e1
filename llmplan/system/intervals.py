"""Ranges through a graph: bounds of a node if some inputs may lie anywhere between two ends.

Every node gets an interval that contains all its values and, for each input, an interval that contains its slope. If
a slope keeps its sign over the whole box, the extremes lie at corners and are exact; otherwise the box is halved a
limited number of times where it matters, and the remaining interval is a safe bound. The sign of a slope over the
domains of all unknowns is also the proof that a node grows or falls.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from attrs import frozen

from llmplan.operations import OPERATIONS, TOLERANCE
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


NO_VALUE: Interval = (math.inf, -math.inf)

Parts = dict[tuple[Interval, ...], dict[int, Ranged]]
"""The known intervals of nodes over each part of a box."""


@frozen
class _Part:
    """A part of a box, the interval that contains a node's values there, and two of these values."""

    box: tuple[Interval, ...]
    bound: Interval
    met: Interval
    halves: tuple[tuple[Interval, ...], ...]


def bounds(
    graph: Graph, node: int, box: Sequence[Interval], known: Parts | None = None, boxes: int = BOXES
) -> Interval | None:
    """An interval that contains every value of a node over a box of the unknowns; None if it may have no value.

    The part that decides the worse end is halved until both ends are values of the node, or all boxes are spent: then
    the interval may be wider than the values.

    Args:
        known: Results for other nodes of the graph, on which this one may depend; new results are added.
        boxes: The most parts into which the box is divided.
    """
    known = {} if known is None else known
    order = ancestors(graph, (node,))
    parts: list[_Part] = []
    pending: Sequence[tuple[Interval, ...]] = (tuple(box),)
    within = EVERYTHING
    while True:
        for part in pending:
            there = known.get(part, {})
            if len(known) < KEPT:
                known[part] = there
            ranged = _spread(graph, order, part, range(len(part)), there)[node]
            seen = None if ranged.absent else _part(graph, node, part, ranged, within, box)
            if seen is None:
                return None
            parts.append(seen)
        worst = _to_halve(parts) if len(parts) < boxes else None
        if worst is None:
            return min(part.bound[0] for part in parts), max(part.bound[1] for part in parts)
        parts.remove(worst)
        pending, within = worst.halves, worst.bound


def _part(
    graph: Graph, node: int, box: tuple[Interval, ...], ranged: Ranged, within: Interval, whole: Sequence[Interval]
) -> _Part | None:
    """A node over a part of a box; None if a value is missing.

    Along an input whose slope has a sign, the extremes are at the ends. Along the others, a value lies within half the
    width times the steepest slope of one in the middle.
    """
    rising = [_sign(slope) for slope in ranged.slopes]
    free = [axis for axis, sign in enumerate(rising) if sign is None and box[axis][0] < box[axis][1]]
    least, most = {}, {}
    for axis, (low, high) in enumerate(box):
        up = rising[axis] != -1
        ends = ((low + high) / 2,) * 2 if axis in free else (low, high) if up else (high, low)
        least[axis], most[axis] = ends
    met = evaluate(graph, least, (node,))[node], evaluate(graph, most, (node,))[node]
    if not free:
        return None if met[0] != met[0] or met[1] != met[1] else _Part(box, met, met, ())
    if met[0] != met[0] or met[1] != met[1]:
        met = NO_VALUE
    around = ZERO
    for axis in free:
        half = (box[axis][1] - box[axis][0]) / 2
        around = plus(around, times(ranged.slopes[axis], (-half, half)))
    if ranged.value[0] != ranged.value[0]:
        return None
    near = EVERYTHING if met == NO_VALUE else (plus((met[0],) * 2, around)[0], plus((met[1],) * 2, around)[1])
    lows, highs = zip(near, ranged.value, within)
    return _Part(box, (max(lows), min(highs)), met, _halves(box, free, whole))


def _to_halve(parts: Sequence[_Part]) -> _Part | None:
    """The part that decides the end which is farther from a value of the node; None if both ends are good enough."""
    lowest, highest = min(parts, key=lambda part: part.bound[0]), max(parts, key=lambda part: part.bound[1])
    met = min(part.met[0] for part in parts), max(part.met[1] for part in parts)
    gaps = [
        (gap, part)
        for gap, part in ((met[0] - lowest.bound[0], lowest), (highest.bound[1] - met[1], highest))
        if part.halves and gap > TOLERANCE * max(abs(met[0]), abs(met[1]))
    ]
    return max(gaps, key=lambda pair: pair[0])[1] if gaps else None


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


def _halves(
    box: tuple[Interval, ...], free: Sequence[int], whole: Sequence[Interval]
) -> tuple[tuple[Interval, ...], ...]:
    """The box halved along the input of which least has been cut off; nothing if numbers lie no closer."""
    axis = max(free, key=lambda i: (box[i][1] - box[i][0]) / (whole[i][1] - whole[i][0]))
    low, high = box[axis]
    middle = (low + high) / 2
    if not low < middle < high:
        return ()
    return tuple((*box[:axis], half, *box[axis + 1 :]) for half in ((low, middle), (middle, high)))


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

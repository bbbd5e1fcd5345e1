"""Jumps: where a part of the model takes another step along one continuous unknown: `ceil`, `mod`, an `if`.

Input: the lines of some settings and the nodes that are judged on them. Output: points on both sides of each jump, as
close to it as floats allow. Between neighbouring grid points the steps of an operation are assumed to rise or fall
monotonically; if an operation jumps too often along a line, as many jumps are sampled as there is room for, evenly
spread.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

import numpy as np
from attrs import define, field, frozen

from llmplan.operations import COMPARISONS, TOLERANCE
from llmplan.operations.arithmetic import divide
from llmplan.operations.logic import truth
from llmplan.solve.continuous.line_search import Line, bisect
from llmplan.system.arrays import Array
from llmplan.system.evaluate import ancestors
from llmplan.system.graph import Graph

MOST = 64
"""The least number of jumps of one operation to sample on a line; more if all lines together stay below `ROOM`."""

SOME = 16
"""The number of jumps of one operation to sample on a line if it has more and there is no room for them."""

ROOM = 1 << 14

_WIDEST = 1e6  # if two grid points have more jumps between them, only every n-th counts

_ROUNDING = ("ceil", "floor", "round")

Values = dict[int, Array]


@frozen
class Step:
    """A whole number or truth value computed from some nodes: wherever it changes, something jumps.

    `exact` is the same without the tolerance of the language, to find the exact position of the jump.
    """

    roots: tuple[int, ...]
    level: Callable[[Values], Array]
    exact: Callable[[Values], Array]


def steps(graph: Graph, judged: Iterable[int], unknown: int, known: Collection[int] = ()) -> list[Step]:
    """The steps below some nodes, the inner ones first; comparisons in `known` are handled elsewhere."""
    found: list[Step] = []
    for index in ancestors(graph, judged):
        node = graph[index]
        if graph.reach(index) >> unknown & 1 and index not in known:
            found += _steps(index, node.op, node.args)
    return found


def _steps(node: int, op: str, args: tuple[int, ...]) -> list[Step]:
    if op in _ROUNDING:
        (arg,) = args

        def exact(values: Values) -> Array:
            half = 0.5 if op == "round" else 0.0
            return np.ceil(values[arg]) if op == "ceil" else np.floor(values[arg] + half)

        return [Step((node, arg), lambda values: values[node], exact)]
    if op == "mod":
        a, b = args

        def turns(values: Values) -> Array:
            quotient = divide(np, values[a], values[b])
            return _floor(quotient)

        return [Step(args, turns, lambda values: np.floor(values[a] / values[b]))]
    if op == "whole":
        (arg,) = args
        return [Step(args, lambda values: np.floor(values[arg]), lambda values: np.floor(values[arg]))]
    if op in COMPARISONS:
        low, high = args
        below = Step(args, lambda values: values[low] <= values[high], lambda values: values[low] <= values[high])
        above = Step(args, lambda values: values[low] >= values[high], lambda values: values[low] >= values[high])
        if op in ("eq", "ne"):
            return [below, above]
        return [Step((node, low, high), lambda values: truth(values[node]), below.exact if op == "le" else above.exact)]
    return []


@frozen
class Brackets:
    """Pieces of lines at whose ends a value differs: rows, ends and the values there."""

    row: Array
    low: Array
    high: Array
    before: Array
    after: Array


@define
class Mesh:
    """A grid over the domain of the unknown for every row, with further points on some rows.

    Attributes:
        row, x: The further points, sorted by row and then by value.
        partly: The rows in which not every jump was sampled.
    """

    line: Line
    grid: Array
    count: int
    row: Array = field(factory=lambda: np.empty(0, np.intp))
    x: Array = field(factory=lambda: np.empty(0))
    partly: Array = field(factory=lambda: np.empty(0, bool))

    def __attrs_post_init__(self) -> None:
        self.partly = np.zeros(self.count, bool)

    def add(self, row: Array, x: Array) -> None:
        """Adds further points."""
        row, x = np.concatenate([self.row, row]), np.concatenate([self.x, x])
        order = np.lexsort((x, row))
        self.row, self.x = row[order], x[order]

    def changes(self, roots: Sequence[int], function: Callable[[Values], Array]) -> Brackets:
        """The pieces between neighbouring points at whose ends a function of the values of `roots` differs."""
        every, last = np.arange(self.count), len(self.grid) - 1
        probed = function(self.line.probe(roots, every[:, None])(self.grid[None, :]))
        on_grid = np.broadcast_to(probed, (self.count, len(self.grid)))
        differs = _differs(on_grid[:, :-1], on_grid[:, 1:])
        cell = np.clip(np.searchsorted(self.grid, self.x, side="right") - 1, 0, max(last - 1, 0))
        differs[self.row, cell] = False
        row, at = np.nonzero(differs)
        found = [(row, self.grid[at], self.grid[at + 1], on_grid[row, at], on_grid[row, at + 1])]
        if len(self.x):
            mine = self.row * last + cell
            keys = np.unique(mine)
            key = np.concatenate([mine, keys, keys])
            x = np.concatenate([self.x, self.grid[keys % last], self.grid[keys % last + 1]])
            order = np.lexsort((x, key))
            key, x = key[order], x[order]
            values = np.broadcast_to(function(self.line.probe(roots, key // last)(x)), len(x))
            apart = (key[1:] == key[:-1]) & (x[1:] > x[:-1]) & _differs(values[:-1], values[1:])
            parts = key[:-1] // last, x[:-1], x[1:], values[:-1], values[1:]
            found.append(tuple(part[apart] for part in parts))
        return Brackets(*(np.concatenate(parts) for parts in zip(*found)))

    def seek(self, found: Sequence[Step]) -> None:
        """Adds the points on both sides of the jumps of some steps, the inner steps first."""
        for step in found:
            row, low, high, partly = self._jumps(step)
            self.partly[partly] = True
            self.add(np.concatenate([row, row]), np.concatenate([low, high]))

    def _jumps(self, step: Step) -> tuple[Array, Array, Array, Array]:
        """Rows, the points before and after each jump, and the rows that have more jumps than were sampled."""
        with np.errstate(all="ignore"):
            found = self.changes(step.roots, lambda values: np.asarray(step.level(values), np.float64))
        room = (ROOM - len(self.x)) // self.count
        number, level, partly = levels(found, max(MOST, room), room if room > MOST else SOME)
        return *between(self.line, step, found.row[number], found.low[number], found.high[number], level), partly


def between(line: Line, step: Step, row: Array, low: Array, high: Array, level: Array) -> tuple[Array, Array, Array]:
    """Rows, and the neighbouring points between which a step reaches a level on its way from `low` to `high`."""
    probe = line.probe(step.roots, row)

    def below(x: Array) -> Array:
        with np.errstate(all="ignore"):
            return np.broadcast_to(step.level(probe(x)) < level, len(x))

    if not len(row):
        return row, low, high
    return row, *bisect(below, low, high)


def levels(found: Brackets, most: int, some: int) -> tuple[Array, Array, Array]:
    """Brackets to narrow (one with several jumps comes several times), their levels, and the rows with more jumps."""
    with np.errstate(all="ignore"):
        least, width = np.minimum(found.before, found.after), np.abs(found.after - found.before)
    width = np.where(np.isfinite(width), width, 0.0)
    order = np.lexsort((found.low, found.row))
    weight = np.minimum(width, _WIDEST)[order]
    ends = np.cumsum(weight)
    rows, first = np.unique(found.row[order], return_index=True)
    starts = ends[first] - weight[first]
    totals = np.append(starts[1:], ends[-1:]) - starts
    wanted = np.where(totals > most, some, totals).astype(np.intp)
    at = np.repeat(np.arange(len(rows)), wanted)
    turn = np.arange(len(at)) - np.repeat(np.cumsum(wanted) - wanted, wanted)
    sought = starts[at] + np.floor(turn * (totals[at] / wanted[at]))
    place = np.minimum(np.searchsorted(ends, sought, side="right"), max(len(ends) - 1, 0))
    number = order[place]
    inside = (sought - (ends[place] - weight[place])) * (width[number] / weight[place])
    return number, least[number] + np.floor(inside) + 0.5, rows[totals > most]


def _floor(a: Array) -> Array:
    """Rounds down as the language does: float noise must not keep a value from the next whole number."""
    return np.asarray(np.floor(a + np.abs(a) * TOLERANCE))


def _differs(a: Array, b: Array) -> Array:
    """Where two values differ; two missing ones do not."""
    if a.dtype == np.bool_:
        return np.asarray(a != b)
    return np.asarray(~((a == b) | (np.isnan(a) & np.isnan(b))))

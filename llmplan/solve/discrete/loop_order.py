"""The loop order over a product of axes: the order of the axes, and when each node is computed."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import reduce
from math import isqrt, prod
from operator import or_

import numpy as np
from attrs import define, frozen

from llmplan.operations.logic import truth
from llmplan.solve.vector import evaluate_rows
from llmplan.system.arrays import Array
from llmplan.system.graph import Graph
from llmplan.system.system import System

CELLS = 1 << 14
"""The points of a block, and the size of the largest sub-grid that is computed once: the arrays stay in the CPU cache.
"""

PORTION = 1 << 17
"""The points in a part of a grid: enough to make the cost of handing it to another process small."""

_SAMPLE = 256


@define
class Axis:
    """A discrete unknown: its candidates in the order in which they are tried, and their positions in the domain."""

    unknown: int
    values: Array
    places: Array


def axes_of(system: System, allowed: Mapping[int, Sequence[int]], first: int | None = None) -> list[Axis]:
    """The axes of the discrete unknowns.

    For unknowns in `allowed`, only those positions are tried; the values of `first` come in the order of the first
    objective.
    """
    axes = []
    for index, unknown in enumerate(system.unknowns):
        if unknown.values is None:
            continue
        places = np.array(allowed.get(index, range(len(unknown.values))), np.intp)
        values = np.array(unknown.values, np.float64)[places]
        if index == first:
            order = np.argsort(values * system.objectives[0].sense, kind="stable")
            places, values = places[order], values[order]
        axes.append(Axis(index, values, places))
    return axes


@define
class Level:
    """The work done each time one outer axis advances.

    Attributes:
        slices: The steps of the axis.
        views: Nodes with small sub-grids that have to be cut again.
        masks: Keys of known gates that have to be cut again.
        steps: Nodes to compute, and gates to check (True), in order.
        drops: For each step, the values that are not needed after it.
    """

    slices: list[slice]
    views: list[int]
    masks: list[int]
    steps: list[tuple[int, bool]]
    drops: list[list[int]]


@frozen
class Part:
    """The work done at once: a run of steps of one axis, at a fixed step of each axis outside it.

    It lies in, or begins with, the step of the outermost axis whose number is `first`.
    """

    fixed: tuple[slice, ...]
    run: tuple[slice, ...]
    first: int


class Parts:
    """All parts of a grid in order, built on demand, as there may be many.

    Each covers steps of the levels, over axes of the lengths in `shape`, and has about so many points.
    """

    def __init__(self, levels: Sequence[Level], shape: Sequence[int], points: int) -> None:
        sizes: list[int] = [
            (level.slices[0].stop - level.slices[0].start) * prod(shape[k + 1 :]) for k, level in enumerate(levels)
        ]
        depth = next((k for k, size in enumerate(sizes) if size <= points), len(sizes) - 1)
        self._outside = [level.slices for level in levels[:depth]]
        self._steps = levels[depth].slices
        self._length = max(1, points // sizes[depth])
        self._runs: int = -(-len(self._steps) // self._length)

    def __len__(self) -> int:
        outside: int = prod(len(steps) for steps in self._outside)
        return self._runs * outside

    def __getitem__(self, number: int) -> Part:
        rest, run = divmod(number, self._runs)
        first = run * self._length
        steps_of_run = tuple(self._steps[first : first + self._length])
        fixed = []
        for steps in reversed(self._outside):
            rest, first = divmod(rest, len(steps))
            fixed.append(steps[first])
        return Part(tuple(reversed(fixed)), steps_of_run, first)

    def before(self, step: int) -> int:
        """The number of parts before a step of the outermost axis, including one that begins there."""
        if not self._outside:
            return -(-step // self._length)
        return step * len(self) // len(self._outside[0])


class LoopNest:
    """The axes as dimensions: the outer ones advance step by step, the inner ones make up a block.

    The axes that most nodes depend on are outermost, so that little is recomputed, and a long one is innermost, where
    numpy loops fastest. The unknown `first` must be outermost; `order` lists the nodes that will be computed.
    """

    def __init__(self, graph: Graph, order: Sequence[int], axes: Sequence[Axis], first: int | None, cells: int) -> None:
        reached = Counter(map(graph.reach, order))  # few sets of unknowns, many nodes
        using = {axis.unknown: sum(n for reach, n in reached.items() if reach >> axis.unknown & 1) for axis in axes}
        outer = sorted(axes, key=lambda axis: (axis.unknown != first, -using[axis.unknown]))
        if not outer:
            outer = [Axis(-1, np.zeros(1), np.zeros(1, np.intp))]
        inner: list[Axis] = []
        size = 1
        while len(outer) > 1 and size * len(outer[-1].values) <= cells:
            inner.append(outer.pop())
            size *= len(inner[-1].values)
        inner.sort(key=lambda axis: len(axis.values))
        self.axes = outer + inner
        self.shape = tuple(len(axis.values) for axis in self.axes)
        self.outer = len(outer)
        self._graph = graph
        self._chunk = max(1, cells // size)
        self._reached: dict[int, tuple[int, ...]] = {}  # by the unknowns that a node depends on
        self._sizes: dict[int, int] = {}  # by the same

    def levels(self) -> list[Level]:
        """One level for each outer axis; the last axis advances by as many values as fill a block."""
        levels = []
        for k, length in enumerate(self.shape[: self.outer]):
            width = self._chunk if k == self.outer - 1 else 1
            steps = [slice(start, min(start + width, length)) for start in range(0, length, width)]
            levels.append(Level(steps, [], [], [], []))
        return levels

    def reach(self, node: int) -> tuple[int, ...]:
        """The dimensions that a node depends on."""
        reach = self._graph.reach(node)
        if reach not in self._reached:
            self._reached[reach] = tuple(
                k for k, axis in enumerate(self.axes) if axis.unknown >= 0 and reach >> axis.unknown & 1
            )
        return self._reached[reach]

    def size(self, node: int) -> int:
        """The number of points in the sub-grid that a node depends on."""
        reach = self._graph.reach(node)
        if reach not in self._sizes:
            self._sizes[reach] = prod(self.shape[k] for k in self.reach(node))
        return self._sizes[reach]

    def level(self, node: int) -> int:
        """The innermost outer dimension that a node depends on, -1 if none."""
        return self.level_of(self.reach(node))

    def level_of(self, dimensions: Sequence[int]) -> int:
        return max((k for k in dimensions if k < self.outer), default=-1)


def schedule(
    graph: Graph,
    nest: LoopNest,
    levels: Sequence[Level],
    large: Sequence[int],
    gates: Sequence[int],
    targets: Sequence[int],
) -> None:
    """Fills in the steps of the levels: each node in its own level, each gate as early as it pays.

    `large` are the nodes that are not computed once in advance, in order of evaluation.
    """
    bits = {node: 1 << i for i, node in enumerate(large)}
    needs: dict[int, int] = {}
    for node in large:
        needs[node] = bits[node]
        for arg in graph[node].args:
            needs[node] |= needs.get(arg, 0)
    level_of = {node: nest.level(node) for node in large}
    wanted = {target for target in targets if target in bits}
    for node in large:
        wanted.update(arg for arg in graph[node].args if arg in bits and level_of[arg] < level_of[node])
    gates = [gate for gate in gates if gate in bits]
    passing = _pass_rates(graph, nest.axes, gates)
    done = 0

    def advance(level: Level, nodes: int) -> None:
        nonlocal done
        level.steps.extend((node, False) for node in large if nodes & ~done & bits[node])
        done |= nodes

    for number, level in enumerate(levels):
        mine = [gate for gate in gates if level_of[gate] == number]
        while mine:
            # The gate that is cheapest for the share of points it rejects; even one that rejects nothing must run once.
            best = min(mine, key=lambda gate: (needs[gate] & ~done).bit_count() / (1.02 - passing[gate]))
            mine.remove(best)
            advance(level, needs[best])
            level.steps.append((best, True))
        advance(level, reduce(or_, (needs[node] for node in wanted if level_of[node] == number), 0))
        _add_drops(graph, level, wanted)


def _add_drops(graph: Graph, level: Level, wanted: set[int]) -> None:
    last: dict[int, int] = {}
    for number, (node, is_gate) in enumerate(level.steps):
        last[node] = number
        if not is_gate:
            last.update((arg, number) for arg in graph[node].args)
    mine = {node for node, _ in level.steps} - wanted
    level.drops = [[] for _ in level.steps]
    for node, number in last.items():
        if node in mine:
            level.drops[number].append(node)


def _pass_rates(graph: Graph, axes: Sequence[Axis], gates: Sequence[int]) -> Mapping[int, float]:
    """Roughly the share of points that pass each gate, from a sample spread over the axes."""
    if len(gates) < 2:
        return dict.fromkeys(gates, 0.5)
    # Additive recurrences with square roots of primes: evenly spread, and the same on every run.
    count = np.arange(1, _SAMPLE + 1)
    columns = {}
    for axis, prime in zip(axes, _primes(len(axes))):
        spread = (count * prime**0.5 % 1.0 * len(axis.values)).astype(np.intp)
        columns[axis.unknown] = axis.values[spread]
    values = evaluate_rows(graph, gates, columns)
    return {gate: float(truth(values[gate]).mean()) for gate in gates}


def _primes(count: int) -> list[int]:
    primes = (n for n in itertools.count(2) if all(n % divisor for divisor in range(2, isqrt(n) + 1)))
    return list(itertools.islice(primes, count))

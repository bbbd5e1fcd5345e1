"""Evaluates nodes over the product of discrete axes, block by block.

Every axis is a dimension, and a node is an array that is longer than 1 only along the axes that it depends on. Nodes
with a small sub-grid of their own are computed once. The others are computed in blocks: the outer axes advance by
slices, and a node is computed again only when the innermost outer axis that it depends on advances. Gates are
conditions: a slice in which no point passes a gate is skipped at once, and a block in which few points pass continues
with those points as rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod

import numpy as np

from llmplan.operations.logic import truth
from llmplan.solve.discrete.block import Block, FlatIndices, Rows
from llmplan.solve.discrete.loop_order import CELLS, Axis, LoopNest, Parts, schedule
from llmplan.solve.effort import OPERATION
from llmplan.solve.vector import last_uses, run
from llmplan.system.arrays import Array, operate
from llmplan.system.evaluate import ancestors
from llmplan.system.graph import Graph

_SPARSE = 0.4
"""If a smaller share of a block is left, gathering the rows costs less than computing all points."""


class GridEvaluator:
    """An evaluation of nodes over the product of the axes.

    Args:
        axes: One for every unknown that gates or targets depend on; an unknown without an axis has no value.
        gates: Nodes that must be 1.
        targets: Nodes whose values are wanted where all gates are 1.
        first: The index of an unknown that advances last, so that its values come in order.
        cells: See `CELLS`.
    """

    def __init__(
        self,
        graph: Graph,
        axes: Sequence[Axis],
        gates: Sequence[int],
        targets: Sequence[int],
        first: int | None = None,
        cells: int = CELLS,
    ) -> None:
        self._graph = graph
        self._targets = tuple(dict.fromkeys(targets))
        self._work = 0  # evaluations that `spend` has not been called with yet
        gates = tuple(dict.fromkeys(gates))
        order = ancestors(graph, [*gates, *self._targets])
        self._nest = LoopNest(graph, order, axes, first, cells)
        self.axes = self._nest.axes
        self._dimensions = sorted((axis.unknown, k) for k, axis in enumerate(self.axes) if axis.unknown >= 0)
        self._levels = self._nest.levels()
        self._flat = FlatIndices()
        small = [node for node in order if self._nest.size(node) <= cells or graph[node].op == "unknown"]
        once = set(small)
        large = [node for node in order if node not in once]
        used = {arg for node in large for arg in graph[node].args} | set(self._targets)
        with np.errstate(all="ignore"):
            known = self._compute_once(small, used | set(gates))
            self._join_gates({gate: truth(known[gate]) for gate in gates if gate in once})
            schedule(graph, self._nest, self._levels, large, gates, self._targets)
        self._known = {node: array for node, array in known.items() if node in used}
        for node in self._known:
            level = self._nest.level(node)
            if level >= 0:
                self._levels[level].views.append(node)

    @property
    def slices(self) -> list[slice]:
        """The steps of the outermost axis."""
        return self._levels[0].slices

    def points(self, step: slice) -> int:
        """The number of points in a step of the outermost axis."""
        return len(range(step.start, step.stop)) * prod(self._nest.shape[1:])

    def parts(self, points: int) -> Parts:
        """The whole grid in parts of about so many points."""
        return Parts(self._levels, self._nest.shape, points)

    def blocks(
        self, fixed: Sequence[slice], run: Sequence[slice], spend: Callable[[float], None] = lambda evaluations: None
    ) -> Iterator[Block]:
        """The blocks in which at least one point passes, at fixed steps of outer axes and over a run of the next one.

        `spend` is called at each step of an axis with the number of evaluations done, and may raise to stop the
        evaluation.
        """
        self._spend = spend
        if self._hopeless:
            self._pay()
        else:
            self._values = dict(self._known)
            self._cut = [slice(0, 1)] * self._nest.outer
            self._path: list[Sequence[slice]] = [*([step] for step in fixed), run]
            yield from self._descend(0, self._inner_mask)

    def places(self, block: Block, rows: Array | slice = slice(None)) -> dict[int, Array]:
        """The positions in their domains of the values of a block's points, by unknown in ascending order."""
        return {unknown: self.axes[k].places[block.positions(k, rows)] for unknown, k in self._dimensions}

    def values(self, block: Block) -> dict[int, Array]:
        """The values of a block's points, by unknown."""
        return {unknown: self.axes[k].values[block.positions(k)] for unknown, k in self._dimensions}

    def _compute_once(self, nodes: Sequence[int], kept: set[int]) -> dict[int, Array]:
        """The nodes with small sub-grids, over whole axes; only those in `kept` outlive their last use."""
        leaves = [node for node in nodes if self._graph[node].op == "unknown"]
        columns = {int(self._graph[node].value or 0): self._along_axis(node) for node in leaves}
        values: dict[int, Array] = {}
        self._work += run(self._graph, nodes, last_uses(self._graph, nodes, kept), columns, values)
        return values

    def _along_axis(self, leaf: int) -> Array:
        dimensions = self._nest.reach(leaf)
        if not dimensions:
            return np.asarray(np.nan)
        shape = [1] * len(self.axes)
        shape[dimensions[0]] = -1
        return self.axes[dimensions[0]].values.reshape(shape)

    def _join_gates(self, gates: dict[int, Array]) -> None:
        """Combines the gates that are known in advance by the axes that they depend on, for their levels."""
        self._hopeless = False
        self._inner_mask: Array | None = None
        self._joined: dict[int, Array] = {}
        by_axes: dict[tuple[int, ...], Array] = {}
        for gate, passes in gates.items():
            if not passes.all():
                axes = self._nest.reach(gate)
                by_axes[axes] = by_axes[axes] & passes if axes in by_axes else passes
        for axes, passes in sorted(by_axes.items(), key=lambda item: float(item[1].mean())):
            level = self._nest.level_of(axes)
            self._hopeless |= not passes.any()
            if level >= 0:
                self._levels[level].masks.append(len(self._joined))
                self._joined[len(self._joined)] = passes
            else:
                self._inner_mask = passes if self._inner_mask is None else self._inner_mask & passes
        if self._inner_mask is not None:
            self._hopeless |= not self._inner_mask.any()

    def _pay(self) -> None:
        work, self._work = self._work, 0
        self._spend(work)

    def _descend(self, number: int, mask: Array | None) -> Iterator[Block]:
        last = number == len(self._levels) - 1
        for step in self._path[number] if number < len(self._path) else self._levels[number].slices:
            self._pay()
            self._cut[number] = step
            # A generator must not leak its numpy settings to its caller.
            with np.errstate(all="ignore"):
                entered, alive = self._enter(number, mask)
                block = self._last(entered) if alive and last else None
                if alive and not last:
                    entered, alive = self._compute_level(number, entered)
            if last:
                if block is not None:
                    yield block
            elif alive:
                yield from self._descend(number + 1, entered)

    def _view(self, array: Array) -> Array:
        """The part of an array over whole axes that belongs to the current steps."""
        steps = zip(array.shape, self._cut)  # the inner axes are whole
        return array[tuple(step if length > 1 else slice(None) for length, step in steps)]

    def _enter(self, number: int, mask: Array | None) -> tuple[Array | None, bool]:
        """Cuts the known values to the current step of a level; returns the mask, and whether a point is left."""
        level = self._levels[number]
        for key in level.masks:
            passes = self._view(self._joined[key])
            mask = passes if mask is None else mask & passes
        if mask is not None and not mask.any():
            return mask, False
        for node in level.views:
            self._values[node] = self._view(self._known[node])
        return mask, True

    def _compute_level(self, number: int, mask: Array | None) -> tuple[Array | None, bool]:
        """Computes a level that is not the last; returns the mask, and whether a point is left."""
        level = self._levels[number]
        for (index, is_gate), drops in zip(level.steps, level.drops):
            if is_gate:
                passes = truth(self._values[index])
                mask = passes if mask is None else mask & passes
                if not mask.any():
                    return mask, False
            else:
                node = self._graph[index]
                self._values[index] = operate(node.op, [self._values[arg] for arg in node.args], node.table)
                self._work += OPERATION + self._values[index].size * node.weight
            for drop in drops:
                del self._values[drop]
        return mask, True

    def _last(self, mask: Array | None) -> Block | None:
        """Computes the innermost level; returns the points of a block that pass, or None."""
        level = self._levels[-1]
        lengths = [len(range(step.start, step.stop)) for step in self._cut]
        rows = Rows(self._values, (*lengths, *self._nest.shape[len(lengths) :]), self._flat)
        if mask is not None and mask.mean() < _SPARSE:
            rows.select(mask)
        for (index, is_gate), drops in zip(level.steps, level.drops):
            if not is_gate:
                node = self._graph[index]
                rows.values[index] = operate(node.op, [rows.get(arg) for arg in node.args], node.table)
                self._work += OPERATION + rows.values[index].size * node.weight
            elif rows.selected:
                if not rows.narrow(truth(np.asarray(rows.get(index)))):
                    return None
            else:
                passes = truth(rows.get(index))
                mask = passes if mask is None else mask & passes
                part = np.count_nonzero(mask) / mask.size
                if part == 0:
                    return None
                if part < _SPARSE:
                    rows.select(mask)
            for drop in drops:
                rows.values.pop(drop, None)
        if not rows.selected:
            rows.select(mask)
        starts = [step.start for step in self._cut] + [0] * (len(self.axes) - len(self._cut))
        return rows.block(starts, self._targets)

"""The values of one block of a grid: arrays that broadcast, then rows for the remaining points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod

import numpy as np
from attrs import define, field

from llmplan.system.arrays import Array


class Values(Mapping[int, Array]):
    """The values of targets at the points of a block, one per point or one for all; brought there as they are read."""

    def __init__(self, rows: Rows, targets: Sequence[int]) -> None:
        self._rows, self._targets = rows, targets

    def __getitem__(self, target: int) -> Array:
        return np.asarray(self._rows.get(target))

    def __iter__(self) -> Iterator[int]:
        return iter(self._targets)

    def __len__(self) -> int:
        return len(self._targets)


@define
class Block:
    """The points of one block that passed every gate, and the values of each target there."""

    count: int
    values: Values
    _positions: list[Array] = field(alias="positions")
    _starts: list[int] = field(alias="starts")

    def positions(self, axis: int, rows: Array | slice = slice(None)) -> Array:
        """The positions of points on an axis (numbered as in `GridEvaluator.axes`), for all points or some rows."""
        return self._positions[axis][rows] + self._starts[axis]


class FlatIndices:
    """For each point of a block, its index in an array that broadcasts to the block; cached."""

    def __init__(self) -> None:
        self._known: dict[tuple[tuple[int, ...], tuple[int, ...]], Array] = {}

    def get(self, shape: tuple[int, ...], part: tuple[int, ...]) -> Array:
        """Flat indices into an array of shape `part`, for the points of a block of shape `shape`."""
        indices = self._known.get((shape, part))
        if indices is None:
            numbers = np.arange(prod(part)).reshape(part)
            indices = self._known[shape, part] = np.broadcast_to(numbers, shape).reshape(-1)
        return indices


class Rows:
    """Values of nodes while a block is computed; `dense` holds those computed outside it, cut to the block."""

    def __init__(self, dense: Mapping[int, Array], shape: tuple[int, ...], flat: FlatIndices) -> None:
        self._dense, self._shape, self._flat = dense, shape, flat
        self._picked: Array | None = None
        self._left: Array | None = None
        self.selected = False
        self.values: dict[int, Array] = {}

    def get(self, node: int) -> Array:
        """The values of a node: an array that broadcasts; after `select`, rows or a single number."""
        values = self.values.get(node)
        if values is None:
            values = self._dense[node]
            if self.selected:
                values = self.values[node] = self._gather(values)
        return values

    def _gather(self, array: Array) -> Array:
        if array.size == 1:
            return array.reshape(())
        if self._picked is None:
            return np.broadcast_to(array, self._shape).reshape(-1)
        if array.shape == self._shape:
            return array.reshape(-1)[self._picked]
        return array.reshape(-1)[self._flat.get(self._shape, array.shape)[self._picked]]

    def select(self, mask: Array | None) -> None:
        """Continues with the points where `mask` is True (all if None)."""
        if mask is not None:
            self._picked = np.flatnonzero(np.broadcast_to(mask, self._shape))
        self.selected = True
        self._dense = {**self._dense, **self.values}
        self.values = {}

    def narrow(self, passes: Array) -> bool:
        """Drops the rows that do not pass if they are many; returns whether any row is left."""
        self._left = passes if self._left is None else self._left & passes
        part = np.count_nonzero(self._left) / self._left.size
        if 0 < part < 0.5:
            self._shrink()
        return bool(part > 0)

    def _shrink(self) -> None:
        left, self._left = self._left, None
        if left is None or left.ndim == 0:
            return
        self._picked = np.flatnonzero(left) if self._picked is None else self._picked[left]
        self.values = {node: array if array.ndim == 0 else array[left] for node, array in self.values.items()}

    def block(self, starts: Sequence[int], targets: Sequence[int]) -> Block:
        """The values of some nodes at the remaining points of the block, which begins at `starts` on each axis."""
        self._shrink()
        positions = []
        for k, size in enumerate(self._shape):
            along = (1,) * k + (size,) + (1,) * (len(self._shape) - k - 1)
            place = self._flat.get(self._shape, along)
            positions.append(place if self._picked is None else place[self._picked])
        count = prod(self._shape) if self._picked is None else len(self._picked)
        return Block(count, Values(self, targets), positions, list(starts))

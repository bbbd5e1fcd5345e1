"""Line search along one continuous unknown, for many settings of the other unknowns at once.

A setting is a row: an index into the columns of the other unknowns. Values that do not depend on the continuous
unknown are computed once for every setting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from llmplan.solve.vector import evaluate_rows, last_uses, run
from llmplan.system.arrays import Array
from llmplan.system.evaluate import ancestors
from llmplan.system.graph import Graph
from llmplan.system.system import Unknown

Probe = Callable[[Array], dict[int, Array]]

_LINE = 2  # sorting and comparing the points of a line costs as much again
_RELATIVE = 1e-14
_BISECTIONS = 1100
_GOLDEN_STEPS = 50
_GOLDEN = (5**0.5 - 1) / 2

FAR = 1e30
"""The end assumed for a domain without one."""


class Line:
    """Values of nodes (`roots`) as functions of one unknown.

    `columns` has the value of each other unknown in each setting. `spend` is called with the evaluations done; may
    raise.
    """

    def __init__(
        self,
        graph: Graph,
        unknown: int,
        columns: Mapping[int, Array],
        roots: Iterable[int],
        spend: Callable[[float], None],
    ) -> None:
        self._graph, self._unknown, self._spend = graph, unknown, spend
        needed = ancestors(graph, roots)
        moving = {node for node in needed if graph.reach(node) >> unknown & 1}
        still = {arg for node in moving for arg in graph[node].args} | set(roots)
        self._still = evaluate_rows(graph, still - moving, columns)
        self._moving = [node for node in needed if node in moving]

    def probe(self, roots: Iterable[int], rows: Array) -> Probe:
        """A function from values of the unknown, one for each of `rows`, to the values of `roots`.

        If `rows` has two dimensions, `(n, 1)`, the values are a grid for all of them, `(1, m)`.
        """
        wanted = frozenset(roots)
        needed = set(ancestors(self._graph, wanted))
        order = [node for node in self._moving if node in needed]
        still = {node: array for node, array in self._still.items() if node in needed}
        known = {node: array[rows] if array.ndim else array for node, array in still.items()}
        drops = last_uses(self._graph, order, wanted)

        def values(x: Array) -> dict[int, Array]:
            found = dict(known)
            self._spend(_LINE * run(self._graph, order, drops, {self._unknown: x}, found))
            return found

        return values


def grid(domain: Unknown) -> Array:
    """Points of a domain, ends included: linear steps, plus geometric ones if it spans orders of magnitude."""
    low = domain.low if np.isfinite(domain.low) else -FAR
    high = domain.high if np.isfinite(domain.high) else FAR
    parts = [np.array([low, high]), np.linspace(low, high, 65)]
    if low > 0 and high / low > 4:
        parts.append(_ratios(low, high))
    elif high < 0 and low / high > 4:
        parts.append(-_ratios(-high, -low))
    else:
        if low >= 0 or high > 0:
            parts.append(_ratios(max(low, high * 1e-12 if high < FAR else 1e-12), high))
        if low < 0:
            parts.append(-_ratios(-low * 1e-12 if low > -FAR else 1e-12, -low))
    points = np.unique(np.concatenate(parts))
    return points[(points >= low) & (points <= high)]


def _ratios(low: float, high: float) -> Array:
    if not 0 < low < high:
        return np.empty(0)
    decades = float(np.log10(high / low))
    return np.geomspace(low, high, int(min(max(65, 8 * decades), 400)))


def bisect(predicate: Callable[[Array], Array], low: Array, high: Array) -> tuple[Array, Array]:
    """Narrows brackets at whose ends a predicate differs to neighbouring floats at which it still differs."""
    low, high = low.copy(), high.copy()
    at_low = predicate(low)
    for _ in range(_BISECTIONS):
        open_ = high - low > _RELATIVE * np.maximum(np.abs(low), np.abs(high))
        middle = _middle(low, high)
        open_ &= (middle > low) & (middle < high)
        if not open_.any():
            break
        same = predicate(middle) == at_low
        low = np.where(open_ & same, middle, low)
        high = np.where(open_ & ~same, middle, high)
    return low, high


def _middle(low: Array, high: Array) -> Array:
    """The geometric mean of ends with the same sign that are orders of magnitude apart, else the arithmetic mean."""
    with np.errstate(all="ignore"):
        far = (low * high > 0) & ((high > 4 * low) & (low > 0) | (low < 4 * high) & (high < 0))
        mean = np.sign(low) * np.sqrt(np.abs(low)) * np.sqrt(np.abs(high))
    return np.where(far, mean, low + (high - low) / 2)


def minimise(function: Callable[[Array], Array], low: Array, high: Array) -> Array:
    """The minimum of a function between `low` and `high`, by golden-section search; NaN counts as infinite."""

    def cost(x: Array) -> Array:
        found = function(x)
        return np.where(np.isnan(found), np.inf, found)

    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = cost(left), cost(right)
    for _ in range(_GOLDEN_STEPS):
        leftwards = at_left <= at_right
        low, high = np.where(leftwards, low, left), np.where(leftwards, right, high)
        fresh = np.where(leftwards, high - _GOLDEN * (high - low), low + _GOLDEN * (high - low))
        at_fresh = cost(fresh)
        left, right = np.where(leftwards, fresh, right), np.where(leftwards, left, fresh)
        at_left, at_right = np.where(leftwards, at_fresh, at_right), np.where(leftwards, at_left, at_fresh)
    return np.where(at_left <= at_right, left, right)

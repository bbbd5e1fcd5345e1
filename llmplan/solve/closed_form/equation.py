"""An equation in one unknown, as the modules of this folder exchange it: two graph nodes, names and known values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from attrs import frozen

from llmplan.operations import OPERATIONS, TOLERANCE
from llmplan.operations.numbers import close
from llmplan.solve.presolve.isolate import unguarded
from llmplan.system.evaluate import ancestors, evaluate
from llmplan.system.graph import Graph

MOST_NODES = 60
"""The most operations in a formula that is short enough to read."""


@frozen
class Equation:
    """Two sides that must be equal, to be solved for one unknown.

    Attributes:
        names: Nodes that the formula shows under a name instead of expanding them; the unknown's own node has its name.
        leaves: The values, in base units, of those nodes and of others that must not be expanded; none depends on the
            unknown.
        low, high: Roots outside this interval are dropped.
    """

    graph: Graph
    left: int
    right: int
    unknown: int
    names: Mapping[int, str]
    leaves: Mapping[int, float]
    low: float = -math.inf
    high: float = math.inf

    @property
    def sides(self) -> tuple[int, int]:
        """Both sides; the first is one that depends on the unknown, if any does."""
        return (self.left, self.right) if self.holds(self.left) else (self.right, self.left)

    def holds(self, node: int) -> bool:
        """Whether a node depends on the unknown."""
        return bool(self.graph.reach(node) >> self.unknown & 1)

    def meets(self, root: float) -> bool:
        """Whether a root lies in the unknown's domain, and the sides are equal there."""
        if not self.low - TOLERANCE * abs(self.low) <= root <= self.high + TOLERANCE * abs(self.high):
            return False
        values = evaluate(self.graph, {self.unknown: root}, self.sides, self.leaves)
        return close(values[self.sides[0]], values[self.sides[1]])

    def occurrences(self) -> Iterator[int]:
        """Nodes that depend on the unknown, as often as a written formula would mention them."""
        pending = [side for side in self.sides if self.holds(side)]
        while pending:
            node = unguarded(self.graph, pending.pop())
            yield node
            pending.extend(arg for arg in self.graph[node].args if self.holds(arg))

    def is_short(self) -> bool:
        """Whether few operations lie between the unknown and the equation's sides, all of them invertible."""
        for count, node in enumerate(self.occurrences()):
            op = self.graph[node].op
            if count == MOST_NODES or (op != "unknown" and not OPERATIONS[op].inverse):
                return False
        return self.holds(self.sides[0])

    def key(self) -> str:
        """The equation as text, the same for equal equations: nodes by position, names and values."""
        nodes = ancestors(self.graph, self.sides, self.leaves)
        places = {node: at for at, node in enumerate(nodes)}
        parts: list[object] = []
        for node in nodes:
            found, name = self.graph[node], self.names.get(node, "")
            if node in self.leaves:
                parts.append((repr(self.leaves[node]), name))
            else:
                args = [places[arg] for arg in found.args]
                parts.append((found.op, args, repr(found.value), found.table, name))
        ends = [places[side] for side in self.sides]
        return repr((parts, ends, self.unknown, self.low, self.high))

"""The mean of nodes over several points of the ranges that they depend on.

Input: a node, and the values of variables at each point. Output: the mean of the node over the points, which is a
number if the node depends on nothing else, else a node without these variables. Parts that several nodes share are
computed once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import repeat

from llmplan.operations import OPERATIONS
from llmplan.system.chance import mean
from llmplan.system.graph import Graph, Node


class OverPoints:
    """The points over which means are taken.

    Args:
        columns: By the number of a variable, its value at each point.
        count: The number of points.
    """

    def __init__(self, graph: Graph, columns: Mapping[int, Sequence[float]], count: int) -> None:
        self._graph = graph
        self._columns = columns
        self._count = count
        self._numbers: dict[int, Sequence[float]] = {}  # of nodes that depend on nothing else
        self._nodes: dict[int, Sequence[int]] = {}  # of the others

    def mean(self, root: int) -> int:
        """The mean of a node over the points."""
        graph = self._graph
        if not graph.varies(root):
            return root
        for index in self._order(root):
            node = graph[index]
            if node.op == "unknown":
                self._numbers[index] = self._columns[int(node.value or 0)]
            elif graph.varies_alone(index):
                self._numbers[index] = self._computed(node)
            else:
                self._nodes[index] = self._put_in(node)
        if root in self._nodes:
            return mean(graph, self._nodes[root])
        return mean(graph, [graph.const(number) for number in self._numbers[root]])

    def _order(self, root: int) -> list[int]:
        """The nodes that a node depends on, that depend on the variables and that are not yet known, in order."""
        needed: set[int] = set()
        pending = [root]
        while pending:
            index = pending.pop()
            if index in needed or index in self._numbers or index in self._nodes or not self._graph.varies(index):
                continue
            needed.add(index)
            pending += self._graph[index].args
        return sorted(needed)

    def _computed(self, node: Node) -> list[float]:
        function = OPERATIONS[node.op].scalar
        args = [self._numbers[arg] if arg in self._numbers else repeat(self._graph[arg].value) for arg in node.args]
        found = map(function, repeat(node.table), *args) if node.table else map(function, *args)
        return [float(value) for value in found]

    def _put_in(self, node: Node) -> list[int]:
        graph = self._graph
        args: list[Sequence[int]] = []
        for arg in node.args:
            if arg in self._numbers:
                args.append([graph.const(number) for number in self._numbers[arg]])
            else:
                args.append(self._nodes.get(arg) or [arg] * self._count)
        if node.table:
            return [graph.tabled(node.op, arg, node.table) for arg in args[0]]
        return [graph.add(node.op, *at) for at in zip(*args)]

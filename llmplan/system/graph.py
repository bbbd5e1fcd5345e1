"""The equations of a plan as one shared graph of arithmetic.

A node is an operation on earlier nodes, so the order of the list is an order of evaluation. Equal nodes are one node,
and a node that depends on no unknown is a constant: `add` folds it. Values are float64; truth values, members of enums
and entries are numbers too (0 and 1, the index of the member), so one array type serves all. NaN means "has no value
here" and propagates; comparisons with NaN are false.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_
from typing import Any

from attrs import field, frozen

from llmplan.operations import OPERATIONS


@frozen
class Node:
    """An operation.

    Attributes:
        op: `const`, `unknown`, `named` or the name of an operation.
        args: Ids of earlier nodes.
        value: The number of a constant or the index of an unknown; else None.
        table: For `table`: the results for the arguments 0, 1, 2 …; for `interpolate`: the x and then the y
            coordinates; for `integral`: its program. Else empty.
        reach: Bit i is set if the value depends on unknown i.
    """

    op: str
    args: tuple[int, ...] = ()
    value: float | None = None
    table: Any = ()
    reach: int = field(default=0, eq=False)

    @property
    def weight(self) -> int:
        """What it costs at one point, in evaluations of other operations."""
        return int(getattr(self.table, "weight", 1))

    def apply(self, args: Sequence[float]) -> float:
        """The value of an operation, from those of its arguments."""
        function = OPERATIONS[self.op].scalar
        return float(function(self.table, *args) if self.table else function(*args))


class Graph:
    """A growing list of nodes without duplicates.

    Attributes:
        orders: The cached evaluation order of sets of nodes, see `llmplan.system.evaluate`.
        ranged: Unknowns from this number on are uncertain values over which a probability is taken; a plan has fewer
            unknowns of its own.
        integrals: The values of integrals that depend on nothing else, with bounds on their errors.
    """

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.orders: dict[tuple[int, ...], tuple[int, ...]] = {}
        self.ranged = 0
        self.integrals: dict[object, tuple[float, float]] = {}
        self._constants: dict[float | str, int] = {}
        self._others: dict[tuple[object, ...], int] = {}
        self._operations: dict[tuple[str, tuple[int, ...]], int] = {}  # the results of `add`

    def copy(self) -> Graph:
        """A graph that begins with the same nodes."""
        made = Graph()
        made.nodes += self.nodes
        made.ranged = self.ranged
        made.integrals = self.integrals
        made._constants.update(self._constants)
        made._others.update(self._others)
        made._operations.update(self._operations)
        return made

    def __len__(self) -> int:
        return len(self.nodes)

    def __getitem__(self, index: int) -> Node:
        return self.nodes[index]

    def _append(self, node: Node) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1

    def intern(self, node: Node) -> int:
        """The id of a node: that of an equal one if there is one already."""
        key = (node.op, node.args, node.value, node.table)
        found = self._others.get(key)
        if found is None:
            found = self._others[key] = self._append(node)
        return found

    def const(self, value: float) -> int:
        # A text as key, so that NaN equals itself and 0.0 differs from -0.0.
        if value == 0.0:
            key: float | str = "0" if math.copysign(1.0, value) > 0.0 else "-0"
        else:
            key = value if value == value else "NaN"
        found = self._constants.get(key)
        if found is None:
            found = self._constants[key] = self._append(Node("const", (), float(value)))
        return found

    def unknown(self, index: int) -> int:
        return self.intern(Node("unknown", (), float(index), reach=1 << index))

    def constant(self, node: int) -> float | None:
        """The number of a constant node, else None."""
        found = self.nodes[node]
        return found.value if found.op == "const" else None

    def reach(self, node: int) -> int:
        return self.nodes[node].reach

    def varies(self, node: int) -> bool:
        """Whether a node depends on an uncertain value over which a probability is taken."""
        return self.nodes[node].reach >> self.ranged != 0

    def varies_alone(self, node: int) -> bool:
        """Whether a node depends on such values and nothing else."""
        return self.varies(node) and not self.nodes[node].reach & ~(-1 << self.ranged)

    def reached(self, nodes: Iterable[int]) -> int:
        """The unknowns that any of some nodes depends on, as bits."""
        return reduce(or_, map(self.reach, nodes), 0)

    def add(self, op: str, *args: int) -> int:
        """The node of an operation, folded if all arguments are constant."""
        found = self._operations.get((op, args))
        if found is None:
            found = self._operations[op, args] = self._made(op, args)
        return found

    def _made(self, op: str, args: tuple[int, ...]) -> int:
        nodes = [self.nodes[arg] for arg in args]
        known = [node.value for node in nodes if node.op == "const"]
        if len(known) == len(args):
            return self.const(OPERATIONS[op].scalar(*known))
        short = self._shortcut(op, args, nodes) if known or op == "select" else None
        if short is not None:
            return short
        reach = 0
        for node in nodes:
            reach |= node.reach
        return self._append(Node(op, args, reach=reach))

    def _shortcut(self, op: str, args: tuple[int, ...], nodes: list[Node]) -> int | None:
        """Results that a constant argument alone decides: choices, truth values, and neutral elements."""
        if op == "select" and nodes[0].op == "const":
            if nodes[0].value != nodes[0].value:
                return args[0]
            return args[1] if nodes[0].value == 1.0 else args[2]
        if op == "select" and args[1] == args[2]:
            return args[1]
        if op in ("and", "or"):
            for at, other in ((0, 1), (1, 0)):
                if nodes[at].op == "const":
                    decides = (nodes[at].value == 1.0) == (op == "or")
                    return self.const(float(op == "or")) if decides else args[other]
        neutral = OPERATIONS[op].neutral
        for at, other in ((1, 0), (0, 1)) if neutral else ():
            if nodes[at].op == "const" and nodes[at].value == neutral[at]:
                return args[other]
        return None

    def table(self, index: int, values: tuple[float, ...]) -> int:
        """`values[index]`; NaN outside."""
        return self.tabled("table", (index,), values)

    def interpolate(self, x: int, xs: tuple[float, ...], ys: tuple[float, ...]) -> int:
        return self.tabled("interpolate", (x,), xs + ys)

    def tabled(self, op: str, args: tuple[int, ...], table: Any) -> int:
        """An operation with a table, folded if its arguments are constant."""
        made = Node(op, args, None, table, reach=self.reached(args))
        values = [value for value in map(self.constant, args) if value is not None]
        return self.intern(made) if len(values) < len(args) else self.const(made.apply(values))

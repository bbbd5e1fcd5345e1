"""The equations of a plan as one shared graph of arithmetic.

A node is an operation on earlier nodes, so the order of the list is an order of evaluation.
Equal nodes are one node, and what no unknown reaches is a constant: `add` folds it. Values are
float64; truth values, members of enums and entries are numbers too (0 and 1, the index of the
member), so one array type serves all. NaN is "has no value here", and it spreads; comparisons with
NaN are false.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from attrs import field, frozen

TOLERANCE = 1e-9
"""Relative tolerance of `==`, `<=` and `>=`; `<` and `>` are strict beyond it."""


def _close(a: float, b: float) -> bool:
    # Without the upper bound infinity would be close to every number.
    return a == b or abs(a - b) <= TOLERANCE * max(abs(a), abs(b)) < math.inf


def _nan_if(function: Callable[..., float]) -> Callable[..., float]:
    def safe(*args: float) -> float:
        try:
            return function(*args)
        except (ZeroDivisionError, ValueError, OverflowError):
            return math.nan

    return safe


def _round_half_up(x: float) -> float:
    return math.floor(x + 0.5)


def _any_nan(a: float, b: float, result: float) -> float:
    return math.nan if a != a or b != b else result


def _power(a: float, b: float) -> float:
    result = a**b
    return result if isinstance(result, float) else math.nan


SCALAR: dict[str, Callable[..., float]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": _nan_if(lambda a, b: a / b),
    "pow": _nan_if(_power),
    "neg": lambda a: -a,
    "min": lambda a, b: _any_nan(a, b, min(a, b)),
    "max": lambda a, b: _any_nan(a, b, max(a, b)),
    "abs": abs,
    # Float noise must not lift 0.1 * 3 * 10 to the next whole number.
    "ceil": _nan_if(lambda a: math.ceil(a - abs(a) * TOLERANCE)),
    "floor": _nan_if(lambda a: math.floor(a + abs(a) * TOLERANCE)),
    "round": _nan_if(_round_half_up),
    "mod": _nan_if(lambda a, b: a - b * math.floor(a / b + abs(a / b) * TOLERANCE)),
    "sqrt": _nan_if(math.sqrt),
    "log2": _nan_if(math.log2),
    "ln": _nan_if(math.log),
    "exp": _nan_if(math.exp),
    "eq": lambda a, b: float(_close(a, b)),
    "ne": lambda a, b: float(a == a and b == b and not _close(a, b)),
    "lt": lambda a, b: float(a < b and not _close(a, b)),
    "le": lambda a, b: float(a < b or _close(a, b)),
    "and": lambda a, b: float(bool(a == 1.0 and b == 1.0)),
    "or": lambda a, b: float(bool(a == 1.0 or b == 1.0)),
    "not": lambda a: math.nan if a != a else float(a == 0.0),
    "whole": lambda a: float(math.isfinite(a) and _close(a, math.floor(a + 0.5))),
    "finite": lambda a: float(math.isfinite(a)),
    "select": lambda c, a, b: math.nan if c != c else (a if c == 1.0 else b),
}
"""Every operation on single numbers. `llmplan.solve.vector` has the same on arrays."""


COMPARISONS = ("eq", "ne", "lt", "le")


@frozen
class Node:
    """An operation.

    Attributes:
        op: `const`, `unknown`, `table` or a key of `SCALAR`.
        args: Ids of earlier nodes.
        value: The number of a constant, the index of an unknown, else None.
        table: For `table`: what each value 0, 1, 2 … of the argument becomes; for
            `interpolate`: the x and then the y coordinates. Else empty.
        reach: Bit i is set if the value depends on unknown i.
    """

    op: str
    args: tuple[int, ...] = ()
    value: float | None = None
    table: tuple[float, ...] = ()
    reach: int = field(default=0, eq=False)


def interpolate(x: float, table: tuple[float, ...]) -> float:
    """Linear between the points, clamped at the ends. `table` holds the xs, then the ys."""
    half = len(table) // 2
    xs, ys = table[:half], table[half:]
    if x != x:
        return math.nan
    if x <= xs[0]:
        return ys[0]
    for left, right, low, high in zip(xs, xs[1:], ys, ys[1:]):
        if x <= right:
            return low + (high - low) * (x - left) / (right - left)
    return ys[-1]


class Graph:
    """A growing list of nodes without duplicates."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._constants: dict[float | str, int] = {}
        self._others: dict[tuple[object, ...], int] = {}
        self._operations: dict[tuple[str, tuple[int, ...]], int] = {}  # what `add` has answered

    def __len__(self) -> int:
        return len(self.nodes)

    def __getitem__(self, index: int) -> Node:
        return self.nodes[index]

    def _append(self, node: Node) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1

    def _intern(self, node: Node) -> int:
        key = (node.op, node.args, node.value, node.table)
        found = self._others.get(key)
        if found is None:
            found = self._others[key] = self._append(node)
        return found

    def const(self, value: float) -> int:
        value = float(value)
        # The text keeps NaN equal to itself and 0.0 apart from -0.0.
        key = value if value and value == value else repr(value)
        found = self._constants.get(key)
        if found is None:
            found = self._constants[key] = self._append(Node("const", (), value))
        return found

    def unknown(self, index: int) -> int:
        return self._intern(Node("unknown", (), float(index), reach=1 << index))

    def constant(self, node: int) -> float | None:
        """The number of a constant node, else None."""
        found = self.nodes[node]
        return found.value if found.op == "const" else None

    def reach(self, node: int) -> int:
        return self.nodes[node].reach

    def add(self, op: str, *args: int) -> int:
        """The node of an operation, folded if all arguments are constant."""
        found = self._operations.get((op, args))
        if found is None:
            found = self._operations[op, args] = self._made(op, args)
        return found

    def _made(self, op: str, args: tuple[int, ...]) -> int:
        nodes = [self.nodes[arg] for arg in args]
        if all(node.op == "const" for node in nodes):
            return self.const(SCALAR[op](*(node.value for node in nodes)))
        short = self._shortcut(op, args, nodes)
        if short is not None:
            return short
        reach = 0
        for node in nodes:
            reach |= node.reach
        return self._append(Node(op, args, reach=reach))

    def _shortcut(self, op: str, args: tuple[int, ...], nodes: list[Node]) -> int | None:
        """What a constant argument alone decides: choices, truth, and the neutral elements."""
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
        if op in ("mul", "div") and nodes[1].op == "const" and nodes[1].value == 1.0:
            return args[0]
        if op == "mul" and nodes[0].op == "const" and nodes[0].value == 1.0:
            return args[1]
        if op in ("add", "sub") and nodes[1].op == "const" and nodes[1].value == 0.0:
            return args[0]
        if op == "add" and nodes[0].op == "const" and nodes[0].value == 0.0:
            return args[1]
        return None

    def table(self, index: int, values: tuple[float, ...]) -> int:
        """`values[index]`; NaN outside."""
        node = self.nodes[index]
        if node.op == "const":
            value = node.value
            if value is None or not 0 <= value < len(values):
                return self.const(math.nan)
            return self.const(values[int(value)])
        return self._intern(Node("table", (index,), None, values, reach=node.reach))

    def interpolate(self, x: int, xs: tuple[float, ...], ys: tuple[float, ...]) -> int:
        node = self.nodes[x]
        if node.op == "const" and node.value is not None:
            return self.const(interpolate(node.value, xs + ys))
        return self._intern(Node("interpolate", (x,), None, xs + ys, reach=node.reach))

"""Exact derivatives of a node along every unknown of a graph, at one point, by one backward pass.

Rounding to whole numbers counts as smooth: of `ceil(tokens / batch)` the slope along `tokens` is
that of the quotient. Where two branches of `min`, `max` or `abs` meet there is no slope: it is NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from llmplan.system.evaluate import ancestors
from llmplan.system.graph import TOLERANCE, Graph, Node


def slopes(graph: Graph, root: int, values: Mapping[int, float]) -> dict[int, float]:
    """The derivative of a node along each unknown that it depends on, by index of the unknown.

    Args:
        values: Of the node and all that it needs, see `llmplan.system.evaluate.evaluate`.
    """
    order = ancestors(graph, (root,))
    gathered = dict.fromkeys(order, 0.0)
    gathered[root] = 1.0
    found: dict[int, float] = {}
    for index in reversed(order):
        node, here = graph[index], gathered[index]
        if here == 0.0 or not node.reach:
            continue
        if node.op == "unknown":
            found[int(node.value or 0)] = here
            continue
        args = [values[arg] for arg in node.args]
        for arg, partial in zip(node.args, _partials(node, args)):
            if partial != 0.0 and graph.reach(arg):
                gathered[arg] += here * partial
    return found


def _partials(node: Node, args: list[float]) -> Sequence[float]:
    if node.op == "interpolate":
        return (_interpolated(node.table, args[0]),)
    rule = _RULES.get(node.op)
    try:
        return (0.0,) * len(args) if rule is None else rule(*args)
    except (ZeroDivisionError, ValueError, OverflowError):
        return (math.nan,) * len(args)


def _interpolated(table: tuple[float, ...], x: float) -> float:
    half = len(table) // 2
    xs, ys = table[:half], table[half:]
    for left, right, low, high in zip(xs, xs[1:], ys, ys[1:]):
        if left < x < right:
            return (high - low) / (right - left)
    return math.nan if x in xs else 0.0


def _extreme(a: float, b: float, first: bool) -> Sequence[float]:
    if abs(a - b) <= TOLERANCE * max(abs(a), abs(b)):
        return (math.nan, math.nan)
    return (1.0, 0.0) if first else (0.0, 1.0)


def _power(a: float, b: float) -> Sequence[float]:
    along = math.nan if a <= 0.0 else a**b * math.log(a)
    return (b * a ** (b - 1.0) if b else 0.0, along)


_RULES: dict[str, Callable[..., Sequence[float]]] = {
    "add": lambda a, b: (1.0, 1.0),
    "sub": lambda a, b: (1.0, -1.0),
    "mul": lambda a, b: (b, a),
    "div": lambda a, b: (1.0 / b, -a / b / b),
    "pow": _power,
    "neg": lambda a: (-1.0,),
    "min": lambda a, b: _extreme(a, b, a < b),
    "max": lambda a, b: _extreme(a, b, a > b),
    "abs": lambda a: (math.copysign(1.0, a) if a else math.nan,),
    "ceil": lambda a: (1.0,),
    "floor": lambda a: (1.0,),
    "round": lambda a: (1.0,),
    "mod": lambda a, b: (1.0, -float(math.floor(a / b))),
    "sqrt": lambda a: (0.5 / math.sqrt(a),),
    "log2": lambda a: (1.0 / (a * math.log(2.0)),),
    "ln": lambda a: (1.0 / a,),
    "exp": lambda a: (math.exp(a),),
    "select": lambda c, a, b: (0.0, 1.0, 0.0) if c == 1.0 else (0.0, 0.0, 1.0),
}
"""By operation the slope along each argument; choices, comparisons and tables have none."""

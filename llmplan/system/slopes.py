"""Exact one-sided derivatives at one point: how nodes of a graph change as one unknown begins to grow.

Rounding to whole numbers counts as smooth: of `ceil(tokens / batch)` the slope along `tokens` is
that of the quotient. Where two branches of `min` or `max` meet, as they do on the stages of a
pipeline that hold the same, the one that is taken next counts, and so it does where a condition
turns there. Where the value jumps to the right, the slope to the left stands in.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from llmplan.system.evaluate import ancestors
from llmplan.system.graph import COMPARISONS, SCALAR, TOLERANCE, Graph, Node

_LOGIC = ("and", "or", "not")


def slopes(graph: Graph, roots: Iterable[int], values: Mapping[int, float], unknown: int) -> dict[int, float]:
    """The derivative of each root along an unknown; NaN where the root jumps on both sides.

    Args:
        values: Of the roots and all that they need, see `llmplan.system.evaluate.evaluate`.
        unknown: Its index.
    """
    roots = tuple(roots)
    right = _moves(graph, roots, values, unknown, 1.0)
    if all(map(math.isfinite, right.values())):
        return right
    left = _moves(graph, roots, values, unknown, -1.0)
    return {root: slope if math.isfinite(slope) else -left[root] for root, slope in right.items()}


def _moves(
    graph: Graph, roots: tuple[int, ...], values: Mapping[int, float], unknown: int, direction: float
) -> dict[int, float]:
    """How fast the roots change as the unknown changes in a direction."""
    found: dict[int, float] = {}
    for index in ancestors(graph, roots):
        node = graph[index]
        if node.op == "unknown":
            found[index] = direction if node.value == unknown else 0.0
        elif node.reach >> unknown & 1:
            moves = [found.get(arg, 0.0) for arg in node.args]
            found[index] = _move(node, [values[arg] for arg in node.args], moves) if any(moves) else 0.0
    return {root: found.get(root, 0.0) for root in roots}


def _move(node: Node, args: list[float], moves: list[float]) -> float:
    """How fast a node changes where its arguments change as fast as `moves` says.

    Of a truth value 1 if it turns; NaN where the value jumps.
    """
    if node.op in COMPARISONS:
        return float(_turns(node.op, args, moves))
    if node.op in _LOGIC:
        turned = [float(arg != move) for arg, move in zip(args, moves)]
        return float(SCALAR[node.op](*turned) != SCALAR[node.op](*args))
    if node.op == "select":
        return _chosen(args, moves)
    if node.op in ("min", "max"):
        return _extreme(node.op == "min", args, moves)
    if node.op == "abs":
        return abs(moves[0]) if args[0] == 0.0 else math.copysign(1.0, args[0]) * moves[0]
    if node.op == "interpolate":
        return _interpolated(node.table, args[0], moves[0])
    rule = _RULES.get(node.op)
    if rule is None:
        return 0.0
    try:
        partials = rule(*args)
        return sum(partial * move for partial, move in zip(partials, moves) if move and partial)
    except (ZeroDivisionError, ValueError, OverflowError):
        return math.nan


def _meet(a: float, b: float) -> bool:
    return a == b or abs(a - b) <= TOLERANCE * max(abs(a), abs(b))


def _turns(op: str, args: list[float], moves: list[float]) -> bool:
    if not _meet(*args):
        return False
    if op == "le":
        return moves[0] > moves[1]
    if op == "lt":
        return moves[0] < moves[1]
    return moves[0] != moves[1]


def _chosen(args: list[float], moves: list[float]) -> float:
    here, there = (1, 2) if args[0] == 1.0 else (2, 1)
    if not moves[0]:
        return moves[here]
    return moves[there] if _meet(args[here], args[there]) else math.nan


def _extreme(least: bool, args: list[float], moves: list[float]) -> float:
    if not _meet(*args):
        return moves[0] if (args[0] < args[1]) == least else moves[1]
    if any(map(math.isnan, moves)):
        return math.nan
    return min(moves) if least else max(moves)


def _interpolated(table: tuple[float, ...], x: float, move: float) -> float:
    half = len(table) // 2
    xs, ys = table[:half], table[half:]
    for left, right, low, high in zip(xs, xs[1:], ys, ys[1:]):
        if left <= x < right if move > 0.0 else left < x <= right:
            return move * (high - low) / (right - left)
    return 0.0


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
    "named": lambda a: (1.0,),
    "ceil": lambda a: (1.0,),
    "floor": lambda a: (1.0,),
    "round": lambda a: (1.0,),
    "mod": lambda a, b: (1.0, -float(math.floor(a / b))),
    "sqrt": lambda a: (0.5 / math.sqrt(a),),
    "log2": lambda a: (1.0 / (a * math.log(2.0)),),
    "ln": lambda a: (1.0 / a,),
    "exp": lambda a: (math.exp(a),),
}
"""By operation the slope along each argument; tables have none."""

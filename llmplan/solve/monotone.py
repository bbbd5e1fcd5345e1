"""Whether nodes grow or fall with one unknown, proved from their operations and the signs of what they hold.

A truth value that grows is one that can only become true. The proof is local: what grows here and
falls there is undecided, even if one of the two always wins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from llmplan.system.evaluate import ancestors
from llmplan.system.graph import Graph, Node
from llmplan.system.system import Unknown

_GROWING = frozenset(("ceil", "floor", "round", "exp"))
_DEFINED_ABOVE_ZERO = frozenset(("sqrt", "ln", "log2"))
_KEEPS_SIGN = frozenset(("add", "mul", "div", "min", "max", "pow", "sqrt", "ceil", "floor", "round"))
_NOT_NEGATIVE = frozenset(("exp", "abs", "eq", "ne", "lt", "le", "and", "or", "whole", "finite"))


def directions(graph: Graph, roots: Iterable[int], unknown: int, unknowns: Sequence[Unknown]) -> dict[int, int | None]:
    """By node below the roots: 1 if it never falls as the unknown grows, -1 if it never grows, 0 if it stays.

    None if that is not proved.
    """
    found: dict[int, int | None] = {}
    signs: dict[int, bool] = {}
    for index in ancestors(graph, roots):
        node = graph[index]
        signs[index] = _not_negative(node, signs, unknowns)
        if node.op == "unknown":
            found[index] = int(node.value == unknown)
        elif not node.reach >> unknown & 1:
            found[index] = 0
        else:
            found[index] = _direction(graph, node, found, signs)
    return found


def _not_negative(node: Node, signs: dict[int, bool], unknowns: Sequence[Unknown]) -> bool:
    """Whether a node is at least 0 wherever it has a value."""
    if node.op == "const":
        return node.value is not None and not node.value < 0.0
    if node.op == "unknown":
        open_ = unknowns[int(node.value or 0)]
        return (open_.low if open_.values is None else min(open_.values)) >= 0.0
    if node.op == "table":
        return not any(value < 0.0 for value in node.table)
    if node.op == "interpolate":
        return not any(value < 0.0 for value in node.table[len(node.table) // 2 :])
    if node.op == "select":
        return signs[node.args[1]] and signs[node.args[2]]
    return node.op in _NOT_NEGATIVE or (node.op in _KEEPS_SIGN and all(signs[arg] for arg in node.args))


def _direction(graph: Graph, node: Node, found: dict[int, int | None], signs: dict[int, bool]) -> int | None:
    moves = [found[arg] for arg in node.args]
    if None in moves:
        return None
    known = [move for move in moves if move is not None]
    positive = [signs[arg] for arg in node.args]
    if node.op in _GROWING:
        return known[0]
    if node.op in _DEFINED_ABOVE_ZERO:
        return known[0] if positive[0] else None
    if node.op == "select":
        return _joined(known[1], known[2]) if known[0] == 0 else None
    if node.op == "pow":
        exponent = graph.constant(node.args[1])
        if exponent is None or not positive[0]:
            return None
        return known[0] if exponent >= 0.0 else -known[0]
    if node.op == "finite":
        return 0
    if node.op == "mul":
        steady = all(positive[1 - at] for at, move in enumerate(known) if move)
        return _joined(*known) if steady else None
    if node.op == "div":
        return _joined(known[0], -known[1]) if positive[1] and (positive[0] or not known[1]) else None
    rule = _RULES.get(node.op)
    return None if rule is None else rule(*known)


def _joined(a: int, b: int) -> int | None:
    """The direction of what moves with two others."""
    return a or b if a * b >= 0 else None


_RULES: dict[str, Callable[..., int | None]] = {
    "add": _joined,
    "min": _joined,
    "max": _joined,
    "and": _joined,
    "or": _joined,
    "sub": lambda a, b: _joined(a, -b),
    "neg": lambda a: -a,
    "not": lambda a: -a,
    "le": lambda a, b: _joined(-a, b),
    "lt": lambda a, b: _joined(-a, b),
}

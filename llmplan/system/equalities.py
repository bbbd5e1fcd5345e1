"""Equalities between continuous values, which have no chance if a side is uncertain.

Input: the node of a condition with uncertain values as variables. Output: whether its truth depends on such an
equality. One between values that only take steps, like truth values or rounded numbers, has a chance.
"""

from __future__ import annotations

from llmplan.system.evaluate import ancestors
from llmplan.system.graph import Graph

_STEPS = frozenset(("lt", "le", "eq", "ne", "and", "or", "not", "whole", "finite", "table", "floor", "ceil", "round"))
"""Operations whose values take steps, whatever their arguments do."""


def equates(graph: Graph, root: int) -> bool:
    """Whether a condition depends on an equality with an uncertain, continuous side."""
    smooth: set[int] = set()
    for index in ancestors(graph, (root,)):
        node = graph[index]
        if not graph.varies(index) or node.op in _STEPS:
            continue
        args = node.args[1:] if node.op == "select" else node.args
        if node.op == "unknown" or not smooth.isdisjoint(args):
            smooth.add(index)
    pending, seen = [root], set()
    while pending:
        index = pending.pop()
        if index in seen or index in smooth or not graph.varies(index):
            continue
        seen.add(index)
        node = graph[index]
        if node.op == "eq" and not smooth.isdisjoint(node.args):
            return True
        pending += node.args
    return False

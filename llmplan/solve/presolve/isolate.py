"""Algebra on the graph: what an unknown is by an equation, and expressions with that in its place.

An equation is taken apart only where the unknown stands once on one side, under operations that can
be undone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from llmplan.system.evaluate import ancestors
from llmplan.system.graph import Graph


def eliminated(
    graph: Graph, equations: Sequence[tuple[int, int]], unknown: int, positive: Iterable[int]
) -> tuple[int, int] | None:
    """One equation in one unknown from as many equations as there are unknowns in them.

    Args:
        graph: It grows.
        equations: The two sides of each.
        unknown: The index of the one that is to stay.
        positive: Unknowns that are not negative.

    Returns:
        The sides of the equation that is left; None if the others cannot be isolated.
    """
    signs = frozenset(positive)
    if len(equations) == 1:
        left, right = equations[0]
        reach = graph.reach(left) | graph.reach(right)
        return equations[0] if reach == 1 << unknown else None
    for number, sides in enumerate(equations):
        rest = [*equations[:number], *equations[number + 1 :]]
        reach = graph.reach(sides[0]) | graph.reach(sides[1])
        for other in (i for i in range(reach.bit_length()) if reach >> i & 1 and i != unknown):
            node = isolated(graph, sides, other, other in signs)
            if node is None:
                continue
            moved = substituted(graph, [side for pair in rest for side in pair], other, node)
            found = eliminated(graph, [(moved[a], moved[b]) for a, b in rest], unknown, signs)
            if found is not None:
                return found
    return None


def isolated(graph: Graph, sides: tuple[int, int], unknown: int, positive: bool) -> int | None:
    """What an unknown that stands on one side of an equation is; None if that is not so simple."""
    for side, other in (sides, sides[::-1]):
        if graph.reach(side) >> unknown & 1 and not graph.reach(other) >> unknown & 1:
            return isolate(graph, side, other, unknown, positive)
    return None


def substituted(graph: Graph, roots: Iterable[int], unknown: int, by: int) -> dict[int, int]:
    """What the nodes below some roots become when a node stands in the place of an unknown."""
    moved: dict[int, int] = {}
    for index in ancestors(graph, roots):
        node = graph[index]
        args = tuple(moved[arg] for arg in node.args)
        if not node.reach >> unknown & 1:
            moved[index] = index
        elif node.op == "unknown":
            moved[index] = by
        elif node.op == "table":
            moved[index] = graph.table(args[0], node.table)
        elif node.op == "interpolate":
            half = len(node.table) // 2
            moved[index] = graph.interpolate(args[0], node.table[:half], node.table[half:])
        else:
            moved[index] = graph.add(node.op, *args)
    return moved


def isolate(graph: Graph, node: int, value: int, unknown: int, positive: bool) -> int | None:
    """What the unknown is where a node that holds it has a value; None if that is not so simple."""
    while graph[node].op != "unknown":
        op, args = graph[node].op, graph[node].args
        holding = [at for at, arg in enumerate(args) if graph.reach(arg) >> unknown & 1]
        if op == "select" and 1 in holding and _is_nothing(graph, args[2]):
            node = args[1]  # a value where it is legal
            continue
        if len(holding) != 1:
            return None
        at = holding[0]
        other = args[1 - at] if len(args) == 2 else -1
        if op == "pow" and (at != 0 or not positive or graph.constant(other) in (None, 0.0)):
            return None
        undo = _UNDO.get((op, at))
        if undo is None:
            return None
        value, node = undo(graph, value, other), args[at]
    return value


def _is_nothing(graph: Graph, node: int) -> bool:
    value = graph.constant(node)
    return value is not None and value != value


Undo = Callable[[Graph, int, int], int]

_UNDO: dict[tuple[str, int], Undo] = {
    ("add", 0): lambda g, v, o: g.add("sub", v, o),
    ("add", 1): lambda g, v, o: g.add("sub", v, o),
    ("sub", 0): lambda g, v, o: g.add("add", v, o),
    ("sub", 1): lambda g, v, o: g.add("sub", o, v),
    ("mul", 0): lambda g, v, o: g.add("div", v, o),
    ("mul", 1): lambda g, v, o: g.add("div", v, o),
    ("div", 0): lambda g, v, o: g.add("mul", v, o),
    ("div", 1): lambda g, v, o: g.add("div", o, v),
    ("pow", 0): lambda g, v, o: g.add("pow", v, g.add("div", g.const(1.0), o)),
    ("neg", 0): lambda g, v, o: g.add("neg", v),
    ("sqrt", 0): lambda g, v, o: g.add("mul", v, v),
    ("ln", 0): lambda g, v, o: g.add("exp", v),
    ("exp", 0): lambda g, v, o: g.add("ln", v),
    ("log2", 0): lambda g, v, o: g.add("pow", g.const(2.0), v),
}
"""By operation and place of what holds the unknown: that argument, from the value and the other one."""

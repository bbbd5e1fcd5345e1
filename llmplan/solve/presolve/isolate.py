"""Algebra on the graph: isolates an unknown in an equation, and substitutes it in expressions.

An equation is solved only if the unknown occurs once on one side, under operations whose records have an inverse.
Closed forms take the same steps on sympy expressions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import frozen

from llmplan.operations import OPERATIONS, Interval
from llmplan.operations.record import Algebra
from llmplan.system.evaluate import ancestors
from llmplan.system.graph import Graph
from llmplan.system.intervals import is_positive


def eliminated(
    graph: Graph, equations: Sequence[tuple[int, int]], unknown: int, box: Sequence[Interval]
) -> tuple[int, int] | None:
    """Reduces as many equations as there are unknowns in them to one equation in the unknown to keep.

    Equations are pairs of sides, `box` the domains of all unknowns. None if the others cannot be isolated.
    """
    if len(equations) == 1:
        return equations[0] if graph.reached(equations[0]) == 1 << unknown else None
    for number, sides in enumerate(equations):
        rest = [*equations[:number], *equations[number + 1 :]]
        reach = graph.reached(sides)
        for other in (i for i in range(reach.bit_length()) if reach >> i & 1 and i != unknown):
            if (node := isolated(graph, sides, other, box)) is None:
                continue
            move = Substitution(graph, other, node)
            found = eliminated(graph, [(move(a), move(b)) for a, b in rest], unknown, box)
            if found is not None:
                return found
    return None


class Substitution:
    """Called with a node, returns it with another node in place of an unknown."""

    def __init__(self, graph: Graph, unknown: int, by: int) -> None:
        self._graph, self._unknown, self._by = graph, unknown, by
        self._moved: dict[int, int] = {}

    def __call__(self, root: int) -> int:
        graph, moved = self._graph, self._moved
        for index in ancestors(graph, (root,), moved):
            node = graph[index]
            if index in moved:
                continue
            if not node.reach >> self._unknown & 1:
                moved[index] = index
            elif node.op == "unknown":
                moved[index] = self._by
            elif node.table:
                moved[index] = graph.tabled(node.op, tuple(moved[arg] for arg in node.args), node.table)
            else:
                moved[index] = graph.add(node.op, *(moved[arg] for arg in node.args))
        return moved[root]


def isolated(graph: Graph, sides: tuple[int, int], unknown: int, box: Sequence[Interval]) -> int | None:
    """An unknown isolated from one side of an equation; None if that is not possible in simple steps.

    The base of an even power must not be negative in the domains (`box`), nor the value of a root: otherwise the
    equation would have solutions that the answer lacks, or the reverse.
    """
    side, value = sides if graph.reach(sides[0]) >> unknown & 1 else sides[::-1]
    if graph.reach(value) >> unknown & 1 or not graph.reach(side) >> unknown & 1:
        return None
    core, steps = peeled(graph, side, unknown)
    if graph[core].op != "unknown" or graph[core].value != unknown:
        return None
    for step in steps:
        exponent = graph.constant(step.other) if step.op == "pow" else None
        if step.op == "pow" and not exponent:
            return None
        whole = exponent is not None and exponent % 1.0 == 0.0
        if whole and not is_positive(graph, step.arg, box):
            return None
        if (OPERATIONS[step.op].positive or exponent) and not whole and not is_positive(graph, value, box):
            return None
        value = step.undo(graph, value, step.other)
    return value


@frozen
class Step:
    """An operation that can be undone: the argument that depends on the unknown, its position, the other argument."""

    op: str
    arg: int
    place: int
    other: int

    def undo(self, algebra: Algebra, value: Any, other: Any) -> Any:
        """The argument, given the value of the operation; the positive one for an even power."""
        inverse = OPERATIONS[self.op].inverse[self.place]
        assert inverse is not None
        return inverse(algebra, value, other)


def peeled(graph: Graph, node: int, unknown: int) -> tuple[int, list[Step]]:
    """The rest of a node that depends on an unknown after all invertible steps are undone, and those steps.

    The rest is the unknown itself, or an operation that depends on it twice or cannot be undone.
    """
    steps: list[Step] = []
    while True:
        node = unguarded(graph, node)
        op, args = graph[node].op, graph[node].args
        holding = [place for place, arg in enumerate(args) if graph.reach(arg) >> unknown & 1]
        inverse = OPERATIONS[op].inverse if len(holding) == 1 else ()
        if not inverse or inverse[holding[0]] is None:
            return node, steps
        place = holding[0]
        steps.append(Step(op, args[place], place, args[place - 1]))  # with one argument there is no other to read
        node = args[place]


def unguarded(graph: Graph, node: int) -> int:
    """A node without its guard: a choice that only rejects illegal values.

    Substituting a solution into the equation shows whether it is legal.
    """
    while graph[node].op == "select":
        _, kept, refused = graph[node].args
        if (value := graph.constant(refused)) is None or value == value:
            break
        node = kept
    return node

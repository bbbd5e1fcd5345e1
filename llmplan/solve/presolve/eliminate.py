"""Eliminates continuous unknowns that an equation defines, so that fewer are left to search.

`tokens == 20 * params` makes `tokens` a function of `params`. An equation is taken apart only where
the unknown stands once, under operations that can be undone. A discrete unknown is defined by a
domain that holds one value, which depends on others: `nodes = ? in [ceil(gpus / gpus_per_node)]`. A
continuous one stands at a bound where the objectives push it there and nothing else holds it back:
`tokens >= 20 * params` where more tokens only take longer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import isfinite

from attrs import evolve, frozen

from llmplan.solve.presolve.isolate import Substitution, isolated
from llmplan.system.evaluate import evaluate
from llmplan.system.graph import Graph
from llmplan.system.intervals import directions, domains
from llmplan.system.system import Condition, System, Unknown

_FEW = 16


@frozen
class Definition:
    """An unknown as a function of those that are left then: a node, and the equation's index.

    The index is None where the domain defines it.
    """

    unknown: int
    node: int
    equation: int | None


@frozen
class Reduced:
    """A system in which some unknowns are defined by others.

    Attributes:
        system, requirements: The same places as before; a used equation holds everywhere, and that
            an eliminated unknown is in its domain is a further requirement.
        stated: The requirements as they are before anything is replaced.
        defined: In the order in which they were found.
    """

    system: System
    requirements: tuple[Condition, ...]
    stated: tuple[Condition, ...]
    defined: tuple[Definition, ...] = ()

    def complete(self, point: Mapping[int, float]) -> dict[int, float]:
        """A point with the values of the unknowns that were eliminated."""
        found = dict(point)
        # The last one found may be part of the earlier ones.
        for definition in reversed(self.defined):
            at = evaluate(self.system.graph, found, (definition.node,))
            found[definition.unknown] = at[definition.node]
        return found


def open_unknowns(system: System, requirements: Sequence[Condition]) -> list[int]:
    """The continuous unknowns that decide which point is best."""
    reach = 0
    for node in judged(system, requirements):
        reach |= system.graph.reach(node)
    return [i for i, unknown in enumerate(system.unknowns) if unknown.values is None and reach >> i & 1]


def judged(system: System, requirements: Sequence[Condition]) -> list[int]:
    """The nodes that decide which point is best."""
    preferences = [p.node for p in system.preferences if p.weight]
    goals = [o.node for o in (*system.objectives, *system.front)]
    return [c.node for c in requirements] + preferences + goals


def reduce(system: System, requirements: tuple[Condition, ...]) -> Reduced:
    """Eliminates continuous unknowns until one is left, as far as there are equations, and what domains define."""
    found = Reduced(system, requirements, requirements)
    for index in range(len(system.unknowns)):
        found = _followed(found, index)
    while len(open_ := open_unknowns(found.system, found.requirements)) > 1:
        definition = _definition(found.system, found.requirements, open_) or _pushed(found, open_)
        if definition is None:
            break
        found = _substituted(found, definition)
    return found


def _followed(before: Reduced, unknown: int) -> Reduced:
    """The same with a discrete unknown replaced whose domain is one value; unchanged if it is another."""
    system, graph = before.system, before.system.graph
    allowed, values = system.unknowns[unknown].allowed, system.unknowns[unknown].values
    if allowed is None or values is None or graph[allowed].op != "eq":
        return before
    mine = graph.unknown(unknown)
    others = [arg for arg in graph[allowed].args if arg != mine]
    if len(others) != 1 or graph.reach(others[0]) >> unknown & 1:
        return before
    node = others[0]
    among = _among(graph, node, sorted(values))
    if among is None:
        return before
    found = _substituted(before, Definition(unknown, node, None))
    inside = tuple(
        evolve(after, node=among) if condition.node == allowed else after
        for condition, after in zip(before.requirements, found.requirements)
    )
    return evolve(found, requirements=inside)


def _among(graph: Graph, value: int, values: Sequence[float]) -> int | None:
    """1 where a value is one of some; None where that would be too long."""
    step = values[-1] - values[-2] if len(values) > 1 else 0.0
    if len(values) <= _FEW:
        found = graph.const(0.0)
        for one in values:
            found = graph.add("or", found, graph.add("eq", value, graph.const(one)))
        return found
    if any(high - low != step for low, high in pairwise(values)):
        return None
    places = graph.add("div", graph.add("sub", value, graph.const(values[0])), graph.const(step))
    ends = graph.add("le", graph.const(values[0]), value), graph.add("le", value, graph.const(values[-1]))
    return graph.add("and", graph.add("whole", places), graph.add("and", *ends))


def _definition(system: System, requirements: Sequence[Condition], open_: Sequence[int]) -> Definition | None:
    graph = system.graph
    for number, condition in enumerate(requirements):
        left, right = condition.left, condition.right
        if condition.op != "eq" or left is None or right is None or graph.add("eq", left, right) != condition.node:
            continue
        for unknown in open_:
            node = isolated(graph, (left, right), unknown, domains(system.unknowns))
            if node is not None:
                return Definition(unknown, node, number)
    return None


def _pushed(found: Reduced, open_: Sequence[int]) -> Definition | None:
    """The bound of an unknown in every best point, where objectives push it there and nothing holds it back."""
    system, graph = found.system, found.system.graph
    if system.front:
        return None
    nodes = judged(system, found.requirements)
    moving = {unknown: directions(graph, nodes, unknown, system.unknowns) for unknown in open_}
    for number, condition in enumerate(found.requirements):
        if condition.left is None or condition.right is None or condition.op not in ("le", "ge"):
            continue
        sides = (condition.left, condition.right)
        if graph.add("le", *(sides if condition.op == "le" else sides[::-1])) != condition.node:
            continue
        for unknown, moves in moving.items():
            domain = system.unknowns[unknown]
            upwards = moves[condition.node]  # a condition that is met by growing bounds from below
            rest = [c.node for c in found.requirements if c is not condition and graph.constant(c.node) is None]
            rest += [p.node for p in system.preferences if p.weight]
            costs = [moves[o.node] for o in system.objectives]
            signed = [None if m is None else m * o.sense for m, o in zip(costs, system.objectives)]
            if not upwards or any(moves[node] not in (0, -upwards) for node in rest):
                continue
            if upwards not in signed or any(cost not in (0, upwards) for cost in signed):
                continue
            node = isolated(graph, sides, unknown, domains(system.unknowns))
            if node is not None:
                end = ("max", domain.low) if upwards > 0 else ("min", domain.high)
                return Definition(unknown, graph.add(end[0], node, graph.const(end[1])), number)
    return None


def _substituted(before: Reduced, definition: Definition) -> Reduced:
    """The same with the unknown replaced everywhere by what it is."""
    system, unknown = before.system, before.system.unknowns[definition.unknown]
    graph = system.graph
    move = Substitution(graph, definition.unknown, definition.node)
    requirements = [_moved(condition, move) for condition in before.requirements]
    stated = before.stated
    unknowns = [u if u.allowed is None else evolve(u, allowed=move(u.allowed)) for u in system.unknowns]
    if definition.equation is None:
        unknowns[definition.unknown] = evolve(unknown, values=(unknown.low,), allowed=None, asked=False)
    else:
        used = requirements[definition.equation]
        requirements[definition.equation] = evolve(used, node=graph.const(1.0), left=None, right=None)
        requirements.append(_inside(graph, definition.node, unknown))
        stated = (*stated, _inside(graph, graph.unknown(definition.unknown), unknown))
    reduced = evolve(
        system,
        unknowns=tuple(unknowns),
        conditions=tuple(_moved(c, move) for c in system.conditions),
        preferences=tuple(_moved(c, move) for c in system.preferences),
        objectives=tuple(evolve(o, node=move(o.node)) for o in system.objectives),
        front=tuple(evolve(o, node=move(o.node)) for o in system.front),
    )
    return Reduced(reduced, tuple(requirements), stated, (*before.defined, definition))


def _inside(graph: Graph, value: int, unknown: Unknown) -> Condition:
    """That a value lies in the domain of a continuous unknown."""
    inside = graph.add("finite", value)
    if isfinite(unknown.low):
        inside = graph.add("and", inside, graph.add("le", graph.const(unknown.low), value))
    if isfinite(unknown.high):
        inside = graph.add("and", inside, graph.add("le", value, graph.const(unknown.high)))
    return Condition(unknown.path, inside, "domain", None, None, "", None, unknown.span)


def _moved(condition: Condition, move: Substitution) -> Condition:
    left, right = (None if side is None else move(side) for side in (condition.left, condition.right))
    return evolve(condition, node=move(condition.node), left=left, right=right)

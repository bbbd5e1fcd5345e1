"""Eliminates continuous unknowns that an equation defines, so that fewer are left to search.

`tokens == 20 * params` makes `tokens` a function of `params`. An equation is solved only if the unknown occurs once,
under operations that can be undone. A discrete unknown is defined by a domain with a single value that depends on
others: `nodes = ? in [ceil(gpus / gpus_per_node)]`. A continuous one lies at a bound if the objectives push it there
and nothing else holds it back: `tokens >= 20 * params` where more tokens only take longer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
    """An unknown as a function of those left at that time: a node, and the equation's index (None for a domain)."""

    unknown: int
    node: int
    equation: int | None


@frozen
class Reduced:
    """A system in which some unknowns are defined by others.

    Attributes:
        system, requirements: With the positions as before; an equation that was used holds everywhere, and a further
            requirement is that an eliminated unknown lies in its domain.
        stated: The requirements before anything was substituted.
        defined: The definitions in the order in which they were found.
    """

    system: System
    requirements: tuple[Condition, ...]
    stated: tuple[Condition, ...]
    defined: tuple[Definition, ...] = ()

    def complete(self, point: Mapping[int, float]) -> dict[int, float]:
        """A point, with the values of the eliminated unknowns added."""
        found = dict(point)
        # Earlier definitions may depend on unknowns defined later.
        for definition in reversed(self.defined):
            at = evaluate(self.system.graph, found, (definition.node,))
            found[definition.unknown] = at[definition.node]
        return found


def open_unknowns(system: System, requirements: Sequence[Condition]) -> list[int]:
    """The continuous unknowns that affect which point is best."""
    reach = system.graph.reached(judged(system, requirements))
    return [i for i, unknown in enumerate(system.unknowns) if unknown.values is None and reach >> i & 1]


def judged(system: System, requirements: Sequence[Condition]) -> list[int]:
    """The nodes that affect which point is best."""
    preferences = [p.node for p in system.preferences if p.weight]
    goals = [o.node for o in (*system.objectives, *system.front)]
    return [c.node for c in requirements] + preferences + goals


def reduce(system: System, requirements: tuple[Condition, ...], left: int = 1) -> Reduced:
    """Eliminates continuous unknowns by equations until only `left` remain, and unknowns that their domain defines.

    One is left if it matters how its value is found; if only the best point is wanted, no unknown that an equation
    defines is searched along a line.
    """
    found = Reduced(system, requirements, requirements)
    for index in range(len(system.unknowns)):
        found = _followed(found, index)
    while len(open_ := open_unknowns(found.system, found.requirements)) > left:
        if (definition := _definition(found, open_) or _pushed(found, open_)) is None:
            break
        found = _substituted(found, definition)
    return found


def _followed(before: Reduced, unknown: int) -> Reduced:
    """The system with a discrete unknown replaced if its domain is a single computed value; else unchanged."""
    system, graph = before.system, before.system.graph
    allowed, values = system.unknowns[unknown].allowed, system.unknowns[unknown].values
    if allowed is None or values is None or graph[allowed].op != "eq":
        return before
    mine = graph.unknown(unknown)
    others = [arg for arg in graph[allowed].args if arg != mine]
    if len(others) != 1 or graph.reach(others[0]) >> unknown & 1:
        return before
    node = others[0]
    among, itself = (_among(graph, value, sorted(values)) for value in (node, mine))
    if among is None or itself is None:
        return before
    found = _substituted(before, Definition(unknown, node, None))

    # The domain itself, not a requirement in the same words.
    domain = [
        c.node == allowed and (c.origin, c.name) == ("domain", system.unknowns[unknown].path)
        for c in before.requirements
    ]
    inside = tuple(
        evolve(condition, node=among) if own else condition for condition, own in zip(found.requirements, domain)
    )
    # A point where the definition leaves the domain violates it, although the unknown is what it is defined to be.
    stated = tuple(
        evolve(condition, node=graph.add("and", condition.node, itself)) if own else condition
        for condition, own in zip(found.stated, domain)
    )
    return evolve(found, requirements=inside, stated=stated)


def _among(graph: Graph, value: int, values: Sequence[float]) -> int | None:
    """A node that is 1 where a value is one of some values; None if it would be too long."""
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


def _comparisons(found: Reduced, *ops: str) -> Iterator[tuple[int, Condition, tuple[int, int]]]:
    """The requirements that are a single comparison of two sides, with their positions and both sides."""
    add = found.system.graph.add
    for number, condition in enumerate(found.requirements):
        left, right, op = condition.left, condition.right, condition.op
        if op in ops and left is not None and right is not None:
            whole = add("le", right, left) if op == "ge" else add(op, left, right)
            if whole == condition.node:
                yield number, condition, (left, right)


def _definition(found: Reduced, open_: Sequence[int]) -> Definition | None:
    system = found.system
    for number, _, sides in _comparisons(found, "eq"):
        for unknown in open_:
            if (node := isolated(system.graph, sides, unknown, domains(system.unknowns))) is not None:
                return Definition(unknown, node, number)
    return None


def _pushed(found: Reduced, open_: Sequence[int]) -> Definition | None:
    """The bound at which an unknown lies in every best point, if objectives push it there and nothing holds it back."""
    system, graph = found.system, found.system.graph
    if system.front:
        return None
    nodes = judged(system, found.requirements)
    moving = {unknown: directions(graph, nodes, unknown, system.unknowns) for unknown in open_}
    for number, condition, sides in _comparisons(found, "le", "ge"):
        for unknown, moves in moving.items():
            domain = system.unknowns[unknown]
            upwards = moves[condition.node]  # a condition that growth satisfies bounds it from below
            rest = [c.node for c in found.requirements if c is not condition and graph.constant(c.node) is None]
            rest += [p.node for p in system.preferences if p.weight]
            costs = [moves[o.node] for o in system.objectives]
            signed = [None if m is None else m * o.sense for m, o in zip(costs, system.objectives)]
            if not upwards or any(moves[node] not in (0, -upwards) for node in rest):
                continue
            if upwards not in signed or any(cost not in (0, upwards) for cost in signed):
                continue
            if (node := isolated(graph, sides, unknown, domains(system.unknowns))) is not None:
                end = ("max", domain.low) if upwards > 0 else ("min", domain.high)
                return Definition(unknown, graph.add(end[0], node, graph.const(end[1])), number)
    return None


def _substituted(before: Reduced, definition: Definition) -> Reduced:
    """The system with the unknown replaced everywhere by its definition."""
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
    """The condition that a value lies in the domain of a continuous unknown."""
    inside, low, high = graph.add("finite", value), unknown.low, unknown.high
    if isfinite(low):
        inside = graph.add("and", inside, graph.add("le", graph.const(low), value))
    if isfinite(high):
        inside = graph.add("and", inside, graph.add("le", value, graph.const(high)))
    return Condition(unknown.path, inside, "domain", None, None, "", None, unknown.span)


def _moved(condition: Condition, move: Substitution) -> Condition:
    left, right = (None if side is None else move(side) for side in (condition.left, condition.right))
    return evolve(condition, node=move(condition.node), left=left, right=right)

"""Which requirement holds an unknown back, and at what unrounded value it would begin to fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import define, field

from llmplan.operations import TOLERANCE
from llmplan.solve.closed_form.derive import closed_form
from llmplan.solve.outcome import How
from llmplan.system.evaluate import evaluate
from llmplan.system.system import Condition, System
from llmplan.units.measure import Measure

_NEAR = 1e-6
"""How far, relatively, a root may lie from a continuous solution that is as good within the tolerance."""


@define
class Bound:
    """What is known about the unknowns of a solved system beyond their values.

    Attributes:
        point: The solution; a continuous unknown stands at the root of its closed form.
        how: `closed form` for an unknown whose value is the neighbour of such a root.
        exact: The root.
        binding: The requirement, as an index, that the next better value would violate.
    """

    point: dict[int, float]
    how: dict[int, How]
    exact: dict[int, float] = field(factory=dict)
    binding: dict[int, int] = field(factory=dict)


def bind(
    system: System, requirements: Sequence[Condition], point: Mapping[int, float], how: Mapping[int, How]
) -> Bound:
    """Looks for the binding requirement of each asked unknown, and for its closed form.

    A closed form is accepted for an unknown that is the only asked one in its binding requirement,
    or for the continuous one, with the others at their solution, and only if evaluation agrees: its
    root lies between the chosen value and the next one, which fails.

    Args:
        system: The system.
        requirements: What must hold.
        point: The solution.
        how: How it was found.
    """
    bound = Bound(dict(point), dict(how))
    ordered = [i for i, u in enumerate(system.unknowns) if u.asked and isinstance(u.type, Measure)]
    mask = sum(1 << i for i in ordered)
    for unknown in ordered:
        continuous = system.unknowns[unknown].values is None
        candidates = _candidates(system, requirements, point, unknown)
        closest: float | None = None
        for number, low, high in candidates:
            bound.binding.setdefault(unknown, number)
            if not continuous and system.graph.reach(requirements[number].node) & mask != 1 << unknown:
                continue
            root = _root(system, requirements[number], point, unknown, low, high)
            nearer = closest is None or (
                root is not None and abs(root - point[unknown]) < abs(closest - point[unknown])
            )
            if root is not None and nearer:
                closest = root
                bound.binding[unknown] = number
        if closest is not None and _stands(system, requirements, bound, unknown, closest):
            bound.exact[unknown] = closest
            bound.how[unknown] = "closed form"
    return bound


def _candidates(
    system: System, requirements: Sequence[Condition], point: Mapping[int, float], unknown: int
) -> list[tuple[int, float, float]]:
    """Requirements that may hold an unknown back, with the ends between which they begin to fail."""
    values, here = system.unknowns[unknown].values, point[unknown]
    if values is None:
        tight = _tight(system, requirements, point, unknown)
        if not tight:
            return _failing(system, requirements, point, unknown)
        low, high = sorted((here * (1 - _NEAR), here * (1 + _NEAR)))
        return [(number, low, high) for number in tight]
    order = sorted(values)
    at = order.index(here)
    return _violated(system, requirements, point, unknown, order[max(at - 1, 0) : at] + order[at + 1 : at + 2])


def _failing(
    system: System, requirements: Sequence[Condition], point: Mapping[int, float], unknown: int
) -> list[tuple[int, float, float]]:
    """Requirements that fail just beside a continuous value though their sides do not meet there: steps."""
    here, domain = point[unknown], system.unknowns[unknown]
    beside = (here * (1 - _NEAR), here * (1 + _NEAR))
    return _violated(
        system, requirements, point, unknown, [there for there in beside if domain.low <= there <= domain.high]
    )


def _violated(
    system: System,
    requirements: Sequence[Condition],
    point: Mapping[int, float],
    unknown: int,
    values: Sequence[float],
) -> list[tuple[int, float, float]]:
    """Requirements that better ones of some values beside that at a point violate, with both values."""
    here = point[unknown]
    nodes = [condition.node for condition in requirements]
    found = []
    for there in values:
        if not better(system, {**point, unknown: there}, point):
            continue
        holds = evaluate(system.graph, {**point, unknown: there}, nodes)
        found += [
            (number, min(here, there), max(here, there))
            for number, condition in enumerate(requirements)
            if holds[condition.node] != 1.0
        ]
    return found


def _tight(
    system: System, requirements: Sequence[Condition], point: Mapping[int, float], unknown: int
) -> list[int]:
    """Requirements with an unknown in them whose two sides meet at a point."""
    found = []
    for number, condition in enumerate(requirements):
        if condition.left is None or condition.right is None:
            continue
        if system.graph.reach(condition.node) >> unknown & 1:
            sides = evaluate(system.graph, point, (condition.left, condition.right))
            left, right = sides[condition.left], sides[condition.right]
            if abs(left - right) <= TOLERANCE * max(abs(left), abs(right)):
                found.append(number)
    return found


def better(system: System, there: Mapping[int, float], here: Mapping[int, float]) -> bool:
    """Whether the objectives prefer a point, feasible or not."""
    nodes = [objective.node for objective in system.objectives]
    mine, other = evaluate(system.graph, there, nodes), evaluate(system.graph, here, nodes)
    for objective in system.objectives:
        a, b = mine[objective.node] * objective.sense, other[objective.node] * objective.sense
        if abs(a - b) > TOLERANCE * max(abs(a), abs(b)):
            return a < b
    return False


def _root(
    system: System, condition: Condition, point: Mapping[int, float], unknown: int, low: float, high: float
) -> float | None:
    """Where the sides of a condition meet between two values of an unknown, in closed form."""
    if condition.left is None or condition.right is None:
        return None
    leaves = {system.graph.unknown(i): v for i, v in point.items() if i != unknown}
    found = closed_form(system.graph, condition.left, condition.right, unknown, {}, leaves, low, high)
    return found.roots[0] if found is not None and len(found.roots) == 1 else None


def _stands(
    system: System, requirements: Sequence[Condition], bound: Bound, unknown: int, root: float
) -> bool:
    """Whether a root agrees with the solution; a continuous unknown is moved onto it."""
    if system.unknowns[unknown].values is not None:
        return True
    moved = {**bound.point, unknown: root}
    values = evaluate(system.graph, moved, [condition.node for condition in requirements])
    if all(values[condition.node] == 1.0 for condition in requirements):
        bound.point = moved
        return True
    return False

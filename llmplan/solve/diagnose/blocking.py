"""Binding constraints of an unknown: the requirements that its next better value violates.

Better means preferred by the objectives. The definition is applied in two ways: with the other unknowns fixed (`bind`,
which derives closed forms on the way), and with the others free to follow (`beyond`), which is stronger and more
expensive.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, isnan, prod

from attrs import evolve, frozen

from llmplan.operations.numbers import close
from llmplan.solve.closed_form.derive import closed_form
from llmplan.solve.closed_form.equation import Equation
from llmplan.solve.diagnose.conflict import diagnose_grid, violated_at
from llmplan.solve.dispatch import best_point
from llmplan.solve.effort import Effort
from llmplan.solve.nearest import with_values
from llmplan.solve.order import prefers
from llmplan.solve.outcome import Outcome
from llmplan.system.evaluate import evaluate
from llmplan.system.system import Condition, System
from llmplan.units.measure import Measure

BUDGET = 1_000_000
"""The most points to evaluate for one unknown."""

_NEAR = 1e-6
"""How far, relatively, a root may lie from a continuous solution that is equally good within the tolerance."""

_TRIED = 16
"""The number of better values of an unknown to try."""

_BOUNDS = ("le", "lt", "ge", "gt")


def better(system: System, there: Mapping[int, float], here: Mapping[int, float]) -> bool:
    """Whether the objectives prefer the first point to the second, feasible or not."""
    nodes = [objective.node for objective in system.objectives]

    def costs(point: Mapping[int, float]) -> list[float]:
        values = evaluate(system.graph, point, nodes)
        found = [values[objective.node] * objective.sense for objective in system.objectives]
        return [inf if isnan(cost) else cost for cost in found]

    return prefers(costs(there), costs(here)) is True


def better_sides(system: System, point: Mapping[int, float], unknown: int) -> list[list[float]]:
    """The values of an unknown beyond its value at a point, nearest first, on each side where the nearest is better."""
    here, domain = point[unknown], system.unknowns[unknown]
    if domain.values is None:
        beside = (here * (1 - _NEAR), here * (1 + _NEAR))
        sides = [[there] for there in beside if domain.low <= there <= domain.high]
    else:
        values = sorted(domain.values)
        place = values.index(here)
        sides = [values[:place][::-1], values[place + 1 :]]
    return [side for side in sides if side and better(system, {**point, unknown: side[0]}, point)]


def bind(system: System, requirements: Sequence[Condition], outcome: Outcome) -> Outcome:
    """The outcome with each requested unknown's binding requirement (the others fixed) and closed form.

    A closed form is accepted for an unknown that is the only one asked for in its binding requirement, or for the
    continuous one, with the others at their solution, and only if evaluation agrees: its root lies between the chosen
    value and the next one, which fails. A continuous unknown is moved onto it.
    """
    point, how = outcome.point, dict(outcome.how)
    exact: dict[int, float] = {}
    binding: dict[int, int] = {}
    asked = [i for i, u in enumerate(system.unknowns) if u.asked and isinstance(u.type, Measure)]
    mask = sum(1 << i for i in asked)
    for unknown in asked:
        continuous, here = system.unknowns[unknown].values is None, outcome.point[unknown]
        closest: float | None = None
        for number, low, high in _candidates(system, requirements, outcome.point, unknown):
            binding.setdefault(unknown, number)
            if not continuous and system.graph.reach(requirements[number].node) & mask != 1 << unknown:
                continue
            root = _root(system, requirements[number], outcome.point, unknown, low, high)
            if root is not None and (closest is None or abs(root - here) < abs(closest - here)):
                closest = root
                binding[unknown] = number
        if closest is None or continuous and violated_at(system, requirements, {**point, unknown: closest}):
            continue
        if continuous:
            point = {**point, unknown: closest}
        exact[unknown] = closest
        how[unknown] = "closed form"
    return evolve(outcome, point=point, how=how, exact=exact, binding=binding)


def _candidates(
    system: System, requirements: Sequence[Condition], point: Mapping[int, float], unknown: int
) -> list[tuple[int, float, float]]:
    """Requirements that may bind an unknown, with the interval in which each begins to fail."""
    here = point[unknown]
    if system.unknowns[unknown].values is None:
        low, high = sorted((here * (1 - _NEAR), here * (1 + _NEAR)))
        if tight := _tight(system, requirements, point, unknown):
            return [(number, low, high) for number in tight]
        # Steps: requirements that fail just beside the value although their sides are not equal there.
    return [
        (number, min(here, there), max(here, there))
        for there, *_ in better_sides(system, point, unknown)
        for number in violated_at(system, requirements, {**point, unknown: there})
    ]


def _tight(system: System, requirements: Sequence[Condition], point: Mapping[int, float], unknown: int) -> list[int]:
    """Requirements that depend on an unknown and whose two sides are equal at a point."""
    tight = []
    for number, condition in enumerate(requirements):
        left, right = condition.left, condition.right
        if left is not None and right is not None and system.graph.reach(condition.node) >> unknown & 1:
            values = evaluate(system.graph, point, (left, right))
            if close(values[left], values[right]):
                tight.append(number)
    return tight


def _root(
    system: System, condition: Condition, point: Mapping[int, float], unknown: int, low: float, high: float
) -> float | None:
    """The value of an unknown, between two values, at which both sides of a condition are equal, in closed form."""
    if condition.left is None or condition.right is None:
        return None
    leaves = {system.graph.unknown(i): v for i, v in point.items() if i != unknown}
    form = closed_form(Equation(system.graph, condition.left, condition.right, unknown, {}, leaves, low, high))
    return form.roots[0] if form is not None and len(form.roots) == 1 else None


@frozen
class Beyond:
    """A value that the objectives would prefer, the nearest plan with it, and the requirements that this plan violates.

    Attributes:
        unmet: If it violates none, the preferences that the answer meets and this plan does not.
    """

    value: float
    point: dict[int, float]
    violated: tuple[int, ...]
    unmet: tuple[Condition, ...] = ()


def beyond(
    system: System, requirements: Sequence[Condition], point: Mapping[int, float], unknown: int
) -> Beyond | None:
    """The next better value of a discrete unknown that is infeasible for all values of the others.

    A value that violates a divisibility requirement is skipped for the next one that violates only bounds, if there is
    one nearby. A feasible value is returned if preferences, which rank before objectives, hold it back. None if nothing
    better is held back, or the search would be too large.
    """
    values = system.unknowns[unknown].values
    if values is None or not isinstance(system.unknowns[unknown].type, Measure) or len(values) < 2:
        return None
    others = [u.values for i, u in enumerate(system.unknowns) if i != unknown]
    cost = prod(len(other or ()) for other in others)  # 0 if one of the others is continuous
    if not 0 < cost <= BUDGET:
        return None
    first: Beyond | None = None
    for side in better_sides(system, point, unknown):
        for value in side[: max(1, min(_TRIED, BUDGET // cost))]:
            tried = with_values(system, unknown, (value,))
            there = best_point(tried, requirements, Effort(BUDGET))
            if there is not None:
                unmet = _unmet(system, point, there)
                first = first or (Beyond(value, there, (), unmet) if unmet else None)
                break
            conflict = diagnose_grid(tried, requirements)
            infeasible = Beyond(value, conflict.nearest, conflict.violated)
            first = first or infeasible
            if all(requirements[index].op in _BOUNDS for index in conflict.violated):
                return infeasible
    return first


def _unmet(system: System, here: Mapping[int, float], there: Mapping[int, float]) -> tuple[Condition, ...]:
    """The preferences that the first point meets and the second does not."""
    weighed = [preference for preference in system.preferences if preference.weight]
    nodes = [preference.node for preference in weighed]
    mine, other = evaluate(system.graph, here, nodes), evaluate(system.graph, there, nodes)
    return tuple(one for one in weighed if mine[one.node] == 1.0 and other[one.node] != 1.0)


def binding(system: System, outcome: Outcome, unknown: int) -> tuple[tuple[int, ...], Beyond | None]:
    """The binding constraints of an unknown, as indices, and the better value that violates them.

    Without such a value they are the constraints that bind it with the others fixed.
    """
    found = beyond(system, outcome.requirements, outcome.point, unknown)
    if found is not None:
        return found.violated, found
    return ((outcome.binding[unknown],) if unknown in outcome.binding else ()), None

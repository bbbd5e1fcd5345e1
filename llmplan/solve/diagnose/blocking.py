"""What the next better value of an unknown would violate, the other unknowns free to follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from attrs import frozen

from llmplan.solve.binding import better
from llmplan.solve.diagnose.conflict import diagnose
from llmplan.solve.effort import Effort
from llmplan.solve.nearest import best_point, with_values
from llmplan.system.system import Condition, System
from llmplan.units.measure import Measure

BUDGET = 1_000_000
"""Points that may be looked at for one unknown."""

_BOUNDS = ("le", "lt", "ge", "gt")


@frozen
class Beyond:
    """A value that the objectives would prefer.

    Attributes:
        value: In base units.
        point: The plan with it that comes nearest.
        violated: Indices of the requirements that this plan violates.
    """

    value: float
    point: dict[int, float]
    violated: tuple[int, ...]


def beyond(
    system: System, requirements: Sequence[Condition], point: Mapping[int, float], unknown: int
) -> Beyond | None:
    """The next better value of a discrete unknown that is not feasible with any values of the others.

    A value that breaks what must divide is passed over for the next one that breaks nothing but bounds,
    if there is one near; None if nothing better is infeasible, or too much would have to be looked at.
    """
    values = system.unknowns[unknown].values
    if values is None or not isinstance(system.unknowns[unknown].type, Measure) or len(values) < 2:
        return None
    others = [i for i, u in enumerate(system.unknowns) if u.values is None]
    cost = prod(len(u.values or (0,)) for i, u in enumerate(system.unknowns) if i != unknown)
    if others or cost > BUDGET:
        return None
    order = sorted(values)
    at = order.index(point[unknown])
    found: Beyond | None = None
    for side in (order[:at][::-1], order[at + 1 :]):
        if not side or not better(system, {**point, unknown: side[0]}, point):
            continue
        for value in side[: max(1, min(16, BUDGET // cost))]:
            tried = with_values(system, unknown, (value,))
            if best_point(tried, requirements, Effort(BUDGET)) is not None:
                break
            conflict = diagnose(tried, requirements)
            here = Beyond(value, conflict.nearest, conflict.violated)
            found = found or here
            if all(requirements[index].op in _BOUNDS for index in conflict.violated):
                return here
    return found

"""Solves a `System`: search over the discrete unknowns, then what is known about the answer."""

from __future__ import annotations

from math import isfinite, prod

from attrs import evolve

from llmplan.diagnostics import Diagnostic
from llmplan.diagnostics.solving import (
    flat_objective,
    several_continuous,
    too_many_combinations,
    unbounded,
)
from llmplan.operations import TOLERANCE
from llmplan.solve.binding import Bound, bind
from llmplan.solve.effort import Effort, OverLimit, Progress
from llmplan.solve.outcome import Conflict, How, Neighbours, Outcome
from llmplan.solve.presolve.eliminate import Reduced, open_unknowns, reduce
from llmplan.system.system import Condition, System

LIMIT = 10**8


def requirements_of(system: System) -> tuple[Condition, ...]:
    """Everything that a feasible point must meet.

    That is the conditions of the system, the domains that depend on other unknowns, and that the
    author's objectives have a value; what holds everywhere is left out of the latter two.
    """
    graph = system.graph
    found = list(system.conditions)
    for unknown in system.unknowns:
        if unknown.allowed is not None and graph.constant(unknown.allowed) != 1.0:
            found.append(
                Condition(unknown.path, unknown.allowed, "domain", None, None, "", None, unknown.span)
            )
    for objective in system.objectives:
        node = graph.add("finite", objective.node)
        if objective.author and graph.constant(node) != 1.0:
            found.append(Condition(objective.text, node, "plan", None, None, "", None, objective.span))
    return tuple(found)


def solve(
    system: System, limit: int = LIMIT, keep: int = 0, brief: bool = False, progress: Progress | None = None
) -> Outcome:
    """The best feasible point of a system, or why there is none.

    Args:
        system: What is left to be solved; its graph may grow.
        limit: The largest number of combinations of discrete values that may be looked at.
        keep: How many of the best points are wanted; with them come the best trade-offs.
        brief: True if nothing is to be said about the answer: no neighbours, no closed forms.
        progress: Is told how far a search is.

    Returns:
        An outcome with status `solved`, `infeasible` (the point is then the nearest one) or
        `error` (E0403, E0404 or E0405 among its diagnostics).
    """
    effort = Effort(max(limit, 1), progress=progress)
    requirements = requirements_of(system)
    reduced = reduce(system, requirements)
    continuous = open_unknowns(reduced.system, reduced.requirements)
    if len(continuous) > 1:
        places = [(system.unknowns[i].path, system.unknowns[i].span) for i in continuous]
        return Outcome("error", diagnostics=(several_continuous(places),))
    if continuous:
        found = _solve_continuous(reduced.system, reduced.requirements, continuous[0], effort, keep, brief)
    else:
        found = _solve_discrete(reduced.system, reduced.requirements, effort, keep, brief)
    return _completed(found, reduced) if reduced.defined else found


def _completed(outcome: Outcome, reduced: Reduced) -> Outcome:
    """The outcome of a reduced system as one of the original."""
    if outcome.status == "error":
        return outcome
    how, exact, binding = dict(outcome.how), dict(outcome.exact), dict(outcome.binding)
    point = reduced.complete(outcome.point)
    for definition in reduced.defined:
        if definition.equation is None:
            continue
        how[definition.unknown] = "closed form"
        exact[definition.unknown] = point[definition.unknown]
        binding[definition.unknown] = definition.equation
    conflict = outcome.conflict
    if conflict is not None:
        conflict = evolve(conflict, nearest=reduced.complete(conflict.nearest))
        exact = {}
    return evolve(
        outcome,
        point=point,
        how=how,
        exact=exact,
        binding=binding,
        requirements=reduced.stated,
        conflict=conflict,
        neighbours={index: _both(beside, reduced) for index, beside in outcome.neighbours.items()},
        top=tuple(reduced.complete(found) for found in outcome.top),
        front=tuple(reduced.complete(found) for found in outcome.front),
    )


def _both(beside: Neighbours, reduced: Reduced) -> Neighbours:
    """Neighbours with their points completed."""
    return Neighbours(
        *(
            None if side is None else evolve(side, point=reduced.complete(side.point))
            for side in (beside.below, beside.above)
        )
    )


def _too_many(system: System, effort: Effort, points: float, continuous: int = 1) -> Outcome:
    """E0404; `continuous` is the number of points at which a continuous unknown would be tried."""
    found = [(u, continuous if u.values is None else len(u.values)) for u in system.unknowns]
    sizes = [(unknown.path, size, unknown.span) for unknown, size in found if size > 1]
    return Outcome("error", diagnostics=(too_many_combinations(sizes, int(effort.limit), points),))


def _considered(system: System) -> int:
    return prod(len(unknown.values) for unknown in system.unknowns if unknown.values is not None)


def _solve_continuous(
    system: System, requirements: tuple[Condition, ...], unknown: int, effort: Effort, keep: int, brief: bool
) -> Outcome:
    from llmplan.solve.continuous.line_search import FAR
    from llmplan.solve.continuous.scan import Along
    from llmplan.solve.diagnose.neighbours import neighbours_along

    considered = _considered(system)
    along = Along(system, requirements, unknown, effort)
    try:
        scan = along.scan(max(keep, 1))
        conflict = None if scan.top else along.diagnose()
    except OverLimit:
        return _too_many(system, effort, considered * along.grid_points, along.grid_points)
    if conflict is not None:
        return _infeasible(system, requirements, conflict, considered)
    best = scan.top[0]
    end = system.unknowns[unknown].high if best.point[unknown] > 0 else system.unknowns[unknown].low
    if abs(best.point[unknown]) >= FAR and not isfinite(end):
        return Outcome("error", diagnostics=(_unbounded(system, unknown, best.point[unknown] > 0),))
    how = _how(system, best.point)
    bound = Bound(best.point, how) if brief else bind(system, requirements, best.point, how)
    flat = _flat(system, scan.spread, 2 if scan.varies else 1, True)
    points = considered * along.grid_points
    return Outcome(
        "solved",
        bound.point,
        bound.how,
        bound.exact,
        binding=bound.binding,
        requirements=requirements,
        intervals={unknown: best.intervals},
        considered=considered,
        feasible=scan.feasible,
        neighbours={} if brief else neighbours_along(system, requirements, scan, unknown, points),
        flat=flat,
        top=tuple(found.point for found in scan.top) if keep else (),
        front=tuple(along.front_point(scan.front, row) for row in range(len(scan.front.costs))),
        diagnostics=_flat_warnings(system, flat),
    )


def _unbounded(system: System, unknown: int, grows: bool) -> Diagnostic:
    pushing = [o for o in system.objectives if system.graph.reach(o.node) >> unknown & 1]
    place = pushing[0].span if pushing else None
    return unbounded(system.unknowns[unknown].path, system.unknowns[unknown].span, grows, place)


def _how(system: System, point: dict[int, float]) -> dict[int, How]:
    return {index: "numeric" if system.unknowns[index].values is None else "search" for index in point}


def _infeasible(
    system: System, requirements: tuple[Condition, ...], conflict: Conflict, considered: int
) -> Outcome:
    return Outcome(
        "infeasible",
        conflict.nearest,
        _how(system, conflict.nearest),
        considered=considered,
        feasible=0,
        requirements=requirements,
        conflict=conflict,
    )


def _solve_discrete(
    system: System, requirements: tuple[Condition, ...], effort: Effort, keep: int, brief: bool
) -> Outcome:
    from llmplan.solve.diagnose.conflict import diagnose
    from llmplan.solve.diagnose.neighbours import neighbours
    from llmplan.solve.discrete.search import ordered_first, point_at, search

    considered = _considered(system)
    if considered > effort.limit and ordered_first(system) is None:
        return _too_many(system, effort, considered)
    try:
        done = search(system, requirements, effort=effort, keep=keep)
    except OverLimit:
        return _too_many(system, effort, considered)
    if done.best is None:
        return _infeasible(system, requirements, diagnose(system, requirements, effort), considered)
    point = point_at(system, done.best.places)
    flat = _flat(system, done.spread, done.feasible, done.complete)
    how = _how(system, point)
    bound = Bound(point, how) if brief else bind(system, requirements, point, how)
    front = [
        {unknown: int(array[row]) for unknown, array in done.front.places.items()}
        for row in range(len(done.front.costs))
    ]
    return Outcome(
        "solved",
        bound.point,
        bound.how,
        bound.exact,
        binding=bound.binding,
        requirements=requirements,
        considered=considered,
        feasible=done.feasible if done.complete else None,
        neighbours={} if brief else neighbours(system, requirements, done, done.best),
        flat=flat,
        top=tuple(point_at(system, found.places) for found in done.top),
        front=tuple(point_at(system, places) for places in front),
        diagnostics=_flat_warnings(system, flat),
    )


def _flat(
    system: System, spread: list[tuple[float, float]], feasible: int, complete: bool
) -> tuple[int, ...]:
    """Objectives that are the same everywhere; of a search that ended early only constants are."""
    if feasible < 2:
        return ()
    found = []
    for number, objective in enumerate(system.objectives):
        low, high = spread[number]
        same = low == high or high - low <= TOLERANCE * abs(low)
        if same and (complete or not system.graph.reach(objective.node)):
            found.append(number)
    return tuple(found)


def _flat_warnings(system: System, flat: tuple[int, ...]) -> tuple[Diagnostic, ...]:
    objectives = [system.objectives[number] for number in flat]
    return tuple(flat_objective(o.text, o.span) for o in objectives if o.author)

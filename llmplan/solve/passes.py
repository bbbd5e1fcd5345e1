"""Solves a `System`: the passes, in order.

Each pass takes the state so far and returns it with its own results added; `PASSES` leads from a system to its outcome.
The graph of the system only grows, since its nodes never change; everything else is replaced, not mutated.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import TYPE_CHECKING

from attrs import evolve, field, frozen

from llmplan.diagnostics import Diagnostic
from llmplan.diagnostics.solving import (
    flat_objective,
    several_continuous,
    too_long_a_line,
    too_many_combinations,
    unbounded,
)
from llmplan.operations import TOLERANCE
from llmplan.solve.effort import Budget, Effort, OverLimit, Progress, along_a_line
from llmplan.solve.outcome import How, Jump, Neighbours, Outcome
from llmplan.solve.presolve.eliminate import Reduced, open_unknowns, reduce
from llmplan.system.system import Condition, System

if TYPE_CHECKING:
    from llmplan.solve.found import Found
    from llmplan.solve.order import Ranked

LIMIT = 10**8


@frozen
class State:
    """The state between passes: what is known about a system, and the request, see `solve`.

    Attributes:
        system: The system that the passes work on, first as given, then with fewer unknowns.
        requirements: The conditions that must hold.
        reduced: How the eliminated unknowns follow from the rest.
        continuous: The continuous unknown that is left, if there is one.
        found: The result of the search.
        outcome: The results of the passes, in terms of `system`.
    """

    system: System
    effort: Effort
    keep: int = 0
    requirements: tuple[Condition, ...] = ()
    reduced: Reduced | None = None
    continuous: int | None = None
    found: Found | None = None
    outcome: Outcome = field(factory=lambda: Outcome("infeasible"))


def require(state: State) -> State:
    """Collects the conditions that a feasible point must meet."""
    return evolve(state, requirements=requirements_of(state.system))


def presolve(state: State) -> State:
    """Eliminates unknowns that follow from others, until at most one that matters is continuous.

    A feasible point of the reduced system, once completed, is a feasible point of the system, and the best one is the
    best. More than one continuous unknown is an error.
    """
    reduced = reduce(state.system, state.requirements)
    system, requirements = reduced.system, reduced.requirements
    continuous = open_unknowns(system, requirements)
    if len(continuous) > 1:
        places = [(system.unknowns[i].path, system.unknowns[i].span) for i in continuous]
        return _failed(state, several_continuous(places))
    unknown = next(iter(continuous), None)
    # All searches along a line share one budget: a point on a line costs far more than a point of a grid.
    effort = state.effort if unknown is None else evolve(state.effort, budget=Budget(along_a_line(state.effort.limit)))
    return evolve(state, system=system, requirements=requirements, reduced=reduced, continuous=unknown, effort=effort)


def search(state: State) -> State:
    """Finds the best feasible points: each is feasible by evaluation, and no other point is better.

    Too many points, or an unbounded continuous unknown, is an error.
    """
    from llmplan.solve.dispatch import find, layouts, points
    from llmplan.solve.found import point_at

    system, unknown = state.system, state.continuous
    considered = layouts(system)
    try:
        found = find(system, state.requirements, unknown, state.effort, max(state.keep, 1))
    except OverLimit:
        return _too_many(state, points(system, state.requirements, unknown))
    outcome = Outcome("infeasible", considered=considered, feasible=0, requirements=state.requirements)
    if found.top:
        best = found.top[0]
        point = point_at(system, best.places)
        if unknown is not None and _runs_away(system, unknown, point[unknown]):
            return _failed(state, _unbounded(system, unknown, point[unknown] > 0))
        flat = _flat(system, found)
        unmoved = [system.objectives[number] for number in flat]
        outcome = evolve(
            outcome,
            status="solved",
            point=point,
            how=_how(system, point),
            jumps=_jumps(unknown, best),
            intervals={} if unknown is None else {unknown: best.intervals},
            feasible=found.feasible if found.complete else None,
            flat=flat,
            top=tuple(point_at(system, other.places) for other in found.top) if state.keep else (),
            front=tuple(found.front_points(system)),
            diagnostics=tuple(flat_objective(o.text, o.span) for o in unmoved if o.author),
        )
    return evolve(state, found=found, outcome=outcome)


def diagnose(state: State) -> State:
    """Finds the conflict and the nearest point of an infeasible system."""
    from llmplan.solve import dispatch

    if state.outcome.status != "infeasible":
        return state
    system = state.system
    try:
        conflict = dispatch.diagnose(system, state.requirements, state.continuous, state.effort)
    except OverLimit:
        return _too_many(state, dispatch.points(system, state.requirements, state.continuous))
    point, unknown = conflict.nearest, state.continuous
    jumps: dict[int, Jump] = {unknown: "tried"} if unknown is not None and conflict.partly else {}
    outcome = evolve(state.outcome, conflict=conflict, point=point, how=_how(system, point), jumps=jumps)
    return evolve(state, outcome=outcome)


def bind(state: State) -> State:
    """Finds the binding constraint of each unknown, and its unrounded value where a closed form gives one.

    A continuous unknown is moved onto the root of its closed form, which is feasible as well.
    """
    from llmplan.solve.diagnose import blocking

    return evolve(state, outcome=blocking.bind(state.system, state.requirements, state.outcome))


def neighbours(state: State) -> State:
    """Finds the feasible values next to the solution's for each unknown."""
    from llmplan.solve.diagnose.neighbours import beside

    assert state.found is not None
    found = beside(state.system, state.requirements, state.continuous, state.found, state.effort)
    return evolve(state, outcome=evolve(state.outcome, neighbours=found))


def complete(state: State) -> State:
    """Adds the eliminated unknowns to every point, so that the outcome is one of the original system."""
    reduced, outcome = state.reduced, state.outcome
    if reduced is None or not reduced.defined:
        return state
    how, exact, binding = dict(outcome.how), dict(outcome.exact), dict(outcome.binding)
    point = reduced.complete(outcome.point)
    for definition in reduced.defined:
        if definition.equation is not None:
            how[definition.unknown] = "closed form"
            exact[definition.unknown] = point[definition.unknown]
            binding[definition.unknown] = definition.equation
    conflict = outcome.conflict
    if conflict is not None:
        conflict = evolve(conflict, nearest=reduced.complete(conflict.nearest))
        exact = {}
    outcome = evolve(
        outcome,
        point=point,
        how=how,
        exact=exact,
        binding=binding,
        requirements=reduced.stated,
        conflict=conflict,
        neighbours={index: _both(beside, reduced) for index, beside in outcome.neighbours.items()},
        top=tuple(reduced.complete(other) for other in outcome.top),
        front=tuple(reduced.complete(other) for other in outcome.front),
    )
    return evolve(state, outcome=outcome)


Pass = Callable[[State], State]

PASSES: tuple[Pass, ...] = (require, presolve, search, diagnose, bind, neighbours, complete)
"""The passes from a system to its outcome. The first error ends them."""

REMARKS: tuple[Pass, ...] = (bind, neighbours)
"""The passes that only add remarks on a solution."""


def solve(
    system: System, limit: int = LIMIT, keep: int = 0, brief: bool = False, progress: Progress | None = None
) -> Outcome:
    """The best feasible point of a system, or the reason why there is none.

    Args:
        system: The system to solve; its graph may grow.
        limit: The largest number of combinations of discrete values to evaluate.
        keep: The number of best points wanted; the Pareto front comes with them.
        brief: True to leave out remarks on the answer: neighbours and closed forms.
        progress: Receives the progress of a search.

    Returns:
        An outcome with status `solved`, `infeasible` (the point is then the nearest one) or
        `error` (E0403, E0404 or E0405 among its diagnostics).
    """
    state = State(system, Effort(max(limit, 1), progress=progress), keep)
    for step in PASSES:
        if step in REMARKS and (brief or state.outcome.status != "solved"):
            continue
        state = step(state)
        if state.outcome.status == "error":
            break
    return state.outcome


def requirements_of(system: System) -> tuple[Condition, ...]:
    """The conditions that a feasible point must meet.

    These are the conditions of the system, the domains that depend on other unknowns, and that the author's objectives
    have a value; the latter two are left out where they hold everywhere.
    """
    graph = system.graph
    further = [
        Condition(unknown.path, unknown.allowed, "domain", None, None, "", None, unknown.span)
        for unknown in system.unknowns
        if unknown.allowed is not None
    ] + [
        Condition(goal.text, graph.add("finite", goal.node), "plan", None, None, "", None, goal.span)
        for goal in system.objectives
        if goal.author
    ]
    return (*system.conditions, *(c for c in further if graph.constant(c.node) != 1.0))


def _failed(state: State, diagnostic: Diagnostic) -> State:
    return evolve(state, outcome=Outcome("error", diagnostics=(diagnostic,)))


def _too_many(state: State, points: float) -> State:
    """Sets E0404: too many points."""
    from llmplan.solve.dispatch import line_points

    counts = [
        (unknown, line_points(state.system, index) if unknown.values is None else len(unknown.values))
        for index, unknown in enumerate(state.system.unknowns)
        if unknown.values is not None or index == state.continuous
    ]
    sizes = [(unknown.path, count, unknown.span) for unknown, count in counts if count > 1]
    limit, continuous = int(state.effort.limit), state.continuous
    if continuous is not None and points <= limit:
        path = state.system.unknowns[continuous].path
        return _failed(state, too_long_a_line(sizes, int(along_a_line(limit)), points, path))
    return _failed(state, too_many_combinations(sizes, limit, points))


def _runs_away(system: System, unknown: int, value: float) -> bool:
    """Whether a value of a continuous unknown stands for an end that its domain does not have."""
    from llmplan.solve.continuous.line_search import FAR

    end = system.unknowns[unknown].high if value > 0 else system.unknowns[unknown].low
    return abs(value) >= FAR and not isfinite(end)


def _unbounded(system: System, unknown: int, grows: bool) -> Diagnostic:
    pushing = next((o.span for o in system.objectives if system.graph.reach(o.node) >> unknown & 1), None)
    return unbounded(system.unknowns[unknown].path, system.unknowns[unknown].span, grows, pushing)


def _how(system: System, point: dict[int, float]) -> dict[int, How]:
    return {index: "numeric" if system.unknowns[index].values is None else "search" for index in point}


def _jumps(unknown: int | None, best: Ranked) -> dict[int, Jump]:
    if unknown is None or not (best.partly or best.edge):
        return {}
    return {unknown: "tried" if best.partly else "edge"}


def _flat(system: System, found: Found) -> tuple[int, ...]:
    """Objectives that are the same everywhere; after a search that ended early, only constants."""
    flat = []
    for number, (objective, (low, high)) in enumerate(zip(system.objectives, found.spread)):
        same = low == high or high - low <= TOLERANCE * abs(low)
        if found.varies and same and (found.complete or not system.graph.reach(objective.node)):
            flat.append(number)
    return tuple(flat)


def _both(beside: Neighbours, reduced: Reduced) -> Neighbours:
    """Neighbours with their points completed."""
    sides = (beside.below, beside.above)
    return Neighbours(*(side and evolve(side, point=reduced.complete(side.point)) for side in sides))

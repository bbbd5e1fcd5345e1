"""Chooses the search engine for a system, and offers the searches that passes, diagnoses and relaxations use.

Discrete unknowns are searched as a grid. If there is also a continuous one, each point of the grid is a setting whose
line is searched; unknowns unrelated to the continuous one are searched separately. Every search returns the same
record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from attrs import evolve

from llmplan.solve.continuous.line_search import grid
from llmplan.solve.continuous.scan import LineScan
from llmplan.solve.decompose import halves
from llmplan.solve.diagnose.conflict import grid_failures, line_failures
from llmplan.solve.discrete.search import search
from llmplan.solve.effort import ENDLESS, Effort
from llmplan.solve.found import Found, point_at
from llmplan.solve.outcome import Conflict
from llmplan.solve.presolve.eliminate import open_unknowns, reduce
from llmplan.system.system import Condition, System


def find(
    system: System,
    requirements: Sequence[Condition],
    continuous: int | None,
    effort: Effort = ENDLESS,
    keep: int = 1,
    allowed: Mapping[int, Sequence[int]] | None = None,
) -> Found:
    """The best feasible points.

    Args:
        continuous: The one continuous unknown that affects which point is best, if there is one.
        effort: The limits on points and cost; OverLimit is raised if they are not enough.
        keep: The number of best points wanted; from 2 on the best trade-offs are recorded too.
        allowed: For some discrete unknowns, the positions to try instead of all.
    """
    if continuous is None:
        return search(system, requirements, allowed, effort, keep)
    if (parts := halves(system, requirements, continuous)) is None:
        return LineScan(system, requirements, continuous, effort, allowed).scan(keep)
    along, beside = parts.allowed(allowed or {})
    own = LineScan(parts.own.system, parts.own.requirements, continuous, effort, along).scan(keep)
    if not own.top:
        return own
    # The discrete part is bounded by the limit alone, as in a system without a continuous unknown.
    plain = evolve(effort, budget=None)
    return parts.together(own, search(parts.rest.system, parts.rest.requirements, beside, plain, keep), keep)


def diagnose(system: System, requirements: Sequence[Condition], continuous: int | None, effort: Effort) -> Conflict:
    """Why nothing is feasible; see `find`."""
    if continuous is None:
        seen = grid_failures(system, requirements, effort)
    elif (parts := halves(system, requirements, continuous)) is None:
        seen = line_failures(system, requirements, continuous, effort)
    else:
        own, rest = parts.own, parts.rest
        along = line_failures(own.system, own.requirements, continuous, effort)
        seen = parts.failures(along, grid_failures(rest.system, rest.requirements, effort))
    return seen.conflict(system, requirements)


def points(system: System, requirements: Sequence[Condition], continuous: int | None) -> int:
    """The number of points that a search evaluates: of the whole system, or of its independent parts together."""
    if continuous is None:
        return layouts(system)
    if (parts := halves(system, requirements, continuous)) is None:
        return layouts(system) * line_points(system, continuous)
    return layouts(parts.own.system) * line_points(system, continuous) + layouts(parts.rest.system)


def layouts(system: System) -> int:
    """Points of the product of the discrete domains."""
    return prod(len(unknown.values) for unknown in system.unknowns if unknown.values is not None)


def line_points(system: System, continuous: int | None) -> int:
    """The number of points tried along a continuous unknown in each setting."""
    return 1 if continuous is None else len(grid(system.unknowns[continuous]))


def best_point(system: System, requirements: Sequence[Condition], effort: Effort) -> dict[int, float] | None:
    """The best feasible point; None if there is none or several unknowns are continuous. For OverLimit see `find`."""
    reduced = reduce(system, tuple(requirements), left=0)
    continuous = open_unknowns(reduced.system, reduced.requirements)
    if len(continuous) > 1:
        return None
    found = find(reduced.system, reduced.requirements, next(iter(continuous), None), effort)
    return reduced.complete(point_at(reduced.system, found.top[0].places)) if found.top else None

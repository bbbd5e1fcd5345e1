"""The nearest feasible value of an unknown, and all of its feasible values, for relaxations."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from attrs import evolve

from llmplan.solve.dispatch import best_point, find, layouts
from llmplan.solve.effort import Effort
from llmplan.solve.presolve.eliminate import open_unknowns
from llmplan.system.system import Condition, Objective, System

_ROUNDS = 5
"""Rounds that narrow down a continuous value, to 1e-7 in all; whole numbers are all tried, in as many rounds as needed.
"""

_WHOLE_ROUNDS = 40
_PARTS = 24

_FEW = 24
"""The number of candidates that an unknown keeps if there are too many."""


def nearest(
    system: System,
    requirements: Sequence[Condition],
    unknown: int,
    values: Sequence[float],
    start: float,
    whole: bool | None,
    effort: Effort,
) -> float | None:
    """The first of some values of an unknown at which the system is feasible, then narrowed down towards `start`.

    Args:
        system: Its objectives are ignored.
        values: The values to try, nearest first, all on one side of `start`.
        start: A value at which the system is infeasible.
        whole: True if the unknown is a count, so that all whole numbers between two values are tried; False for a
            continuous value, which is narrowed down to a relative 1e-7; None to try only `values`.

    Raises:
        llmplan.solve.effort.OverLimit: The effort is not enough.
    """
    works = _first(system, requirements, unknown, values, effort)
    if works is None or whole is None:
        return works
    nearer = [value for value in values if abs(value - start) < abs(works - start)]
    fails = nearer[-1] if nearer else start
    for _ in range(_WHOLE_ROUNDS if whole else _ROUNDS):
        if not (between := _between(fails, works, whole)):
            break
        first = _first(system, requirements, unknown, between, effort)
        if first is None:
            fails = between[-1]
        else:
            number = between.index(first)
            fails, works = between[number - 1] if number else fails, first
    return works


def _between(fails: float, works: float, whole: bool) -> list[float]:
    """Values between the first and the second, both excluded."""
    if whole:
        gap = round(abs(works - fails))
        step = math.copysign(max(1, gap // _PARTS), works - fails)
        return [fails + step * i for i in range(1, math.ceil(gap / abs(step)))]
    if abs(works - fails) <= 1e-7 * abs(works):
        return []
    return [fails + (works - fails) / _PARTS * i for i in range(1, _PARTS)]


def _first(
    system: System, requirements: Sequence[Condition], unknown: int, values: Sequence[float], effort: Effort
) -> float | None:
    if not values:
        return None
    # The values come in the order of the first objective, so the search ends with the first feasible one.
    sense = 1 if len(values) < 2 or values[0] < values[-1] else -1
    aim = Objective(system.graph.unknown(unknown), sense, "", system.unknowns[unknown].span, False)
    tried = evolve(with_values(system, unknown, values), objectives=(aim,), preferences=())
    point = best_point(tried, requirements, effort)
    return None if point is None else point[unknown]


def _without_aims(system: System) -> System:
    return evolve(system, objectives=(), preferences=(), front=())


def feasible(system: System, requirements: Sequence[Condition], unknown: int, effort: Effort) -> bool:
    """Whether the system is feasible for any value of an unknown. Raises OverLimit, see `best_point`."""
    values = system.unknowns[unknown].values
    if values is not None:
        return _first(system, requirements, unknown, values, effort) is not None
    return best_point(_without_aims(system), requirements, effort) is not None


def feasible_values(system: System, requirements: Sequence[Condition], unknown: int, effort: Effort) -> list[float]:
    """The feasible values of a discrete unknown, in domain order. Raises OverLimit, see `best_point`."""
    values = system.unknowns[unknown].values or ()
    plain = _without_aims(system)
    if layouts(system) <= effort.limit and not open_unknowns(plain, requirements):
        # Without an objective the search is complete and records which values are feasible.
        seen = find(plain, requirements, None, effort).seen[unknown]
        return [value for value, works in zip(values, seen.tolist()) if works]
    return [v for v in values if _first(system, requirements, unknown, (v,), effort) is not None]


def thinned(
    system: System, unknown: int | None, point: Mapping[int, float], most: int
) -> tuple[System, tuple[str, ...]]:
    """The system with fewer candidates for the unknowns that have many, and the paths of those unknowns.

    Args:
        unknown: The unknown that keeps all of its candidates, if any.
        point: Values that stay among the candidates.
        most: The most combinations that the others may have, unless each has few values.
    """
    sizes = {i: len(u.values) for i, u in enumerate(system.unknowns) if u.values is not None and i != unknown}
    paths = []
    while math.prod(sizes.values()) > most and max(sizes.values()) > _FEW:
        index = max(sizes, key=lambda i: sizes[i])
        values = sorted(system.unknowns[index].values or ())
        kept = {values[round(i * (len(values) - 1) / (_FEW - 1))] for i in range(_FEW)}
        # Evenly spaced by position and by magnitude, as both ends of a long domain matter.
        kept |= {values[round(len(values) ** (i / _FEW)) - 1] for i in range(_FEW)}
        kept |= {value for value in (point.get(index),) if value in values}
        system = with_values(system, index, [v for v in system.unknowns[index].values or () if v in kept])
        sizes[index] = _FEW
        paths.append(system.unknowns[index].path)
    return system, tuple(paths)


def with_values(system: System, unknown: int, values: Sequence[float]) -> System:
    """The system with different candidates for an unknown."""
    unknowns = list(system.unknowns)
    unknowns[unknown] = evolve(unknowns[unknown], values=tuple(values), low=min(values), high=max(values))
    return evolve(system, unknowns=tuple(unknowns))


def without_idle(system: System, requirements: Sequence[Condition]) -> System:
    """The system with one candidate for each unknown on which neither a requirement nor what is optimized depends."""
    judged = [condition.node for condition in (*requirements, *system.preferences)]
    reach = system.graph.reached([*judged, *(aim.node for aim in system.objectives)])
    for index, unknown in enumerate(system.unknowns):
        if unknown.values and not reach >> index & 1:
            system = with_values(system, index, unknown.values[:1])
    return system

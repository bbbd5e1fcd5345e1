"""Solves a plan in which some requirements must hold at every point of its ranges.

The system checks them at the corners of the ranges, which is enough if the sides rise or fall monotonically with each
range. Otherwise the worst point inside is searched for at the solution and added to the corners, until there is none;
so a later solution never fails where an earlier one did.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from llmplan.check.plan import Program
from llmplan.check.program import Rule
from llmplan.operations import Interval
from llmplan.solve.effort import Progress
from llmplan.solve.outcome import Outcome
from llmplan.solve.passes import solve
from llmplan.system.build import Built, build
from llmplan.system.evaluate import evaluate
from llmplan.uncertainty.ranges import Ranges

_ROUNDS = 30
_GRID = {1: 33, 2: 13, 3: 7, 4: 5}
"""By the number of ranges, the number of values of each at which the worst point is searched for; 3 for more ranges."""

_GOLDEN = 0.618_033_988_749_895


def solve_certain(
    program: Program,
    built: Built,
    limit: int,
    keep: int = 0,
    brief: bool = False,
    progress: Progress | None = None,
) -> tuple[Built, Outcome]:
    """The outcome of a built plan, and the plan with the further points of its ranges at which it had to hold.

    The other arguments are those of `llmplan.solve.passes.solve`.
    """
    assert built.system is not None
    outcome = solve(built.system, limit, keep, brief, progress)
    rules = [rule for rule in program.rules if rule.certain and rule.weight is None]
    between: list[Mapping[str, float | Fraction]] = []
    for _ in range(_ROUNDS if rules else 0):
        if outcome.status != "solved" or built.system is None:
            break
        ranges = Ranges(built.lowering, built.system.by_path(outcome.point))
        worst = [found for rule in rules for found in [_broken(ranges, rule)] if found is not None]
        if not worst:
            break
        between += worst
        again = build(built.lowering, None, built.reads, between)
        if again.system is None:
            break
        built, outcome = again, solve(again.system, limit, keep, brief, progress)
    return built, outcome


def _broken(ranges: Ranges, rule: Rule) -> Mapping[str, float | Fraction] | None:
    """The point at which a requirement fails worst, as fractions of the ranges; None if no such point is found."""
    if ranges.always(rule):
        return None
    condition, slack = ranges.nodes(rule)
    box = ranges.box()
    if condition is None or not box:
        return None
    graph, root = ranges.lowering.graph, condition if slack is None else slack

    def at(shares: Sequence[float], node: int = root) -> float:
        found = evaluate(graph, _between(box, shares), (node,))[node]
        return -math.inf if found != found else found  # what has no value fails

    steps = _GRID.get(len(box), 3)
    ticks = [step / (steps - 1) for step in range(steps)]
    worst = list(min(itertools.product(ticks, repeat=len(box)), key=lambda shares: at(tuple(shares))))
    if slack is not None:
        for axis in [*range(len(box))] * 2:
            worst[axis] = _lowest(at, worst, axis, 1 / (steps - 1))
    if at(worst, condition) == 1.0:
        point = ranges.search(rule).point
        if point is None:
            return None
        # Exactly this point: beside a pole all may hold.
        return {name: _share(x, *ends) for name, x, ends in zip(ranges.spreads.found, point, box)}
    return dict(zip(ranges.spreads.found, worst))


def _share(x: float, low: float, high: float) -> Fraction:
    return (Fraction(x) - Fraction(low)) / (Fraction(high) - Fraction(low)) if high > low else Fraction(0)


def _between(box: Sequence[Interval], shares: Sequence[float]) -> Mapping[int, float]:
    return {i: low + share * (high - low) for i, ((low, high), share) in enumerate(zip(box, shares))}


def _lowest(at: Callable[[Sequence[float]], float], shares: Sequence[float], axis: int, width: float) -> float:
    """The position of the lowest value along one axis, within a width, by golden-section search."""

    def moved(share: float) -> float:
        return at([*shares[:axis], share, *shares[axis + 1 :]])

    low, high = max(0.0, shares[axis] - width), min(1.0, shares[axis] + width)
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    while high - low > 1e-9:
        if moved(left) <= moved(right):
            high, right = right, left
            left = high - _GOLDEN * (high - low)
        else:
            low, left = left, right
            right = low + _GOLDEN * (high - low)
    return min((low, high, shares[axis]), key=moved)

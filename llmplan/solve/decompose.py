"""Splits a system into the part of its continuous unknown and the rest, which share no requirement or objective.

Input: a system with one continuous unknown, and the search results of each part. Output: the parts, and both results
joined. A point is feasible if both of its halves are, and each cost belongs to one half, so the best half of each part
is half of a best point. Without the split, the search along the unknown would be repeated for each layout of the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import TypeVar

import numpy as np
from attrs import evolve, frozen

from llmplan.solve.diagnose.conflict import Failures
from llmplan.solve.found import Found
from llmplan.solve.order import Front, Ranked, ordered
from llmplan.solve.presolve.eliminate import judged
from llmplan.system.system import Condition, Objective, System

T = TypeVar("T")


@frozen
class Half:
    """One of the two parts: the whole system, with constants for the other part's conditions and its unknowns fixed.

    Every requirement, preference and objective keeps its position.
    """

    system: System
    requirements: tuple[Condition, ...]


@frozen
class Halves:
    """Both parts.

    Attributes:
        own: The part with the continuous unknown; `rest` is the other one.
        mine: The unknowns of `own`, as bits; `others` those of `rest`. An unknown that nothing depends on is in
            neither.
    """

    own: Half
    rest: Half
    mine: int
    others: int

    def together(self, own: Found, rest: Found, keep: int) -> Found:
        """The results of both parts, joined as a search of the whole system would return them."""
        feasible = own.feasible * rest.feasible
        objectives = self.own.system.objectives
        whose = [own if self.own.system.graph.reach(objective.node) & self.mine else rest for objective in objectives]
        return Found(
            top=ordered([self._both(a, b) for a in own.top for b in rest.top])[:keep],
            front=self._front(own, rest) if feasible else Front(),
            feasible=feasible,
            spread=[found.spread[number] for number, found in enumerate(whose)],
            seen={**_of(own.seen, self.mine), **_of(rest.seen, self.others)},
            complete=own.complete and rest.complete,
        )

    def allowed(self, places: Mapping[int, Sequence[int]]) -> tuple[dict[int, Sequence[int]], dict[int, Sequence[int]]]:
        """The positions to try, by part."""
        return _of(places, self.mine), _of(places, self.others)

    def failures(self, own: Failures, rest: Failures) -> Failures:
        """The violations found in both parts, joined in the same way."""
        assert own.nearest is not None and rest.nearest is not None
        patterns = {a | b for a in _least(own.patterns) for b in _least(rest.patterns)}
        return Failures(patterns, self._both(own.nearest, rest.nearest), own.partly)

    def _both(self, own: Ranked, rest: Ranked) -> Ranked:
        """Two halves as one point. Each cost is zero in one of the halves."""
        places = {**_of(own.places, self.mine), **_of(rest.places, self.others)}
        unknowns = self.own.system.unknowns
        # Ties are decided in the order of the unknowns, by the continuous one last.
        last = dict(sorted(places.items(), key=lambda item: (unknowns[item[0]].values is None, item[0])))
        return evolve(own, costs=tuple(a + b for a, b in zip(own.costs, rest.costs)), places=last)

    def _front(self, own: Found, rest: Found) -> Front:
        """The trade-offs of the part that has two objectives, each with the best half of the other part."""
        if len(own.front.costs):
            front, further = own.front, _of(rest.top[0].places, self.others)
        else:
            front, further = rest.front, _of(own.top[0].places, self.mine)
        return Front(
            front.costs,
            {**front.places, **{u: np.full(len(front.costs), place) for u, place in further.items()}},
            front.missed,
        )


def _of(table: Mapping[int, T], unknowns: int) -> dict[int, T]:
    """The part of a table for some unknowns, given as bits."""
    return {unknown: found for unknown, found in table.items() if unknowns >> unknown & 1}


def halves(system: System, requirements: Sequence[Condition], continuous: int) -> Halves | None:
    """The two parts of a system; None if everything that matters depends on the continuous unknown."""
    graph = system.graph
    reaches = [graph.reach(node) for node in judged(system, requirements)]
    mine = 1 << continuous
    while (wider := reduce(or_, (reach for reach in reaches if reach & mine), mine)) != mine:
        mine = wider
    others = reduce(or_, reaches, 0) & ~mine
    front = {bool(graph.reach(objective.node) & mine) for objective in system.front}
    if not others or len(front) > 1:
        return None
    own = _half(system, requirements, mine, lambda node: bool(graph.reach(node) & mine))
    return Halves(own, _half(system, requirements, others, lambda node: not graph.reach(node) & mine), mine, others)


def _half(system: System, requirements: Sequence[Condition], unknowns: int, concerns: Callable[[int], bool]) -> Half:
    """The part of some unknowns, given as bits, and of the nodes that `concerns` selects."""
    nothing, met = system.graph.const(0.0), system.graph.const(1.0)

    def condition(one: Condition, otherwise: int) -> Condition:
        return one if concerns(one.node) else evolve(one, node=otherwise, left=None, right=None)

    def objective(one: Objective) -> Objective:
        return one if concerns(one.node) else evolve(one, node=nothing)

    kept = [
        unknown
        if unknown.values is None or unknowns >> index & 1
        else evolve(unknown, values=unknown.values[:1], allowed=None)
        for index, unknown in enumerate(system.unknowns)
    ]
    part = evolve(
        system,
        unknowns=tuple(kept),
        preferences=tuple(condition(preference, nothing) for preference in system.preferences),
        objectives=tuple(objective(one) for one in system.objectives),
        front=system.front if all(concerns(one.node) for one in system.front) else (),
    )
    return Half(part, tuple(condition(one, met) for one in requirements))


def _least(patterns: set[int]) -> list[int]:
    """The sets that contain no other set: they alone decide which requirements no candidate meets together."""
    kept: list[int] = []
    for pattern in sorted(patterns, key=int.bit_count):
        if not any(other & pattern == other for other in kept):
            kept.append(pattern)
    return kept

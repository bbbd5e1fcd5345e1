"""An infeasible plan with some of its given values freed, if that could make it feasible.

Input: a trial of the plan, and inputs with the values that they may take. Output: a system in which such an input is an
unknown, or the inputs that cannot help. Only the requirements in conflict decide whether a change can help at all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from attrs import evolve, frozen

from llmplan.advice.ledger import SHARES, Spent, affordable
from llmplan.advice.trial import Posed, Trial
from llmplan.check.plan import Program
from llmplan.solve.effort import OPERATION, Effort
from llmplan.system.adjustable import Knob
from llmplan.system.system import Objective

_NODE = 2 * OPERATION
"""The cost of a node for an open value: to create it, and to schedule it in a search."""

Choices = Iterable[tuple[Knob, list[float]]]


@frozen
class Freed:
    """A plan with a given value as an unknown."""

    posed: Posed
    unknown: int

    @property
    def values(self) -> tuple[float, ...]:
        """The candidates of the unknown; empty if it is continuous."""
        return self.posed.system.unknowns[self.unknown].values or ()

    def best(self, values: Sequence[float], effort: Effort) -> float | None:
        """The value among `values` with the best objectives; None if the effort is not enough."""
        tried = self.posed.held(self.unknown, values).asking(preferences=(), front=())
        point = affordable(lambda: tried.best(effort))
        return None if point is None or isinstance(point, Spent) else point[self.unknown]


class Blocked:
    """An infeasible plan, to find out which freed values resolve its conflict.

    Each method raises OverLimit if the effort is not enough, unless it says otherwise.
    """

    def __init__(self, trial: Trial) -> None:
        assert trial.outcome.conflict is not None
        self.trial = trial
        self.names = {trial.outcome.requirements[index].name for index in trial.outcome.conflict.smallest}
        unknowns = trial.system.unknowns
        self._nearest = {unknowns[index].path: value for index, value in trial.outcome.point.items()}

    def freed(self, knob: Knob, values: list[float], effort: Effort) -> Freed | None:
        """The plan with an input as an unknown; None if that cannot help."""
        program = self._with({knob.path: knob}, {knob.path: values})
        if not self.may_help(program, [knob.path], effort):
            return None
        posed = self._posed(program, effort)
        unknown = None if posed is None else _used(posed, knob.path)
        if posed is None or unknown is None:
            return None
        unmoved = {one.name for one in posed.requirements if not posed.system.graph.reach(one.node) >> unknown & 1}
        return None if self.names <= unmoved else Freed(self.thinned(posed, unknown), unknown)

    def hopeless(self, choices: Choices, effort: Effort) -> set[str]:
        """The paths of choices that do not help even if several are freed at once, current values included.

        A choice is left out if the effort is not enough to decide.
        """
        paths: set[str] = set()
        for group in _groups(choices):
            knobs = {knob.path: knob for knob, _ in group}
            program = self._with(knobs, {knob.path: values for knob, values in group})
            helps = affordable(lambda program=program, knobs=knobs: self.may_help(program, list(knobs), effort))  # type: ignore[misc]
            if isinstance(helps, Spent):
                break
            paths.update(() if helps else knobs)
        return paths

    def may_help(self, program: Program, paths: Sequence[str], effort: Effort) -> bool:
        """False if the requirements in conflict alone cannot be met with inputs freed, which is quick to find out."""
        own = [rule for rule in program.rules if rule.name in self.names]
        posed = self._posed(evolve(program, rules=own, goals=[], front=[], shows=[]), effort)
        if posed is None or {one.name for one in posed.system.conditions if one.origin != "type"} != self.names:
            return True
        unknowns = [index for index in (_used(posed, path) for path in paths) if index is not None]
        mask = sum(1 << index for index in unknowns)
        if not any(posed.system.graph.reach(one.node) & mask for one in posed.system.conditions):
            return False
        # The computed values that every candidate needs are known only for the whole plan.
        requirements = tuple(one for one in posed.requirements if one.origin != "type")
        thinned = evolve(self.thinned(posed, unknowns[0]), requirements=requirements)
        return thinned.feasible(unknowns[0], effort)

    def cured(self, program: Program, effort: Effort, thin: bool = False) -> bool:
        """Whether a changed plan is feasible: it is built and solved like any other.

        Args:
            thin: Whether to use fewer candidates, at the risk of missing a feasible plan.
        """
        posed = self.trial.posed(program)
        if posed is None:
            return False
        posed = self.thinned(posed, None) if thin else posed
        unknowns = enumerate(posed.system.unknowns)
        first = next((index for index, one in unknowns if one.values is not None and one.used), None)
        aims: tuple[Objective, ...] = ()
        if first is not None:  # an objective ends the search with the first feasible point
            aims = (Objective(posed.system.graph.unknown(first), 1, "", posed.system.unknowns[first].span, False),)
        return posed.asking(objectives=aims, preferences=(), front=()).solvable(effort)

    def _posed(self, program: Program, effort: Effort) -> Posed | None:
        posed = self.trial.posed(program, reads=False)
        if posed is not None:  # a probability over ranges is tens of thousands of nodes
            effort.spend(_NODE * (len(posed.system.graph) - len(self.trial.system.graph)))
        return posed

    def _with(self, knobs: Mapping[str, Knob], values: Mapping[str, list[float]]) -> Program:
        return self.trial.laid({path: knob.opened(values[path]) for path, knob in knobs.items()})

    def thinned(self, posed: Posed, unknown: int | None) -> Posed:
        """Reduces the candidates of the other unknowns, keeping those of the nearest plan."""
        paths = enumerate(one.path for one in posed.system.unknowns)
        return posed.thin(unknown, {index: self._nearest[path] for index, path in paths if path in self._nearest})


def _groups(choices: Choices) -> list[list[tuple[Knob, list[float]]]]:
    """Choices in groups with few combinations."""
    groups: list[list[tuple[Knob, list[float]]]] = []
    most = SHARES["dismissal"].points
    size = math.inf
    for knob, values in choices:
        if size * len(values) > most:
            groups.append([])
            size = 1
        groups[-1].append((knob, values))
        size *= len(values)
    return groups


def _used(posed: Posed, path: str) -> int | None:
    """The index of an unknown, if the system depends on it."""
    index = posed.index(path)
    return index if index is not None and posed.system.unknowns[index].used else None

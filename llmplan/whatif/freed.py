"""An infeasible plan with some of its given values freed, where that could make it feasible."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from attrs import evolve, frozen

from llmplan.check.overrides import varied
from llmplan.check.plan import Program
from llmplan.solve.effort import OPERATION, Effort, OverLimit
from llmplan.solve.engines import best_point
from llmplan.solve.nearest import feasible, thinned, with_values
from llmplan.solve.outcome import Outcome
from llmplan.solve.passes import requirements_of
from llmplan.system.adjustable import Knob
from llmplan.system.build import Built, build
from llmplan.system.lower import Lowering
from llmplan.system.system import Condition, Objective, System

_MOST = 20_000
_TOGETHER = 64

_NODE = 2 * OPERATION
"""What a node costs that is made for an open value: to make it, and to find its place in a search."""


@frozen
class Opened:
    """A system with a given value as an unknown; of the many values of those that are thinned only some are left."""

    system: System
    requirements: tuple[Condition, ...]
    unknown: int
    thinned: tuple[str, ...]
    lowering: Lowering

    def best(self, values: Sequence[float], effort: Effort) -> float | None:
        """With which of some values of it the objectives come out best; None if that cannot be told within the effort."""
        tried = evolve(with_values(self.system, self.unknown, values), preferences=(), front=())
        with suppress(OverLimit):
            point = best_point(tried, self.requirements, effort)
            return None if point is None else point[self.unknown]
        return None


class Opener:
    """Opens values of an infeasible plan."""

    def __init__(self, built: Built, outcome: Outcome) -> None:
        system = built.system
        assert outcome.conflict is not None and system is not None
        self._lowering = built.lowering
        self.fighting = {outcome.requirements[index].name for index in outcome.conflict.smallest}
        self._nearest = {system.unknowns[index].path: value for index, value in outcome.point.items()}

    def opened(self, knob: Knob, values: list[float], effort: Effort) -> Opened | None:
        """The system with a knob as an unknown; None if that cannot help.

        Raises:
            llmplan.solve.effort.OverLimit: if the effort is not enough to tell.
        """
        program = self._with({knob.path: knob}, {knob.path: values})
        if not self.may_help(program, [knob.path], effort):
            return None
        built = self._built(program, effort)
        made = built.system
        unknown = None if made is None else _index(made, knob.path)
        if made is None or unknown is None:
            return None
        requirements = requirements_of(made)
        made, paths = self._thinned(made, unknown)
        names = {c.name for c in requirements if not made.graph.reach(c.node) >> unknown & 1}
        return None if self.fighting <= names else Opened(made, requirements, unknown, paths, built.lowering)

    def hopeless(self, choices: Iterable[tuple[Knob, list[float]]], effort: Effort) -> set[str]:
        """The paths of choices that would not help if several were free at once; their own value is among theirs."""
        found: set[str] = set()
        for group in _groups(choices):
            knobs = {knob.path: knob for knob, _ in group}
            program = self._with(knobs, {knob.path: values for knob, values in group})
            try:
                if not self.may_help(program, list(knobs), effort):
                    found.update(knobs)
            except OverLimit:
                break
        return found

    def may_help(self, opened: Program, paths: Sequence[str], effort: Effort) -> bool:
        """False if the requirements in conflict alone cannot be met with knobs open, which is soon said."""
        fighting = [rule for rule in opened.rules if rule.name in self.fighting]
        made = self._built(evolve(opened, rules=fighting, goals=[], front=[], shows=[]), effort).system
        if made is None or {c.name for c in made.conditions if c.origin != "type"} != self.fighting:
            return True
        unknowns = [index for index in (_index(made, path) for path in paths) if index is not None]
        mask = sum(1 << index for index in unknowns)
        if not any(made.graph.reach(c.node) & mask for c in made.conditions):
            return False
        # Which computed values every candidate needs is known only of the whole plan.
        requirements = [c for c in requirements_of(made) if c.origin != "type"]
        made, _ = self._thinned(made, unknowns[0])
        return feasible(made, requirements, unknowns[0], effort)

    def trimmed(self, made: System, thin: bool) -> System:
        """A system that is only asked whether it is feasible, soon answered; to `thin` out candidates answers no too
        often.
        """
        if thin:
            made, _ = self._thinned(made, None)
        first = next((i for i, u in enumerate(made.unknowns) if u.values is not None and u.used), None)
        aims = () if first is None else (Objective(made.graph.unknown(first), 1, "", made.unknowns[first].span, False),)
        return evolve(made, objectives=aims, preferences=(), front=())

    def _built(self, program: Program, effort: Effort) -> Built:
        built = build(self._lowering, program)
        if built.system is not None:  # a probability over ranges is tens of thousands of them
            effort.spend(_NODE * (len(built.system.graph) - len(self._lowering.graph)))
        return built

    def _with(self, knobs: Mapping[str, Knob], values: Mapping[str, list[float]]) -> Program:
        settings = {path: knob.opened(values[path]) for path, knob in knobs.items()}
        return varied(self._lowering.program, "--set", settings, over=True)

    def _thinned(self, made: System, unknown: int | None) -> tuple[System, tuple[str, ...]]:
        """A system with fewer candidates for its other unknowns, those of the nearest plan among them."""
        paths = [u.path for u in made.unknowns]
        point = {index: self._nearest[path] for index, path in enumerate(paths) if path in self._nearest}
        return thinned(made, unknown, point, _MOST)


def _groups(choices: Iterable[tuple[Knob, list[float]]]) -> list[list[tuple[Knob, list[float]]]]:
    """Choices in groups of few combinations."""
    groups: list[list[tuple[Knob, list[float]]]] = []
    size = _TOGETHER
    for knob, values in choices:
        if size * len(values) > _TOGETHER:
            groups.append([])
            size = 1
        groups[-1].append((knob, values))
        size *= len(values)
    return groups


def _index(made: System, path: str) -> int | None:
    """The index of an unknown that the system depends on."""
    return next((i for i, u in enumerate(made.unknowns) if u.path == path and u.used), None)

"""A plan on trial: the same plan with values laid over it, evaluated where its answer is or solved again.

Input: a built plan with its outcome, and changes, each a path with its setting. Output: `Tried`, a changed plan at a
point, with its results, its failing requirements and their chances; or `Posed`, a changed plan whose open inputs are
still to be decided. All variations, lowerings, builds, solutions and evaluations of advice go through here. A search
that costs too much raises OverLimit, too many equations raise TooLarge; only `llmplan.advice.ledger` catches them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from attrs import evolve, frozen

from llmplan.advice.ledger import SHARES, Account
from llmplan.answer.schema.advice import Verdicted
from llmplan.check.overrides import varied
from llmplan.check.plan import Program
from llmplan.check.program import Setting
from llmplan.solve import nearest as searches
from llmplan.solve.dispatch import best_point, layouts
from llmplan.solve.effort import Effort, Progress
from llmplan.solve.outcome import Outcome
from llmplan.solve.passes import LIMIT, requirements_of
from llmplan.system.build import Built, build
from llmplan.system.comparison import failing
from llmplan.system.evaluate import evaluate
from llmplan.system.levers import worth_of
from llmplan.system.lower import Lowering
from llmplan.system.missing import Missing
from llmplan.system.range_points import Spreads
from llmplan.system.results import Result, results, with_calendar
from llmplan.system.system import Condition, System
from llmplan.uncertainty.bands import Bands
from llmplan.uncertainty.worst_case import solve_certain

_WORK, _SAME_WORK = "tokens_total", 0.01
"""What a run trains on, and the share by which a batch that divides otherwise moves it."""

Changes = Mapping[str, Setting]
Figures = dict[str, tuple[Result, float]]


class Trial:
    """A plan at its answer, or at its nearest point, to be tried with changes.

    Args:
        built: The plan, which has a system.
        here: A lowering of the plan at the point of the outcome, if there is one.
        plan: The name of the plan's source, for edits that add a line.
        points: The most points that a search for an answer may evaluate.
        times: A factor for the usual effort of cures.
        progress: Called with the progress.
    """

    def __init__(
        self,
        built: Built,
        outcome: Outcome,
        here: Lowering | None = None,
        plan: str = "",
        points: int = LIMIT,
        times: float = 1.0,
        progress: Progress | None = None,
    ) -> None:
        assert built.system is not None
        self.built, self.system, self.outcome = built, built.system, outcome
        self.program = built.lowering.program
        self.own = Posed(built, built.system, outcome.requirements)
        self.here = self.own.at(outcome.point) if here is None else here
        self.plan, self.points, self.times, self.progress = plan, points, times, progress
        self._tried: dict[tuple[tuple[str, Setting], ...], Tried] = {}

    @cached_property
    def figures(self) -> Figures:
        """The results of the answer."""
        return _figures(self.here)

    @cached_property
    def failed(self) -> frozenset[str]:
        """The requirements that fail at the answer itself."""
        return frozenset(failing(self.here))

    def laid(self, changes: Changes, **parts: Any) -> Program:
        """The plan with changes, and with other parts such as its rules."""
        return varied(evolve(self.program, **parts), "--set", changes, over=True)

    # At the answer: nothing is solved again

    def at(self, changes: Changes) -> Tried:
        """The plan with changes, at the point of its answer; evaluated once, whoever asks."""
        key = tuple(changes.items())
        if key not in self._tried:
            self._tried[key] = Tried(self, lowering=evaluated(self.here, changes))
        return self._tried[key]

    def each(self, changes: Changes, path: str, values: Iterable[float]) -> Iterator[tuple[float, Figures]]:
        """The results at each value of an input that the changes open; nothing if anything else is open too."""
        lowering = self.built.lowering.again(self.laid(changes))
        lines = _lines(lowering)
        index = next((index for index, unknown in enumerate(lowering.unknowns.met) if unknown.path == path), None)
        if index is None or len(lowering.unknowns.met) > 1:
            return
        for value in values:
            yield value, _finite(lines, values_at(lowering, {index: value}, [line.node for line in lines]))

    def variable(self, changes: Changes) -> tuple[Lowering, dict[str, tuple[float, float]]]:
        """The plan at its answer with each range as a variable of the graph, and the ends of these."""
        spreads = Spreads(None)
        return self.here.again(self.laid(changes), self.here.unknowns.fixed or {}, spreads), spreads.found

    # Solved again

    def posed(self, program: Program, reads: bool = True) -> Posed | None:
        """A variation of the plan after building; None if errors prevent it.

        Args:
            reads: Whether inputs that only the emitted files read are solved too.
        """
        built = build(self.built.lowering, program, self.built.reads if reads else ())
        return None if built.system is None else Posed(built, built.system, requirements_of(built.system))

    def again(self, changes: Changes, effort: Effort) -> Tried | None:
        """The plan with changes, solved again; None if it has no solution."""
        posed = self.posed(self.laid(changes))
        point = None if posed is None else posed.best(effort)
        return None if posed is None or point is None else Tried(self, posed=posed, point=point)

    def infeasible(self, program: Program, points: int, shared: Account | None = None) -> Trial | None:
        """A variation of the plan that is infeasible too; None if it is feasible, or if that cannot be decided.

        Args:
            points: The most points that its solution may evaluate.
            shared: An account to which these points are charged.
        """
        posed = self.posed(program)
        if posed is None:
            return None
        system = searches.without_idle(posed.system, posed.requirements)
        if shared is not None and not shared.pay(layouts(system)):
            return None
        built, outcome = solve_certain(program, evolve(posed.built, system=system), points, brief=True)
        if outcome.status != "infeasible" or outcome.conflict is None or built.system is None:
            return None
        return Trial(built, outcome, None, self.plan, self.points, self.times, self.progress)


class Tried:
    """A changed plan at a point: that of the answer, or that of a new solution.

    Args:
        lowering: The plan there, if nothing was solved again.
        posed, point: The plan and the point, if it was solved again.
    """

    def __init__(
        self,
        trial: Trial,
        lowering: Lowering | None = None,
        posed: Posed | None = None,
        point: Mapping[int, float] | None = None,
    ) -> None:
        self._trial, self._lowering, self._posed, self._point = trial, lowering, posed, point or {}

    @cached_property
    def lowering(self) -> Lowering:
        """The plan at the point."""
        if self._lowering is not None:
            return self._lowering
        assert self._posed is not None
        return self._posed.at(self._point)

    @cached_property
    def figures(self) -> Figures:
        """Its results."""
        if self._posed is None:
            return _figures(self.lowering)
        lines = _lines(self._posed.lowering)
        return _finite(lines, self._posed.values([line.node for line in lines], self._point))

    @cached_property
    def legal(self) -> bool:
        """Whether the values that were laid over it are in their domains."""
        return not any(problem.severity == "error" for problem in self.lowering.names.diagnostics)

    @cached_property
    def fails(self) -> tuple[str, ...]:
        """The requirements that fail at the point but hold in the answer."""
        return tuple(name for name in failing(self.lowering) if name not in self._trial.failed)

    @property
    def same_work(self) -> bool:
        """Whether it trains on as many tokens as the answer: with fewer nothing is gained."""
        before, after = (worth_of(_WORK, point) for point in (self._trial.here, self.lowering))
        return not before or after is None or abs(after / before - 1) <= _SAME_WORK

    @cached_property
    def bands(self) -> Bands:
        """The bands of its results."""
        return Bands(self.lowering)

    @cached_property
    def chance(self) -> float | None:
        """The least chance of the author's requirements in force there; None if nothing is uncertain."""
        judged = [self.bands.judge_here(rule) for rule in self.lowering.program.rules if rule.stated]
        return min((one.by.chance for one in judged if one is not None and one.by.chance is not None), default=None)

    @cached_property
    def judged(self) -> tuple[Verdicted, ...]:
        """The author's requirements in force there, with chance and verdict."""
        rules = [rule for rule in self.lowering.program.rules if rule.stated]
        pairs = [(rule.name, self.bands.judge_here(rule)) for rule in rules]
        return tuple(Verdicted(name, one.by.chance, one.by.verdict) for name, one in pairs if one is not None)

    @property
    def objective(self) -> float:
        """The first objective of a plan that was solved again, lower is better; NaN if there is none."""
        assert self._posed is not None
        aim = next(iter(self._posed.system.objectives), None)
        return math.nan if aim is None else self._posed.values((aim.node,), self._point)[aim.node] * aim.sense

    @property
    def solved(self) -> dict[str, float]:
        """The values of the unknowns of a plan that was solved again, by path."""
        assert self._posed is not None
        pairs = enumerate(self._posed.system.unknowns)
        return {unknown.path: self._point[index] for index, unknown in pairs if unknown.used and index in self._point}


@frozen
class Posed:
    """A built plan: its system, which can be solved, and evaluated at points of its unknowns.

    Attributes:
        thinned: The unknowns that keep only some of their candidates.
    """

    built: Built
    system: System
    requirements: tuple[Condition, ...]
    thinned: tuple[str, ...] = ()

    @property
    def lowering(self) -> Lowering:
        return self.built.lowering

    def index(self, path: str) -> int | None:
        """The index of an unknown."""
        return next((index for index, unknown in enumerate(self.system.unknowns) if unknown.path == path), None)

    def values(self, nodes: Iterable[int], point: Mapping[int, float]) -> dict[int, float]:
        """The values of nodes, and of all nodes that they depend on, at a point."""
        return values_at(self.lowering, point, nodes)

    def at(self, point: Mapping[int, float]) -> Lowering:
        """The plan, lowered at a point."""
        return self.lowering.again(fixed=self.system.by_path(point))

    # Variants of the question

    def asking(self, **parts: Any) -> Posed:
        """The same with other parts of its system, such as its objectives."""
        return evolve(self, system=evolve(self.system, **parts))

    def requiring(self, conditions: Iterable[Condition]) -> Posed:
        """The same with more requirements."""
        return evolve(self, requirements=(*self.requirements, *conditions))

    def without(self, name: str) -> Posed:
        """The same without a requirement."""
        conditions = tuple(one for one in self.system.conditions if one.name != name)
        requirements = tuple(one for one in self.requirements if one.name != name)
        return evolve(self, system=evolve(self.system, conditions=conditions), requirements=requirements)

    def held(self, unknown: int, values: Sequence[float]) -> Posed:
        """The same with other candidates for an unknown."""
        return evolve(self, system=searches.with_values(self.system, unknown, values))

    def thin(self, unknown: int | None, point: Mapping[int, float]) -> Posed:
        """The same with fewer candidates for all unknowns but one, those of a point among them."""
        system, paths = searches.thinned(self.system, unknown, point, int(SHARES["feasibility"].points))
        return evolve(self, system=system, thinned=paths)

    # Solutions: each raises OverLimit if the effort is not enough

    def best(self, effort: Effort) -> dict[int, float] | None:
        """The best feasible point."""
        return best_point(self.system, self.requirements, effort)

    def solvable(self, effort: Effort) -> bool:
        """Whether the plan is feasible, also at every point of ranges if requirements ask for that."""
        program = self.lowering.program
        if not any(rule.certain for rule in program.rules):
            return self.best(effort) is not None
        built, points = evolve(self.built, system=self.system), int(SHARES["worst case"].points)
        return solve_certain(program, built, points, brief=True)[1].status == "solved"

    def feasible(self, unknown: int, effort: Effort) -> bool:
        """Whether the plan is feasible for any value of an unknown."""
        return searches.feasible(self.system, self.requirements, unknown, effort)

    def feasible_values(self, unknown: int, effort: Effort) -> list[float]:
        """The feasible values of a discrete unknown, in domain order."""
        return searches.feasible_values(self.system, self.requirements, unknown, effort)

    def nearest(
        self, unknown: int, values: Sequence[float], start: float, whole: bool | None, effort: Effort
    ) -> float | None:
        """The first of some values of an unknown at which the plan is feasible, see `llmplan.solve.nearest`."""
        return searches.nearest(self.system, self.requirements, unknown, values, start, whole, effort)

    def few(self, but: int, points: float) -> bool:
        """Whether the other unknowns have at most so many combinations, and none of them is continuous."""
        others = tuple(unknown for index, unknown in enumerate(self.system.unknowns) if index != but)
        enumerable = all(unknown.values is not None or not unknown.used for unknown in others)
        return enumerable and layouts(evolve(self.system, unknowns=others)) <= points


def evaluated(here: Lowering, changes: Changes) -> Lowering:
    """A plan with changes at the point of a lowering; open inputs have no value there."""
    return here.again(varied(here.program, "--set", changes, over=True), fixed=here.unknowns.fixed or {})


def values_at(lowering: Lowering, point: Mapping[int, float], nodes: Iterable[int]) -> dict[int, float]:
    """The values of nodes of a lowering, and of all nodes that they depend on, at values of its unknowns or ranges."""
    return evaluate(lowering.graph, point, nodes)


def _figures(lowering: Lowering) -> Figures:
    """The results of a plan that are finite numbers in a lowering, by name."""
    lines = _lines(lowering)
    nodes = {line.node: lowering.unknowns.settled(line.node) for line in lines}
    known = {line: lowering.graph.constant(node) for line, node in nodes.items() if not isinstance(node, Missing)}
    return _finite(lines, {node: value for node, value in known.items() if value is not None})


def _lines(lowering: Lowering) -> list[Result]:
    """What plans are compared by, each beside its counterpart on the calendar."""
    return with_calendar(results(lowering.program, lowering), lowering.program, lowering)


def _finite(lines: Iterable[Result], values: Mapping[int, float]) -> Figures:
    found = {line.name: (line, values.get(line.node, math.nan)) for line in lines}
    return {name: pair for name, pair in found.items() if math.isfinite(pair[1])}

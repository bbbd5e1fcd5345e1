"""A changed plan whose open inputs are still to be decided: variants of the question, and its solutions.

Input: a built plan with its system. Output: variants of it (other objectives, requirements or candidates), and the
points that solve them. A search that costs too much raises OverLimit, which only `llmplan.advice.ledger` catches.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import evolve, frozen

from llmplan.advice.ledger import SHARES
from llmplan.solve import nearest as searches
from llmplan.solve.dispatch import best_point, layouts
from llmplan.solve.effort import Effort
from llmplan.system.build import Built
from llmplan.system.evaluate import evaluate
from llmplan.system.lower import Lowering
from llmplan.system.system import Condition, System
from llmplan.uncertainty.worst_case import solve_certain


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


def values_at(lowering: Lowering, point: Mapping[int, float], nodes: Iterable[int]) -> dict[int, float]:
    """The values of nodes of a lowering, and of all nodes that they depend on, at values of its unknowns or ranges."""
    return evaluate(lowering.graph, point, nodes)

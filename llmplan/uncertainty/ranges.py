"""A solved plan in which some inputs are ranges: bounds of the results, and the requirements that always hold."""

from __future__ import annotations

from collections.abc import Mapping

from llmplan.check.plan import Program
from llmplan.check.program import Rule
from llmplan.operations import TOLERANCE, Interval
from llmplan.system.intervals import Parts, bounds
from llmplan.system.lower import Lowering
from llmplan.system.missing import Missing, Result
from llmplan.system.range_points import Spreads


class Ranges:
    """Bounds of names and requirements of a plan, with each range as a variable of its graph.

    Args:
        lowering: The plan's lowering.
        point: The solved unknowns, decided at the expected values.
    """

    def __init__(self, lowering: Lowering, point: Mapping[str, float]) -> None:
        self.spreads = Spreads(None)
        self._parts: Parts = {}
        self.lowering = lowering.again(fixed=point, spreads=self.spreads)

    def box(self) -> list[Interval]:
        """The ends of each range."""
        return list(self.spreads.found.values())

    def _bounds(self, node: int) -> Interval | None:
        return bounds(self.lowering.graph, node, self.box(), self._parts)

    def ends(self, value: Result) -> Interval | None:
        """The ends of a value, if it depends on any range and they are known."""
        node = self.lowering.unknowns.settled(value)
        if isinstance(node, Missing) or not self.lowering.graph.reach(node):
            return None
        return self._bounds(node)

    def nodes(self, rule: Rule) -> tuple[int | None, int | None]:
        """The condition of a requirement, and the slack of a comparison; None if there is none."""
        condition = self.lowering.lower(rule.condition, {}, base=rule.place[0])
        sides = self.sides(rule)
        slack = None if sides is None else self.lowering.graph.add("sub", sides[1], sides[0])
        return None if isinstance(condition, Missing) else condition, slack

    def sides(self, rule: Rule) -> tuple[int, int] | None:
        """The side of a comparison by size that must be the smaller one, and the other."""
        if rule.sides is None or rule.sides.operation not in ("le", "lt", "ge", "gt"):
            return None
        left = self.lowering.lower(rule.sides.left, {}, base=rule.place[0])
        right = self.lowering.lower(rule.sides.right, {}, base=rule.place[0])
        if isinstance(left, Missing) or isinstance(right, Missing):
            return None
        return (left, right) if rule.sides.operation in ("le", "lt") else (right, left)

    def always(self, rule: Rule) -> bool:
        """Whether a requirement is proved to hold at every point of the ranges, or is not required at all."""
        graph = self.lowering.graph
        if rule.when is not None and self.lowering.worth(rule.when, rule.place[0]) == 0.0:
            return True
        sides = self.sides(rule)
        if sides is None:
            node = self.lowering.lower(rule.condition, {}, base=rule.place[0])
            return not isinstance(node, Missing) and self._bounds(node) == (1.0, 1.0)
        left, right = sides
        found = self._bounds(graph.add("sub", left, right))
        size = self._bounds(right)
        if found is None or size is None or rule.sides is None:
            return False
        slack = TOLERANCE * max(abs(size[0]), abs(size[1]))
        return found[1] <= slack if rule.sides.operation in ("le", "ge") else found[1] < 0.0


def has_ranges(program: Program) -> bool:
    """True if the plan sets or assumes a range."""
    return any(setting.spread is not None for _, setting in program.strongest())

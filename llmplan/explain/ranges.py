"""Ranges at the solution: low and high of every value, and which requirements hold at every point of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from attrs import evolve

from llmplan.check.plan import Program
from llmplan.check.program import Rule, ShowRow
from llmplan.solution import RequirementResult, Shown, Value
from llmplan.system.graph import TOLERANCE
from llmplan.system.inputs import Spreads
from llmplan.system.intervals import Interval, bounds
from llmplan.system.lower import Lowering
from llmplan.system.missing import Missing
from llmplan.system.show import show
from llmplan.units.measure import Measure


class Ranges:
    """Bounds of names and requirements of a plan in which some inputs are ranges.

    Args:
        point: The solved unknowns, which were decided at the expected values.
    """

    def __init__(self, program: Program, point: Mapping[str, float]) -> None:
        self.spreads = Spreads(None)
        self.lowering = Lowering(program, point, spreads=self.spreads)

    def box(self) -> list[Interval]:
        return list(self.spreads.found.values())

    def value(self, value: Value) -> Value:
        """A value with its ends, if any range reaches it."""
        if value.value is None or isinstance(value.value, (str, bool)) or "[" in value.name:
            return value
        node = self.lowering.settled(self.lowering.name(value.name))
        if isinstance(node, Missing) or not self.lowering.graph.reach(node):
            return value
        found = bounds(self.lowering.graph, node, self.box())
        if found is None:
            return value
        meaning = self.lowering.scope.lookup(value.name)
        text = ""
        if meaning is not None and isinstance(meaning.type, Measure):
            shown = (show(end, meaning.type, self.lowering.scope, meaning.unit) for end in found)
            text = " .. ".join(shown)
        return evolve(value, low=found[0], high=found[1], spread=text)

    def row(self, row: ShowRow, shown: Shown) -> Shown:
        """A shown row with the ends of its value, if any range reaches it."""
        node = self.lowering.settled(self.lowering.lower(row.value, {}, base=row.place[0]))
        if isinstance(node, Missing) or not self.lowering.graph.reach(node):
            return shown
        found = bounds(self.lowering.graph, node, self.box())
        if found is None or not isinstance(row.type, Measure):
            return shown
        ends = (show(end, row.type, self.lowering.scope, row.unit, exact_unit=row.exact) for end in found)
        return evolve(shown, value=f"{shown.value} ({' .. '.join(ends)})")

    def rule(self, rule: Rule, result: RequirementResult) -> RequirementResult:
        """A requirement with `certain` where it holds at every point of the ranges."""
        if result.holds is None:
            return result
        certainty: Literal["certain", "expected", "no"] = "no"
        if result.holds:
            certainty = "certain" if self._always(rule) else "expected"
        return evolve(result, certainty=certainty)

    def _always(self, rule: Rule) -> bool:
        lowering = self.lowering
        base = rule.place[0]
        if rule.sides is not None and rule.sides[0] in ("le", "lt", "ge", "gt"):
            sides = [lowering.lower(side, {}, base=base) for side in rule.sides[1:]]
            left, right = sides if rule.sides[0] in ("le", "lt") else reversed(sides)
            if isinstance(left, Missing) or isinstance(right, Missing):
                return False
            found = bounds(lowering.graph, lowering.graph.add("sub", left, right), self.box())
            size = bounds(lowering.graph, right, self.box())
            if found is None or size is None:
                return False
            slack = TOLERANCE * max(abs(size[0]), abs(size[1]))
            return found[1] <= slack if rule.sides[0] in ("le", "ge") else found[1] < 0.0
        node = lowering.lower(rule.condition, {}, base=base)
        if isinstance(node, Missing):
            return False
        return bounds(lowering.graph, node, self.box()) == (1.0, 1.0)


def has_ranges(program: Program) -> bool:
    """True if anything that the plan sets or assumes is a range."""
    tables = (program.settings, program.assumptions)
    return any(layers[0][1].spread is not None for table in tables for layers in table.values() if layers)

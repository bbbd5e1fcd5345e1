"""Ranges at the solution: low and high of every value, and which requirements hold at every point of them."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from llmplan.check.plan import Program
from llmplan.check.program import Rule, ShowRow
from llmplan.operations import TOLERANCE, Interval
from llmplan.solution import RequirementResult, Shown, Value
from llmplan.system.display import SYMBOLS, show
from llmplan.system.inputs import Spreads
from llmplan.system.intervals import bounds
from llmplan.system.lower import Lowering
from llmplan.system.missing import Missing
from llmplan.units.measure import Measure


class Ranges:
    """Bounds of names and requirements of a plan in which some inputs are ranges.

    Args:
        lowering: The plan's.
        point: The solved unknowns, which were decided at the expected values.
    """

    def __init__(self, lowering: Lowering, point: Mapping[str, float]) -> None:
        self.spreads = Spreads(None)
        self.lowering = lowering.again(fixed=point, spreads=self.spreads)

    def box(self) -> list[Interval]:
        return list(self.spreads.found.values())

    def value(self, value: Value) -> Value:
        """A value with its ends, if any range reaches it."""
        if value.value is None or isinstance(value.value, (str, bool)) or "[" in value.name:
            return value
        node = self.lowering.unknowns.settled(self.lowering.name(value.name))
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
        node = self.lowering.unknowns.settled(self.lowering.lower(row.value, {}, base=row.place[0]))
        if isinstance(node, Missing) or not self.lowering.graph.reach(node):
            return shown
        found = bounds(self.lowering.graph, node, self.box())
        if found is None or not isinstance(row.type, Measure):
            return shown
        ends = (show(end, row.type, self.lowering.scope, row.unit, exact_unit=row.exact) for end in found)
        return evolve(shown, value=f"{shown.value} ({' .. '.join(ends)})")

    def rule(self, rule: Rule, result: RequirementResult) -> RequirementResult:
        """A requirement with `certain` where it holds at every point of the ranges.

        One that must be certain and is not does not hold: its values and slack are those of the bad end.
        """
        if result.holds is None:
            return result
        if result.holds and self.always(rule):
            return evolve(result, certainty="certain")
        if result.holds and rule.certain:
            return self._at_the_bad_end(rule, evolve(result, holds=False, certainty="no"))
        return evolve(result, certainty="expected" if result.holds else "no")

    def nodes(self, rule: Rule) -> tuple[int | None, int | None]:
        """The condition of a requirement, and the slack of a comparison; None where there is none."""
        lowering, base = self.lowering, rule.place[0]
        condition = lowering.lower(rule.condition, {}, base=base)
        sides = self._sides(rule)
        slack = None if sides is None else lowering.graph.add("sub", sides[1], sides[0])
        return None if isinstance(condition, Missing) else condition, slack

    def always(self, rule: Rule) -> bool:
        """Whether a requirement is proved to hold at every point of the ranges, or is not asked for."""
        graph = self.lowering.graph
        when = self._when(rule)
        if when is not None and graph.constant(when) == 0.0:
            return True
        sides = self._sides(rule)
        if sides is None:
            node = self.lowering.lower(rule.condition, {}, base=rule.place[0])
            return not isinstance(node, Missing) and bounds(graph, node, self.box()) == (1.0, 1.0)
        left, right = sides
        found = bounds(graph, graph.add("sub", left, right), self.box())
        size = bounds(graph, right, self.box())
        if found is None or size is None or rule.sides is None:
            return False
        slack = TOLERANCE * max(abs(size[0]), abs(size[1]))
        return found[1] <= slack if rule.sides.operation in ("le", "ge") else found[1] < 0.0

    def _when(self, rule: Rule) -> int | None:
        if rule.when is None:
            return None
        when = self.lowering.lower(rule.when, {}, base=rule.place[0])
        return None if isinstance(when, Missing) else when

    def _sides(self, rule: Rule) -> tuple[int, int] | None:
        """The side that must be the smaller one and the other, of a comparison by size."""
        if rule.sides is None or rule.sides.operation not in ("le", "lt", "ge", "gt"):
            return None
        sides = [self.lowering.lower(side, {}, base=rule.place[0]) for side in (rule.sides.left, rule.sides.right)]
        found = [side for side in sides if not isinstance(side, Missing)]
        if len(found) < 2:
            return None
        return (found[0], found[1]) if rule.sides.operation in ("le", "lt") else (found[1], found[0])

    def _at_the_bad_end(self, rule: Rule, result: RequirementResult) -> RequirementResult:
        sides = self._sides(rule)
        if sides is None or rule.sides is None or rule.type is None:
            return result
        graph, box = self.lowering.graph, self.box()
        ends = [bounds(graph, side, box) for side in sides]
        gap = bounds(graph, graph.add("sub", sides[1], sides[0]), box)
        if ends[0] is None or ends[1] is None or gap is None:
            return result
        texts = [show(end, rule.type, self.lowering.scope, rule.unit) for end in (ends[0][1], ends[1][0])]
        symbol = SYMBOLS[rule.sides.operation]
        if rule.sides.operation in ("ge", "gt"):
            texts.reverse()
        slack = show(gap[0], rule.type, self.lowering.scope, rule.unit)
        return evolve(result, slack=gap[0], slack_text=slack, values=f"{texts[0]} {symbol} {texts[1]} in the worst case")


def has_ranges(program: Program) -> bool:
    """True if anything that the plan sets or assumes is a range."""
    tables = (program.settings, program.assumptions)
    return any(layers[0][1].spread is not None for table in tables for layers in table.values() if layers)

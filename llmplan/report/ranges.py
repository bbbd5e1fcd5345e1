"""What ranges do to a solved plan, told with its values, shown rows and requirements: low and high, and the worst case."""

from __future__ import annotations

from attrs import evolve

from llmplan.answer.schema.requirements import RequirementResult, Sides
from llmplan.answer.schema.solution import Shown
from llmplan.answer.schema.values import Value
from llmplan.check.program import Rule, ShowRow
from llmplan.report import compared
from llmplan.report.ends import around, can_have
from llmplan.system.display import amount
from llmplan.system.intervals import bounds
from llmplan.uncertainty.ranges import Ranges
from llmplan.units.measure import Measure


def with_ends(ranges: Ranges, value: Value) -> Value:
    """A value with its ends, if any range reaches it."""
    ends = ranges.ends(ranges.lowering.name(value.name)) if can_have(value) else None
    if ends is None:
        return value
    return evolve(value, spread=around(value.amount, ends))


def row_with_ends(ranges: Ranges, row: ShowRow, shown: Shown) -> Shown:
    """A shown row with the ends of its value, if any range reaches it."""
    ends = ranges.ends(ranges.lowering.lower(row.value, {}, base=row.place[0]))
    if ends is None or not isinstance(row.type, Measure):
        return shown
    return evolve(shown, spread=around(shown.amount, ends)) if shown.amount.finite else shown


def judged(ranges: Ranges, rule: Rule, result: RequirementResult) -> RequirementResult:
    """A requirement with `certain` where it holds at every point of the ranges.

    One that must be certain and is not does not hold: its values and slack are those of the worst case.
    """
    if result.holds is None:
        return result
    result = compared.with_spread(ranges, rule, result)
    if result.holds and ranges.always(rule):
        return evolve(result, certainty="certain")
    if result.holds and rule.certain:
        return _at_the_bad_end(ranges, rule, evolve(result, holds=False, certainty="no"))
    return evolve(result, certainty="expected" if result.holds else "no")


def _at_the_bad_end(ranges: Ranges, rule: Rule, result: RequirementResult) -> RequirementResult:
    sides = ranges.sides(rule)
    if sides is None or rule.sides is None or rule.type is None:
        return result
    graph, scope, box = ranges.lowering.graph, ranges.lowering.scope, ranges.box()
    smaller, larger = (bounds(graph, side, box) for side in sides)
    gap = bounds(graph, graph.add("sub", sides[1], sides[0]), box)
    if smaller is None or larger is None or gap is None:
        return result
    ends = [amount(end, rule.type, scope, rule.unit) for end in (smaller[1], larger[0])]
    if rule.sides.operation in ("ge", "gt"):
        ends.reverse()
    worst = Sides(ends[0], rule.sides.operation, ends[1], worst=True)  # type: ignore[arg-type]
    return evolve(result, slack=gap[0], sides=worst)

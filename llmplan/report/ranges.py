"""What ranges do to a solved plan, told with its values, shown rows and requirements: low and high, and the worst case."""

from __future__ import annotations

from attrs import evolve

from llmplan.check.plan import Program
from llmplan.check.program import Rule, ShowRow
from llmplan.report import compared
from llmplan.report.ends import can_have, written
from llmplan.solution import RequirementResult, Shown, Value
from llmplan.system.display import SYMBOLS, show
from llmplan.system.intervals import bounds
from llmplan.units.amount import joined
from llmplan.units.measure import Measure
from llmplan.whatif.ranges import Ranges


def has_ranges(program: Program) -> bool:
    """True if anything that the plan sets or assumes is a range."""
    return any(setting.spread is not None for _, setting in program.strongest())


def with_ends(ranges: Ranges, value: Value) -> Value:
    """A value with its ends, if any range reaches it."""
    ends = ranges.ends(ranges.lowering.name(value.name)) if can_have(value) else None
    if ends is None:
        return value
    low, high = written(value.name, ends, ranges.lowering.scope)
    return evolve(value, low=ends[0], high=ends[1], spread=joined(low, high) if low else "")


def row_with_ends(ranges: Ranges, row: ShowRow, shown: Shown) -> Shown:
    """A shown row with the ends of its value, if any range reaches it."""
    ends = ranges.ends(ranges.lowering.lower(row.value, {}, base=row.place[0]))
    if ends is None or not isinstance(row.type, Measure):
        return shown
    low, high = (show(end, row.type, ranges.lowering.scope, row.unit, exact_unit=row.exact) for end in ends)
    return evolve(shown, value=f"{shown.value} ({joined(low, high)})")


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
    texts = [show(end, rule.type, scope, rule.unit) for end in (smaller[1], larger[0])]
    if rule.sides.operation in ("ge", "gt"):
        texts.reverse()
    values = f"{texts[0]} {SYMBOLS[rule.sides.operation]} {texts[1]} in the worst case"
    return evolve(result, slack=gap[0], slack_text=show(gap[0], rule.type, scope, rule.unit), values=values)

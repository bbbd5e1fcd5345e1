"""What ranges of the author and bands of measured values do to values, shown rows and requirements.

Input: a value, row or requirement at the solution, and the ranges or bands of the plan there. Output: the same with the
ends around its number, whether it holds at every point of the ranges, its chance and verdict.
"""

from __future__ import annotations

import itertools
import math

from attrs import evolve

from llmplan.answer import compared
from llmplan.answer.schema.requirements import Compared, Planned, RequirementResult, Sides
from llmplan.answer.schema.solution import Shown
from llmplan.answer.schema.values import Value
from llmplan.check.program import Rule, ShowRow
from llmplan.operations import TOLERANCE
from llmplan.system.build import MAX_RANGES
from llmplan.system.calendar import as_planned, reads_the_calendar, written
from llmplan.system.display import amount
from llmplan.system.evaluate import evaluate
from llmplan.system.integral import EXACT_ENOUGH
from llmplan.system.intervals import bounds
from llmplan.system.missing import NO_BOUND
from llmplan.uncertainty.bands import Bands
from llmplan.uncertainty.ranges import Ranges
from llmplan.units.amount import Amount, Range
from llmplan.units.measure import Measure


def with_spread(ranges: Ranges, value: Value) -> Value:
    """A value with the ends of its range, if any range reaches it."""
    ends = ranges.ends(ranges.lowering.name(value.name)) if _can_have(value) else None
    return value if ends is None else evolve(value, spread=_around(value.amount, ends))


def with_band(bands: Bands, value: Value) -> Value:
    """A value with the ends of its band, if any band reaches it."""
    ends = bands.ends(value.name) if _can_have(value) and value.role != "input" else None
    return value if ends is None else evolve(value, band=_around(value.amount, ends))


def assessed(bands: Bands, ranges: Ranges | None, rule: Rule, result: RequirementResult) -> RequirementResult:
    """A requirement with its chance, if anything makes it uncertain, and the word for it."""
    holds = result.holds
    if holds is None:
        return result
    # What holds at some points of the author's ranges alone has a chance too.
    judged = bands.judge(rule, holds, result.certainty == "expected")
    row = None
    if judged.counterpart is not None:
        row = compared.compared(bands.lowering, judged.counterpart)
        row = None if row is None else compared.with_ends(bands, ranges, judged.counterpart, row)
        row = None if row is None else evolve(row, subject=written(bands.lowering.scope.calendar, row.subject))
    own = None if result.compared is None else compared.with_ends(bands, None, rule, result.compared)
    return evolve(
        result,
        chance=judged.by.chance,
        chance_error=judged.by.error if judged.by.error > EXACT_ENOUGH else None,
        verdict=judged.by.verdict,
        rates=judged.by.rates,
        unjudged=judged.by.unjudged,
        compared=own,
        on="calendar" if judged.on_the_calendar else "planned",
        stated="calendar" if reads_the_calendar(bands.lowering.program, rule) else "planned",
        planned=_planned(bands, ranges, rule, result.certainty == "expected")
        if judged.planned is None
        else Planned(judged.planned.chance, judged.planned.verdict, own),
        calendar=row,
    )


def _planned(bands: Bands, ranges: Ranges | None, rule: Rule, ranged: bool) -> Planned | None:
    """What is known, if every step runs as planned, of a requirement that is stated on the calendar."""
    counterpart = as_planned(bands.lowering.program, rule)
    judged = None if counterpart is None else bands.judge_as_written(counterpart, ranged)
    if counterpart is None or judged is None:
        return None
    row = compared.compared(bands.lowering, counterpart)
    row = None if row is None else compared.with_ends(bands, ranges, counterpart, row)
    return Planned(judged.chance, judged.verdict, row)


def row_with_ends(ranges: Ranges, row: ShowRow, shown: Shown) -> Shown:
    """A shown row with the ends of its value, if any range reaches it."""
    value = ranges.lowering.lower(row.value, {}, base=row.place[0])
    if not isinstance(row.type, Measure) or not shown.amount.finite:
        return shown
    if ranges.unbounded(value):
        return evolve(shown, bounded=False)
    ends = ranges.ends(value)
    return shown if ends is None else evolve(shown, spread=_around(shown.amount, ends))


def row_with_band(bands: Bands, row: ShowRow, shown: Shown) -> Shown:
    """A shown row with the ends of the band of its value, if any band reaches it."""
    if not isinstance(row.type, Measure) or not shown.amount.finite:
        return shown
    ends = bands.ends_of(row.value, row.place[0])
    return shown if ends is None else evolve(shown, band=_around(shown.amount, ends))


def judged(ranges: Ranges, rule: Rule, result: RequirementResult) -> RequirementResult:
    """A requirement with `certain` where it holds at every point of the ranges.

    One that must be certain shows the values and the slack of the worst case; if it is not certain, it does not hold.
    """
    if result.holds is None:
        return result
    if result.compared is not None:
        result = evolve(result, compared=compared.with_ends(None, ranges, rule, result.compared))
    if result.holds and ranges.always(rule):
        result = evolve(result, certainty="certain")
        return _at_the_bad_corner(ranges, rule, result) if rule.certain else result
    if result.holds and rule.certain:
        failed = _at_the_bad_end(ranges, rule, evolve(result, holds=False, certainty="no"))
        sides = ranges.sides(rule)
        if failed.sides is result.sides and sides is not None and any(map(ranges.unbounded, sides)):
            return evolve(failed, undefined=NO_BOUND, slack=None, sides=None, compared=None)
        return failed
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
    return evolve(result, slack=gap[0], sides=worst, compared=_gaping(result.compared, gap[0]))


def _gaping(row: Compared | None, slack: float) -> Compared | None:
    """A row with the gap of the worst case."""
    return None if row is None else evolve(row, gap=evolve(row.gap, value=abs(slack)), met=slack >= 0.0)


def _at_the_bad_corner(ranges: Ranges, rule: Rule, result: RequirementResult) -> RequirementResult:
    """A requirement that holds everywhere, with the sides at the corner where its slack is least.

    It keeps its expected values if that is not the least slack of all, or if it depends on a range whether it applies.
    """
    sides, when, box = ranges.sides(rule), ranges.when(rule), ranges.box()
    graph, scope = ranges.lowering.graph, ranges.lowering.scope
    if sides is None or rule.sides is None or rule.type is None or when is None or graph.constant(when) != 1.0:
        return result
    gap = graph.add("sub", sides[1], sides[0])
    least = bounds(graph, gap, box)
    if least is None or not graph.reach(gap) or len(box) > MAX_RANGES:
        return result
    corners = (evaluate(graph, dict(enumerate(ends)), (gap, *sides)) for ends in itertools.product(*box))
    worst = min(corners, key=lambda values: values[gap])
    smaller, larger = (worst[side] for side in sides)
    size = max(abs(smaller), abs(larger))
    if not math.isfinite(size) or abs(worst[gap] - least[0]) > TOLERANCE * size:
        return result
    ends = [amount(side, rule.type, scope, rule.unit) for side in (smaller, larger)]
    if rule.sides.operation in ("ge", "gt"):
        ends.reverse()
    shown = Sides(ends[0], rule.sides.operation, ends[1], worst=True)  # type: ignore[arg-type]
    # What is decided up to its limit may lie beyond it by a rounding error.
    slack = max(worst[gap], 0.0)
    return evolve(result, slack=slack, sides=shown, compared=_gaping(result.compared, slack))


def _can_have(value: Value) -> bool:
    """Whether a value is one number, not an element of an array."""
    return isinstance(value.value, (int, float)) and not isinstance(value.value, bool) and "[" not in value.name


def _around(amount: Amount, ends: tuple[float, float]) -> Range:
    """The ends in the unit of the value itself."""
    low, high = (evolve(amount, value=end) for end in ends)
    return Range(low, high)

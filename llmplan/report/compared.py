"""The sides of a requirement that compares two numbers by size, as a row of a table: what is computed, its bound, the gap.

Input: a lowering at the solution and a rule; output `Compared`, None for a rule of another form. Of a requirement on a
chance the row is that of the event. Bands and ranges add the ends between which the computed side lies.
"""

from __future__ import annotations

import math

from attrs import evolve, frozen

from llmplan.check.ir import Chance, Expr, Num, Ref, Sides
from llmplan.check.program import Rule
from llmplan.check.scope import Scope
from llmplan.solution import Compared, RequirementResult
from llmplan.system.display import SYMBOLS, TURNED, joined, one_line, show
from llmplan.system.lower import Lowering
from llmplan.units.measure import Measure
from llmplan.whatif.bands import Bands
from llmplan.whatif.ranges import Ranges


@frozen
class _Event:
    """A comparison seen from its computed side."""

    subject: Expr
    limit: Expr
    operation: str
    type: Measure
    unit: str
    text: str
    asked: Expr | None


def compared(lowering: Lowering, rule: Rule) -> Compared | None:
    """The row of a requirement; None if a side has no value."""
    event = _event(rule, lowering.scope)
    if event is None:
        return None
    left, right = (lowering.worth(side, rule.place[0]) for side in (event.subject, event.limit))
    if left is None or right is None or not (math.isfinite(left) and math.isfinite(right)):
        return None
    texts = [show(value, event.type, lowering.scope, event.unit) for value in (left, right, abs(left - right))]
    asked = None if event.asked is None else lowering.worth(event.asked, rule.place[0])
    return Compared(
        event.text, SYMBOLS[event.operation], texts[0], texts[1], texts[2],
        left <= right if event.operation in ("le", "lt") else left >= right,
        asked="" if asked is None else f"{round(100 * asked, 2):g}%",
    )  # fmt: skip


def with_band(bands: Bands, rule: Rule, result: RequirementResult) -> RequirementResult:
    """The requirement with the ends of the band of its computed side."""
    event = _event(rule, bands.lowering.scope)
    if event is None or result.compared is None:
        return result
    ends = bands.ends_of(event.subject, rule.place[0])
    return result if ends is None else evolve(result, compared=evolve(result.compared, band=_ends(ends, event, bands.lowering)))


def with_spread(ranges: Ranges, rule: Rule, result: RequirementResult) -> RequirementResult:
    """The requirement with the ends of its computed side over the author's ranges."""
    event = _event(rule, ranges.lowering.scope)
    if event is None or result.compared is None:
        return result
    ends = ranges.ends(ranges.lowering.lower(event.subject, {}, base=rule.place[0]))
    return result if ends is None else evolve(result, compared=evolve(result.compared, spread=_ends(ends, event, ranges.lowering)))


def _ends(ends: tuple[float, float], event: _Event, lowering: Lowering) -> str:
    low, high = (show(end, event.type, lowering.scope, event.unit) for end in ends)
    return joined(low, high)


def _event(rule: Rule, scope: Scope) -> _Event | None:
    sides, type, unit, asked = rule.sides, rule.type, rule.unit, None
    if sides is None or sides.operation not in TURNED:
        return None
    text = one_line(scope.span(rule.place).text)
    chance = next((side for side in (sides.left, sides.right) if isinstance(side, Chance)), None)
    if chance is not None:
        if len(chance.of) != 1 or chance.of[0].operation not in TURNED:
            return None
        asked = sides.right if chance is sides.left else sides.left
        sides = chance.of[0]
        type, unit = _measure(sides, scope)
        text = text.partition("chance(")[2]
    if not isinstance(type, Measure):
        return None
    subject, limit, operation = sides.left, sides.right, sides.operation
    if isinstance(subject, Num) and not isinstance(limit, Num):
        subject, limit, operation = limit, subject, TURNED[operation]
    return _Event(subject, limit, operation, type, unit, _said(subject, sides, text), asked)


def _measure(sides: Sides, scope: Scope) -> tuple[Measure | None, str]:
    """The measure of an event of a chance, from a side that is a name."""
    for side in (sides.left, sides.right):
        meaning = scope.lookup(side.name) if isinstance(side, Ref) else None
        if meaning is not None and isinstance(meaning.type, Measure):
            return meaning.type, meaning.unit
    return None, ""


def _said(subject: Expr, sides: Sides, text: str) -> str:
    """The computed side as written."""
    if isinstance(subject, Ref):
        return subject.name
    parts = text.split(f" {SYMBOLS[sides.operation]} ")
    return text if len(parts) != 2 else parts[0] if subject is sides.left else parts[1]

"""The sides of a requirement that compares two numbers by size, as a row of a table: what is computed, its bound, the
gap.

Input: a lowering at the solution and a rule; output `Compared`, None for a rule of another form. Of a requirement on a
chance the row is that of the event. Bands and ranges add the ends between which the computed side lies.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from attrs import evolve, frozen

from llmplan.answer.schema.requirements import Compared
from llmplan.check.ir import Expr, Num
from llmplan.check.program import Rule
from llmplan.check.scope import Scope
from llmplan.operations.numbers import close
from llmplan.system.comparison import Comparison, comparison_of
from llmplan.system.display import TURNED, amount
from llmplan.system.lower import Lowering
from llmplan.uncertainty.bands import Bands
from llmplan.uncertainty.ranges import Ranges
from llmplan.units.amount import Range

_TURNED = {**TURNED, "eq": "eq"}
"""What compares a number with its bound, with the sides swapped."""


@frozen
class _Seen:
    """A comparison seen from its computed side."""

    subject: Expr
    limit: Expr
    operation: str
    of: Comparison


def compared(lowering: Lowering, rule: Rule) -> Compared | None:
    """The row of a requirement; None if a side has no value."""
    seen = _seen(rule, lowering.scope)
    if seen is None:
        return None
    left, right = (lowering.worth(side, rule.place[0]) for side in (seen.subject, seen.limit))
    if left is None or right is None or not (math.isfinite(left) and math.isfinite(right)):
        return None
    left = right if close(left, right) else left  # what is decided up to its limit reaches it
    planned, limit, gap = (
        amount(value, seen.of.type, lowering.scope, seen.of.unit) for value in (left, right, abs(left - right))
    )
    asked = None if seen.of.asked is None else lowering.worth(seen.of.asked, rule.place[0])
    return Compared(
        seen.of.text(seen.subject), seen.operation, planned, limit, gap,  # type: ignore[arg-type]
        left == right if seen.operation == "eq" else left <= right if seen.operation in ("le", "lt") else left >= right,
        asked=asked,
    )  # fmt: skip


def with_ends(bands: Bands | None, ranges: Ranges | None, rule: Rule, row: Compared) -> Compared:
    """The row of a requirement with the ends of its computed side: of its band, and over the author's ranges."""
    base = rule.place[0]
    if bands is not None:
        row = evolve(row, band=_ends(rule, bands.lowering, lambda subject: bands.ends_of(subject, base)))
    if ranges is not None:
        lowering = ranges.lowering
        spread = _ends(rule, lowering, lambda subject: ranges.ends(lowering.lower(subject, {}, base=base)))
        row = evolve(row, spread=spread)
    return row


def _ends(rule: Rule, lowering: Lowering, of: Callable[[Expr], tuple[float, float] | None]) -> Range | None:
    """The ends of the computed side of a rule, in its unit."""
    seen = _seen(rule, lowering.scope)
    ends = None if seen is None else of(seen.subject)
    if seen is None or ends is None:
        return None
    return Range(*(amount(end, seen.of.type, lowering.scope, seen.of.unit) for end in ends))


def _seen(rule: Rule, scope: Scope) -> _Seen | None:
    found = comparison_of(rule, scope, _TURNED)
    if found is None:
        return None
    subject, limit, operation = found.sides.left, found.sides.right, found.sides.operation
    if isinstance(subject, Num) and not isinstance(limit, Num):
        subject, limit, operation = limit, subject, _TURNED[operation]
    return _Seen(subject, limit, operation, found)

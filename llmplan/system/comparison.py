"""What a requirement compares: its own sides, or those of the event whose chance it asks for.

Input: a rule; output: the sides with the measure and unit in which both are shown, and the text as written. None for
    what
compares no two numbers.
"""

from __future__ import annotations

from collections.abc import Collection

from attrs import frozen

from llmplan.check.ir import Chance, Expr, Ref, Sides
from llmplan.check.program import Rule
from llmplan.check.scope import Scope
from llmplan.system.display import one_line
from llmplan.units.measure import SYMBOLS, Measure


@frozen
class Event:
    """A comparison.

    Attributes:
        asked: The chance that is asked for, None where the comparison itself is required.
    """

    sides: Sides
    type: Measure
    unit: str
    text: str
    asked: Expr | None

    def said(self, side: Expr, otherwise: str) -> str:
        """One of its sides: its name, or as written where the text has two sides."""
        if isinstance(side, Ref):
            return side.name
        parts = self.text.split(f" {SYMBOLS[self.sides.operation]} ")
        return otherwise if len(parts) != 2 else parts[0] if side is self.sides.left else parts[1]


def event(rule: Rule, scope: Scope, operations: Collection[str]) -> Event | None:
    """The comparison of a rule, if it is by one of these operations."""
    sides, type, unit, asked = rule.sides, rule.type, rule.unit, None
    if sides is None:
        return None
    text = one_line(scope.span(rule.place).text)
    chance = next((side for side in (sides.left, sides.right) if isinstance(side, Chance)), None)
    if chance is not None:
        if len(chance.of) != 1:
            return None
        asked = sides.right if chance is sides.left else sides.left
        sides = chance.of[0]
        type, unit = _measure(sides, scope)
        text = text.partition("chance(")[2]
    if sides.operation not in operations or not isinstance(type, Measure):
        return None
    return Event(sides, type, unit, text, asked)


def _measure(sides: Sides, scope: Scope) -> tuple[Measure | None, str]:
    """The measure of an event of a chance, from a side that is a name."""
    for side in (sides.left, sides.right):
        meaning = scope.lookup(side.name) if isinstance(side, Ref) else None
        if meaning is not None and isinstance(meaning.type, Measure):
            return meaning.type, meaning.unit
    return None, ""

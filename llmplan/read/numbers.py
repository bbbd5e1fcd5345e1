"""The numbers of a comparison that does not hold: `512 ≠ 2 × 8 × 16 = 256`."""

from __future__ import annotations

from fractions import Fraction

from llmplan.read.formulas import Formulas
from llmplan.read.values import Unsaid
from llmplan.syntax import nodes
from llmplan.units import amount


def unequal(condition: nodes.Expr, formulas: Formulas) -> str:
    """Both sides of an equation, with the factors of the right one; empty where that is none, or no number."""
    if not isinstance(condition, nodes.Compare) or [sign for sign, _ in condition.rest] != ["=="]:
        return ""
    right = condition.rest[0][1]
    sides = [_number(side, formulas) for side in (condition.first, right)]
    factors: list[str | None] = []
    if isinstance(right, nodes.Product) and all(sign == "*" for sign, _ in right.rest):
        factors = [_number(factor, formulas) for factor in (right.first, *(factor for _, factor in right.rest))]
    if None in sides or None in factors:
        return ""
    product = f"{' × '.join(str(factor) for factor in factors)} = " if factors else ""
    return f"{sides[0]} ≠ {product}{sides[1]}"


def _number(node: nodes.Expr, formulas: Formulas) -> str | None:
    try:
        data = formulas.value(node).data
    except Unsaid:
        return None
    return amount.in_plan(data) if isinstance(data, Fraction) else None

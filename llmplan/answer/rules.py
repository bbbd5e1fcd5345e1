"""Requirements, preferences and shown rows of a plan at one point: whether they hold, with their values; what the plan
waives or replaces."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

from llmplan.answer.compared import compared
from llmplan.answer.schema.requirements import Departure, RequirementResult, Sides
from llmplan.answer.schema.solution import Replaced, Shown
from llmplan.check.program import Rule
from llmplan.system.display import amount, one_line
from llmplan.system.lower import Lowering
from llmplan.system.missing import Missing
from llmplan.system.reasons import why
from llmplan.system.text import plain_text, whole_text, worded
from llmplan.units.amount import Amount
from llmplan.units.measure import TextType


def rules(
    lowering: Lowering, applies: Callable[[Rule], bool] = lambda rule: False
) -> tuple[list[RequirementResult], list[RequirementResult]]:
    """Every requirement and every preference in force at the point; those whose `when` is false are left out.

    Args:
        applies: Whether one that must be certain applies elsewhere in the ranges.
    """
    requirements: list[RequirementResult] = []
    preferences: list[RequirementResult] = []
    for rule in lowering.program.rules:
        made = _rule(lowering, rule, applies)
        if made is not None:
            (requirements if rule.weight is None else preferences).append(made)
    return requirements, preferences


def departures(lowering: Lowering) -> tuple[Departure, ...]:
    """What the plan waives or replaces, as people read it."""
    scope = lowering.scope
    return tuple(
        Departure(
            one.rule.name, one.rule.origin, _condition(lowering, one.rule),
            "" if one.by is None else _condition(lowering, one.by), plain_text(one.because, lowering),
            scope.at(one.place),
        )
        for one in lowering.program.departures
    )  # fmt: skip


def replaced(lowering: Lowering) -> tuple[Replaced, ...]:
    """The formulas that the plan replaces, as people read them."""
    scope = lowering.scope
    return tuple(
        Replaced(
            one.name,
            one_line(scope.span(one.formula).text),
            scope.at(one.place),
            scope.at(one.instead[0]) if one.instead else "",
        )
        for one in lowering.program.replaced
    )


def _condition(lowering: Lowering, rule: Rule) -> str:
    return one_line(lowering.scope.span(rule.place).text)


def _rule(lowering: Lowering, rule: Rule, applies: Callable[[Rule], bool]) -> RequirementResult | None:
    base = rule.place[0]
    needs: tuple[str, ...] = ()
    holds: bool | None = None
    guard = lowering.graph.const(1.0) if rule.when is None else lowering.lower(rule.when, {}, base=base)
    when = lowering.unknowns.settled(guard)
    if isinstance(when, Missing):
        needs = when.needs
    elif lowering.graph.constant(when) != 1.0:
        if not rule.certain or rule.weight is not None or not applies(rule):
            return None
        holds = True
    else:
        node = lowering.unknowns.settled(lowering.lower(rule.condition, {}, base=base))
        if isinstance(node, Missing):
            needs = node.needs
        else:
            holds = lowering.graph.constant(node) == 1.0
    slack, sides, undefined = _sides(lowering, rule, holds) if holds is not None else (None, None, "")
    if holds and slack is not None and slack < 0.0 and lowering.worth(rule.condition, base) != 1.0:
        slack, sides = None, None  # those of a point at which it does not apply
    certainty: Literal["certain", "no"] = "certain" if holds else "no"
    fails = holds is False and not undefined
    scope = lowering.scope
    return RequirementResult(
        rule.name, holds, certainty, slack, _condition(lowering, rule), sides,
        plain_text(rule.because, lowering), rule.origin, scope.at(rule.place), needs, undefined, rule.weight,
        whole_text(rule.otherwise, lowering) if fails else "",
        compared=compared(lowering, rule) if holds is not None else None,
    )  # fmt: skip


def _sides(lowering: Lowering, rule: Rule, holds: bool) -> tuple[float | None, Sides | None, str]:
    """The slack, the sides of the comparison, and why one of them has no value."""
    if rule.sides is None or rule.type is None:
        return None, None, ""
    operation, *sides = rule.sides.operation, rule.sides.left, rule.sides.right
    left, right = (lowering.worth(side, rule.place[0]) for side in sides)
    if left is None or right is None:
        return None, None, ""
    if holds and operation == "eq":
        left = right  # within the tolerance
    if left != left or right != right or (left == right and math.isinf(left)):
        return None, None, why(lowering, sides[1 if left == left and right != right else 0])
    signs = {"le": 1, "lt": 1, "ge": -1, "gt": -1}
    gap = (right - left) * signs[operation] if operation in signs else -abs(right - left)
    first, second = (amount(value, rule.type, lowering.scope, rule.unit) for value in (left, right))
    slack = gap if math.isfinite(gap) and operation != "ne" else None
    return slack, Sides(first, operation, second), ""  # type: ignore[arg-type]


def shows(lowering: Lowering) -> tuple[Shown, ...]:
    """The rows that the plan shows."""
    found = []
    for row in lowering.program.shows:
        node = lowering.unknowns.settled(lowering.lower(row.value, {}, base=row.place[0]))
        value = None if isinstance(node, Missing) else lowering.graph.constant(node)
        words = worded(row.value, lowering)
        text = one_line(lowering.scope.span(row.place).text)
        if words is not None:
            found.append(Shown(text, Amount(one_line(words))))
        elif isinstance(row.type, TextType):
            found.append(Shown(text, Amount(None), given=False))
        elif value is None:
            found.append(Shown(text, Amount(None), node.needs if isinstance(node, Missing) else ()))
        elif not math.isfinite(value):
            found.append(Shown(text, Amount(None), reason=why(lowering, row.value)))
        else:
            found.append(Shown(text, amount(value, row.type, lowering.scope, row.unit, exact_unit=row.exact)))
    return tuple(found)

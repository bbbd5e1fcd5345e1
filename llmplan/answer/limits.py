"""The binding constraints of an unknown, and by how much the next better value would violate them."""

from __future__ import annotations

import math
from typing import Literal

from llmplan.answer.schema.values import Beyond, Case
from llmplan.solve.diagnose.blocking import binding
from llmplan.solve.outcome import Outcome
from llmplan.system.comparison import case
from llmplan.system.display import amount
from llmplan.system.evaluate import evaluate
from llmplan.system.lower import Lowering
from llmplan.system.system import Condition, System
from llmplan.units.measure import Measure


def limit(made: System, outcome: Outcome, unknown: int, lowering: Lowering) -> tuple[tuple[str, ...], Beyond | None]:
    """The names of the binding constraints of an unknown, and what the next better value would violate."""
    if outcome.status != "solved":
        return (), None
    numbers, found = binding(made, outcome, unknown)
    conditions = [outcome.requirements[number] for number in numbers]
    names = tuple(condition.name for condition in conditions)
    if found is None:
        return names, None
    value = made.unknowns[unknown].amount(found.value, lowering.scope)
    if found.unmet:
        there = lowering.again(fixed=made.by_path(found.point))
        known = {condition.name: case(there, condition.name) for condition in found.unmet}
        cases = tuple(Case(name, "not met", text=text, sides=sides) for name, (text, sides) in known.items())
        return tuple(one.name for one in found.unmet), Beyond(value, cases)
    return names, Beyond(value, tuple(_violation(made, one, found.point, lowering) for one in conditions))


def _violation(made: System, condition: Condition, point: dict[int, float], lowering: Lowering) -> Case:
    """The computed side at a point and how far it is from the limit: `30.97 days, 23.28 hours over`."""
    rule = next((rule for rule in lowering.program.rules if rule.name == condition.name), None)
    if rule is None or not isinstance(rule.type, Measure) or condition.left is None or condition.right is None:
        return Case(condition.name, "violated")
    sides = evaluate(made.graph, point, (condition.left, condition.right))
    left, right = sides[condition.left], sides[condition.right]
    if not (math.isfinite(left) and math.isfinite(right)):
        return Case(condition.name, "no value")
    computed = right if made.graph.constant(condition.left) is not None else left
    off: Literal["over", "short", "off"]
    off = "off" if condition.op in ("eq", "ne") else "over" if (computed == left) == (left > right) else "short"
    gap = amount(abs(left - right), rule.type, lowering.scope, "")
    return Case(condition.name, off, amount(computed, rule.type, lowering.scope, rule.unit), gap)

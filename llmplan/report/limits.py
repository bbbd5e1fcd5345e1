"""The binding constraints of an unknown, and by how much the next better value would violate them."""

from __future__ import annotations

import math

from llmplan.solve.diagnose.blocking import binding
from llmplan.solve.outcome import Outcome
from llmplan.system.display import show
from llmplan.system.evaluate import evaluate
from llmplan.system.lower import Lowering
from llmplan.system.system import Condition, System
from llmplan.units.measure import Measure
from llmplan.whatif.changes import case


def limit(made: System, outcome: Outcome, unknown: int, lowering: Lowering) -> tuple[tuple[str, ...], str]:
    """The names of the binding constraints of an unknown, and what the next better value would violate, as text."""
    if outcome.status != "solved":
        return (), ""
    numbers, found = binding(made, outcome, unknown)
    conditions = [outcome.requirements[number] for number in numbers]
    names = tuple(condition.name for condition in conditions)
    if found is None:
        return names, ""
    if found.unmet:
        value = made.unknowns[unknown].text(found.value, lowering.scope)
        there = lowering.again(fixed=made.by_path(found.point))
        cases = [case(there, condition.name) for condition in found.unmet]
        return tuple(one.name for one in found.unmet), f"With {value}: {'; '.join(case or 'not met' for case in cases)}"
    parts = [_violation(made, condition, found.point, lowering) for condition in conditions]
    if len(parts) > 1:
        parts = [f"`{condition.name}` {part}" for condition, part in zip(conditions, parts)]
    return names, f"With {made.unknowns[unknown].text(found.value, lowering.scope)}: {'; '.join(parts)}"


def _violation(made: System, condition: Condition, point: dict[int, float], lowering: Lowering) -> str:
    """`30.97 days, 23.28 hours over`."""
    rule = next((rule for rule in lowering.program.rules if rule.name == condition.name), None)
    if rule is None or not isinstance(rule.type, Measure) or condition.left is None or condition.right is None:
        return "violated"
    sides = evaluate(made.graph, point, (condition.left, condition.right))
    left, right = sides[condition.left], sides[condition.right]
    if not (math.isfinite(left) and math.isfinite(right)):
        return "no value"
    computed = right if made.graph.constant(condition.left) is not None else left
    word = "off" if condition.op in ("eq", "ne") else "over" if (computed == left) == (left > right) else "short"
    gap = show(abs(left - right), rule.type, lowering.scope, "")
    return f"{show(computed, rule.type, lowering.scope, rule.unit)}, {gap} {word}"

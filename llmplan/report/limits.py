"""Which requirement set an unknown, and what the next better value would violate."""

from __future__ import annotations

import math

from llmplan.solve.diagnose.blocking import beyond
from llmplan.solve.outcome import Outcome
from llmplan.system.display import show
from llmplan.system.evaluate import evaluate
from llmplan.system.lower import Lowering
from llmplan.system.system import Condition, System
from llmplan.units.measure import Measure

_SYMBOLS = {"le": "<=", "lt": "<", "ge": ">=", "gt": ">", "eq": "==", "ne": "!="}


def limit(made: System, outcome: Outcome, unknown: int, lowering: Lowering) -> tuple[tuple[str, ...], str]:
    """The names of the requirements that hold an unknown back, and what lies beyond, as text."""
    if outcome.status != "solved":
        return (), ""
    found = beyond(made, outcome.requirements, outcome.point, unknown)
    if found is None:
        bound = outcome.binding.get(unknown)
        return ((), "") if bound is None else ((outcome.requirements[bound].name,), "")
    open_ = made.unknowns[unknown]
    names, parts = [], []
    for index in found.violated:
        condition = outcome.requirements[index]
        names.append(condition.name)
        parts.append(_violation(made, condition, found.point, lowering))
    value = show(found.value, open_.type, lowering.scope, open_.unit)
    return tuple(names), f"{value} would violate {'; '.join(parts)}"


def _violation(made: System, condition: Condition, point: dict[int, float], lowering: Lowering) -> str:
    """`deadline`: 30.97 days <= 30 days, 23.28 hours too much."""
    rule = next((rule for rule in lowering.program.rules if rule.name == condition.name), None)
    text = f"`{condition.name}`"
    if rule is None or not isinstance(rule.type, Measure) or condition.left is None or condition.right is None:
        return text
    sides = evaluate(made.graph, point, (condition.left, condition.right))
    left, right = sides[condition.left], sides[condition.right]
    if not (math.isfinite(left) and math.isfinite(right)):
        return f"{text}, which has no value there"
    shown = [show(side, rule.type, lowering.scope, rule.unit) for side in (left, right, abs(left - right))]
    word = {"le": "too much", "lt": "too much", "ge": "too little", "gt": "too little"}.get(condition.op, "apart")
    return f"{text}: {shown[0]} {_SYMBOLS[condition.op]} {shown[1]}, {shown[2]} {word}"

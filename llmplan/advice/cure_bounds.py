"""Another number as a requirement's bound: `time <= 35 days` where a plan says 30.

Input: an infeasible plan and a requirement that compares something with a number. Output: the requirement with the best
bound that the rest of the plan allows, solved with exactly the number that is shown. Nothing else changes.
"""

from __future__ import annotations

import math

from attrs import evolve

from llmplan.advice.freed_values import Blocked
from llmplan.advice.wording import Cure, of_bound
from llmplan.check.comparisons import comparison
from llmplan.check.ir import Num, Sides
from llmplan.check.plan import Program
from llmplan.check.program import Rule
from llmplan.solve.effort import Effort
from llmplan.source import Span
from llmplan.system.comparison import sides_at
from llmplan.system.proposals import proposals, read
from llmplan.system.system import Condition, Objective
from llmplan.units.measure import Measure


def bounds(blocked: Blocked) -> list[Rule]:
    """The author's requirements that bound a value by a number and are in conflict, or impossible on their own."""
    outcome = blocked.trial.outcome
    assert outcome.conflict is not None
    sets = (outcome.conflict.smallest, *outcome.conflict.further, outcome.conflict.impossible)
    names = {outcome.requirements[index].name for numbers in sets for index in numbers}
    rules = [rule for rule in blocked.trial.program.rules if rule.origin != "library" and rule.weight is None]
    return [rule for rule in rules if rule.name in names and not rule.final and bound_of(rule) is not None]


def bound(blocked: Blocked, rule: Rule, effort: Effort) -> Cure | None:
    """A requirement with another bound; OverLimit if the effort is not enough to find one."""
    trial, side = blocked.trial, bound_of(rule)
    condition = next((one for one in trial.system.conditions if one.name == rule.name), None)
    if side is None or condition is None or condition.left is None or condition.right is None:
        return None
    assert rule.sides is not None and isinstance(rule.type, Measure)
    before = (rule.sides.left, rule.sides.right)[side]
    assert isinstance(before, Num)
    exact, up = _best(blocked, rule.sides.operation, condition, side, effort)
    if not math.isfinite(exact):
        return None
    for proposed in proposals(exact, rule.type, rule.unit, up, trial.here, before.value):
        if blocked.cured(bounded_by(trial.program, rule, proposed.value), effort):
            return of_bound(trial, rule, before.value, proposed, place_of(trial.program, rule, side))
    return None


def _best(
    blocked: Blocked, operation: str, condition: Condition, side: int, effort: Effort
) -> tuple[float, bool | None]:
    """The best value that the rest of the plan allows for a side, and the direction in which bounds beyond it work.

    The value is NaN if there is none; the direction is None for an equation.
    """
    trial = blocked.trial
    graph, left, right = trial.system.graph, condition.left, condition.right
    assert left is not None and right is not None
    computed = right if side == 0 else left
    goal = computed if operation != "eq" else graph.add("abs", graph.add("sub", left, right))
    up = None if operation == "eq" else (operation in ("le", "lt")) == (side == 1)
    rest = [one for one in trial.outcome.requirements if one is not condition]
    rest.append(evolve(condition, node=graph.add("finite", goal)))
    aim = Objective(goal, -1 if up is False else 1, "", condition.span, False)
    posed = evolve(trial.own.asking(objectives=(aim,), preferences=()), requirements=tuple(rest))
    best = posed.best(effort)
    return (math.nan if best is None else posed.values((computed,), best)[computed]), up


def bound_of(rule: Rule) -> int | None:
    """Which side of a comparison (0 or 1) is a number, if exactly one is."""
    if rule.sides is None or rule.sides.operation == "ne" or not isinstance(rule.type, Measure):
        return None
    numbers = [i for i, side in enumerate((rule.sides.left, rule.sides.right)) if isinstance(side, Num)]
    return numbers[0] if len(numbers) == 1 else None


def bounded_by(program: Program, rule: Rule, value: float) -> Program:
    """The program with another number as the bound of a rule."""
    assert rule.sides is not None
    parts = [rule.sides.left, rule.sides.right]
    parts[bound_of(rule) or 0] = Num(value)
    sides = Sides(rule.sides.operation, *parts)
    changed = evolve(rule, sides=sides, condition=comparison(sides.operation, sides.left, sides.right))
    return evolve(program, rules=[changed if one is rule else one for one in program.rules])


def place_of(program: Program, rule: Rule, side: int) -> Span | None:
    """Where the bound of a requirement is written, as its first or second side; None if no number is written there."""
    sides = sides_at(program.scope.span(rule.place))
    return sides[side] if sides is not None and read(sides[side].text, program.scope) is not None else None

"""Another number as a requirement's bound: `time <= 35 days` where a plan says 30.

Input: an infeasible plan and a requirement that compares something with a number. Output: the requirement with the best
bound that the rest of the plan allows, solved with exactly the number that is shown. Nothing else changes. Where a
chance is required of a comparison, the bound is the number inside that comparison, and the chance stays.
"""

from __future__ import annotations

import math

from attrs import evolve

from llmplan.advice.freed_values import Blocked
from llmplan.advice.wording import Cure, of_bound
from llmplan.check.comparisons import comparison
from llmplan.check.ir import Chance, Num, Quantile, Sides
from llmplan.check.plan import Program
from llmplan.check.program import Rule
from llmplan.solve.effort import Effort
from llmplan.source import Span
from llmplan.system.comparison import comparison_of, sides_at
from llmplan.system.display import TURNED
from llmplan.system.missing import Missing
from llmplan.system.proposals import proposals, read, unit_of
from llmplan.system.system import Condition, Objective
from llmplan.units.measure import SYMBOLS, Measure


def bounds(blocked: Blocked) -> list[Rule]:
    """The author's requirements that bound a value by a number and are in conflict, or impossible on their own."""
    outcome = blocked.trial.outcome
    assert outcome.conflict is not None
    sets = (outcome.conflict.smallest, *outcome.conflict.further, outcome.conflict.impossible)
    names = {outcome.requirements[index].name for numbers in sets for index in numbers}
    rules = [rule for rule in blocked.trial.program.rules if rule.origin != "library" and rule.weight is None]
    bounded = [rule for rule in rules if rule.name in names and not rule.final and bound_of(rule) is not None]
    return [rule for rule in bounded if event_of(rule) is rule or _asks(rule) is not None]


def bound(blocked: Blocked, rule: Rule, effort: Effort) -> Cure | None:
    """A requirement with another bound; OverLimit if the effort is not enough to find one."""
    trial, side = blocked.trial, bound_of(rule)
    condition = next((one for one in trial.system.conditions if one.name == rule.name), None)
    compared = comparison_of(rule, trial.program.scope, SYMBOLS)
    if side is None or condition is None or condition.left is None or condition.right is None or compared is None:
        return None
    before = (compared.sides.left, compared.sides.right)[side]
    assert isinstance(before, Num)
    if compared.asked is None:
        exact, up = _best(blocked, compared.sides.operation, condition, side, effort)
    else:
        exact, up = _likely(blocked, rule, condition, side, effort)
    if not math.isfinite(exact):
        return None
    place = place_of(trial.program, rule, side)
    own = "" if place is None or compared.asked is None else unit_of(place.text)
    unit = own or compared.unit
    told = evolve(rule, type=compared.type, unit=unit)
    for proposed in proposals(exact, compared.type, unit, up, trial.here, before.value):
        if blocked.cured(bounded_by(trial.program, rule, proposed.value), effort):
            return of_bound(trial, told, before.value, proposed, place)
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
    if operation == "eq":
        return _least(blocked, condition, computed, graph.add("abs", graph.add("sub", left, right)), 1, effort), None
    up = (operation in ("le", "lt")) == (side == 1)
    return _least(blocked, condition, computed, computed, 1 if up else -1, effort), up


def _likely(blocked: Blocked, rule: Rule, condition: Condition, side: int, effort: Effort) -> tuple[float, bool | None]:
    """The same of a comparison whose chance is required: the value that it holds with, with that chance."""
    sides, share = event_of(rule).sides, _asks(rule)
    if sides is None or share is None:
        return math.nan, None
    up = (sides.operation in ("le", "lt")) == (side == 1)
    asked = Quantile((sides.right, sides.left)[side], Num(share if up else 1.0 - share))
    computed = blocked.trial.built.lowering.quantile(asked, rule.place[0])
    if isinstance(computed, Missing):
        return math.nan, up
    return _least(blocked, condition, computed, computed, 1 if up else -1, effort), up


def _least(blocked: Blocked, condition: Condition, computed: int, goal: int, sense: int, effort: Effort) -> float:
    """What is computed where a goal is best and all but one condition hold; NaN if that is nowhere."""
    trial = blocked.trial
    graph = trial.system.graph
    rest = [one for one in trial.outcome.requirements if one is not condition]
    rest.append(evolve(condition, node=graph.add("finite", goal)))
    aim = Objective(goal, sense, "", condition.span, False)
    posed = evolve(trial.own.asking(objectives=(aim,), preferences=()), requirements=tuple(rest))
    best = posed.best(effort)
    return math.nan if best is None else posed.values((computed,), best)[computed]


def event_of(rule: Rule) -> Rule:
    """The single comparison whose chance a requirement asks for, as a requirement; any other is itself."""
    both = () if rule.sides is None else (rule.sides.left, rule.sides.right)
    chance = next((side for side in both if isinstance(side, Chance) and len(side.of) == 1), None)
    if chance is None:
        return rule
    sides = chance.of[0]
    return evolve(rule, sides=sides, condition=comparison(sides.operation, sides.left, sides.right))


def bound_of(rule: Rule) -> int | None:
    """Which side of a comparison, or of the one whose chance is required, is a number (0 or 1), if exactly one is."""
    sides = event_of(rule).sides
    if sides is None or sides.operation == "ne" or not isinstance(rule.type, Measure):
        return None
    numbers = [i for i, side in enumerate((sides.left, sides.right)) if isinstance(side, Num)]
    return numbers[0] if len(numbers) == 1 else None


def _asks(rule: Rule) -> float | None:
    """The least chance, between 0 and 1, that a requirement asks for as a number; None if it asks for anything else."""
    if rule.sides is None:
        return None
    least = rule.sides.right if rule.sides.operation in ("ge", "gt") else rule.sides.left
    chance = rule.sides.left if rule.sides.operation in ("ge", "gt") else rule.sides.right
    known = isinstance(chance, Chance) and len(chance.of) == 1 and rule.sides.operation in TURNED
    return least.value if known and isinstance(least, Num) and 0.0 < least.value < 1.0 else None


def bounded_by(program: Program, rule: Rule, value: float) -> Program:
    """The program with another number as the bound of a rule."""
    inner = event_of(rule)
    assert rule.sides is not None and inner.sides is not None
    parts = [inner.sides.left, inner.sides.right]
    parts[bound_of(rule) or 0] = Num(value)
    sides = Sides(inner.sides.operation, *parts)
    if inner is not rule:
        likely = Chance((sides,))
        asked = [likely if isinstance(side, Chance) else side for side in (rule.sides.left, rule.sides.right)]
        sides = Sides(rule.sides.operation, *asked)
    changed = evolve(rule, sides=sides, condition=comparison(sides.operation, sides.left, sides.right))
    return evolve(program, rules=[changed if one is rule else one for one in program.rules])


def place_of(program: Program, rule: Rule, side: int) -> Span | None:
    """Where the bound of a requirement is written, as its first or second side; None if no number is written there."""
    sides = sides_at(program.scope.span(rule.place), event=event_of(rule) is not rule)
    return sides[side] if sides is not None and read(sides[side].text, program.scope) is not None else None

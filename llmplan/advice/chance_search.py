"""The nearest value of one input at which the author's requirements are safe, or met, everything else fixed.

Input: a plan whose other unknowns have their values. Output: a value of that input's domain in the library, found by
solving with a chance of nine in ten, or of one in two, required for each uncertain requirement, on the calendar where
it has a counterpart there; and the least of the chances at that value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from attrs import evolve

from llmplan.advice.ledger import Spent, account, affordable
from llmplan.advice.trial import Changes, Trial
from llmplan.check.comparisons import comparison
from llmplan.check.ir import Chance, Num, Sides
from llmplan.check.plan import Program
from llmplan.check.program import Rule
from llmplan.system.adjustable import Knob
from llmplan.system.calendar import event, on_the_calendar
from llmplan.units.measure import REAL

_FAR = 4.0
"""The largest factor by which a near value may differ."""


def sure_value(
    trial: Trial,
    fixed: Changes,
    knob: Knob,
    now: float,
    beside: tuple[list[float], list[float]],
    uncertain: Sequence[str],
    share: float,
) -> tuple[float, float] | None:
    """The nearest value of a number at which requirements are so likely, and the least chance; None if there is none.

    Args:
        fixed: Every other unknown at its value in the answer.
        beside: The smaller and the larger values, nearest first.
        share: The chance that is required.
    """
    sides = [[value for value in side if 1 / _FAR <= value / now <= _FAR] for side in beside] if now > 0 else []
    tried = [value for side in sides for value in side]
    if not tried:
        return None
    program = trial.program
    rules = [_held(program, rule, share) for rule in program.rules if rule.name in uncertain]
    changes = {**fixed, knob.path: knob.opened([now, *tried])}
    posed = trial.posed(trial.laid(changes, rules=[*program.rules, *rules], goals=[], front=[], shows=[]), reads=False)
    index = None if posed is None else posed.index(knob.path)
    if posed is None or index is None or any(u.used for i, u in enumerate(posed.system.unknowns) if i != index):
        return None
    effort = account("safe value").all()
    nearest = affordable(lambda: [posed.nearest(index, side, now, None, effort) for side in sides])
    works = [] if isinstance(nearest, Spent) else [value for value in nearest if value is not None]
    if not works:
        return None
    value = min(works, key=lambda value: abs(math.log(value / now)))
    names = {rule.name for rule in rules}
    nodes = [one.left for one in posed.system.conditions if one.name in names and one.left is not None]
    others = {number: unknown.low for number, unknown in enumerate(posed.system.unknowns)}
    chances = posed.values(nodes, {**others, index: value})
    return value, min((chances[node] for node in nodes), default=1.0)


def _held(program: Program, rule: Rule, share: float) -> Rule:
    """The requirement that another one, or its counterpart on the calendar, is so likely."""
    sides = Sides("ge", Chance(event(program, on_the_calendar(program, rule) or rule)), Num(share))
    condition = comparison(sides.operation, sides.left, sides.right)
    name = f"{rule.name}, more likely"
    return evolve(rule, name=name, sides=sides, condition=condition, otherwise=None, type=REAL, unit="", certain=False)

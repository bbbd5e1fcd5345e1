"""The nearest value of one input at which the author's requirements are safe, or met, everything else fixed.

Input: a plan whose other unknowns have their values. Output: a value of that input's domain in the library, found by
solving with a chance of nine in ten, or of one in two, required for each uncertain requirement, on the calendar where
it has a counterpart there; and the least of the chances at that value.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from attrs import evolve

from llmplan.advice.ledger import Spent, account, affordable
from llmplan.advice.trial import Changes, Trial
from llmplan.check.comparisons import comparison
from llmplan.check.ir import Chance, Num, Ref, Sides, walk
from llmplan.check.plan import Program
from llmplan.check.program import Rule, Setting
from llmplan.system.adjustable import Knob, knob_of
from llmplan.system.calendar import event, on_the_calendar
from llmplan.system.levers import worth, worth_of
from llmplan.system.system import Unknown
from llmplan.units.measure import REAL, Measure

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


def asked_number(trial: Trial, asked: str, known: Collection[str]) -> list[tuple[Knob, float]]:
    """The requested number where the library does not declare it a lever, such as the tokens, with its value."""
    knob = knob_of(trial.program, asked) if asked and asked not in known else None
    now = None if knob is None else worth(knob, trial.here)
    return [(knob, now)] if knob is not None and now is not None and isinstance(knob.type, Measure) else []


def following(trial: Trial, knob: Knob) -> dict[str, Setting]:
    """The unknowns with the value that the library computes from an input, as it does: the nodes from the GPUs."""
    fields, settings = trial.program.scope.fields, {}
    for path, value in (trial.here.unknowns.fixed or {}).items():
        default = fields[path].default if path in fields and path != knob.path else None
        parts = () if default is None or default.value is None else walk(default.value)
        if default is None or not any(isinstance(part, Ref) and part.name == knob.path for part in parts):
            continue
        if worth_of(path, trial.at({path: default}).lowering) == value:
            settings[path] = default
    return settings


def rounded(unknown: Unknown, now: float) -> tuple[list[float], list[float]]:
    """The smaller and the larger values with two digits of what has too many values to try, nearest first."""
    size = math.floor(math.log10(now)) if now > 0.0 else 0
    numbers = [float(f"{digits}e{size + power}") for power in (-2, -1, 0) for digits in range(10, 100)]
    legal = [value for value in numbers if unknown.low <= value <= unknown.high]
    return [value for value in reversed(legal) if value < now], [value for value in legal if value > now]


def _held(program: Program, rule: Rule, share: float) -> Rule:
    """The requirement that another one, or its counterpart on the calendar, is so likely."""
    sides = Sides("ge", Chance(event(program, on_the_calendar(program, rule) or rule)), Num(share))
    condition = comparison(sides.operation, sides.left, sides.right)
    name = f"{rule.name}, more likely"
    return evolve(rule, name=name, sides=sides, condition=condition, otherwise=None, type=REAL, unit="", certain=False)

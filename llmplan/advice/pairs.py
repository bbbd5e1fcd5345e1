"""Two changes that together make an infeasible plan feasible, if several requirements fail.

Input: an infeasible plan, its failing bounds and its levers. Output: pairs such as `hardware.gpus = 1,048` and `cost <=
3.0 MUSD`, each found by dropping one bound, curing the rest by a single change, and then relaxing the dropped bound to
the best value that this change allows.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from llmplan.advice.cure_bounds import bound, bounded_by
from llmplan.advice.cure_values import changed, value
from llmplan.advice.freed_values import Blocked
from llmplan.advice.ledger import SHARES, Account
from llmplan.advice.wording import Cure
from llmplan.check.plan import Program
from llmplan.check.program import Rule
from llmplan.solve.effort import Effort
from llmplan.system.adjustable import Knob


def pairs(
    blocked: Blocked, bounds: Sequence[Rule], switches: Sequence[Knob], effort: Effort, cures: Account
) -> list[Cure]:
    """Pairs of changes: two bounds first, then an input and a bound. Raises OverLimit as each change does."""
    cured: list[Cure] = []
    for dropped in bounds:
        rest = [rule for rule in bounds if rule is not dropped]
        pair = _pair(blocked, dropped, rest, effort, cures) if rest else None
        if pair is not None:
            cured.append(pair)
            break  # the other order gives the same pair
    for dropped in bounds:
        pair = _pair(blocked, dropped, switches, effort, cures) if len(cured) < SHARES["pair"].tries else None
        if pair is not None:
            cured.append(pair)
    return cured


def _pair(
    blocked: Blocked, dropped: Rule, changes: Sequence[Rule] | Sequence[Knob], effort: Effort, cures: Account
) -> Cure | None:
    program = blocked.trial.program
    without = _infeasible(blocked, evolve(program, rules=[rule for rule in program.rules if rule is not dropped]))
    if without is None:
        return None  # changing this one is enough
    for change in changes:
        if isinstance(change, Rule):
            first = bound(without, change, effort)
            both = None if first is None else bounded_by(program, change, first.value)
        else:
            first = value(without, change, effort, cures)
            both = None if first is None else changed(blocked.trial, change, first.value)
        if first is None or both is None:
            continue
        infeasible = _infeasible(blocked, both)
        second = None if infeasible is None else bound(infeasible, dropped, effort)
        if second is not None and first.record.edits and second.record.edits:
            return evolve(first, record=evolve(first.record, beside=(second.record,)), thinned=())
    return None


def _infeasible(blocked: Blocked, program: Program) -> Blocked | None:
    """A varied plan that is infeasible too; None if it is feasible or could not be solved."""
    trial = blocked.trial.infeasible(program, int(SHARES["pair"].points))
    return None if trial is None else Blocked(trial)

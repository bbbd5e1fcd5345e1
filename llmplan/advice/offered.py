"""Sets of changes that whoever asks can make as one, such as a configuration of DeepSpeed that comes with a trainer.

Input: an infeasible plan and a set, paths with values. Output: the record of the set if the plan is feasible with it.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from llmplan.advice.freed_values import Blocked
from llmplan.advice.trial import Trial
from llmplan.advice.wording import Cure, of_input
from llmplan.check.program import Setting
from llmplan.solve.effort import Effort
from llmplan.system.adjustable import Knob, in_authors_unit, knob_of
from llmplan.system.levers import set_to, worth
from llmplan.system.lower import Lowering
from llmplan.system.proposals import Proposal
from llmplan.units.measure import BoolType, EnumType, Measure

Value = bool | float | str


def offered(blocked: Blocked, changes: Sequence[tuple[str, Value]], effort: Effort) -> list[Cure]:
    """The set as one change; nothing if the plan is infeasible with it, or if no plan can say it."""
    trial = blocked.trial
    made: list[Cure] = []
    laid: dict[str, Setting] = {}
    for knob, value in moves(trial, changes):
        text = in_authors_unit(value, knob.type, knob.unit, trial.here)
        cure = of_input(trial, knob, worth(knob, trial.here), [Proposal(text, value)])
        if cure is None:
            return []
        made.append(cure)
        laid[knob.path] = set_to(knob, value, trial.here)
    if not made:
        return []
    if not blocked.cured(trial.laid(laid), effort):
        return []
    first, *rest = (one.record for one in made)
    return [evolve(made[0], record=evolve(first, beside=tuple(rest)))]


def moves(trial: Trial, changes: Sequence[tuple[str, Value]]) -> list[tuple[Knob, float]]:
    """The inputs that a set changes, with their values; none if no plan can say one of them."""
    found = []
    for path, wanted in changes:
        knob = knob_of(trial.program, path)
        value = None if knob is None or knob.setting.open else _worth(knob, wanted, trial.here)
        if knob is None or value is None:
            return []
        if value != worth(knob, trial.here):
            found.append((knob, value))
    return found


def _worth(knob: Knob, wanted: Value, here: Lowering) -> float | None:
    """A value as a number: of a choice the index of its member; None if the input has no such value."""
    if isinstance(knob.type, BoolType):
        return float(wanted) if isinstance(wanted, bool) else None
    if isinstance(knob.type, EnumType):
        members = here.expressions.members(knob.type)
        return float(members.index(wanted)) if wanted in members else None
    if isinstance(knob.type, Measure) and not knob.type.dims and not isinstance(wanted, (bool, str)):
        return wanted
    return None

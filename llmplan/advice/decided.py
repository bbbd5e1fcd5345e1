"""What else changes with a change of a plan: its unknowns when everything is solved again, and its worst verdict.

Input: a trial of the plan at its answer, and the plan solved again with a change. Output: each unknown of the plan that
has another value then, with both values and its class; the author's requirements at the answer. Nothing is solved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from llmplan.advice.trial import Trial
from llmplan.answer.schema.advice import Redecided, Verdicted
from llmplan.answer.schema.solution import Solution
from llmplan.system.adjustable import knob_of
from llmplan.system.levers import Sort, sort_of
from llmplan.uncertainty.bands import GRAVITY

_SLIGHT = 5e-4
"""Relative differences below this look the same to a reader."""


def decided(trial: Trial, values: Mapping[str, float], but: str = "") -> tuple[Redecided, ...]:
    """The unknowns that have another value than in the answer, in the order of the plan.

    Args:
        values: The values of unknowns after the change, by path.
        but: The input that was changed.
    """
    records = []
    for index, unknown in enumerate(trial.system.unknowns):
        before, after = trial.outcome.point.get(index), values.get(unknown.path)
        if not unknown.used or unknown.path == but or before is None or after is None:
            continue
        # A member of a choice is an index, so that its neighbour is another one.
        if after == before if unknown.names else not differs(before, after):
            continue
        old, new = (unknown.amount(value, trial.here.scope) for value in (before, after))
        records.append(Redecided(unknown.path, old, new, _sort(trial, unknown.path)))
    return tuple(records)


def _sort(trial: Trial, path: str) -> Sort:
    """The class of an unknown; one of the plan's own is a setting."""
    knob = knob_of(trial.program, path)
    return "setting" if knob is None or path not in trial.program.scope.fields else sort_of(knob, trial.program)


def judged(answer: Solution) -> dict[str, Verdicted]:
    """The author's requirements at the answer, by name."""
    own = [rule for rule in answer.requirements if rule.origin in ("plan", "used") and rule.verdict is not None]
    return {rule.name: Verdicted(rule.name, rule.chance, rule.verdict) for rule in own if rule.verdict is not None}


def worse(before: Mapping[str, Verdicted], after: Sequence[Verdicted]) -> bool:
    """Whether any requirement has a graver verdict than in the answer."""
    known = [(before[one.name].verdict, one.verdict) for one in after if one.name in before]
    return any(GRAVITY.index(new) > GRAVITY.index(old) for old, new in known)


def differs(before: float, after: float) -> bool:
    """Whether a reader sees a difference between two numbers."""
    return abs(after - before) > _SLIGHT * max(abs(before), abs(after))

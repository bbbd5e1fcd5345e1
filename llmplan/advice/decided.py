"""What changes with a change of a plan: its results, its unknowns when everything is solved again, and its verdicts.

Input: a trial of the plan at its answer, and the plan with a change. Output: each result before and after; each unknown
that has another value then, with both values and its class; the author's requirements at the answer. Nothing is solved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from llmplan.advice.trial import Trial, Tried
from llmplan.answer.schema.advice import Moved, Redecided, Verdicted
from llmplan.answer.schema.solution import Solution
from llmplan.system.adjustable import knob_of
from llmplan.system.levers import Sort, sort_of
from llmplan.uncertainty.bands import GRAVITY
from llmplan.units.amount import Range

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


def moved(trial: Trial, tried: Tried, doubtful: bool = False) -> Iterator[Moved]:
    """The results of the answer and those after a change, where they have a value.

    Args:
        doubtful: Whether to add their bands: measurements of the chosen entry may not apply to another one.
    """
    scope = trial.here.scope
    for name, (result, before) in trial.figures.items():
        if name not in tried.figures:
            continue
        value = tried.figures[name][1]
        ends = tried.bands.ends(name) if doubtful and name in scope.quantities else None
        yield Moved(
            name=name,
            before=result.amount(before, trial.here),
            after=result.amount(value, trial.here),
            same=not differs(before, value),
            base=scope.units.base(result.type),
            band=Range(*(result.amount(end, trial.here) for end in ends)) if ends else None,
        )


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

"""A change to an infeasible plan as written: as data, as a statement to paste, and as an edit of the plan's text.

Input: an input or a requirement with the values that were found for it. Nothing is searched or solved here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from attrs import evolve, frozen

from llmplan.advice.trial import Trial
from llmplan.answer.schema.advice import Relaxation
from llmplan.check.program import Rule
from llmplan.diagnostics import Edit
from llmplan.source import Span
from llmplan.system.adjustable import Knob, in_authors_unit
from llmplan.system.display import amount, one_line
from llmplan.system.levers import of_the_question, sort_of
from llmplan.system.proposals import Proposal, written
from llmplan.units.measure import Measure, Type


@frozen
class Cure:
    """A change that makes an infeasible plan feasible.

    Attributes:
        change: The input or the requirement that is changed.
        value: The first of its values in base units, or the index of a member or entry.
        thinned: The unknowns for which only some values were tried with it.
    """

    record: Relaxation
    change: Knob | Rule
    value: float
    thinned: tuple[str, ...] = ()


def of_input(
    trial: Trial,
    knob: Knob,
    now: float | None,
    proposed: Sequence[Proposal],
    thinned: tuple[str, ...] = (),
    start: float | None = None,
) -> Cure | None:
    """The change of an input to other values; None if there are none.

    Args:
        now: Its current value.
        start: Its value in the nearest plan, if it is open.
    """
    if not proposed:
        return None
    scale = now if now is not None else start
    if isinstance(knob.type, Measure) and scale is not None:
        proposed = sorted(proposed, key=lambda one: _distance(one.value, scale))
    record = _record(trial, knob.path, "input", knob.type, knob.unit, now, proposed, scale)
    word = "let " if knob.role == "let" else "assume " if knob.role == "assumption" else ""
    statement = f"{knob.path} = {written(proposed[0].text, knob.type)}"
    edits = _edits(trial, knob, proposed[0], statement)
    program, field = trial.program, trial.program.scope.fields.get(knob.path)
    record = evolve(
        record,
        statement=f"{word}{statement}",
        edits=edits,
        sort=sort_of(knob, program),
        question=of_the_question(knob.path, program),
        changes="" if field is None else field.changes,
    )
    return Cure(record, knob, proposed[0].value, thinned)


def _edits(trial: Trial, knob: Knob, proposed: Proposal, statement: str) -> tuple[Edit, ...]:
    """The edit of an input where it is set or left open, else as a line at the end of the plan's text."""
    text = trial.program.scope.sources.get(trial.plan)
    if not knob.written and text is not None and not text.library:
        line = "" if text.text.endswith("\n") else "\n"
        return (Edit(Span(text, len(text.text), len(text.text)), f"{line}{statement}\n"),)
    place = trial.program.scope.span(knob.setting.place)
    own = knob.written and not place.source.library and not place.source.name.startswith("--set")
    return (Edit(place, written(proposed.text, knob.type)),) if own else ()


def of_bound(trial: Trial, rule: Rule, before: float, proposed: Proposal, place: Span | None) -> Cure:
    """The change of a requirement's bound.

    Args:
        place: Where the bound is written.
    """
    assert isinstance(rule.type, Measure)
    record = _record(trial, rule.name, "requirement", rule.type, rule.unit, before, [proposed], before)
    record = evolve(record, sort="bound")
    if place is None:
        return Cure(record, rule, proposed.value)
    number, whole = written(proposed.text, rule.type), trial.program.scope.span(rule.place)
    text = one_line(f"{whole.text[: place.start - whole.start]}{number}{whole.text[place.end - whole.start :]}")
    certain = "certain " if rule.certain else ""
    named = f"{rule.name}: " if rule.name.isidentifier() else ""
    statement = f"require {certain}{named}{text}"
    return Cure(evolve(record, condition=text, statement=statement, edits=(Edit(place, number),)), rule, proposed.value)


def _record(
    trial: Trial,
    name: str,
    kind: Literal["input", "requirement"],
    type: Type,
    unit: str,
    now: float | None,
    proposed: Sequence[Proposal],
    scale: float | None,
) -> Relaxation:
    change = math.inf
    if isinstance(type, Measure) and scale is not None:
        change = min(_distance(one.value, scale) for one in proposed)
    scope = trial.program.scope
    return Relaxation(
        name=name,
        kind=kind,
        before=None if now is None else amount(now, type, scope, unit),
        before_text="" if now is None else in_authors_unit(now, type, unit, trial.here),
        values=tuple(amount(one.value, type, scope, unit) for one in proposed),
        texts=tuple(one.text for one in proposed),
        unit=scope.units.base(type) if isinstance(type, Measure) else None,
        change=change,
    )


def _distance(value: float, scale: float) -> float:
    """The relative distance of a value from the given one."""
    if not value or not scale or (value > 0) != (scale > 0):
        return 1e9
    return abs(math.log(abs(value)) - math.log(abs(scale)))  # the quotient of the smallest numbers would be 0

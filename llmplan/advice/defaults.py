"""Closed defaults that decide an answer: choices that the library makes for a plan, and that would change its results.

Input: a trial of a solved plan. Output: for each lever that the plan neither gives nor leaves open, and that stands at
a choice or a degree of the library's, the first result that plans are compared by which another value changes by more
than a fiftieth, all else equal, and the value that is best for it. Only values that break no requirement count, and
nothing is solved again.
"""

from __future__ import annotations

from llmplan.advice.trial import Trial
from llmplan.answer.schema.advice import Default
from llmplan.answer.schema.solution import Solution
from llmplan.system.adjustable import Knob
from llmplan.system.display import amount
from llmplan.system.levers import levers, looked_at, set_to, worth

LEAST = 0.02
"""A smaller change of every result is not worth saying."""


def defaults(trial: Trial, answer: Solution) -> tuple[Default, ...]:
    """The defaults, in the order of declaration."""
    fields = trial.program.scope.fields
    left = trial.here.unknowns.fixed or {}
    closed = [knob for knob in levers(trial.program) if not knob.written and knob.path not in left]
    return tuple(
        default
        for knob in closed
        if not fields[knob.path].factors  # a speed, which is a risk
        for default in [_default(trial, knob)]
        if default is not None
    )


def _default(trial: Trial, knob: Knob) -> Default | None:
    """The best change of the first result that a lever changes; None if it changes none that much."""
    places, scope = trial.program.scope.compared, trial.program.scope
    compared = [name for name in sorted(places, key=lambda name: places[name][0]) if name in trial.figures]
    now = worth(knob, trial.here)
    if now is None:
        return None
    moved: dict[str, tuple[float, float]] = {}
    for value in looked_at(knob, now, trial.here):
        tried = trial.at({knob.path: set_to(knob, value, trial.here)})
        for name in compared:
            before, after = trial.figures[name][1], tried.figures.get(name, (None, 0.0))[1]
            change = after / before - 1.0 if before and name in tried.figures else 0.0
            # Of every result that plans are compared by, less is better.
            best = name not in moved or change < moved[name][1]
            if abs(change) > LEAST and best and not tried.fails and tried.legal:
                moved[name] = value, change
    result = next((name for name in compared if name in moved), None)
    if result is None:
        return None
    ends = [amount(value, knob.type, scope, knob.unit) for value in (now, moved[result][0])]
    return Default(knob.path, ends[0], ends[1], result, moved[result][1])

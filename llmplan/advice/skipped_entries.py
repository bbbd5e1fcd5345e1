"""Entries that a search skips without a word, because what is optimised has no value with them: no price is known.

Input: a trial of a solved plan. Output: a line for each unknown that chooses an entry, with those entries and the reason
of the first.
"""

from __future__ import annotations

import math

from llmplan.advice.trial import Trial
from llmplan.answer.schema.advice import Skipped
from llmplan.answer.schema.solution import Solution
from llmplan.system.display import one_line, show
from llmplan.system.reasons import why
from llmplan.units.measure import KindType

_NAMED = 5
"""So many entries are named."""


def skipped_entries(trial: Trial, answer: Solution) -> tuple[Skipped, ...]:
    """Such as `RTX-4090`, where `cost` needs `hardware.price`: one record for each unknown that chooses an entry."""
    goal = next((goal for goal in trial.program.goals if goal.author), None)
    if goal is None or not trial.system.objectives:
        return ()
    found = []
    aim, scope, here = trial.system.objectives[0].node, trial.program.scope, trial.outcome.point
    for index, unknown in enumerate(trial.system.unknowns):
        if not unknown.asked or unknown.values is None or not isinstance(unknown.type, KindType):
            continue
        points = {value: {**here, index: value} for value in unknown.values if value != here.get(index)}
        lost = [value for value, point in points.items() if math.isnan(trial.own.values((aim,), point)[aim])]
        if lost:
            there = trial.own.at(points[lost[0]])
            there.lower(goal.value, {}, base=goal.place[0])
            names = [show(value, unknown.type, scope, "") for value in lost]
            text = one_line(scope.span(goal.place).text)
            found.append(Skipped(tuple(names[:_NAMED]), len(names), text, why(there, goal.value)))
    return tuple(found)

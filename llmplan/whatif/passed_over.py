"""Entries that a search passes over without a word, because what is optimised has no value with them: no price is
known.

Input: a solved plan. Output: a line for each unknown that chooses an entry, with those entries and the reason of the
    first.
"""

from __future__ import annotations

import math

from llmplan.answer.schema.advice import Skipped
from llmplan.check.plan import Program
from llmplan.solve.outcome import Outcome
from llmplan.system.build import Built
from llmplan.system.display import one_line, show
from llmplan.system.evaluate import evaluate
from llmplan.system.reasons import why
from llmplan.units.measure import is_catalog

_NAMED = 5
"""So many entries are named."""


def passed_over(program: Program, built: Built, outcome: Outcome) -> tuple[Skipped, ...]:
    """One record for each unknown that chooses an entry."""
    system = built.system
    goal = next((goal for goal in program.goals if goal.author), None)
    if system is None or goal is None or outcome.status != "solved" or not system.objectives:
        return ()
    found = []
    aim, scope = system.objectives[0], built.lowering.scope
    for index, unknown in enumerate(system.unknowns):
        if not unknown.asked or unknown.values is None or not is_catalog(unknown.type):
            continue
        others = {
            value: {**outcome.point, index: value} for value in unknown.values if value != outcome.point.get(index)
        }
        lost = [value for value, at in others.items() if math.isnan(evaluate(system.graph, at, (aim.node,))[aim.node])]
        if lost:
            there = built.lowering.again(fixed=system.by_path(others[lost[0]]))
            there.lower(goal.value, {}, base=goal.place[0])
            names = [show(value, unknown.type, scope, "") for value in lost]
            text = one_line(scope.span(goal.place).text)
            found.append(Skipped(tuple(names[:_NAMED]), len(names), text, why(there, goal.value)))
    return tuple(found)

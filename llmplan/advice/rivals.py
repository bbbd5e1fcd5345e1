"""How far the other cards or models of a choice miss: the plan solved again with each of them.

Input: a solved plan that asks for an entry of the catalog among those that it lists. Output: for each of the others the
best plan with it and what that loses, or that there is none.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from llmplan.advice.layouts import alternative
from llmplan.advice.ledger import SHARES, Spent, account
from llmplan.advice.trial import Trial
from llmplan.answer.schema.advice import Rival
from llmplan.answer.schema.solution import Solution
from llmplan.system.results import results
from llmplan.units.measure import KindType


def rivals(trial: Trial, answer: Solution) -> tuple[Rival, ...]:
    """The other entries of each choice, the best first; those without a plan last."""
    found = list(_rivals(trial)) if trial.system.objectives and not trial.system.front else []
    return tuple(sorted(found, key=lambda one: (one.path, _miss(one))))


def _miss(rival: Rival) -> float:
    """How much worse the objective is."""
    if rival.layout is None:
        return math.inf
    loss = rival.layout.loss
    return 0.0 if loss is None else abs(loss.value - loss.best)


def _rivals(trial: Trial) -> Iterator[Rival]:
    ledger = account("rivals")
    lines = results(trial.program, trial.built.lowering)
    best = trial.outcome.point
    for index, unknown in enumerate(trial.system.unknowns):
        values = unknown.values or ()
        chosen = unknown.asked and unknown.used and isinstance(unknown.type, KindType)
        if not (chosen and 1 < len(values) <= SHARES["rivals"].tries):
            continue
        for value in values:
            if value == best[index]:
                continue
            point = ledger.afford(trial.own.held(index, (value,)).best)
            if isinstance(point, Spent):
                continue
            layout = None if point is None else alternative(trial.own, lines, point, best)
            yield Rival(unknown.path, unknown.amount(value, trial.own.lowering.scope), layout)

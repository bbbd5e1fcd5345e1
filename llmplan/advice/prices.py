"""What preferences of the library cost: the plan's answer without each of them.

Input: a solved plan with an objective. Output: for each preference that the answer meets and the best plan without it
does not, if the objective is better there by more than a reader overlooks: the results, the unknowns that are other
ones, and the requirement that loses most of its chance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from attrs import frozen

from llmplan.advice.decided import decided, moved
from llmplan.advice.ledger import Account, Spent, account
from llmplan.advice.trial import Posed, Trial, Tried
from llmplan.answer.schema.advice import RISKIER, Price, Verdicted
from llmplan.answer.schema.solution import Solution
from llmplan.system.display import one_line
from llmplan.system.system import Condition

_TOLD = 0.02
"""The share of an objective from which a preference has a price."""


def prices(trial: Trial, answer: Solution) -> tuple[Price, ...]:
    """The preferences of the library that cost more than a fiftieth of the objective."""
    system, point = trial.system, trial.outcome.point
    library = [one for one in system.preferences if one.weight and one.origin == "library"]
    known = trial.own.values([one.node for one in library], point)
    met = [one for one in library if known[one.node] == 1.0]
    certain = any(rule.certain for rule in trial.program.rules)
    if not met or not system.objectives or system.front or certain:
        return ()
    search = _Search(trial, account("prices"))
    best = search.without(met)
    if best is None:
        return ()
    there = best.posed.values([one.node for one in met], best.point)
    missed = [one for one in met if there[one.node] != 1.0]
    if len(missed) == 1:
        # The best plan without all of them meets the others, and so it is the best one without this one.
        return (search.price(missed[0], best, answer),)
    each = ((one, search.without([one])) for one in missed[: search.account.tries])
    return tuple(search.price(one, found, answer) for one, found in each if found is not None)


@frozen
class _Better:
    """A plan without some preferences, and its best point."""

    posed: Posed
    point: dict[int, float]


class _Search:
    def __init__(self, trial: Trial, account: Account) -> None:
        self.trial, self.account = trial, account
        self.aim = trial.system.objectives[0]

    def without(self, dropped: Sequence[Condition]) -> _Better | None:
        """The best plan without some preferences; None if it is not much better or was not found."""
        kept = tuple(one for one in self.trial.system.preferences if all(one is not each for each in dropped))
        posed = self.trial.own.asking(preferences=kept)
        point = self.account.afford(posed.best)
        if isinstance(point, Spent) or point is None:
            return None
        before, after = (
            posed.values([self.aim.node], each)[self.aim.node] for each in (self.trial.outcome.point, point)
        )
        gain = (before - after) * self.aim.sense
        return _Better(posed, point) if math.isfinite(gain) and gain > _TOLD * abs(before) else None

    def price(self, preference: Condition, better: _Better, answer: Solution) -> Price:
        tried = Tried(self.trial, posed=better.posed, point=better.point)
        values = better.posed.system.by_path(better.point)
        return Price(
            name=preference.name,
            objective=one_line(self.aim.text),
            results=tuple(moved(self.trial, tried)),
            decided=decided(self.trial, values),
            risk=_risk(tried, answer),
        )


def _risk(tried: Tried, answer: Solution) -> Verdicted | None:
    """The requirement that loses most of its chance; None if none loses much."""
    chances = {one.name: one.chance for one in answer.requirements if one.chance is not None}
    rules = [rule for rule in tried.lowering.program.rules if rule.weight is None and rule.name in chances]
    judged = [(rule.name, tried.bands.judge_here(rule)) for rule in rules]
    risks = [
        (chances[name] - one.by.chance, Verdicted(name, one.by.chance, one.by.verdict))
        for name, one in judged
        if one is not None and one.by.chance is not None
    ]
    loss, risk = max(risks, key=lambda pair: pair[0], default=(0.0, None))
    return risk if loss > RISKIER else None

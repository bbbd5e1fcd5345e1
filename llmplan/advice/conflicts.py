"""The conflicts of an infeasible plan that have no requirement in common, each with what would cure it alone.

Input: a trial of the plan, and the answer with its cures. Output: a record a conflict. With several of them no single
change may help the plan; the cures of one are found on the plan without the requirements of the others.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from llmplan.advice.cures import search
from llmplan.advice.trial import Trial
from llmplan.answer.schema.advice import Relaxation
from llmplan.answer.schema.requirements import Clash
from llmplan.answer.schema.solution import Solution
from llmplan.check.plan import Program


def conflicts(trial: Trial, answer: Solution) -> tuple[Clash, ...]:
    """The conflicts, the smallest of all first; those of values that are never legal are left to the message."""
    outcome, program = trial.outcome, trial.program
    assert outcome.conflict is not None
    rules = {rule.name for rule in program.rules}
    sets = [outcome.conflict.smallest, *outcome.conflict.further]
    every = [tuple(outcome.requirements[number].name for number in numbers) for numbers in sets]
    every = [names for names in every if rules.issuperset(names)]
    if len(every) < 2:
        return tuple(Clash(names, _chosen_first(program, answer.relaxations)) for names in every)
    found = []
    for names in every:
        others = {name for other in every if other is not names for name in other}
        alone = evolve(program, rules=[rule for rule in program.rules if rule.name not in others])
        there = trial.infeasible(alone, trial.points)
        found.append(Clash(names, () if there is None else _chosen_first(alone, search(there, 1 / len(every))[0])))
    return tuple(found)


def _chosen_first(program: Program, cures: Sequence[Relaxation]) -> tuple[Relaxation, ...]:
    """What the planner chooses comes before the rest, each the nearest first."""
    fields = program.scope.fields
    return tuple(sorted(cures, key=lambda one: not (one.name in fields and fields[one.name].decision)))

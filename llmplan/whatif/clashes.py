"""The conflicts of an infeasible plan that have no requirement in common, each with what would cure it alone.

Input: an infeasible outcome and the relaxations of the whole plan. Output: a record a conflict. With several of them no
single change may help the plan; the cures of one are found on the plan without the requirements of the others.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from llmplan.answer.schema.advice import Relaxation
from llmplan.answer.schema.requirements import Clash
from llmplan.check.plan import Program
from llmplan.solve.effort import Progress
from llmplan.solve.outcome import Outcome
from llmplan.system.build import Built, build
from llmplan.whatif.relax import Relaxed, relax
from llmplan.whatif.robust import solve_certain


def clashes(
    program: Program, built: Built, outcome: Outcome, relaxed: Relaxed, limit: int,
    progress: Progress | None = None, effort: float = 1.0,
) -> tuple[Clash, ...]:  # fmt: skip
    """The conflicts, the smallest of all first; those of values that are never legal are left to the message."""
    assert outcome.conflict is not None
    rules = {rule.name for rule in program.rules}
    sets = [outcome.conflict.smallest, *outcome.conflict.further]
    named = [tuple(outcome.requirements[number].name for number in one) for one in sets]
    named = [names for names in named if rules.issuperset(names)]
    if len(named) < 2:
        return tuple(Clash(names, _chosen_first(program, relaxed.found)) for names in named)
    share = effort / len(named)
    found = []
    for names in named:
        others = {name for other in named if other is not names for name in other}
        alone = evolve(program, rules=[rule for rule in program.rules if rule.name not in others])
        found.append(Clash(names, _cures(alone, build(built.lowering, alone, built.reads), limit, share, progress)))
    return tuple(found)


def _cures(
    program: Program, built: Built, limit: int, share: float, progress: Progress | None
) -> tuple[Relaxation, ...]:
    if built.system is None:
        return ()
    built, outcome = solve_certain(program, built, limit, brief=True)
    if outcome.status != "infeasible" or built.system is None:
        return ()
    point = built.lowering.again(program, fixed=built.system.by_path(outcome.point))
    return _chosen_first(program, relax(program, built, outcome, point, progress, share).found)


def _chosen_first(program: Program, cures: Sequence[Relaxation]) -> tuple[Relaxation, ...]:
    """What who plans chooses comes before the rest, each the nearest first."""
    fields = program.scope.fields
    return tuple(sorted(cures, key=lambda one: not (one.name in fields and fields[one.name].decision)))

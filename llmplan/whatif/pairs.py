"""Two changes that together make an infeasible plan feasible, where several requirements fail.

Input: the plan's changes and its failing bounds. Output: pairs, each found by dropping one bound, curing the rest by a
    single
change, and then relaxing the dropped bound to the best that this allows: `hardware.gpus = 1,048` and `cost <= 3.0
MUSD`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import evolve

from llmplan.check.plan import Program
from llmplan.check.program import Rule
from llmplan.solve.passes import solve
from llmplan.system.adjustable import Knob
from llmplan.system.build import build
from llmplan.whatif.cures import Cures
from llmplan.whatif.telling import Cure

_LIMIT = 10**7
_MOST = 3
"""Pairs that are shown."""


def pairs(cures: Cures, bounds: Sequence[Rule], switches: Sequence[Knob]) -> Iterator[Cure]:
    """Pairs of changes: of two bounds first, then of an input and a bound. Raises OverLimit as each change does."""
    made = 0
    for inputs in (False, True):
        for dropped in bounds:
            if made >= _MOST:
                return
            rest = [rule for rule in bounds if rule is not dropped]
            found = _pair(cures, dropped, switches if inputs else rest) if inputs or rest else None
            if found is not None:
                made += 1
                yield found
                if not inputs:
                    break  # the other way round it is the same pair


def _pair(cures: Cures, dropped: Rule, changes: Sequence[Rule] | Sequence[Knob]) -> Cure | None:
    program = cures.program
    without = _infeasible(cures, evolve(program, rules=[rule for rule in program.rules if rule is not dropped]))
    if without is None:
        return None  # it is enough to change this one
    for change in changes:
        first = without.bound(change) if isinstance(change, Rule) else without.knob(change)
        if first is None:
            continue
        changed = _infeasible(cures, cures.applied(change, first))
        second = changed.bound(dropped) if changed is not None else None
        if second is not None and first[1] and second[1]:
            return evolve(first[0], beside=(second[0],)), (*first[1], *second[1])
    return None


def _infeasible(cures: Cures, program: Program) -> Cures | None:
    """The changes of a varied plan that is infeasible too; None if it is not, or was not solved."""
    built = build(cures.constants, program, cures.reads)
    if built.system is None or any(problem.severity == "error" for problem in built.diagnostics):
        return None
    outcome = solve(built.system, _LIMIT, brief=True)
    if outcome.status != "infeasible" or outcome.conflict is None:
        return None
    point = built.lowering.again(fixed=built.system.by_path(outcome.point))
    made = Cures(program, built, outcome, point, cures.plan)
    made.effort = cures.effort
    return made

"""Where a rule of the library makes the answer jump: the neighbour beyond it, and the change of the plan that gets it.

Input: a solved plan. Output: a line for each rule declared `@cliff` (a tolerance, a divisibility) without which the
    first
objective would be better by more than a twentieth, with the change of an input that the rule names, if one is enough;
and one for quantities so declared, which must be whole, with the change that gets the best of it. Each change is solved
again before it is named.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from attrs import evolve

from llmplan.answer.schema.advice import Cliff
from llmplan.check.ir import Expr, Num, Ref, walk
from llmplan.check.overrides import varied
from llmplan.check.plan import Program
from llmplan.check.program import Rule, Setting
from llmplan.solve.diagnose.blocking import binding
from llmplan.solve.effort import Budget, Effort, OverLimit
from llmplan.solve.engines import best_point
from llmplan.solve.outcome import Outcome
from llmplan.solve.passes import requirements_of, solve
from llmplan.system.adjustable import Knob, knob_of
from llmplan.system.build import Built, build
from llmplan.system.display import show
from llmplan.system.evaluate import evaluate
from llmplan.system.levers import beside, set_to, worth
from llmplan.system.system import Condition, Objective, System
from llmplan.whatif.relax import changed

_GAIN = 0.05
"""By how much the first objective must be better for a jump to be worth a line."""

_BESIDE = 2
"""So many values on either side of what an input is are tried."""

_LIMIT = 1e7
_EVALUATIONS = 1e9


def cliffs(program: Program, built: Built, outcome: Outcome) -> tuple[Cliff, ...]:
    """Such as `hardware.gpus = 600 GPUs would do with training.global_batch = 4.47M tokens`."""
    system = built.system
    aim = next(iter(system.objectives), None) if system is not None else None
    index = None if system is None or aim is None else _unknown(system, aim)
    if system is None or aim is None or index is None or outcome.status != "solved":
        return ()
    binding_here = {outcome.requirements[number].name for number in binding(system, outcome, index)[0]}
    asked = sum(1 << number for number, unknown in enumerate(system.unknowns) if unknown.asked)
    found: list[Cliff | None] = []
    effort = Effort(_LIMIT, Budget(_EVALUATIONS))
    rules = {rule.name: rule for rule in program.rules if rule.cliff}
    try:
        for condition in outcome.requirements:
            rule = rules.get(condition.name)
            # A rule that holds another unknown back may make the answer jump as well as one that binds it.
            if rule is not None and system.graph.reach(condition.node) & asked:
                found.append(_beyond(program, built, outcome, rule, condition, index, effort))
        for name in program.scope.cliffs if not any(found) else ():
            if name in binding_here:
                found.append(_whole(program, built, outcome, name, index, effort))
    except OverLimit:
        pass
    return tuple(one for one in found if one is not None)


def _unknown(system: System, aim: Objective) -> int | None:
    """The unknown that the first objective itself is, if it is one that takes one of several values."""
    return next(
        (
            at
            for at, one in enumerate(system.unknowns)
            if one.values is not None and system.graph.unknown(at) == aim.node
        ),
        None,
    )


def _beyond(
    program: Program, built: Built, outcome: Outcome, rule: Rule, condition: Condition, index: int, effort: Effort
) -> Cliff | None:
    """What one rule makes jump, None if it makes nothing jump, or no single change gets beyond it."""
    system = built.system
    assert system is not None
    graph, aim, unknown = system.graph, system.objectives[0], system.unknowns[index]
    rest = [one for one in outcome.requirements if one is not condition]
    aims = [aim]
    if condition.left is not None and condition.right is not None:
        gap = graph.add("abs", graph.add("sub", condition.left, condition.right))
        aims.append(Objective(gap, 1, "", condition.span, False))
    there = best_point(evolve(system, objectives=tuple(aims), preferences=()), rest, effort)
    if there is None:
        return None
    now, then = (evaluate(graph, point, (aim.node,))[aim.node] * aim.sense for point in (outcome.point, there))
    if not (math.isfinite(then) and now - then > _GAIN * abs(now)):
        return None
    place = program.winner(unknown.path)
    setting = Setting(Num(there[index]), None, place[1].place if place else rule.place, unknown.unit)
    fixed = varied(program, "--set", {unknown.path: setting}, over=True)
    made = build(built.lowering, fixed, built.reads)
    if made.system is None:
        return None
    failed = solve(made.system, int(_LIMIT), brief=True)
    if failed.status != "infeasible" or failed.conflict is None:
        return None
    value = unknown.amount(there[index], built.lowering.scope)
    for knob in _named(program, [rule.condition], unknown.path):
        text = changed(fixed, made, failed, knob)
        if text:
            return Cliff(unknown.path, value, rule.name, knob.path, text)
    return Cliff(unknown.path, value, rule.name)


def _whole(program: Program, built: Built, outcome: Outcome, name: str, index: int, effort: Effort) -> Cliff | None:
    """The line of a quantity that must be whole: the best answer that the next value of an input that it names brings."""
    system = built.system
    assert system is not None
    aim, unknown = system.objectives[0], system.unknowns[index]
    now = evaluate(system.graph, outcome.point, (aim.node,))[aim.node] * aim.sense
    best: tuple[float, Cliff | None] = now - _GAIN * abs(now), None
    point = built.lowering.again(fixed=system.by_path(outcome.point))
    for knob in _named(program, [one.value for one in program.scope.quantities[name].alternatives], unknown.path):
        here = worth(knob, point)
        near = beside(knob, here, point) if here is not None else ((), ())
        for value in (*near[0][:_BESIDE], *near[1][:_BESIDE]):
            changed_to = varied(program, "--set", {knob.path: set_to(knob, value, point)}, over=True)
            made = build(built.lowering, changed_to, built.reads)
            there = None if made.system is None else best_point(made.system, requirements_of(made.system), effort)
            if made.system is None or there is None:
                continue
            then = evaluate(made.system.graph, there, (made.system.objectives[0].node,))
            cost = then[made.system.objectives[0].node] * aim.sense
            if cost < best[0]:
                answer = next(there[i] for i, u in enumerate(made.system.unknowns) if u.path == unknown.path)
                text = show(value, knob.type, point.scope, knob.unit)
                best = cost, Cliff(unknown.path, unknown.amount(answer, point.scope), name, knob.path, text)
    return best[1]


def _named(program: Program, written: Sequence[Expr], besides: str) -> list[Knob]:
    """The inputs that the plan gives and expressions name; what describes an entry is another entry's to be."""
    names = [part.name for one in written for part in walk(one) if isinstance(part, Ref)]
    paths = dict.fromkeys(path for name in names for path in (name, name.rpartition(".")[0]) if path != besides)
    own = [
        path
        for path in paths
        if program.winner(path) is not None and path.partition(".")[0] not in program.scope.entries
    ]
    found = [knob_of(program, path) for path in own]
    return [knob for knob in found if knob is not None and knob.setting.value is not None]

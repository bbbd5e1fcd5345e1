"""Where a rule of the library makes the answer jump: the neighbour beyond the jump, and the change that makes it legal.

Input: a trial of a solved plan. Output: a record for each rule declared `@cliff` (a tolerance, a divisibility) without
which the first objective would improve by more than a twentieth, with the change of a single input named in the rule,
if one suffices; and one for quantities declared `@cliff`, which must be whole, with the change that gives the best
answer. Each change is solved again before it is reported.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from attrs import evolve, frozen

from llmplan.advice.cure_values import value as cured_value
from llmplan.advice.freed_values import Blocked
from llmplan.advice.ledger import SHARES, Spent, account, affordable
from llmplan.advice.trial import Trial
from llmplan.answer.schema.advice import Cliff
from llmplan.answer.schema.solution import Solution
from llmplan.check.ir import Expr, Num, Ref, walk
from llmplan.check.program import Rule, Setting
from llmplan.solve.diagnose.blocking import binding
from llmplan.solve.effort import Effort
from llmplan.system.adjustable import Knob, knob_of
from llmplan.system.display import show
from llmplan.system.levers import beside, set_to, worth
from llmplan.system.system import Condition, Objective

_GAIN = 0.05
"""The least improvement of the first objective that makes a jump worth a line."""

_BESIDE = 2
"""The number of values to try on either side of an input's current one."""


@frozen
class _Aim:
    """The unknown that is itself the first objective; `now` is the objective at the answer, lower is better."""

    index: int
    path: str
    now: float

    def gains(self, then: float) -> bool:
        return math.isfinite(then) and self.now - then > _GAIN * abs(self.now)


def cliffs(trial: Trial, answer: Solution) -> tuple[Cliff, ...]:
    """The jumps, such as `hardware.gpus = 600 GPUs would do with training.global_batch = 4.47M tokens`."""
    system, outcome, aim = trial.system, trial.outcome, _aim(trial)
    if aim is None:
        return ()
    asked = sum(1 << number for number, unknown in enumerate(system.unknowns) if unknown.asked)
    rules = {rule.name: rule for rule in trial.program.rules if rule.cliff}
    bind = {outcome.requirements[number].name for number in binding(system, outcome, aim.index)[0]}
    effort = account("cliffs").all()
    jumps: list[Cliff | None] = []

    def collect() -> None:
        for condition in outcome.requirements:
            # A rule that limits another unknown may make the answer jump, as may one that binds this unknown.
            if condition.name in rules and system.graph.reach(condition.node) & asked:
                jumps.append(_beyond(trial, rules[condition.name], condition, aim, effort))
        for name in trial.program.scope.cliffs if not any(jumps) else ():
            if name in bind:
                jumps.append(_whole(trial, name, aim, effort))

    affordable(collect)
    return tuple(one for one in jumps if one is not None)


def _aim(trial: Trial) -> _Aim | None:
    """The unknown that is itself the first objective, if it is a discrete one."""
    system = trial.system
    aim = next(iter(system.objectives), None)
    for index, unknown in enumerate(system.unknowns):
        if aim is not None and unknown.values is not None and system.graph.unknown(index) == aim.node:
            return _Aim(index, unknown.path, trial.outcome.point[index] * aim.sense)
    return None


def _beyond(trial: Trial, rule: Rule, condition: Condition, aim: _Aim, effort: Effort) -> Cliff | None:
    """The jump that one rule causes; None if there is none, or no value beyond it is known."""
    graph, objective, unknown = trial.system.graph, trial.system.objectives[0], trial.system.unknowns[aim.index]
    objectives = [objective]
    if condition.left is not None and condition.right is not None:
        gap = graph.add("abs", graph.add("sub", condition.left, condition.right))
        objectives.append(Objective(gap, 1, "", condition.span, False))
    rest = tuple(one for one in trial.outcome.requirements if one is not condition)
    without = evolve(trial.own.asking(objectives=tuple(objectives), preferences=()), requirements=rest)
    best = without.best(effort)
    if best is None or not aim.gains(best[aim.index] * objective.sense):
        return None
    place = trial.program.winner(unknown.path)
    setting = Setting(Num(best[aim.index]), None, place[1].place if place else rule.place, unknown.unit)
    fixed = trial.infeasible(trial.laid({unknown.path: setting}), int(SHARES["cliffs"].points))
    if fixed is None:
        return None
    value = unknown.amount(best[aim.index], trial.program.scope)
    for knob in _named(trial, [rule.condition], unknown.path):
        text = _cured(fixed, knob)
        if text:
            return Cliff(unknown.path, value, rule.name, knob.path, text)
    return Cliff(unknown.path, value, rule.name)


def _cured(fixed: Trial, knob: Knob) -> str:
    """The nearest value of an input that makes a plan feasible, as its author would write it; empty without one."""
    beyond = account("beyond a cliff")
    cure = affordable(lambda: cured_value(Blocked(fixed), knob, beyond.all(), account("cures")))
    return "" if cure is None or isinstance(cure, Spent) else cure.record.texts[0]


def _whole(trial: Trial, name: str, aim: _Aim, effort: Effort) -> Cliff | None:
    """The best answer when an input, named in a quantity that must be whole, takes its next value."""
    unknown, best = trial.system.unknowns[aim.index], aim.now
    cliff = None
    formulas = [one.value for one in trial.program.scope.quantities[name].alternatives]
    for knob in _named(trial, formulas, unknown.path):
        here = worth(knob, trial.here)
        near = beside(knob, here, trial.here) if here is not None else ((), ())
        for value in (*near[0][:_BESIDE], *near[1][:_BESIDE]):
            again = trial.again({knob.path: set_to(knob, value, trial.here)}, effort)
            cost = math.nan if again is None else again.objective
            answer = None if again is None else again.solved.get(unknown.path)
            if answer is not None and aim.gains(cost) and cost < best:
                best, scope = cost, trial.program.scope
                text = show(value, knob.type, scope, knob.unit)
                cliff = Cliff(unknown.path, unknown.amount(answer, scope), name, knob.path, text)
    return cliff


def _named(trial: Trial, expressions: Sequence[Expr], besides: str) -> list[Knob]:
    """The inputs that the plan sets and expressions name, except fields of catalog entries."""
    program = trial.program
    names = [part.name for expression in expressions for part in walk(expression) if isinstance(part, Ref)]
    paths = dict.fromkeys(path for name in names for path in (name, name.rpartition(".")[0]) if path != besides)
    own = [path for path in paths if program.winner(path) and path.partition(".")[0] not in program.scope.entries]
    knobs = [knob_of(program, path) for path in own]
    return [knob for knob in knobs if knob is not None and knob.setting.value is not None]

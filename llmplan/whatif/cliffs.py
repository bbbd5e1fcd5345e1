"""Where a rule of the library makes the answer jump: the neighbour beyond it, and the change of the plan that gets it.

Input: a solved plan. Output: a line for each rule declared `@cliff` (a tolerance, a divisibility) without which the first
objective would be better by more than a twentieth, if one change of an input that the rule names is enough for that;
the change is solved again before it is named.
"""

from __future__ import annotations

import math

from attrs import evolve

from llmplan.check.ir import Num, Ref, walk
from llmplan.check.overrides import varied
from llmplan.check.plan import Program
from llmplan.check.program import Rule, Setting
from llmplan.solve.diagnose.blocking import binding
from llmplan.solve.effort import Budget, Effort, OverLimit
from llmplan.solve.engines import best_point
from llmplan.solve.outcome import Outcome
from llmplan.solve.passes import solve
from llmplan.system.adjustable import Knob, knob_of
from llmplan.system.build import Built, build
from llmplan.system.evaluate import evaluate
from llmplan.system.system import Condition, Objective, System
from llmplan.whatif.relax import changed

_GAIN = 0.05
"""By how much the first objective must be better for a jump to be worth a line."""

_LIMIT = 1e7
_EVALUATIONS = 1e9


def cliffs(program: Program, built: Built, outcome: Outcome) -> tuple[str, ...]:
    """Lines such as `hardware.gpus = 600 GPUs would do with training.global_batch = 4.47M tokens`."""
    system = built.system
    aim = next(iter(system.objectives), None) if system is not None else None
    index = None if system is None or aim is None else _unknown(system, aim)
    if system is None or aim is None or index is None or outcome.status != "solved":
        return ()
    binding_here = {outcome.requirements[number].name for number in binding(system, outcome, index)[0]}
    found = []
    effort = Effort(_LIMIT, Budget(_EVALUATIONS))
    rules = {rule.name: rule for rule in program.rules if rule.cliff}
    for condition in outcome.requirements:
        if condition.name in rules and condition.name in binding_here and system.graph.constant(condition.node) is None:
            try:
                line = _beyond(program, built, outcome, rules[condition.name], condition, index, effort)
            except OverLimit:
                continue
            found += [line] if line else []
    return tuple(found)


def _unknown(system: System, aim: Objective) -> int | None:
    """The unknown that the first objective itself is, if it is one that takes one of several values."""
    return next(
        (at for at, one in enumerate(system.unknowns) if one.values is not None and system.graph.unknown(at) == aim.node),
        None,
    )


def _beyond(
    program: Program, built: Built, outcome: Outcome, rule: Rule, condition: Condition, index: int, effort: Effort
) -> str:
    """The line of one rule, empty if it makes nothing jump, or no single change gets beyond it."""
    system = built.system
    assert system is not None
    graph, aim, unknown = system.graph, system.objectives[0], system.unknowns[index]
    if not graph.reach(condition.node) >> index & 1 or condition.left is None or condition.right is None:
        return ""
    rest = [one for one in outcome.requirements if one is not condition]
    gap = Objective(graph.add("abs", graph.add("sub", condition.left, condition.right)), 1, "", condition.span, False)
    there = best_point(evolve(system, objectives=(aim, gap), preferences=()), rest, effort)
    if there is None:
        return ""
    now, then = (evaluate(graph, point, (aim.node,))[aim.node] * aim.sense for point in (outcome.point, there))
    if not (math.isfinite(then) and now - then > _GAIN * abs(now)):
        return ""
    place = program.winner(unknown.path)
    setting = Setting(Num(there[index]), None, place[1].place if place else rule.place, unknown.unit)
    fixed = varied(program, "--set", {unknown.path: setting}, over=True)
    made = build(built.lowering, fixed, built.reads)
    if made.system is None:
        return ""
    failed = solve(made.system, int(_LIMIT), brief=True)
    if failed.status != "infeasible" or failed.conflict is None:
        return ""
    for knob in _named(program, rule, unknown.path):
        text = changed(fixed, made, failed, knob)
        if text:
            value = unknown.text(there[index], built.lowering.scope)
            return f"{unknown.path} = {value} would do with {knob.path} = {text} (`{rule.name}`)"
    return ""


def _named(program: Program, rule: Rule, besides: str) -> list[Knob]:
    """The inputs that the plan gives and a rule names."""
    names = [part.name for part in walk(rule.condition) if isinstance(part, Ref)]
    paths = dict.fromkeys(path for name in names for path in (name, name.rpartition(".")[0]) if path != besides)
    found = [knob_of(program, path) for path in paths if program.winner(path) is not None]
    return [knob for knob in found if knob is not None and knob.setting.value is not None]

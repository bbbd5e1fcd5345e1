"""Another value of an input that makes an infeasible plan feasible, solved with exactly the number that is shown.

Input: an infeasible plan and an input. An ordered input is tried at its legal values, nearest first and in both
directions; a choice at every member, the best first; entries give the best one. Output: the change, or None if no value
helps. Each function raises OverLimit if the effort is not enough.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from llmplan.advice.freed_values import Blocked, Freed
from llmplan.advice.ledger import SHARES, Account, Spent, affordable
from llmplan.advice.trial import Trial
from llmplan.advice.wording import Cure, of_input
from llmplan.check import ir
from llmplan.check.plan import Program
from llmplan.solve.effort import Effort
from llmplan.system.adjustable import Knob, in_authors_unit, ladder, value_of
from llmplan.system.levers import set_to, values, worth
from llmplan.system.missing import Missing
from llmplan.system.proposals import Proposal, proposals
from llmplan.system.system import Condition, Objective
from llmplan.units.measure import BoolType, KindType, Measure, is_catalog, is_choice

_NEAR = 1e-3
"""The largest relative difference at which a number with few digits stands for a multiple by a factor."""


def value(blocked: Blocked, knob: Knob, effort: Effort, cures: Account) -> Cure | None:
    """Another value of an input.

    Args:
        cures: Pays for each member of a choice that is solved again.
    """
    if is_catalog(knob.type):
        return _entry(blocked, knob, effort)
    if not isinstance(knob.type, Measure):
        return _choice(blocked, knob, effort, cures)
    if knob.setting.value is not None and value_of(knob, blocked.trial.built.lowering) is None:
        return _factor(blocked, knob, effort)
    return _number(blocked, knob, knob.type, effort)


def hopeless(blocked: Blocked, knobs: Iterable[Knob], effort: Effort) -> set[str]:
    """The paths of choices that need not be tried one by one, as they cannot help."""
    choices = [knob for knob in knobs if is_choice(knob.type) and not knob.setting.open]
    return blocked.hopeless([(knob, members(blocked.trial, knob)) for knob in choices], effort)


def changed(trial: Trial, knob: Knob, number: float) -> Program:
    """The plan with another value of an input."""
    return trial.laid({knob.path: set_to(knob, number, trial.here)})


def _number(blocked: Blocked, knob: Knob, measure: Measure, effort: Effort) -> Cure | None:
    """The nearest feasible numbers above and below."""
    trial = blocked.trial
    start = value_of(knob, trial.built.lowering)
    whole: bool | None = measure.whole
    excluded: tuple[float, ...] = ()
    if start is None and knob.setting.open and (index := trial.own.index(knob.path)) is not None:
        start = trial.outcome.point[index]
        excluded = trial.system.unknowns[index].values or ()
    if start is None or not math.isfinite(start):
        return None
    up, down = ladder(knob, start, trial.built.lowering)
    freed = blocked.freed(knob, [] if knob.choices else [start, *up, *down], effort)
    if freed is None:
        return None
    if freed.values and knob.choices is not None:
        whole = None
        up = sorted(one for one in freed.values if one > start and one not in excluded)
        down = sorted((one for one in freed.values if one < start and one not in excluded), reverse=True)
    proposed = []
    for side in (up, down):
        nearest = freed.posed.nearest(freed.unknown, side, start, whole, effort)
        short = None if nearest is None else _short(blocked, freed, knob, measure, nearest, start, whole, effort)
        if short is not None:
            proposed.append(short)
    return of_input(trial, knob, None if excluded else start, proposed, freed.posed.thinned, start)


def _short(
    blocked: Blocked,
    freed: Freed,
    knob: Knob,
    measure: Measure,
    nearest: float,
    start: float,
    whole: bool | None,
    effort: Effort,
) -> Proposal | None:
    """A feasible value with few digits, just beyond the nearest one; the nearest one itself if there is none."""
    trial = blocked.trial
    for proposed in proposals(nearest, measure, knob.unit, nearest > start, trial.here, slack=1e-8):
        if whole is not False and proposed.value != nearest:
            continue
        if freed.posed.held(freed.unknown, (proposed.value,)).best(effort) is None:
            continue
        if blocked.cured(changed(trial, knob, proposed.value), effort, thin=True):
            return proposed
    return None


def _factor(blocked: Blocked, knob: Knob, effort: Effort) -> Cure | None:
    """A lever whose value follows from others, at the factors that the library declares."""
    trial, field = blocked.trial, blocked.trial.program.scope.fields.get(knob.path)
    now = worth(knob, trial.here)
    if now is None or field is None or not field.factors:
        return None
    for number in values(knob, now, trial.here):
        for proposed in proposals(number, knob.type, knob.unit, None, trial.here):  # type: ignore[arg-type]
            if abs(proposed.value - number) <= _NEAR * abs(number):
                if blocked.cured(changed(trial, knob, proposed.value), effort, thin=True):
                    return of_input(trial, knob, now, [proposed])
                break
    return None


def _choice(blocked: Blocked, knob: Knob, effort: Effort, cures: Account) -> Cure | None:
    """All members that work."""
    trial, now = blocked.trial, _now(blocked.trial, knob)
    freed = None if knob.setting.open else blocked.freed(knob, members(trial, knob), effort)
    if freed is None or now is None:
        return None
    field = trial.program.scope.fields.get(knob.path)
    asked = isinstance(knob.type, KindType) and _asked(blocked, knob, knob.type.name)
    wanted = values(knob, now, trial.here) if field is not None and field.lever and not asked else None
    others = [one for one in freed.values if one != now and (wanted is None or one in wanted)]
    if not others:
        return None
    works = freed.posed.held(freed.unknown, others).feasible_values(freed.unknown, effort)
    taken = cures.take(len(works), SHARES["choice"].tries)
    thinned = freed.posed.thinned if taken == len(works) else (*freed.posed.thinned, knob.path)
    works = [one for one in works[:taken] if blocked.cured(changed(trial, knob, one), effort, thin=True)]
    if asked:
        works = _ranked(freed, trial.program, works, effort)
    else:
        best = freed.best(works, effort) if len(works) > 1 else None
        works.sort(key=lambda one: one != best)
    return of_input(trial, knob, now, [named(trial, knob, one) for one in works], thinned)


def _asked(blocked: Blocked, knob: Knob, kind: str) -> bool:
    """Whether a requirement in conflict is about which entry is chosen, and not only about what follows from it.

    Such a requirement reads the choice or a field of the entry, itself or through truth values. Where that is so any
    other entry may do, and not only those that the library declares to be worth trying.
    """
    scope = blocked.trial.program.scope
    rules = [rule for rule in blocked.trial.program.rules if rule.name in blocked.names]
    pending = [expr for rule in rules for expr in (rule.condition, rule.when) if expr is not None]
    passed: set[str] = set()
    while pending:
        for part in ir.walk(pending.pop()):
            name = part.name if isinstance(part, (ir.Given, ir.Ref)) else ""
            if name == knob.path or name.startswith(f"{kind}."):
                return True
            if name not in passed and name in scope.quantities and isinstance(scope.quantities[name].type, BoolType):
                passed.add(name)
                alternatives = scope.quantities[name].alternatives
                pending += [expr for one in alternatives for expr in (one.when, one.value) if expr is not None]
    return False


def _ranked(freed: Freed, program: Program, members: list[float], effort: Effort) -> list[float]:
    """Members that work, by the objectives and then by what plans are compared by; unsorted if the effort is spent."""
    aims, _ = compared(freed, program)
    ordered = (*freed.posed.system.objectives, *aims)

    def key(member: float) -> tuple[float, ...]:
        posed = freed.posed.held(freed.unknown, (member,)).asking(preferences=(), front=(), objectives=ordered)
        point = posed.best(effort)
        if point is None:
            return (math.inf,)
        figures = posed.values([aim.node for aim in ordered], point)
        return tuple(aim.sense * figures[aim.node] for aim in ordered)

    ranked = affordable(lambda: sorted(members, key=key))
    return members if isinstance(ranked, Spent) else ranked


def _entry(blocked: Blocked, knob: Knob, effort: Effort) -> Cure | None:
    """The best other entry by the objectives, first among those with a value for every compared result."""
    trial, now = blocked.trial, _now(blocked.trial, knob)
    freed = None if knob.setting.open or now is None else blocked.freed(knob, members(trial, knob), effort)
    others = [] if freed is None else [one for one in freed.values if one != now]
    if freed is None or not others:
        return None
    plain = freed.posed.held(freed.unknown, others).asking(preferences=(), front=())
    aims, has = compared(freed, trial.program)
    priced = plain.asking(objectives=(*aims, *plain.system.objectives)).requiring(has)
    point = priced.best(effort) or (plain.best(effort) if has else None)
    if point is None or not blocked.cured(changed(trial, knob, point[freed.unknown]), effort, thin=True):
        return None
    return of_input(trial, knob, now, [named(trial, knob, point[freed.unknown])], freed.posed.thinned)


def compared(freed: Freed, program: Program) -> tuple[tuple[Objective, ...], tuple[Condition, ...]]:
    """The results that plans are compared by, as objectives in that order, and conditions that each has a value."""
    graph, span = freed.posed.system.graph, freed.posed.system.unknowns[freed.unknown].span
    places = program.scope.compared
    results = [freed.posed.lowering.name(name) for name in sorted(places, key=lambda name: places[name][1])]
    nodes = [one for one in results if not isinstance(one, Missing) and graph.reach(one) >> freed.unknown & 1]
    finite = [Condition("", graph.add("finite", node), "type", None, None, "", None, span) for node in nodes]
    return tuple(Objective(node, 1, "", span, False) for node in nodes), tuple(finite)


def _now(trial: Trial, knob: Knob) -> float | None:
    """The value of a choice, also if it follows from others."""
    given = value_of(knob, trial.built.lowering)
    if given is None and not knob.setting.open:
        given = worth(knob, trial.here)
    return given if given is not None and math.isfinite(given) else None


def members(trial: Trial, knob: Knob) -> list[float]:
    """All values of a choice."""
    return [float(index) for index in range(len(trial.built.lowering.expressions.members(knob.type)))]


def named(trial: Trial, knob: Knob, number: float) -> Proposal:
    return Proposal(in_authors_unit(number, knob.type, "", trial.here), number)

"""From the solver's outcome to a `Solution`: values with their origin, answers, requirements, reasons."""

from __future__ import annotations

import itertools
import math
from typing import Any, Literal

from attrs import evolve

from llmplan.advice import advise
from llmplan.advice.proposals import MOST_DIGITS, read, written
from llmplan.advice.trial import Trial
from llmplan.answer.schema.advice import Assumed
from llmplan.answer.schema.solution import ObjectiveResult, Replaced, Solution
from llmplan.answer.schema.values import SolvedUnknown, Value
from llmplan.check.plan import Program
from llmplan.check.scope import Scope
from llmplan.diagnostics import Diagnostic
from llmplan.report.assumed import assumed
from llmplan.report.bands import assessed, with_band
from llmplan.report.derivation import with_numbers
from llmplan.report.findings import conflict, infeasible, unmet, without_value
from llmplan.report.limits import limit
from llmplan.report.ranges import judged, row_with_ends, with_ends
from llmplan.report.relation import relation
from llmplan.report.rules import departures, rules, shows
from llmplan.report.told import told
from llmplan.report.values import Values
from llmplan.solve.effort import Progress
from llmplan.solve.outcome import Outcome
from llmplan.system.build import Built
from llmplan.system.display import amount
from llmplan.system.lower import Lowering
from llmplan.system.system import System, Unknown
from llmplan.uncertainty.bands import Bands
from llmplan.uncertainty.ranges import Ranges, has_ranges
from llmplan.units.amount import Range
from llmplan.units.measure import Measure

_MOST, _FIRST = 8, 4
"""Of a domain of more values than the first so many are kept as the second says, and the last."""


def solution(
    plan: str,
    program: Program,
    built: Built,
    outcome: Outcome,
    diagnostics: tuple[Diagnostic, ...],
    plan_hash: str,
    library_hash: str,
    most: int,
    progress: Progress | None = None,
    pictures: bool = False,
    effort: float = 1.0,
) -> Solution:
    """Everything that is known about a plan at the point that was found.

    Args:
        most: Points that a search may look at.
        progress: Is told how far it is.
        pictures: Also what pictures are drawn from.
        effort: How many times the usual work may go into what would make an infeasible plan feasible.
    """
    assert built.system is not None
    found = (*diagnostics, *outcome.diagnostics)
    if outcome.status == "error":
        return Solution(plan, program.title, "error", diagnostics=found, plan_hash=plan_hash, library_hash=library_hash)
    point = built.system.by_path(outcome.point)
    lowering = built.lowering.again(fixed=point)
    everything = _at_a_jump(built.system, outcome, Values(lowering).all(), lowering)
    requirements, preferences = rules(lowering)
    shown = shows(lowering)
    by_name = {rule.name: rule for rule in program.rules}
    if has_ranges(program):
        ranges = Ranges(lowering, point)
        everything = {name: with_ends(ranges, value) for name, value in everything.items()}
        requirements = [judged(ranges, by_name[result.name], result) for result in requirements]
        preferences = [judged(ranges, by_name[result.name], result) for result in preferences]
        shown = tuple(row_with_ends(ranges, row, one) for row, one in zip(program.shows, shown))
    if program.scope.banded:
        bands = Bands(lowering)
        everything = {name: with_band(bands, value) for name, value in everything.items()}
        requirements = [assessed(bands, by_name[result.name], result) for result in requirements]
        preferences = [assessed(bands, by_name[result.name], result) for result in preferences]
    solved = outcome.status != "infeasible"
    answer = Solution(
        plan=plan,
        title=program.title,
        status=outcome.status,
        unknowns=_unknowns(built.system, outcome, everything, lowering),
        values=everything,
        parts=dict(program.scope.parts),
        compared=tuple(sorted(program.scope.compared, key=program.scope.compared.__getitem__)),
        requirements=tuple(requirements),
        preferences=tuple(preferences),
        objectives=_objectives(program, lowering),
        shown=shown,
        conflict=tuple(condition.name for condition in conflict(outcome)),
        partly=not solved and "tried" in outcome.jumps.values(),
        considered=outcome.considered,
        feasible=outcome.feasible,
        assumptions=(
            *map(Assumed, program.assumptions),
            *assumed(lowering, everything, (*requirements, *preferences)),
        ),
        departures=departures(lowering),
        replaced=tuple(Replaced(*one) for one in program.replaced),
        emits=tuple(program.emits),
        told=told(lowering, everything) if solved else (),
        into=program.into,
        into_at=program.into_at,
        plan_hash=plan_hash,
        library_hash=library_hash,
        diagnostics=found,
    )
    answer = advise(Trial(built, outcome, lowering, plan, most, effort, progress), answer, pictures)
    if solved:
        wanting = [*unmet(lowering, preferences), *without_value(program, lowering)]
    else:
        wanting = [infeasible(built.system, outcome, requirements, lowering, everything, answer)]
    return evolve(answer, diagnostics=(*answer.diagnostics, *wanting))


def _unknowns(
    made: System, outcome: Outcome, values: dict[str, Value], lowering: Lowering
) -> tuple[SolvedUnknown, ...]:
    found = []
    for index, unknown in enumerate(made.unknowns):
        if not unknown.used:
            continue
        exact = outcome.exact.get(index)
        beside = outcome.neighbours.get(index)
        set_by, past = limit(made, outcome, index, lowering) if unknown.asked else ((), None)
        formula = relation(made, outcome, index, lowering)
        found.append(
            SolvedUnknown(
                path=unknown.path,
                value=values[unknown.path],
                how=outcome.how.get(index, "search"),
                asked=unknown.asked,
                whole=_whole(unknown, outcome, index),
                jump=outcome.jumps.get(index),
                **_domain(unknown, lowering.scope),
                relation=formula,
                numbers=with_numbers(formula.partition(" = ")[2], "", values),
                works=_works(outcome.intervals.get(index, ()), unknown, lowering.scope),
                exact=None if exact is None else unknown.amount(exact, lowering.scope),
                below=unknown.amount(beside.below.value, lowering.scope) if beside and beside.below else None,
                above=unknown.amount(beside.above.value, lowering.scope) if beside and beside.above else None,
                set_by=set_by,
                beyond=past,
            )
        )
    # What the plan asks for comes first.
    return tuple(sorted(found, key=lambda answer: not answer.asked))


def _whole(unknown: Unknown, outcome: Outcome, index: int) -> bool:
    """Whether a range that the author wrote was searched in whole numbers, which is no matter of course."""
    searched = outcome.how.get(index, "search") == "search"
    if not searched or not isinstance(unknown.type, Measure) or ".." not in unknown.span.text:
        return False
    values = sorted(unknown.values or ())
    steps = {after - before for before, after in itertools.pairwise(values)}
    return steps == {1.0} and values[0] == math.floor(values[0])


def _at_a_jump(made: System, outcome: Outcome, values: dict[str, Value], lowering: Lowering) -> dict[str, Value]:
    """The values, those that stand at a jump with all the digits that they need to stand on its right side."""
    found = dict(values)
    for index in outcome.jumps:
        unknown = made.unknowns[index]
        value = outcome.point[index]
        if unknown.path in found and isinstance(unknown.type, Measure) and outcome.how.get(index) == "numeric":
            shown = found[unknown.path].amount
            exact = (evolve(shown, digits=digits) for digits in range(shown.digits, MOST_DIGITS + 1))
            told = (one for one in exact if read(written(one.exact(), unknown.type), lowering.scope) == value)
            found[unknown.path] = evolve(found[unknown.path], amount=next(told, shown))
    return found


def _domain(unknown: Unknown, scope: Scope) -> dict[str, Any]:
    """The fields of the domain: all values, the first few and the last, or the two ends."""
    if unknown.values is None:
        return {"ends": Range(unknown.amount(unknown.low, scope), unknown.amount(unknown.high, scope))}
    shown = unknown.values if len(unknown.values) <= _MOST else (*unknown.values[:_FIRST], unknown.values[-1])
    return {"values": tuple(unknown.amount(value, scope) for value in shown), "of": len(unknown.values)}


def _works(intervals: tuple[tuple[float, float], ...], unknown: Unknown, scope: Scope) -> tuple[Range, ...]:
    if len(intervals) == 1 and intervals[0][0] == intervals[0][1]:
        return ()
    return tuple(Range(unknown.amount(low, scope), unknown.amount(high, scope)) for low, high in intervals)


def _objectives(program: Program, lowering: Lowering) -> tuple[ObjectiveResult, ...]:
    found = []
    for goal in program.goals:
        if not goal.author:
            continue
        value = lowering.worth(goal.value, goal.place[0])
        span = lowering.scope.span(goal.place)
        sense: Literal["minimize", "maximize"] = "minimize" if goal.sense > 0 else "maximize"
        reached = None if value is None else amount(value, goal.type, lowering.scope, "")
        found.append(ObjectiveResult(sense, " ".join(span.text.split()), reached))
    return tuple(found)

"""The answers for the unknowns of a plan: how each was found, its domain, its neighbours and what binds it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import Any

from attrs import evolve

from llmplan.answer.derivation import with_numbers
from llmplan.answer.limits import limit
from llmplan.answer.relation import relation
from llmplan.answer.schema.values import SolvedUnknown, Value
from llmplan.check.scope import Scope
from llmplan.solve.outcome import Outcome
from llmplan.system.lower import Lowering
from llmplan.system.proposals import MOST_DIGITS, read, written
from llmplan.system.system import System, Unknown
from llmplan.units.amount import Range
from llmplan.units.measure import Measure

_MOST, _FIRST = 8, 4
"""Of a domain of more values than the first so many are kept as the second says, and the last."""


def solved_unknowns(
    made: System, outcome: Outcome, values: Mapping[str, Value], lowering: Lowering
) -> tuple[SolvedUnknown, ...]:
    """The unknowns that matter, those that the plan asks for first, in its order."""
    answers = []
    for index, unknown in enumerate(made.unknowns):
        if not unknown.used:
            continue
        exact = outcome.exact.get(index)
        beside = outcome.neighbours.get(index)
        set_by, past = limit(made, outcome, index, lowering) if unknown.asked else ((), None)
        formula = relation(made, outcome, index, lowering)
        answers.append(
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
    stated = {path: number for number, (path, _) in enumerate(lowering.program.strongest())}
    return tuple(sorted(answers, key=lambda one: (not one.asked, stated.get(one.path, len(stated)))))


def _whole(unknown: Unknown, outcome: Outcome, index: int) -> bool:
    """Whether a range that the author wrote was searched in whole numbers, which is no matter of course."""
    searched = outcome.how.get(index, "search") == "search"
    if not searched or not isinstance(unknown.type, Measure) or ".." not in unknown.span.text:
        return False
    values = sorted(unknown.values or ())
    steps = {after - before for before, after in itertools.pairwise(values)}
    return steps == {1.0} and values[0] == math.floor(values[0])


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


def at_a_jump(made: System, outcome: Outcome, values: Mapping[str, Value], lowering: Lowering) -> dict[str, Value]:
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

"""From the solver's outcome to a `Solution`, without advice: the ordered list of what fills it.

`BUILDERS` is read as `PASSES` is: each takes what is known of a solved or infeasible plan and the answer so far, and
returns the fields that it adds. Advice, and the findings that need it, come after.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

from attrs import evolve, frozen

from llmplan.answer.assumed import assumed, estimates, stated_rates
from llmplan.answer.findings import conflict
from llmplan.answer.measured import readings, with_priors
from llmplan.answer.rules import departures, replaced, rules, shows
from llmplan.answer.schema.advice import Assumed
from llmplan.answer.schema.requirements import RequirementResult
from llmplan.answer.schema.solution import ObjectiveResult, Solution
from llmplan.answer.uncertain import assessed, judged, row_with_band, row_with_ends, with_band, with_spread
from llmplan.answer.unexported import told
from llmplan.answer.unknowns import at_a_jump, solved_unknowns
from llmplan.answer.values import Values
from llmplan.solve.outcome import Outcome
from llmplan.system.build import Built
from llmplan.system.display import amount
from llmplan.system.lower import Lowering
from llmplan.system.missing import NONE_APPLIES
from llmplan.system.system import System
from llmplan.uncertainty.bands import Bands
from llmplan.uncertainty.ranges import Ranges, has_ranges

Fields = dict[str, Any]


@frozen
class Context:
    """A plan that was solved, or is infeasible: lowered at its solution or at its nearest point.

    Attributes:
        ranges: Where the author gives ranges; `bands` where the library declares any.
    """

    system: System
    outcome: Outcome
    lowering: Lowering
    ranges: Ranges | None
    bands: Bands | None

    @staticmethod
    def of(built: Built, outcome: Outcome) -> Context:
        assert built.system is not None
        point = built.system.by_path(outcome.point)
        lowering, program = built.lowering.again(fixed=point), built.lowering.program
        ranges = Ranges(lowering, point) if has_ranges(program) else None
        return Context(built.system, outcome, lowering, ranges, Bands(lowering) if program.scope.banded else None)


Builder = Callable[[Context, Solution], Fields]


def declared(context: Context, answer: Solution) -> Fields:
    """What the plan and the library say, whatever the answer is."""
    program = context.lowering.program
    return {
        "title": program.title,
        "status": context.outcome.status,
        "calendar": dict(program.scope.calendar),
        "parts": dict(program.scope.parts),
        "compared": tuple(_compared(context.lowering)),
        "departures": departures(context.lowering),
        "replaced": replaced(context.lowering),
        "emits": tuple(program.emits),
        "into": program.into,
        "into_at": program.into_at,
    }


def _compared(lowering: Lowering) -> Iterator[str]:
    """The quantities that the library compares plans by, of those that this plan has."""
    places = lowering.program.scope.compared
    for name in sorted(places, key=places.__getitem__):
        lowering.name(name)
        if lowering.names.reasons.get(name) != NONE_APPLIES:
            yield name


def values(context: Context, answer: Solution) -> Fields:
    """Every input, let, assumption and quantity, with its origin, range and band."""
    named = at_a_jump(context.system, context.outcome, Values(context.lowering).all(), context.lowering)
    if context.ranges is not None:
        named = {name: with_spread(context.ranges, value) for name, value in named.items()}
    if context.bands is not None:
        named = {name: with_band(context.bands, value) for name, value in named.items()}
    return {"values": with_priors(context.lowering, named), "measured": readings(context.lowering)}


def requirements(context: Context, answer: Solution) -> Fields:
    """Requirements and preferences in force, with certainty, chance and verdict."""
    by_name = {rule.name: rule for rule in context.lowering.program.rules}

    def weighed(result: RequirementResult) -> RequirementResult:
        if context.ranges is not None:
            result = judged(context.ranges, by_name[result.name], result)
        if context.bands is None:
            return result
        return assessed(context.bands, context.ranges, by_name[result.name], result)

    required, preferred = rules(context.lowering, *(() if context.ranges is None else (context.ranges.applies,)))
    return {"requirements": tuple(map(weighed, required)), "preferences": tuple(map(weighed, preferred))}


def shown_rows(context: Context, answer: Solution) -> Fields:
    """What the plan shows."""
    rows = shows(context.lowering)
    if context.ranges is not None:
        pairs = zip(context.lowering.program.shows, rows)
        rows = tuple(row_with_ends(context.ranges, row, shown) for row, shown in pairs)
    if context.bands is not None:
        pairs = zip(context.lowering.program.shows, rows)
        rows = tuple(row_with_band(context.bands, row, shown) for row, shown in pairs)
    return {"shown": rows}


def unknowns(context: Context, answer: Solution) -> Fields:
    """The answers for what is open, and how many candidates there were."""
    outcome = context.outcome
    return {
        "unknowns": solved_unknowns(context.system, outcome, answer.values, context.lowering),
        "considered": outcome.considered,
        "feasible": outcome.feasible,
    }


def objectives(context: Context, answer: Solution) -> Fields:
    """The author's objectives and what they come to."""
    lowering = context.lowering
    results = []
    for goal in lowering.program.goals:
        if not goal.author:
            continue
        value = lowering.worth(goal.value, goal.place[0])
        span = lowering.scope.span(goal.place)
        sense: Literal["minimize", "maximize"] = "minimize" if goal.sense > 0 else "maximize"
        reached = None if value is None else amount(value, goal.type, lowering.scope, "")
        results.append(ObjectiveResult(sense, " ".join(span.text.split()), reached))
    return {"objectives": tuple(results)}


def conflicts(context: Context, answer: Solution) -> Fields:
    """Of an infeasible plan what conflicts, and whether jumps were left untried."""
    return {
        "conflict": tuple(condition.name for condition in conflict(context.outcome)),
        "partly": context.outcome.status == "infeasible" and "tried" in context.outcome.jumps.values(),
    }


def rests_on(context: Context, answer: Solution) -> Fields:
    """What the answer assumes, and what the training software must be told of it."""
    lowering = context.lowering
    judged_rules = (*answer.requirements, *answer.preferences)
    return {
        "assumptions": (
            *map(Assumed, estimates(lowering.program)),
            *stated_rates(lowering.program),
            *assumed(lowering, answer.values, judged_rules),
        ),
        "told": told(lowering, answer.values) if context.outcome.status != "infeasible" else (),
    }


BUILDERS: tuple[Builder, ...] = (
    declared,
    values,
    requirements,
    shown_rows,
    unknowns,
    objectives,
    conflicts,
    rests_on,
)
"""The way from an outcome to an answer; a later one may read what earlier ones have added."""


VERDICT: tuple[Builder, ...] = (declared, requirements)
"""Enough for the longest piece of advice, which a fork begins before the answer is built."""


def build(context: Context, answer: Solution, builders: Sequence[Builder] = BUILDERS) -> Solution:
    """The answer with the fields of these builders, at the point of the context; advice comes after."""
    for builder in builders:
        answer = evolve(answer, **builder(context, answer))
    return answer

"""Whether a run as its log shows it meets the requirements of its plan on time and cost.

Input: the plan of the run with its answer, the time of a step and the goodput as seen, and how many steps the log
announces. Output: a record for each requirement of the author that is about the calendar: the whole run at that pace,
in place of what published runs took beyond their plan.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from attrs import evolve

from llmplan import api
from llmplan.answer.compared import compared
from llmplan.answer.schema.solution import Solution
from llmplan.check.program import Rule
from llmplan.logs.compared import Promise
from llmplan.logs.readings import STEP
from llmplan.request import Request
from llmplan.run_progress import GOODPUT
from llmplan.system.adjustable import knob_of
from llmplan.system.calendar import on_the_calendar, reads_the_calendar, written
from llmplan.system.display import one_line
from llmplan.system.lower import Lowering
from llmplan.units import amount

_RATE = "tokens_per_second"
"""What decides in place of the time of a step where the plan assumes a rate."""

_LENGTH = "training.steps"
_REALISED = "run.realised"
"""The library's factor for what delays published runs: this one is seen."""


def _number(value: float) -> str:
    """A number as a plan has it."""
    return amount.in_plan(Fraction(value))


def as_seen(
    plan: Request, solution: Solution, step: float, goodput: float | None, steps: float | None = None
) -> tuple[Promise, ...]:
    """The requirements on time and cost; none where the plan itself assumes a pace that cannot be replaced.

    Args:
        solution: Of the plan.
        step: Seconds.
        goodput: None where neither plan nor log tell one.
        steps: Of the whole run, where its log announces others than the plan has.
    """
    assumed = [f"assume {STEP} = {_number(step)} s", f"assume {_REALISED} = 1"]
    planned, rate = (solution.values.get(name) for name in (STEP, _RATE))
    if planned is not None and rate is not None and planned.amount.finite and rate.amount.finite:
        assumed.append(f"assume {_RATE} = {_number(rate.amount.number * planned.amount.number / step)} tokens/s")
    assumed += [] if goodput is None else [f"assume {GOODPUT} = {_number(goodput)}"]
    announced = () if steps is None else ((_LENGTH, _number(round(steps))),)
    settings = (*plan.settings, *announced)
    built = api.analyse(evolve(plan, settings=settings, statements=(*plan.statements, *assumed))).built
    if built is None:
        return ()
    lowering = built.lowering.again(fixed=dict(points(built.lowering, solution)))
    return tuple(made for rule in lowering.program.rules if rule.stated and (made := _made(lowering, rule)) is not None)


def points(lowering: Lowering, solution: Solution) -> Iterator[tuple[str, float]]:
    """The values that a solution gives to what the plan leaves open, by path."""
    for unknown in solution.unknowns:
        value = unknown.value.value
        if isinstance(value, str):
            knob = knob_of(lowering.program, unknown.path)
            members = () if knob is None else lowering.expressions.members(knob.type)
            yield unknown.path, float(members.index(value))
        elif isinstance(value, (bool, int, float)):
            yield unknown.path, float(value)


def _made(lowering: Lowering, rule: Rule) -> Promise | None:
    program, scope = lowering.program, lowering.scope
    meant = rule if reads_the_calendar(program, rule) else on_the_calendar(program, rule)
    if meant is None or (rule.when is not None and lowering.worth(rule.when, rule.place[0]) != 1.0):
        return None
    row = compared(lowering, meant)
    text = one_line(scope.span(rule.place).text)
    text = text if meant is rule else written(scope.calendar, text)
    return None if row is None else Promise(rule.name, text, row.planned, row.limit, row.met)

"""What an answer rests on that its plan does not say.

Input: the values of a plan at the solution. Output: a line for each formula of the library that is marked as assumed
and was read, directly or not, for what the plan asks, for the requirements that were checked and for the results that
the library compares plans by, which every answer shows; and for each unit, as a currency, that the plan states.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from llmplan.answer.schema.advice import Assumed
from llmplan.answer.schema.requirements import RequirementResult
from llmplan.answer.schema.values import Value
from llmplan.check.ir import Expr, Index, Ref, walk
from llmplan.check.plan import Program
from llmplan.system.display import amount
from llmplan.system.lower import Lowering


def assumed(
    lowering: Lowering, values: Mapping[str, Value], judged: Sequence[RequirementResult]
) -> tuple[Assumed, ...]:
    """`sequence_advice = 2,048 tokens (the model's limit)`, in the library's order."""
    scope = lowering.scope
    marked = {
        alternative.formula: alternative.assumed
        for quantity in scope.quantities.values()
        for alternative in quantity.alternatives
        if alternative.assumed
    }
    compared = [name for name in scope.compared if name in values and values[name].value is not None]
    asked = [name for expr in _asked(lowering, judged) for name in _names(expr)]
    read = _reached(values, [*compared, *asked])
    found = []
    for name in scope.quantities:
        trace = lowering.names.traces.get(name)
        if name in read and trace is not None and trace.place in marked and values[name].value is not None:
            found.append(Assumed(name, values[name].amount, marked[trace.place]))
    return tuple(found)


def estimates(program: Program) -> list[str]:
    """The quantities that the plan assumes in place of the library's estimate."""
    return [name for name in program.assumptions if not program.scope.quantities[name].fixed]


def stated_rates(program: Program) -> Iterator[Assumed]:
    """`EUR = 1.08 USD`: the units that the plan states, in its order."""
    for name in program.rates:
        word = program.scope.units.words[name]
        unit = program.scope.units.base(word.measure)
        yield Assumed(name, amount(float(word.factor), word.measure, program.scope, unit))


def _asked(lowering: Lowering, judged: Sequence[RequirementResult]) -> Iterator[Expr]:
    program = lowering.program
    checked = {one.name for one in judged if one.holds is not None}
    yield from (rule.condition for rule in program.rules if rule.name in checked)
    yield from (goal.value for goal in program.goals if goal.author)
    yield from (row.value for row in program.shows)


def _names(expr: Expr) -> Iterator[str]:
    for part in walk(expr):
        if isinstance(part, (Ref, Index)):
            yield part.name


def _reached(values: Mapping[str, Value], roots: Sequence[str]) -> set[str]:
    pending = list(roots)
    seen: set[str] = set()
    while pending:
        name = pending.pop()
        if name not in seen:
            seen.add(name)
            pending += values[name].reads if name in values else ()
    return seen

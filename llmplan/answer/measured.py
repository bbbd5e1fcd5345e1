"""What measured runs do to an answer: each value without them, and what was read of them.

Input: a lowering at a solution. Output: records; nothing where the plan has no `measured`.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from llmplan.answer.schema.values import Read, Value
from llmplan.system.display import amount
from llmplan.system.lower import Lowering
from llmplan.system.missing import Missing
from llmplan.units.measure import Measure


def with_priors(lowering: Lowering, values: dict[str, Value]) -> dict[str, Value]:
    """Values with what they are without measured runs, where that differs."""
    program = lowering.program
    near = tuple(
        name
        for name, run in program.measured.items()
        if run.near and _is_near(lowering, lowering.quantities.near(run.near))
    )
    if not near:
        return values
    plain = lowering.again(evolve(program, moved={}), fixed=lowering.unknowns.fixed)
    return {name: _with_prior(plain, value, near) for name, value in values.items()}


def _is_near(lowering: Lowering, node: int) -> bool:
    return (lowering.graph.constant(node) or 0.0) > 0.0


def _with_prior(plain: Lowering, value: Value, near: tuple[str, ...]) -> Value:
    if value.role != "quantity" or value.indices or not value.amount.finite:
        return value
    node = plain.unknowns.settled(plain.name(value.name))
    prior = None if isinstance(node, Missing) else plain.graph.constant(node)
    if prior is None or prior == value.amount.number:
        return value
    return evolve(value, prior=evolve(value.amount, value=prior), measured=near)


def readings(lowering: Lowering) -> tuple[Read, ...]:
    """What was read of measured runs, in the order in which the plan has them."""
    return tuple(_readings(lowering))


def _readings(lowering: Lowering) -> Iterator[Read]:
    scope = lowering.scope
    for run in lowering.program.measured.values():
        for name, *numbers in run.compared:
            quantity = scope.quantities[name]
            assert isinstance(quantity.type, Measure)
            type, unit = quantity.type, run.readings[name].unit or quantity.unit
            seen, before, after = (amount(number, type, scope, unit) for number in numbers)
            yield Read(run.name, scope.at(run.place), name, seen, before, after)

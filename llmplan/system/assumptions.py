"""Quantities that a plan assumes, or could assume instead of setting every input of a value.

Input: a lowering and an expression without a value. Output: the quantity that would give it one if it alone were
assumed. Input: a requirement. Output: the rates that it rests on. Only quantities that the library tests with `assumed`
count: they are meant to be assumed.
"""

from __future__ import annotations

from attrs import evolve

from llmplan.check.ir import Assumed, Expr, Num, walk
from llmplan.check.program import Rule, Setting, SourceRef
from llmplan.check.scope import Scope
from llmplan.system.calendar import event
from llmplan.system.lower import Lowering
from llmplan.system.missing import Missing


def instead(lowering: Lowering, expr: Expr, place: SourceRef) -> str | None:
    """The first quantity that gives an expression a value if it is assumed; None if none does."""
    program = lowering.program
    for name in _meant(lowering.scope):
        if name in program.assumptions:
            continue
        assumed = {**program.assumptions, name: [("plan", Setting(Num(1.0), None, place))]}
        there = lowering.again(evolve(program, assumptions=assumed))
        if not isinstance(there.lower(expr, {}, base=place[0]), Missing):
            return name
    return None


def assumed_rates(lowering: Lowering, rule: Rule) -> tuple[str, ...]:
    """The rates that the plan assumes as one value and that a requirement, or the event of its chance, depends on.

    A rate is a quantity that the library tests with `assumed`.
    """
    program = lowering.program
    named = [
        name
        for name, layers in program.assumptions.items()
        if layers and layers[0][1].spread is None and name in program.scope.assumable
    ]
    if not named:
        return ()
    sides = [side for one in event(program, rule) for side in (one.left, one.right)]
    _, read = lowering.names.reading(lambda: [lowering.lower(side, {}, base=rule.place[0]) for side in sides])
    return tuple(name for name in named if name in read)


def _meant(scope: Scope) -> list[str]:
    """The quantities that the library's guards test with `assumed`, in the order of their declarations."""
    guards = [one.when for quantity in scope.quantities.values() for one in quantity.alternatives]
    guards += [rule.when for rule in scope.rules.values()]
    asked = {part.name for guard in guards if guard is not None for part in walk(guard) if isinstance(part, Assumed)}
    return [name for name in scope.quantities if name in asked]

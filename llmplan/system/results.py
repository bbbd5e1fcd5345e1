"""The results by which people compare plans: the library's main results, the plan's objectives and its shown rows."""

from __future__ import annotations

import math
from collections.abc import Mapping

from attrs import evolve, frozen

from llmplan.check.ir import Expr, Ref
from llmplan.check.plan import Program
from llmplan.system.display import amount, one_line
from llmplan.system.evaluate import evaluate
from llmplan.system.lower import Lowering
from llmplan.system.missing import Missing
from llmplan.units.amount import Amount
from llmplan.units.measure import Measure


@frozen
class Result:
    """A numeric result: its name, or its expression as written, and the node of its value.

    Attributes:
        expr: Its expression, in the file `base`.
        exact: True if the author asked for exactly this unit.
    """

    name: str
    node: int
    type: Measure
    unit: str
    expr: Expr
    base: str = ""
    exact: bool = False

    def amount(self, value: float, lowering: Lowering) -> Amount:
        return amount(value, self.type, lowering.scope, self.unit, self.exact)

    def factor(self, lowering: Lowering) -> float:
        """The number of base units in the author's unit; 1 if no unit was asked for."""
        return float(lowering.scope.units.parse(self.unit)[0]) if self.exact else 1.0


def results(program: Program, lowering: Lowering) -> list[Result]:
    """The main results, objectives and shown rows that are numbers, each once."""
    scope = program.scope
    found: dict[int, Result] = {}
    for name in sorted(scope.compared, key=lambda name: scope.compared[name]):
        quantity = _quantity(program, lowering, name)
        if quantity is not None:
            found[quantity.node] = quantity
    rows = [(goal.value, goal.type, "", goal.place, False) for goal in program.goals if goal.author]
    rows += [(row.value, row.type, row.unit, row.place, row.exact) for row in program.shows]
    for core, type, unit, place, exact in rows:
        node = lowering.lower(core, {}, base=place[0])
        if isinstance(type, Measure) and not isinstance(node, Missing):
            name = found[node].name if node in found else one_line(scope.span(place).text)
            if exact or node not in found:
                found[node] = Result(name, node, type, unit, core, place[0], exact)
    return list(found.values())


def with_calendar(listed: list[Result], program: Program, lowering: Lowering) -> list[Result]:
    """Results, each before its counterpart on the calendar where it has one that is not listed itself."""
    names = {one.name for one in listed}
    found = []
    for one in listed:
        found.append(one)
        counterpart = program.scope.calendar.get(one.name, "")
        if counterpart not in names and (result := _quantity(program, lowering, counterpart)) is not None:
            found.append(evolve(result, unit=one.unit, exact=one.exact))
    return found


def _quantity(program: Program, lowering: Lowering, name: str) -> Result | None:
    """A quantity of the library or plan as a result; None if it has no value, is undefined, or is assumed."""
    quantity = program.scope.quantities.get(name)
    if quantity is None or name in program.assumptions or not isinstance(quantity.type, Measure):
        return None
    node = lowering.name(name)
    if isinstance(node, Missing) or math.isnan(lowering.graph.constant(node) or 0.0):
        return None
    return Result(name, node, quantity.type, quantity.unit, Ref(name))


def values_of(found: list[Result], lowering: Lowering, point: Mapping[int, float]) -> list[float]:
    """The values of results at a point of the lowering's unknowns."""
    nodes = [result.node for result in found]
    at = evaluate(lowering.graph, point, nodes)
    return [at[node] for node in nodes]

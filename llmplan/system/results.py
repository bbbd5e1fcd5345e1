"""The results by which people compare plans: the library's main results, the plan's objectives and its shown rows."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

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
        exact: True if the author asked for exactly this unit.
    """

    name: str
    node: int
    type: Measure
    unit: str
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
        if name in scope.quantities and name not in program.assumptions:
            node = lowering.name(name)
            quantity = scope.quantities[name]
            if not isinstance(node, Missing) and isinstance(quantity.type, Measure):
                found[node] = Result(name, node, quantity.type, quantity.unit)
    rows = [(goal.value, goal.type, "", goal.place, False) for goal in program.goals if goal.author]
    rows += [(row.value, row.type, row.unit, row.place, row.exact) for row in program.shows]
    for core, type, unit, place, exact in rows:
        node = lowering.lower(core, {}, base=place[0])
        if isinstance(type, Measure) and not isinstance(node, Missing):
            name = found[node].name if node in found else one_line(scope.span(place).text)
            if exact or node not in found:
                found[node] = Result(name, node, type, unit, exact)
    return list(found.values())


def values_of(found: list[Result], lowering: Lowering, point: Mapping[int, float]) -> list[float]:
    """The values of results at a point of the lowering's unknowns."""
    nodes = [result.node for result in found]
    at = evaluate(lowering.graph, point, nodes)
    return [at[node] for node in nodes]

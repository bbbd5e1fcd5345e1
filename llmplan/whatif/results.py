"""The results of a plan that people compare: time, cost, memory, its objectives and shown rows."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from llmplan.check.plan import Program
from llmplan.system.display import one_line, show
from llmplan.system.evaluate import evaluate
from llmplan.system.lower import Lowering
from llmplan.system.missing import Missing
from llmplan.units.measure import Measure

MAIN = ("time", "cost", "memory.total")
"""What most plans are about; the objectives and the shown rows of a plan are added."""


@frozen
class Result:
    """A numeric result: its name, or its expression as written, and the node of its value."""

    name: str
    node: int
    type: Measure
    unit: str

    def text(self, value: float, lowering: Lowering) -> str:
        return show(value, self.type, lowering.scope, self.unit)


def results(program: Program, lowering: Lowering) -> list[Result]:
    """Those of the main results, objectives and shown rows that are numbers, each once."""
    scope = program.scope
    found: dict[int, Result] = {}
    for name in MAIN:
        if name in scope.quantities and name not in program.assumptions:
            node = lowering.name(name)
            quantity = scope.quantities[name]
            if not isinstance(node, Missing) and isinstance(quantity.type, Measure):
                found[node] = Result(name, node, quantity.type, quantity.unit)
    rows = [(goal.value, goal.type, "", goal.place) for goal in program.goals if goal.author]
    rows += [(row.value, row.type, row.unit, row.place) for row in program.shows]
    for core, type, unit, place in rows:
        node = lowering.lower(core, {}, base=place[0])
        if isinstance(type, Measure) and not isinstance(node, Missing):
            found.setdefault(node, Result(one_line(scope.span(place).text), node, type, unit))
    return list(found.values())


def values_of(found: list[Result], lowering: Lowering, point: Mapping[int, float]) -> list[float]:
    """The values of results at a point of the lowering's unknowns."""
    nodes = [result.node for result in found]
    at = evaluate(lowering.graph, point, nodes)
    return [at[node] for node in nodes]

"""The layouts beside the answer: the next best ones with what each is worse in, and the Pareto front."""

from __future__ import annotations

from collections.abc import Mapping

from llmplan.answer.schema.advice import Alternative, Loss
from llmplan.check.plan import Program
from llmplan.operations import TOLERANCE
from llmplan.solve.outcome import Outcome
from llmplan.system.build import Built
from llmplan.system.display import one_line
from llmplan.system.evaluate import evaluate
from llmplan.system.system import System
from llmplan.whatif.results import Result, results, values_of

KEPT = 6
"""How many of the best layouts are kept."""

MOST = 24
"""Of a longer front so many points, evenly spread, are shown."""


def layouts(
    program: Program, built: Built, outcome: Outcome
) -> tuple[tuple[Alternative, ...], tuple[Alternative, ...]]:
    """The best layouts, the answer first, if there are several; and the points of the front."""
    assert built.system is not None
    found = results(program, built.lowering)
    top = outcome.top if len(outcome.top) > 1 else ()
    front = outcome.front
    if len(front) > MOST:
        front = tuple(front[round(i * (len(front) - 1) / (MOST - 1))] for i in range(MOST))
    return (
        tuple(_alternative(built, built.system, found, point, outcome.top[0]) for point in top),
        tuple(_alternative(built, built.system, found, point, None) for point in front),
    )


def _alternative(
    built: Built, system: System, found: list[Result], point: Mapping[int, float], best: Mapping[int, float] | None
) -> Alternative:
    lowering = built.lowering
    settings = tuple(
        (unknown.path, unknown.amount(point[index], lowering.scope))
        for index, unknown in enumerate(system.unknowns)
        if unknown.used and index in point
    )
    amounts = [result.amount(value, lowering) for result, value in zip(found, values_of(found, lowering, point))]
    loss = None if best is None else _loss(system, point, best)
    return Alternative(settings, tuple(zip((result.name for result in found), amounts)), loss)


def _loss(system: System, point: Mapping[int, float], best: Mapping[int, float]) -> Loss | None:
    """The first criterion in which a layout is worse than the best: a preference, or an objective and by how much."""
    weighed = [preference for preference in system.preferences if preference.weight]
    nodes = [p.node for p in weighed] + [objective.node for objective in system.objectives]
    mine, other = evaluate(system.graph, point, nodes), evaluate(system.graph, best, nodes)
    unmet = tuple(p.name for p in weighed if other[p.node] == 1.0 and mine[p.node] != 1.0)
    for objective in system.objectives:
        a, b = mine[objective.node], other[objective.node]
        worse = (a - b) * objective.sense
        if worse > TOLERANCE * abs(b) or a != a:
            return Loss(unmet, one_line(objective.text), a, b)
        if worse < -TOLERANCE * abs(b):
            break
    return Loss(unmet) if unmet else None

"""The layouts beside the answer: the next best ones, with the criterion in which each is worse, and the front."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from llmplan.advice.trial import Posed, Trial
from llmplan.answer.schema.advice import Alternative, Loss
from llmplan.answer.schema.solution import Solution
from llmplan.operations import TOLERANCE
from llmplan.system.display import one_line
from llmplan.system.results import Result, results

KEPT = 6
"""The number of best layouts that are kept."""

MOST = 24
"""The number of points shown of a longer front, evenly spaced."""


def layouts(trial: Trial, answer: Solution) -> tuple[tuple[Alternative, ...], tuple[Alternative, ...]]:
    """The best layouts, the answer first, if there are several; and the points of the front."""
    lines = results(trial.program, trial.built.lowering)
    top = trial.outcome.top if len(trial.outcome.top) > 1 else ()
    front = trial.outcome.front
    if len(front) > MOST:
        front = tuple(front[round(i * (len(front) - 1) / (MOST - 1))] for i in range(MOST))
    return (
        _distinct(trial.own, [alternative(trial.own, lines, point, trial.outcome.top[0]) for point in top]),
        tuple(alternative(trial.own, lines, point, None) for point in front),
    )


def _distinct(posed: Posed, layouts: Sequence[Alternative]) -> tuple[Alternative, ...]:
    """Those without the ones that repeat an earlier one in all results and in all that the plan asks for."""
    asked = {unknown.path for unknown in posed.system.unknowns if unknown.asked}
    first: dict[object, Alternative] = {}
    for layout in layouts:
        first.setdefault((tuple(pair for pair in layout.settings if pair[0] in asked), layout.results), layout)
    return tuple(first.values()) if len(first) > 1 else ()


def alternative(
    posed: Posed, lines: list[Result], point: Mapping[int, float], best: Mapping[int, float] | None
) -> Alternative:
    """A layout with its results, and what it loses against the best one."""
    lowering = posed.lowering
    settings = tuple(
        (unknown.path, unknown.amount(point[index], lowering.scope))
        for index, unknown in enumerate(posed.system.unknowns)
        if unknown.used and index in point
    )
    values = posed.values([line.node for line in lines], point)
    amounts = tuple((line.name, line.amount(values[line.node], lowering)) for line in lines)
    return Alternative(settings, amounts, None if best is None else _loss(posed, point, best))


def _loss(posed: Posed, point: Mapping[int, float], best: Mapping[int, float]) -> Loss | None:
    """The first criterion in which a layout is worse than the best one: a preference, or an objective and its loss."""
    system = posed.system
    weighed = [preference for preference in system.preferences if preference.weight]
    nodes = [p.node for p in weighed] + [objective.node for objective in system.objectives]
    mine, other = posed.values(nodes, point), posed.values(nodes, best)
    unmet = tuple(p.name for p in weighed if other[p.node] == 1.0 and mine[p.node] != 1.0)
    for objective in system.objectives:
        a, b = mine[objective.node], other[objective.node]
        worse = (a - b) * objective.sense
        if worse > TOLERANCE * abs(b) or a != a:
            return Loss(unmet, one_line(objective.text), a, b)
        if worse < -TOLERANCE * abs(b):
            break
    return Loss(unmet) if unmet else None

"""The elasticities of a plan's results with respect to its numbers, and the effect of one more percentage point.

Input: a trial of a solved plan. Output: by how many per cent each result moves with one per cent of each number that
the plan sets, assumes or has solved; and for each assumed share the effect of one more percentage point.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from attrs import evolve

from llmplan.advice.trial import Trial, values_at
from llmplan.answer.schema.solution import Solution
from llmplan.answer.schema.values import Gain, Sensitivity
from llmplan.check.ir import Num
from llmplan.check.program import Setting
from llmplan.system.adjustable import Knob, knob_of, knobs, value_of
from llmplan.system.lower import Lowering
from llmplan.system.results import Result, results
from llmplan.system.slopes import slopes
from llmplan.units.measure import Measure

_SLIGHT = 5e-4


def sensitivity(trial: Trial, answer: Solution) -> tuple[tuple[Sensitivity, ...], tuple[Gain, ...]]:
    """Elasticities of the results of a solved plan, the strongest first, and gains from a percentage point.

    A solved unknown counts like a given number.
    """
    program, plain = trial.program, trial.here
    point = plain.unknowns.fixed or {}
    moved = {knob.path: (knob, value) for knob in knobs(program, plain) if knob.written
             for value in [_number(plain, knob)] if value is not None}  # fmt: skip
    for unknown in trial.system.unknowns:
        knob = knob_of(program, unknown.path)
        if knob is not None and isinstance(unknown.type, Measure) and unknown.path in point:
            moved[unknown.path] = evolve(knob, type=unknown.type), point[unknown.path]
    settings = {path: _variable(knob, value) for path, (knob, value) in moved.items()}
    lowering, ranges = trial.variable(settings)
    graph = lowering.graph
    lines = [line for line in results(program, lowering) if graph.reach(line.node) and graph[line.node].op != "unknown"]
    names = list(ranges)
    expected = {i: ranges[name][0] for i, name in enumerate(names)}
    roots = [line.node for line in lines]
    values = values_at(lowering, expected, roots)
    along = {name: (i, slopes(graph, roots, values, i)) for i, name in enumerate(names) if name in moved}
    sensitivities = []
    for result in lines:
        value = values[result.node]
        if not math.isfinite(value) or value == 0.0:
            continue
        parts = {name: by[result.node] * expected[i] / value for name, (i, by) in along.items()}
        kept = [(name, part) for name, part in parts.items() if abs(part) >= _SLIGHT]
        sensitivities.append(Sensitivity(result.name, tuple(sorted(kept, key=lambda part: -abs(part[1])))))
    gains = []
    for index, name in enumerate(names):
        knob, value = moved.get(name, (None, 0.0))
        if knob is not None and _is_share(knob) and 0.0 < value <= 0.99:
            gain = _gain(lowering, lines, values, expected, index, knob, value)
            if gain.changes:
                gains.append(gain)
    return tuple(sensitivities), tuple(gains)


def _number(lowering: Lowering, knob: Knob) -> float | None:
    """The value of a knob that is a finite number and not a range, which varies already."""
    value = value_of(knob, lowering) if isinstance(knob.type, Measure) else None
    return value if value is not None and math.isfinite(value) else None


def _variable(knob: Knob, value: float) -> Setting:
    """The value as a range without width, which is a variable of the graph."""
    number = Num(value)
    return Setting(number, None, knob.setting.place, knob.setting.unit, (number, number))


def _is_share(knob: Knob) -> bool:
    return isinstance(knob.type, Measure) and knob.type.plain and not knob.type.whole and knob.role == "assumption"


def _gain(
    lowering: Lowering,
    lines: list[Result],
    before: Mapping[int, float],
    expected: Mapping[int, float],
    index: int,
    knob: Knob,
    value: float,
) -> Gain:
    """The results with one more percentage point."""
    after = values_at(lowering, {**expected, index: value + 0.01}, [result.node for result in lines])
    changes = []
    for result in lines:
        old, new = before[result.node], after[result.node]
        if math.isfinite(old) and math.isfinite(new) and abs(new - old) > 1e-9 * abs(old):
            changes.append((result.name, result.amount(old, lowering), result.amount(new, lowering)))
    return Gain(knob.path, value, value + 0.01, tuple(changes))

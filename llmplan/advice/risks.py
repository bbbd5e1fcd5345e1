"""Assumptions of an answer that may well be wrong: speeds that come from the library or the catalog, not the plan.

Input: a trial of a solved plan. Output: for each number that the library declares a lever by factors, and that the plan
leaves to the library, the result that suffers most at the worse factor, if by more than a twentieth. Nothing is solved
again: the risk is that of running the plan as it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from llmplan.advice.trial import Trial
from llmplan.answer.schema.advice import Risk
from llmplan.answer.schema.solution import Solution
from llmplan.system.display import amount
from llmplan.system.levers import levers, set_to, worth
from llmplan.system.lower import Lowering
from llmplan.system.missing import Missing
from llmplan.units.measure import Measure

LEAST = 0.05
"""A smaller change of a result is not a risk."""


def risks(trial: Trial, answer: Solution) -> tuple[Risk, ...]:
    """The risks, the largest first."""
    scope, here = trial.program.scope, trial.here
    watched = list(_watched(here))
    before = {name: _value(here, name) for name in watched}
    risky = []
    for knob in levers(trial.program):
        factors = scope.fields[knob.path].factors
        now = worth(knob, here) if factors and not knob.written and isinstance(knob.type, Measure) else None
        if now is None or not isinstance(knob.type, Measure) or knob.path in (here.unknowns.fixed or {}):
            continue
        for factor in factors:
            changed = trial.at({knob.path: set_to(knob, now * factor, here)}).lowering
            moved = [(name, _value(changed, name)) for name in watched]
            ratios = [(value / old, name) for name, value in moved for old in (before[name],) if value and old]
            worst = max(ratios, key=lambda one: round(one[0], 6), default=(1.0, ""))  # the first one in a tie
            if worst[0] >= 1.0 + LEAST:
                ends = [amount(value, knob.type, scope, knob.unit) for value in (now, now * factor)]
                risky.append(Risk(knob.path, ends[0], ends[1], worst[1], worst[0] - 1.0))
    risky.sort(key=lambda one: -one.change)
    return tuple({one.name: one for one in reversed(risky)}.values())[::-1]


def _watched(lowering: Lowering) -> Iterator[str]:
    """The results that plans are compared by, and quantities of the same measure made of them: the calendar time."""
    scope, traces = lowering.scope, lowering.names.traces
    for name, quantity in scope.quantities.items():
        reads = traces[name].reads if name in traces else ()
        made = [scope.quantities[read].type for read in reads if read in scope.compared]
        if name in scope.compared or quantity.type in made:
            yield name


def _value(lowering: Lowering, name: str) -> float | None:
    node = lowering.unknowns.settled(lowering.name(name))
    value = None if isinstance(node, Missing) else lowering.graph.constant(node)
    return value if value is not None and math.isfinite(value) and value > 0.0 else None

"""Switches of the software that together make an infeasible plan feasible, where each alone does too little.

Input: an infeasible plan whose conflict is one comparison, and its levers. Output: the best set of two switches, or of
three where no two suffice, each at another value. A set is looked at with all else as in the nearest plan, which costs
next to nothing; whoever asks solves the plan with it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterator, Sequence

from attrs import frozen

from llmplan.advice.cure_bounds import event_of
from llmplan.advice.trial import Trial, Tried
from llmplan.check.ir import Ref
from llmplan.check.program import Goal
from llmplan.system.adjustable import Knob
from llmplan.system.comparison import failing
from llmplan.system.levers import looked_at, set_to, sort_of, worth, worth_of
from llmplan.system.lower import Lowering
from llmplan.system.missing import Missing

_MOST = 6
"""The most switches of which two are combined, each at any of its values."""

_MOST_OF_THREE = 8
"""The most switches of which three are combined, each at its best value."""

LEAST = 0.02
"""The share of a side of the comparison below which a switch does too little for a set."""


@frozen
class Turned:
    """A switch at another value, and what the failing comparison compares then."""

    knob: Knob
    value: float
    side: float


def together(trial: Trial, names: Collection[str], levers: Sequence[Knob]) -> tuple[Turned, ...]:
    """The set of switches with the best results; empty if none of two or three suffices.

    Args:
        names: The requirements in conflict.
    """
    compared = side_of(trial, names)
    if compared is None:
        return ()
    name, sense, now = compared
    helping: list[list[Turned]] = []
    for knob in levers:
        if knob.setting.open or sort_of(knob, trial.program) != "switch":
            continue
        found = [one for one in turned(trial, knob, name) if sense * (now - one.side) > LEAST * abs(now)]
        if found:
            helping.append(sorted(found, key=lambda one: sense * one.side))
    helping.sort(key=lambda several: sense * several[0].side)
    twos = itertools.combinations(helping[:_MOST], 2)
    pairs = [pair for one, other in twos for pair in itertools.product(one, other)]
    threes = itertools.combinations([several[0] for several in helping[:_MOST_OF_THREE]], 3)
    for sets in (pairs, threes):
        good = [(results(trial, tried), one) for one in sets if works(tried := at(trial, one))]
        if good:
            return min(good, key=lambda one: one[0])[1]
    return ()


def side_of(trial: Trial, names: Collection[str]) -> tuple[str, int, float] | None:
    """The quantity that has to be smaller (1) or larger (-1), and its value in the nearest plan; None unless a single
    comparison fails."""
    rules = [event_of(rule) for rule in trial.program.rules if rule.name in names]
    sides = rules[0].sides if len(rules) == 1 else None
    if sides is None or not isinstance(sides.left, Ref) or sides.operation not in ("le", "lt", "ge", "gt"):
        return None
    now = worth_of(sides.left.name, trial.here)
    return (sides.left.name, 1 if sides.operation in ("le", "lt") else -1, now) if now else None


def turned(trial: Trial, knob: Knob, name: str) -> Iterator[Turned]:
    """A switch at each of its other values."""
    now = worth(knob, trial.here)
    for value in looked_at(knob, now, trial.here) if now is not None else ():
        side = worth_of(name, trial.at({knob.path: set_to(knob, value, trial.here)}).lowering)
        if side is not None:
            yield Turned(knob, value, side)


def at(trial: Trial, several: Sequence[Turned]) -> Tried:
    """The nearest plan with several switches."""
    return trial.at({one.knob.path: set_to(one.knob, one.value, trial.here) for one in several})


def works(tried: Tried) -> bool:
    """Whether all holds, and the run trains on as many tokens."""
    return tried.legal and not any(True for _ in failing(tried.lowering)) and tried.same_work


def results(trial: Trial, tried: Tried) -> tuple[float, ...]:
    """What tells which plan is better: the objectives, then the results that plans are compared by."""
    lowering = tried.lowering
    aims = [
        goal.sense * value if (value := _value(lowering, goal)) is not None else math.inf
        for goal in trial.program.goals
    ]
    places = trial.program.scope.compared
    figures = tried.figures
    named = sorted(places, key=lambda name: places[name][1])
    return (*aims, *(figures[name][1] for name in named if name in figures))


def _value(lowering: Lowering, goal: Goal) -> float | None:
    """The value of an objective; None unless it is a finite number."""
    found = lowering.unknowns.settled(lowering.lower(goal.value, {}, base=goal.place[0]))
    value = None if isinstance(found, Missing) else lowering.graph.constant(found)
    return value if value is not None and math.isfinite(value) else None

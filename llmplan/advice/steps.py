"""Switches of the software one after another, for an infeasible plan that no two or three of them make feasible.

Input: an infeasible plan whose conflict is one comparison, and its levers. Output: as many changes as it takes, each
the one that helps most beside those before and breaks nothing else, the last the one with the best results; without
those that turn out not to be needed. All is looked at with the rest as in the nearest plan; whoever asks solves the
plan.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from llmplan.advice.offered import moves
from llmplan.advice.together import LEAST, Turned, at, results, side_of, turned, works
from llmplan.advice.trial import Trial
from llmplan.system.adjustable import Knob
from llmplan.system.levers import sort_of, worth_of

_MOST = 5
"""The most steps: more changes than that are another plan."""

Step = tuple[Turned, ...]
"""What is changed at once: one switch, or what comes with the software as a set."""


def in_steps(trial: Trial, names: Collection[str], levers: Sequence[Knob]) -> tuple[Turned, ...]:
    """The changes; empty if they do too little.

    Args:
        names: The requirements in conflict.
    """
    compared = side_of(trial, names)
    if compared is None:
        return ()
    name, sense, now = compared
    steps = list(_steps(trial, name, levers))
    chosen: list[Step] = []
    for _ in range(_MOST):
        made = _all(chosen)
        taken = {one.knob.path for one in made}
        tried = [(step, at(trial, (*made, *step))) for step in steps if taken.isdisjoint(one.knob.path for one in step)]
        sides = [(worth_of(name, one.lowering), step, one) for step, one in tried if one.legal and not one.fails]
        helping = [(side, step, one) for side, step, one in sides if side is not None and _less(side, now, sense)]
        if not helping:
            return ()
        good = [(results(trial, one), step) for _, step, one in helping if works(one)]
        if good:
            return _all(_needed(trial, [*chosen, min(good, key=lambda one: one[0])[1]]))
        now, step, _ = min(helping, key=lambda one: sense * one[0])
        chosen.append(step)
    return ()


def _less(side: float, now: float, sense: int) -> bool:
    return sense * (now - side) > LEAST * abs(now)


def _all(steps: Sequence[Step]) -> tuple[Turned, ...]:
    return tuple(one for step in steps for one in step)


def _steps(trial: Trial, name: str, levers: Sequence[Knob]) -> Iterator[Step]:
    """The sets that come with the software, and each switch that is in none at each of its other values."""
    sets = [step for changes in trial.program.offered if (step := _offered(trial, changes))]
    yield from sets
    covered = {one.knob.path for step in sets for one in step}
    for knob in levers:
        if not knob.setting.open and knob.path not in covered and sort_of(knob, trial.program) == "switch":
            yield from ((one,) for one in turned(trial, knob, name))


def _offered(trial: Trial, changes: Sequence[tuple[str, bool | float | str]]) -> Step:
    """A set as a step; empty if no plan can say it, or if it changes nothing."""
    return tuple(Turned(knob, value, 0) for knob, value in moves(trial, changes))


def _needed(trial: Trial, chosen: list[Step]) -> list[Step]:
    """The steps without which it does not work, looked at in the order in which they were chosen."""
    for step in list(chosen):
        rest = [other for other in chosen if other is not step]
        if len(rest) > 1 and works(at(trial, _all(rest))):
            chosen = rest
    return chosen

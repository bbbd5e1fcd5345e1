"""What is lost between the steady steps of a log: stalls, saves, evaluations, steps that a restart does again.

Input: what a log tells, and the piece whose steady steps are the measure. Output: shares of the time of its steps;
None where its steps have no times, or too few. Time that passes between steps, which their timer does not count, is
told by the dates of their lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from llmplan.logs.reading import Heard
from llmplan.logs.samples import SKIPPED, STARTED, Sample
from llmplan.logs.summary import Piece

_FEWEST = 20
"""Steps of a log that say something of what is lost between them."""

_LITTLE = 0.01
"""The share of the time that is too little to ask what it was lost to."""

_MOST = 0.5
"""The share of what is lost from which one event is most of it."""


_HELD_UP = 1.5
"""Times the usual interval from which something else happened in it, as a save."""

_FINENESS = 1.0
"""Seconds by which a date may be rounded."""

_BETWEEN = 0.05
"""The share of a step from which what passes between steps is more than the rounding of dates."""


def between(piece: Piece) -> float | None:
    """The seconds for each step that pass between one and the next, which the time of neither has; None where the dates
    of the lines tell none."""
    intervals = [
        ((after.moment - before.moment) / (after.step - before.step), after.time)
        for before, after in pairwise(piece.steady.kept)
        if before.moment is not None and after.moment is not None and after.time is not None
        if not after.clocked and after.step > before.step
    ]
    if len(intervals) < _FEWEST:
        return None
    most = _HELD_UP * median([passed for passed, _ in intervals]) + _FINENESS
    usual = [(passed, time) for passed, time in intervals if passed <= most]
    passed, time = (sum(each) / len(usual) for each in zip(*usual, strict=True))
    return passed - time if passed - time >= _BETWEEN * time else None


def goodput(heard: Heard, piece: Piece) -> float | None:
    """The share of the time of all steps that the log shows, repeated ones too, in which the run went on steadily."""
    steady = piece.steady.figure("time")
    found = None if steady is None else _timed(_samples(heard))
    if steady is None or found is None:
        return None
    good, total = _good_and_total(found, steady.mean, between(piece))
    return min(1.0, good / total)


def lasting(heard: Heard, piece: Piece) -> float | None:
    """The same without the start, as the rest of the run may go on; None where one event alone has cost most of what
    is lost, which tells no rate.
    """
    steady = piece.steady.figure("time")
    samples = _samples(heard)
    first = next((at for at, one in enumerate(samples) if one is piece.steady.kept[0]), 0) if steady is not None else 0
    found = None if steady is None else _timed(samples[first:])
    if steady is None or found is None:
        return None
    good, total = _good_and_total(found, steady.mean, between(piece))
    largest = max((time - steady.mean) * one.weight for one, time in found)
    if piece.restarts == 1:
        largest = max(largest, steady.mean * piece.repeated)
    lost = total - good
    return None if lost > _LITTLE * total and largest > _MOST * lost else min(1.0, good / total)


def _samples(heard: Heard) -> list[Sample]:
    run = heard.telling.runs.get(heard.format.name) if heard.format is not None else None
    return [] if run is None else [one for regime in run.regimes for one in regime.samples.kept]


def _timed(samples: Sequence[Sample]) -> list[tuple[Sample, float]] | None:
    """The steps with their times; None where one has none that is not the start."""
    timed = [(one, one.time) for one in samples if one.time is not None]
    untimed = any(one.time is None and not one.flags & STARTED for one in samples)
    return None if untimed or len(timed) < _FEWEST else timed


def _good_and_total(timed: Sequence[tuple[Sample, float]], mean: float, further: float | None) -> tuple[float, float]:
    """Seconds that the steps would have taken at a steady pace, each once, and that they took, with what passes after
    each."""
    steps = {one.step: one.weight for one, _ in timed if not one.flags & SKIPPED}
    return mean * sum(steps.values()), sum((time + (further or 0.0)) * one.weight for one, time in timed)

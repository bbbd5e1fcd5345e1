"""What may be otherwise in a run than planned: changes of the plan after which it says what the run's log says.

Input: a plan lowered at its answer, and what a log says of times and memory. Output: changes of single inputs
(`@suspect`), the one that explains the log best and departs least from the plan first; and the part of a step that is
off, where the log prints parts (`@timer`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from attrs import frozen

from llmplan.check.overrides import varied
from llmplan.system.adjustable import Knob, knob_of
from llmplan.system.display import amount
from llmplan.system.levers import set_to, worth_of
from llmplan.system.lower import Lowering
from llmplan.units.amount import Amount
from llmplan.units.measure import Measure

_PART = 0.12
"""How far, as a logarithm, a part of a step may be from what the right plan says; of others the library says it."""

_LEAST = 0.01
"""The least share of what was seen that a plan may say, so that nothing is infinitely far."""

_GAIN = 4.0
"""By how much a change must lessen the sum of squares."""

_CHANGE = 1.0
"""What a change costs in that sum; a factor also its logarithm."""

_MUCH, _SOME = 0.6, 0.25
"""The shares of what a step is off by above which a change explains most of it, or a part. None that explains less
comes before one that explains more; where the log prints parts of a step, these tell more than whether it is most."""

_MOST = 5
_ROUNDS = 2

OFF = 0.03
"""A part of a step is off from this share of the step."""


@frozen
class Suspect:
    """A change of one input.

    Attributes:
        own, other: The input as planned, and as it may be.
        tells: What tells whether it is.
        step: What was asked for, as the plan then says it.
        share: Of what that is off by how much the change explains; None where it is not off.
    """

    path: str
    own: Amount
    other: Amount
    tells: str
    step: Amount | None
    share: float | None = None


@frozen
class Part:
    """A part of a step that is off, in seconds; `share` of what the whole step is off by, None where that is not."""

    name: str
    seen: float
    planned: float
    share: float | None


def part_off(lowering: Lowering, parts: Mapping[str, float], seen: float | None, planned: float | None) -> Part | None:
    """The part of a step that is off by most; None where none is."""
    found = [(name, time, known) for name, time in parts.items() if (known := _timed(lowering, name)) is not None]
    if not found or not planned:
        return None
    name, time, known = max(found, key=lambda one: abs(one[1] - one[2]))
    if abs(time - known) < OFF * planned:
        return None
    off = None if seen is None else seen - planned
    share = (time - known) / off if off and (time - known) / off > 0 else None
    return Part(name, time, known, share)


def suspects(
    lowering: Lowering, asked: str, seen: Mapping[str, float], parts: Mapping[str, float], told: Iterable[str] = ()
) -> list[Suspect]:
    """The changes that explain what a log says, the likeliest first.

    Args:
        asked: The quantity that is said with each.
        seen: Quantities by name.
        parts: Seconds of parts of a step by the names of timers.
        told: Inputs that the log itself tells to be as planned.
    """
    known = set(told)
    timed = {timer: time for name, time in parts.items() if (timer := lowering.scope.timers.get(name)) is not None}
    figures = {
        name: figure
        for name, figure in {**seen, **timed}.items()
        if figure > 0.0 and worth_of(name, lowering) is not None
    }
    plain = _misfit(lowering, figures)
    found = []
    for path, (tells, *choices) in lowering.scope.suspects.items():
        knob = knob_of(lowering.program, path)
        now = None if knob is None or path in known else worth_of(path, lowering)
        if knob is None or now is None:
            continue
        tried = [
            (*_tried(lowering, knob, value, now, figures), value) for value in _values(knob, now, lowering, choices)
        ]
        if isinstance(knob.type, Measure) and choices and tried:
            tried += _between(lowering, knob, now, figures, [value for *_, value in tried])
        best = min((one for one in tried if one[1] < plain - _GAIN), default=None, key=lambda one: one[:2])
        if best is not None:
            cost, _, value = best
            suspect = _suspect(lowering, asked, knob, now, value, tells, seen.get(asked))
            found.append((_leverage(suspect.share, bool(timed)), cost, suspect))
    found.sort(key=lambda one: one[:2])
    return [one for *_, one in found[:_MOST]]


def _leverage(share: float | None, timed: bool) -> int:
    """How little a change explains of what the step is off by: most of it, a part, hardly anything."""
    return 0 if share is None else sum(share < least for least in ((_SOME,) if timed else (_MUCH, _SOME)))


def _timed(lowering: Lowering, name: str) -> float | None:
    timer = lowering.scope.timers.get(name)
    return None if timer is None else worth_of(timer, lowering)


def _values(knob: Knob, now: float, lowering: Lowering, choices: Sequence[str]) -> Iterator[float]:
    """The values to try beside the planned one."""
    if isinstance(knob.type, Measure):
        for choice in choices:
            value = now * float(Fraction(choice.replace(" ", "")))
            if not knob.type.whole or value == math.floor(value):
                yield value
        return
    for index, name in enumerate(lowering.expressions.members(knob.type)):
        if index != now and (not choices or name in choices):
            yield float(index)


def _between(
    lowering: Lowering, knob: Knob, now: float, figures: Mapping[str, float], values: Sequence[float]
) -> list[tuple[float, float, float]]:
    """Values between those that were tried, nearer and nearer to the best."""
    if isinstance(knob.type, Measure) and knob.type.whole:
        return []
    known = {value: _tried(lowering, knob, value, now, figures) for value in values}
    found = []
    for _ in range(_ROUNDS):
        ordered = sorted([*known, now])
        best = min(known, key=lambda value: known[value])
        at = ordered.index(best)
        for other in (ordered[max(0, at - 1)], ordered[min(len(ordered) - 1, at + 1)]):
            middle = math.sqrt(best * other)
            if middle not in known and other != best:
                known[middle] = _tried(lowering, knob, middle, now, figures)
                found.append((*known[middle], middle))
    return found


def _tried(
    lowering: Lowering, knob: Knob, value: float, now: float, figures: Mapping[str, float]
) -> tuple[float, float]:
    """What a value costs, and how far the plan is then from the log."""
    misfit = _misfit(_changed(lowering, knob, value), figures)
    far = abs(math.log(value / now)) if isinstance(knob.type, Measure) and value > 0 < now else 0.0
    return misfit + _CHANGE * (1 + far), misfit


def _changed(lowering: Lowering, knob: Knob, value: float) -> Lowering:
    changes = {knob.path: set_to(knob, value, lowering)}
    return lowering.again(varied(lowering.program, "--set", changes, over=True), fixed=lowering.unknowns.fixed or {})


def _misfit(lowering: Lowering, figures: Mapping[str, float]) -> float:
    """The sum of squares of what a log says over what a plan says."""
    total = 0.0
    for name, figure in figures.items():
        planned = worth_of(name, lowering)
        if planned is None:
            return math.inf
        scatter = lowering.scope.scatter.get(name)
        spread = math.log(worth_of(scatter, lowering) or 1.0) if scatter is not None else 0.0
        total += (math.log(figure / max(planned, _LEAST * figure)) / (spread or _PART)) ** 2
    return total


def _suspect(
    lowering: Lowering, asked: str, knob: Knob, now: float, value: float, tells: str, seen: float | None
) -> Suspect:
    scope = lowering.scope
    own, other = (amount(one, knob.type, scope, knob.unit) for one in (now, value))
    quantity, worth = scope.quantities[asked], worth_of(asked, _changed(lowering, knob, value))
    said = None if worth is None else amount(worth, quantity.type, scope, quantity.unit)
    return Suspect(knob.path, own, other, tells, said, _explained(worth_of(asked, lowering), seen, worth))


def _explained(planned: float | None, seen: float | None, then: float | None) -> float | None:
    """The share of the way from what is planned to what was seen that a change goes, as logarithms; what it goes beyond
    is as far off as what it falls short."""
    if not planned or not seen or not then or abs(math.log(seen / planned)) < OFF:
        return None
    return 1 - abs(math.log(seen / then) / math.log(seen / planned))

"""What may be otherwise in a run than planned: changes of the plan after which it says what the run's log says.

Input: a plan lowered at its answer, and what a log says of times and memory. Output: changes of single inputs
(`@suspect`), the one that explains the log best and departs least from the plan first; and the part of a step that is
off, where the log prints parts (`@timer`). A change is one only where it alone makes the plan say a fair share of what
is off: the part, where parts are printed, else the figure that is asked about.
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
"""The shares of what is off above which a change explains most of it, or a fair part; one that explains less is none.
None that explains a part comes before one that explains most; where the log prints parts of a step, these tell more
than whether it is most."""

_MOST = 5
_ROUNDS = 2

REST = "rest"
"""The name of the part of a step that no timer counts."""

_PASSES, _BOTH = frozenset({"forward", "backward"}), "forward_backward"
"""The timers without which the rest of a step would hold its passes."""

OFF = 0.03
"""A part of a step is off from this share of the step."""


@frozen
class Suspect:
    """A change of one input.

    Attributes:
        own, other: The input as planned, and as it may be.
        tells: What tells whether it is.
        step: What was asked for, as the plan then says it.
        share: Of what is off how much the change explains.
        of: The quantity that is off, where it is another one than the time of the step.
    """

    path: str
    own: Amount
    other: Amount
    tells: str
    step: Amount | None
    share: float
    of: str = ""


@frozen
class Part:
    """A part of a step that is off, in seconds; `share` of what the whole step is off by, None where that is off the
    other way."""

    name: str
    seen: float
    planned: float
    share: float | None


def part_off(lowering: Lowering, parts: Mapping[str, float], seen: float, planned: float | None) -> Part | None:
    """The part of a step that is off by most, `REST` for what no timer counts; None where none is."""
    found = [(name, time, known) for name, time in parts.items() if (known := _timed(lowering, name)) is not None]
    if not found or not planned:
        return None
    if {name for name, *_ in found} >= _PASSES or _BOTH in parts:
        timed, counted = sum(time for _, time, _ in found), sum(known for *_, known in found)
        found.append((REST, max(0.0, seen - timed), max(0.0, planned - counted)))
    name, time, known = max(found, key=lambda one: abs(one[1] - one[2]))
    if abs(time - known) < OFF * planned:
        return None
    off = seen - planned
    share = (time - known) / off if off and (time - known) / off > 0 else None
    return Part(name, time, known, share)


def suspects(
    lowering: Lowering,
    asked: str,
    off: str,
    seen: Mapping[str, float],
    parts: Mapping[str, float],
    told: Iterable[str] = (),
) -> list[Suspect]:
    """The changes that explain what a log says, the likeliest first.

    Args:
        asked: The quantity that is said with each.
        off: The quantity that is further from the plan than it may be.
        seen: Quantities by name, that one too.
        parts: Seconds of parts of a step by the names of timers.
        told: Inputs that the log itself tells to be as planned.
    """
    known = set(told)
    timed = {timer: time for name, time in parts.items() if (timer := lowering.scope.timers.get(name)) is not None}
    part = _part_of(lowering, off, seen[off], parts) if off == asked else None
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
        if best is None:
            continue
        cost, _, value = best
        then = _changed(lowering, knob, value)
        share = _explained(worth_of(off, lowering), seen[off], worth_of(off, then))
        if _fair(lowering, then, part, parts, off, share):
            suspect = _suspect(lowering, then, asked, off, knob, (now, value), tells, share)
            found.append((share < _MUCH and not timed, cost, suspect))
    found.sort(key=lambda one: one[:2])
    return [one for *_, one in found[:_MOST]]


def _part_of(lowering: Lowering, off: str, seen: float, parts: Mapping[str, float]) -> tuple[str, float] | None:
    """The part of a step that is off as the step is, with its seconds."""
    part = part_off(lowering, parts, seen, worth_of(off, lowering))
    return None if part is None or part.share is None else (part.name, part.seen)


def _fair(
    lowering: Lowering,
    then: Lowering,
    part: tuple[str, float] | None,
    parts: Iterable[str],
    step: str,
    share: float,
) -> bool:
    """Whether a change explains a fair share of the part that is off, and the whole not wrongly; without a part, of the
    whole."""
    if part is None:
        return share >= _SOME
    name, seen = part
    planned, changed = (_worth_of_part(one, name, parts, step) for one in (lowering, then))
    return share > 0.0 and _explained(planned, seen, changed) >= _SOME


def _worth_of_part(lowering: Lowering, name: str, parts: Iterable[str], step: str) -> float | None:
    """The seconds of a part as a plan says it."""
    if name != REST:
        return _timed(lowering, name)
    whole = worth_of(step, lowering)
    return None if whole is None else whole - sum(_timed(lowering, one) or 0.0 for one in parts)


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
    lowering: Lowering,
    then: Lowering,
    asked: str,
    off: str,
    knob: Knob,
    values: tuple[float, float],
    tells: str,
    share: float,
) -> Suspect:
    scope = lowering.scope
    own, other = (amount(one, knob.type, scope, knob.unit) for one in values)
    quantity, worth = scope.quantities[asked], worth_of(asked, then)
    said = None if worth is None else amount(worth, quantity.type, scope, quantity.unit)
    return Suspect(knob.path, own, other, tells, said, share, off if off != asked else "")


def _explained(planned: float | None, seen: float, then: float | None) -> float:
    """The share of the way from what is planned to what was seen that a change goes, as logarithms; what it goes beyond
    is as far off as what it falls short. Nothing where no figure is off."""
    if not planned or planned <= 0 or not seen or seen <= 0 or not then or then <= 0 or seen == planned:
        return 0.0
    return 1 - abs(math.log(seen / then) / math.log(seen / planned))

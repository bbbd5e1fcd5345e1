"""Why a run is not as planned: the part of its step that is off, waiting for data, inputs that may be otherwise.

Input: what is compared of the run, its log, and the plan at its answer. Output: a record. What a timer counts as
waiting is no other input's doing: inputs are asked for the rest alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from attrs import evolve, frozen

from llmplan.answer.schema.solution import Solution
from llmplan.logs.compared import Row
from llmplan.logs.readings import MFU, RATE, STEP, parts_of_step
from llmplan.logs.waiting import HELD, Waiting, waiting
from llmplan.measured_run import Run
from llmplan.run_progress import GOODPUT
from llmplan.system.lower import Lowering
from llmplan.uncertainty.suspects import Part, Suspect, part_off, suspects

_WITHOUT_DATA, _MOST = ("backward", "optimizer", "all_reduce"), 0.6
"""The timers in which no step waits for its data, and the share of a difference that is most of it."""

_NEAR = 1.1
"""Times its plan up to which a step without its waiting is as planned."""


@frozen
class Causes:
    """Why a run may not be as planned.

    Attributes:
        off: The part of a step that is off, where the log prints parts.
        suspects: Inputs that may be otherwise, the likeliest first.
        waiting: What the log tells of waiting for data, of a step that is slower than planned.
        whole: Whether the step is the mean over the whole run, which may be what is off.
    """

    off: Part | None = None
    suspects: tuple[Suspect, ...] = ()
    waiting: Waiting | None = None
    whole: bool = False


NO_CAUSE = Causes()
"""Of a run that is on plan."""


def causes(
    lowering: Lowering, run: Run, rows: Sequence[Row], off: Iterable[Row], solution: Solution, said: Iterable[str]
) -> Causes:
    """The causes that explain a log.

    Args:
        lowering: The plan at its answer.
        rows: What is compared, of which `off` is further from the plan than it may be.
        said: Inputs that the log itself tells.
    """
    assert run.piece is not None
    seen = {row.name: row.seen.number for row in rows if row.name != GOODPUT}
    if STEP in seen:
        seen.pop(RATE, None)  # the same said again
        seen.pop(MFU, None)
    step = next((row for row in rows if row.name == STEP), None)
    parts = {} if step is None else parts_of_step(run.piece, step.seen.number)
    part = None
    if step is not None and step.verdict != "on plan":
        part = part_off(lowering, parts, step.seen.number, step.planned.number)
    waits, timed = None, step_of(rows, solution)
    if timed is not None and timed.verdict == "slower":
        elsewhere = part is not None and part.name in _WITHOUT_DATA and (part.share or 0.0) > _MOST
        waits = waiting(run.heard, run.piece, timed.seen.number, timed.planned.number, elsewhere)
    row = next((row for row in off if row.name in seen), None)
    suspected = [] if row is None else _suspects(lowering, row, seen, parts, waits, tuple(said))
    return Causes(part, tuple(suspected), waits, STEP in seen and not run.pieces)


def step_of(rows: Sequence[Row], solution: Solution) -> Row | None:
    """The time of a step, as its rate tells it where the log has no time."""
    speed = next((row for row in rows if row.name in (STEP, RATE)), None)
    planned = solution.values.get(STEP)
    if speed is None or speed.name == STEP or planned is None or not planned.amount.finite:
        return speed if speed is not None and speed.name == STEP else None
    seen = evolve(planned.amount, value=planned.amount.number / speed.share)
    return Row(STEP, planned.amount, planned.band, seen, 1 / speed.share, speed.verdict)


def _suspects(
    lowering: Lowering,
    row: Row,
    seen: Mapping[str, float],
    parts: Mapping[str, float],
    waits: Waiting | None,
    said: Sequence[str],
) -> list[Suspect]:
    """The inputs that may be otherwise, of what a figure is off by without what a step waits for its data."""
    if waits is None or waits.seconds is None or row.name != STEP:
        return suspects(lowering, STEP, row.name, seen, parts, said)
    rest, planned = row.seen.number - waits.seconds, row.planned.number
    if rest <= _NEAR * planned:
        return []
    computed = {
        name: time - waits.seconds if name == HELD and time > waits.seconds else time for name, time in parts.items()
    }
    share = (rest - planned) / (row.seen.number - planned)
    found = suspects(lowering, STEP, STEP, {**seen, STEP: rest}, computed, said)
    return [evolve(one, share=one.share * share) for one in found]

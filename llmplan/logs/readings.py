"""What a piece of a log measures: readings of quantities of the library, each with its place and spread.

Input: a piece, and what the plan of the run says of batch, length and GPUs where the log does not. Output: readings in
base units, and what could not be read, with the switch that makes the software print it.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve, frozen

from llmplan.logs.forms import LogFormat
from llmplan.logs.samples import Figure, figure
from llmplan.logs.summary import Piece, Whole
from llmplan.logs.waiting import DATA, HELD
from llmplan.units import amount

_FEWEST_STEPS = 20
"""Steps of which the mean over a whole run says something of one."""

_ROUNDED = 1e-3
_UNHEARD = 0.1
"""The share by which the mean loss of a run may lie below that of its records, which are not of all steps."""

_LATE = 0.02
"""The share of a run before its first record from which the record is not simply the first."""

STEP, RATE, MFU = "step_time", "tokens_per_second_per_gpu", "mfu"
MEMORY = {"allocated": "memory.allocated", "reserved": "memory.reserved", "total": "memory.total"}


_BOTH = "forward_backward"
_UNSAID = "of padded samples whose length nobody says"

_DOUBTS = {
    "skipped": "after skipped steps alone, before the optimizer had states",
    "start": "before the first step",
}


@frozen
class Reading:
    """One measured number.

    Attributes:
        name: Of the quantity.
        value: In base units; `low` and `high` the ends of eight tenths, None of a single number.
        unit: In which it is written, `size` how many base units that is.
        lines: The first and the last that it comes from; 0 where the log has no lines.
        note: How it was read, where that is not plain.
        doubtful: Whether it is told and not used.
        planned: What the plan of the run says, with the inputs of the log.
        file: The log that it is from, where that is another one of the same run.
    """

    name: str
    value: float
    unit: str
    size: float
    lines: tuple[int, int]
    low: float | None = None
    high: float | None = None
    note: str = ""
    doubtful: bool = False
    planned: float | None = None
    file: str = ""


_PARTS_OF_STEP = (0.5, 1.05)
"""Between which shares of a step its parts must be together: others are of one micro-batch, or overlap."""

_LEAST_PART = 0.05
"""Of a step, the share from which a part is more than what its timer itself waits for."""


@frozen
class Conditions:
    """Of the run: sequences of a step, tokens of a sequence, GPUs; None for what nobody says. `unsaid`: whether the
    tokens of a sequence are as many as it may have, only because nobody says how many it has in the mean.
    `requests`: what a server has under way at once."""

    batch: float | None = None
    length: float | None = None
    gpus: float | None = None
    unsaid: bool = False
    requests: float | None = None

    @property
    def tokens(self) -> float | None:
        """Of a step."""
        return self.batch * self.length if self.batch and self.length else None


def conditions(piece: Piece, planned: Conditions) -> Conditions:
    """Those of a piece: what its lines say, what the log says of the run, else what the plan says."""

    def said(path: str) -> float | None:
        value = piece.inputs.get(path, (None, 0))[0]
        return float(value) if isinstance(value, (int, float)) else None

    return Conditions(
        piece.batch or said("training.global_batch") or planned.batch,
        piece.length or said("dataset.sequence_length") or planned.length,
        said("hardware.gpus") or planned.gpus,
        planned.unsaid,
        planned.requests,
    )


def of_piece(piece: Piece, run: Conditions) -> list[Reading]:
    """The readings of a piece."""
    found = []
    lines = (piece.first_line, piece.last_line)
    step, rate = _step(piece, run, lines), _rate(piece, run, lines)
    speed = (rate or _doubted(step)) if run.unsaid else (step or rate)
    if speed is not None:
        found.append(speed)
    for kind, name in MEMORY.items():
        peak = piece.memory.get(kind)
        if peak is not None and peak.value > 0:
            note = f"the highest of {len(peak.ranks)} ranks" if len(peak.ranks) > 1 else ""
            note = _DOUBTS.get(peak.doubtful, note)
            where = (peak.line, peak.line)
            found.append(Reading(name, peak.value, "GiB", 2.0**30, where, note=note, doubtful=bool(peak.doubtful)))
    return found


def _doubted(step: Reading | None) -> Reading | None:
    """The time of a step of samples of which nobody says how long they are."""
    return None if step is None else evolve(step, note=_UNSAID, doubtful=True)


def of_parts(piece: Piece, step: Reading | None, timers: Mapping[str, str]) -> list[Reading]:
    """The parts of a step that timers print, by the library's names, where they are more than a timer itself waits for.

    Args:
        timers: The quantity that each part is, by the name of its role.
    """
    if step is None or step.name != STEP or step.doubtful:
        return []
    lines = (piece.first_line, piece.last_line)
    waits = waited(piece, step.value)
    found = []
    for name, seconds in parts_of_step(piece, step.value).items():
        note = "the timer's median"
        if waits is not None and name == HELD and seconds > waits:
            seconds, note = seconds - waits, "the timer's median without its data"
        if name in timers and seconds >= _LEAST_PART * step.value:
            found.append(Reading(timers[name], seconds, "s", 1.0, lines, note=note))
    return found


def waited(piece: Piece, step: float) -> float | None:
    """The seconds that a step waits for its data, where a timer counts more than it waits itself."""
    seconds = piece.parts.get(DATA)
    return seconds if seconds is not None and _LEAST_PART * step <= seconds < step else None


def parts_of_step(piece: Piece, step: float) -> dict[str, float]:
    """Seconds of the parts of a step; none where they are not about the step together, as those of one micro-batch."""
    parts = {name: seconds for name, seconds in piece.parts.items() if name != DATA}  # which is in the others, or not
    apart = {name: seconds for name, seconds in parts.items() if name != _BOTH}
    passes = "forward" in apart and "backward" in apart
    counted = apart if passes or _BOTH not in parts else parts
    least, most = _PARTS_OF_STEP
    return dict(counted) if counted and least <= sum(counted.values()) / step <= most else {}


def _step(piece: Piece, run: Conditions, lines: tuple[int, int]) -> Reading | None:
    samples = piece.steady.kept
    times = [one.time for one in samples if one.time is not None]
    note = ""
    if not times and run.batch and any(one.samples_rate for one in samples):
        times = [run.batch / one.samples_rate for one in samples if one.samples_rate]
        note = "the batch by the printed rate of sequences"
    if not times and run.tokens and all(_whole_steps(one.tokens, run.tokens) for one in samples):
        times = [run.tokens / one.rate for one in samples if one.rate]
        note = "the tokens of a step by their rate"
    if not times:
        return None
    return _reading(STEP, figure(times), "s", lines, note)


def _whole_steps(tokens: float | None, of_step: float) -> bool:
    """Whether the tokens that a log counts are those of whole steps: not fewer, as of short or padded sequences."""
    if tokens is None:
        return False
    steps = tokens / of_step
    return round(steps) >= 1 and abs(steps - round(steps)) < _ROUNDED * round(steps)


def _rate(piece: Piece, run: Conditions, lines: tuple[int, int]) -> Reading | None:
    per_gpu = [one.rate_per_gpu for one in piece.steady.kept if one.rate_per_gpu]
    note = ""
    if not per_gpu and run.gpus:
        per_gpu = [one.rate / run.gpus for one in piece.steady.kept if one.rate]
        note = "the rate of the tokens that the log counts by the number of GPUs"
    if not per_gpu:
        return None
    return _reading(RATE, figure(per_gpu), "token/s/GPU", lines, note)


def _reading(name: str, of: Figure, unit: str, lines: tuple[int, int], note: str) -> Reading:
    return Reading(name, of.mean, unit, 1.0, lines, of.low, of.high, note)


def of_whole(whole: Whole, run: Conditions) -> tuple[Reading | None, str]:
    """The mean step of a whole run, or why it has none."""
    if whole.several:
        return None, "it holds the ends of several runs: give the log of each by itself"
    steps = whole.steps
    if steps is None and whole.samples_rate and run.batch:
        steps = whole.samples_rate * whole.time / run.batch
    if steps is None:
        return None, "the end of the run says how long it took, not how many steps that were"
    if whole.late > _LATE:
        return None, (
            f"the records begin {amount.percent(whole.late)} into the run, and its end does not say from which step "
            "it was resumed: the steps before would count as done in its time"
        )
    if whole.unheard > _UNHEARD:
        return None, (
            f"the mean loss at the end of the run is {amount.percent(whole.unheard)} below that of its records, as "
            "after a resume: its time is not that of all steps"
        )
    steps -= whole.resumed
    if steps < _FEWEST_STEPS:
        return None, "the end of the run is of too few steps: most of its time is the start"
    note = "over the whole run, with its start, evaluations and saves"
    if whole.resumed:
        note = f"over the steps after {amount.count(whole.resumed)}, with their start, evaluations and saves"
    step = Reading(STEP, whole.time / steps, "s", 1.0, (whole.line, whole.line), note=note)
    return _doubted(step) if run.unsaid else step, ""


def missing(format: LogFormat, found: list[Reading], parts: Mapping[str, float]) -> list[tuple[str, str]]:
    """What was not read, with what prints it in this software."""
    names = {reading.name for reading in found if not reading.doubtful}
    there = {"memory": any(name.startswith("memory.") for name in names), "part": bool(parts)}
    there["step.time"] = STEP in names or RATE in names
    return [
        (what, f"{switch}, {where}" if where else switch)
        for what, switch, where in format.prints
        if what != DATA and not there.get(what, False)
    ]

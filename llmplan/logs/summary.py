"""What a log says of a run's steady steps: its pieces, each under the same conditions, and the figures of each.

Input: what a log tells. Output: pieces in the order of the log, split where the run restarted, where batch or length
changed, where steps are missing, or where the steps became slower or faster for good; of each the steps that count,
what was left out, memory and parts. Nothing is averaged over two pieces.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import Literal

from attrs import evolve, frozen

from llmplan.logs.formula import Value
from llmplan.logs.reading import Heard
from llmplan.logs.run import Peak, Regime, Run
from llmplan.logs.samples import Sample, Steady, holes, level_changes, steady

_SAME = 1.02
"""Times by which the ends that ranks tell of one run differ at most."""

_BATCHES = ("training.micro_batch", "training.global_batch")

Why = Literal["", "restart", "batch", "length", "hole", "level"]


@frozen
class Piece:
    """Steps under the same conditions.

    Attributes:
        why: What sets it apart from the one before.
        attempt: From 1, of those that the log shows.
        first_step, last_step: Of the steps that count, without what is left out.
        numbered: Whether the log numbers its steps; else they are counted.
        memory: The largest readings, by what was read.
        parts: Seconds of parts of a step, the median of each.
        restarts: Those that it holds, which left the speed as it was; `repeated` the steps that were done again.
    """

    why: Why
    attempt: int
    first_step: float
    last_step: float
    first_line: int
    last_line: int
    numbered: bool
    batch: float | None
    length: float | None
    steady: Steady
    memory: dict[str, Peak]
    parts: dict[str, float]
    inputs: dict[str, tuple[Value, int]]
    restarts: int = 0
    repeated: float = 0.0


@frozen
class Whole:
    """What the end of a run says of all of it: seconds, steps, sequences a second; None for what it does not say.

    Attributes:
        several: Whether ends of several runs are in the log; all ranks may print that of one.
        resumed: The step from which the run went on: its time is that of the steps since, its steps and rates count
            those before too.
        late: The share of the run that the log lacks before its first record, where no line says that it was resumed.
        unheard: The share of which its mean loss has none, where no line says that.
    """

    time: float
    line: int
    steps: float | None
    samples_rate: float | None
    tokens: float | None
    several: bool
    resumed: float = 0.0
    late: float = 0.0
    unheard: float = 0.0


def in_sequences(piece: Piece, each: int) -> Piece:
    """A piece whose batches count sequences, of a log that counts samples of several."""
    inputs = {
        path: (value * each if path in _BATCHES and isinstance(value, float) else value, line)
        for path, (value, line) in piece.inputs.items()
    }
    return evolve(piece, batch=None if piece.batch is None else piece.batch * each, inputs=inputs)


def pieces(heard: Heard) -> tuple[Piece, ...]:
    """The pieces of a log that have steps which count; more than one is more than one answer."""
    run = _run(heard)
    found = [] if run is None else [piece for regime in run.regimes for piece in _of_regime(heard, regime)]
    return tuple(piece for piece in found if piece.steady.kept)


def without_steps(heard: Heard) -> Piece | None:
    """What is known of a log without a step that counts: inputs, memory, what was left out; None of an empty one."""
    run = _run(heard)
    if heard.format is None:
        return None
    if run is not None and run.regimes:
        return _piece(heard, run.regimes[-1], run.regimes[-1].samples.kept, "")
    common = heard.telling.common
    memory = common.memory.get(common.attempt, {})
    steady_ = Steady((), ())
    return Piece("", common.attempt + 1, 0, 0, 0, 0, False, None, None, steady_, memory, {}, dict(common.inputs))


def whole(heard: Heard) -> Whole | None:
    """What the end of the run says, where it says how long the run took."""
    summary = heard.telling.common.summary
    if "time" not in summary:
        return None
    time, line = summary["time"]

    def value(name: str) -> float | None:
        return summary[name][0] if name in summary else None

    common = heard.telling.common
    steps, rate = value("steps"), value("steps_rate")
    # Three digits behind the point, of steps of which those before the resume took none of the time.
    if steps is None and rate is not None and rate * time - (common.resumed or 0.0) >= 0.1 * time:
        steps = round(rate * time)
    if steps is None and common.progress is not None and common.progress[0] == common.progress[1]:
        steps = common.progress[1]
    several = max(common.ends) > _SAME * min(common.ends)
    late = unheard = 0.0
    if common.epochs is not None and common.resumed is None:
        late, unheard = common.epochs.before, common.epochs.missing(value("mean_loss") or 0.0)
    return Whole(
        time, line, steps, value("samples_rate"), value("tokens"), several, common.resumed or 0.0, late, unheard
    )


def _run(heard: Heard) -> Run | None:
    return heard.telling.runs.get(heard.format.name) if heard.format is not None else None


def _of_regime(heard: Heard, regime: Regime) -> list[Piece]:
    samples = regime.samples.kept
    cuts: list[tuple[int, Why]] = [(at, "hole") for at in holes(samples)]
    edges = [0, *(at for at, _ in cuts), len(samples)]
    places = {id(one): number for number, one in enumerate(samples)}
    for start, end in pairwise(edges):
        cuts += [(places[id(one)], "level") for one in _levels(samples[start:end])]
    cuts.sort()
    edges = [0, *(at for at, _ in cuts), len(samples)]
    reasons: list[Why] = [regime.why, *(why for _, why in cuts)]  # type: ignore[list-item]
    return [
        _piece(heard, regime, samples[start:end], why)
        for (start, end), why in zip(pairwise(edges), reasons, strict=True)
        if end > start
    ]


def _levels(samples: Sequence[Sample]) -> list[Sample]:
    """The first step of each new speed. Each stretch is looked at again by itself, as `--steps` would: what a shift
    hides that is larger would else be told only to those who ask for the stretch.
    """
    counted = steady(samples).kept
    starts = [counted[at] for at in level_changes(counted)]
    found = list(starts)
    for start, end in pairwise([0, *map(samples.index, starts), len(samples)]) if starts else ():
        part = samples[start:end]
        if kept := steady(part).kept:
            found += _levels(part[part.index(kept[0]) : part.index(kept[-1]) + 1])
    return found


def _piece(heard: Heard, regime: Regime, samples: list[Sample], why: Why) -> Piece:
    left = steady(samples)
    counted = left.kept or tuple(samples)
    first, last = (counted[0], counted[-1]) if counted else (None, None)
    usual = median([one.weight for one in counted]) if counted else 1.0
    thinned = last is not None and regime.samples.stride > 1 and last is regime.samples.kept[-1]
    memory = {**_elsewhere(heard, regime), **heard.telling.common.memory.get(regime.attempt, {}), **regime.memory}
    return Piece(
        why=why,
        attempt=regime.attempt + 1,
        first_step=max(0.0, first.step - round(max(1.0, min(first.weight, usual))) + 1) if first else regime.first_step,
        last_step=last.step if last is not None and not thinned else regime.last_step,
        first_line=first.line if first is not None else regime.first_line,
        last_line=last.line if last is not None and not thinned else regime.last_line,
        numbered=regime.numbered,
        batch=regime.batch,
        length=regime.length,
        steady=left,
        memory=memory,
        parts={name: median(values) for name, values in sorted(regime.parts.items())},
        inputs=regime.inputs or dict(heard.telling.common.inputs),
    )


def _elsewhere(heard: Heard, regime: Regime) -> dict[str, Peak]:
    """The memory that lines of other formats tell of the same steps: not that of another program's run in one file."""
    found: dict[str, Peak] = {}
    for run in heard.telling.runs.values():
        for one in run.regimes:
            if (
                one is not regime
                and one.attempt == regime.attempt
                and all(other is not regime for other in run.regimes)
                and (one.first_line <= regime.last_line and regime.first_line <= one.last_line)
            ):
                for kind, peak in one.memory.items():
                    if kind not in found or peak.value > found[kind].value:
                        found[kind] = peak
    return found

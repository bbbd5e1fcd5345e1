"""Logs of one run that tell different things of it: the last rank prints the steps, the first one memory.

Input: what each log measures. Output: the same, with two of them as one where there is no doubt that they belong
together: the same software and layout, no reading in both, and no third log that either could belong to.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from attrs import evolve

from llmplan.logs.readings import RATE, STEP

if TYPE_CHECKING:
    from llmplan.measured_run import Run
    from llmplan.run_inputs import RunInputs

_MEMORY = "memory"
_KNOWN = ("hardware.gpus", "training.micro_batch", "training.global_batch")
"""What both logs must say before they are of one run."""


def joined(runs: Sequence[Run], inputs: RunInputs) -> list[Run]:
    """Runs in their order, of which those that have memory alone are with the one that has the time."""
    partners = {
        at: [other for other, two in enumerate(runs) if _has_time(two) and _alike(one, two, inputs)]
        for at, one in enumerate(runs)
        if _has_memory_alone(one)
    }
    of = {at: found[0] for at, found in partners.items() if len(found) == 1}
    of = {at: other for at, other in of.items() if sum(other in found for found in partners.values()) == 1}
    found = []
    for at, run in enumerate(runs):
        if at not in of:
            others = [other for other, timed in of.items() if timed == at]
            found.append(_with(run, runs[others[0]], inputs) if others else run)
    return found


def _names(run: Run) -> set[str]:
    return {one.name for one in run.readings if not one.doubtful}


def _has_time(run: Run) -> bool:
    return bool(_names(run) & {STEP, RATE})


def _has_memory_alone(run: Run) -> bool:
    names = _names(run)
    return bool(names) and all(name.startswith(_MEMORY) for name in names) and not run.pieces


def _alike(one: Run, other: Run, inputs: RunInputs) -> bool:
    """Whether two logs are of one run, as far as they say."""
    if one.piece is None or other.piece is None or one.heard.format is None or other.heard.format is None:
        return False
    first, second = (
        {path: text for path, (text, _) in inputs.said(piece).items()} for piece in (one.piece, other.piece)
    )
    same = all(first[path] == second[path] for path in first.keys() & second.keys())
    known = all(path in first and path in second for path in _KNOWN)
    return same and known and one.heard.format == other.heard.format and not _names(one) & _names(other)


def _with(run: Run, other: Run, inputs: RunInputs) -> Run:
    """The run that has the time, with what the other log says of it."""
    own = [one for one in other.settings if one.note.startswith(f"{other.file}:")]
    better = {one.path: one for one in own if not _said_by(run, one.path)}
    settings = {**{one.path: one for one in run.settings}, **better}
    order = {path: number for number, path in enumerate(inputs.library.inputs)}
    return evolve(
        run,
        readings=(*run.readings, *(evolve(one, file=other.file) for one in other.readings)),
        settings=tuple(sorted(settings.values(), key=lambda one: order.get(one.path, -1))),
        missing=tuple(one for one in run.missing if one[0] != _MEMORY),
        with_=(*run.with_, other.file),
    )


def _said_by(run: Run, path: str) -> bool:
    """Whether a run's own log says an input."""
    return any(one.path == path and one.note.startswith(f"{run.file}:") for one in run.settings)

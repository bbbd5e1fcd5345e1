"""Why a run had no memory left: the log read, the plan solved, and the two compared."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from attrs import evolve, frozen

from llmplan import api, importing, rewording
from llmplan.answer.schema.advice import Lever, Moved, Relaxation
from llmplan.answer.schema.solution import Solution
from llmplan.diagnostics import Diagnostic
from llmplan.emit.advice_json import change_as_json
from llmplan.read.edits import Files
from llmplan.request import Request
from llmplan.why.matching import Diagnosis, diagnose, weight
from llmplan.why.message import Message, find

_MOST_CHANGES = 3
_ALLOCATOR = frozenset({"PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF"})
_WHOLE_LOGITS = ("allocation.logits_fp32", "allocation.logits_16bit")
_TOTAL = "memory.total"
_SCORES = ("allocation.attention_scores", "allocation.attention_scores_16bit")
_LOSS, _ATTENTION = "training.loss", "training.attention"
_SHOWN = {_LOSS: "upcast", _ATTENTION: "standard"}
"""A loss that has all logits at once, attention that stores its scores. Where frames show these, releases whose default
is another are not the run's."""

_GROWING = re.compile(r"expandable_segments:\s*[Tt]rue")


@frozen
class Failure:
    """What is known of a failure.

    Attributes:
        diagnosis: None if the log has no message.
        changes: What would avoid it, the least change first.
        seen: What the traceback shows and the plan took otherwise, as a statement; the answer is with it.
    """

    diagnosis: Diagnosis | None
    changes: tuple[Lever | Relaxation, ...] = ()
    solution: Solution | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    seen: str = ""


def explain(lines: Iterable[str], asked: Request | None, files: Files | None = None) -> Failure:
    """Compares the first out-of-memory message of a log with a plan, if there is one.

    Args:
        files: The configurations that the plan was read from, in whose words changes are told.
    """
    message = find(lines)
    if message is None:
        return Failure(None)
    if asked is None:
        return Failure(diagnose(message, {}, ()))
    solution = _answer(asked, files)
    if solution.status == "error":
        told = importing.missing(files.reading, asked.text or "") if files is not None else []
        untold = tuple(evolve(one, severity="warning") for one in told)
        return Failure(diagnose(message, {}, ()), diagnostics=untold or solution.diagnostics)
    found = _compared(message, solution, files)
    path = _shown(found, solution)
    if path is None:
        return found
    shown = f"{path} = {_SHOWN[path]}"
    again = _answer(evolve(asked, settings=(*asked.settings, (path, _SHOWN[path]))), files)
    if again.status == "error":
        return found
    instead = _instead(path, again, solution, files)
    other = _compared(message, again, files)
    return evolve(other, seen=shown, changes=(*instead, *other.changes)[:_MOST_CHANGES])


def _instead(path: str, shown: Solution, planned: Solution, files: Files | None) -> tuple[Lever, ...]:
    """The change from what the traceback shows to what the plan has, where it needs less memory."""
    before, after = (one.values.get(path) for one in (shown, planned))
    more, less = (one.values.get(_TOTAL) for one in (shown, planned))
    if before is None or after is None or more is None or less is None or more.amount.measure is None:
        return ()
    if less.amount.measure is None or less.amount.number >= more.amount.number:
        return ()
    texts = str(before.value), str(after.value)
    statement = f"{path} = {texts[1]}"
    moved = Moved(_TOTAL, more.amount, less.amount, same=False, base=more.unit or "")
    lever = Lever(path, before.amount, after.amount, None, *texts, statement, (moved,), sort="switch")
    return (lever,) if files is None else rewording.reworded(evolve(shown, levers=(lever,)), files).levers or (lever,)


def _shown(found: Failure, solution: Solution) -> str | None:
    """The input that the traceback shows to be another than the plan has it, which the files do not say."""
    assert found.diagnosis is not None
    first = next(iter(found.diagnosis.matches), None)
    if first is None:
        return None
    name, path = first.allocation.name, None
    if name in _WHOLE_LOGITS and first.size is None:
        path = _LOSS
    elif name in _SCORES and "frame" in first.proof:
        path = _ATTENTION
    value = None if path is None else solution.values.get(path)
    return path if value is None or not (value.authored or value.value == _SHOWN.get(path or "")) else None


def _answer(asked: Request, files: Files | None) -> Solution:
    return api.solve(asked) if files is None else rewording.answered(asked, files)


def _compared(message: Message, solution: Solution, files: Files | None) -> Failure:
    open_ = {unknown.path for unknown in solution.unknowns}
    values = {
        name: float(value.value)
        for name, value in solution.values.items()
        if isinstance(value.value, (int, float)) and not isinstance(value.value, bool)
    }
    given = {name for name, value in solution.values.items() if value.authored and name not in open_}
    grows = _grows(files)
    each = [diagnose(one, values, given, grows) for one in (message, *message.also)]
    best = max(each, key=weight)  # the first in the log, where none is explained better
    others = tuple(one.message for one in each if one is not best)
    diagnosis = evolve(best, message=evolve(best.message, also=others))
    return Failure(diagnosis, changes(solution), solution)


def _grows(files: Files | None) -> bool:
    """Whether the files set the allocator to pieces that grow, so that nothing is to be gained by advising it."""
    items = (item for document in files.documents for item in document.items.values()) if files is not None else ()
    return any(item.key in _ALLOCATOR and _GROWING.search(item.text or "") is not None for item in items)


def changes(solution: Solution) -> tuple[Lever | Relaxation, ...]:
    """Changes that need less memory: the cures of a plan that does not fit, else its levers, the least gain first."""
    if solution.relaxations:
        return tuple(one for one in solution.relaxations if one.kind == "input")[:_MOST_CHANGES]

    def saved(lever: Lever) -> float:
        return next((float(one.before.number - one.after.number) for one in lever.results if one.name == _TOTAL), 0.0)

    found = sorted(
        (one for one in solution.levers if saved(one) > 0), key=lambda one: (one.sort != "switch", -saved(one))
    )
    return tuple(found[:_MOST_CHANGES])


def as_json(failure: Failure, changes: Sequence[Lever | Relaxation]) -> dict[str, Any]:
    """The document of `why --json`."""
    diagnosis = failure.diagnosis
    assert diagnosis is not None
    message = diagnosis.message

    def size(one: Any) -> int | None:
        return None if one is None else one.bytes

    return {
        "schema": 1,
        "message": {
            "tried": size(message.tried),
            "allocated": size(message.allocated),
            "reserved": size(message.reserved),
            "free": size(message.free),
            "total": size(message.total),
            "frames": list(message.frames),
            "text": message.text,
        },
        "also": [{"tried": size(one.tried), "gpu": one.gpu} for one in message.also],
        "told": diagnosis.told,
        "seen": failure.seen or None,
        "causes": list(diagnosis.causes),
        "matches": [
            {
                "name": one.allocation.name,
                "size": one.size,
                "formula": one.allocation.formula,
                "moment": one.allocation.moment,
                "term": one.allocation.term,
                "proof": one.proof,
                "micro_batch": one.samples,
            }
            for one in diagnosis.matches
        ],
        "resident": [{"term": name, "size": value} for name, value in diagnosis.resident],
        "changes": [change_as_json(one) for one in changes],
    }

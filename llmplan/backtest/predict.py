"""Predictions and errors of cases, and their statistics."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from statistics import mean, median
from typing import Any

from attrs import asdict, field, frozen

from llmplan.backtest.base import Base, Refused, Values
from llmplan.backtest.case import RECOMPUTE, Reading, reading, settings, unsaid_recompute
from llmplan.backtest.damage import damage
from llmplan.backtest.record import Case, Inexpressible

GB = 1e9
QUANTITIES = {
    "allocated": "memory.allocated",
    "reserved": "memory.reserved",
    "nvidia-smi": "memory.used",
    "needed": "memory.needed",
}
"""What a reading of a kind is in the library; `tensors` is without what the context holds."""

UNITS = {"GiB": 2**30 / GB, "MiB": 2**20 / GB}
"""What a printed memory figure is in GB of 10⁹ bytes; other units are taken for GB."""


@frozen
class Outcome:
    """One case."""

    id: str
    group: str
    oom: bool
    # `predicted`, `measured`: by the names of the JSON: seconds, tokens/s, TFLOP/s, GB of 10⁹ bytes
    predicted: dict[str, float | None] = field(factory=dict)
    measured: dict[str, float | None] = field(factory=dict)
    # Relative, predicted over measured less one, for what both have
    error: dict[str, float] = field(factory=dict)
    kind: str = ""  # the kind of memory reading
    # Whether the run is predicted to fit; None where the accelerator's memory is unknown
    fits: bool | None = None
    skipped: str | None = None  # why nothing could be predicted, or None
    lacking: dict[str, str] = field(factory=dict)  # why a single figure could not be, by its name
    inferred: str = ""  # what neither the record nor its stack says, as it was taken
    suspect: str = ""  # why the record contradicts itself or its source; empty if it does not


def predict(base: Base, case: Case) -> Outcome:
    """What the library says of a case."""
    wrong = damage(case)
    if wrong is not None:
        unread = dict.fromkeys(("step_time_s", "tokens_per_s_per_gpu", "tflops_per_gpu", "memory_gb"))
        return Outcome(case["id"], case["group"], False, measured=unread, skipped=f"the record is damaged: {wrong}")
    about = (case["id"], case["group"], bool(case.get("oom")))
    measured = measured_of(case)
    try:
        found, inferred = _values(base, case)
    except (Inexpressible, Refused) as reason:
        return Outcome(*about, measured=measured, skipped=str(reason))
    except (LookupError, ZeroDivisionError) as lacking_or_zero:
        return Outcome(*about, measured=measured, skipped=f"the record is damaged: {lacking_or_zero!r}")
    lacking: dict[str, str] = {}
    read = Reading("")
    try:
        read = reading(case)
    except Inexpressible as reason:
        lacking["memory_gb"] = str(reason)
    asked: dict[str, Callable[[], float]] = {
        "step_time_s": lambda: found.number("step_time"),
        "tokens_per_s_per_gpu": lambda: found.number("tokens_per_second_per_gpu"),
        "tflops_per_gpu": lambda: found.number("tflops_per_gpu") / 1e12,
        "memory_gb": lambda: memory(found, read) / GB,
    }
    predicted: dict[str, float | None] = dict.fromkeys(asked)
    for name, compute in asked.items():
        try:
            predicted[name] = compute() if name not in lacking else None
        except Refused as reason:
            lacking[name] = str(reason)
    error = {}
    for name in ("step_time_s", "tokens_per_s_per_gpu", "memory_gb"):
        value, truth = predicted[name], measured.get(name)
        if value is not None and truth and math.isfinite(value / truth):
            error[name] = value / truth - 1
    none = all(value is None for value in predicted.values())
    return Outcome(
        *about,
        predicted=predicted,
        measured=measured,
        error=error,
        kind=read.kind if measured["memory_gb"] is not None else "",
        fits=_fits(found) if read.kind not in ("", "inference") else None,
        skipped=lacking["memory_gb"] if none else None,
        lacking=lacking,
        inferred=inferred,
        suspect=case.get("suspect") or "",
    )


def _values(base: Base, case: Case) -> tuple[Values, str]:
    """The case as a plan, and what had to be inferred: the least recompute that fits, where nothing says it."""
    if not unsaid_recompute(case):
        return base.values(settings(case, base.knows)), ""
    for recomputed in RECOMPUTE:
        found = base.values(settings(case, base.knows, recomputed))
        if _fits(found):
            break
    return found, f"recompute = {recomputed}"


def memory(found: Values, read: Reading) -> float:
    """Bytes that an instrument shows, at the peak of the stage where it was read.

    Raises:
        Refused: if the case does not give what they need.
    """
    if read.kind == "inference":
        return found.number("serving.memory")
    if read.kind not in (*QUANTITIES, "tensors"):
        raise Refused(f"a memory reading of the kind {read.kind} is not modelled")
    total = found.number("memory.total")
    there = found.number("memory_of", read.stage) if read.stage else total
    if read.kind == "tensors":
        return there - found.number("memory.context")
    return there - total + found.number(QUANTITIES[read.kind])


def _fits(found: Values) -> bool | None:
    try:
        return found.number("memory.needed") <= found.number("memory.usable") * found.number("gpu.memory")
    except Refused:
        return None


def measured_of(case: Case) -> dict[str, float | None]:
    """The figures of a case in the units of a prediction."""
    figures = case["measured"]
    derived = case.get("derived") or {}
    size = figures.get("memory_gb")
    if size is not None:
        size = float(size) * UNITS.get(figures.get("memory_unit") or "", 1.0)
    return {
        "step_time_s": figures.get("step_time_s") or derived.get("step_time_s"),
        "tokens_per_s_per_gpu": figures.get("tokens_per_s_per_gpu") or derived.get("tokens_per_s_per_gpu"),
        "tflops_per_gpu": figures.get("tflops_per_gpu"),
        "memory_gb": size,
    }


@frozen
class Statistics:
    """Relative errors: how many, median and mean of their sizes, their mean, and the worst with its case."""

    count: int
    median: float
    mean: float
    bias: float
    worst: float
    worst_case: str


def apart(outcomes: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    """Cases that no figure counts: whose records contradict themselves, or had to be completed by a guess."""
    found = list(outcomes)
    return {
        "suspect": [outcome for outcome in found if outcome.suspect],
        "inferred": [outcome for outcome in found if outcome.inferred and not outcome.suspect],
    }


def counted(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """The cases without those that are listed apart."""
    return [outcome for outcome in outcomes if not outcome.suspect and not outcome.inferred]


def statistics(outcomes: Iterable[Outcome], name: str) -> Statistics | None:
    """Of one figure over the cases that have an error in it; None without any."""
    errors = [(outcome.error[name], outcome.id) for outcome in outcomes if name in outcome.error]
    if not errors:
        return None
    sizes = [abs(error) for error, _ in errors]
    worst, case = max(errors, key=lambda found: abs(found[0]))
    return Statistics(len(errors), median(sizes), mean(sizes), mean(e for e, _ in errors), worst, case)


def grouped(outcomes: Iterable[Outcome], key: Callable[[Outcome], str]) -> Mapping[str, list[Outcome]]:
    """By a key, in the order in which keys are first met."""
    found: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        found.setdefault(key(outcome), []).append(outcome)
    return found


def as_json(outcomes: list[Outcome]) -> dict[str, Any]:
    """The figures as `llmplan backtest --json` prints them."""
    return {
        "cases": [
            {
                "id": outcome.id,
                "group": outcome.group,
                "predicted": outcome.predicted,
                "measured": outcome.measured,
                "error": outcome.error,
                "memory_kind": outcome.kind or None,
                "fits": outcome.fits,
                "skipped": outcome.skipped,
                "lacking": outcome.lacking,
                "inferred": outcome.inferred or None,
                "suspect": outcome.suspect or None,
            }
            for outcome in outcomes
        ],
        "groups": {group: _summary(found) for group, found in grouped(outcomes, lambda o: o.group).items()},
        "overall": _summary(outcomes)
        | {"out_of_memory": out_of_memory(counted(outcomes))}
        | {"apart": {why: _figures(found) for why, found in apart(outcomes).items()}},
    }


def _summary(outcomes: list[Outcome]) -> dict[str, Any]:
    used = counted(outcomes)
    kinds = grouped([o for o in used if o.kind], lambda o: o.kind)
    return {
        "cases": len(outcomes),
        "skipped": sum(outcome.skipped is not None for outcome in outcomes),
        **_figures(used),
        "memory_by_kind": {kind: _plain(statistics(found, "memory_gb")) for kind, found in kinds.items()},
    }


def _figures(outcomes: list[Outcome]) -> dict[str, Any]:
    return {
        "step_time": _plain(statistics(outcomes, "step_time_s")),
        "memory": _plain(statistics(outcomes, "memory_gb")),
    }


def _plain(found: Statistics | None) -> dict[str, Any] | None:
    return None if found is None else asdict(found)


def out_of_memory(outcomes: Iterable[Outcome]) -> dict[str, int]:
    """How many runs that ran out of memory are seen to, and how many that ran are said not to fit."""
    judged = [outcome for outcome in outcomes if outcome.fits is not None]
    failed = [outcome for outcome in judged if outcome.oom]
    ran = [outcome for outcome in judged if not outcome.oom]
    return {
        "ran_out": len(failed),
        "seen": sum(not outcome.fits for outcome in failed),
        "ran": len(ran),
        "false_alarms": sum(not outcome.fits for outcome in ran),
    }

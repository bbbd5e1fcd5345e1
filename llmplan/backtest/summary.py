"""Statistics of predicted cases, and the JSON of `llmplan backtest`.

Input are outcomes. Every figure counts the cases that are not listed apart; figures of a group or of all cases are
errors by figure, the share of measured values that lie in their bands, and how wide the bands are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import mean, median
from typing import Any

from attrs import asdict, frozen

from llmplan.backtest.case import FIGURES
from llmplan.backtest.predict import Outcome

_NAMES = {"step_time_s": "step_time", "memory_gb": "memory"}
"""Figures whose statistics have another name than their key."""


@frozen
class Statistics:
    """Relative errors: how many, median and mean of their sizes, their mean, and the worst with its case."""

    count: int
    median: float
    mean: float
    bias: float
    worst: float
    worst_case: str


def counted(outcomes: Iterable[Outcome], apart: bool = False) -> list[Outcome]:
    """The cases without those that are listed apart, or only these, which no figure counts."""
    return [outcome for outcome in outcomes if bool(outcome.case.apart) == apart]


def statistics(outcomes: Iterable[Outcome], key: str) -> Statistics | None:
    """The summary of one figure over the cases with an error in it; None without any."""
    errors = [(outcome.error[key], outcome.case.id) for outcome in outcomes if key in outcome.error]
    if not errors:
        return None
    sizes = [abs(error) for error, _ in errors]
    worst, case = max(errors, key=lambda pair: abs(pair[0]))
    return Statistics(len(errors), median(sizes), mean(sizes), mean(e for e, _ in errors), worst, case)


def coverage(outcomes: Iterable[Outcome], key: str) -> float | None:
    """The share of measured values that lie in their bands; None without any band."""
    inside = [held for outcome in outcomes if (held := outcome.in_band.get(key)) is not None]
    return mean(inside) if inside else None


def width(outcomes: Iterable[Outcome], key: str) -> float | None:
    """The median of high over low of the bands that a measured value was held against; None without any."""
    bands = [outcome.band[key] for outcome in outcomes if outcome.in_band.get(key) is not None]
    ratios = [high / low for low, high in bands if low > 0]
    return median(ratios) if ratios else None


def grouped(outcomes: Iterable[Outcome], key: Callable[[Outcome], str]) -> Mapping[str, list[Outcome]]:
    """By a key, in the order in which keys are first met."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault(key(outcome), []).append(outcome)
    return groups


def by_kind(outcomes: Iterable[Outcome]) -> Mapping[str, list[Outcome]]:
    """The cases with a reading of memory, by its kind."""
    return grouped([o for o in outcomes if "memory_gb" in o.case.measured], lambda o: o.case.memory_kind)


def out_of_memory(outcomes: Iterable[Outcome]) -> dict[str, int]:
    """How many runs that ran out of memory are predicted to, and how many that ran are predicted not to fit."""
    judged = [outcome for outcome in outcomes if outcome.fits is not None]
    failed = [outcome for outcome in judged if outcome.case.out_of_memory]
    ran = [outcome for outcome in judged if not outcome.case.out_of_memory]
    return {
        "ran_out": len(failed),
        "seen": sum(not outcome.fits for outcome in failed),
        "ran": len(ran),
        "false_alarms": sum(not outcome.fits for outcome in ran),
    }


def as_json(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The figures as `llmplan backtest --json` prints them."""
    return {
        "cases": [_case(outcome) for outcome in outcomes],
        "groups": {group: _summary(members) for group, members in grouped(outcomes, lambda o: o.case.group).items()},
        "overall": _summary(outcomes)
        | {"out_of_memory": out_of_memory(counted(outcomes)), "apart": _figures(counted(outcomes, apart=True))},
    }


def _case(outcome: Outcome) -> dict[str, Any]:
    case = outcome.case
    return {
        "id": case.id,
        "group": case.group,
        "predicted": outcome.predicted,
        "band": {key: {"low": low, "high": high} for key, (low, high) in outcome.band.items()},
        "measured": dict(case.measured),
        "error": outcome.error,
        "in_band": outcome.in_band,
        "memory_kind": case.memory_kind if "memory_gb" in case.measured else None,
        "out_of_memory": case.out_of_memory,
        "fits": outcome.fits,
        "skipped": outcome.skipped or None,
        "lacking": outcome.lacking,
        "apart": case.apart or None,
    }


def _summary(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    used = counted(outcomes)
    return {
        "cases": len(outcomes),
        "skipped": sum(bool(outcome.skipped) for outcome in outcomes),
        **_figures(used),
        "memory_by_kind": {kind: _plain(statistics(members, "memory_gb")) for kind, members in by_kind(used).items()},
    }


def _figures(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    return {
        **{_NAMES.get(key, key): _plain(statistics(outcomes, key)) for key in FIGURES},
        "coverage": {key: share for key in FIGURES if (share := coverage(outcomes, key)) is not None},
        "width": {key: ratio for key in FIGURES if (ratio := width(outcomes, key)) is not None},
    }


def _plain(figures: Statistics | None) -> dict[str, Any] | None:
    return None if figures is None else asdict(figures)

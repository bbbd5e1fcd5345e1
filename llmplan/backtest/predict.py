"""The predictions of a case: each figure with its band, its error, and whether the measured value lies in the band.

A figure that a case does not give enough for is left out, with the reason; a case of which nothing can be predicted
is skipped. Nothing that was measured is an input.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from itertools import chain

from attrs import define, field, frozen

from llmplan.backtest.base import Base, Refused, Values
from llmplan.backtest.case import FIGURES, Case, choice
from llmplan.solve import workers
from llmplan.system.too_large import TooLarge

WHERE_MEASURED = ("gpu_hours", "wall_hours", "ttft_s", "tpot_s", "output_tokens_per_s_per_gpu")
"""Figures of a whole run, on the calendar, and of a server; predicted where one was measured."""

MEMORY = {
    "allocated": "memory.allocated",
    "reserved": "memory.reserved",
    "nvidia-smi": "memory.used",
    "needed": "memory.needed",
    "tensors": "memory.total",
    "inference": "serving.memory",
}
"""Readings of memory: the quantity that has the band; `tensors` is without what the context holds."""

PART = 30
"""Cases that are predicted in one go; neighbours share much, see `Base`."""


@frozen
class Outcome:
    """One case beside its prediction.

    Attributes:
        predicted: Figures by key, None where the library has no value; `band` the ends of eight in ten of each.
        error: Relative, predicted over measured less one, of what was both measured and predicted.
        in_band: Of each figure that was measured whether it lies in its band; None without one.
        fits: Whether the run is predicted to fit; None where the accelerator's memory is unknown.
        skipped: Why nothing could be predicted; empty if something was.
        lacking: Why a single figure could not be, by its key.
    """

    case: Case
    predicted: dict[str, float | None] = field(factory=dict)
    band: dict[str, tuple[float, float]] = field(factory=dict)
    error: dict[str, float] = field(factory=dict)
    in_band: dict[str, bool | None] = field(factory=dict)
    fits: bool | None = None
    skipped: str = ""
    lacking: dict[str, str] = field(factory=dict)


def predict(base: Base, case: Case, bands: bool = True) -> Outcome:
    """The prediction of a case; `bands` is False where errors alone are wanted."""
    if case.skipped:
        return _skipped(case, case.skipped)
    try:
        agreed = {"stack": case.stack} if case.stack else {}
        values = (Base.of(case.text) if case.text else base).solution(case.inputs, agreed)
        return _predicted(case, values, bands)
    except Refused as reason:
        return _skipped(case, str(reason))
    except (RecursionError, TooLarge):
        return _skipped(case, "a formula of the case is nested too deep, or has too many cases")


def _skipped(case: Case, reason: str) -> Outcome:
    return Outcome(case, in_band=dict.fromkeys(case.measured), skipped=reason)


def _predicted(case: Case, values: Values, bands: bool) -> Outcome:
    predicted: dict[str, float | None] = {}
    band: dict[str, tuple[float, float]] = {}
    lacking: dict[str, str] = {}
    for key, (quantity, unit) in FIGURES.items():
        if key in WHERE_MEASURED and key not in case.measured:
            continue
        name = quantity or MEMORY.get(case.memory_kind, "")
        try:
            value = values.number(quantity) if quantity else memory(values, case.memory_kind, case.memory_stage)
            predicted[key] = value / unit
            if bands and (ends := _band(values, name, value)) is not None:
                band[key] = ends[0] / unit, ends[1] / unit
        except Refused as reason:
            predicted[key], lacking[key] = None, str(reason)
    ratios = {key: value / case.measured[key] for key, value in predicted.items() if value and key in case.measured}
    return Outcome(
        case,
        predicted,
        band,
        {key: ratio - 1 for key, ratio in ratios.items() if math.isfinite(ratio)},
        {key: band[key][0] <= truth <= band[key][1] if key in band else None for key, truth in case.measured.items()},
        fits(values) if case.memory_kind in MEMORY and case.memory_kind != "inference" else None,
        "" if any(value is not None for value in predicted.values()) else lacking["memory_gb"],
        lacking,
    )


def _band(values: Values, name: str, value: float) -> tuple[float, float] | None:
    """The band of a value that is the quantity, or a reading near it, whose band is as wide in proportion."""
    ends, whole = values.band(name), values.number(name)
    if ends is None or whole == 0.0 or not all(map(math.isfinite, ends)):
        return None
    return ends[0] * (value / whole), ends[1] * (value / whole)


def memory(values: Values, kind: str, stage: str = "") -> float:
    """Bytes that an instrument shows, at the peak of the stage where it was read.

    Raises:
        Refused: if the case does not give what they need, or there is no such reading.
    """
    if kind not in MEMORY:
        raise Refused(f"memory_kind is {kind[:40]}; {choice(kind[:40], MEMORY)}")
    if kind == "inference":
        return values.number(MEMORY[kind])
    total = values.number("memory.total")
    read = values.number("memory_of", stage) if stage else total
    if kind == "tensors":
        return read - values.number("memory.context")
    return read - total + values.number(MEMORY[kind])


def fits(values: Values) -> bool | None:
    """Whether a run fits its accelerator; None where that is unknown."""
    try:
        return values.number("memory.needed") <= values.number("memory.usable") * values.number("gpu.memory")
    except Refused:
        return None


@define(slots=False)
class _Parts:
    """The cases, in parts; each process makes a base of its own."""

    cases: Sequence[Sequence[Case]]

    @cached_property
    def _base(self) -> Base:
        return Base.of()

    def __reduce__(self) -> tuple[type[_Parts], tuple[Sequence[Sequence[Case]]]]:
        return _Parts, (self.cases,)

    def part(self, number: int) -> list[Outcome]:
        return [predict(self._base, case) for case in self.cases[number]]


def predictions(cases: Sequence[Case]) -> list[Outcome]:
    """The predictions of all cases, in their order; on all cores where that pays.

    Raises:
        Refused: if the library is not valid.
    """
    parts = [cases[start : start + PART] for start in range(0, len(cases), PART)]
    return list(chain.from_iterable(workers.results(_Parts(parts), len(parts))))

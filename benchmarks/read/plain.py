"""A record of `benchmarks/data` as a case of `llmplan backtest`: its inputs, and what was measured in a case's units.

Records that contradict themselves or their source, and those whose recompute had to be inferred, are apart; what the
reader cannot express is skipped with its reason. A damaged record is one of these: none raises.
"""

from __future__ import annotations

from typing import Any

from benchmarks.read.case import RECOMPUTE, Reading, reading, settings, unsaid_recompute
from benchmarks.read.damage import damage
from benchmarks.read.record import Case as Record
from benchmarks.read.record import Inexpressible, Settings
from llmplan.backtest.base import Base, Refused
from llmplan.backtest.case import UNGROUPED
from llmplan.backtest.predict import fits

GB = 1e9
UNITS = {"GiB": 2**30 / GB, "MiB": 2**20 / GB}
"""What a printed memory figure is in GB of 10⁹ bytes; other units are taken for GB."""


def plain(base: Base, record: Record) -> dict[str, Any]:
    """The case of a record, as `llmplan backtest` reads it."""
    named = {"id": record.get("id"), "group": record.get("group") or UNGROUPED}
    wrong = damage(record)
    if wrong is not None:
        return {**named, "skipped": f"the record is damaged: {wrong}"}
    try:
        inputs, inferred = inputs_of(base, record)
    except (Inexpressible, Refused) as reason:
        return {**named, "skipped": str(reason)}
    except (AttributeError, LookupError, TypeError, ZeroDivisionError) as lacking_or_zero:
        return {**named, "skipped": f"the record is damaged: {lacking_or_zero!r}"}
    try:
        read = reading(record)
    except Inexpressible:
        read = Reading("")
    measured: dict[str, Any] = {key: value for key, value in measured_of(record).items() if value is not None}
    measured |= {"memory_kind": read.kind or "unexpressed"}
    measured |= {"memory_stage": read.stage} if read.stage else {}
    measured |= {"out_of_memory": True} if record.get("oom") else {}
    apart = record.get("suspect") or inferred
    return {**named, "plan": inputs, "measured": measured, **({"apart": apart} if apart else {})}


def inputs_of(base: Base, record: Record) -> tuple[Settings, str]:
    """The inputs of a record, and what had to be inferred: the least recompute that fits, where nothing says it.

    Raises:
        Inexpressible: if the record has no plan.
        Refused: if the library does not take an input.
    """
    if not unsaid_recompute(record):
        return settings(record, base.knows), ""
    for recomputed in RECOMPUTE:
        inputs = settings(record, base.knows, recomputed)
        if fits(base.values(inputs)):
            break
    return inputs, f"recompute = {recomputed}"


def measured_of(record: Record) -> dict[str, float | None]:
    """The figures of a record in the units of a case."""
    figures = record["measured"]
    derived = record.get("derived") or {}
    size = figures.get("memory_gb")
    if size is not None:
        size = float(size) * UNITS.get(figures.get("memory_unit") or "", 1.0)
    return {
        "step_time_s": figures.get("step_time_s") or derived.get("step_time_s"),
        "tokens_per_s_per_gpu": figures.get("tokens_per_s_per_gpu") or derived.get("tokens_per_s_per_gpu"),
        "tflops_per_gpu": figures.get("tflops_per_gpu"),
        "memory_gb": size,
    }

"""Every prediction that docs/accuracy.md is made from: one pass over the shipped runs, kept in
benchmarks/data/predicted.json.

For each run: step time by the library, by constants fitted without its group and without its family of groups; the
reading of memory likewise; both bands as the library states them, and the probability that the run fits. Beside them
the constants with their ranges over what was left out, published whole runs with what is planned for them from model,
tokens and accelerators alone, and the answers of plans/published. Values
are kept with five digits, so that the same library gives the same file on any machine.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import fit_memory, fit_time, published, whole_runs
from benchmarks.joined import assumes_a_link
from benchmarks.judging import CASES, DATA, family
from benchmarks.read.case import settings
from benchmarks.read.plain import measured_of, plain
from benchmarks.read.record import Case, Inexpressible
from llmplan.backtest.base import Base, Refused
from llmplan.backtest.case import case as case_of
from llmplan.backtest.predict import predict

RUNS = DATA / "runs.jsonl"
ADAPTERS = DATA / "finetune.jsonl"

GB = 1e9
MEASURED = ("step_time_s", "memory_gb")

ODDS = "quantity benchmark_fits: Real = chance(memory.total <= gpu.memory - hardware.memory_reserve)\n"


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def evidence() -> dict[str, Any]:
    """All of it, as it is kept."""
    rows, times = _times()
    memory, constants = _memory()
    base = Base.of(ODDS)
    for case in records(CASES):
        row = rows.setdefault(case["id"], {})
        own = plain(base, case)
        outcome = predict(base, case_of(own, case["id"]), bands=False)
        inferred = own.get("apart", "") if not case.get("suspect") else ""
        row |= memory.get(case["id"], {})
        row |= {name: value for name, value in measured_of(case).items() if value is not None and name in MEASURED}
        if outcome.skipped:
            row["skipped"] = outcome.skipped
        elif inferred:
            row["inferred"] = inferred
        for name, value in (
            ("time", outcome.predicted.get("step_time_s")),
            ("memory", outcome.predicted.get("memory_gb")),
        ):
            if value is not None and name == "time" and base.last is not None and assumes_a_link(base.last):
                row["untimed"] = "no bandwidth is stated"
            elif value is not None:
                row[name] = value
            elif name == "time" and outcome.lacking.get("step_time_s"):
                row["untimed"] = outcome.lacking["step_time_s"]
        if not outcome.skipped and not inferred:
            row |= _stated(base, case, outcome.fits is not None)
    return _digits(
        {
            "rows": {name: row for name, row in rows.items() if row},
            "step_constants": times,
            "memory_constants": constants,
            "adapters": _adapters(base),
            "whole_runs": list(_whole_runs()),
            "published": list(published.answered(records(RUNS))),
        }
    )


def _times() -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
    """Times by constants that were fitted without a run's group or family, and the constants."""
    fit, used, library = fit_time.opened(CASES)
    fitted = fit.run(used, library)
    by_group, _ = fit_time.left_out(fit, used, lambda row: row.group, fitted)
    by_family, without = fit_time.left_out(fit, used, lambda row: family(row.group), fitted)
    rows = {}
    for row, group, whole in zip(fit.data.rows, by_group, by_family):
        times = {
            "per_token": row.per_token,
            "without_group": row.measured * math.exp(group),
            "without_family": row.measured * math.exp(whole),
        }
        rows[row.id] = times | {"fitted": row.fitted}
    constants = {}
    for name, prior in fit_time.CONSTANTS.items():
        values = [found[name] for found in without.values()]
        constants[name] = {
            "unit": prior.unit, "library": library[name], "prior": prior.prior, "width": prior.width,
            "fitted": fitted[name], "low": min(values), "high": max(values),
        }  # fmt: skip
    return rows, constants


def _memory() -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
    """Readings by constants that were chosen without a run's group, and the constants."""
    found = list(fit_memory.rows(CASES))
    errors, without = fit_memory.left_out(found)
    rows = {
        row.id: {"memory_without_group": row.measured * (1 + errors[row.id]) / GB, "kind": row.kind} for row in found
    }
    library, together = fit_memory.constants(), fit_memory.fit(found)
    constants = {}
    for place, name in enumerate(fit_memory.NAMES):
        values = [chosen[place] for chosen in without.values()]
        constants[name] = {
            "library": library[place],
            "fitted": together[place],
            "low": min(values),
            "high": max(values),
        }
    return rows, constants


STATED = {
    "step_low": "step.low",
    "step_high": "step.high",
    "memory_low": "memory.low",
    "memory_high": "memory.high",
    "card": "gpu.memory",
    "fits": "benchmark_fits",
}


UNTRIED = {"gpu.timed": "false"}
"""Inputs of an accelerator that nobody has measured."""


def _stated(base: Base, case: Case, fits: bool) -> dict[str, Any]:
    """The library's bands for a run, the wider ones of a stack that nobody has measured, the probability of fitting
    where memory is expressed, and a mark that rows with the same inputs share."""
    stated: dict[str, Any] = {}
    try:
        inputs = settings(case, base.knows)
        found = base.values(inputs)
    except (Inexpressible, Refused):
        return stated
    stated["inputs"] = f"{zlib.crc32(json.dumps(inputs, sort_keys=True).encode()):08x}"
    wanted = {name: (found, quantity) for name, quantity in STATED.items() if fits or name != "fits"}
    if "hardware.gpu" in inputs:
        untried = base.values(inputs | UNTRIED)
        wanted |= {f"untried_{end}": (untried, f"step.{end}") for end in ("low", "high")}
    for name, (values, quantity) in wanted.items():
        try:
            stated[name] = values.number(quantity)
        except Refused:
            continue
    return stated


def _adapters(base: Base) -> dict[str, dict[str, Any]]:
    """Memory of fine-tuning with adapters, by the library, and its probability of fitting."""
    rows = {}
    for case in records(ADAPTERS):
        outcome = predict(base, case_of(plain(base, case), case["id"]), bands=False)
        row: dict[str, Any] = {"group": case["group"], "quality": case.get("quality"), "oom": bool(case.get("oom"))}
        if outcome.skipped:
            row["skipped"] = outcome.skipped
        else:
            found = {"memory": outcome.predicted.get("memory_gb"), "memory_gb": measured_of(case)["memory_gb"]}
            stated = _stated(base, case, outcome.fits is not None)
            row |= {name: value for name, value in found.items() if value is not None}
            row |= {name: stated[name] for name in ("fits", "memory_low", "memory_high") if name in stated}
        rows[case["id"]] = row
    return rows


def _whole_runs() -> Iterator[Mapping[str, Any]]:
    for run in filter(whole_runs.usable, records(RUNS)):
        yield {"id": run["id"], **whole_runs.answered(run)}


def _digits(value: Any) -> Any:
    """Five digits of every number."""
    if isinstance(value, dict):
        return {name: _digits(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_digits(one) for one in value]
    if isinstance(value, (float, np.floating)):
        return float(f"{value:.5g}")
    return value


def text(found: Mapping[str, Any]) -> str:
    """The file: one row a line."""
    rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in found["rows"].items())
    others = ",\n".join(f"{json.dumps(name)}: {json.dumps(one)}" for name, one in found.items() if name != "rows")
    return f'{{\n"rows": {{\n{rows}\n}},\n{others}\n}}\n'

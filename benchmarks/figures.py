"""The figures of docs/accuracy.md, from what benchmarks/evidence.py has kept and the shipped records; nothing is
predicted here.

Input is the evidence and the records of the runs, output what the templates print: numbers and texts, in a fixed order.
Errors are of runs that the fit has not seen: `group` by constants fitted without a run's group, `family` without its
family of groups. The same functions judge llmplan and the other tools (benchmarks/others.py).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import mean, median
from typing import Any

import numpy as np
from attrs import frozen

from benchmarks.deadlines import deadlines
from benchmarks.joined import Row, row_of
from benchmarks.judging import covered, family, ordered, pairs, quantiles, regret, regrets
from benchmarks.whole_runs import family as team
from benchmarks.whole_runs import quantile

FAMILIES = {"V": "Volta", "A100": "Ampere", "RTX A": "Ampere", "L40": "Ada", "RTX 4": "Ada", "H": "Hopper",
            "B": "Blackwell", "GB": "Blackwell", "MI": "CDNA"}  # fmt: skip
SCALES = ((8, "1 to 8 GPUs"), (64, "9 to 64"), (512, "65 to 512"), (math.inf, "more than 512"))
STEPS = (0.2, 0.5, 0.7, 0.85, 0.95, 0.99, 1.01)
"""Ends of the classes of a stated probability."""


def generation(gpu: str) -> str:
    """The generation of an accelerator by its name."""
    return max(((name, made) for name, made in FAMILIES.items() if gpu.startswith(name)), key=lambda one: len(one[0]))[
        1
    ]


@frozen
class Timed:
    """A timed run with its record and both errors, as logarithms of predicted over measured.

    Attributes:
        held: Whether it lies in the band that the library states for it.
        held_untried: Whether it lies in that of a stack that nobody has measured, predicted without its family.
    """

    case: Mapping[str, Any]
    row: Row
    group: float
    family: float
    held: bool
    held_untried: bool


def timed(evidence: Mapping[str, Any], cases: Sequence[Mapping[str, Any]]) -> tuple[list[Timed], list[Timed]]:
    """Runs that constants are fitted and judged on, and those that are judged alone."""
    fitted, others = [], []
    for case in cases:
        kept = evidence["rows"].get(case["id"], {})
        if "without_group" in kept:
            measured = kept["step_time_s"]
            row = row_of(case, measured, kept["per_token"])
            errors = [math.log(kept[f"without_{part}"] / measured) for part in ("group", "family")]
            held = [
                kept[f"{band}_low"] <= math.exp(-error) <= kept[f"{band}_high"]
                for band, error in zip(("step", "untried"), errors)
            ]
            (fitted if kept["fitted"] else others).append(Timed(case, row, *errors, *held))
    return fitted, others


def step_time(rows: Sequence[Timed], others: Sequence[Timed]) -> dict[str, Any]:
    """Errors of step time by whatever may matter."""
    parts: dict[str, Callable[[Timed], str]] = {
        "model": lambda one: "experts" if one.row.experts else "dense",
        "framework": lambda one: str(one.case["framework"]),
        "accelerator": lambda one: generation(one.row.gpu),
        "scale": lambda one: next(name for most, name in SCALES if one.case["gpus"] <= most),
        "precision": lambda one: str(one.case["precision"]),
    }
    tables = {"all": {"all": errors(rows)}}
    for title, key in parts.items():
        found: dict[str, list[Timed]] = defaultdict(list)
        for one in rows:
            found[key(one)].append(one)
        names = sorted(found, key=lambda name: (-len(found[name]), name))
        if title == "scale":
            names = [name for _, name in SCALES if name in found]
        tables[title] = {name: errors(found[name]) for name in names}
    judged = [one.row for one in rows]
    return {
        "tables": tables,
        "order": order(judged, {part: [getattr(one, part) for one in rows] for part in ("group", "family")}),
        "bands": bands(rows),
        "alone": by_group(others),
        "groups": by_group([*rows, *others]),
    }


def errors(rows: Sequence[Timed]) -> dict[str, Any]:
    """Of a set of runs."""
    count, middle, tenth, bias = quantiles(one.group for one in rows)
    _, family_middle, family_tenth, family_bias = quantiles(one.family for one in rows)
    return {
        "count": count, "groups": len({one.row.group for one in rows}), "median": middle, "tenth": tenth, "bias": bias,
        "family_median": family_middle, "family_tenth": family_tenth, "family_bias": family_bias,
        "held": mean(one.held for one in rows),
    }  # fmt: skip


def by_group(rows: Sequence[Timed]) -> list[tuple[str, dict[str, Any]]]:
    """Each table of runs by itself, the largest median error first."""
    found: dict[str, list[Timed]] = defaultdict(list)
    for one in rows:
        found[one.row.group].append(one)
    return sorted(
        ((group, errors(part)) for group, part in found.items()), key=lambda one: (-one[1]["family_median"], one[0])
    )


def order(rows: Sequence[Row], by: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Pairs and regret by both ways of leaving out, and by groups and cells with families left out."""
    made: dict[str, Any] = {}
    for part, found in by.items():
        everywhere, groups, _ = pairs(rows, found)
        cells, middle, worst, _ = regret(rows, found)
        made[part] = {"pairs": everywhere, "groups": groups, "cells": cells, "regret": middle, "worst": worst}
    right = ordered(rows, by["family"])
    made["count"] = sum(map(len, right.values()))
    made["by_group"] = sorted((group, len(values), mean(values)) for group, values in right.items())
    sizes: Counter[tuple[object, ...]] = Counter()
    for cell, _ in {(row.cell, row.layout) for row in rows}:
        sizes[cell] += 1
    cells = regrets(rows, by["family"])
    made["by_cell"] = sorted(
        (
            {
                "group": str(cell[0]),
                "model": str(cell[1]),
                "gpu": str(cell[5]),
                "gpus": cell[6],
                "layouts": sizes[cell],
                "regret": value,
            }
            for cell, value in cells.items()
        ),
        key=lambda one: -one["regret"],
    )
    return made


def bands(rows: Sequence[Timed]) -> list[dict[str, Any]]:
    """How many runs the stated bands hold, and how many those hold that are made without a run's own part."""
    made = []
    for experts in (False, True):
        chosen = [one for one in rows if one.row.experts == experts]
        for part, key in (("group", lambda row: row.group), ("family", lambda row: family(row.group))):
            keys, found = np.array([key(one.row) for one in chosen]), np.array([getattr(one, part) for one in chosen])
            made.append(
                {
                    "experts": experts,
                    "part": part,
                    "count": len(chosen),
                    "covered": covered(keys, found),
                    "held": mean(one.held if part == "group" else one.held_untried for one in chosen),
                }
            )
    return made


def repeats(evidence: Mapping[str, Any], cases: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The floor: how far apart runs lie that the same plan describes, in one table and in several of one source."""
    made = []
    for title, key in (
        ("in one table", lambda case: case["group"]),
        ("in tables of one source", lambda case: family(case["group"])),
    ):
        found: dict[tuple[str, str], list[float]] = defaultdict(list)
        for case in cases:
            kept = evidence["rows"].get(case["id"], {})
            if kept.get("step_time_s") and "inputs" in kept and case.get("quality") in ("A", "B"):
                found[key(case), kept["inputs"]].append(kept["step_time_s"])
        sets = [values for values in found.values() if len(values) > 1]
        sizes = sorted(abs(value / median(values) - 1) for values in sets for value in values)
        made.append(
            {
                "what": title,
                "sets": len(sets),
                "runs": len(sizes),
                "median": median(sizes),
                "tenth": quantile(sizes, 0.9),
            }
        )
    return made


def left_out(evidence: Mapping[str, Any], cases: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What no figure counts, and why."""
    rows = evidence["rows"]
    reasons = Counter(rows.get(case["id"], {}).get("skipped") for case in cases)
    untimed = Counter(
        rows[case["id"]]["untimed"] for case in cases
        if "untimed" in rows.get(case["id"], {}) and rows[case["id"]].get("step_time_s")
    )  # fmt: skip
    suspects = [case for case in cases if case.get("suspect")]
    inferred = [
        rows[case["id"]] for case in cases if "inferred" in rows.get(case["id"], {}) and not case.get("suspect")
    ]
    sizes = [abs(one["time"] / one["step_time_s"] - 1) for one in inferred if one.get("step_time_s") and "time" in one]
    return {
        "cases": len(cases),
        "groups": len({case["group"] for case in cases}),
        "skipped": [
            (why, count) for why, count in sorted(reasons.items(), key=lambda one: (-one[1], str(one[0]))) if why
        ],
        "untimed": sorted(untimed.items(), key=lambda one: (-one[1], one[0])),
        "suspects": [{"id": case["id"], "why": case["suspect"]} for case in suspects],
        "vague": sum(case.get("quality") == "C" for case in cases),
        "inferred": {
            "count": len(inferred),
            "timed": len(sizes),
            "median": median(sizes),
            "tenth": quantile(sizes, 0.9),
        },
    }


def memory(evidence: Mapping[str, Any], cases: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Errors of memory readings, and what was stated of fitting."""
    rows = evidence["rows"]
    read = [(case, rows[case["id"]]) for case in cases if "memory_without_group" in rows.get(case["id"], {})]
    tables: dict[str, list[tuple[str, dict[str, Any]]]] = {"all": [("all", readings(read))]}
    for title, key in (
        ("kind", lambda case, kept: kept["kind"]),
        ("framework", lambda case, kept: case["framework"]),
        ("source", lambda case, kept: case["group"]),
    ):
        found: dict[str, list[Any]] = defaultdict(list)
        for case, kept in read:
            found[key(case, kept)].append((case, kept))
        tables[title] = [
            (name, readings(found[name])) for name in sorted(found, key=lambda name: (-len(found[name]), name))
        ]
    asked = [
        rows[case["id"]]
        for case in cases
        if case.get("task") == "inference" and {"memory", "memory_gb"} <= rows.get(case["id"], {}).keys()
    ]
    count, middle, tenth, _ = quantiles(math.log(kept["memory"] / kept["memory_gb"]) for kept in asked)
    return {
        "tables": tables,
        "fits": fitting(rows, cases),
        "inference": {"count": count, "median": middle, "tenth": tenth},
    }


def readings(found: Iterable[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> dict[str, Any]:
    """Of a set of readings."""
    kept = [one for _, one in found]
    count, middle, tenth, bias = quantiles(math.log(one["memory_without_group"] / one["memory_gb"]) for one in kept)
    held = [one["memory_low"] <= one["memory_gb"] / one["memory_without_group"] <= one["memory_high"] for one in kept]
    return {"count": count, "median": middle, "tenth": tenth, "bias": bias, "held": mean(held)}


def adapters(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """Readings of fine-tuning with adapters, and what was said of runs that ran out of memory."""
    found: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for kept in evidence["adapters"].values():
        if kept["quality"] in ("A", "B") and {"memory", "memory_gb", "memory_low"} <= kept.keys():
            found[kept["group"]].append(kept)
    parts = {name: found[name] for name in sorted(found, key=lambda name: (-len(found[name]), name))}
    parts["all"] = [kept for part in found.values() for kept in part]
    rows = []
    for name, part in parts.items():
        count, middle, tenth, bias = quantiles(math.log(kept["memory"] / kept["memory_gb"]) for kept in part)
        held = mean(kept["memory_low"] <= kept["memory_gb"] / kept["memory"] <= kept["memory_high"] for kept in part)
        rows.append((name, {"count": count, "median": middle, "tenth": tenth, "bias": bias, "held": held}))
    failed = [kept for kept in evidence["adapters"].values() if kept["oom"] and "fits" in kept]
    return {"rows": rows, "failed": len(failed), "seen": sum(kept["fits"] < 0.5 for kept in failed)}


def fitting(rows: Mapping[str, Any], cases: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Stated probabilities of fitting against what ran, each layout once."""
    layouts: dict[tuple[object, ...], tuple[bool, float, float]] = {}
    for case in cases:
        kept = rows.get(case["id"], {})
        if "fits" not in kept or case.get("suspect") or case.get("quality") not in ("A", "B"):
            continue
        ran = not case.get("oom", False)
        share = kept["memory"] / kept["card"] * 1e9 if "memory" in kept else math.nan
        layouts[kept["inputs"], ran] = ran, kept["fits"], share
    found = list(layouts.values())
    classes, low = [], 0.0
    for high in STEPS:
        inside = [(ran, stated) for ran, stated, _ in found if low <= stated < high]
        if inside:
            label = f"above {low:.0%}" if high > 1 else f"{low:.0%} to {high:.0%}"
            classes.append(
                {
                    "label": label.replace("%", " %"),
                    "count": len(inside),
                    "stated": mean(stated for _, stated in inside),
                    "ran": mean(ran for ran, _ in inside),
                }
            )
        low = high
    failed, ran = [one for one in found if not one[0]], [one for one in found if one[0]]
    rate = len(ran) / len(found)
    return {
        "classes": classes,
        "layouts": len(found),
        "failed": len(failed),
        "limits": [
            {
                "limit": limit,
                "caught": sum(one[1] < limit for one in failed),
                "alarms": mean(one[1] < limit for one in ran),
            }
            for limit in (0.2, 0.5, 0.9)
        ],
        "score": mean(-math.log(min(max(one[1] if one[0] else 1 - one[1], 1e-3), 1.0)) for one in found),
        "plain": -rate * math.log(rate) - (1 - rate) * math.log(1 - rate),
    }


def whole(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """Whole runs by family: published over planned, and whether the published hours lie in the band."""
    found: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    refused = [one for one in evidence["whole_runs"] if "refused" in one]
    for one in evidence["whole_runs"]:
        if "planned" in one:
            found[team(one["id"])].append(one)
    ratios = {name: [one["published"] / one["planned"] for one in part] for name, part in found.items()}
    table = [
        {
            "family": name,
            "runs": len(part),
            "ratio": median(ratios[name]),
            "held": sum(one["low"] <= one["published"] <= one["high"] for one in part),
        }
        for name, part in sorted(found.items())
    ]
    outside, off = 0, []
    for name, own in ratios.items():
        rest = [median(values) for other, values in ratios.items() if other != name]
        low, high = quantile(rest, 0.1), quantile(rest, 0.9)
        outside += not low <= median(own) <= high
        off += [abs(median(rest) / value - 1) for value in own]
    inside = sum(2 * one["held"] > one["runs"] for one in table)
    return {
        "table": table,
        "runs": sum(one["runs"] for one in table),
        "families": len(table),
        "refused": len(refused),
        "held": sum(one["held"] for one in table),
        "families_held": inside,
        "families_left_out": len(table) - outside,
        "median": median(off),
        "tenth": quantile(off, 0.9),
        "ratio": median(median(values) for values in ratios.values()),
        "ratio_runs": median(value for values in ratios.values() for value in values),
        "deadlines": deadlines(ratios),
    }

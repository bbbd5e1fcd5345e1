"""What other public tools answer for the same runs, judged by the same functions.

Input is benchmarks/data/peers.jsonl (predictions of a tool for a run, asked once, none of them fitted here) and the
runs that llmplan is judged on; output are rows of tables. llmplan stands beside each tool with constants that were
fitted without the run's family, on exactly the rows that the tool answers.

A tool's documented efficiencies were not chosen on these runs, llmplan's constants were chosen on other families of
them. So each tool is also judged with one factor of its own, the median of measured over predicted of the other
families.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from statistics import mean, median
from typing import Any

from benchmarks.figures import Timed
from benchmarks.judging import DATA, TESTS, family, pairs, quantiles, regret

PEERS = DATA / "peers.jsonl"
TOOLS = DATA / "tools.json"
OWN = "llmplan"

HALF = 0.5
"""Tools that time at least this share of the runs are compared on the runs that all of them answer."""

RESERVED = ("reserved", "nvidia-smi")
"""Readings that show what the allocator holds."""


def tools() -> dict[str, Any]:
    """Names, versions and addresses, and how each was asked."""
    found: dict[str, Any] = json.loads(TOOLS.read_text(encoding="utf-8"))
    return found


def answers() -> dict[str, dict[str, Any]]:
    """By the id of a run and figure, what each tool says."""
    rows = map(json.loads, PEERS.read_text(encoding="utf-8").splitlines())
    return {row["id"]: row for row in rows}


def scaled(rows: Sequence[Timed], errors: Sequence[float]) -> list[float]:
    """Errors with one factor, for each family the one that is best for the others."""
    made = []
    known: dict[str, float] = {}
    for one, error in zip(rows, errors):
        own = family(one.row.group)
        if own not in known:
            rest = [other for two, other in zip(rows, errors) if family(two.row.group) != own]
            known[own] = median(rest) if rest else 0.0
        made.append(error - known[own])
    return made


def judged(rows: Sequence[Timed], errors: Sequence[float]) -> dict[str, Any]:
    count, middle, tenth, bias = quantiles(errors)
    experts = quantiles(error for one, error in zip(rows, errors) if one.row.experts)
    plain = [one.row for one in rows]
    everywhere, groups, _ = pairs(plain, errors)
    cells, picked, worst, _ = regret(plain, errors)
    return {
        "count": count,
        "median": middle,
        "tenth": tenth,
        "bias": bias,
        "experts": experts[1],
        "experts_count": experts[0],
        "pairs": everywhere,
        "groups": groups,
        "cells": cells,
        "regret": picked,
        "worst": worst,
        "scaled": quantiles(scaled(rows, errors))[1],
    }


def times(rows: Sequence[Timed], cases: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Each tool on the runs that it answers, with llmplan on the same ones; and all of the general tools on common
    runs.

    Args:
        rows: What llmplan answers.
        cases: All records, for what a tool answers beside.
    """
    said = answers()
    known = {one.row.id for one in rows}
    beside = [case["id"] for case in cases if case["id"] not in known and _counts(case)]
    tables, logs = [], {}
    for tool in tools()["tools"]:
        key = tool["key"]
        found = {
            one.row.id: math.log(said[one.row.id]["step_time_s"][key] / one.row.measured)
            for one in rows
            if key in said.get(one.row.id, {}).get("step_time_s", {})
        }
        if not found:
            continue
        logs[key] = found
        both = [one for one in rows if one.row.id in found]
        theirs, ours = [found[one.row.id] for one in both], [one.family for one in both]
        nearer = mean(abs(own) < abs(other) for own, other in zip(ours, theirs))
        tables.append(
            {
                "tool": tool["name"],
                "key": key,
                **judged(both, theirs),
                "own": judged(both, ours),
                "nearer": nearer,
                "beside": sum(key in said.get(name, {}).get("step_time_s", {}) for name in beside),
            }
        )
    tables.sort(key=lambda one: (one["median"], one["tool"]))
    general = [one["key"] for one in tables if one["count"] >= HALF * len(rows)]
    common = [one for one in rows if all(one.row.id in logs[key] for key in general)]
    head = [{"tool": OWN, **judged(common, [one.family for one in common])}]
    names = {tool["key"]: tool["name"] for tool in tools()["tools"]}
    head += [{"tool": names[key], **judged(common, [logs[key][one.row.id] for one in common])} for key in general]
    return {"tables": tables, "head": head, "common": len(common), "groups": len({one.row.group for one in common})}


def _counts(case: Mapping[str, Any]) -> bool:
    """Whether a record has a time that may be judged: neither vague nor contradictory, nor a test of a tiny model."""
    time = case["measured"].get("step_time_s") or case.get("derived", {}).get("step_time_s")
    sound = case.get("quality") in ("A", "B") and not case.get("suspect")
    return bool(time) and sound and not case["group"].startswith(TESTS)


def memories(evidence: Mapping[str, Any], cases: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Memory readings of each tool, with llmplan on the same ones, and what each says of runs out of memory."""
    said, rows = answers(), evidence["rows"]
    made = []
    for tool in tools()["tools"]:
        key = tool["key"]
        theirs, ours, allocated, fits = [], [], [], []
        for case in cases:
            kept, found = rows.get(case["id"], {}), said.get(case["id"], {})
            if key not in found.get("memory_gb", {}):
                continue
            needed = found["memory_gb"][key]
            if "card" in kept and "fits" in kept and not case.get("suspect") and case.get("quality") in ("A", "B"):
                fits.append((bool(case.get("oom")), needed * 1e9 > kept["card"], kept["fits"] < 0.5))
            if "memory_without_group" not in kept:
                continue
            value = found.get("reserved_gb", {}).get(key, needed) if kept["kind"] in RESERVED else needed
            theirs.append(math.log(value / kept["memory_gb"]))
            ours.append(math.log(kept["memory_without_group"] / kept["memory_gb"]))
            if kept["kind"] == "allocated":
                allocated.append(theirs[-1])
        if not theirs:
            continue
        count, middle, tenth, bias = quantiles(theirs)
        _, own, own_tenth, own_bias = quantiles(ours)
        failed, ran = [one for one in fits if one[0]], [one for one in fits if not one[0]]
        made.append(
            {
                "tool": tool["name"],
                "count": count,
                "median": middle,
                "tenth": tenth,
                "bias": bias,
                "allocated": quantiles(allocated)[1],
                "own": own,
                "own_tenth": own_tenth,
                "own_bias": own_bias,
                "failed": len(failed),
                "caught": sum(one[1] for one in failed),
                "alarms": mean(one[1] for one in ran) if ran else math.nan,
                "own_caught": sum(one[2] for one in failed),
                "own_alarms": mean(one[2] for one in ran) if ran else math.nan,
            }
        )
    return sorted(made, key=lambda one: (one["median"], one["tool"]))

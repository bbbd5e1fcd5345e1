"""Measured step times and their predictions as one graph over open constants, for benchmarks/fit_time.py.

Each run is lowered with the constants left open; what is left of all graphs is joined, equal nodes once, and
evaluated level by level on arrays: rows of nodes, columns of points.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from pathlib import Path

import numpy as np
from attrs import define, field, frozen

from benchmarks.read.case import settings, unsaid_recompute
from benchmarks.read.plain import measured_of
from benchmarks.read.record import Case, Inexpressible
from llmplan.backtest.base import Base, Refused
from llmplan.system.arrays import ARRAYS
from llmplan.system.graph import Graph
from llmplan.system.lower import Lowering
from llmplan.system.missing import Missing
from llmplan.system.unknowns import UNSOLVED

Array = np.ndarray


@frozen
class Row:
    """A measured step.

    Attributes:
        per_token: Seconds of one GPU for a token.
        cell: Runs that differ in their layout alone.
        layout: What a search would choose.
        fitted: Whether constants may be fitted on it.
    """

    id: str
    group: str
    model: str
    gpu: str
    measured: float
    per_token: float
    experts: bool
    cell: tuple[object, ...]
    layout: tuple[object, ...]
    fitted: bool


@define
class Joined:
    """The times of all rows as functions of the constants."""

    rows: list[Row]
    names: list[str]
    measured: Array
    nodes: list[tuple[str, tuple[int, ...], float]] = field(factory=list)
    roots: list[int] = field(factory=list)
    _levels: list[list[tuple[str, Array, list[Array]]]] = field(factory=list)

    def plan(self) -> None:
        """Groups nodes of one operation that can be evaluated at once."""
        depth = [0] * len(self.nodes)
        levels: dict[int, dict[tuple[str, int], list[int]]] = defaultdict(lambda: defaultdict(list))
        for index, (op, args, _) in enumerate(self.nodes):
            if args:
                depth[index] = 1 + max(depth[a] for a in args)
                levels[depth[index]][op, len(args)].append(index)
        for level in sorted(levels):
            self._levels.append([
                (op, np.array(found), [np.array([self.nodes[i][1][k] for i in found]) for k in range(arity)])
                for (op, arity), found in levels[level].items()
            ])  # fmt: skip

    def times(self, points: Array) -> Array:
        """Predicted seconds: a row for each run, a column for each point (values of `names`)."""
        values = np.empty((len(self.nodes), len(points)))
        for index, (op, _, value) in enumerate(self.nodes):
            if op == "const":
                values[index] = value
            elif op == "unknown":
                values[index] = points[:, int(value)]
        with np.errstate(all="ignore"):
            for level in self._levels:
                for op, found, args in level:
                    values[found] = ARRAYS[op](*(values[a] for a in args))
        return values[self.roots]


def assumes_a_link(lowering: Lowering) -> bool:
    """Whether what was lowered rests on a bandwidth that neither case nor catalog states: it would judge a guess."""
    return any(name in lowering.names.values for name in ("internode_advice", "intranode_advice"))


def joined_rows(path: str | Path, plan: str) -> tuple[list[Row], Joined]:
    """The times of quality A and B that the library can express, with the constants that `plan` leaves open."""
    base = Base.of(plan)
    joined = Joined([], [], np.array([]))
    known: dict[tuple[object, ...], int] = {}
    measured = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            case = json.loads(line)
            time = measured_of(case)["step_time_s"]
            if not time or case.get("quality") not in ("A", "B") or case.get("suspect") or unsaid_recompute(case):
                continue
            try:
                lowering = base.values(settings(case, base.knows)).lowering
                node = lowering.name("step_time")
                tokens = lowering.name("global_batch_tokens")
                gpus = lowering.name("hardware.gpus")
            except (Inexpressible, Refused):
                continue
            if isinstance(node, Missing) or lowering.graph.constant(node) is not None or assumes_a_link(lowering):
                continue
            names = {UNSOLVED + i: name for i, name in enumerate(lowering.unknowns.unsolved)}
            root = added(joined, known, lowering.graph, node, names)
            if root is None:
                continue
            work = lowering.graph.constant(tokens) / lowering.graph.constant(gpus)
            joined.roots.append(root)
            joined.rows.append(row_of(case, time, time / work))
            measured.append(time)
    joined.measured = np.array(measured)
    joined.plan()
    bad = np.isnan(joined.times(np.full((1, len(joined.names)), 0.5))[:, 0])
    if bad.any():
        keep = [i for i in range(len(joined.rows)) if not bad[i]]
        joined.rows = [joined.rows[i] for i in keep]
        joined.roots = [joined.roots[i] for i in keep]
        joined.measured = joined.measured[keep]
    return joined.rows, joined


def added(
    joined: Joined, known: dict[tuple[object, ...], int], graph: Graph, node: int, names: dict[int, str]
) -> int | None:
    """The root in the joined graph."""
    needed, pending = set(), [node]
    while pending:
        at = pending.pop()
        if at not in needed:
            needed.add(at)
            pending += graph[at].args
    mapped: dict[int, int] = {}
    for at in sorted(needed):
        found = graph[at]
        if found.op == "const":
            key: tuple[object, ...] = ("const", (), repr(found.value))
            value = float(found.value or 0.0)
        elif found.op == "unknown":
            name = names[int(found.value or 0)]
            if name not in joined.names:
                joined.names.append(name)
            value = float(joined.names.index(name))
            key = ("unknown", (), name)
        else:
            value = math.nan
            key = (found.op, tuple(mapped[a] for a in found.args), "")
        if key not in known:
            known[key] = len(joined.nodes)
            joined.nodes.append((str(key[0]), key[1], value))  # type: ignore[arg-type]
        mapped[at] = known[key]
    return mapped[node]


def row_of(case: Case, measured: float, per_token: float) -> Row:
    """A record as what is judged."""
    parallel, model = case["parallel"], case["model"]
    group = case["group"]
    natural = ((case.get("settings") or {}).get("moe") or {}).get("routing") == "natural"
    lengths = ((case.get("settings") or {}).get("batch") or {}).get("dynamic_lengths")
    tuned = case.get("task") in ("lora", "qlora") and not group.startswith("mlperf")
    fitted = not (group.startswith("megatron-lm-ci") or natural or lengths or tuned or case.get("task") == "sft")
    shape = tuple(model.get(name) for name in ("name", "layers", "hidden", "heads"))
    cell = (group, *shape, case.get("gpu"), case.get("gpus"), case.get("seq_len"), case.get("precision"))
    layout = (
        *(parallel.get(n) for n in ("tp", "pp", "vpp", "cp", "ep", "data_sharding")),
        case.get("micro_batch"),
        case.get("recompute"),
    )
    return Row(
        case["id"],
        group,
        str(shape),
        str(case.get("gpu")),
        measured,
        per_token,
        bool(model.get("moe")),
        cell,
        layout,
        fitted,
    )

"""Fits the constants of step time in plans/std/compute.plan and communication.plan on measured runs.

    python benchmarks/fit_time.py CASES.jsonl

For each group the constants are chosen on all others, from grids of physical values, and judged on it.
Prints what the library has, what all groups together would choose, and the errors of both and of the
groups that were left out. The equations are the library's own: the constants are left open in a plan,
and the time of each run is one expression in them. Runs of quality A and B count, each group by the
root of their number, so that no table of many rows decides alone; functional tests of tiny models are
judged but not fitted on, as they measure the host.
"""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import mean, median

from attrs import frozen

from llmplan.backtest.base import Base, Refused
from llmplan.backtest.case import settings, unsaid_recompute
from llmplan.backtest.predict import measured_of
from llmplan.backtest.record import Inexpressible
from llmplan.system.evaluate import evaluate
from llmplan.system.graph import Graph
from llmplan.system.missing import Missing
from llmplan.system.unknowns import UNSOLVED

GRIDS: dict[str, tuple[str, tuple[float, ...]]] = {
    "step.matmul_efficiency": ("", (0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0)),
    "step.half_rate_tokens": ("tokens", (64, 128, 256, 512, 768, 1024)),
    "step.attention_efficiency": ("", (0.3, 0.35, 0.4, 0.45, 0.5, 0.6)),
    "step.eager_passes": ("", (4, 5, 6, 8, 10, 12, 14)),
    "step.fused_passes": ("", (3, 4, 5, 6, 7, 8)),
    "step.eager_launch": ("s", (1e-3, 2e-3, 3e-3, 4e-3, 5e-3)),
    "step.fused_launch": ("s", (0.25e-3, 0.5e-3, 1e-3, 1.5e-3, 2e-3)),
    "step.overlap": ("", (0.4, 0.5, 0.6, 0.7, 0.8, 0.9)),
    "step.tensor_hidden": ("", (0.0, 0.3, 0.5, 0.7, 0.9)),
}
"""By constant its unit and the values that are tried."""

TESTS = "megatron-lm-ci"
CLIP = 0.5
SWEEPS = 4

Constants = Mapping[str, float]


@frozen
class Row:
    """A measured step, and its time as a node of a graph over the constants.

    Attributes:
        names: The constants by the index of their unknown.
    """

    id: str
    group: str
    measured: float
    graph: Graph
    node: int
    names: dict[int, str]

    def error(self, constants: Constants) -> float:
        """Predicted over measured, less one."""
        point = {index: constants[name] for index, name in self.names.items()}
        return evaluate(self.graph, point, [self.node])[self.node] / self.measured - 1


def rows(path: str) -> list[Row]:
    """The times of quality A and B that the library can express."""
    base = Base.of(
        "".join(f"assume {name} = ? in 0.0 {unit}..1e6 {unit}\n" for name, (unit, _) in GRIDS.items())
    )
    found = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            case = json.loads(line)
            measured = measured_of(case)["step_time_s"]
            if (
                not measured
                or case.get("quality") not in ("A", "B")
                or case.get("suspect")
                or unsaid_recompute(case)
            ):
                continue
            try:
                lowering = base.values(settings(case, base.knows)).lowering
                node = lowering.name("step_time")
            except (Inexpressible, Refused):
                continue
            if isinstance(node, Missing):
                continue
            reach = lowering.graph.reach(node) >> UNSOLVED
            names = {UNSOLVED + i: name for i, name in enumerate(lowering.unknowns.unsolved) if reach >> i & 1}
            row = Row(case["id"], case["group"], measured, lowering.graph, node, names)
            if set(names.values()) <= GRIDS.keys() and math.isfinite(row.error(dict.fromkeys(GRIDS, 0.5))):
                found.append(row)
    return found


def library() -> dict[str, float]:
    """What the library has."""
    found = Base.of().values({})
    return {name: found.number(name) for name in GRIDS}


def loss(found: Sequence[Row], constants: Constants) -> float:
    """The mean size of the logarithm of predicted over measured, each clipped."""
    sizes = Counter(row.group for row in found)
    weights = [1 / math.sqrt(sizes[row.group]) for row in found]
    errors = [min(CLIP, abs(math.log(1 + row.error(constants)))) for row in found]
    return sum(weight * error for weight, error in zip(weights, errors)) / sum(weights)


def fit(found: Sequence[Row], start: Constants) -> dict[str, float]:
    """The best values of the grids, one constant after the other until none helps."""
    used = [row for row in found if not row.group.startswith(TESTS)]
    best, chosen = loss(used, start), dict(start)
    for _ in range(SWEEPS):
        before = best
        for name, (_, grid) in GRIDS.items():
            for value in grid:
                tried = {**chosen, name: value}
                here = loss(used, tried)
                if here < best - 1e-6:
                    best, chosen = here, tried
        if best == before:
            break
    return chosen


def summary(errors: Sequence[float]) -> str:
    sizes = sorted(map(abs, errors))
    tenth = sizes[min(len(sizes) - 1, int(0.9 * len(sizes)))]
    return f"{len(sizes):6} {median(sizes):8.1%} {tenth:8.1%} {mean(errors):+8.1%}"


def main(path: str) -> None:
    found = rows(path)
    now = library()
    chosen = fit(found, now)
    print(f"{'constant':<28}{'library':>10}{'fitted':>10}")
    for name in GRIDS:
        print(f"{name:<28}{now[name]:>10.4g}{chosen[name]:>10.4g}")
    print(f"\n{'left out':<28} cases   median  90 % in     bias   with the library's constants")
    left_out: list[float] = []
    for group in sorted({row.group for row in found}):
        inside = [row for row in found if row.group == group]
        constants = fit([row for row in found if row.group != group], chosen)
        errors = [row.error(constants) for row in inside]
        left_out += errors
        print(f"{group:<28}{summary(errors)}   {median(abs(row.error(now)) for row in inside):8.1%}")
    print(f"{'all, left out':<28}{summary(left_out)}")
    print(f"{'all, library':<28}{summary([row.error(now) for row in found])}")
    kept = [row for row in found if not row.group.startswith(TESTS)]
    print(f"{'without functional tests':<28}{summary([row.error(now) for row in kept])}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python benchmarks/fit_time.py CASES.jsonl")
    main(sys.argv[1])

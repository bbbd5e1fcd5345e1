"""Fits the constants of serving in plans/std/serving_time.plan, serving_rates.plan and plans/catalog/engines.plan.

    python benchmarks/fit_serving.py [SERVING.jsonl] [--brief]

The equations are the library's own: constants are left open, each measured point is lowered once, and all are evaluated
as one graph. Constants are fitted on their logarithms with priors by Huber's loss on the logarithm of predicted over
measured; a group counts by a power of its size. Judged is what the fit has not seen: each group by constants fitted
without it. What belongs to one release of an engine, the overhead of a step, is fitted on every third row of a group
where no other has that release, and judged on the others.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from attrs import define, frozen

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks.joined import Joined, added
from benchmarks.judging import DATA, band, covered
from benchmarks.served import READINGS, Served, served
from llmplan.backtest.base import Base, Refused
from llmplan.system.missing import Missing
from llmplan.system.unknowns import UNSOLVED

Array = np.ndarray


SERVING = DATA / "serving.jsonl"
"""The published measurements that llmplan ships."""


@frozen
class Constant:
    """A fitted constant: its prior centre, how far from it is plausible (one sigma, as a factor), and its unit."""

    prior: float
    width: float
    unit: str = ""


CONSTANTS = {
    "serving.weight_efficiency": Constant(0.8, 1.2),
    "serving.cache_efficiency": Constant(0.7, 1.3),
    "serving.product_efficiency": Constant(0.6, 1.4),
    "serving.prefill_efficiency": Constant(0.8, 1.2),
    "serving.prefill_experts": Constant(0.4, 1.6),
    "serving.prefill_attention": Constant(0.5, 1.4),
    "serving.layer_overhead": Constant(20e-6, 1.6, "s"),
    "serving.expert_overhead": Constant(20e-6, 2, "s"),
    "serving.reduce_latency": Constant(10e-6, 1.6, "s"),
    "serving.reduce_exposed": Constant(1, 1.4),
    "serving.waiting": Constant(2e-3, 2.5, "s"),
    "serving.blocked": Constant(0.4, 2),
}
"""Centres: what the term means, or the library's figure of the same kind in training. Written before the fit."""

OF_ENGINES = {
    "serving_engine.step_overhead": Constant(3e-3, 2, "s"),
    "serving_engine.admission": Constant(50e-3, 2, "s"),
}
"""The same by engine."""

KEPT = {"serving.reduce_exposed"}
OUT = {
    "serving.weight_efficiency": 1e9,
    "serving.cache_efficiency": 1e9,
    "serving.product_efficiency": 1e9,
    "serving.prefill_efficiency": 1e9,
    "serving.prefill_attention": 1e9,
    "serving.prefill_experts": 1,
}
"""The value of a constant without which its term is nothing; of all others next to 0."""

HUBER = 0.2
NOISE = 0.1
POWER = -0.5


@define
class Fit:
    """Readings, and their predictions as functions of the constants."""

    rows: list[Served]
    kinds: list[str]
    data: Joined

    def constant(self, name: str) -> Constant:
        return CONSTANTS.get(name) or OF_ENGINES[name.partition(":")[2]]

    def errors(self, constants: Mapping[str, float]) -> Array:
        point = np.array([[constants[name] for name in self.data.names]])
        return np.log(self.data.times(point)[:, 0] / self.data.measured)

    def run(self, used: Array, start: Mapping[str, float], rounds: int = 25) -> dict[str, float]:
        """Gauss-Newton on logarithms, as in fit_time.py."""
        names = list(self.data.names)
        prior = np.log([self.constant(name).prior for name in names])
        width = np.log([self.constant(name).width for name in names])
        at = np.log([start[name] for name in names])
        sizes = Counter((row.group, kind) for row, kind, use in zip(self.rows, self.kinds, used) if use)
        weight = np.array([
            sizes[row.group, kind] ** POWER if use else 0.0 for row, kind, use in zip(self.rows, self.kinds, used)
        ])  # fmt: skip
        first = np.array([kind == "ttft" for kind in self.kinds])
        step = 1e-4
        for _ in range(rounds):
            points = np.repeat(np.exp(at)[None], len(names) + 1, axis=0)
            for column in range(len(names)):
                points[column + 1, column] *= math.exp(step)
            logs = np.log(self.data.times(points) / self.data.measured[:, None])
            # Of first tokens the ratio itself: they differ a hundredfold, and errors are ratios less one.
            told = np.where(first[:, None], np.expm1(np.minimum(logs, 2)), logs)
            error, slope = told[:, 0], (told[:, 1:] - told[:, :1]) / step
            robust = weight * np.minimum(1, HUBER / np.maximum(np.abs(error), 1e-9)) / NOISE**2
            matrix = slope.T @ (robust[:, None] * slope) + np.diag(1 / width**2)
            pull = slope.T @ (robust * error) + (at - prior) / width**2
            change = np.clip(-np.linalg.solve(matrix, pull), -0.4, 0.4)
            at = at + change
            if np.abs(change).max() < 1e-4:
                break
        return dict(zip(names, np.exp(at).tolist()))


def readings(path: str | Path) -> Fit:
    """All readings of a file with the constants left open."""
    base = Base.of("".join(f"assume {name} = ? in 0.0 {c.unit}..1e6 {c.unit}\n" for name, c in CONSTANTS.items()))
    joined = Joined([], [], np.array([]))
    known: dict[tuple[object, ...], int] = {}
    rows: list[Served] = []
    kinds: list[str] = []
    measured: list[float] = []
    short = {quantity: kind for kind, quantity in READINGS.values()}
    refused: Counter[str] = Counter()
    for row in served(path):
        opened = {name: f"? in 0.0 {c.unit}..9 {c.unit}" for name, c in OF_ENGINES.items()}
        try:
            lowering = base.values({**row.settings, **opened}).lowering
            nodes = {name: lowering.name(name) for name in row.measured}
        except Refused as problem:
            refused[str(problem)] += 1
            continue
        for name, node in nodes.items():
            if isinstance(node, Missing):
                refused[f"{name}: {node.needs}"] += 1
                continue
            names = {
                UNSOLVED + i: f"{row.engine}:{constant}" if constant in OF_ENGINES else constant
                for i, constant in enumerate(lowering.unknowns.unsolved)
            }
            root = added(joined, known, lowering.graph, node, names)
            if root is None:
                continue
            joined.roots.append(root)
            rows.append(row)
            kinds.append(short[name])
            measured.append(row.measured[name])
    for problem, count in refused.items():
        print(f"refused {count}: {problem}")
    joined.measured = np.array(measured)
    joined.plan()
    return Fit(rows, kinds, joined)


def quantiles(errors: Sequence[float]) -> str:
    off = np.abs(np.expm1(errors))
    return f"{len(off):5} {np.median(off):7.1%} {np.quantile(off, 0.9):7.1%} {np.median(np.expm1(errors)):+7.1%}"


def report(title: str, fit: Fit, errors: Array) -> None:
    """Prints errors by kind of reading."""
    print(f"\n{title:<34} rows  median 9 of 10    bias")
    parts = {
        "rate": lambda r, k: k == "rate" and not r.single,
        "rate, dense": lambda r, k: k == "rate" and not r.single and not r.experts,
        "rate, experts": lambda r, k: k == "rate" and r.experts,
        "tpot": lambda r, k: k == "tpot",
        "tpot, dense": lambda r, k: k == "tpot" and not r.experts,
        "tpot, experts": lambda r, k: k == "tpot" and r.experts,
        "ttft": lambda r, k: k == "ttft",
        "one stream": lambda r, k: r.single,
    }
    for name, chosen in parts.items():
        picked = [e for e, r, k in zip(errors, fit.rows, fit.kinds) if chosen(r, k) and not math.isnan(e)]
        if picked:
            print(f"  {name:<32}{quantiles(picked)}")


def left_out(fit: Fit, start: Mapping[str, float]) -> tuple[Array, list[dict[str, float]]]:
    """The error of each reading by constants fitted without its group, and these constants."""
    groups = np.array([row.group for row in fit.rows])
    engines = np.array([row.engine for row in fit.rows])
    errors = np.full(len(groups), np.nan)
    chosen = []
    for group in sorted(set(groups)):
        inside = groups == group
        engine = engines[inside][0]
        used = ~inside
        judged = inside.copy()
        if not (engines[used] == engine).any():
            third = inside & (np.arange(len(groups)) % 3 == 0)
            # Of its third only what belongs to the release is taken.
            own = fit.run(used | third, start)
            without = fit.run(used, start)
            constants = {n: own[n] if n.startswith(f"{engine}:") else without[n] for n in own}
            judged &= ~third
        else:
            constants = fit.run(used, start)
        chosen.append(constants)
        errors[judged] = fit.errors(constants)[judged]
    return errors, chosen


def ablation(fit: Fit, chosen: Mapping[str, float]) -> None:
    """Prints what each term is worth: errors with it left out, all other constants as they are."""
    print("\nleft out, median / 9 of 10:" + " " * 10 + "".join(f"{kind:>18}" for kind in ("tpot", "ttft", "rate")))
    for name in ("nothing", *sorted({*CONSTANTS, *OF_ENGINES} - KEPT)):
        without = {n: OUT.get(name, 1e-9) if n.partition(":")[2] == name or n == name else v for n, v in chosen.items()}
        off = np.abs(np.expm1(fit.errors(without)))
        cells = []
        for kind in ("tpot", "ttft", "rate"):
            picked = off[[k == kind for k in fit.kinds]]
            cells.append(f"{np.median(picked):9.1%} /{np.quantile(picked, 0.9):7.1%}")
        print(f"{name:<36}" + "".join(cells))


def bands(fit: Fit, errors: Array) -> None:
    """Prints the bands of serving_rates.plan: what eight of ten measured values are of those computed."""
    print(f"\n{'band of measured / predicted':<34}{'rows':>5}{'low':>7}{'high':>7}{'covers':>9}")
    for kind in ("tpot", "ttft"):
        for experts in (False, True):
            chosen = np.array([k == kind and r.experts == experts for r, k in zip(fit.rows, fit.kinds)])
            chosen &= ~np.isnan(errors)
            keys = np.array([row.group for row in fit.rows])[chosen]
            low, high = band(keys, errors[chosen])
            label = f"{kind}, {'experts' if experts else 'dense'}"
            print(f"{label:<34}{chosen.sum():>5}{low:>7.2f}{high:>7.2f}{covered(keys, errors[chosen]):>9.0%}")


def main(path: str | Path, brief: bool) -> None:
    fit = readings(path)
    now = {name: fit.constant(name).prior for name in fit.data.names}
    print(f"{len(fit.rows)} readings of {len({row.id for row in fit.rows})} points")
    report("centres of the priors", fit, fit.errors(now))
    everything = np.ones(len(fit.rows), dtype=bool)
    chosen = fit.run(everything, now)
    report("fitted on all", fit, fit.errors(chosen))
    errors, others = left_out(fit, chosen)
    report("group left out", fit, errors)
    print(f"\n{'constant':<36}{'fitted':>11}{'without any one group':>28}")
    for name in sorted(fit.data.names):
        values = sorted(found[name] for found in others)
        print(f"{name:<36}{chosen[name]:>11.4g}{values[0]:>16.4g} .. {values[-1]:.4g}")
    bands(fit, errors)
    ablation(fit, chosen)
    if brief:
        return
    for kind in ("tpot", "ttft", "rate"):
        print(f"\n{kind + ' by group left out':<50} rows  median 9 of 10    bias")
        for group in sorted({row.group for row in fit.rows}):
            picked = [
                e
                for e, r, k in zip(errors, fit.rows, fit.kinds)
                if k == kind and r.group == group and not math.isnan(e)
            ]
            if picked:
                print(f"  {group:<48}{quantiles(picked)}")


if __name__ == "__main__":
    arguments = [a for a in sys.argv[1:] if a != "--brief"]
    main(arguments[0] if arguments else SERVING, "--brief" in sys.argv)

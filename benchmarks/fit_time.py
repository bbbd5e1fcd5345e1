"""Fits the constants of step time in plans/std/compute.plan and communication.plan, and judges them.

    python benchmarks/fit_time.py [CASES.jsonl] [--brief]

The equations are the library's own: the constants are left open in a plan, each measured run is
lowered once, and the times of all runs are evaluated together as one graph. Constants are fitted on
their logarithms with priors, so that few runs cannot move what is known from elsewhere, by Huber's loss
on the logarithm of predicted over measured; a group of runs counts by a power of its size, so that no
table of many rows decides alone.

Judged is what the fit has not seen: each group by constants fitted without it (LOGO), each family of
groups likewise (LOFO: a stack nobody has measured), by what benchmarks/judging.py computes. Runs of quality A and B
that are not suspect count; functional tests of tiny models, fine-tuning, natural routing and samples of changing
lengths are not fitted.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from attrs import define, frozen

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks.joined import Joined, Row, joined_rows
from benchmarks.judging import CASES, apart, band, covered, family, pairs, quantiles, regret
from llmplan.backtest.base import Base

Array = np.ndarray


@frozen
class Constant:
    """A fitted constant: its prior centre, how far from it is plausible (one sigma, as a factor), and its unit."""

    prior: float
    width: float
    unit: str = ""


WIDTH = 0.4
"""All widths times this: narrower than each would be by itself, judged by families left out."""

CONSTANTS: dict[str, Constant] = {
    "step.matmul_efficiency": Constant(0.8, 1.15),
    "step.product_rows": Constant(400, 2, "tokens"),
    "step.misaligned": Constant(1.2, 1.2),
    "step.uneven_heads": Constant(3, 2),
    "step.grouped_products": Constant(1.3, 1.4),
    "step.flash_ampere": Constant(0.5, 1.4),
    "step.flash_native": Constant(0.6, 1.4),
    "step.flash_older": Constant(0.3, 1.4),
    "step.standard_attention": Constant(0.4, 1.5),
    "step.passes": Constant(1.5, 1.5),
    "step.casts": Constant(0.6, 2),
    "step.exposed_tensor": Constant(0.4, 1.6),
    "step.exposed_experts": Constant(0.8, 1.6),
    "step.exposed_plain": Constant(1.0, 1.3),
    "step.exposed_handover": Constant(0.5, 2),
    "step.overlapped_data": Constant(0.8, 1.5),
    "step.intranode_efficiency": Constant(0.75, 1.1),
    "step.internode_efficiency": Constant(0.7, 1.25),
    "step.ring_loss": Constant(0.08, 2),
    "step.host_experts": Constant(1e-3, 2.5, "s"),
    "step.host_recorded": Constant(0.7, 1.3),
    "step.host_uncounted": Constant(0.75, 1.3),
    "step.host_overlapped": Constant(1.4, 1.3),
    "step.fixed_eager": Constant(0.03, 2.5, "s"),
    "step.fixed_recorded": Constant(0.6, 1.6),
}
"""Centres: published figures where the library cites one, else what the term means; see the closing words of each
quantity. Written before the fit."""

HUBER = 0.12
NOISE = 0.06
"""What a run scatters by; with the priors' widths it says how much the runs count against them."""

POWER = -0.35


@define
class Fit:
    """Fits on any part of the rows."""

    data: Joined

    def errors(self, constants: Mapping[str, float]) -> Array:
        """Logarithms of predicted over measured."""
        point = np.array([[constants[name] for name in self.data.names]])
        return np.log(self.data.times(point)[:, 0] / self.data.measured)

    def run(self, used: Array, start: Mapping[str, float], rounds: int = 12) -> dict[str, float]:
        """Gauss-Newton on the logarithms of the constants, with weights that bound what a single row does."""
        names = [name for name in self.data.names if name in CONSTANTS]
        prior = np.log([CONSTANTS[name].prior for name in names])
        width = WIDTH * np.log([CONSTANTS[name].width for name in names])
        at = np.log([start[name] for name in names])
        fixed = np.array([start[name] for name in self.data.names])
        columns = [self.data.names.index(name) for name in names]
        sizes = Counter(row.group for row, use in zip(self.data.rows, used) if use)
        weight = np.array([sizes[row.group] ** POWER if use else 0.0 for row, use in zip(self.data.rows, used)])
        step = 1e-4
        for _ in range(rounds):
            points = np.repeat(fixed[None], len(names) + 1, axis=0)
            points[:, columns] = np.exp(at)
            for number, column in enumerate(columns):
                points[number + 1, column] *= math.exp(step)
            logs = np.log(self.data.times(points) / self.data.measured[:, None])
            error, slope = logs[:, 0], (logs[:, 1:] - logs[:, :1]) / step
            robust = weight * np.minimum(1, HUBER / np.maximum(np.abs(error), 1e-9)) / NOISE**2
            matrix = slope.T @ (robust[:, None] * slope) + np.diag(1 / width**2)
            pull = slope.T @ (robust * error) + (at - prior) / width**2
            change = np.clip(-np.linalg.solve(matrix, pull), -0.5, 0.5)
            at = at + change
            if np.abs(change).max() < 1e-4:
                break
        return {**start, **dict(zip(names, np.exp(at).tolist()))}


def bands(rows: Sequence[Row], by_group: Array, by_family: Array, judged: Array) -> None:
    """Prints the bands of step.low and step.high, and how many rows of parts left out they cover."""
    print(f"\n{'band of measured / predicted':<34}{'rows':>5}{'low':>7}{'high':>7}{'covers':>9}")
    for name, errors, key in (
        ("stack measured", by_group, lambda row: row.group),
        ("stack not measured", by_family, lambda row: family(row.group)),
    ):
        for experts in (False, True):
            chosen = judged & np.array([row.experts == experts for row in rows])
            keys = np.array([key(row) for row in rows])[chosen]
            low, high = band(keys, errors[chosen])
            label = f"{name}, {'experts' if experts else 'dense'}"
            print(f"{label:<34}{chosen.sum():>5}{low:>7.2f}{high:>7.2f}{covered(keys, errors[chosen]):>9.0%}")


def pairs_apart(rows: Sequence[Row], errors: Array, judged: Array) -> None:
    """Prints step.apart: how far two runs of the same table, model and accelerator are off from each other."""
    print(f"\n{'pairs of runs apart':<34}{'rows':>5}{'factor':>7}")
    for experts in (False, True):
        chosen = judged & np.array([row.experts == experts for row in rows])
        kept = [row for row, j in zip(rows, chosen) if j]
        print(f"{'experts' if experts else 'dense':<34}{chosen.sum():>5}{apart(kept, errors[chosen]):>7.2f}")


def left_out(
    fit: Fit, used: Array, key: Callable[[Row], str], start: Mapping[str, float]
) -> tuple[Array, dict[str, dict[str, float]]]:
    """The error of each row by constants fitted without its part, and these constants."""
    keys = np.array([key(row) for row in fit.data.rows])
    errors = np.full(len(keys), np.nan)
    chosen = {}
    for part in sorted(set(keys)):
        chosen[part] = fit.run(used & (keys != part), start)
        inside = keys == part
        errors[inside] = fit.errors(chosen[part])[inside]
    return errors, chosen


def line(name: str, rows: Sequence[Row], errors: Array, judged: Array) -> str:
    dense = [e for r, e, j in zip(rows, errors, judged) if j]
    experts = [e for r, e, j in zip(rows, errors, judged) if j and r.experts]
    inside = [r for r, j in zip(rows, judged) if j]
    part = errors[judged]
    count, middle, tenth, bias = quantiles(dense)
    _, moe, moe_tenth, _ = quantiles(experts)
    everywhere, groups, quiet = pairs(inside, part)
    cells, mean, worst, _ = regret(inside, part)
    return (
        f"{name:<22}{count:5} {middle:7.1%} {tenth:7.1%} {bias:+7.1%}  {moe:6.1%} {moe_tenth:6.1%}"
        f"  {everywhere:6.1%} {groups:6.1%} {quiet:6.1%}  {cells:3} {mean:6.1%} {worst:6.1%}"
    )


def opened(path: str | Path) -> tuple[Fit, Array, dict[str, float]]:
    """The rows of a file with the constants left open, which of them are fitted, and the library's constants."""
    base = "".join(f"assume {name} = ? in 0.0 {c.unit}..1e6 {c.unit}\n" for name, c in CONSTANTS.items())
    rows, data = joined_rows(path, base)
    return (
        Fit(data),
        np.array([row.fitted for row in rows]),
        {name: Base.of().values({}).number(name) for name in CONSTANTS},
    )


def main(path: str | Path, brief: bool) -> None:
    fit, used, now = opened(path)
    rows = fit.data.rows
    judged = used
    chosen = fit.run(used, now)
    print(f"{len(rows)} rows, {used.sum()} fitted and judged")
    print(f"{'':<22}rows  median  9 of 10    bias  experts 9/10   pairs groups  quiet  regret: cells, mean, worst")
    print(line("library", rows, fit.errors(now), judged))
    print(line("fitted on all", rows, fit.errors(chosen), judged))
    by_group, _ = left_out(fit, used, lambda row: row.group, chosen)
    print(line("group left out", rows, by_group, judged))
    by_family, others = left_out(fit, used, lambda row: family(row.group), chosen)
    print(line("family left out", rows, by_family, judged))
    print(f"\n{'constant':<28}{'library':>10}{'fitted':>10}{'without any one family':>28}")
    for name in CONSTANTS:
        values = sorted(found[name] for found in others.values())
        print(f"{name:<28}{now[name]:>10.4g}{chosen[name]:>10.4g}{values[0]:>16.4g} .. {values[-1]:.4g}")
    bands(rows, by_group, by_family, judged)
    pairs_apart(rows, fit.errors(now), judged)
    if brief:
        return
    print(f"\n{'group':<30} rows  median  9 of 10    bias   family left out")
    for group in sorted({row.group for row in rows}):
        inside = np.array([row.group == group for row in rows])
        count, middle, tenth, bias = quantiles(by_group[inside])
        print(f"{group:<30}{count:5} {middle:7.1%} {tenth:8.1%} {bias:+7.1%}   {quantiles(by_family[inside])[1]:7.1%}")
    print("\nlargest regrets:")
    inside = [row for row, j in zip(rows, judged) if j]
    print(regret(inside, by_family[judged])[3])


if __name__ == "__main__":
    arguments = [a for a in sys.argv[1:] if a != "--brief"]
    if len(arguments) > 1:
        sys.exit("usage: python benchmarks/fit_time.py [CASES.jsonl] [--brief]")
    main(arguments[0] if arguments else CASES, "--brief" in sys.argv)

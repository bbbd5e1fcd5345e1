"""Published whole runs against plans that know only model, tokens and accelerators: the ratio of their GPU-hours.

usage: python benchmarks/whole_runs.py [RUNS.jsonl]

Each dense run of quality A and B, on an accelerator of the catalog and with a printed shape, is planned as the
library plans who names no stack: the fastest layout with compiled kernels, at the published batch, or the library's
where none is printed; with no printed count of accelerators, as many as take about 30 days. Published over planned
GPU-hours is what `run.realised` in plans/std/time.plan states: its median, and by families of runs (one team on one
stack) the 10 % and 90 % points.
"""

from __future__ import annotations

import json
import re
import statistics
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks.judging import DATA
from llmplan import api

GPUS = {
    "A100 SXM4 80GB": "A100-SXM4-80GB",
    "A100 SXM4 40GB": "A100-SXM4-40GB",
    "H100 SXM5 80GB": "H100-SXM5-80GB",
    "V100 SXM2 32GB": "V100-SXM2-32GB",
}
"""Names of the records by those of the catalog."""

MONTH = 720.0
"""Hours of a run whose count of accelerators is not printed."""

PLAN = """model {{
{shape}    max_context = 131_072
}}
dataset {{ tokens = {tokens:.0f} tokens, sequence_length = {sequence} }}
hardware {{ gpu = "{gpu}", gpus = {gpus} }}
parallelism {{ framework = torchtitan, tensor = ?, pipeline = ?, virtual_pipeline = ?, zero_stage = ? }}
training {{ {batch}micro_batch = ?, recompute = ?, precision = {precision} }}
minimize time
"""


def family(name: str) -> str:
    """One team on one stack: `llama1-7b` and `llama1-65b` are `llama1`."""
    found = re.match(r"llama\d|modded-nanogpt|[a-z]+", name)
    return found.group() if found else name


def usable(run: dict[str, Any]) -> bool:
    model = run["model"]
    known = model.get("layers") and run.get("gpu_hours") and run["gpu"] in GPUS
    return bool(known) and run["quality"] in ("A", "B") and not model.get("moe")


def plan(run: dict[str, Any]) -> str:
    """A run as a plan of its model, tokens and accelerators."""
    model = run["model"]
    fields = {name: model.get(name) for name in ("layers", "hidden", "heads", "kv_heads", "ffn")}
    fields["vocab"] = model.get("vocab") or 50_257
    for flag in ("gated_mlp", "tied_embeddings"):
        fields[flag] = str(bool(model.get(flag))).lower()
    shape = "".join(f"    {name} = {value}\n" for name, value in fields.items() if value is not None)
    sequence = run.get("seq_len") or 2048
    gpus = run.get("gpus") or max(8, 8 * round(run["gpu_hours"] / MONTH / 8))
    batch = run.get("global_batch_tokens")
    return PLAN.format(
        shape=shape,
        tokens=run["tokens"],
        sequence=sequence,
        gpu=GPUS[run["gpu"]],
        gpus=gpus,
        batch=f"global_batch = {batch:.0f} tokens, " if batch else "",
        precision="fp16" if "V100" in run["gpu"] else "bf16",
    )


def quantile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def answered(run: dict[str, Any]) -> dict[str, Any]:
    """GPU-hours of a run: published, planned, and on the calendar with its band; `refused` instead where there is no
    plan.
    """
    solution = api.solve("-", text=plan(run))
    hours, calendar = (solution.values.get(name) for name in ("gpu_hours", "wall_gpu_hours"))
    if solution.status != "solved" or hours is None or not isinstance(hours.value, float) or calendar is None:
        return {"refused": solution.status, "published": run["gpu_hours"]}
    ends = {"calendar": calendar.value, "low": calendar.model_low, "high": calendar.model_high}
    made = {"published": run["gpu_hours"], "planned": hours.value / 3600, "mfu": solution.values["mfu"].value}
    return made | {name: value / 3600 for name, value in ends.items() if isinstance(value, float)}


def main(path: str | Path) -> None:
    families: dict[str, list[float]] = defaultdict(list)
    print(f"{'run':<30}{'planned':>14}{'published':>14}{'ratio':>8}{'MFU':>8}")
    with open(path, encoding="utf-8") as file:
        runs = [json.loads(line) for line in file]
    for run in filter(usable, runs):
        found = answered(run)
        if "refused" in found:
            print(f"{run['id']:<30} {found['refused']}")
            continue
        ratio = found["published"] / found["planned"]
        families[family(run["id"])].append(ratio)
        print(f"{run['id']:<30}{found['planned']:>14,.0f}{found['published']:>14,.0f}{ratio:>8.2f}{found['mfu']:>8.1%}")
    ratios = [ratio for found in families.values() for ratio in found]
    middles = [statistics.median(found) for found in families.values()]
    print(f"\n{len(ratios)} runs of {len(families)} families")
    for name, values in (("runs", ratios), ("families", middles)):
        low, high = quantile(values, 0.1), quantile(values, 0.9)
        print(f"{name:<10} median {statistics.median(values):.2f}, 10 % {low:.2f}, 90 % {high:.2f}")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit("usage: python benchmarks/whole_runs.py [RUNS.jsonl]")
    main(sys.argv[1] if len(sys.argv) > 1 else DATA / "runs.jsonl")

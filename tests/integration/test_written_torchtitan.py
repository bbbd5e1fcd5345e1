"""The training script that is written for torchtitan trains on CPU from `compile`'s output alone, as planned, and goes
on from its last checkpoint.
"""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.integration.plans import quantity, written
from tests.integration.real import PROGRAMS, needs
from tests.integration.test_written import lines
from tests.integration.watching import SHOWN, clipped, computed, fed, planned, summed, watched

pytestmark = [pytest.mark.integration, pytest.mark.slow]

PLAN = (
    """
model {{ layers = 2, hidden = 32, heads = 4, ffn = 64, gated_mlp = true, vocab = 64, activation = silu }}
model {{ norm_epsilon = 0.000_01, rope_base = 10_000, rope_scaling = none{model} }}
dataset {{ tokens = 1536, sequence_length = 16 }}
hardware {{ gpu = "H100-SXM5-80GB", gpus = {gpus}, gpus_per_node = {gpus} }}
parallelism {{ {layout} }}
training {{
    precision     = bf16
    micro_batch   = 2
    global_batch  = 8 sequences
    recompute     = full
    kernels       = {kernels}
    loss          = {loss}
    learning_rate = 0.02
    warmup        = 2
    gradient_clipping = 0.1
}}
emit torchtitan {{ script = written, log_interval = 1 }}
"""
    + SHOWN
)
CPU = {"PYTHONPATH": str(PROGRAMS / "without_triton")}
LAYOUTS = {
    "llama": (2, "zero_stage = 3", ""),
    "compiled": (2, "zero_stage = 3", ""),
    "qwen": (2, "zero_stage = 2", ", qk_norm = per_head"),
    "groups": (4, "zero_stage = 3, replicas = 2", ""),
    "tensor": (4, "zero_stage = 3, tensor = 2", ""),
}


def compiled(layout: str, place: Path, *settings: str) -> Path:
    needs("torch", "torchtitan")
    gpus, parallelism, model = LAYOUTS[layout]
    kernels, loss = ("compiled", "compiled") if layout == "compiled" else ("eager", "upcast")
    text = PLAN.format(gpus=gpus, layout=parallelism, model=model, kernels=kernels, loss=loss)
    return written(text, *settings)(place)


def rates() -> list[float]:
    """Two steps of warm-up, then torchtitan's cosine over the steps that are left."""
    course = [0.02 * (0.1 + 0.9 * (1 + math.cos(math.pi * step / 10)) / 2) for step in range(10)]
    return [0.01, 0.02, *course]


def as_planned(folder: Path, place: Path, attentions: int = 1) -> None:
    """What ranks have noted: what is summed, fed and computed, and how long gradients are where a step is taken.

    torchtitan's container of optimizers is an optimizer too, so each step is noted twice.

    Args:
        attentions: The modules of a layer that are noted as its attention.
    """
    plan = planned(folder)
    ranks = [json.loads((place / f"rank-{rank}.json").read_text()) for rank in range(plan["hardware.gpus"])]
    for rank, seen in enumerate(ranks):
        fed(plan, seen["batches"])
        computed(plan, seen["calls"][::attentions])
        summed(plan, rank, seen["reduced"])
        seen["squares"] = seen["squares"][::2]
    clipped(plan, ranks)


def told(seen: list[dict[str, Any]]) -> list[tuple[int, float, float]]:
    return [(one["step"], one["loss"], one["rate"]) for one in seen]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_trains_as_planned_and_resumes(layout: str, tmp_path: Path) -> None:
    folder = compiled(layout, tmp_path, "training.checkpoint_interval=3*step_time")
    interval = int(quantity(folder, "checkpoint_interval_steps"))
    # A compiled layer is not seen from inside.
    noted = {} if layout == "compiled" else watched(tmp_path / "watched")
    whole = lines(folder, **noted | CPU)
    if noted:
        as_planned(folder, tmp_path / "watched")
    assert [seen["step"] for seen in whole] == list(range(1, 13))
    assert [seen["rate"] for seen in whole] == pytest.approx(rates()[:12])
    assert whole[-1]["loss"] < whole[0]["loss"] - 1
    assert all(seen["seconds"] > 0 for seen in whole[1:])
    saved = sorted(int(one.name.removeprefix("step-")) for one in (folder / "outputs" / "checkpoint").iterdir())
    assert 1 < interval < 12 and saved == sorted({*range(interval, 13, interval), 12})
    shutil.rmtree(folder / "outputs" / "checkpoint" / "step-12")
    again = told(lines(folder, **CPU))
    assert again == [(step, pytest.approx(loss), rate) for step, loss, rate in told(whole)[saved[-2] :]]


def test_reads_the_data_that_is_named(tmp_path: Path) -> None:
    """One token over and over, which is learnt to the end; what is made up has a loss of at least ln 8."""
    needs("numpy", "torch")
    command = [sys.executable, "-c", "import numpy, sys; numpy.save(sys.argv[1], numpy.full(600, 5, 'uint16'))"]
    subprocess.run([*command, str(tmp_path / "the tokens.npy")], check=True)
    folder = compiled("llama", tmp_path, f'dataset.path="{tmp_path}/the tokens.npy"')
    assert lines(folder, **CPU)[-1]["loss"] < 0.5
    assert lines(folder, **CPU) == []  # nothing is left to do


def test_stops_at_another_model(tmp_path: Path) -> None:
    folder = compiled("llama", tmp_path)
    flavor = folder / "torchtitan_model.py"
    flavor.write_text(flavor.read_text().replace("vocab_size=64", "vocab_size=128"))
    with pytest.raises(AssertionError, match="parameters, the plan 24736"):
        lines(folder, **CPU)

"""The written training scripts train on CPU from `compile`'s output alone, as planned, and go on from their last
checkpoint.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.integration.plans import quantity, written
from tests.integration.real import PROGRAMS, environment, free_port, needs, tool
from tests.integration.watching import SHOWN, agrees, watched

pytestmark = [pytest.mark.integration, pytest.mark.slow]

PLAN = (
    """
model {{ layers = 2, hidden = 32, heads = 4, ffn = 64, gated_mlp = true, vocab = 64 }}
dataset {{ tokens = 1536, sequence_length = 16 }}
hardware {{ gpu = "RTX-4090", gpus = 2, gpus_per_node = 2 }}
parallelism {{ {layout} }}
training {{
    precision     = bf16
    micro_batch   = 2
    global_batch  = 8 sequences
    recompute     = full
    learning_rate = 0.02
    warmup        = 2
    gradient_clipping = 0.1
}}
emit {target} {{ script = written{options} }}
"""
    + SHOWN
)
LOG = ", log_every = 1, workers = 0"
STACKS = {
    "ddp": ("accelerate", "zero_stage = 0, framework = ddp", ""),
    "fsdp": ("accelerate", "zero_stage = 3, framework = fsdp", ""),
    "hsdp": ("accelerate", "zero_stage = 3, framework = fsdp, replicas = 2", ""),
    "deepspeed 0": ("deepspeed", "zero_stage = 0", ""),
    "deepspeed 1": ("deepspeed", "zero_stage = 1", ""),
    "deepspeed 2": ("deepspeed", "zero_stage = 2", ""),
    "deepspeed 3": ("deepspeed", "zero_stage = 3", ""),
    "trainer of ddp": ("huggingface", "zero_stage = 0, framework = ddp", LOG),
    "trainer of fsdp": ("huggingface", "zero_stage = 3, framework = fsdp", LOG),
    "trainer of deepspeed": ("huggingface", "zero_stage = 3, framework = deepspeed", LOG),
}
FOUR = ("hardware.gpus=4", "hardware.gpus_per_node=4", "training.micro_batch=1")

SHARDED = {
    "fsdp": """
import os
import runpy

import accelerate
from without_gpu import gloo

gloo(sharded=True)
os.environ["FSDP_CPU_RAM_EFFICIENT_LOADING"] = os.environ["FSDP_SYNC_MODULE_STATES"] = "false"
own = accelerate.Accelerator
accelerate.Accelerator = lambda cpu, **rest: own(**rest)
runpy.run_path("llmplan_train.py", run_name="train")
""",
    "trainer of fsdp": """
import runpy

import transformers
import transformers.training_args
from without_gpu import gloo

gloo(sharded=True)
transformers.training_args.is_torch_bf16_gpu_available = lambda: True
own = transformers.HfArgumentParser.parse_dict


def parsed(self, arguments):
    del arguments["use_cpu"]
    arguments["fsdp_config"]["cpu_ram_efficient_loading"] = False
    return own(self, arguments)


transformers.HfArgumentParser.parse_dict = parsed
runpy.run_path("llmplan_train.py", run_name="train")
""",
}
SHARDED["hsdp"] = SHARDED["fsdp"]
"""Without a card Accelerate shards nothing unless it takes the ranks for those of GPUs, which these see to."""


def compiled(stack: str, place: Path, *settings: str) -> Path:
    target, layout, options = STACKS[stack]
    needs("torch", "transformers", "accelerate")
    if "deepspeed" in stack:
        needs("deepspeed")
        tool("g++", "DeepSpeed makes its AdamW with it, once")
    more = FOUR if stack == "hsdp" else ()
    return written(PLAN.format(target=target, layout=layout, options=options), *more, *settings)(place)


def lines(folder: Path, *script: str, **more: str) -> list[dict[str, Any]]:
    """What the script logs of each step."""
    path = os.pathsep.join((more.pop("PYTHONPATH", ""), str(PROGRAMS), os.environ.get("PYTHONPATH", "")))
    done = subprocess.run(
        ["bash", str(folder / "launch.sh"), *script],
        cwd=folder,
        env=environment(MASTER_PORT=free_port(), PYTHONPATH=path.strip(os.pathsep), **more),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"step"')]


@pytest.mark.parametrize("stack", STACKS)
def test_trains_as_planned_and_resumes(stack: str, tmp_path: Path) -> None:
    folder = compiled(stack, tmp_path, "training.checkpoint_interval=234 ms")
    interval = int(quantity(folder, "checkpoint_interval_steps"))
    script = []
    if stack in SHARDED:
        (folder / "sharded.py").write_text(SHARDED[stack], encoding="utf-8")
        script = ["sharded.py"]
    whole = lines(folder, *script, **watched(tmp_path / "watched"))
    agrees(folder, tmp_path / "watched")
    assert [seen["step"] for seen in whole] == list(range(1, 13))
    assert [seen["rate"] for seen in whole] == pytest.approx(rates(stack))
    assert whole[-1]["loss"] < whole[0]["loss"] - 1
    assert all(seen["seconds"] > 0 for seen in whole)
    saved = {int(one.name.rpartition("-")[2]): one for one in (folder / "checkpoints").iterdir() if one.is_dir()}
    assert 1 < interval < 12 and sorted(saved) == sorted({*range(interval, 13, interval), 12})
    shutil.rmtree(saved[12])
    again = lines(folder, *script)
    assert [(seen["step"], seen["loss"], seen["rate"]) for seen in again] == [
        (seen["step"], seen["loss"], seen["rate"]) for seen in whole[sorted(saved)[-2] :]
    ]


def rates(stack: str) -> list[float]:
    """Two steps of warm-up, then a cosine to a tenth. The Trainer of transformers begins with a step at 0."""
    first = 0 if stack.startswith("trainer") else 1
    rising = [0.02 * (step + first) / 2 for step in range(2)]
    return rising + [0.02 * (0.1 + 0.9 * (1 + math.cos(math.pi * step / 10)) / 2) for step in range(10)]


@pytest.mark.parametrize("stack", ["ddp", "deepspeed 3", "trainer of ddp"])
def test_reads_the_data_that_is_named(stack: str, tmp_path: Path) -> None:
    """One token over and over, which is learnt to the end; what is made up has a loss of at least ln 8."""
    needs("numpy", "torch")
    command = [sys.executable, "-c", "import numpy, sys; numpy.save(sys.argv[1], numpy.full(600, 5, 'uint16'))"]
    subprocess.run([*command, str(tmp_path / "the tokens.npy")], check=True)
    folder = compiled(stack, tmp_path, f'dataset.path="{tmp_path}/the tokens.npy"')
    assert lines(folder)[-1]["loss"] < 0.5
    assert lines(folder) == []  # nothing is left to do


@pytest.mark.parametrize("stack", ["ddp", "deepspeed 3", "trainer of ddp"])
def test_stops_at_another_model(stack: str, tmp_path: Path) -> None:
    folder = compiled(stack, tmp_path)
    launch = folder / "launch.sh"
    launch.write_text(launch.read_text().replace("LLMPLAN_MODEL_VOCAB=64", "LLMPLAN_MODEL_VOCAB=128"))
    with pytest.raises(AssertionError, match="parameters, the plan 24736"):
        lines(folder)


@pytest.mark.parametrize("stack", ["ddp", "deepspeed 3"])
def test_fine_tunes_weights_that_exist(stack: str, tmp_path: Path) -> None:
    """A folder stands for the name on the Hub, under which the plan's model is not published."""
    needs("torch", "transformers")
    command = [sys.executable, str(PROGRAMS / "make_llama.py"), str(tmp_path)]
    subprocess.run(command, check=True, env=environment())
    folder = compiled(stack, tmp_path, "training.task=finetune", f'model.hub="{tmp_path}/model"')
    seen = lines(folder)
    assert len(seen) == 12 and seen[-1]["loss"] < seen[0]["loss"] - 1


@pytest.mark.parametrize("stack", ["ddp", "deepspeed 3", "trainer of ddp"])
def test_stops_at_another_shape_of_as_many_parameters(stack: str, tmp_path: Path) -> None:
    needs("torch", "transformers")
    command = [sys.executable, str(PROGRAMS / "make_llama.py"), str(tmp_path)]
    subprocess.run(command, check=True, env=environment())
    named = f'{"huggingface.model" if "trainer" in stack else "model.hub"}="{tmp_path}/model"'
    folder = compiled(stack, tmp_path, "training.task=finetune", named, "model.heads=8", "model.kv_heads=8")
    with pytest.raises(AssertionError, match="'num_attention_heads': 4, 'num_key_value_heads': 4"):
        lines(folder)

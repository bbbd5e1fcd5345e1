"""Plans of different kinds, and the files that `llmplan compile` writes for them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from llmplan import cli
from llmplan.answer.schema.solution import Solution
from llmplan.emit.folder import Folder
from llmplan.emit.render import render
from llmplan.emit.write import write
from tests.emit.samples import emitting, having, solution, value
from tests.integration.watching import SHOWN

ROOT = Path(__file__).resolve().parents[2]

TINY = (
    """
## Two layers on two processes: little enough work for CPUs.
model {{ layers = 2, hidden = 32, heads = 4, ffn = 64, gated_mlp = true, vocab = 64 }}
dataset {{ tokens = 1024, sequence_length = 16 }}
hardware {{ gpu = "RTX-4090", gpus = 2, gpus_per_node = 2 }}
parallelism {{ zero_stage = {stage}, framework = {framework} }}
training {{
    precision     = bf16
    micro_batch   = 2
    global_batch  = 8 sequences
    recompute     = full
    learning_rate = 0.02
    warmup        = 2
    gradient_clipping = 0.1
}}
emit {targets}
"""
    + SHOWN
)

Files = Callable[[Path], Path]
"""Writes the files of a plan into a new folder and returns it."""


def compile_plan(plan: Path, folder: Path, *settings: str) -> Path:
    options = [part for setting in settings for part in ("--set", setting)]
    assert cli.run(["compile", str(plan), "-o", str(folder), *options]) == 0
    return folder


def shipped(name: str, *settings: str) -> Files:
    """A plan of the repository."""
    return lambda folder: compile_plan(ROOT / "plans" / f"{name}.plan", folder / "files", *settings)


def written(text: str, *settings: str) -> Files:
    """A plan of its own."""

    def files(folder: Path) -> Path:
        plan = folder / "test.plan"
        plan.write_text(text, encoding="utf-8")
        return compile_plan(plan, folder / "files", *settings)

    return files


def tiny(stage: int, framework: str, *targets: str, settings: tuple[str, ...] = ()) -> Files:
    return written(TINY.format(stage=stage, framework=framework, targets=", ".join(targets)), *settings)


def float8(stage: int, framework: str) -> Files:
    """Products in 8 bits, by Accelerate."""
    return written(
        TINY.replace("= bf16", "= fp8, kernels = compiled").format(
            stage=stage, framework=framework, targets="accelerate"
        )
    )


_SHARED = (
    TINY.replace("gpus = 2, gpus_per_node = 2", "gpus = {gpus}, gpus_per_node = 2")
    .replace("framework = {framework}", "framework = fsdp, context = 2{more}")
    .replace("{targets}", "accelerate")
)


def shared(stage: int) -> Files:
    """Two ranks of FSDP that share each sequence."""
    return written(_SHARED.format(stage=stage, gpus=2, more=""))


_EXPERTS = """model {{
    layers = 2, hidden = 32, heads = 4, head_dim = 4, rope_head_dim = 4, value_head_dim = 8, kv_lora_rank = 8
    q_lora_rank = 8
    ffn = 64, gated_mlp = true, vocab = 64, experts = 4, experts_per_token = 2, expert_ffn = 16, shared_experts = 1
    dense_layers = 1, router_score_bias = true, expert_groups = 2, model_type = {type}
}}
""" + TINY.partition("vocab = 64 }}\n")[2].replace("bf16", "fp32").replace(
    "gpus = 2, gpus_per_node = 2", "gpus = {gpus}, gpus_per_node = {gpus}"
).replace("{framework}", "deepspeed, expert = 2")  # fmt: skip


def split_experts(stage: int, gpus: int, targets: str, type: str = "deepseek_v3", more: str = "") -> Files:
    """Four experts, split over two ranks of DeepSpeed, in fp32."""
    return written(_EXPERTS.format(stage=stage, gpus=gpus, targets=targets, type=type) + more)


def made(plan: Solution) -> Files:
    """A solution that no plan reaches yet: the standard library does not model it."""

    def files(folder: Path) -> Path:
        contents, problems = render(plan)
        assert not problems, problems
        assert not write(Folder(folder / "files"), contents).problems
        return folder / "files"

    return files


def quantity(folder: Path, name: str, absent: float | str | None = None) -> float | str:
    """A value as `solution.json` has it; `absent` where a solution that was made up lacks it."""
    quantities = json.loads((folder / "solution.json").read_text(encoding="utf-8"))["quantities"]
    found: float | str = absent if name not in quantities and absent is not None else quantities[name]["value"]
    return found


_LARGE = solution()
_STAGE_3 = having(_LARGE, value("parallelism.zero_stage", 3.0))
_SHARDED = having(_STAGE_3, value("parallelism.framework", "fsdp"))

DEEPSPEED: dict[str, Files] = {
    "llama7b": shipped("llama7b"),
    "zero1_7b_h100": shipped("zero1_7b_h100"),
    "zero2_1b3_v100": shipped("zero2_1b3_v100"),
    "zero3_70b_h100": shipped("zero3_70b_h100"),
    "one_card": shipped("one_card"),
    "tensor": shipped("llama7b", "parallelism.tensor=8", "parallelism.zero_stage=2"),
    "tiny": tiny(2, "deepspeed", "deepspeed", "accelerate"),
    "offload": made(having(_STAGE_3, value("parallelism.offload", "all"))),
    "nvme": shipped(
        "zero3_70b_h100",
        "parallelism.offload=all",
        "parallelism.offload_to=nvme",
        "hardware.nvme_bandwidth=28 GB/s",
        'hardware.nvme_path="/local/nvme"',
    ),
    "experts": written(
        TINY.format(stage=3, framework="deepspeed", targets="accelerate").replace("model {", 'model "olmoe-1b-7b" {')
    ),
    "split_experts": split_experts(3, 2, "deepspeed, accelerate"),
    "gradients_in_fp32": shipped("llama7b", "training.gradient_dtype=fp32", "parallelism.zero_stage=2"),
}
ACCELERATE: dict[str, Files] = {
    **DEEPSPEED,
    "context": shipped("zero3_70b_h100", "parallelism.context=2"),
    "ddp": tiny(0, "ddp", "accelerate"),
    "fsdp2": tiny(2, "fsdp", "accelerate"),
    "fsdp3": tiny(3, "fsdp", "accelerate"),
    "fsdp_offload": made(emitting(having(_SHARDED, value("parallelism.offload", "all")), "accelerate")),
    "fsdp_replicas": made(emitting(having(_SHARDED, value("parallelism.replicas", 11.0)), "accelerate")),
    "fsdp_context": shared(3),
    "fsdp_context_replicas": written(_SHARED.format(stage=3, gpus=8, more=", replicas = 2")),
    "fsdp_float8": float8(3, "fsdp"),
    "flat2": tiny(2, "fsdp", "accelerate", settings=("accelerate.fsdp_version=1",)),
    "flat_replicas": written(
        TINY.format(stage=3, framework="fsdp", targets="accelerate"),
        "hardware.gpus=4",
        "parallelism.replicas=2",
        "accelerate.fsdp_version=1",
    ),
    "ddp_float8": float8(0, "ddp"),
    "one_card_fp32": written(
        TINY.format(stage=0, framework="ddp", targets="accelerate")
        .replace("bf16", "fp32")
        .replace("gpus = 2,", "gpus = 1,")
    ),
}
OPTIMIZERS: dict[str, Files] = {
    name: made(having(_LARGE, value("training.optimizer", name)))
    for name in ("adam", "lion", "sgd", "adafactor", "muon", "adamw_8bit")
}

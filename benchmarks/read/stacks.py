"""Which stack of the catalog a record's words mean, and what the record itself says of its software.

Input is a record; output are settings: the stack's name, which brings its facts from `plans/catalog/stacks.plan`, and
above it what the record states of kernels, loss and number formats.
"""

from __future__ import annotations

from benchmarks.read.recipes import recomputed_modules
from benchmarks.read.record import Record, Settings, texts

_DTYPES = {"parameters": "parameter", "gradients": "gradient", "optimizer": "optimizer", "master": "master"}
_INPUTS = {
    "kernels": "training.kernels",
    "loss": "training.loss",
    "gradient_fusion": "training.gradient_fusion",
    "dropout": "training.dropout",
    "vocab_parallel": "parallelism.vocab_parallel",
    "keep_gathered": "parallelism.keep_gathered",
    "attention_8bit": "training.attention_8bit",
    "tp_overlap": "parallelism.tensor_overlap",
    "dp_overlap": "parallelism.data_overlap",
    "ep_overlap": "parallelism.expert_overlap",
}
"""Settings that are one input each."""

_ATTENTION = {
    "standard": {"training.attention": "standard"},
    "flash2": {"training.flash_kernel": "ampere"},
    **{kernel: {"training.flash_kernel": "native"} for kernel in ("flash3", "cudnn", "te", "native")},
}
"""Attention kernels by the words of records; of others it is known only that they are flash kernels."""


_DISPATCHERS = {"allgather": "allgather", "all-to-all": "alltoall", "DeepEP": "deepep", "HybridEP": "hybridep"}
"""What brings tokens to their experts, by the words of records."""

_BENCHMARKS = {
    "llm-foundry": "llm-foundry-benchmark",
    "unsloth": "unsloth-benchmark",
    "nanotron": "nanotron-benchmark",
}
"""Stacks of tables, by the trainer that a record names."""


def framework(record: Record) -> str:
    """The framework whose rules hold, in the words of `parallelism.framework`."""
    sharding = record.parallel.get("data_sharding")
    if deepspeed_engine(record):
        return "deepspeed"
    named = {
        "megatron-lm": "megatron",
        "nemo": "megatron",
        "nanotron": "megatron",
        "deepspeed": "deepspeed",
        "torchtitan": "torchtitan",
        "llm-foundry": "fsdp",
        "ddp": "ddp",
    }.get(record.framework)
    if sharding in ("fsdp_full", "fsdp_hybrid"):
        return "torchtitan" if named == "torchtitan" else "fsdp"
    if named is not None:
        return "fsdp" if named == "fsdp" and sharding != "zero2" else named
    if sharding in ("zero1", "zero2", "zero3"):
        return "deepspeed"
    return "megatron" if sharding == "distributed_optimizer" else "ddp"


def deepspeed_engine(record: Record) -> bool:
    """Whether another trainer runs the model in DeepSpeed's engine."""
    return record.framework != "deepspeed" and "DeepSpeed" in (record.said("software.stack") or ())


def megatron_deepspeed(record: Record) -> bool:
    """Whether Megatron's modules run under DeepSpeed: GPT with DeepSpeed, or anything that is split further."""
    split = record.degree("tp") * record.degree("pp") > 1
    return record.framework == "deepspeed" and (split or not record.model.get("gated_mlp"))


def recompute(record: Record) -> str | None:
    """What is recomputed: as the record says, else the stack's default; None where it has none."""
    defaults = {"torchtitan": "selective", "nanotron": "none", "nemo": "none", "megatron-lm": "none"}
    stated = record.said("recompute.granularity") or record.case.get("recompute")
    if not stated and recomputed_modules(record):
        return "selective"
    return stated or defaults.get(record.framework)


def software(record: Record) -> Settings:
    """The stack, whose facts the catalog has, and what a record says of its modules otherwise."""
    name = _stack(record)
    made: dict[str, object] = {} if name is None else {"stack": name}
    kernel = record.said("software.attention_kernel")
    if kernel is None and record.case.get("attention_impl") == "unfused":
        kernel = "standard"
    made |= {"training.attention": "flash"} | _ATTENTION.get(kernel, {})
    if record.said("software.compiled"):
        made["training.kernels"] = "compiled"
    for name, path in _INPUTS.items():
        section = "layout" if name in ("vocab_parallel", "keep_gathered") else "software"
        stated = record.said(f"{section}.{name}")
        if stated is not None:
            made[path] = stated
    return texts(made | _graphs(record) | _experts(record))


def _graphs(record: Record) -> dict[str, object]:
    """What is launched as recorded graphs. Of a dense layer's parts no effect on the host is known."""
    if record.said("software.cuda_graphs"):
        return {"training.cuda_graphs": "step"}
    parts = record.said("software.cuda_graph_parts")
    if parts is not None:
        return {"training.cuda_graphs": "parts" if {"attn", "moe_router"} & set(parts) else "none"}
    return {} if record.said("software.cuda_graphs") is None else {"training.cuda_graphs": "none"}


def _experts(record: Record) -> dict[str, object]:
    """How tokens reach their experts, and whether these compute in one kernel."""
    dispatcher, fused = record.said("moe.dispatcher"), record.said("moe.fused_experts")
    made: dict[str, object] = (
        {} if dispatcher not in _DISPATCHERS else {"parallelism.dispatcher": _DISPATCHERS[dispatcher]}
    )
    return made if fused is None else made | {"training.fused_experts": fused}


def _stack(record: Record) -> str | None:
    """The entry of `plans/catalog/stacks.plan` that a record's words mean; None for that of its framework."""
    used = framework(record)
    if record.framework in _BENCHMARKS:
        return _BENCHMARKS[record.framework]
    if record.framework == "nemo":
        return _nemo(record)
    if record.framework == "megatron-lm":
        return "megatron-fsdp-recipes" if used == "fsdp" else "megatron-lm-recipes"
    if megatron_deepspeed(record):
        return "megatron-deepspeed"
    if _swift(record):
        return "ms-swift-benchmark"
    if record.case["precision"] == "fp16" and deepspeed_engine(record):
        return "deepspeed-half"
    if record.framework != "deepspeed" and used == "deepspeed":
        return "zero-trainer"
    return None


def _nemo(record: Record) -> str:
    if record.said("software.release") is not None:
        return "nemo-performance"
    # AMD's submissions to MLPerf have other recipes.
    if record.case.get("framework_detail") or _round(record) < 4:
        return "nemo-recipes"
    return "nemo-mlperf-5" if _round(record) >= 5 else "nemo-mlperf-4"


def _swift(record: Record) -> bool:
    return (record.case.get("framework_detail") or "").startswith("ms-swift")


def _round(record: Record) -> float:
    """The round of MLPerf that a run was submitted to, 0 for any other run."""
    try:
        return float(record.said("software.benchmark_round") or 0)
    except ValueError:
        return 0.0


def dtypes(record: Record) -> Settings:
    """Number formats, each as stated; the others are left to the stack."""
    if record.case.get("dtypes"):
        stated = record.case["dtypes"]
        return {f"training.{own}_dtype": stated.get(name) or "none" for name, own in _DTYPES.items()}
    made = {}
    if framework(record) == "deepspeed" and record.said("software.optimizer") in ("adam_8bit", "adamw_8bit"):
        made = {"optimizer": "int8", "master": "fp32"}
    for own in ("parameter", "gradient", "optimizer", "master", "reduce"):
        stated = record.said(f"software.{own}_dtype")
        if stated is not None:
            made[own] = stated
    return {f"training.{own}_dtype": dtype for own, dtype in made.items()}

"""What a training stack does unless a record says otherwise: kernels, loss, number formats, layout.

The library knows the rules of the frameworks that it can emit for; what is here are stacks beside
them (NeMo, nanotron, LLM Foundry, Megatron under DeepSpeed), each as overrides of the library's.
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
    "cuda_graphs": "training.cuda_graphs",
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
    """Kernels, loss and what else the modules of the stack keep: as stated, else the stack's own."""
    made = _modules(record)
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
    return texts(made)


def _modules(record: Record) -> dict[str, object]:
    if record.framework == "nanotron":
        # Its modules: a gate that is not fused, gathered inputs that are kept, a fused norm.
        return {
            "training.kernels": "eager",
            "model.norm": "layernorm",
            "model.norm_bias": False,
            "parallelism.keep_gathered": True,
            "training.loss": "fused",
            "training.gradient_fusion": False,
        }
    if record.framework in ("megatron-lm", "nemo"):
        # Performance tables name the release; their recipes take Transformer Engine's loss.
        released = record.framework == "nemo" and record.said("software.release") is not None
        made: dict[str, object] = {
            "training.loss": "in_place" if released else "compiled",
            "training.kernels": "fused",
            "training.flash_kernel": "native",
            "parallelism.vocab_parallel": True,
            "training.gradient_fusion": framework(record) == "megatron",
        }
        # NeMo's recipes send what tensor parallelism splits along the sequence through user buffers.
        if record.framework == "nemo" and record.parallel.get("sequence_parallel"):
            made["parallelism.tensor_overlap"] = True
        # Submissions to MLPerf with NeMo record graphs (MCORE_CUDA_GRAPH) from round 5 on; AMD's do not.
        if _round(record) >= 5 and not record.case.get("framework_detail"):
            made["training.cuda_graphs"] = True
        # Those of LoRA turn on attention in 8 bits (FP8_DPA).
        if _round(record) >= 4 and record.task == "lora" and record.case["precision"] in ("fp8", "nvfp4"):
            made["training.attention_8bit"] = not record.case.get("framework_detail")
        # Megatron-LM itself drops unless it is told not to; recipes for models with a gate tell it.
        if record.framework == "megatron-lm" and not record.model.get("gated_mlp"):
            made["training.dropout"] = "0.1"
        return made
    if megatron_deepspeed(record):
        made = {
            "training.kernels": "fused",
            "parallelism.vocab_parallel": True,
            "training.loss": "compiled" if record.degree("pp") > 1 else "fused",
            "training.dropout": "0.1",
        }
        # Where ranks sum gradients, releases of 2021 and 2022 hold a bucket and its copy: 2 GB measured.
        return made | ({"parallelism.reduce_bucket": "1000M params"} if record.degree("dp") > 1 else {})
    if record.framework == "llm-foundry":
        return {"training.kernels": "fused", "training.loss": "fused"}
    if record.framework == "unsloth":
        return {"training.loss": "linear", "training.kernels": "in_place"}
    if _swift(record):
        return {"training.update": "foreach"}  # PyTorch's AdamW before 2.8
    if record.case["precision"] == "fp16" and deepspeed_engine(record):
        return {"training.loss": "compiled"}  # its engine casts the model, so that logits stay in 16 bits
    if record.framework != "deepspeed" and framework(record) == "deepspeed":
        return {"parallelism.data_overlap": True}  # others that split optimizer states send gradients as they come
    return {}


def _swift(record: Record) -> bool:
    return (record.case.get("framework_detail") or "").startswith("ms-swift")


def _round(record: Record) -> float:
    """The round of MLPerf that a run was submitted to, 0 for any other run."""
    try:
        return float(record.said("software.benchmark_round") or 0)
    except ValueError:
        return 0.0


def dtypes(record: Record) -> Settings:
    """Number formats, each as stated, else by the stack's recipes, else left to the library."""
    if record.case.get("dtypes"):
        stated = record.case["dtypes"]
        return {f"training.{own}_dtype": stated.get(name) or "none" for name, own in _DTYPES.items()}
    made = _formats(record)
    for own in ("parameter", "gradient", "optimizer", "master", "reduce"):
        stated = record.said(f"software.{own}_dtype")
        if stated is not None:
            made[own] = stated
    return {f"training.{own}_dtype": dtype for own, dtype in made.items()}


def _formats(record: Record) -> dict[str, str]:
    used, precision = framework(record), record.case["precision"]
    if record.framework == "nemo" and record.model.get("attention_kind") == "mla":
        return {"gradient": "bf16", "optimizer": "bf16"}  # its recipes for DeepSeek's family
    if record.framework == "nemo" and precision in ("fp8", "mxfp8", "nvfp4"):
        return {"gradient": "bf16"}  # its recipes for 8 bits sum gradients in 16
    if record.framework == "megatron-lm" and used == "fsdp":
        return {"parameter": "bf16", "gradient": "fp32", "master": "fp32"}  # buffers of Megatron's own FSDP
    if _swift(record) and record.task == "sft":
        # Weights are loaded in the checkpoint's format, and there is no other copy.
        return {"parameter": "bf16", "gradient": "bf16", "optimizer": "bf16", "master": "none"}
    if used != "deepspeed":
        return {}
    made = {"gradient": "fp32"} if precision == "bf16" and megatron_deepspeed(record) else {}
    if record.said("software.optimizer") in ("adam_8bit", "adamw_8bit"):
        made |= {"optimizer": "int8", "master": "fp32"}
    return made

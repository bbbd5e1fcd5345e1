"""What a measured run says, as inputs of a plan: the one place where a case becomes a plan.

Only configuration is read, never what was measured. What a record does not say is left to the
library's defaults where the framework has one, else the case cannot be expressed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import ceil
from typing import Any

from attrs import frozen

Case = Mapping[str, Any]
Settings = dict[str, str]

SIZES = {"fp32": "fp32", "fp16": "fp16", "bf16": "bf16", "fp8": "fp8", "mxfp8": "mxfp8", "nvfp4": "nvfp4"}
MODULES = {
    "core_attn": "core",
    "layernorm": "norms",
    "mlp": "mlp",
    "moe": "experts",
    "moe_act": "expert_activation",
    "mla_up_proj": "latents",
}
"""Names of Megatron's selective recompute, and the fields `training.recompute_…` that they mean."""

GPT2_VOCABULARY = 50_257
"""Of the tokenizer with which GPT is trained in Megatron, also under DeepSpeed, where nothing else is said."""


class Inexpressible(Exception):
    """The case is no plan of this library; the argument says why."""


@frozen
class Reading:
    """What an instrument showed: which quantity it is, and on which stage it was read (empty: the fullest)."""

    kind: str
    stage: str = ""


def settings(case: Case, knows: Callable[[str, str], bool]) -> Settings:
    """The inputs of a case, by path.

    Args:
        knows: Whether the catalog has an entry of a kind and name. An accelerator that it lacks is left out; a
            model that it has gives what the record leaves out.

    Raises:
        Inexpressible: with the reason.
    """
    task = case.get("task") or "pretrain"
    if task == "inference":
        return _model(case, knows) | _serving(case)
    if task not in ("pretrain", "sft", "lora", "qlora"):
        raise Inexpressible(f"{task} is not modelled yet")
    if case.get("precision") not in SIZES:
        raise Inexpressible(f"precision {case.get('precision')} is not modelled")
    framework = _framework(case)
    made = {
        **_model(case, knows),
        **_layout(case, framework),
        **_run(case, framework),
        **_software(case, framework),
        **_stages(case),
        **(_adapter(case) if task in ("lora", "qlora") else {}),
    }
    if case.get("gpu") and knows("gpu", case["gpu"]):
        made["hardware.gpu"] = case["gpu"]
    return made


def reading(case: Case) -> Reading:
    """Which quantity the memory reading of a case is: of an unnamed instrument what its framework logs, of a run
    without a reading what it needs."""
    if case.get("task") == "inference":
        return Reading("inference")
    if case["framework"] == "nemo" and _framework(case) == "fsdp" and case.get("gpu") in ("GB200", "GB300"):
        raise Inexpressible("memory: recipes for FSDP on Grace offload activations, by a share that is not stated")
    kind = case["measured"].get("memory_kind")
    if case["measured"].get("memory_gb") is None:
        kind = "needed"
    elif kind is None or kind == "unstated":
        logged = {"nanotron": "reserved", "torchtitan": "reserved", "deepspeed": "nvidia-smi", "nemo": "allocated"}
        kind = logged.get(case["framework"], "reserved")
        if "nvidia-smi" in (case["measured"].get("memory_detail") or ""):
            kind = "nvidia-smi"
    return Reading(kind, "last" if "LAST rank" in case.get("notes", "") else "")


def _framework(case: Case) -> str:
    """The framework whose rules hold, in the words of `parallelism.framework`."""
    sharding = case["parallel"].get("data_sharding")
    named = {
        "megatron-lm": "megatron",
        "nemo": "megatron",
        "nanotron": "megatron",
        "deepspeed": "deepspeed",
        "torchtitan": "torchtitan",
        "llm-foundry": "fsdp",
        "ddp": "ddp",
    }.get(case["framework"])
    if sharding in ("fsdp_full", "fsdp_hybrid"):
        return "torchtitan" if named == "torchtitan" else "fsdp"
    if named is not None:
        return "fsdp" if named == "fsdp" and sharding != "zero2" else named
    if sharding in ("zero1", "zero2", "zero3"):
        return "deepspeed"
    return "megatron" if sharding == "distributed_optimizer" else "ddp"


def _model(case: Case, knows: Callable[[str, str], bool]) -> Settings:
    model = case["model"]
    for name in ("layers", "hidden"):
        if model.get(name) is None:
            raise Inexpressible(f"the model's {name} is not stated")
    if "hybrid Mamba" in case.get("notes", ""):
        raise Inexpressible("a hybrid Mamba model is not modelled")
    megatron = case["framework"] == "megatron-lm" or _megatron_deepspeed(case)
    vocab = model.get("vocab") or (GPT2_VOCABULARY if megatron else None)
    if vocab is None or model.get("ffn") is None:
        raise Inexpressible("the model's vocabulary or feed-forward width is not stated")
    hidden, gated = model["hidden"], bool(model.get("gated_mlp"))
    # Where heads are not stated: as wide as usual. They matter to the core of standard attention alone.
    heads = model.get("heads") or next(hidden // d for d in (128, 100, 96, 80, 64, 1) if hidden % d == 0)
    notes = case.get("notes", "")
    bias = "bias=True" in notes or (not gated and "bias=" not in notes)
    made = {
        "model.layers": model["layers"],
        "model.hidden": hidden,
        "model.heads": heads,
        "model.kv_heads": model.get("kv_heads") or heads,
        "model.head_dim": model.get("head_dim") or hidden // heads,
        "model.ffn": model["ffn"],
        "model.gated_mlp": _word(gated),
        "model.vocab": vocab,
        "model.tied_embeddings": _word(bool(model.get("tied_embeddings"))),
        "model.norm": "rmsnorm" if gated else "layernorm",
        "model.qkv_bias": _word(bias and not gated),
        "model.output_bias": _word(bias and not gated),
        "model.mlp_bias": _word(bias and not gated),
    }
    made |= _experts(case) if model.get("moe") else {}
    if model.get("attention_kind") == "mla":
        made |= _latents(case, knows)
    found = re.search(r"(\d+) MTP layer", notes)
    if found or "w/o MTP" in notes:
        made["model.prediction_layers"] = found[1] if found else 0
    return {path: str(value) for path, value in made.items()}


def _experts(case: Case) -> dict[str, object]:
    moe = case["model"]["moe"]
    notes = case.get("notes", "")
    dense = moe.get("dense_layers")
    found = re.search(r"moe-layer-freq \(\[0\]\*(\d+)\+\[1\]\*\d+\)", notes)
    if found:
        dense = int(found[1])
    forced = re.search(r"[Rr]outer (balance )?forced", notes)
    return {
        "model.experts": moe["experts"],
        "model.experts_per_token": moe["top_k"],
        "model.expert_ffn": moe["expert_ffn"],
        "model.shared_experts": moe.get("shared_experts") or 0,
        "model.dense_layers": dense or 0,
    } | ({"training.expert_imbalance": 1} if forced else {})


def _latents(case: Case, knows: Callable[[str, str], bool]) -> dict[str, object]:
    """The ranks of latent attention, as stated, else as the catalog's model of that name has them."""
    found = re.search(r"q_lora (\d+), kv_lora (\d+), qk (\d+)\+(\d+), v (\d+)", case.get("notes", ""))
    if found:
        names = ("q_lora_rank", "kv_lora_rank", "head_dim", "rope_head_dim", "value_head_dim")
        return {f"model.{name}": value for name, value in zip(names, found.groups())}
    if not knows("model", case["model"].get("name") or ""):
        raise Inexpressible("the ranks of latent attention are not stated")
    return {"model": case["model"]["name"]}


def _layout(case: Case, framework: str) -> Settings:
    parallel = case["parallel"]
    split = {name: parallel.get(name) or 1 for name in ("tp", "pp", "vpp", "cp", "ep")}
    if parallel.get("tp") is None or parallel.get("pp") is None:
        raise Inexpressible("the layout is not stated")
    if parallel.get("offload"):
        raise Inexpressible(f"offloading of {parallel['offload']} is not modelled")
    copies = split["tp"] * split["pp"] * split["cp"]
    made: dict[str, object] = {
        "parallelism.framework": framework,
        "parallelism.tensor": split["tp"],
        "parallelism.pipeline": split["pp"],
        "parallelism.virtual_pipeline": split["vpp"],
        "parallelism.context": split["cp"],
        "parallelism.expert": split["ep"],
        "parallelism.sequence_parallel": _word(bool(parallel.get("sequence_parallel"))),
        "parallelism.zero_stage": _stage(parallel, framework),
        "hardware.gpus": _gpus(case, copies, split["ep"]),
    }
    notes = case.get("notes", "")
    found = re.search(r"expert TP (\d+)", notes)
    if split["ep"] > 1 or case["model"].get("moe"):
        own = split["tp"] if case["framework"] == "megatron-lm" else 1
        made["parallelism.expert_tensor"] = int(found[1]) if found else own
    found = re.search(r"(\d+) distributed-optimizer instances", notes)
    if found:
        made["parallelism.replicas"] = found[1]
    return {path: str(value) for path, value in made.items()}


def _stage(parallel: Mapping[str, Any], framework: str) -> int:
    stages = {
        "ddp": 0, "zero1": 1, "distributed_optimizer": 1, "zero2": 2, "zero3": 3, "fsdp_full": 3, "fsdp_hybrid": 3,
    }  # fmt: skip
    sharding = parallel.get("data_sharding")
    if sharding in stages:
        return stages[sharding]
    if parallel.get("dp") == 1:
        return 0
    if framework == "megatron":
        return 1  # its recipes use the distributed optimizer
    raise Inexpressible("what data parallelism splits is not stated")


def _gpus(case: Case, copies: int, expert: int) -> int:
    parallel = case["parallel"]
    if case.get("gpus"):
        return int(case["gpus"])
    if parallel.get("dp"):
        return int(parallel["dp"] * copies)
    if parallel.get("data_sharding") == "ddp":
        return copies * int(expert)  # nothing is split over the copies, so that their number does not matter
    raise Inexpressible("the number of GPUs is not stated")


def _run(case: Case, framework: str) -> Settings:
    recompute = case.get("recompute") or {"torchtitan": "selective", "nanotron": "none"}.get(case["framework"])
    if recompute is None:
        raise Inexpressible("recompute is not stated")
    if not case.get("micro_batch") or not case.get("seq_len"):
        raise Inexpressible("micro-batch or sequence length is not stated")
    made = {
        "dataset.sequence_length": f"{case['seq_len']} tokens",
        "training.micro_batch": case["micro_batch"],
        "training.precision": SIZES[case["precision"]],
        "training.recompute": recompute,
    }
    if case.get("global_batch") and case.get("gpus"):
        made["training.global_batch"] = f"{case['global_batch']} sequences"
    made |= {f"training.{name}_dtype": dtype for name, dtype in _dtypes(case, framework).items()}
    if recompute == "selective" and framework != "torchtitan":
        found = re.search(r"(?:modules\s*=\s*|same layout \()\[([^\]]*)\]", case.get("notes", ""))
        modules = re.findall(r"\w+", found[1]) if found else ["core_attn"]
        made["training.recompute_core"] = _word("core_attn" in modules)
        made |= {f"training.recompute_{MODULES[m]}": "true" for m in modules if m in MODULES}
    return {path: str(value) for path, value in made.items()}


def _dtypes(case: Case, framework: str) -> dict[str, str]:
    names = {"parameters": "parameter", "gradients": "gradient", "optimizer": "optimizer", "master": "master"}
    if case.get("dtypes"):
        stated = case["dtypes"]
        return {own: stated.get(name) or "none" for name, own in names.items()}
    if case["framework"] == "nemo" and case["model"].get("attention_kind") == "mla":
        return {"gradient": "bf16", "optimizer": "bf16"}  # its recipes for DeepSeek's family
    if case["framework"] == "nemo" and case["precision"] in ("fp8", "mxfp8", "nvfp4"):
        return {"gradient": "bf16"}  # its recipes for 8 bits sum gradients in 16
    if case["framework"] == "megatron-lm" and framework == "fsdp":
        return {"parameter": "bf16", "gradient": "fp32", "master": "fp32"}  # buffers of Megatron's own FSDP
    if framework == "deepspeed":
        made = {"gradient": "fp32"} if case["precision"] == "bf16" and _megatron_deepspeed(case) else {}
        if "8-bit" in case.get("notes", "") or "8bit" in case["id"]:
            made |= {"optimizer": "int8", "master": "fp32"}
        return made
    if framework == "ddp":
        half = "fp16" if case["precision"] == "fp16" else "bf16"
        return {"parameter": half, "gradient": half, "optimizer": half, "master": "none"} if (
            "pure bfloat16" in case.get("notes", "")
        ) else {}
    return {}


def _megatron_deepspeed(case: Case) -> bool:
    """Whether Megatron's modules run under DeepSpeed: GPT with DeepSpeed, or anything that is split further."""
    parallel = case["parallel"]
    split = (parallel.get("tp") or 1) * (parallel.get("pp") or 1) > 1
    return case["framework"] == "deepspeed" and (split or not case["model"].get("gated_mlp"))


def _software(case: Case, framework: str) -> Settings:
    """What the modules of the framework keep."""
    notes = case.get("notes", "")
    unfused = case.get("attention_impl") == "unfused"
    made = {"training.attention": "standard" if unfused else "flash"}
    if case["framework"] == "nanotron":
        # Its modules: a gate that is not fused, gathered inputs that are kept, a fused norm.
        made |= {
            "training.kernels": "eager",
            "model.norm": "layernorm",
            "model.norm_bias": "false",
            "parallelism.keep_gathered": "true",
            "training.loss": "fused",
            "training.gradient_fusion": "false",
        }
    elif case["framework"] in ("megatron-lm", "nemo"):
        made["training.loss"] = "fused" if "Cross-entropy fusion on" in notes else "compiled"
        made["training.kernels"] = "fused"
        made["training.flash_kernel"] = "native"
        made["parallelism.vocab_parallel"] = "true"
        made["training.gradient_fusion"] = _word(
            framework == "megatron" and "fusion off" not in notes and "_lts_" not in notes
        )
        # Megatron-LM's own tests keep the default of its arguments.
        if case["framework"] == "megatron-lm" and not case["model"].get("gated_mlp") and "Flags" in notes:
            made["training.dropout"] = "0.1"
    elif _megatron_deepspeed(case):
        made |= {
            "training.kernels": "fused",
            "parallelism.vocab_parallel": "true",
            "training.loss": "compiled" if (case["parallel"].get("pp") or 1) > 1 else "fused",
            "training.dropout": "0.1",
        }
    elif case["precision"] == "fp16" and "DeepSpeed" in notes:
        made["training.loss"] = "compiled"  # its engine casts the model, so that logits stay in 16 bits
    elif case["framework"] == "llm-foundry":
        made |= {"training.kernels": "fused", "training.loss": "fused"}
    return made


def _stages(case: Case) -> Settings:
    """Uneven stages, where a record says how they are cut."""
    layers, stages = case["model"]["layers"], case["parallel"].get("pp") or 1
    if stages == 1:
        return {}
    chunks = stages * (case["parallel"].get("vpp") or 1)
    slots = "embedding layers counted as pipeline slots" in case.get("notes", "")
    if slots or (case["framework"] == "megatron-lm" and layers % chunks and (layers + 2) % chunks == 0):
        # Embedding and head take the place of a layer each.
        ends = ceil((layers + 2) / stages) - 1
        return {"parallelism.first_stage_layers": str(ends), "parallelism.last_stage_layers": str(ends)}
    if case["framework"] == "nanotron":
        # Stages are cut by computation, in which the head counts as so many layers.
        model = case["model"]
        layer = 4 * model["hidden"] ** 2 + 3 * model["hidden"] * model["ffn"]
        head = model["vocab"] * model["hidden"] / layer
        first = min(layers - stages + 1, round((layers + head) / stages))
        return {"parallelism.first_stage_layers": str(first)}
    return {}


def _adapter(case: Case) -> Settings:
    """What is trained beside frozen weights."""
    notes = case.get("notes", "")
    other = re.search(r"weights bf16-true\. (adapter\w*),", notes)
    if other:
        raise Inexpressible(f"{other[1]} is not modelled")
    quantized = case["task"] == "qlora"
    made = {"adapter.method": "qlora" if quantized else "lora"}
    found = re.search(r"rank (\d+)", notes)
    if found:
        made["adapter.rank"] = found[1]
    counted = re.search(r"([\d,]+) trainable parameters", notes)
    if counted:
        made["adapter.params"] = f"{counted[1].replace(',', '')} params"
    made |= _targets(case)
    if "Embedding and output layers also trained" in notes:
        made["adapter.embeddings"] = "true"
    bits = re.search(r"bnb\.nf4(-dq)?|GPTQ Int4|FP8 base", notes)
    sizes = {"bnb.nf4": "0.5625", "bnb.nf4-dq": "0.516", "GPTQ Int4": "0.52", "FP8 base": "1"}
    if bits:
        # A scale in fp32 for 64 weights, the same quantized again, in fp16 with a zero for 128, none.
        made["adapter.base_bytes"] = f"{sizes[bits[0]]} bytes/parameter"
        if "bnb" in bits[0]:
            made["adapter.rest_bytes"] = "2 bytes/parameter"  # LitGPT does not prepare models as PEFT does
    return made


TARGETS = {
    "attention projections": ("q_proj", "k_proj", "v_proj", "o_proj"),
    "c_attn, c_proj, w1, w2": ("c_attn", "c_proj", "gate_proj", "up_proj"),
}
"""Matrices that get adapters, as records name them. Of Qwen's first models w1 and w2 are the first products."""


def _targets(case: Case) -> Settings:
    """Which matrices get adapters and how their inputs are dropped, where a record or its script's default says it."""
    notes = case.get("notes", "")
    named = [name for words, names in TARGETS.items() if words in notes for name in names]
    if case.get("framework_detail") == "litgpt":
        named = ["query_key_value"]  # queries and values, which are parts of one matrix there
    made = {"adapter.targets": "[" + ", ".join(f'"{name}"' for name in named) + "]"} if named else {}
    if case.get("framework_detail") == "litgpt" or "Qwen finetune script" in notes:
        made["adapter.dropout"] = "0.05"
    return made


ANSWERING = {
    "bf16": ("bf16", "bf16"),
    "fp16": ("fp16", "fp16"),
    "bf16 weights, int8 KV cache": ("bf16", "int8"),
}
"""Formats of weights and cache. Of weights in 8 or 4 bits tables stay in 16, which the library does not have yet."""


def _serving(case: Case) -> Settings:
    """What a model answers: only how long questions and answers are together matters to memory."""
    if case.get("precision") not in ANSWERING:
        raise Inexpressible("tables in 16 bits beside weights of 8 or 4 are not modelled")
    if not case.get("seq_len"):
        raise Inexpressible("the length of question and answer is not stated")
    weights, cache = ANSWERING[case["precision"]]
    return {
        "serving.precision": weights,
        "serving.kv_precision": cache,
        "serving.batch": str(case.get("micro_batch") or 1),
        "serving.input_tokens": "0 tokens",
        "serving.output_tokens": f"{case['seq_len']} tokens",
    }


def _word(value: bool) -> str:
    return "true" if value else "false"

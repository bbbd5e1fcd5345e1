"""What a measured run says, as inputs of a plan: the one place where a case becomes a plan.

Only configuration is read, never what was measured. What a record does not say is left to the rules
of its stack and to the library's defaults, else the case cannot be expressed. Every field of a record is
read here and nowhere else, which is why the module is longer than others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import ceil

from attrs import frozen

from benchmarks.read.recipes import offloaded_share, recomputed_modules
from benchmarks.read.record import Case, Inexpressible, Record, Settings, texts, word
from benchmarks.read.shape import shape
from benchmarks.read.stacks import dtypes, framework, recompute, software
from llmplan.system.divisors import divisors

PRECISIONS = ("fp32", "fp16", "bf16", "fp8", "mxfp8", "nvfp4")
RECOMPUTE = ("none", "selective", "full")
"""The least first: where neither record nor stack says it, the first that fits is taken."""

MODULES = {
    "core_attn": "core",
    "layernorm": "norms",
    "mlp": "mlp",
    "moe": "experts",
    "moe_act": "expert_activation",
    "mla_up_proj": "latents",
}
"""Names of Megatron's selective recompute, and the fields `training.recompute_…` that they mean."""


@frozen
class Reading:
    """What an instrument showed: which quantity it is, and on which stage it was read (empty: the fullest)."""

    kind: str
    stage: str = ""


def settings(case: Case, knows: Callable[[str, str], bool], recomputed: str | None = None) -> Settings:
    """The inputs of a case, by path.

    Args:
        knows: Whether the catalog has an entry of a kind and name. An accelerator that it lacks is left out; a
            model that it has gives what the record leaves out.
        recomputed: What is recomputed, for a case that does not say it (`unsaid_recompute`).

    Raises:
        Inexpressible: with the reason.
    """
    record = Record(case)
    if record.task == "inference":
        return shape(record, knows) | _serving(record)
    if record.task not in ("pretrain", "sft", "lora", "qlora"):
        raise Inexpressible(f"{record.task} is not modelled yet")
    if case.get("precision") not in PRECISIONS:
        raise Inexpressible(f"precision {case.get('precision')} is not modelled")
    made = {
        **shape(record, knows),
        **_layout(record),
        **_run(record, recompute(record) or recomputed),
        **software(record),
        **_stages(record),
        **(_adapter(record) if record.task in ("lora", "qlora") else {}),
    }
    if case.get("gpu") and knows("gpu", case["gpu"]):
        made["hardware.gpu"] = case["gpu"]
        made |= _site(record)
        if record.site("matmul_ceiling"):
            made["hardware.matmul_ceiling"] = str(record.site("matmul_ceiling"))
    elif case.get("gpu_memory_gb"):
        made["gpu.memory"] = f"{case['gpu_memory_gb']} GiB"
    return made


def unsaid_recompute(case: Case) -> bool:
    """Whether neither the record nor its stack says what is recomputed."""
    record = Record(case)
    return record.task != "inference" and recompute(record) is None


def reading(case: Case) -> Reading:
    """Which quantity the memory reading of a case is: of an unnamed instrument what its framework logs, of a run
    without a reading what it needs."""
    record = Record(case)
    if record.task == "inference":
        return Reading("inference")
    if _offloads_on_grace(record) and offloaded_share(record) is None:
        raise Inexpressible("memory: recipes for FSDP on Grace offload activations, by a share that is not stated")
    kind = record.said("reading.kind") or case["measured"].get("memory_kind")
    if case["measured"].get("memory_gb") is None:
        kind = "needed"
    elif kind is None or kind == "unstated":
        kind = {"nanotron": "reserved", "torchtitan": "reserved", "nemo": "allocated"}.get(
            record.framework, "nvidia-smi"
        )
    return Reading(kind, "last" if record.said("reading.statistic") == "last rank" else "")


def _offloads_on_grace(record: Record) -> bool:
    return record.framework == "nemo" and framework(record) == "fsdp" and record.case.get("gpu") in ("GB200", "GB300")


def _layout(record: Record) -> Settings:
    parallel = record.parallel
    if parallel.get("tp") is None or parallel.get("pp") is None:
        raise Inexpressible("the layout is not stated")
    tensor, pipeline, context, expert = (record.degree(name) for name in ("tp", "pp", "cp", "ep"))
    copies = tensor * pipeline * context
    gpus = _gpus(record, copies, expert)
    made: dict[str, object] = {
        "parallelism.framework": framework(record),
        "parallelism.tensor": tensor,
        "parallelism.pipeline": pipeline,
        "parallelism.virtual_pipeline": _chunks(record),
        "parallelism.context": context,
        "parallelism.expert": expert,
        "parallelism.sequence_parallel": bool(parallel.get("sequence_parallel")),
        "parallelism.zero_stage": _zero_stage(record),
        "hardware.gpus": gpus,
    }
    if expert > 1 or record.model.get("moe"):
        own = tensor if record.framework == "megatron-lm" else 1
        made["parallelism.expert_tensor"] = record.said("layout.expert_tensor") or own
    group, replicas = record.said("layout.zero_group"), record.said("layout.replicas")
    if group is None and replicas is None and parallel.get("data_sharding") == "fsdp_hybrid":
        group = int(record.site("gpus_per_node") or 8)  # PyTorch's HYBRID_SHARD shards in a node
    if group:
        replicas = gpus // (tensor * pipeline) // group
    if replicas and replicas > 1:
        made["parallelism.replicas"] = replicas
    return texts(made) | _offload(record)


_OFFLOADED = {"attn_norm", "qkv_linear", "core_attn", "attn_proj", "mlp_norm", "expert_fc1", "moe_act"}
"""Megatron's modules whose inputs are what a layer stores."""


def _offload(record: Record) -> Settings:
    """What waits in host memory: a share of the optimizer, activations where it is known of how many layers."""
    share, activations = record.said("offload.optimizer_share"), record.said("offload.activations")
    what = record.parallel.get("offload") or record.said("offload.parts")
    if share is not None:
        return {"parallelism.offload": "optimizer", "parallelism.offload_share": str(share)} if share else {}
    if activations is True or set(activations or ()) >= _OFFLOADED or record.framework == "unsloth":
        return {"training.activation_offload": "1"} if what or activations else {}
    if activations:
        raise Inexpressible("offloading of some modules' activations is not modelled")
    if what:
        raise Inexpressible(f"offloading of {what} is not modelled")
    recipe = offloaded_share(record) if record.framework == "nemo" and framework(record) == "fsdp" else None
    return {"training.activation_offload": str(recipe)} if recipe else {}


def _chunks(record: Record) -> int:
    """The stages' chunks; unstated ones of NeMo's recipes hold two layers, where that divides."""
    layers, stages = record.model["layers"], record.degree("pp")
    unstated = record.said("layout.interleaving") == "unstated" and record.framework == "nemo"
    if not unstated or stages == 1 or layers % stages:
        return record.degree("vpp")
    own = layers // stages
    return max((int(chunks) for chunks in divisors(own) if chunks <= own // 2), default=1)


def _zero_stage(record: Record) -> int:
    stated = record.said("layout.zero_stage")
    if stated is not None:
        return int(stated)
    stages = {
        "ddp": 0, "zero1": 1, "distributed_optimizer": 1, "zero2": 2, "zero3": 3, "fsdp_full": 3, "fsdp_hybrid": 3,
    }  # fmt: skip
    sharding = record.parallel.get("data_sharding")
    if sharding in stages:
        return stages[sharding]
    if record.parallel.get("dp") == 1:
        return 0
    if framework(record) == "megatron":
        return 1  # its recipes use the distributed optimizer
    raise Inexpressible("what data parallelism splits is not stated")


def _gpus(record: Record, copies: int, expert: int) -> int:
    if record.case.get("gpus"):
        return int(record.case["gpus"])
    if record.parallel.get("dp"):
        return int(record.parallel["dp"] * copies)
    if record.parallel.get("data_sharding") == "ddp":
        return copies * expert  # nothing is split over the copies, so that their number does not matter
    raise Inexpressible("the number of GPUs is not stated")


def _site(record: Record) -> Settings:
    """The machine where it differs from the product: GPUs of a node and their share of its network."""
    made: Settings = {}
    gpus, rate = record.site("gpus_per_node"), record.site("internode_gbit_per_gpu")
    if rate:
        made["hardware.internode_bandwidth"] = f"{rate} Gbit/s/GPU"
        if gpus and record.case["gpu"] not in ("GB200", "GB300"):  # a tray holds 4 of the 72 on one network
            made["hardware.gpus_per_node"] = str(gpus)
    return made


def _run(record: Record, recomputed: str | None) -> Settings:
    case = record.case
    if recomputed is None:
        raise Inexpressible("recompute is not stated")
    if not case.get("micro_batch") or not case.get("seq_len"):
        raise Inexpressible("micro-batch or sequence length is not stated")
    made: dict[str, object] = {
        "dataset.sequence_length": f"{case['seq_len']} tokens",
        "training.micro_batch": case["micro_batch"],
        "training.precision": case["precision"],
        "training.recompute": recomputed,
    }
    if case.get("global_batch") and case.get("gpus"):
        made["training.global_batch"] = f"{case['global_batch']} sequences"
    if recomputed == "selective" and framework(record) != "torchtitan":
        modules = record.said("recompute.modules")
        if modules is None:
            modules = recomputed_modules(record)
        modules = ["core_attn"] if modules is None else modules
        made["training.recompute_core"] = "core_attn" in modules
        made |= {f"training.recompute_{MODULES[m]}": True for m in modules if m in MODULES}
    layers = record.said("recompute.layers")
    if recomputed == "full" and layers and record.said("recompute.method") == "block":
        made["training.recompute_layers"] = layers
    return texts(made) | dtypes(record)


def _stages(record: Record) -> Settings:
    """Uneven stages, where a record or its stack says how they are cut."""
    layers, stages = record.model["layers"], record.degree("pp")
    if stages == 1:
        return {}
    first, last = record.said("layout.first_stage_layers"), record.said("layout.last_stage_layers")
    if first is not None or last is not None:
        ends = {"first": first, "last": last}
        return {f"parallelism.{end}_stage_layers": str(cut) for end, cut in ends.items() if cut is not None}
    chunks = stages * record.degree("vpp")
    slots = record.said("layout.ends_counted_as_layers")
    if slots or (record.framework == "megatron-lm" and layers % chunks and (layers + 2) % chunks == 0):
        # Embedding and head take the place of a layer each.
        end = ceil((layers + 2) / stages) - 1
        return {"parallelism.first_stage_layers": str(end), "parallelism.last_stage_layers": str(end)}
    if framework(record) == "deepspeed" and layers % stages:
        # It fills stages from the first on up to the load of the fullest (runtime/utils.py, partition_balanced).
        return {"parallelism.first_stage_layers": str(ceil(layers / stages))}
    if record.framework == "nanotron":
        # Stages are cut by computation, in which the head counts as so many layers.
        model = record.model
        layer = 4 * model["hidden"] ** 2 + 3 * model["hidden"] * model["ffn"]
        head = model["vocab"] * model["hidden"] / layer
        cut = min(layers - stages + 1, round((layers + head) / stages))
        return {"parallelism.first_stage_layers": str(cut)}
    return {}


BASES: Mapping[str, Settings] = {
    # A scale in fp32 for 64 weights, the same quantized again, in fp16 with a zero for 128, none.
    "nf4": {"adapter.base_bytes": "0.5625 bytes/parameter"},
    "nf4-dq": {"adapter.base_bytes": "0.516 bytes/parameter"},
    # PEFT leaves what is not quantised as it is beside these.
    "gptq-int4": {"adapter.base_bytes": "0.52 bytes/parameter", "adapter.rest_bytes": "2 bytes/parameter"},
    "gptq-int8": {"adapter.base_bytes": "1.02 bytes/parameter", "adapter.rest_bytes": "2 bytes/parameter"},
    "fp8": {"adapter.base_bytes": "1 bytes/parameter"},
}
"""What frozen weights take, by the format that a record names."""

_QUANTIZERS = {"int4 (gptq)": "gptq-int4", "int8 (gptq)": "gptq-int8", "int4 (bnb)": "nf4-dq"}
"""The words for them of tables about fine-tuning. Trainers quantise the scales of bitsandbytes too."""

_TARGETS = {
    "all linear": ["all-linear"],
    "attention input projections": ["q_proj", "k_proj", "v_proj"],
}
"""Their words for what gets adapters."""

_FIRST_PRODUCTS = {"w1": "gate_proj", "w2": "up_proj"}
"""In Qwen's first models these are the first products of the feed-forward part."""


def _adapter(record: Record) -> Settings:
    """What is trained beside frozen weights."""
    method = record.said("adapter.method") or record.task
    if method not in ("lora", "qlora"):
        raise Inexpressible(f"{method} is not modelled")
    litgpt = record.case.get("framework_detail") == "litgpt"
    made = {"adapter.method": "qlora" if record.task == "qlora" else "lora"}
    written = record.case.get("adapter") or {}
    for name, unit in (("rank", ""), ("trainable_parameters", " params")):
        stated = record.said(f"adapter.{name}") or written.get(name)
        if stated is not None:
            made[f"adapter.{'params' if unit else name}"] = f"{stated}{unit}"
    targets = record.said("adapter.targets")
    if targets is None:
        targets = [own for name in written.get("targets") or () for own in _TARGETS.get(name, [name])] or None
    if targets is None and litgpt:
        targets = ["query_key_value"]  # queries and values, which are parts of one matrix there
    if targets and not any("*" in name for name in targets):
        named = ", ".join(f'"{_FIRST_PRODUCTS.get(name, name)}"' for name in targets)
        made["adapter.targets"] = f"[{named}]"
    if record.said("adapter.embeddings"):
        made["adapter.embeddings"] = word(True)
    base = record.said("adapter.base") or _QUANTIZERS.get(str(record.case.get("quantizer")))
    made |= BASES.get(str(base), {})
    if (litgpt or record.framework == "unsloth") and base in ("nf4", "nf4-dq"):
        made["adapter.rest_bytes"] = "2 bytes/parameter"  # they do not prepare models as PEFT does
    dropout = record.said("adapter.dropout")
    if dropout is None and litgpt:
        dropout = 0.05  # its default
    if dropout is not None:
        made["adapter.dropout"] = str(dropout)
    return made


ANSWERING = {
    "bf16": ("bf16", "bf16"),
    "fp16": ("fp16", "fp16"),
    "bf16 weights, int8 KV cache": ("bf16", "int8"),
}
"""Formats of weights and cache. Of weights in 8 or 4 bits tables stay in 16, which the library does not have yet."""


def _serving(record: Record) -> Settings:
    """What a model answers: only how long questions and answers are together matters to memory."""
    case = record.case
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
        "serving.tensor": f"{case.get('gpus') or 1} GPUs",
    }

"""Plans at random over the whole space of layouts, each for one way to train that some targets write files for."""

from __future__ import annotations

import random

from attrs import frozen

WHAT = 'model = "a/b", dataset = "c/d", output = "runs"'


@frozen
class Way:
    """A way to train.

    Attributes:
        emits: What the plan emits, one of these.
        parallelism: Settings that it goes by, one of these.
        knobs: Names in `KNOBS` of what it can do besides.
        models: What it trains, one of these.
    """

    emits: tuple[str, ...]
    parallelism: tuple[str, ...]
    knobs: tuple[str, ...] = ()
    models: tuple[str, ...] = ()


DENSE = ("llama-7b", "llama-3.1-8b", "qwen3-8b", "gpt2-medium", "mistral-7b", "llama-2-13b", "qwen2.5-7b")
EXPERTS = ("mixtral-8x7b", "qwen3-30b-a3b", "deepseekmoe-16b")
LAUNCHERS = (
    "",
    "",
    ', slurm { script = "train.py", partition = "gpu" }',
    ', kubernetes { script = "train.py", image = "a/b:1" }',
    ', skypilot { script = "train.py", accelerator = "H100" }',
    (
        ', kubernetes { script = "train.py", image = "a/b:1", job = pytorch_job }'
        ', slurm { script = "train.py", container = "a.sqsh" }'
    ),
)

KNOBS: dict[str, tuple[str, ...]] = {
    "rates": ("training.learning_rate = 0.00123", "training.warmup = 77 steps", "training.weight_decay = 0",
              "training.weight_decay = 0.013", "training.rate_schedule = linear", "training.lowest_rate = 0.07",
              "training.beta2 = 0.97; training.epsilon = 1e-6"),
    "clipping": ("training.gradient_clipping = 0", "training.gradient_clipping = 0.37",
                 "training.gradient_clipping = 2.5"),
    "save": ("training.checkpoint_interval = 47 minutes", "training.checkpoint_interval = 3 hours"),
    "fp16": ("training.precision = fp16",),
    "fp32": ("training.precision = fp32", "training.precision = tf32"),
    "tf32": ("training.precision = tf32",),
    "fp8": ("training.precision = fp8",),
    "8-bit products": ("training.precision = fp8; training.kernels = compiled",),
    "full": ("training.recompute = full",),
    "some layers": ("training.recompute = full; training.recompute_layers = model.layers / 2",),
    "selective": ("training.recompute = selective",),
    "gradients": ("training.gradient_dtype = fp32", "training.gradient_dtype = bf16"),
    "communication": ("training.reduce_dtype = fp32; training.gradient_dtype = fp32",),
    "optimizer": ("training.optimizer = adam", "training.optimizer = lion", "training.optimizer = sgd"),
    "8-bit": ("training.optimizer = adamw_8bit",),
    "tensor": ("parallelism.tensor = 2", "parallelism.tensor = 4", "parallelism.tensor = 8"),
    "pipeline": ("parallelism.pipeline = 2", "parallelism.pipeline = 4",
                 "parallelism.pipeline = 4; parallelism.virtual_pipeline = 2"),
    "context": ("parallelism.context = 2", "parallelism.context = 4"),
    "expert": ("parallelism.expert = 2", "parallelism.expert = 8"),
    "replicas": ("parallelism.replicas = 2", "parallelism.replicas = 4"),
    "offload": ("parallelism.offload = optimizer", "parallelism.offload = all", "parallelism.offload = parameters"),
    "offload all": ("parallelism.offload = all",),
    "lora": ("adapter.method = lora; adapter.rank = 8",
             'adapter.method = lora; adapter.rank = 64; adapter.targets = ["q_proj", "v_proj"]'),
    "qlora": ("adapter.method = qlora; adapter.rank = 32; adapter.dropout = 0.05",),
    "kernels": ("training.kernels = fused", "training.kernels = compiled"),
    "attention": ("training.attention = standard", "training.flash_kernel = native"),
    "length": ("dataset.batching = padded",),
    "shards": ("parallelism.reshard = false", "parallelism.reshard = true", "parallelism.prefetch = false",
               "parallelism.data_overlap = false"),
    "buckets": ("deepspeed.reduce_bucket_size = 200M", "deepspeed.overlap_comm = false",
                "deepspeed.stage3_prefetch_bucket_size = 0"),
    "schedule": ("training.rate_schedule = linear", "training.rate_schedule = constant", "deepspeed.optimizer = false"),
    "resume": ("huggingface.resume = false", "huggingface.checkpoints = 3", "huggingface.measure = true",
               "training.rate_schedule = constant"),
    "formats": (
        "training.parameter_dtype = bf16", "training.parameter_dtype = fp32", "training.optimizer_dtype = bf16",
        "training.master_dtype = none",
        "training.reduce_dtype = fp32", "parallelism.communication_dtype = bf16",
        "training.parameter_dtype = bf16; training.master_dtype = none",
    ),
    "seldom": (
        "training.loss = linear", "training.loss = chunked", "training.loss = fused", "training.update = foreach",
        "training.update = fused",
        "training.dropout = 0.1", "training.cuda_graphs = step", "training.gradient_fusion = false",
        "training.gradient_fusion = true",
        "training.activation_offload = 0.5", "training.attention_8bit = true", "training.expert_imbalance = 2",
        "training.task = finetune",
        "training.recompute_norms = true", "training.recompute_mlp = true",
        "training.recompute = selective; training.recompute_mlp = true",
        "parallelism.sequence_parallel = true", "parallelism.tensor_overlap = true", "parallelism.keep_gathered = true",
        "parallelism.vocab_parallel = true", "parallelism.expert_overlap = true", "parallelism.expert_tensor = 2",
        "parallelism.offload = optimizer; parallelism.offload_share = 0.5", "parallelism.schedule = gpipe",
        "parallelism.first_stage_layers = 1",
        "parallelism.reduce_bucket = 100M params", "adapter.method = lora; adapter.embeddings = true",
        "adapter.rank = 4",
        "hardware.internode_bandwidth = 50 GB/s/GPU", "dataset.epochs = 2.5",
    ),
    "flat": ("accelerate.fsdp_version = 1",),
    "open": ("parallelism.zero_stage = ?", "training.recompute = ?", "training.micro_batch = ? in [1, 2, 4]"),
}  # fmt: skip

OWN = ("rates", "clipping", "save", "full", "length", "lora", "formats", "seldom", "seldom", "shards")
SCRIPT = (*OWN, "some layers", "selective", "tf32", "8-bit", "kernels", "attention")
STAGES = tuple(f"parallelism.zero_stage = {stage}; parallelism.framework = deepspeed" for stage in range(4))
SHARDED = tuple(f"parallelism.zero_stage = {stage}; parallelism.framework = fsdp" for stage in (2, 3))
ALONE = ("parallelism.zero_stage = 0; parallelism.framework = ddp",)

WAYS: dict[str, Way] = {
    "deepspeed": Way(
        ("deepspeed", "deepspeed, report { pictures = none }"), STAGES,
        (*SCRIPT, "fp16", "fp32", "gradients", "communication", "optimizer", "tensor", "context", "replicas",
         "offload", "buckets", "schedule"), (*DENSE, EXPERTS[0]),
    ),
    "deepspeed by accelerate": Way(
        ("accelerate", "deepspeed, accelerate"), STAGES,
        (*SCRIPT, "fp16", "fp32", "gradients", "communication", "optimizer", "tensor", "context", "replicas",
         "offload", "buckets", "schedule"), (*DENSE, EXPERTS[0]),
    ),
    "fsdp by accelerate": Way(("accelerate",), SHARDED,
                              (*SCRIPT, "fp16", "fp32", "optimizer", "replicas", "context", "8-bit products",
                               "offload all", "flat"), (*DENSE, *EXPERTS)),
    "ddp by accelerate": Way(("accelerate",), ALONE, (*SCRIPT, "fp16", "8-bit products", "optimizer")),
    "lightning": Way(("lightning", "lightning { checkpoints = 3 }"), (*SHARDED, *ALONE),
                     (*SCRIPT, "fp16", "fp32", "optimizer", "replicas", "context", "pipeline"), (*DENSE, *EXPERTS)),
    "trainer": Way(
        (f"huggingface {{ {WHAT} }}", f"deepspeed, huggingface {{ {WHAT} }}", f"accelerate, huggingface {{ {WHAT} }}"),
        (*STAGES[1:], *SHARDED, *ALONE),
        (*OWN, "fp16", "fp32", "optimizer", "8-bit", "replicas", "offload", "kernels", "attention", "context",
         "resume"),
        (*DENSE, EXPERTS[0]),
    ),
    "trl": Way(
        (f"huggingface {{ trainer = trl, {WHAT} }}",), (*STAGES[1:], *SHARDED, *ALONE),
        (*OWN, "qlora", "qlora", "lora", "fp16", "tf32", "8-bit", "replicas", "offload", "attention", "context",
         "resume"), (*DENSE, EXPERTS[0]),
    ),
    "llamafactory": Way(
        (f'llamafactory {{ {WHAT}, template = "t" }}',), (*STAGES[1:], *ALONE),
        (*OWN, "qlora", "qlora", "lora", "fp16", "tf32", "8-bit", "offload", "attention"), DENSE,
    ),
    "axolotl": Way(
        (f'axolotl {{ {WHAT}, type = "alpaca" }}',), (*STAGES[1:], *SHARDED),
        (*OWN, "qlora", "qlora", "lora", "fp16", "tf32", "8-bit", "offload", "attention"), DENSE,
    ),
    "megatron": Way(
        ("megatron", 'megatron { data = "a b", tokenizer = "t", log_interval = 3 }'),
        ("parallelism.zero_stage = 0", "parallelism.zero_stage = 1", "parallelism.zero_stage = 1"),
        ("rates", "clipping", "save", "full", "some layers", "selective", "fp16", "tf32", "fp8", "gradients", "tensor",
         "tensor",
         "pipeline", "pipeline", "context", "expert", "replicas", "formats", "seldom", "seldom", "shards",
         "attention"), (*DENSE, *EXPERTS),
    ),
    "megatron_bridge": Way(
        ("megatron_bridge", 'megatron_bridge { data = "a b", tokenizer = "t", log_interval = 3 }'),
        ("parallelism.zero_stage = 0", "parallelism.zero_stage = 1", "parallelism.zero_stage = 1"),
        ("rates", "clipping", "save", "full", "some layers", "selective", "fp16", "tf32", "fp8", "gradients", "tensor",
         "tensor",
         "pipeline", "pipeline", "context", "expert", "replicas", "formats", "seldom", "seldom", "shards",
         "attention"), (*DENSE, *EXPERTS),
    ),
    "torchtitan": Way(
        (
            'torchtitan { assets = "t" }', 'torchtitan { assets = "t", log_interval = 3 }',
            "torchtitan { script = written }",
        ),
        ("parallelism.zero_stage = 2", "parallelism.zero_stage = 3", "parallelism.zero_stage = 3"),
        ("rates", "clipping", "save", "full", "some layers", "selective", "fp32", "fp8", "tensor", "pipeline",
         "context", "expert",
         "replicas", "formats", "seldom", "shards", "offload all"),
         ("llama-7b", "llama-3.1-8b", "qwen3-8b", "llama-2-13b", EXPERTS[1]),
    ),
    "torchtitan 0.3": Way(
        ('torchtitan { release = "0.3", assets = "t" }',),
        ("parallelism.zero_stage = 2", "parallelism.zero_stage = 3", "parallelism.zero_stage = 3"),
        ("rates", "clipping", "save", "full", "some layers", "selective", "fp32", "fp8", "tensor", "pipeline",
         "context", "expert",
         "replicas", "formats", "seldom", "shards", "offload all"),
         ("llama-7b", "llama-3.1-8b", "qwen3-8b", "llama-2-13b", EXPERTS[1]),
    ),
}  # fmt: skip
"""The ways to train; one for a further target is added here."""


def drawn(way: str, seed: int) -> str:
    """A plan for a way to train. Not every one is feasible: what goes beside what is for the requirements to say."""
    chance = random.Random(f"{way} {seed}")
    chosen = WAYS[way]
    model = chance.choice(chosen.models or DENSE[:4])
    gpus = chance.choice((1, 2, 4, 8, 8, 16, 16, 24, 32, 64, 128, 256))
    batch = gpus * chance.choice((1, 2, 4, 8))
    asked = chance.choice((f"{batch} sequences", f"{batch} sequences", f"{max(gpus // 8, 1) * 600_000} tokens"))
    lines = [
        f'model "{model}" {{ layers = {chance.choice((4, 8, 16))}, vocab = 65_536, norm_epsilon = 0.000_01 }}',
        "model.dense_layers = 0" if model in EXPERTS else "",
        f"dataset.tokens = {chance.choice(('1B', '20B', '300B'))}" if chance.random() < 0.9 else "",
        f"dataset.sequence_length = {chance.choice((512, 1024, 2048))} tokens",
        f'hardware.gpu = "{"B200-SXM-180GB" if chance.random() < 0.1 else "H100-SXM5-80GB"}"',
        f"hardware.gpus = {gpus}",
        f"hardware.gpus_per_node = {chance.choice((4, 8, 8, 8))}",
        f"training.global_batch = {asked}",
        f"training.micro_batch = {chance.choice((1, 1, 2, 4))}",
        "training.recompute = none",
        chance.choice(chosen.parallelism),
        *(chance.choice(KNOBS[name]) for name in dict.fromkeys(chance.sample(chosen.knobs, chance.randint(0, 4)))),
        "waive fits",
        f"emit {chance.choice(chosen.emits)}{chance.choice(LAUNCHERS)}",
    ]
    # What is set twice is as it was set last.
    statements = [statement for line in lines for statement in line.split("; ") if statement]
    return "\n".join({statement.partition(" = ")[0]: statement for statement in statements}.values()) + "\n"

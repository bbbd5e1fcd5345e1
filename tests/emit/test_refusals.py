"""What no target can do is refused in the plan, before anything is written: each combination by a requirement, in words
of its own.

`check` refuses where the text decides it (E0406), the search otherwise. A combination is a line here; what it is about
is read in the sources of the software, which fails late, does something else without a word, or has no key.
"""

from __future__ import annotations

import pytest

from llmplan import api, resources
from llmplan.emit.render import render

BASE = """model "llama-7b"
dataset.tokens = 10B
dataset.sequence_length = 2048 tokens
hardware.gpu = "H100-SXM5-80GB"
hardware.gpus = 64
parallelism.zero_stage = 1
training.global_batch = 256 sequences
training.micro_batch = 1
training.recompute = none
"""
EMITS = {
    "deepspeed": "emit deepspeed",
    "accelerate": "emit accelerate",
    "fsdp": "emit accelerate; parallelism.framework = fsdp; parallelism.zero_stage = 3",
    "ddp": "emit accelerate; parallelism.framework = ddp; parallelism.zero_stage = 0",
    "trainer": 'emit huggingface { model = "a/b", dataset = "c", output = "d" }; parallelism.zero_stage = 3',
    "trl": 'emit huggingface { trainer = trl, model = "a/b", dataset = "c", output = "d" }; parallelism.zero_stage = 3',
    "megatron": "emit megatron",
    "megatron_bridge": "emit megatron_bridge",
    "torchtitan": "emit torchtitan; parallelism.zero_stage = 3",
    "slurm": 'emit slurm { script = "a.py" }',
    "slurm alone": "emit slurm",
    "kubernetes alone": 'emit kubernetes { image = "b" }',
    "skypilot alone": 'emit skypilot { accelerator = "A100-80GB" }',
    "kubernetes": 'emit kubernetes { script = "a.py", image = "b" }',
}
EXPERTS = 'model "mixtral-8x7b"'
SPLIT = 'model "deepseek-v2-lite"; parallelism.expert = 8'

FLAT = "accelerate.fsdp_version = 1"

NVME = "parallelism.offload = all; parallelism.offload_to = nvme; hardware.nvme_bandwidth = 28 GB/s"

REFUSED = [
    # NVMe: DeepSpeed alone, from its file, and only if it is told where.
    ("deepspeed", f"{NVME}; parallelism.zero_stage = 2", "nvme_framework",
     "deepspeed at ZeRO stage 2 does not offload all to NVMe"),
    ("deepspeed", f"{NVME}; parallelism.zero_stage = 3", "deepspeed_nvme_path", "no folder on the NVMe drives"),
    ("fsdp", NVME, "nvme_framework", "fsdp at ZeRO stage 3 does not offload all to NVMe"),
    ("ddp", NVME, "nvme_framework", "ddp at ZeRO stage 0 does not offload all to NVMe"),
    ("torchtitan", NVME, "nvme_framework", "torchtitan at ZeRO stage 3 does not offload all to NVMe"),
    ("megatron", NVME.replace("= all", "= optimizer"), "nvme_framework",
     "megatron at ZeRO stage 1 does not offload optimizer to NVMe"),
    # All: launchers count whole nodes, and batches whole micro-batches.
    ("slurm", "hardware.gpus = 12", "nodes_are_whole", "12 GPUs do not fill whole nodes of 8 GPUs"),
    ("kubernetes", "hardware.nodes = 7", "nodes_share_evenly", "64 GPUs do not divide evenly over 7 nodes"),
    ("deepspeed", "training.global_batch = 100 sequences", "batch_divides", "leave 36 sequences"),
    ("accelerate", "training.precision = fp8", "accelerate_fp8", "`parallelism.framework = fsdp`"),
    ("accelerate", "training.activation_offload = 0.5", "activations_stay", "for which the file has no key"),
    # DeepSpeed: what it has no key for.
    ("deepspeed", "parallelism.pipeline = 2", "deepspeed_pipeline", "2 × 1 pipeline chunks cannot be set"),
    ("deepspeed", "parallelism.pipeline = 4; parallelism.virtual_pipeline = 2", "deepspeed_pipeline",
     "4 × 2 pipeline chunks cannot be set"),
    ("deepspeed", "training.precision = fp8", "deepspeed_precision", "DeepSpeed does not train in fp8"),
    ("deepspeed", 'training.precision = int8; hardware.gpu = "A100-SXM4-80GB"', "deepspeed_precision",
     "DeepSpeed does not train in int8"),
    ("deepspeed", "parallelism.framework = megatron", "deepspeed_framework", "but the framework is megatron"),
    # DeepSpeed: what it ignores without a word, or fails on after the start.
    ("deepspeed", "parallelism.offload = parameters; parallelism.zero_stage = 2", "deepspeed_offload",
     "ignores offloading (parameters) at ZeRO stage 2"),
    ("deepspeed", "parallelism.offload = all", "deepspeed_offload", "ignores offloading (all) at ZeRO stage 1"),
    ("deepspeed", "parallelism.offload = optimizer; parallelism.zero_stage = 0", "deepspeed_offload",
     "ignores offloading (optimizer) at ZeRO stage 0"),
    ("deepspeed", "parallelism.offload = optimizer; parallelism.offload_share = 0.25", "deepspeed_offload_share",
     "not 25% of it"),
    ("deepspeed", "parallelism.offload = optimizer; training.optimizer = adamw_8bit", "deepspeed_offloaded_update",
     "cannot update in host memory"),
    ("deepspeed", "parallelism.context = 64", "deepspeed_context", "32 heads do not divide by 64 ranks"),
    ("deepspeed", "parallelism.tensor = 2; parallelism.sequence_parallel = true", "deepspeed_tensor",
     "over 2 tensor-parallel ranks"),
    ("deepspeed", "parallelism.zero_stage = 0; deepspeed.overlap_comm = true", "deepspeed_overlap",
     "at ZeRO stage 0 DeepSpeed overlaps nothing"),
    ("deepspeed", "parallelism.zero_stage = 3; parallelism.reshard = false", "deepspeed_reshard",
     "cannot be chosen at ZeRO stage 3"),
    ("deepspeed", "parallelism.zero_stage = 3; parallelism.prefetch = false", "deepspeed_prefetch",
     "fetch weights when they are needed"),
    ("deepspeed", "training.parameter_dtype = fp32", "deepspeed_weights",
     "the weights are in fp32, and DeepSpeed computes in bf16"),
    ("deepspeed", "training.master_dtype = bf16", "deepspeed_master", "the master copy of the weights is in bf16"),
    ("deepspeed", "training.gradient_dtype = fp32; parallelism.zero_stage = 0", "deepspeed_gradients",
     "gradients are in fp32 at ZeRO stage 0"),
    ("deepspeed", "parallelism.communication_dtype = fp32", "deepspeed_communication",
     "summed in bf16 and sent in fp32"),
    ("deepspeed", "parallelism.zero_stage = 3; training.optimizer = muon", "deepspeed_muon",
     "muon cannot update at ZeRO stage 3"),
    ("deepspeed", "parallelism.replicas = 8", "deepspeed_replicas",
     "at ZeRO stage 1 cannot form 8 groups that each have a copy"),
    ("deepspeed", "parallelism.zero_stage = 3; parallelism.replicas = 64", "deepspeed_replicas",
     "cannot form 64 groups that each have a copy"),
    ("deepspeed", "parallelism.zero_stage = 3; parallelism.replicas = 8; parallelism.tensor = 2",
     "deepspeed_replicas_alone", "together with tensor or context parallelism"),
    ("deepspeed", "parallelism.zero_stage = 3; parallelism.replicas = 8; parallelism.offload = all",
     "deepspeed_replicas_alone", "offloading (all)"),
    ("deepspeed", "parallelism.zero_stage = 3; parallelism.replicas = 8; adapter.method = lora",
     "deepspeed_replicas_alone", "adapters (lora)"),
    # DeepSpeed: experts that it does not split, or not beside something else.
    ("deepspeed", 'model "olmoe-1b-7b"; parallelism.expert = 8', "deepspeed_expert",
     "no preset that splits the experts of this model over 8 ranks"),
    ("deepspeed", f"{EXPERTS}; parallelism.expert = 8", "deepspeed_expert_router",
     "does not split the experts of mixtral"),
    ("accelerate", 'model "qwen3-30b-a3b"; parallelism.expert = 8', "deepspeed_expert_router",
     "does not split the experts of qwen3_moe"),
    ("deepspeed", f"{SPLIT}; parallelism.expert_tensor = 2", "deepspeed_expert_tensor",
     "2 ranks cannot share an expert"),
    ("deepspeed", f"{SPLIT}; parallelism.expert = 32; hardware.gpus = 48", "deepspeed_expert_ranks",
     "48 GPUs do not divide into expert-parallel groups of 32"),
    ("deepspeed", f"{SPLIT}; training.precision = fp32; parallelism.zero_stage = 0", "deepspeed_expert_clipping",
     "in fp32 stay larger than 1"),
    ("deepspeed", f"{SPLIT}; training.optimizer = adamw_8bit", "deepspeed_expert_optimizer",
     "and adamw_8bit is made by the script"),
    ("deepspeed", f"{SPLIT}; deepspeed.optimizer = false", "deepspeed_expert_optimizer",
     "and adamw is made by the script"),
    ("deepspeed", f"{SPLIT}; parallelism.tensor = 2", "deepspeed_expert_matrices",
     "splits the matrices of a model with experts over 2 ranks"),
    ("accelerate", f"{SPLIT}; parallelism.context = 2", "deepspeed_expert_context",
     "2 ranks share a sequence, while 8 ranks share the experts"),
    ("deepspeed", f"{SPLIT}; parallelism.zero_stage = 3; parallelism.replicas = 2", "deepspeed_expert_replicas",
     "the plan keeps 2 copies of the weights, while 8 ranks share the experts"),
    ("deepspeed", f"{SPLIT}; adapter.method = lora", "deepspeed_expert_adapter", "a model with lora adapters"),
    ("deepspeed", f"{SPLIT}; parallelism.expert_overlap = true", "deepspeed_expert_overlap",
     "the traffic of experts is to overlap"),
    ("deepspeed", f"{SPLIT}; parallelism.dispatcher = deepep", "deepspeed_dispatcher",
     "does not send tokens to their experts by deepep"),
    # Accelerate, with DeepSpeed and on its own.
    ("accelerate", "parallelism.framework = torchtitan", "accelerate_framework",
     "Accelerate does not start torchtitan"),
    ("accelerate", "parallelism.framework = megatron", "accelerate_megatron", "starts no release of Megatron-LM"),
    ("accelerate", "parallelism.pipeline = 2; parallelism.virtual_pipeline = 4", "accelerate_virtual_pipeline",
     "4 chunks per pipeline stage"),
    ("accelerate", "parallelism.tensor = 2; parallelism.context = 4", "accelerate_context",
     "4 ranks share a sequence, while 2 share each matrix product"),
    ("fsdp", "parallelism.pipeline = 2", "accelerate_pipeline", "2 pipeline stages, but the framework is fsdp"),
    ("fsdp", 'training.precision = mxfp8; hardware.gpu = "B200-SXM-180GB"', "accelerate_precision", "no key for mxfp8"),
    ("trainer", "training.precision = fp8", "accelerate_precision", "no key for fp8, or the Trainer no argument"),
    ("fsdp", f"training.precision = fp8; {EXPERTS}", "accelerate_float8_model",
     "has 8 experts, and its adapters are none"),
    ("fsdp", "training.precision = fp8; adapter.method = lora", "accelerate_float8_model",
     "has 0 experts, and its adapters are lora"),
    ("fsdp", "training.precision = fp8; model.ffn = 11_016", "accelerate_float8_widths", "widths of 4,096, 11,016"),
    ("fsdp", "training.precision = fp8", "accelerate_float8_kernels", "kernels are eager"),
    ("fsdp", "training.precision = fp8; training.kernels = compiled; training.attention_8bit = true",
     "accelerate_float8_kernels", "attention in 8 bits is true"),
    ("fsdp", "parallelism.tensor = 8", "accelerate_tensor", "8 tensor-parallel ranks cannot be started with fsdp"),
    ("ddp", "parallelism.tensor = 2", "accelerate_tensor", "2 tensor-parallel ranks cannot be started with ddp"),
    ("fsdp", f"{EXPERTS}; parallelism.expert = 8", "accelerate_expert",
     "8 × 1 ranks are to share experts, but the framework is fsdp"),
    ("ddp", "parallelism.context = 2", "accelerate_ring", "2 ranks share a sequence, but the framework is ddp"),
    ("fsdp", "parallelism.context = 2; training.attention = standard", "accelerate_ring_attention",
     "attention is standard, in bf16"),
    ("fsdp", "parallelism.context = 2; training.precision = fp32", "accelerate_ring_attention",
     "attention is flash, in fp32"),
    ("fsdp", 'parallelism.context = 2; model "mistral-7b-v0.1"', "accelerate_ring_model", "not plainly causal"),
    ("fsdp", "parallelism.context = 8; dataset.sequence_length = 2056 tokens", "accelerate_ring_divides",
     "into two pieces for each of 8 ranks"),
    ("fsdp", "parallelism.context = 2; dataset.batching = padded", "accelerate_ring_lengths",
     "padded to their longest sequence, which 2 ranks"),
    ("fsdp", "parallelism.context = 8; parallelism.replicas = 8", "accelerate_ring_replicas",
     "8 groups hold the model"),
    ("fsdp", f"{FLAT}; parallelism.context = 2", "accelerate_flat_context",
     "2 ranks of FSDP 1 cannot share a sequence"),
    ("fsdp", f"{FLAT}; training.precision = fp8; training.kernels = compiled", "accelerate_flat_precision",
     "FSDP 1 would multiply in fp8"),
    ("fsdp", f"{FLAT}; adapter.method = lora", "accelerate_flat_adapter",
     "adapters (lora) cannot be trained with FSDP 1"),
    ("trainer", f"emit accelerate; parallelism.framework = fsdp; {FLAT}", "accelerate_flat_trainer",
     "while the Trainer's arguments name FSDP 2"),
    ("fsdp", f"{FLAT}; parallelism.reshard = false", "accelerate_flat_reshard",
     "FSDP 1 at ZeRO stage 3 leaves no choice of whether weights are gathered again"),
    ("fsdp", f"{FLAT}; parallelism.replicas = 4", "accelerate_flat_replicas",
     "4 copies of the model on 8 nodes"),
    ("fsdp", "parallelism.zero_stage = 1", "accelerate_zero", "fsdp has no ZeRO stage 1"),
    ("ddp", "parallelism.zero_stage = 2", "accelerate_zero", "ddp has no ZeRO stage 2"),
    ("fsdp", "parallelism.offload = optimizer", "accelerate_offload",
     "fsdp at ZeRO stage 3 does not offload optimizer"),
    ("ddp", "parallelism.offload = all", "accelerate_offload", "ddp at ZeRO stage 0 does not offload all"),
    ("ddp", "parallelism.replicas = 2", "accelerate_replicas", "cannot form 2 groups that each hold the model"),
    ("fsdp", "parallelism.replicas = 6", "accelerate_replicas", "cannot form 6 groups that each hold the model"),
    ("fsdp", "parallelism.zero_stage = 2; parallelism.reshard = true", "accelerate_reshard",
     "no weights are gathered again"),
    ("fsdp", "training.parameter_dtype = bf16", "accelerate_weights", "Accelerate keeps those of FSDP in fp32"),
    ("fsdp", "training.reduce_dtype = fp32", "accelerate_reduce", "gradients are summed in fp32 and sent in fp32"),
    ("fsdp", "parallelism.communication_dtype = fp32", "accelerate_reduce",
     "gradients are summed in bf16 and sent in fp32"),
    ("fsdp", "training.gradient_dtype = bf16", "accelerate_gradients", "gradients are in bf16, the weights in fp32"),
    ("fsdp", "training.master_dtype = fp32", "accelerate_master",
     "a master copy in fp32 although the weights are in fp32"),
    ("ddp", "parallelism.data_overlap = false", "accelerate_overlap", "makes ddp wait"),
    # The Trainer of transformers, and TRL.
    ("trainer", "parallelism.framework = megatron", "huggingface_framework",
     "the Trainer does not train with megatron"),
    ("trainer", f"{EXPERTS}; parallelism.expert = 8", "huggingface_expert", "8 × 1 ranks for the experts"),
    ("trainer", "parallelism.pipeline = 2", "huggingface_pipeline", "2 × 1 pipeline chunks"),
    ("trainer", "parallelism.tensor = 2; parallelism.framework = deepspeed", "huggingface_tensor",
     "2 tensor-parallel ranks"),
    ("trainer", "parallelism.context = 2", "huggingface_context", "with fsdp and flash attention"),
    ("trainer", "training.recompute = full; training.recompute_layers = 8", "huggingface_recompute",
     "no `full` recompute of 8 of 32 layers"),
    ("trainer", "training.recompute = selective", "huggingface_recompute", "no `selective` recompute of 32 of 32"),
    ("trainer", "training.optimizer = muon", "huggingface_optimizer", "the Trainer does not make muon"),
    ("trainer", "training.cuda_graphs = step", "huggingface_kernels", "for `kernels = eager` with `cuda_graphs"),
    ("trl", 'huggingface.tokenizer = "x"', "huggingface_tokenizer", "a tokenizer of its own is named"),
    ("megatron", 'megatron.checkpoints = ""', "megatron_folders", "`megatron.tensorboard` is empty"),
    ("megatron_bridge", "emit megatron", "megatron_bridge_alone", "and so does Megatron-LM: emit one of them"),
    ("megatron_bridge", 'megatron_bridge.checkpoints = ""', "megatron_bridge_folders", "bridge.tensorboard` is empty"),
    ("megatron_bridge", "adapter.method = lora", "megatron_bridge_adapter", "bridge.yaml trains no lora adapters"),
    ("megatron_bridge", 'model "deepseek-v3"', "megatron_bridge_latent", "a latent of rank 512"),
    ("megatron_bridge", "model.positions = none", "megatron_bridge_positions", "has no none positions"),
    ("megatron_bridge", "training.optimizer_dtype = fp8", "megatron_bridge_states", "optimizer states are in fp8"),
    ("torchtitan", "model.tied_embeddings = true; model.qk_norm = per_head", "torchtitan_tied",
     "would shard one table for both ends twice"),
    # Jobs whose script nobody names.
    ("slurm alone", 'slurm.script = ""; slurm.arguments = "--a b"', "slurm_script",
     "nothing says what the job is to start"),
    ("kubernetes alone", 'kubernetes.script = ""; kubernetes.arguments = "--a b"', "kubernetes_script",
     "nothing says what the pods are to start"),
    ("skypilot alone", "skypilot.spot = true", "skypilot_script", "nothing says what the nodes are to start"),
    ("skypilot alone", "skypilot.disk = 1 GB", "skypilot_disk", "hold no model of"),
    ("skypilot alone", "skypilot.idle = 90 s", "skypilot_idle", "no whole minutes"),
    ("slurm", "slurm.memory = 1 GB/node; parallelism.offload = optimizer", "slurm_memory", "the job asks for 1 GB"),
    ("slurm", "slurm.signal = 1 minute; slurm.requeue = false", "slurm_signal", "cannot queue the job again"),
    ("kubernetes", "kubernetes.memory = 1 TB; kubernetes.shared_memory = 2 TB", "kubernetes_memory",
     "of which 2 TB are shared"),
    ("trl", "training.dropout = 0.1", "huggingface_model", "no key of the file says dropout 0.1"),
    ("trl", "adapter.method = qlora; adapter.base_bytes = 2 bytes/param", "huggingface_adapter",
     "cannot load frozen weights of 2"),
    # Megatron-LM: what its checks let through, and what they refuse after the start.
    ("megatron", 'model "deepseek-v2-lite"', "megatron_latent_queries",
     "have no latent, but keys and values have one of rank 512"),
    ("megatron", 'model "deepseek-v2"', "megatron_routing", "other routing with 6 experts from 3 of 8 groups"),
    ("megatron", 'model "kimi-k2"', "megatron_yarn_known", "YaRN's factors are not known"),
    ("megatron", 'model "deepseek-v3" { rope_beta_fast = 1 }', "megatron_yarn",
     "with betas of 1 and 1 cannot be expressed"),
    ("megatron", 'model "deepseek-v3" { rope_interleaved = false }', "megatron_latent",
     "latents of rank 512 is another"),
    ("megatron", f"{EXPERTS}; model.routing = sigmoid", "megatron_router_factor_known", "give `model.router_factor`"),
    ("megatron", "parallelism.zero_stage = 3", "megatron_zero", "Megatron-LM has no ZeRO stage 3"),
    ("megatron", "parallelism.pipeline = 4; parallelism.virtual_pipeline = 2; hardware.gpus = 512",
     "megatron_micro_batches", "2 micro-batches are not a multiple of 4"),
    ("megatron", "parallelism.virtual_pipeline = 2", "interleaved_pipeline",
     "the chunks per stage are 2, the stages 1"),
    ("megatron", "parallelism.pipeline = 2; parallelism.virtual_pipeline = 3", "layers_divide",
     "32 layers over 2 × 3 pipeline chunks"),
    ("megatron", f"{EXPERTS}; parallelism.tensor = 2; parallelism.sequence_parallel = false",
     "megatron_experts_sequence", "cannot train experts"),
    ("megatron", f"{EXPERTS}; parallelism.expert = 8; parallelism.expert_tensor = 3", "megatron_expert_ranks",
     "8 expert-parallel and 3 expert-tensor ranks"),
    ("megatron", f"{EXPERTS}; parallelism.expert = 3", "experts_divide", "8 experts over 3 expert-parallel ranks"),
    ("megatron", f"{EXPERTS}; model.experts_per_token = 9", "experts_described", "a token uses 9"),
    ("megatron", "parallelism.expert = 2", "experts_exist", "no experts to split over 2"),
    ("megatron", "parallelism.tensor = 64; hardware.link_domain = 64", "heads_divide", "32 attention heads over 64"),
    ("megatron", "model.kv_heads = 6; parallelism.tensor = 4", "megatron_groups", "6 key heads of 32 over 4"),
    ("megatron", "model.ffn = 11_009; parallelism.tensor = 2", "ffn_divides",
     "11,009 over 2 tensor-parallel ranks leaves 1"),
    ("megatron", "dataset.sequence_length = 2046 tokens; parallelism.context = 2", "megatron_sequence_divides",
     "into two pieces for each of 2 ranks"),
    ("megatron", "model.vocab = 32_001; parallelism.tensor = 2", "megatron_vocab", "a vocabulary of 32,001 over 2"),
    ("megatron", "parallelism.tensor_overlap = true", "megatron_tensor_overlap",
     "but `parallelism.sequence_parallel` is false"),
    ("megatron", "training.precision = fp32", "megatron_precision", "Megatron-LM's arguments have no fp32"),
    ("megatron", "training.optimizer = muon", "megatron_optimizer", "Megatron-LM's arguments have no muon"),
    ("megatron", "training.optimizer_dtype = bf16; parallelism.zero_stage = 0", "megatron_states",
     "in bf16 at ZeRO stage 0"),
    ("megatron", "parallelism.offload = parameters", "megatron_offload", "does not offload parameters"),
    ("megatron", "parallelism.replicas = 3", "megatron_replicas", "has no 3 groups that each hold the model"),
    ("megatron", "training.recompute = full; training.recompute_layers = 7; parallelism.pipeline = 2",
     "megatron_recompute_layers", "7 recomputed layers over 2 × 1 pipeline chunks"),
    ("megatron", "adapter.method = lora", "megatron_adapter", "`pretrain_gpt.py` has no lora adapters"),
]  # fmt: skip
"""Target, what is otherwise than in the base, the requirement and part of what it says."""


def plan(target: str, settings: str) -> str:
    lines = [*BASE.splitlines(), *EMITS[target].split("; "), *settings.split("; ")]
    return "\n".join({line.partition(" = ")[0].partition(' "')[0]: line for line in lines}.values()) + "\nwaive fits\n"


def refused(target: str, settings: str) -> dict[str, str]:
    """By requirement what it says where it fails."""
    text = plan(target, settings)
    solution = api.solve("-", text=text)
    assert solution.status != "solved", text
    contradictions = [
        one for one in solution.diagnostics if one.severity == "error" and one.code in ("E0402", "E0403", "E0406")
    ]
    found = {one.message.split("`")[1]: " ".join(one.notes) for one in contradictions if "`" in one.message}
    return found | {one.name or "": one.otherwise for one in solution.requirements if one.holds is False}


@pytest.mark.quick(12)
@pytest.mark.usefixtures("no_advice")
@pytest.mark.parametrize(
    ("target", "settings", "name", "said"),
    [pytest.param(*row, id=f"{row[0]}: {row[1]}") for row in REFUSED],
)
def test_it_is_refused_by_name(target: str, settings: str, name: str, said: str) -> None:
    found = refused(target, settings)
    assert name in found
    assert said in found[name]


WAIVED = [
    ("deepspeed", "parallelism.pipeline = 2", "deepspeed_pipeline"),
    ("deepspeed", f"{SPLIT}; parallelism.expert_tensor = 2", "deepspeed_expert_tensor"),
    ("deepspeed", "training.precision = fp8", "deepspeed_precision"),
    ("deepspeed", "training.gradient_dtype = fp32; parallelism.zero_stage = 0", "deepspeed_gradients"),
    ("deepspeed", "parallelism.offload = optimizer; parallelism.zero_stage = 0", "deepspeed_offload"),
    ("deepspeed", "parallelism.offload = parameters; parallelism.zero_stage = 2", "deepspeed_offload"),
    ("accelerate", "hardware.nodes = 7", "nodes_share_evenly"),
    ("slurm", "hardware.nodes = 7", "nodes_share_evenly"),
    ("accelerate", "parallelism.framework = torchtitan", "accelerate_framework"),
    ("accelerate", "parallelism.framework = megatron", "accelerate_megatron"),
    ("fsdp", "parallelism.pipeline = 2", "accelerate_pipeline"),
    ("fsdp", "parallelism.tensor = 2", "accelerate_tensor"),
    ("fsdp", f"{EXPERTS}; parallelism.expert = 8", "accelerate_expert"),
    ("ddp", "parallelism.context = 2", "accelerate_ring"),
    ("fsdp", 'training.precision = mxfp8; hardware.gpu = "B200-SXM-180GB"', "accelerate_precision"),
    ("ddp", "parallelism.zero_stage = 2", "accelerate_zero"),
    ("ddp", "parallelism.offload = all", "accelerate_offload"),
    ("fsdp", "parallelism.zero_stage = 1", "accelerate_zero"),
    ("fsdp", f"{FLAT}; parallelism.zero_stage = 1; parallelism.reshard = false", "accelerate_zero"),
    ("fsdp", "parallelism.offload = optimizer", "accelerate_offload"),
    ("slurm alone", 'slurm.script = ""; slurm.arguments = "--a b"', "slurm_script"),
    ("trl", 'huggingface.tokenizer = "x"', "huggingface_tokenizer"),
]
"""What templates once refused although the requirement was waived."""


@pytest.mark.quick(2)
@pytest.mark.usefixtures("no_advice")
@pytest.mark.parametrize(
    ("target", "settings", "name"),
    [
        pytest.param(*row, id=f"{row[0]}: {row[1]}", marks=[pytest.mark.slow] * (at % 5 > 0))
        for at, row in enumerate(WAIVED)
    ],
)
def test_what_is_waived_is_written(target: str, settings: str, name: str) -> None:
    others = refused(target, settings)
    assert name in others
    solution = api.solve("-", text=plan(target, settings) + "".join(f"waive {each}\n" for each in others))
    assert solution.status == "solved", [one.message for one in solution.diagnostics]
    files, problems = render(solution)
    assert [problem.message for problem in problems if problem.severity == "error"] == [] and "launch.sh" in files


@pytest.mark.parametrize("option", ["tokenizer", "checkpoints", "pretrained", "tensorboard", "data"])
@pytest.mark.parametrize("text", [r"a\"b", "a#b", "a'b", r"a\\b", r"a\nb", "a b"])
def test_an_argument_file_holds_plain_words(option: str, text: str) -> None:
    if (option, text) == ("data", "a b"):
        return
    told = api.check("-", text=plan("megatron", f'megatron.{option} = "{text}"'))
    assert [(one.code, f"`megatron.{option}`" in one.message) for one in told if one.severity == "error"] == [
        ("E0305", True)
    ]


def test_no_template_refuses_by_itself() -> None:
    folders = [entry for entry in resources.folder("templates").iterdir() if entry.is_dir()]
    texts = [file.read_text() for folder in folders for file in folder.iterdir() if file.name.endswith(".j2")]
    assert texts and not [text for text in texts if "refuse(" in text]


def test_there_are_enough_and_each_says_something_else() -> None:
    assert len(REFUSED) >= 60
    assert len({(name, said) for _, _, name, said in REFUSED}) == len(REFUSED)

"""What the library says of its requirements: why each exists, and in the plan's figures what is the case where it
fails.
"""

from __future__ import annotations

import re

import pytest

from llmplan import api
from llmplan.answer.schema.requirements import RequirementResult
from llmplan.answer.schema.solution import Solution
from llmplan.check import library
from llmplan.emit.render import render
from tests import told

BASE = """
model "mixtral-8x7b"
dataset { tokens = 1T, sequence_length = 4096 }
hardware { gpu = "A100-SXM4-80GB", gpus = 64 }
training { global_batch = 4M tokens, micro_batch = 1, recompute = none }
parallelism { tensor = 1, pipeline = 1, zero_stage = 2 }
"""
PARAMS = 'model.params = 7B params\nhardware { gpu = "A100-SXM4-80GB", gpus = 8 }\nshow model.params\n'

NVME = (
    "parallelism.framework = deepspeed\nparallelism.zero_stage = 3\nparallelism.offload = optimizer\n"
    "parallelism.offload_to = nvme\nhardware.nvme_bandwidth = 28 GB/s"
)
SIGLIP = "model.tower = siglip\nmodel.tower_layers = 2\nmodel.tower_hidden = 64\nmodel.tower_ffn = 256"
FAILING = [
    (
        "pairs_whole",
        "training.task = dpo",
        "a micro-batch of 1 sequence holds half a pair: `2 pairs` are four sequences",
    ),
    (
        "frozen_place",
        "training.task = dpo\ntraining.micro_batch = 2\nreference.place = adapters_off",
        "dpo with adapter none has no model that adapters switched off would leave",
    ),
    (
        "frozen_split",
        "training.task = kto\nreference.zero_stage = 3",
        "the frozen model is to be held at ZeRO stage 3, the trained one at stage 2",
    ),
    (
        "frozen_on_host",
        "training.task = kto\nreference.place = host",
        "the frozen model is to be on the host, and `parallelism.offload` is none",
    ),
    (
        "further_passes_modelled",
        "training.task = kto\nparallelism.pipeline = 2",
        "kto over 2 pipeline stages, 1 expert-parallel and 1 context-parallel ranks is not modelled yet",
    ),
    ("teacher_known", "training.task = distill", "nothing says how large the teacher is: give `teacher.params`"),
    (
        "teacher_logits",
        "training.task = distill\nteacher.params = 70B params\ntraining.loss = linear",
        "the loss of a distilled model cannot be linear",
    ),
    (
        "lengths_ordered",
        "dataset.mean_length = 900\ndataset.longest_length = 500",
        "lengths are 900 tokens in the mean, 500 tokens of nineteen in twenty and 500 tokens at most",
    ),
    (
        "samples_whole",
        "dataset.longest_length = 9000\ndataset.mean_length = 900",
        "samples are up to 9,000 tokens long, and cut at 4,096 tokens",
    ),
    ("reference_meant", "reference.place = precomputed", "pretrain has no reference, and what is said of one"),
    ("teacher_meant", "teacher.params = 70B params", "pretrain has no teacher, and what is said of one"),
    ("fits", "", "needs 155.3 GB of 85.2 GB"),
    ("fits_surely", "", "tight: fits with "),
    (
        "padded_lengths_known",
        "training.task = finetune\ndataset.batching = padded",
        "samples are padded, and count as 4,096 tokens each",
    ),
    (
        "recorded_graphs",
        "parallelism.framework = fsdp\ntraining.cuda_graphs = step",
        "fsdp with eager kernels records no CUDA graphs",
    ),
    (
        "nodes_hold_gpus",
        "hardware.nodes = 16",
        "64 GPUs with 8 GPUs to a node stand in 8, not in 16 nodes: give ",
    ),
    (
        "mean_within_sequence",
        "dataset.mean_length = 9000",
        "samples of 9,000 tokens in the mean are cut at sequences of 4,096 tokens",
    ),
    (
        "mixer_described",
        "model.mixer_layers = 4",
        "4 layers have a mixer, and `model.mixer` and its widths do not say which: name it, as in `mixer = delta`",
    ),
    (
        "mixers_fit",
        "model.mixer = conv\nmodel.mixer_layers = 40\nmodel.attending_layers = 8",
        "of 32 layers 40 have the mixer, 8 attention and 32 a feed-forward block",
    ),
    (
        "squares_of_mixers",
        "model.mixer = conv\nmodel.mixer_layers = 4\ntraining.optimizer = soap",
        "the optimizer keeps squares of every matrix, and those of mixers are not counted",
    ),
    (
        "images_given",
        SIGLIP,
        "no images are planned: the tower's parameters are counted, and it computes nothing; give `images.per_sample`",
    ),
    (
        "image_tokens_known",
        f"{SIGLIP}\nimages.per_sample = 1",
        "the rule of this family is not modelled: give `images.tokens_each` and `tower.patches`",
    ),
    ("assumption_near", "assume mfu = 10%", "assumed 10% MFU; this layout is estimated at "),
    (
        "gate_meant",
        'model = "llama-7b"\nmodel.gated_mlp = false',
        "gated_mlp is false with a feed-forward width of 11,008",
    ),
    (
        "widths_in_proportion",
        'model = "llama-7b"\nmodel.hidden = 8192\nmodel.heads = 64',
        "a feed-forward width of 11,008 is out of proportion to a hidden width of 8,192: give `model.ffn`",
    ),
    ("mfu_seen", "assume mfu = 70%", "an MFU of 70% is outside what whole runs in 16 bits have averaged, 15% to 55%"),
    ("heads_divide", "parallelism.tensor = 5", "32 attention heads over 5 tensor-parallel ranks leave 2"),
    ("ffn_divides", "parallelism.tensor = 6", "a feed-forward width of 14,336 over 6 tensor-parallel ranks leaves 2"),
    (
        "layers_divide",
        "parallelism.pipeline = 4\nparallelism.first_stage_layers = 6\nparallelism.last_stage_layers = 7",
        "32 layers over 4 × 1 pipeline chunks, 6 of them in the first stage and 7 in the last, leave 1",
    ),
    ("experts_divide", "parallelism.expert = 16", "8 experts over 16 expert-parallel ranks leave 8"),
    ("experts_exist", 'model = "llama-7b"\nparallelism.expert = 2', "the model has no experts to split over 2"),
    ("context_divides", "parallelism.context = 3", "a sequence of 4,096 tokens over 3 context-parallel ranks leaves 1"),
    ("schedule_modelled", "parallelism.schedule = dualpipe", "the dualpipe schedule is not modelled yet"),
    ("interleaved_pipeline", "parallelism.virtual_pipeline = 2", "the chunks per stage are 2, the stages 1"),
    (
        "interleaved_pipeline",
        "parallelism.pipeline = 2\nparallelism.schedule = interleaved",
        "the chunks per stage are 1, the stages 2",
    ),
    ("tensor_inside_node", "parallelism.tensor = 16", "16 tensor-parallel ranks reach beyond the 8 GPUs that share"),
    ("stage_fits_framework", "parallelism.framework = ddp", "ddp has no ZeRO stage 2"),
    (
        "stack_fits_framework",
        'stack = "megatron-lm"\nparallelism.framework = torchtitan',
        "the stack is one of megatron, and `parallelism.framework` is torchtitan: leave `parallelism.framework` out",
    ),
    ("experts_described", "model.experts_per_token = 9", "8 experts of width 14,336, of which a token uses 9"),
    ("positions_reach", 'model = "gpt2"', "sequences of 4,096 tokens are longer than the table of 1,024 positions"),
    (
        "batch_divides",
        "training.global_batch = 100 sequences",
        "100 sequences over micro-batches of 64 sequences, all ranks together, leave 36 sequences",
    ),
    (
        "batch_near",
        "training.global_batch = 0.4M tokens",
        "global batch is 524,288 tokens, 31.1% off the 400,000 tokens",
    ),
    (
        "batch_close",
        "training.global_batch = 970_000 tokens",
        "global batch is 1.049M tokens, 8.1% off the 970,000 tokens asked for",
    ),
    (
        "within_context",
        "dataset.sequence_length = 65_536",
        "sequences of 65,536 tokens exceed the model's context of 32,768 tokens: the RoPE has to be scaled by 2",
    ),
    (
        "precision_supported",
        "training.precision = fp8",
        "fp8 is not a training format that the accelerator has matrix units for",
    ),
    (
        "host_fits",
        "parallelism.offload = optimizer\nhardware.host_memory = 64 GB",
        "each node offloads 70.05 GB and has 64 GB",
    ),
    (
        "epochs_follow",
        "dataset.epochs = 3\ntraining.steps = 100",
        "the run ends after 100 steps, ",
    ),
    (
        "quantized_precision",
        'hardware.gpu = "H100-SXM-80GB"\nadapter.method = qlora\ntraining.precision = fp8',
        "QLoRA cannot train in fp8",
    ),
    (
        "formats_kept",
        "training.reduce_dtype = none",
        "the format of weights, gradients, optimizer states or communication is `none`",
    ),
    (
        "sliding_layers_modelled",
        'model = "gemma-2-9b"\ntraining.attention = standard',
        "21 layers use a sliding window; their time is modelled for flash attention only",
    ),
    ("nodes_are_whole", "hardware.gpus = 12\nemit deepspeed", "12 GPUs do not fill whole nodes of 8 GPUs"),
    (
        "params_counted",
        "model.params = 40B params\nemit deepspeed",
        "`model.params` is 40B parameters, and a model of this shape has 46.7B parameters: leave it out",
    ),
    ("deepspeed_precision", "training.precision = fp8\nemit deepspeed", "DeepSpeed does not train in fp8"),
    (
        "deepspeed_pipeline",
        "parallelism.pipeline = 2\nemit deepspeed",
        "2 × 1 pipeline chunks cannot be set in a DeepSpeed config",
    ),
    (
        "offload_share_applies",
        "parallelism.offload_share = 0.5",
        "50% of the optimizer is to be offloaded, but `parallelism.offload` is none",
    ),
    (
        "deepspeed_offload_share",
        "parallelism.offload = optimizer\nparallelism.offload_share = 0.5\nemit deepspeed",
        "DeepSpeed offloads the whole optimizer at ZeRO stage 2, not 50% of it",
    ),
    (
        "update_whole",
        "training.optimizer = soap\nparallelism.zero_stage = 1",
        "soap is to update at ZeRO stage 1, with adapter none",
    ),
    (
        "update_whole",
        "training.optimizer = shampoo\nparallelism.zero_stage = 0\nadapter.method = lora",
        "shampoo is to update at ZeRO stage 0, with adapter lora",
    ),
    (
        "update_unsplit",
        "training.optimizer = soap\nparallelism.zero_stage = 0\nparallelism.tensor = 2",
        "soap is to update matrices that 2 tensor-parallel ranks share",
    ),
    (
        "update_unsplit",
        "training.optimizer = shampoo\nparallelism.zero_stage = 0\nparallelism.expert_tensor = 4",
        "shampoo is to update matrices that 4 tensor-parallel ranks share",
    ),
    (
        "update_timed",
        "training.optimizer = muon",
        "the matrix products of the update by muon are not modelled yet, and take no time here",
    ),
    (
        "update_on_gpu",
        "training.optimizer = soap\nparallelism.offload = optimizer",
        "soap cannot update in host memory",
    ),
    (
        "deepspeed_whole",
        "training.optimizer = soap\nparallelism.zero_stage = 0\nemit deepspeed",
        "soap finds no matrices in bf16: take fp32",
    ),
    (
        "nvme_framework",
        (
            "parallelism.framework = deepspeed\nparallelism.offload = all\nparallelism.offload_to = nvme\n"
            "hardware.nvme_bandwidth = 28 GB/s"
        ),
        "deepspeed at ZeRO stage 2 does not offload all to NVMe",
    ),
    (
        "nvme_optimizer",
        f"{NVME}\nparallelism.offload_share = 0.5",
        "50% of adamw with a master copy in fp32 cannot go to NVMe",
    ),
    (
        "nvme_modelled",
        f"{NVME}\nparallelism.offload = all",
        "with 8 experts and adapter none all to NVMe is not modelled yet",
    ),
    (
        "nvme_bandwidth_known",
        NVME.replace("hardware.nvme_bandwidth = 28 GB/s", ""),
        "the bandwidth of the nodes' NVMe drives is not given",
    ),
    ("nvme_fits", f"{NVME}\nhardware.nvme_memory = 50 GB", "of 50 GB of NVMe"),
    (
        "evaluation_told",
        "training.evaluation_batch = 8\nparallelism.framework = megatron\nparallelism.zero_stage = 1\nemit megatron",
        "an evaluation takes 8 sequences at once",
    ),
    (
        "activations_stay",
        "training.activation_offload = 0.5\nemit deepspeed",
        "50% of the stored activations are offloaded to host memory, for which the file has no key",
    ),
    (
        "deepspeed_offload",
        "parallelism.offload = parameters\nemit deepspeed",
        "DeepSpeed ignores offloading (parameters) at ZeRO stage 2",
    ),
    ("deepspeed_framework", "parallelism.framework = fsdp\nemit deepspeed", "but the framework is fsdp"),
    ("deepspeed_key_heads", "parallelism.tensor = 16\nemit deepspeed", "8 key heads over 16 tensor-parallel ranks"),
    (
        "accelerate_precision",
        "training.precision = mxfp8\nparallelism.framework = fsdp\nemit accelerate",
        "Accelerate's file has no key for mxfp8",
    ),
    (
        "accelerate_pipeline",
        "parallelism.pipeline = 2\nparallelism.framework = fsdp\nemit accelerate",
        "2 pipeline stages, but the framework is fsdp",
    ),
    ("accelerate_virtual_pipeline", "parallelism.virtual_pipeline = 2\nemit accelerate", "2 chunks per pipeline stage"),
]
FLAT = "parallelism.framework = fsdp\nemit accelerate { fsdp_version = 1 }"
TARGETS = [
    (
        "method_written",
        "training.task = orpo\ntraining.micro_batch = 2\nemit deepspeed",
        "dpo, ipo, kto and reward, `llamafactory` dpo, ipo, kto, orpo and simpo",
    ),
    (
        "deepspeed_pipeline_sharding",
        "parallelism.framework = deepspeed\nparallelism.zero_stage = 3\nparallelism.pipeline = 2",
        "DeepSpeed has no pipeline of 2 stages at ZeRO stage 3",
    ),
    (
        "deepspeed_schedule",
        "parallelism.framework = deepspeed\nparallelism.pipeline = 2\nparallelism.schedule = gpipe",
        "DeepSpeed has no gpipe pipeline with 1 chunks per stage",
    ),
    ("nodes_share_evenly", "hardware.nodes = 7\nemit deepspeed", "64 GPUs do not divide evenly over 7 nodes"),
    (
        "deepspeed_rate",
        (
            "parallelism.framework = deepspeed\ntraining.learning_rate = 0.0003\ntraining.warmup = 100 step\n"
            "training.rate_schedule = wsd\nemit deepspeed"
        ),
        "DeepSpeed has no schedule wsd",
    ),
    (
        "accelerate_fp8",
        'parallelism.framework = deepspeed\ntraining.precision = fp8\nhardware.gpu = "H100-SXM5-80GB"\nemit accelerate',
        "fp8 needs `parallelism.framework = fsdp`",
    ),
    (
        "deepspeed_expert",
        'model = "dbrx"\nparallelism.expert = 8\nemit deepspeed',
        "no preset that splits the experts of this model over 8 ranks",
    ),
    (
        "deepspeed_expert_router",
        "parallelism.expert = 8\nemit deepspeed",
        "does not split the experts of mixtral with transformers 5.23",
    ),
    (
        "deepspeed_expert_tensor",
        "parallelism.expert_tensor = 2\nemit deepspeed",
        "2 ranks cannot share an expert in DeepSpeed",
    ),
    (
        "deepspeed_expert_ranks",
        'model = "deepseek-v2-lite"\nparallelism.expert = 32\nhardware.gpus = 48\nemit deepspeed',
        "48 GPUs do not divide into expert-parallel groups of 32",
    ),
    (
        "deepspeed_expert_clipping",
        (
            'model = "deepseek-v2-lite"\nparallelism.expert = 8\ntraining.precision = fp32\n'
            "parallelism.zero_stage = 0\nemit deepspeed"
        ),
        "without ZeRO gradients in fp32 stay larger than 1",
    ),
    (
        "deepspeed_expert_optimizer",
        'model = "deepseek-v2-lite"\nparallelism.expert = 8\ntraining.optimizer = adamw_8bit\nemit deepspeed',
        "and adamw_8bit is made by the script",
    ),
    (
        "deepspeed_expert_matrices",
        'model = "deepseek-v2-lite"\nparallelism.expert = 8\nparallelism.tensor = 2\nemit deepspeed',
        "splits the matrices of a model with experts over 2 ranks",
    ),
    (
        "deepspeed_expert_context",
        'model = "deepseek-v2-lite"\nparallelism.expert = 8\nparallelism.context = 2\nemit deepspeed',
        "2 ranks share a sequence, while 8 ranks share the experts",
    ),
    (
        "deepspeed_expert_replicas",
        (
            'model = "deepseek-v2-lite"\nparallelism.expert = 8\nparallelism.zero_stage = 3\n'
            "parallelism.replicas = 2\nemit deepspeed"
        ),
        "the plan keeps 2 copies of the weights, while 8 ranks share the experts",
    ),
    (
        "deepspeed_dispatcher",
        'model = "deepseek-v2-lite"\nparallelism.expert = 8\nparallelism.dispatcher = deepep\nemit deepspeed',
        "DeepSpeed does not send tokens to their experts by deepep",
    ),
    (
        "deepspeed_expert_adapter",
        'model = "deepseek-v2-lite"\nparallelism.expert = 8\nadapter.method = lora\nemit deepspeed',
        "does not find the experts of a model with lora adapters",
    ),
    (
        "deepspeed_expert_overlap",
        'model = "deepseek-v2-lite"\nparallelism.expert = 8\nparallelism.expert_overlap = true\nemit deepspeed',
        "the traffic of experts is to overlap",
    ),
    (
        "deepspeed_replicas",
        "parallelism.replicas = 2\nemit deepspeed",
        "at ZeRO stage 2 cannot form 2 groups that each have a copy of the weights",
    ),
    (
        "deepspeed_replicas_alone",
        "parallelism.replicas = 2\nparallelism.zero_stage = 3\nparallelism.tensor = 2\nemit deepspeed",
        "2 groups have a copy of the weights, together with tensor or context parallelism",
    ),
    (
        "deepspeed_muon",
        "training.optimizer = muon\nparallelism.zero_stage = 3\nemit deepspeed",
        "muon cannot update at ZeRO stage 3",
    ),
    (
        "deepspeed_loss_scale",
        "training.precision = fp16\nparallelism.zero_stage = 0\nemit deepspeed",
        "gradients 65,536 times too small",
    ),
    (
        "deepspeed_leaf",
        'model = "deepseekmoe-16b"\nparallelism.zero_stage = 3\nemit deepspeed',
        "nothing says which class holds the experts",
    ),
    (
        "deepspeed_context",
        "parallelism.context = 64\nemit deepspeed",
        "32 heads do not divide by 64 ranks that share a sequence",
    ),
    (
        "deepspeed_tensor",
        "parallelism.tensor = 2\nparallelism.sequence_parallel = true\nemit deepspeed",
        "over 2 tensor-parallel ranks",
    ),
    ("deepspeed_nvme_path", f"{NVME}\nemit deepspeed", "no folder on the NVMe drives is given"),
    (
        "deepspeed_reuse",
        (
            f'{NVME}\nmodel = "llama-7b"\nparallelism.offload = all\ndeepspeed.stage3_max_reuse_distance = 1B\n'
            'emit deepspeed { nvme_path = "/local" }'
        ),
        "weights on NVMe cannot be kept for reuse within 1,000,000,000 elements, nor can 0 of them be prefetched",
    ),
    (
        "deepspeed_offloaded_update",
        "parallelism.offload = optimizer\ntraining.optimizer = adamw_8bit\nemit deepspeed",
        "adamw_8bit cannot update in host memory",
    ),
    (
        "deepspeed_overlap",
        "parallelism.zero_stage = 0\ndeepspeed.overlap_comm = true\nemit deepspeed",
        "at ZeRO stage 0 DeepSpeed overlaps nothing",
    ),
    (
        "deepspeed_reshard",
        "parallelism.reshard = true\nemit deepspeed",
        "cannot be chosen at ZeRO stage 2 of DeepSpeed",
    ),
    (
        "deepspeed_prefetch",
        "parallelism.zero_stage = 3\nparallelism.prefetch = false\nemit deepspeed",
        "cannot be told to fetch weights when",
    ),
    (
        "deepspeed_weights",
        "training.parameter_dtype = fp32\nemit deepspeed",
        "the weights are in fp32, and DeepSpeed computes in bf16",
    ),
    ("deepspeed_master", "training.master_dtype = none\nemit deepspeed", "the master copy of the weights is in none"),
    (
        "deepspeed_gradients",
        "parallelism.zero_stage = 0\ntraining.gradient_dtype = fp32\nemit deepspeed",
        "gradients are in fp32 at ZeRO stage 0",
    ),
    (
        "deepspeed_communication",
        "training.reduce_dtype = fp8\nemit deepspeed",
        "gradients are summed in fp8 and sent in fp8",
    ),
    (
        "accelerate_framework",
        "parallelism.framework = torchtitan\nemit accelerate",
        "Accelerate does not start torchtitan",
    ),
    (
        "accelerate_megatron",
        "parallelism.framework = megatron\nemit accelerate",
        "Accelerate 1.15 starts no release of Megatron-LM",
    ),
    (
        "accelerate_float8_model",
        "parallelism.framework = fsdp\ntraining.precision = fp8\nemit accelerate",
        "the model has 8 experts, and its adapters are none",
    ),
    (
        "accelerate_float8_widths",
        "parallelism.framework = fsdp\ntraining.precision = fp8\nmodel.ffn = 14_344\nemit accelerate",
        "widths of 4,096, 14,344, 32 × 128 and 8 × 128 are not all multiples of 16",
    ),
    (
        "accelerate_float8_kernels",
        "parallelism.framework = fsdp\ntraining.precision = fp8\ntraining.kernels = fused\nemit accelerate",
        "kernels are fused, and attention in 8 bits is false",
    ),
    (
        "accelerate_tensor",
        "parallelism.framework = fsdp\nparallelism.tensor = 2\nemit accelerate",
        "2 tensor-parallel ranks cannot be started with fsdp",
    ),
    (
        "accelerate_expert",
        "parallelism.framework = fsdp\nparallelism.expert = 2\nemit accelerate",
        "2 × 1 ranks are to share experts, but the framework is fsdp",
    ),
    (
        "accelerate_ring",
        "parallelism.framework = ddp\nparallelism.context = 2\nemit accelerate",
        "2 ranks share a sequence, but the framework is ddp",
    ),
    (
        "accelerate_ring_attention",
        "parallelism.framework = fsdp\nparallelism.context = 2\ntraining.attention = standard\nemit accelerate",
        "attention is standard, in bf16",
    ),
    (
        "accelerate_ring_model",
        "parallelism.framework = fsdp\nparallelism.context = 2\nmodel.causal = false\nemit accelerate",
        "this model's attention is not plainly causal, over the whole sequence",
    ),
    (
        "accelerate_ring_divides",
        "parallelism.framework = fsdp\nparallelism.context = 2\ndataset.sequence_length = 4098\nemit accelerate",
        "a sequence of 4,098 tokens does not split into two pieces for each of 2 ranks",
    ),
    (
        "accelerate_ring_lengths",
        "parallelism.framework = fsdp\nparallelism.context = 2\ndataset.batching = padded\nemit accelerate",
        "batches are padded to their longest sequence, which 2 ranks need not divide",
    ),
    ("accelerate_flat_context", f"{FLAT}\nparallelism.context = 2", "2 ranks of FSDP 1 cannot share a sequence"),
    (
        "accelerate_flat_accumulation",
        f"{FLAT}\nparallelism.offload = all",
        "FSDP 1 sums the gradients of",
    ),
    ("accelerate_flat_precision", f"{FLAT}\ntraining.precision = fp8", "FSDP 1 would multiply in fp8"),
    ("accelerate_flat_adapter", f"{FLAT}\nadapter.method = lora", "adapters (lora) cannot be trained with FSDP 1"),
    (
        "accelerate_flat_trainer",
        f'{FLAT}\nemit huggingface {{ model = "a", dataset = "b", output = "c" }}',
        "while the Trainer's arguments name FSDP 2",
    ),
    ("accelerate_flat_reshard", f"{FLAT}\nparallelism.reshard = true", "FSDP 1 at ZeRO stage 2 leaves no choice"),
    ("accelerate_flat_replicas", f"{FLAT}\nparallelism.replicas = 4", "4 copies of the model"),
    (
        "accelerate_ring_replicas",
        "parallelism.framework = fsdp\nparallelism.context = 2\nparallelism.replicas = 64\nemit accelerate",
        "64 groups hold the model, and each reads as many sequences as one rank",
    ),
    (
        "accelerate_context",
        "parallelism.tensor = 2\nparallelism.context = 2\nemit accelerate",
        "2 ranks share a sequence, while 2 share each matrix product",
    ),
    (
        "accelerate_zero",
        "parallelism.framework = fsdp\nparallelism.zero_stage = 1\nemit accelerate",
        "fsdp has no ZeRO stage 1",
    ),
    (
        "accelerate_offload",
        "parallelism.framework = fsdp\nparallelism.offload = optimizer\nemit accelerate",
        "fsdp at ZeRO stage 2 does not offload optimizer",
    ),
    (
        "accelerate_replicas",
        "parallelism.framework = ddp\nparallelism.zero_stage = 0\nparallelism.replicas = 2\nemit accelerate",
        "cannot form 2 groups that each hold the model",
    ),
    (
        "accelerate_reshard",
        "parallelism.framework = fsdp\nparallelism.reshard = true\nemit accelerate",
        "at ZeRO stage 2 no weights are gathered again",
    ),
    (
        "accelerate_weights",
        "parallelism.framework = fsdp\ntraining.parameter_dtype = bf16\nemit accelerate",
        "the weights are in bf16, and Accelerate keeps those of FSDP in fp32",
    ),
    (
        "accelerate_reduce",
        "parallelism.framework = fsdp\ntraining.reduce_dtype = fp32\nemit accelerate",
        "gradients are summed in fp32 and sent in fp32",
    ),
    (
        "accelerate_gradients",
        "parallelism.framework = fsdp\ntraining.gradient_dtype = bf16\nemit accelerate",
        "gradients are in bf16, the weights in fp32",
    ),
    (
        "accelerate_master",
        "parallelism.framework = fsdp\ntraining.master_dtype = fp32\nemit accelerate",
        "a master copy in fp32 although the weights are in fp32",
    ),
    (
        "accelerate_overlap",
        "parallelism.framework = fsdp\nparallelism.data_overlap = false\nemit accelerate",
        "makes fsdp wait",
    ),
]
"""Requirement, what is added to the plan, and what is said."""

ELSEWHERE = (
    "axolotl_",
    "accelerate_script_",
    "deepspeed_script_",
    "huggingface_",
    "kubernetes_",
    "launch_",
    "lightning_",
    "llamafactory_",
    "megatron_",
    "probe_",
    "serving_",
    "sglang_",
    "skypilot_",
    "slurm_",
    "tensorrt_llm_",
    "torchtitan_",
    "vllm_",
)
"""Requirements of targets, and of serving, that their own tests go through."""


def result(solution: Solution, name: str) -> RequirementResult:
    return next(one for one in (*solution.requirements, *solution.preferences) if one.name == name)


def solved(added: str) -> Solution:
    """The base with further inputs, `path = value` a line, or other statements."""
    pairs = [line.split(" = ") for line in added.splitlines() if re.fullmatch(r"[a-z.0-9_]+ = .+", line)]
    others = [line for line in added.splitlines() if line.split(" = ") not in pairs]
    return api.solve("-", text="\n".join([BASE, *others, ""]), settings=[(path, value) for path, value in pairs])


@pytest.mark.quick(12)
@pytest.mark.usefixtures("no_advice")
@pytest.mark.parametrize(
    ("name", "added", "said"),
    [*FAILING, *TARGETS],
    ids=[name for name, _, _ in (*FAILING, *TARGETS)],
)
def test_what_is_said_where_it_fails(name: str, added: str, said: str) -> None:
    failed = result(solved(added), name)
    assert failed.holds is False, failed
    assert said in failed.otherwise


def test_attention_that_is_not_counted() -> None:
    assert "only `model.params` is known" in result(api.solve("-", text=PARAMS), "attention_counted").otherwise


def test_two_rates_contradict_each_other() -> None:
    (found,) = solved("assume mfu = 40%\nassume hfu = 50%").diagnostics
    assert found.code == "E0406" and found.notes[0].startswith("more than one of `mfu`")


def test_every_rule_of_the_library_says_both() -> None:
    rules = library.load()[0].rules
    assert [name for name in rules if rules[name].because is None or rules[name].otherwise is None] == []
    own = {name for name in rules if name.startswith(ELSEWHERE)}
    assert set(rules) == {name for name, _, _ in (*FAILING, *TARGETS)} | own | {
        "attention_counted",
        "batch_as_advised",
        "further_training_meant",
        "images_counted",
        "lengths_known",
        "one_rate_assumed",
        "queries_served",
        "run_resembles",
    }


def test_what_holds_says_nothing_of_failing() -> None:
    solution = api.solve("-", text=BASE.replace("mixtral-8x7b", "llama-7b"))
    for one in (*solution.requirements, *solution.preferences):
        assert bool(one.otherwise) == (one.holds is False)


def test_a_value_that_is_missing_leaves_the_condition() -> None:
    text = 'model "llama-7b"\nrequire small: model.params_total <= 1B params else "{model.params_total} for {time}"\n'
    small = result(api.solve("-", text=text), "small")
    assert (small.holds, small.otherwise, told.case(small)) == (False, "", "6.738B parameters > 1B parameters")


@pytest.mark.slow
def test_the_report_shows_it_in_place_of_the_condition() -> None:
    rule = 'require soon: time <= 1 day because "the grant ends" else "it takes {time in days}"'
    contents, problems = render(solved(f"parallelism.tensor = 16\n{rule}\nemit report"))
    assert not problems
    rows = [row for row in contents["report.md"].splitlines() if row.startswith("| ") and "\u2717 no" in row]
    (soon,) = (row for row in rows if row.startswith("| soon"))
    (inside,) = (row for row in rows if row.startswith("| `tensor_inside_node`"))
    assert "it takes 1,912 days" in soon
    assert "16 tensor-parallel ranks reach beyond the 8 GPUs" in inside
    assert "parallelism.tensor <=" not in inside


SERVED = """model "llama-3.1-8b"
hardware { gpu = "H100-SXM5-80GB", gpus = 4 }
serving { batch = 16, input_tokens = 1000, output_tokens = 300 }
"""
FEW = """model "llama-3.1-8b"
dataset { tokens = 50M, sequence_length = 4096 }
hardware { gpu = "H100-SXM5-80GB", gpus = 8 }
"""


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    ("text", "name"),
    [
        (SERVED + "training.precision = fp8", "serving_format_meant"),
        (SERVED + "serving.precision = fp8", None),
        (SERVED + "parallelism.tensor = 4", "serving_split_meant"),
        (SERVED + "serving.tensor = 4", None),
        (FEW, "further_training_meant"),
        (FEW + "training.task = pretrain", None),
        (FEW + "training.task = finetune", None),
    ],
)
def test_an_input_that_means_another_is_told(text: str, name: str | None) -> None:
    told = [
        one.name for one in api.solve("-", text=text).preferences if one.holds is False and one.name.endswith("_meant")
    ]
    assert told == ([name] if name else [])

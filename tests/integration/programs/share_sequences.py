"""A training script up to the first layer of attention, with the lines that the report asks for: PyTorch's ring has no
kernel for CPUs.

Each rank writes how it shares a sequence to REPORTS/rank-N.json. Marked below is what is there only because there is no
GPU.

Usage: share_sequences.py REPORTS
"""

import json
import os
import sys

import accelerate.state
import torch
from accelerate import Accelerator
from accelerate.utils import DistributedType
from torch.distributed.tensor.experimental._context_parallel._attention import _cp_options
from transformers import LlamaConfig, LlamaForCausalLM

LENGTH = int(os.environ["LLMPLAN_SEQUENCE_LENGTH"])
MICRO_BATCH = int(os.environ["LLMPLAN_MICRO_BATCH"])

# Without a GPU.
accelerate.state.PartialState._prepare_backend = lambda *args, **kwargs: ("gloo", DistributedType.MULTI_GPU)
os.environ |= {"ACCELERATE_TORCH_DEVICE": "cpu", "FSDP_CPU_RAM_EFFICIENT_LOADING": "false"}

accelerator = Accelerator()
config = LlamaConfig(
    vocab_size=64, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, use_cache=False
)
model = LlamaForCausalLM(config)
model, optimizer = accelerator.prepare(model, torch.optim.AdamW(model.parameters()))
input_ids = torch.arange(LENGTH).repeat(MICRO_BATCH, 1)
labels, position_ids = input_ids.clone(), input_ids.clone()
shift_labels = torch.nn.functional.pad(labels, (0, 1), value=-100)[:, 1:].contiguous()
tensors = [input_ids, labels, shift_labels, position_ids]
with accelerator.maybe_context_parallel(buffers=tensors, buffer_seq_dims=[1, 1, 1, 1], no_restore_buffers=set(tensors)):
    mesh = accelerator.torch_device_mesh
    seen = {
        "kind": accelerator.distributed_type.value,
        "mesh": dict(zip(mesh.mesh_dim_names, mesh.shape, strict=True)),
        "sharded_over": next(model.parameters()).device_mesh.size(),
        "ring": _cp_options.rotate_method.name,
        "balanced": _cp_options.enable_load_balance,
        "positions": position_ids.tolist(),
        "next": shift_labels.tolist(),
    }
with open(os.path.join(sys.argv[1], f"rank-{accelerator.process_index}.json"), "w") as file:
    json.dump(seen, file)

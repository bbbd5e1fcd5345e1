"""A training script as a user would write it, small enough for CPUs.

It trains a Llama of two layers from what `launch.sh` exports and the configuration files, and each
rank writes what it saw to REPORTS/rank-N.json. Marked below is what is there only because there is
no GPU.

Usage: train.py REPORTS
"""

import contextlib
import hashlib
import json
import os
import sys

import torch
from torch.utils.data import DataLoader
from transformers import LlamaConfig, LlamaForCausalLM
from without_gpu import deepspeed_as_on_gpus, gloo

MICRO_BATCH = int(os.environ["LLMPLAN_MICRO_BATCH"])
LENGTH = int(os.environ["LLMPLAN_SEQUENCE_LENGTH"])
STEPS = int(os.environ["LLMPLAN_STEPS"])
ACCUMULATION = int(os.environ["LLMPLAN_GRAD_ACCUM"])
TENSOR = int(os.environ.get("LLMPLAN_TENSOR_PARALLEL", "1"))  # ranks that share matrices work on the same data
VOCABULARY = 64


def no_gpu():
    """Without a GPU."""
    gloo(sharded=any(name.startswith(("FSDP_", "ACCELERATE_DEEPSPEED_")) for name in os.environ))
    os.environ["FSDP_CPU_RAM_EFFICIENT_LOADING"] = os.environ["FSDP_SYNC_MODULE_STATES"] = "false"
    if "LLMPLAN_DEEPSPEED_CONFIG" in os.environ:
        deepspeed_as_on_gpus()


def sequences(ranks):
    """Sequences that use few of the tokens, which is quickly learnt; the chance that two are the same is small."""
    generator = torch.Generator().manual_seed(1)
    count = STEPS * ACCUMULATION * MICRO_BATCH * ranks
    return list(torch.randint(VOCABULARY // 8, (count, LENGTH), generator=generator))


def small_llama():
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=LENGTH,
        use_cache=False,
    )
    model = LlamaForCausalLM(config)
    if os.environ.get("LLMPLAN_RECOMPUTE") == "full" and os.environ.get("FSDP_ACTIVATION_CHECKPOINTING") != "true":
        model.gradient_checkpointing_enable()
        for layer in model.model.layers[int(os.environ["LLMPLAN_RECOMPUTE_LAYERS"]) :]:
            layer.gradient_checkpointing = False
    return model


def with_accelerate(ranks):
    from accelerate import Accelerator
    from accelerate.utils import DummyOptim, DummyScheduler, GradientAccumulationPlugin

    sharded = os.environ.get("ACCELERATE_USE_FSDP") == "true"
    plugin = GradientAccumulationPlugin(num_steps=ACCUMULATION, sync_each_batch=True) if sharded else None
    accelerator = Accelerator(gradient_accumulation_plugin=plugin)
    model = small_llama()
    plugin = accelerator.state.deepspeed_plugin
    config = plugin.deepspeed_config if plugin else {}
    rate = float(os.environ["LLMPLAN_LEARNING_RATE"])
    optimizer = (DummyOptim if "optimizer" in config else torch.optim.AdamW)(model.parameters(), lr=rate)
    parts = [model, optimizer, DataLoader(sequences(ranks // TENSOR), batch_size=MICRO_BATCH)]
    if "scheduler" in config:
        parts.append(DummyScheduler(optimizer))
    model, optimizer, loader, *scheduler = accelerator.prepare(*parts)

    def train(batch):
        with accelerator.accumulate(model):
            loss = model(input_ids=batch, labels=batch).loss
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), float(os.environ["LLMPLAN_GRADIENT_CLIPPING"]))
            optimizer.step()
            for one in scheduler:
                one.step()
            optimizer.zero_grad()
        return loss

    in_8_bits = sum(type(part).__name__.endswith("Float8Linear") for part in model.modules())
    seen = {
        "kind": accelerator.distributed_type.value,
        "accumulation": accelerator.gradient_accumulation_steps,
        "in_8_bits": in_8_bits,
    }
    return model, loader, train, seen


def with_deepspeed(ranks):
    import deepspeed

    deepspeed.init_distributed(dist_backend="gloo")
    model = small_llama()
    engine, *_ = deepspeed.initialize(
        model=model, model_parameters=model.parameters(), config=os.environ["LLMPLAN_DEEPSPEED_CONFIG"]
    )
    shares = ranks // TENSOR
    own = sequences(shares)[engine.global_rank // TENSOR :: shares]
    loader = DataLoader(own, batch_size=MICRO_BATCH)

    def train(batch):
        loss = engine(input_ids=batch, labels=batch).loss
        engine.backward(loss)
        engine.step()
        return loss

    return engine, loader, train, {"kind": "engine", "accumulation": engine.gradient_accumulation_steps()}


def gathered(model):
    """All parameters, whole, as this rank has them."""
    whole = contextlib.nullcontext()
    parameters = list(model.parameters())
    if any(hasattr(parameter, "ds_id") for parameter in parameters):
        import deepspeed

        whole = deepspeed.zero.GatheredParameters(parameters)
    digest = hashlib.sha256()
    with whole:
        for parameter in parameters:
            value = parameter.full_tensor() if hasattr(parameter, "full_tensor") else parameter
            digest.update(value.detach().float().numpy().tobytes())
    return digest.hexdigest()


def main():
    no_gpu()
    ranks = int(os.environ["WORLD_SIZE"])
    by_accelerate = any(name.startswith("ACCELERATE_MIXED") for name in os.environ)
    model, loader, train, seen = (with_accelerate if by_accelerate else with_deepspeed)(ranks)
    before = gathered(model)
    losses, data = [], hashlib.sha256()
    for batch in loader:
        losses.append(train(batch).item())
        data.update(batch.numpy().tobytes())
    rank = torch.distributed.get_rank()
    report = {
        **seen,
        "world": torch.distributed.get_world_size(),
        "losses": losses,
        "changed": gathered(model) != before,
        "parameters": gathered(model),
        "data": data.hexdigest(),
        "batch": list(batch.shape),
        "stage": getattr(model, "zero_optimization_stage", lambda: None)(),
        "dtype": str(next(model.parameters()).dtype),
    }
    with open(os.path.join(sys.argv[1], f"rank-{rank}.json"), "w") as file:
        json.dump(report, file)
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()


main()
# Threads that gloo left behind now and then abort an interpreter that has done its work.
os._exit(0)

"""Train a tiny model whose experts are split over ranks from an emitted configuration, and the same model whole by
PyTorch alone.

By `accelerate launch` it is prepared by Accelerate, otherwise DeepSpeed reads the file that LLMPLAN_DEEPSPEED_CONFIG
names. Each rank trains the whole model too, on the data of all, and writes to REPORTS/rank-N.json

    losses    of each step, the mean over all ranks; `expected` of the model that is whole
    norms     of the gradients of each step before they are clipped, as DeepSpeed says; `expected_norms` of the whole
              model
    squares   of the norm of those that this rank took each step with, of weights `shared` by all and of its `experts`
    furthest  how far a weight of this rank is at last from that of the whole model, of those `shared` by all and of its
              `experts`
    held      how many numbers it has in memory of `shared` and `experts`, and of one state of the optimizer
    shapes    of its experts in a layer

Usage: train_experts.py REPORTS MODEL_TYPE
"""

import copy
import json
import os
import sys

import torch
import torch.distributed as dist
from torch.optim.optimizer import register_optimizer_step_pre_hook
from transformers import AutoConfig, AutoModelForCausalLM
from without_gpu import deepspeed_as_on_gpus, gloo

MICRO_BATCH = int(os.environ["LLMPLAN_MICRO_BATCH"])
LENGTH = int(os.environ["LLMPLAN_SEQUENCE_LENGTH"])
STEPS = int(os.environ["LLMPLAN_STEPS"])
ACCUMULATION = int(os.environ["LLMPLAN_GRAD_ACCUM"])
CLIPPING = float(os.environ["LLMPLAN_GRADIENT_CLIPPING"])
DECAY = float(os.environ["LLMPLAN_WEIGHT_DECAY"])
BETAS = (float(os.environ["LLMPLAN_BETA1"]), float(os.environ["LLMPLAN_BETA2"]))
EPSILON = float(os.environ["LLMPLAN_EPSILON"])
WIDTHS = {
    "deepseek_v3": {
        "n_routed_experts": 4, "n_group": 2, "topk_group": 1, "first_k_dense_replace": 1, "kv_lora_rank": 8,
        "q_lora_rank": 8,
        "qk_rope_head_dim": 4, "qk_nope_head_dim": 4, "v_head_dim": 8, "moe_intermediate_size": 16,
    },
    "qwen3_moe": {"num_experts": 4, "moe_intermediate_size": 16, "head_dim": 8},
}  # fmt: skip


def small(type):
    torch.manual_seed(0)
    config = AutoConfig.for_model(
        type, vocab_size=64, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=4,
        num_experts_per_tok=2, max_position_embeddings=LENGTH, use_cache=False, **WIDTHS[type],
    )  # fmt: skip
    model = AutoModelForCausalLM.from_config(config)
    if os.environ.get("LLMPLAN_RECOMPUTE") == "full":
        model.gradient_checkpointing_enable()
    return model


def prepared(model):
    if any(name.startswith("ACCELERATE_MIXED") for name in os.environ):
        from accelerate import Accelerator
        from accelerate.utils import DummyOptim, DummyScheduler

        accelerator = Accelerator()
        accelerator.state.deepspeed_plugin.deepspeed_config["train_micro_batch_size_per_gpu"] = MICRO_BATCH
        optimizer = DummyOptim(model.parameters())
        return accelerator.prepare(model, optimizer, DummyScheduler(optimizer))[0]
    import deepspeed

    deepspeed.init_distributed(dist_backend="gloo")
    return deepspeed.initialize(
        model=model, model_parameters=model.parameters(), config=os.environ["LLMPLAN_DEEPSPEED_CONFIG"]
    )[0]


def train(engine, batches):
    """Losses, norms of gradients, and the rates that the schedule had."""
    losses, norms, rates = [], [], []
    ranks, rank = dist.get_world_size(), dist.get_rank()
    for batch in batches:
        rates.append(engine.get_lr()[0])
        total = torch.zeros(())
        for part in batch.chunk(ranks)[rank].chunk(ACCUMULATION):
            loss = engine(input_ids=part, labels=part).loss
            engine.backward(loss)
            engine.step()
            total += loss.detach() / ACCUMULATION / ranks
        dist.all_reduce(total)
        losses.append(total.item())
        norms.append(None if (norm := engine.get_global_grad_norm()) is None else float(norm))
    return losses, norms, rates


def train_whole(model, batches, rates):
    losses, norms = [], []
    optimizer = torch.optim.AdamW(model.parameters(), betas=BETAS, eps=EPSILON, weight_decay=DECAY)
    for batch, rate in zip(batches, rates, strict=True):
        optimizer.param_groups[0]["lr"] = rate
        loss = model(input_ids=batch, labels=batch).loss
        optimizer.zero_grad()
        loss.backward()
        norms.append(torch.nn.utils.clip_grad_norm_(model.parameters(), CLIPPING).item())
        optimizer.step()
        losses.append(loss.item())
    return losses, norms


def compared(engine, whole, mine):
    """By family how far weights are from those of the whole model, and how many of them this rank keeps."""
    import deepspeed

    expected = dict(whole.named_parameters())
    of_expert = {"w1": ("gate_up_proj", 0), "w3": ("gate_up_proj", 1), "w2": ("down_proj", 0)}
    furthest, held, shapes = {"shared": 0.0, "experts": 0.0}, {"shared": 0, "experts": 0}, []
    for name, weight in engine.module.named_parameters():
        block, _, last = name.rpartition(".")
        kept = getattr(weight, "ds_tensor", weight).numel()
        with deepspeed.zero.GatheredParameters([weight], enabled=hasattr(weight, "ds_id")):
            if block.endswith(".experts"):
                joint, half = of_expert[last]
                pieces = (
                    expected[f"{block}.{joint}"].chunk(2, dim=1) if last != "w2" else [expected[f"{block}.{joint}"]]
                )
                right, family = pieces[half][mine : mine + weight.shape[0]], "experts"
                shapes.append(list(weight.shape))
            else:
                right, family = expected[name.replace(".router.gate.", ".gate.")], "shared"
            furthest[family] = max(furthest[family], (weight - right).abs().max().item())
        held[family] += kept
    return {"furthest": furthest, "held": held, "shapes": shapes}


def main():
    gloo(sharded=True)
    deepspeed_as_on_gpus()
    model = small(sys.argv[2])
    whole = copy.deepcopy(model)
    engine = prepared(model)
    ranks, rank = dist.get_world_size(), dist.get_rank()
    generator = torch.Generator().manual_seed(1)
    batches = list(torch.randint(8, (STEPS, ranks * ACCUMULATION * MICRO_BATCH, LENGTH), generator=generator))
    squares = []

    def note(optimizer, given, named):
        of_step = {"shared": 0.0, "experts": 0.0}
        for weight in (one for group in optimizer.param_groups for one in group["params"] if one.grad is not None):
            of_step["shared" if getattr(weight, "allreduce", True) else "experts"] += (
                weight.grad.double().square().sum().item()
            )
        squares.append(of_step)

    watch = register_optimizer_step_pre_hook(note)
    losses, norms, rates = train(engine, batches)
    watch.remove()
    # Neighbours hold the experts of one copy, each its own.
    split = engine.config["expert_parallel"]["autoep_size"]
    expected, expected_norms = train_whole(whole, batches, rates)
    said = {
        "losses": losses,
        "expected": expected,
        "norms": norms,
        "expected_norms": expected_norms,
        "squares": squares,
    }
    report = {**said, **compared(engine, whole, rank % split * (4 // split))}
    optimizer = engine.optimizer.optimizer if hasattr(engine.optimizer, "optimizer") else engine.optimizer
    report["held"]["state"] = sum(state["exp_avg"].numel() for state in optimizer.state.values() if "exp_avg" in state)
    with open(os.path.join(sys.argv[1], f"rank-{rank}.json"), "w") as file:
        json.dump(report, file)
    dist.barrier()
    dist.destroy_process_group()


main()
# Threads that gloo left behind now and then abort an interpreter that has done its work.
os._exit(0)

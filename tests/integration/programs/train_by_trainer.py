"""A script as a user of the Trainer would write it from the report: the arguments from the emitted file, a Llama of two
layers.

Each rank writes what it saw to REPORTS/rank-N.json. Marked below is what is there only because there is no GPU.

Usage: train_by_trainer.py REPORTS
"""

import json
import os
import sys

import torch
from transformers import HfArgumentParser, LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments
from without_gpu import deepspeed_as_on_gpus, gloo


def no_gpu():
    """The arguments, without a GPU: bf16 on CPUs too."""
    import transformers.training_args

    with open(os.environ["LLMPLAN_TRAINING_ARGS"]) as file:
        arguments = json.load(file)
    gloo(sharded="deepspeed" in arguments or "fsdp" in arguments)
    transformers.training_args.is_torch_bf16_gpu_available = lambda: True
    if "fsdp_config" in arguments:
        arguments["fsdp_config"]["cpu_ram_efficient_loading"] = False  # it looks for a GPU
    if "deepspeed" in arguments:
        deepspeed_as_on_gpus()
    return arguments


class Data(torch.utils.data.Dataset):
    def __init__(self, count, length):
        generator = torch.Generator().manual_seed(1)
        self.rows = torch.randint(8, (count, length), generator=generator)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, at):
        return {"input_ids": self.rows[at], "labels": self.rows[at]}


def main():
    (arguments,) = HfArgumentParser(TrainingArguments).parse_dict(no_gpu())
    torch.manual_seed(0)
    length = int(os.environ["LLMPLAN_SEQUENCE_LENGTH"])
    config = LlamaConfig(
        vocab_size=64, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        max_position_embeddings=length, use_cache=False,
    )  # fmt: skip
    model = LlamaForCausalLM(config)
    shapes = set()
    model.register_forward_pre_hook(lambda *given: shapes.add(tuple(given[2]["input_ids"].shape)), with_kwargs=True)
    trainer = Trainer(model=model, args=arguments, train_dataset=Data(256, length))
    trainer.train()
    wrapped = trainer.model_wrapped
    report = {
        "world": arguments.world_size,
        "steps": trainer.state.global_step,
        "batch": sorted(shapes),
        "total": trainer.get_total_train_batch_size(arguments),
        "losses": [line["loss"] for line in trainer.state.log_history if "loss" in line],
        "rates": [line["learning_rate"] for line in trainer.state.log_history if "learning_rate" in line],
        "kind": trainer.accelerator.distributed_type.value,
        "recomputes": bool(getattr(model, "is_gradient_checkpointing", False)),
    }
    if trainer.is_deepspeed_enabled:
        report["engine"] = [
            wrapped.train_micro_batch_size_per_gpu(), wrapped.gradient_accumulation_steps(),
            wrapped.gradient_clipping(),
            wrapped.zero_optimization_stage(), str(wrapped.communication_data_type),
        ]  # fmt: skip
    with open(os.path.join(sys.argv[1], f"rank-{arguments.process_index}.json"), "w") as file:
        json.dump(report, file)
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()


main()
# Threads that gloo left behind now and then abort an interpreter that has done its work.
os._exit(0)

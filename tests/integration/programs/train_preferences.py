"""One of TRL's scripts as `launch.sh` would start it, on the CPU, with every forward pass of a model counted.

Writes to REPORT how many sequences each pass had, with gradients and beside them, and the parameters of the models
that took part.

Usage: train_preferences.py SCRIPT CONFIG REPORT
"""

import json
import runpy
import sys

import torch
import transformers.training_args
from transformers import LlamaForCausalLM, LlamaForSequenceClassification

transformers.training_args.is_torch_bf16_gpu_available = lambda: True
script, config, report = sys.argv[1:]
passes, models = {}, {}


def watched(kind):
    """Counts the passes of a class of models, whatever they are told to compute."""
    once = kind.__call__

    def counted(self, *args, **kwargs):
        models.setdefault(id(self), self)
        shape = kwargs["input_ids"].shape if "input_ids" in kwargs else args[0].shape
        passes.setdefault("trained" if torch.is_grad_enabled() else "beside", []).append(shape[0])
        return once(self, *args, **kwargs)

    kind.__call__ = counted


watched(LlamaForCausalLM)
watched(LlamaForSequenceClassification)
sys.argv = ["trl", "--config", config, "--use_cpu", "true"]
runpy.run_module(f"trl.scripts.{script}", run_name="__main__")
sizes = [sum(one.numel() for one in model.parameters()) for model in models.values()]
with open(report, "w") as file:
    json.dump({"passes": passes, "models": len(models), "params": sizes}, file)

"""Bytes that optimizers of the package pytorch-optimizer keep after two steps of a model of transformers.

usage: python optimizer_states.py CASES

CASES is a JSON list of `{"config": …, "optimizer": name, "settings": {…}}`. The last line is a list of whole numbers.
"""

import json
import sys
from pathlib import Path

import pytorch_optimizer
import torch
from transformers import AutoConfig, AutoModelForCausalLM


def tensors(value):
    """All tensors that a value holds, those of its attributes too."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from tensors(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from tensors(part)
    elif hasattr(value, "__dict__"):
        yield from tensors(vars(value))


def kept(case):
    """The bytes of one case, each storage counted once."""
    torch.manual_seed(0)
    shape = dict(case["config"])
    model = AutoModelForCausalLM.from_config(
        AutoConfig.for_model(shape.pop("model_type"), **shape), dtype=torch.float32
    )
    optimizer = getattr(pytorch_optimizer, case["optimizer"])(model.parameters(), **case["settings"])
    tokens = torch.randint(0, shape["vocab_size"], (1, 8))
    for _ in range(2):
        model(input_ids=tokens, labels=tokens).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    storages = {t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in tensors(dict(optimizer.state))}
    return sum(storages.values())


if __name__ == "__main__":
    print(json.dumps([kept(case) for case in json.loads(Path(sys.argv[1]).read_text())]))

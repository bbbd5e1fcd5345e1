"""Let DeepSpeed mark what it gathers whole in a small model of transformers, and print which modules these are.

Usage: read_leaf.py ds_config.json CLASS...

Of each further class it is printed whether a model of transformers has it.
"""

import json
import re
import sys
from pathlib import Path

import transformers
from deepspeed.runtime.zero.config import DeepSpeedZeroConfig
from deepspeed.utils.z3_leaf_module import apply_zero_leaf_module_config
from transformers import OlmoeConfig, OlmoeForCausalLM

with open(sys.argv[1]) as file:
    said = json.load(file)["zero_optimization"]["leaf_module"]
model = OlmoeForCausalLM(
    OlmoeConfig(
        vocab_size=64,
        hidden_size=32,
        intermediate_size=16,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_experts=4,
        num_experts_per_tok=2,
    )
)
marked = apply_zero_leaf_module_config(model, DeepSpeedZeroConfig(stage=3, leaf_module=said).leaf_module)
sources = "".join(path.read_text() for path in (Path(transformers.__file__).parent / "models").glob("*/modeling_*.py"))
known = set(re.findall(r"^class (\w+)\(", sources, re.MULTILINE))
print(
    json.dumps({"marked": [type(module).__name__ for module in marked], "unknown": sorted(set(sys.argv[2:]) - known)})
)

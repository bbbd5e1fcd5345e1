"""Build the models that configuration files describe, without memory for them, and count their parameters.

Usage: count_parameters.py FOLDER
"""

import json
import sys
from pathlib import Path

import torch
import transformers


def count(path):
    said = json.loads(path.read_text(encoding="utf-8"))
    config = transformers.AutoConfig.for_model(said.pop("model_type"), **said)
    build = transformers.AutoModel if config.model_type == "bert" else transformers.AutoModelForCausalLM
    with torch.device("meta"):
        model = build.from_config(config)
    model.tie_weights()
    return sum(parameter.numel() for parameter in model.parameters())


transformers.logging.set_verbosity_error()
print(json.dumps({path.stem: count(path) for path in sorted(Path(sys.argv[1]).glob("*.json"))}))

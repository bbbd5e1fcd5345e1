"""Let transformers, or TRL, read the Trainer's arguments, and print what became of each.

There is no GPU: `use_cpu` is given beside the file, and tf32 is taken for available. DeepSpeed's configuration is
filled in as for a model, and written to the second file, for DeepSpeed itself to read.

Usage: read_trainer.py training_args.json|sft.yaml FILLED
"""

import json
import sys
import types
import warnings
from enum import Enum
from pathlib import Path

import transformers.training_args as arguments
from transformers import HfArgumentParser, TrainingArguments

arguments.is_torch_tf32_available = lambda: True
arguments.enable_tf32 = lambda on: None
warnings.simplefilter("ignore")


class Watched(dict):
    """Notes which of its keys are read, by whatever name."""

    read: set

    def __init__(self, items):
        super().__init__(items)
        self.read = set()

    def __getitem__(self, key):
        self.read.add(key)
        return super().__getitem__(key)

    def get(self, key, default=None):
        self.read.add(key)
        return super().get(key, default)

    def __contains__(self, key):
        self.read.add(key)
        return super().__contains__(key)


def as_written(value):
    """A value of an argument as a file can hold it."""
    if isinstance(value, Enum):
        return value.value
    return [as_written(one) for one in value] if isinstance(value, list) else value


def same(name, written, read):
    read = as_written(read)
    if name == "report_to":
        return read == ([] if written == "none" else [written])
    if name == "lora_target_modules" and len(written) == 1:
        return read == written[0]  # as PEFT takes "all-linear"
    if name == "fsdp_config":
        return all(read.get(key) == value for key, value in written.items())
    if name == "accelerator_config":
        return all(getattr(read, key) == value for key, value in written.items())
    return read == written


path = Path(sys.argv[1])
if path.suffix == ".json":
    given = json.loads(path.read_text())
    watched = Watched(given.get("fsdp_config", {}))
    handed = {**given, "use_cpu": True, **({"fsdp_config": watched} if watched else {})}
    found = HfArgumentParser(TrainingArguments).parse_dict(handed, allow_extra_keys=False)
else:
    import yaml
    from trl import DatasetMixtureConfig, ModelConfig, ScriptArguments, SFTConfig, TrlParser

    given = yaml.safe_load(path.read_text())
    watched = None
    parser = TrlParser((ScriptArguments, SFTConfig, ModelConfig, DatasetMixtureConfig))
    found = parser.parse_args_and_config(["--config", str(path), "--use_cpu", "true"], fail_with_unknown_args=True)

trainer = next(one for one in found if isinstance(one, TrainingArguments))
changed = []
for name, written in given.items():
    holder = next(one for one in found if hasattr(one, name))
    if not same(name, written, getattr(holder, name)):
        changed.append([name, written, str(getattr(holder, name))])
result = {
    "changed": changed,
    "unread": sorted(set(given["fsdp_config"]) - watched.read) if watched else [],
    "mixed_precision": trainer.mixed_precision,
    "batch": trainer.train_batch_size,
    "fsdp": trainer.fsdp_plugin_args,
}
if trainer.deepspeed:
    config = trainer.hf_deepspeed_config
    model = types.SimpleNamespace(config=types.SimpleNamespace(hidden_size=1))
    config.trainer_config_finalize(trainer, model, trainer.max_steps)
    Path(sys.argv[2]).write_text(json.dumps(config.config))
if path.suffix != ".json":
    from trl import get_peft_config

    *_, model, _ = found
    adapter = get_peft_config(model)
    if adapter is not None:
        result["adapter"] = [adapter.r, adapter.lora_alpha, adapter.lora_dropout, sorted(adapter.target_modules)
                             if not isinstance(adapter.target_modules, str) else adapter.target_modules]  # fmt: skip
    result["four_bits"] = model.load_in_4bit
print(json.dumps(result))

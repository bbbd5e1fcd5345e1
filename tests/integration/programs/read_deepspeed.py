"""Let DeepSpeed read a configuration for a number of ranks, and print what it made of it.

Usage: read_deepspeed.py ds_config.json RANKS
"""

import inspect
import json
import sys

import torch
from deepspeed.ops.adam import FusedAdam
from deepspeed.ops.lion import FusedLion
from deepspeed.runtime import config, lr_schedules

OPTIMIZERS = {"AdamW": FusedAdam, "Adam": FusedAdam, "Lion": FusedLion}


class Ranks:
    """Stands in for torch.distributed, which is not running."""

    @staticmethod
    def get_rank(group=None):
        return 0

    @staticmethod
    def get_world_size(group=None):
        return int(sys.argv[2])


class Watched(dict):
    """A dict that notes which of its keys are read.

    DeepSpeed copies what it is given and unpacks sections with `**`; both must still be seen.
    """

    def __init__(self, items):
        super().__init__({key: Watched(item) if isinstance(item, dict) else item for key, item in items.items()})
        self.read = set()

    def __getitem__(self, key):
        self.read.add(key)
        return super().__getitem__(key)

    def get(self, key, default=None):
        self.read.add(key)
        return super().get(key, default)

    def pop(self, key, *default):
        self.read.add(key)
        return super().pop(key, *default)

    def items(self):
        self.read.update(self)
        return super().items()

    def values(self):
        self.read.update(self)
        return super().values()

    def __iter__(self):
        return super().__iter__()

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def ignored(self, path=""):
        found = []
        for key, item in super().items():
            if key not in self.read:
                found.append(path + key)
            elif isinstance(item, Watched):
                found += item.ignored(f"{path}{key}.")
        return found


def unknown_parameters(section, builder):
    """Parameters that the optimizer or schedule would refuse, or that nothing reads."""
    known = inspect.signature(builder).parameters
    return [key for key in section.get("params", {}) if key not in known]


with open(sys.argv[1]) as file:
    plain = json.load(file)
watched = Watched(plain)
config.dist = Ranks
read = config.DeepSpeedConfig(watched)
# The first two are handed on as they are when training starts; in offload_* and leaf_module a wrong key is refused.
elsewhere = ("optimizer.params.", "scheduler.params.", "zero_optimization.offload_", "zero_optimization.leaf_module.")
ignored = [name for name in watched.ignored() if not name.startswith(elsewhere)]
if "optimizer" in plain:
    name = plain["optimizer"]["type"]
    builder = OPTIMIZERS.get(name) or getattr(torch.optim, name)
    ignored += unknown_parameters(plain["optimizer"], builder)
if "scheduler" in plain:
    ignored += unknown_parameters(plain["scheduler"], getattr(lr_schedules, plain["scheduler"]["type"]))
zero = read.zero_config
result = {
    "nvme": [
        str(part.nvme_path) for part in (zero.offload_optimizer, zero.offload_param) if part and part.device == "nvme"
    ],
    "reuse_distance": zero.max_reuse_distance,
    "swap_buffer": zero.offload_param.buffer_size if zero.offload_param else None,
    "ignored": ignored,
    "train_batch_size": read.train_batch_size,
    "micro_batch": read.train_micro_batch_size_per_gpu,
    "accumulation": read.gradient_accumulation_steps,
    "stage": read.zero_config.stage,
    "clipping": read.gradient_clipping,
}
print(json.dumps(result))

"""Let Megatron-LM's own parser, checks and classes read the arguments for one rank of many, without GPUs.

Usage: read_megatron.py SOURCES RANKS ARGUMENT...

What Megatron-LM imports and only GPUs need is replaced: triton by an empty module, the capability of the device by that
of Hopper.
"""

import json
import os
import sys
import types
import typing

sources, ranks, *arguments = sys.argv[1:]
sys.path.insert(0, sources)
os.environ.update(WORLD_SIZE=ranks, RANK="0", LOCAL_RANK="0")

import torch
import torch._dynamo
import torch._inductor.runtime.triton_compat  # it must see that there is no triton


class Anything:
    """A decorator, a type, a constant."""

    def __call__(self, *given, **named):
        return given[0] if len(given) == 1 and callable(given[0]) and not named else self

    def __getattr__(self, name):
        return self

    def __getitem__(self, key):
        return self


class Empty(types.ModuleType):
    __path__: typing.ClassVar[list[str]] = []
    __version__ = "3.0.0"

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()


for name in ("triton", "triton.language"):
    sys.modules[name] = Empty(name)
sys.modules["triton"].language = sys.modules["triton.language"]
if not hasattr(typing, "override"):
    typing.override = lambda method: method
torch.cuda.get_device_capability = lambda *_: (9, 0)
torch.cuda.get_device_properties = lambda *_: types.SimpleNamespace(major=9, minor=0, multi_processor_count=132)

from megatron.core import parallel_state
from megatron.core.models.common.embeddings import rope_utils
from megatron.core.optimizer import OptimizerConfig
from megatron.training.arguments import core_transformer_config_from_args, parse_args, validate_args

# Kernels of Transformer Engine, of which only the presence is looked at.
for kernel in ("fused_apply_rotary_pos_emb", "fused_apply_rotary_pos_emb_thd"):
    setattr(rope_utils, kernel, getattr(rope_utils, kernel, None) or Anything())

sys.argv = ["pretrain_gpt.py", *arguments]
args = validate_args(parse_args())
config = core_transformer_config_from_args(args)
OptimizerConfig(**{name: getattr(args, name) for name in OptimizerConfig.__dataclass_fields__ if hasattr(args, name)})

from torch.testing._internal.distributed.fake_pg import FakeStore

torch.distributed.init_process_group("fake", store=FakeStore(), rank=0, world_size=int(ranks))
parallel_state.initialize_model_parallel(
    args.tensor_model_parallel_size,
    args.pipeline_model_parallel_size,
    args.virtual_pipeline_model_parallel_size,
    context_parallel_size=args.context_parallel_size,
    expert_model_parallel_size=args.expert_model_parallel_size,
    expert_tensor_parallel_size=args.expert_tensor_parallel_size,
    num_distributed_optimizer_instances=args.num_distributed_optimizer_instances,
    create_gloo_process_groups=False,
)
seen = {name: value for name, value in vars(args).items() if isinstance(value, (bool, int, float, str, list, type(None)))}
seen["params_dtype"] = str(args.params_dtype)
seen["gated_linear_unit"] = config.gated_linear_unit
seen["activation_func"] = getattr(config.activation_func, "__name__", "")
print(json.dumps(seen, default=str))

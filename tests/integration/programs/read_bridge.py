"""Let Megatron-Bridge's own classes read what was written, for one rank of many, without GPUs.

Usage: read_bridge.py SOURCES CASES.json: the sources of Megatron-Bridge in `src`, those of the Megatron-LM that it pins
in `mlm`; a list of cases with `ranks` and `folder`, where `bridge.yaml` and `bridge_train.py` lie. The model of a case
with `build` is made, on one rank and without memory for it, from Megatron Core's own modules in place of Transformer
Engine's.

What it imports and only GPUs need, or only other models, is replaced by modules of which any name is an empty class.
Megatron Core is imported before, so that it goes without Transformer Engine.
"""

import contextlib
import importlib.abc
import importlib.machinery
import importlib.util
import io
import json
import os
import sys
import types
import typing
from dataclasses import fields, is_dataclass
from pathlib import Path

sources, cases = sys.argv[1:]
sys.path[:0] = [f"{sources}/src", f"{sources}/mlm"]
os.environ.update(RANK="0", LOCAL_RANK="0", WORLD_SIZE="1")

import torch
import torch._dynamo
import torch._inductor.runtime.triton_compat  # it must see that there is no triton
import transformers  # noqa: F401 -- it looks for packages that are replaced below
from stand_ins import Anything, empty

empty("triton", "triton.language")
if not hasattr(typing, "override"):
    typing.override = lambda method: method
torch.cuda.get_device_capability = lambda *_: (9, 0)
torch.cuda.current_device = lambda: "meta"
torch.cuda.Stream = Anything
torch.cuda.get_device_properties = lambda *_: types.SimpleNamespace(major=9, minor=0, multi_processor_count=132)

import megatron.core.extensions
import megatron.core.models.gpt.gpt_layer_specs
import megatron.core.optimizer  # noqa: F401
from megatron.core import utils
from megatron.core.models.common.embeddings import rope_utils

for kernel in ("fused_apply_rotary_pos_emb", "fused_apply_rotary_pos_emb_thd"):
    setattr(rope_utils, kernel, getattr(rope_utils, kernel, None) or Anything())
utils._te_version = utils.PkgVersion("2.8.0")


class Named(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Thing


class Thing(metaclass=Named):
    """A class, a decorator, a constant."""

    def __new__(cls, *given, **_named):
        decorated = cls is Thing and len(given) == 1 and callable(given[0])
        return given[0] if decorated else super().__new__(cls)

    def __init__(self, *_given, **_named):
        pass

    def __init_subclass__(cls, **_named):
        pass

    def __class_getitem__(cls, _key):
        return cls


class FusedAdam:
    """As in Transformer Engine 2.8, whose optimizer keeps states in other formats."""

    def __init__(self, params, master_weight_dtype, exp_avg_dtype, exp_avg_sq_dtype, use_decoupled_grad):
        pass


class Module(types.ModuleType):
    __path__: typing.ClassVar[list[str]] = []
    __version__ = "2.8.0"
    __all__: typing.ClassVar[list[str]] = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return FusedAdam if name == "FusedAdam" else Thing


OTHERS = (
    "transformer_engine", "modelopt", "nvidia_resiliency_ext", "megatron.energon", "timm", "fla", "mamba_ssm",
    "open_clip", "qwen_vl_utils", "webdataset", "diffusers", "flashinfer", "multistorageclient",
    "megatron.bridge.diffusion", "megatron.bridge.recipes.flux", "megatron.bridge.recipes.wan",
)  # fmt: skip


class Missing(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds what stands in for these, wherever it is looked for."""

    def find_spec(self, name, path=None, target=None):
        if any(name == other or name.startswith(f"{other}.") for other in OTHERS):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return Module(spec.name)

    def exec_module(self, module):
        pass


sys.meta_path.insert(0, Missing())

from megatron.bridge.models.gpt_provider import local_layer_spec
from megatron.bridge.training.config import runtime_config_update
from megatron.core import parallel_state
from megatron.core.process_groups_config import ProcessGroupCollection
from torch.testing._internal.distributed.fake_pg import FakeStore

PLAIN = (bool, int, float, str, list, tuple, type(None))


def flat(config, place=""):
    """Every field that is a plain value, or named by one, by its place."""
    for field in fields(config):
        value = getattr(config, field.name)
        if is_dataclass(value):
            yield from flat(value, f"{place}{field.name}.")
        elif isinstance(value, PLAIN):
            yield place + field.name, value
        elif isinstance(value, torch.dtype):
            yield place + field.name, str(value)
        else:
            yield place + field.name, getattr(value, "name", getattr(value, "__name__", ""))


def read(case):
    """What Megatron-Bridge will train with, and the changes that it makes to what it was told."""
    os.environ["WORLD_SIZE"] = str(case["ranks"])
    place = Path(case["folder"]) / "bridge_train.py"
    spec = importlib.util.spec_from_file_location("bridge_train", place)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    config = script.planned(case.get("overrides", []))
    said = dict(flat(config))
    runtime_config_update(config)
    seen = {"said": said, "seen": dict(flat(config)), "ranks of data": config.data_parallel_size}
    return {**seen, "parameters": built(config.model)} if case.get("build") else seen


def built(model):
    """How many parameters the model has."""
    model.perform_initialization = model.gradient_accumulation_fusion = model.persist_layer_norm = False
    model.moe_grouped_gemm, model.transformer_layer_spec, model.init_model_with_meta_device = (
        False,
        local_layer_spec,
        True,
    )
    torch.distributed.init_process_group("fake", store=FakeStore(), rank=0, world_size=1)
    try:
        parallel_state.initialize_model_parallel(create_gloo_process_groups=False)
        model._pg_collection = ProcessGroupCollection.use_mpu_process_groups()
        return sum(one.numel() for one in model.provide(pre_process=True, post_process=True).parameters())
    finally:
        parallel_state.destroy_model_parallel()
        torch.distributed.destroy_process_group()


def tried(case):
    """The same; what it raised under `error`."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            return read(case)
    except (Exception, SystemExit) as error:  # noqa: BLE001 -- whatever it raises is the answer
        return {"error": f"{type(error).__name__}: {error}"}


print(json.dumps([tried(case) for case in json.loads(Path(cases).read_text(encoding="utf-8"))], default=str))

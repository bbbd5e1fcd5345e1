"""Let torchtitan 0.3 read configurations, build the planned model and split it for one rank of many, without GPUs.

Usage: read_torchtitan_3.py CASES.json, as read_torchtitan.py, which is for 0.2.
"""

import dataclasses
import importlib.util
import itertools
import json
import multiprocessing
import os
import sys
import traceback
import typing
from pathlib import Path

os.environ.update(RANK="0", LOCAL_RANK="0")

import torch
import torch._dynamo
import torch._inductor.compile_fx  # before there seems to be a triton
from stand_ins import empty

if importlib.util.find_spec("triton") is None:
    empty("triton", "triton.language")
torch._utils._get_available_device_type = lambda: "cpu"  # without any, torchtitan takes it for CUDA
torch.cuda.get_device_capability = lambda *_: (10, 0)  # that of a GPU on which everything can run
torch.cuda.is_available = lambda: False

from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import CheckpointWrapper
from torch.distributed.fsdp import FSDPModule
from torch.distributed.tensor import DTensor
from torch.testing._internal.distributed.fake_pg import FakeStore
from torchtitan.config import TORCH_DTYPE_MAP, ConfigManager
from torchtitan.distributed import ParallelDims
from torchtitan.distributed import utils as dist_utils
from torchtitan.tools import utils

capable = utils.has_cuda_capability
utils.has_cuda_capability = lambda major, minor: (major, minor) <= (10, 0)


def main() -> None:
    cases = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    # Each in a process of its own, as meshes are kept for the whole of one.
    with multiprocessing.get_context("fork").Pool(1, maxtasksperchild=1) as processes:
        print(json.dumps(processes.map(read, cases, chunksize=1)))


def read(case):
    if "reference" in case:
        return {"apart": apart(Path(case["folder"]), **case["reference"])}
    try:
        torch.distributed.init_process_group("fake", store=FakeStore(), rank=case["rank"], world_size=case["ranks"])
        return seen(Path(case["folder"]), case["ranks"])
    except (Exception, SystemExit) as problem:  # noqa: BLE001 -- whatever it raises is the answer
        return {"error": "".join(traceback.format_exception(problem))[-3000:]}
    finally:
        torch.distributed.destroy_process_group()


def configuration(folder):
    """As `--module torchtitan_config --config planned` reads it in a process of its own."""
    for name in ("torchtitan_config", "torchtitan_model"):
        sys.modules.pop(name, None)
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        return ConfigManager().parse_args(["--module", "torchtitan_config", "--config", "planned"])
    finally:
        sys.path.remove(str(folder))


def seen(folder, ranks):
    config = configuration(folder)
    layout, training, spec = config.parallelism, config.training, config.model_spec
    dims = ParallelDims.from_config(layout, ranks)
    dims.build_mesh()
    dist_utils.set_spmd_backend(layout.spmd_backend)
    model_config = spec.model
    model_config.update_from_config(config=config)
    config._validate_cuda_graphs()
    with torch.device("meta"), utils.set_default_dtype(TORCH_DTYPE_MAP[training.dtype]):
        model = model_config.build()
    model.verify_module_protocol()
    parameters = {id(p): p.numel() for p in model.parameters()}
    inside = next(iter(model.layers.values()))
    width = 0 if getattr(inside, "feed_forward", None) is None else inside.feed_forward.w1.weight.shape[0]
    shared = dims.dp_replicate * dims.dp_shard
    assert training.global_batch_size % (training.local_batch_size * shared) == 0
    loss = config.loss.build(compile_config=config.compile)
    how = {
        "parallel_dims": dims, "training": training, "parallelism": layout, "compile_config": config.compile,
        "ac_config": config.activation_checkpoint, "dump_folder": "",
    }  # fmt: skip
    if dims.pp_enabled:
        schedule, parts, *_ = spec.pipelining_fn(
            model, **how, device=torch.device("meta"), model_config=model_config,
            parallelize_fn=spec.parallelize_fn, loss_fn=loss,
        )  # fmt: skip
        batches, kind = schedule._n_microbatches, type(schedule).__name__
    else:
        parts = [spec.parallelize_fn(model, **how)]
        batches, kind = training.global_batch_size // (training.local_batch_size * shared), ""
    if model_config.enable_weight_tying:
        # As its `init_weights` does once more, after every table was split by itself.
        parts[0].lm_head.weight = parts[0].tok_embeddings.weight
    modules = [m for part in parts for m in part.modules()]
    groups = [
        group for m in modules if isinstance(m, FSDPModule)
        for group in m._get_fsdp_state()._fsdp_param_groups
    ]  # fmt: skip
    (group,) = config.optimizer.param_groups
    return {
        "wrong": [*wrong(config)],
        "parameters": sum(parameters.values()),
        "width": width,
        "layers": [len(part.layers) for part in parts],
        "local": sum(local(p) for p in {id(p): p for part in parts for p in part.parameters()}.values()),
        "dtype": sorted({str(p.dtype) for part in parts for p in part.parameters()}),
        "reduced": sorted({str(group.mp_policy.reduce_dtype) for group in groups}),
        "computed": sorted({str(group.mp_policy.param_dtype) for group in groups}),
        "given_up": all(group.post_forward_mesh_info is not None for group in groups) if groups else None,
        "recomputed": sum(isinstance(m, CheckpointWrapper) for m in modules),
        "compiled": sum(m._compiled_call_impl is not None for m in modules),
        "batches": batches,
        "schedule": kind,
        "initial": str(TORCH_DTYPE_MAP[training.dtype]),
        "parallelism": dataclasses.asdict(layout),
        "formats": sorted({type(m).__name__ for m in modules if "8" in type(m).__name__}),
        "loss": type(loss).__name__,
        "attention": sorted({type(m).__name__ for m in modules if type(m).__name__.endswith("Attention")}),
        "training": dataclasses.asdict(training),
        "optimizer": {**group.optimizer_kwargs, "name": group.optimizer_name},
        "scheduler": dataclasses.asdict(config.lr_scheduler),
        "checkpoint": dataclasses.asdict(config.checkpoint),
    }


def apart(folder, name, config):
    """The largest difference of logits, with the same weights and tokens, over the largest logit."""
    import transformers
    from torchtitan.models.common import moe

    # Experts are always computed in 16 bits, which would choose others in the next layer.
    torch.Tensor.bfloat16 = lambda whole: whole
    moe.GroupedExperts._grouped_mm = by_expert
    torch.manual_seed(0)
    kind = getattr(transformers, name)
    reference = kind(kind.config_class(**config, attn_implementation="eager")).eval()
    chosen = configuration(folder)
    chosen.model_spec.model.update_from_config(config=chosen)
    model = chosen.model_spec.model.build().eval()
    weights = chosen.model_spec.state_dict_adapter(chosen.model_spec.model, None).from_hf(
        dict(apart_experts(reference.state_dict()))
    )
    missing, more = model.load_state_dict(weights, strict=False)
    assert not more and all(name.endswith(("expert_bias_E", "cache", "tokens_per_expert_E")) for name in missing), (
        missing,
        more,
    )
    tokens = torch.randint(0, config["vocab_size"], (2, chosen.training.seq_len))
    positions = torch.arange(chosen.training.seq_len).repeat(2, 1)
    with torch.no_grad():
        expected = reference(tokens).logits
        found = model(tokens, positions, model.get_attention_masks(positions))
        return float((found - expected).abs().max() / expected.abs().max())


def by_expert(self, *, A, B_t, offs):
    starts = [0, *offs.tolist()]
    products = [A[low:high] @ B_t[at] for at, (low, high) in enumerate(itertools.pairwise(starts))]
    return torch.cat([*products, A.new_zeros(len(A) - starts[-1], B_t.shape[-1])])


def apart_experts(weights):
    """As checkpoints have them: transformers joins those of a layer."""
    for name, value in weights.items():
        place, _, last = name.rpartition(".experts.")
        if not place:
            yield name, value
            continue
        for at, one in enumerate(value):
            parts = one.chunk(2) if last == "gate_up_proj" else (one,)
            for part, name in zip(parts, last.replace("gate_up_proj", "gate_proj up_proj").split(), strict=True):
                yield f"{place}.experts.{at}.{name}.weight", part


def local(parameter):
    return parameter.to_local().numel() if isinstance(parameter, DTensor) else parameter.numel()


def wrong(config, at=""):
    """Values that torchtitan does not name, which it does not look at itself."""
    kinds = typing.get_type_hints(type(config))
    for key in (field.name for field in dataclasses.fields(config) if field.name != "model_spec"):
        value, kind = getattr(config, key), kinds[key]
        if dataclasses.is_dataclass(value):
            yield from wrong(value, f"{at}{key}.")
        choices = [
            choice
            for one in (kind, *typing.get_args(kind))
            if typing.get_origin(one) is typing.Literal
            for choice in typing.get_args(one)
        ]
        if choices and value not in choices:
            yield f"{at}{key}", f"{value} is not one of {choices}"


main()
